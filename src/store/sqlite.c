/*
 * sqlite.c: a store in one file, or in memory, with SQLite.
 *
 * A handle is used by one thread at a time; other threads and processes may have their own handles
 * on the same file (the command line creates keys while the server runs).  A commit has reached the
 * disk when it returns: the file has a write-ahead log and is used with synchronous FULL.
 *
 * The store in memory is one database, which all handles of the process share and which is freed
 * with the last of them.  SQLite has no write-ahead log there, so a commit waits until there are no
 * readers, and readers wait for the commit, both in sqlite_wait.
 *
 * sqlite_private.h lists the other files.
 */
#include "store/sqlite_private.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/log.h"
#include "base/mem.h"

/* Other handles lock the file for a few milliseconds, or for a few hundred to write a dictionary of
 * 10,000 entries.  One that takes longer is stuck; then the ledger uses its spool. */
#define BUSY_TIMEOUT_MS 1000
/* SQLite's own pauses grow to a tenth of a second.  A ledger that commits one batch after another
 * leaves the file unlocked only for moments, which such long pauses would miss. */
#define BUSY_PAUSE_NS 250000
#define WAL_RETRY_MS 5

/* Connections with the same name share a database of the memdb VFS if the name begins with a
 * slash. */
#define SQLITE_MEMORY_URI "file:/syrinx?vfs=memdb"

/* Maps the errno of a file that cannot be written. */
static int sqlite_errno_of_io(int system_errno)
{
	switch (system_errno) {
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		return ENOSPC;
	case EROFS:
		return EROFS;
	default:
		return EIO;
	}
}

int sqlite_errno(sqlite3 *db)
{
	int system_errno = sqlite3_system_errno(db);

	switch (sqlite3_extended_errcode(db) & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return EBUSY;
	case SQLITE_READONLY:
		return EROFS;
	case SQLITE_FULL:
		return ENOSPC;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return EBADMSG;
	case SQLITE_NOMEM:
		return ENOMEM;
	case SQLITE_CANTOPEN:
		return system_errno > 0 ? system_errno : ENOENT;
	case SQLITE_IOERR:
		return sqlite_errno_of_io(system_errno);
	default:
		return EIO;
	}
}

int sqlite_failed(const struct sqlite *sqlite, const char *what)
{
	int err = sqlite_errno(sqlite->db);

	log_error("store", "%s: %s (%s)", what, sqlite3_errmsg(sqlite->db), strerror(err));
	return err;
}

void sqlite_release(sqlite3_stmt *stmt)
{
	sqlite3_reset(stmt);
	sqlite3_clear_bindings(stmt);
}

int sqlite_run(struct sqlite *sqlite, enum statement id, const char *what, int *constraint)
{
	sqlite3_stmt *stmt = sqlite->statements[id];
	int code = sqlite3_step(stmt);
	int err = 0;

	*constraint = 0;
	if ((code & 0xff) == SQLITE_CONSTRAINT)
		*constraint = sqlite3_extended_errcode(sqlite->db);
	if (code != SQLITE_DONE)
		err = *constraint ? EINVAL : sqlite_failed(sqlite, what);
	sqlite_release(stmt);
	return err;
}

int sqlite_rows(struct sqlite *sqlite, enum statement id, const char *what, sqlite_row_h *row,
		void *arg)
{
	sqlite3_stmt *stmt = sqlite->statements[id];
	bool has_rows = false;
	int code = SQLITE_DONE;
	int err = 0;

	while (!err && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
		has_rows = true;
		err = row(stmt, arg);
	}
	if (!err && code != SQLITE_DONE)
		err = sqlite_failed(sqlite, what);
	sqlite_release(stmt);
	if (err == ECANCELED)
		return 0;
	return err || has_rows ? err : ENOENT;
}

int sqlite_change(struct sqlite *sqlite, enum statement id, const char *what)
{
	int constraint;
	int err = sqlite_run(sqlite, id, what, &constraint);

	if (constraint)
		return EEXIST;
	return err || sqlite3_changes(sqlite->db) > 0 ? err : ENOENT;
}

static int sqlite_read_number(sqlite3_stmt *stmt, void *arg)
{
	*(int64_t *)arg = sqlite3_column_int64(stmt, 0);
	return 0;
}

int sqlite_number(struct sqlite *sqlite, enum statement id, const char *what, int64_t *number)
{
	return sqlite_rows(sqlite, id, what, sqlite_read_number, number);
}

void sqlite_bind_text(sqlite3_stmt *stmt, int at, const char *text)
{
	sqlite3_bind_text(stmt, at, text, -1, SQLITE_STATIC);
}

bool sqlite_column_text(char *out, size_t size, sqlite3_stmt *stmt, int column)
{
	const unsigned char *text = sqlite3_column_text(stmt, column);
	int len = sqlite3_column_bytes(stmt, column);

	if (!text || (size_t)len >= size)
		return false;
	memcpy(out, text, (size_t)len + 1);
	return true;
}

int sqlite_damaged(const char *table)
{
	log_error("store", "a row of %s cannot be read: was it changed by hand?", table);
	return EBADMSG;
}

void sqlite_bind_limits(sqlite3_stmt *stmt, int at, const struct store_limits *limits)
{
	sqlite3_bind_int64(stmt, at, limits->turns);
	sqlite3_bind_int64(stmt, at + 1, limits->connections);
	sqlite3_bind_int64(stmt, at + 2, limits->requests_per_minute);
	sqlite3_bind_int64(stmt, at + 3, limits->characters_per_minute);
	sqlite3_bind_int64(stmt, at + 4, limits->text_max);
	sqlite3_bind_int64(stmt, at + 5, limits->heard_seconds_per_minute);
}

struct store_limits sqlite_column_limits(sqlite3_stmt *stmt, int column)
{
	return (struct store_limits){
		.turns = sqlite3_column_int64(stmt, column),
		.connections = sqlite3_column_int64(stmt, column + 1),
		.requests_per_minute = sqlite3_column_int64(stmt, column + 2),
		.characters_per_minute = sqlite3_column_int64(stmt, column + 3),
		.text_max = sqlite3_column_int64(stmt, column + 4),
		.heard_seconds_per_minute = sqlite3_column_int64(stmt, column + 5),
	};
}

int sqlite_begin(struct store *store)
{
	int constraint;

	return sqlite_run(sqlite_of(store), STATEMENT_BEGIN, "cannot begin a batch", &constraint);
}

static int sqlite_commit(struct store *store)
{
	int constraint;

	return sqlite_run(sqlite_of(store), STATEMENT_COMMIT, "cannot commit a batch", &constraint);
}

static void sqlite_rollback(struct store *store)
{
	struct sqlite *sqlite = sqlite_of(store);
	int constraint;

	/* After some errors, such as a full disk, SQLite has already rolled back. */
	if (!sqlite3_get_autocommit(sqlite->db))
		sqlite_run(sqlite, STATEMENT_ROLLBACK, "cannot roll back a batch", &constraint);
}

int sqlite_end(struct store *store, int err)
{
	if (!err)
		err = sqlite_commit(store);
	if (err)
		sqlite_rollback(store);
	return err;
}

static int sqlite_version(struct store *store, int64_t *number)
{
	return sqlite_number(sqlite_of(store), STATEMENT_VERSION, "cannot look for changes",
			     number);
}

struct sqlite_change_viewer {
	store_change_h *each;
	void *arg;
};

static int sqlite_show_change(sqlite3_stmt *stmt, void *arg)
{
	const struct sqlite_change_viewer *viewer = arg;
	const struct store_change change = {
		.kind = (enum store_change_kind)sqlite3_column_int(stmt, 0),
		.project_id = sqlite3_column_int64(stmt, 1),
		.version = sqlite3_column_int64(stmt, 2),
	};

	return viewer->each(&change, viewer->arg) ? 0 : ECANCELED;
}

static int sqlite_changes(struct store *store, int64_t since_version, store_change_h *each,
			  void *arg)
{
	struct sqlite *sqlite = sqlite_of(store);
	struct sqlite_change_viewer viewer = {each, arg};
	int err;

	sqlite3_bind_int64(sqlite->statements[STATEMENT_CHANGES], 1, since_version);
	err = sqlite_rows(sqlite, STATEMENT_CHANGES, "cannot look for changes", sqlite_show_change,
			  &viewer);
	return err == ENOENT ? 0 : err;
}

static const struct store_ops sqlite_ops = {
	.key_add = sqlite_key_add,
	.key_find = sqlite_key_find,
	.key_revoke = sqlite_key_revoke,
	.key_list = sqlite_key_list,
	.key_change = sqlite_key_change,
	.key_used = sqlite_key_used,
	.account_add = sqlite_account_add,
	.account_get = sqlite_account_get,
	.account_list = sqlite_account_list,
	.account_change = sqlite_account_change,
	.project_add = sqlite_project_add,
	.project_list = sqlite_project_list,
	.top_up_add = sqlite_top_up_add,
	.top_up_list = sqlite_top_up_list,
	.token_add = sqlite_token_add,
	.token_take = sqlite_token_take,
	.lease_take = sqlite_lease_take,
	.lease_return = sqlite_lease_return,
	.turns_add = sqlite_turns_add,
	.turn_page = sqlite_turn_page,
	.usage_sum = sqlite_usage_sum,
	.audit = sqlite_audit,
	.turn_list = sqlite_turn_list,
	.dictionary_list = sqlite_dictionary_list,
	.dictionary_get = sqlite_dictionary_get,
	.dictionary_add = sqlite_dictionary_add,
	.dictionary_change = sqlite_dictionary_change,
	.dictionary_remove = sqlite_dictionary_remove,
	.entry_list = sqlite_entry_list,
	.entry_count = sqlite_entry_count,
	.entry_get = sqlite_entry_get,
	.entry_add = sqlite_entry_add,
	.entry_change = sqlite_entry_change,
	.entry_remove = sqlite_entry_remove,
	.entry_replace = sqlite_entry_replace,
	.entry_put = sqlite_entry_put,
	.entry_remove_words = sqlite_entry_remove_words,
	.voice_list = sqlite_voice_list,
	.voice_add = sqlite_voice_add,
	.voice_change = sqlite_voice_change,
	.voice_remove = sqlite_voice_remove,
	.speech_engine_list = sqlite_speech_engine_list,
	.speech_engine_get = sqlite_speech_engine_get,
	.speech_engine_add = sqlite_speech_engine_add,
	.speech_engine_change = sqlite_speech_engine_change,
	.speech_engine_remove = sqlite_speech_engine_remove,
	.version = sqlite_version,
	.changes = sqlite_changes,
	.import_begin = sqlite_import_begin,
	.import_row = sqlite_import_row,
	.import_settle = sqlite_import_settle,
	.import_end = sqlite_import_end,
	.last_ids = sqlite_last_ids,
};

static void sqlite_destroy(void *object)
{
	struct sqlite *sqlite = object;

	for (size_t i = 0; i < STATEMENT_COUNT; ++i)
		sqlite3_finalize(sqlite->statements[i]);
	for (size_t i = 0; i < STORE_ROW_KINDS; ++i)
		sqlite3_finalize(sqlite->imports[i]);
	sqlite3_close(sqlite->db);
}

static int sqlite_execute(struct sqlite *sqlite, const char *sql, const char *what)
{
	if (sqlite3_exec(sqlite->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return sqlite_failed(sqlite, what);
	return 0;
}

static int sqlite_ask_version(struct sqlite *sqlite, const char *sql, int *version)
{
	sqlite3_stmt *stmt;
	int err = 0;

	if (sqlite3_prepare_v2(sqlite->db, sql, -1, &stmt, NULL) != SQLITE_OK)
		return sqlite_failed(sqlite, "cannot read the schema's version");
	if (sqlite3_step(stmt) == SQLITE_ROW)
		*version = sqlite3_column_int(stmt, 0);
	else
		err = sqlite_failed(sqlite, "cannot read the schema's version");
	sqlite3_finalize(stmt);
	return err;
}

static int sqlite_read_version(struct sqlite *sqlite, int *version)
{
	return sqlite_ask_version(sqlite, "PRAGMA user_version", version);
}

/* Reads how many additions the file has; a newer release may have made more than this one knows. */
static int sqlite_read_additions(struct sqlite *sqlite, int *count)
{
	int exists = 0;
	int err = sqlite_ask_version(
		sqlite, "SELECT count(*) FROM sqlite_master WHERE name = 'schema_addition'",
		&exists);

	*count = 0;
	if (err || !exists)
		return err;
	return sqlite_ask_version(sqlite, "SELECT version FROM schema_addition", count);
}

/* Called in the transaction of the migrations. */
static int sqlite_apply_additions(struct sqlite *sqlite)
{
	static const char what[] = "cannot add to the schema";
	char done[64];
	int count = 0;
	int err = sqlite_read_additions(sqlite, &count);

	if (!err && count == 0)
		err = sqlite_execute(
			sqlite,
			"CREATE TABLE IF NOT EXISTS schema_addition"
			" (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL)"
			" STRICT; INSERT OR IGNORE INTO schema_addition VALUES (1, 0)",
			what);
	for (; !err && count < sqlite_schema_additions_count; ++count) {
		err = sqlite_execute(sqlite, sqlite_schema_additions[count], what);
		snprintf(done, sizeof(done), "UPDATE schema_addition SET version = %d", count + 1);
		if (!err)
			err = sqlite_execute(sqlite, done, what);
	}
	return err;
}

/* Called in a transaction, so that of two processes that open a new file, one creates the tables
 * and the other finds them. */
static int sqlite_apply_migrations(struct sqlite *sqlite)
{
	char pragma[48];
	int version = 0;
	int err = sqlite_read_version(sqlite, &version);

	for (; !err && version < sqlite_schema_version; ++version) {
		err = sqlite_execute(sqlite, sqlite_schema_migrations[version],
				     "cannot migrate the schema");
		snprintf(pragma, sizeof(pragma), "PRAGMA user_version = %d", version + 1);
		if (!err)
			err = sqlite_execute(sqlite, pragma, "cannot migrate the schema");
	}
	if (!err)
		err = sqlite_apply_additions(sqlite);
	return err ? err : sqlite_execute(sqlite, "COMMIT", "cannot migrate the schema");
}

static int sqlite_check_known(int version)
{
	if (version <= sqlite_schema_version)
		return 0;
	log_error("store", "the file is of a newer release: version %d, this one knows %d", version,
		  sqlite_schema_version);
	return ENOTSUP;
}

static int sqlite_migrate(struct sqlite *sqlite)
{
	int version = 0;
	int additions = 0;
	int err = sqlite_read_version(sqlite, &version);

	if (!err)
		err = sqlite_read_additions(sqlite, &additions);
	if (err || (version == sqlite_schema_version && additions >= sqlite_schema_additions_count))
		return err;
	err = sqlite_check_known(version);
	if (err)
		return err;
	err = sqlite_execute(sqlite, "BEGIN IMMEDIATE", "cannot migrate the schema");
	if (err)
		return err;
	err = sqlite_apply_migrations(sqlite);
	if (err && !sqlite3_get_autocommit(sqlite->db))
		sqlite3_exec(sqlite->db, "ROLLBACK", NULL, NULL, NULL);
	return err;
}

static int sqlite_prepare(struct sqlite *sqlite)
{
	for (size_t i = 0; i < STATEMENT_COUNT; ++i) {
		if (sqlite3_prepare_v3(sqlite->db, sqlite_statements[i], -1,
				       SQLITE_PREPARE_PERSISTENT, &sqlite->statements[i],
				       NULL) != SQLITE_OK)
			return sqlite_failed(sqlite, "cannot prepare a statement");
	}
	return 0;
}

/* Switching to a write-ahead log needs exclusive access, for which SQLite does not wait, to avoid
 * deadlocks.  If several processes open a new file at the same time, we wait here. */
static int sqlite_enter_wal_mode(struct sqlite *sqlite)
{
	int waited_ms = 0;
	int code;

	do {
		code = sqlite3_exec(sqlite->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
		if (code == SQLITE_BUSY)
			waited_ms += sqlite3_sleep(WAL_RETRY_MS);
	} while (code == SQLITE_BUSY && waited_ms < BUSY_TIMEOUT_MS);
	return code == SQLITE_OK ? 0 : sqlite_failed(sqlite, "cannot be used as a database");
}

/* Called by SQLite while another handle has locked the database; 0 ends the wait. */
static int sqlite_wait(void *arg, int pauses)
{
	static const struct timespec pause = {.tv_nsec = BUSY_PAUSE_NS};
	struct sqlite *sqlite = arg;
	uint64_t now_us = clock_monotonic_us();

	if (pauses == 0)
		sqlite->busy_since_us = now_us;
	if (now_us - sqlite->busy_since_us >= BUSY_TIMEOUT_MS * 1000ULL)
		return 0;
	nanosleep(&pause, NULL);
	return 1;
}

/* The page cache of each handle.  It is small because the ledger grows at its end and is searched
 * by random ids; pages that do not fit are in the kernel's cache. */
#define CACHE_KIB "256"

/* Checks that the file can be written to. */
static int sqlite_check_file(struct sqlite *sqlite)
{
	sqlite3_busy_handler(sqlite->db, sqlite_wait, sqlite);
	if (sqlite3_db_readonly(sqlite->db, "main") != 1)
		return 0;
	log_error("store", "the file cannot be written to");
	return EROFS;
}

/* Chooses the journal, which determines what a commit costs and which failures it survives.  In
 * memory the journal is needed only for rolling back. */
static int sqlite_choose_journal(struct sqlite *sqlite)
{
	static const char what[] = "cannot be used as a database";
	int err;

	if (sqlite->store.is_volatile)
		return sqlite_execute(
			sqlite, "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF", what);
	err = sqlite_enter_wal_mode(sqlite);
	return err ? err : sqlite_execute(sqlite, "PRAGMA synchronous = FULL", what);
}

static int sqlite_set_up(struct sqlite *sqlite)
{
	int err = sqlite_check_file(sqlite);

	if (!err)
		err = sqlite_choose_journal(sqlite);
	if (!err)
		err = sqlite_execute(sqlite, "PRAGMA cache_size = -" CACHE_KIB,
				     "cannot be used as a database");
	if (!err)
		err = sqlite_migrate(sqlite);
	/* Enabled last, because with foreign keys no column that refers to another table can be
	 * added. */
	if (!err)
		err = sqlite_execute(sqlite, "PRAGMA foreign_keys = ON",
				     "cannot be used as a database");
	return err ? err : sqlite_prepare(sqlite);
}

/* Removes the permissions of other users on one of the database's files, if it exists.  Symbolic
 * links are not followed.  The file is opened with O_PATH, because closing such a descriptor drops
 * none of SQLite's locks. */
static void sqlite_remove_permissions(const char *path, const char *suffix)
{
	char file[PATH_MAX];
	char link[32];
	struct stat status;
	int n = snprintf(file, sizeof(file), "%s%s", path, suffix);
	int fd = n < 0 || (size_t)n >= sizeof(file) ? -1
						    : open(file, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	    (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
		if (chmod(link, status.st_mode & S_IRWXU) == 0)
			log_warn("store", "%s was open to other users; it is not any more", file);
		else
			log_warn("store", "%s is open to other users: %s", file, strerror(errno));
	}
	close(fd);
}

/* If this is not permitted (root in a container may lack the capability), root keeps the file. */
void sqlite_give_to_owner(int fd, const char *path)
{
	char dir[PATH_MAX];
	struct stat status;

	if (geteuid() != 0 || strlen(path) >= sizeof(dir))
		return;
	memcpy(dir, path, strlen(path) + 1);
	if (stat(dirname(dir), &status) == 0 && status.st_uid != 0 &&
	    fchown(fd, status.st_uid, status.st_gid) != 0)
		log_warn("store", "%s still belongs to root: %s", path, strerror(errno));
}

/* The file contains hashes of keys and the usage of all accounts, so only its owner may access it.
 * SQLite would make it readable by all users, and creates its journals with the mode of the
 * database.
 *
 * A file that already exists must not be opened here: closing any descriptor of it would drop the
 * locks that this process holds on it through other handles. */
static void sqlite_make_private(const char *path)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
	int fd;

	if (path[0] == ':') /* ":memory:" */
		return;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
	if (fd >= 0) {
		sqlite_give_to_owner(fd, path);
		close(fd);
	}
	for (size_t i = 0; i < COUNT(suffixes); ++i)
		sqlite_remove_permissions(path, suffixes[i]);
}

static int sqlite_open_database(struct sqlite *sqlite, const char *path)
{
	/* SQLite's own mutexes are not needed, because only one thread at a time uses a handle. */
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;

	if (sqlite->store.is_volatile)
		flags |= SQLITE_OPEN_URI;
	else
		sqlite_make_private(path);
	if (sqlite3_open_v2(path, &sqlite->db, flags, NULL) == SQLITE_OK)
		return 0;
	return sqlite->db ? sqlite_errno(sqlite->db) : ENOMEM;
}

static int sqlite_open(struct store **storep, const char *path, bool is_volatile)
{
	struct sqlite *sqlite = mem_zalloc(sizeof(*sqlite), sqlite_destroy);
	int err = ENOMEM;

	if (!sqlite)
		goto out;
	sqlite->store.ops = &sqlite_ops;
	sqlite->store.is_volatile = is_volatile;
	err = sqlite_open_database(sqlite, path);
	if (!err)
		err = sqlite_set_up(sqlite);
	if (err)
		goto out;
	*storep = &sqlite->store;
	return 0;
out:
	log_error("store", "cannot open %s: %s", is_volatile ? "a store in memory" : path,
		  strerror(err));
	mem_deref(sqlite);
	return err;
}

int store_open_sqlite(struct store **storep, const char *path)
{
	return sqlite_open(storep, path, false);
}

int store_open_memory(struct store **storep)
{
	return sqlite_open(storep, SQLITE_MEMORY_URI, true);
}

/* Opens the file for writing, as a server would, to find out whether a server could use it. */
int store_look_sqlite(const char *path)
{
	struct sqlite *sqlite;
	struct stat status;
	int version = 0;
	int err = 0;

	if (path[0] == ':')
		return ENOENT;
	if (stat(path, &status) != 0)
		return errno == ENOTDIR ? ENOENT : errno;
	if (status.st_size == 0)
		return ENOENT;
	sqlite = mem_zalloc(sizeof(*sqlite), sqlite_destroy);
	if (!sqlite)
		return ENOMEM;
	if (access(path, R_OK | W_OK) != 0)
		err = errno;
	else if (sqlite3_open_v2(path, &sqlite->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
				 NULL) != SQLITE_OK)
		err = sqlite->db ? sqlite_errno(sqlite->db) : ENOMEM;
	if (!err)
		err = sqlite_check_file(sqlite);
	if (!err)
		err = sqlite_read_version(sqlite, &version);
	if (!err)
		err = sqlite_check_known(version);
	mem_deref(sqlite);
	return err || version > 0 ? err : ENOENT;
}
