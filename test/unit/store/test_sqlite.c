/* The file survives crashes and neighbours, and the ledger defends itself. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/count.h"
#include "base/mem.h"
#include "rows.h"

static char dir[64];
static char path[80];
static char address[96];

static int make_place(void **state)
{
	(void)state;
	rows_make_dir(dir);
	snprintf(path, sizeof(path), "%s/test.db", dir);
	snprintf(address, sizeof(address), "sqlite:%s", path);
	return 0;
}

static int remove_place(void **state)
{
	(void)state;
	rows_remove_dir(dir);
	return mem_live() == 0 ? 0 : -1;
}

static struct store *opened(void)
{
	struct store *store;

	assert_int_equal(store_open(&store, address), 0);
	return store;
}

/* The same file without our rules. */
static sqlite3 *bare(void)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	return db;
}

static void test_rows_are_there_after_a_reopen(void **state)
{
	struct store *store = opened();
	struct store_key key = rows_key("ka_abcde");
	struct store_key found;
	struct store_turn turn;

	(void)state;
	assert_int_equal(store->ops->key_add(store, &key), 0);
	turn = rows_turn("t1", key.id);
	assert_int_equal(store->ops->turn_add(store, &turn), 0);
	mem_deref(store);
	store = opened();
	assert_int_equal(store->ops->key_find(store, &found, "ka_abcde"), 0);
	key.spent_microcents = turn.amount_microcents;
	rows_assert_key(&found, &key);
	assert_int_equal(rows_count_turns(store), 1);
	assert_int_equal(store->ops->turn_add(store, &turn), 0); /* booked again after a crash */
	assert_int_equal(rows_count_turns(store), 1);
	mem_deref(store);
}

/* In a child: commits one turn, leaves another in an open batch, dies. */
static void book_and_die(void)
{
	struct store *store = opened();
	struct store_turn turn = rows_turn("committed", 0);

	store->ops->begin(store);
	store->ops->turn_add(store, &turn);
	store->ops->commit(store);
	turn = rows_turn("unfinished", 0);
	store->ops->begin(store);
	store->ops->turn_add(store, &turn);
	kill(getpid(), SIGKILL);
}

static bool is_committed(const struct store_turn *turn, void *arg)
{
	(void)arg;
	assert_string_equal(turn->id, "committed");
	return true;
}

static void test_what_was_committed_survives_a_killed_process(void **state)
{
	struct store *store;
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0)
		book_and_die();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	store = opened();
	assert_int_equal(rows_count_turns(store), 1);
	assert_int_equal(store->ops->turn_list(store, is_committed, NULL), 0);
	mem_deref(store);
}

static void test_a_key_made_elsewhere_is_seen_at_once(void **state)
{
	struct store *server = opened();
	struct store *tool = opened();
	struct store_key key = rows_key("ka_abcde");
	struct store_turn turn = rows_turn("t1", 0);

	(void)state;
	assert_int_equal(server->ops->key_find(server, &key, "ka_abcde"), ENOENT);
	assert_int_equal(server->ops->turn_add(server, &turn), 0);
	assert_int_equal(tool->ops->key_add(tool, &key), 0);
	assert_int_equal(server->ops->key_find(server, &key, "ka_abcde"), 0);
	assert_int_equal(key.revoked_ms, 0);
	assert_int_equal(tool->ops->key_revoke(tool, "ka_abcde", 5), 0);
	assert_int_equal(server->ops->key_find(server, &key, "ka_abcde"), 0);
	assert_int_equal(key.revoked_ms, 5);
	assert_int_equal(rows_count_turns(tool), 1);
	mem_deref(server);
	mem_deref(tool);
}

#define PROCESSES 6
#define KEYS_EACH 20

/* In a child: opens the fresh file at the same moment as the others. */
static int add_keys(int process)
{
	struct store *store;

	if (store_open(&store, address) != 0)
		return 1;
	for (int i = 0; i < KEYS_EACH; ++i) {
		struct store_key key;
		char prefix[9];

		snprintf(prefix, sizeof(prefix), "k%02d_%03d", process, i);
		key = rows_key(prefix);
		if (store->ops->key_add(store, &key) != 0)
			return 2;
	}
	mem_deref(store);
	return 0;
}

static bool count_key(const struct store_key *key, void *arg)
{
	(void)key;
	++*(int *)arg;
	return true;
}

static void test_processes_that_start_together_lose_nothing(void **state)
{
	struct store *store;
	int count = 0;

	(void)state;
	for (int i = 0; i < PROCESSES; ++i) {
		pid_t child = fork();

		assert_true(child >= 0);
		if (child == 0)
			_exit(add_keys(i));
	}
	for (int i = 0; i < PROCESSES; ++i) {
		int status;

		assert_true(wait(&status) > 0);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	store = opened();
	assert_int_equal(store->ops->key_list(store, count_key, &count), 0);
	assert_int_equal(count, PROCESSES * KEYS_EACH);
	mem_deref(store);
}

static void test_ledger_rows_cannot_be_changed_by_anyone(void **state)
{
	static const char *const attempts[] = {
		"UPDATE turn SET amount_microcents = 0",
		"UPDATE turn SET id = 'x' WHERE id = 't1'",
		"DELETE FROM turn",
		"DELETE FROM turn WHERE id = 't1'",
	};
	static const char *const quiet[] = {
		"INSERT OR REPLACE INTO turn SELECT seq, id, key_id, at_ms, status, 0, 0, 0, 0, '', 0,"
		" account_id, server FROM turn",
		"INSERT OR REPLACE INTO turn SELECT seq + 5, id, key_id, at_ms, status, 0, 0, 0, 0, '',"
		" 0, account_id, server FROM turn",
		"INSERT OR REPLACE INTO turn SELECT seq, 'other', key_id, at_ms, status, 0, 0, 0, 0, '',"
		" 0, account_id, server FROM turn",
	};
	struct store *store = opened();
	struct store_turn turn = rows_turn("t1", 0);
	sqlite3 *db;

	(void)state;
	assert_int_equal(store->ops->turn_add(store, &turn), 0);
	db = bare();
	for (size_t i = 0; i < COUNT(attempts); ++i) {
		assert_int_equal(sqlite3_exec(db, attempts[i], NULL, NULL, NULL),
				 SQLITE_CONSTRAINT);
		assert_string_equal(sqlite3_errmsg(db), "the ledger is append-only");
	}
	for (size_t i = 0; i < COUNT(quiet); ++i) {
		assert_int_equal(sqlite3_exec(db, quiet[i], NULL, NULL, NULL), SQLITE_OK);
		assert_int_equal(sqlite3_changes(db), 0);
	}
	sqlite3_close(db);
	assert_int_equal(rows_count_turns(store), 1);
	mem_deref(store);
}

static void test_a_file_that_is_no_database_is_refused(void **state)
{
	static const char text[] = "This is a letter, and a long one at that: not a database.";
	struct store *store = NULL;
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	(void)state;
	for (int i = 0; i < 40; ++i)
		assert_int_equal(write(fd, text, sizeof(text)), sizeof(text));
	close(fd);
	assert_int_equal(store_open(&store, address), EBADMSG);
	assert_null(store);
}

static void test_a_file_of_a_newer_program_is_refused(void **state)
{
	struct store *store = opened();
	sqlite3 *db;

	(void)state;
	mem_deref(store);
	db = bare();
	assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = 1000", NULL, NULL, NULL),
			 SQLITE_OK);
	sqlite3_close(db);
	assert_int_equal(store_open(&store, address), ENOTSUP);
}

static void test_a_missing_directory_is_told(void **state)
{
	struct store *store;

	(void)state;
	assert_int_equal(store_open(&store, "sqlite:/nonexistent/dir/test.db"), ENOENT);
	snprintf(address, sizeof(address), "sqlite:%s", dir);
	assert_int_not_equal(store_open(&store, address), 0);
}

static void test_a_file_that_cannot_be_written_is_told(void **state)
{
	struct store *store = opened();
	int err;

	(void)state;
	mem_deref(store);
	assert_int_equal(chmod(path, 0444), 0);
	assert_int_equal(chmod(dir, 0755), 0);
	/* root may write anything: be someone else for a moment */
	if (geteuid() == 0)
		assert_int_equal(seteuid(65534), 0);
	err = store_open(&store, address);
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(err, EROFS);
}

static void test_a_store_held_by_another_is_busy_not_lost(void **state)
{
	struct store *store = opened();
	struct store_turn turn = rows_turn("t1", 0);
	sqlite3 *db = bare();

	(void)state;
	assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(store->ops->begin(store), EBUSY);
	assert_int_equal(rows_count_turns(store), 0); /* reading goes on */
	assert_int_equal(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(store->ops->begin(store), 0);
	assert_int_equal(store->ops->turn_add(store, &turn), 0);
	assert_int_equal(store->ops->commit(store), 0);
	sqlite3_close(db);
	mem_deref(store);
}

static bool no_key(const struct store_key *key, void *arg)
{
	(void)key;
	(void)arg;
	return true;
}

/* A file as the first version of the schema left it. */
static const char first_schema[] =
	"CREATE TABLE key (id INTEGER PRIMARY KEY, prefix TEXT NOT NULL UNIQUE, hash BLOB NOT NULL,"
	" name TEXT NOT NULL, credit_cents INTEGER NOT NULL, streams_max INTEGER NOT NULL,"
	" created_ms INTEGER NOT NULL, revoked_ms INTEGER NOT NULL) STRICT;"
	"CREATE TABLE turn (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
	" key_id INTEGER REFERENCES key (id), at_ms INTEGER NOT NULL, status TEXT NOT NULL,"
	" samples INTEGER NOT NULL, sample_rate INTEGER NOT NULL, characters INTEGER NOT NULL,"
	" voice_id INTEGER NOT NULL, model_id TEXT NOT NULL,"
	" amount_microcents INTEGER NOT NULL) STRICT;"
	"INSERT INTO key VALUES (3, 'ka_older', zeroblob(32), 'old', -1, -1, 5, 0);"
	"INSERT INTO turn VALUES (1, 't1', 3, 1, 'finished', 1, 24000, 1, 1071, 'kugel-3', 9);"
	"PRAGMA user_version = 1;";

static void test_a_file_of_an_older_program_is_brought_up_to_date(void **state)
{
	struct store *store;
	struct store_key key;
	sqlite3 *db = bare();

	(void)state;
	assert_int_equal(sqlite3_exec(db, first_schema, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	store = opened();
	assert_int_equal(store->ops->key_find(store, &key, "ka_older"), 0);
	assert_int_equal(key.id, 3);
	assert_int_equal(key.project_id, STORE_PROJECT_DEFAULT);
	assert_int_equal(key.scopes, STORE_SCOPES_USUAL);
	assert_int_equal(rows_count_turns(store), 1);
	mem_deref(store);
	store = opened(); /* and is up to date the next time */
	assert_int_equal(rows_count_turns(store), 1);
	mem_deref(store);
}

static const struct store_dictionary dictionary = {
	.project_id = STORE_PROJECT_DEFAULT, .name = "d", .is_active = true, .created_ms = 1};

/* In a child: replaces entries until it is killed. */
static void replace_forever(int64_t id, int ready)
{
	static const struct dictionary_entry entries[] = {
		{.word = "a", .replacement = "1"}, {.word = "b", .replacement = "1"},
		{.word = "c", .replacement = "1"}, {.word = "a", .replacement = "2"},
		{.word = "b", .replacement = "2"}, {.word = "d", .replacement = "2"}};
	struct store *store = opened();
	struct store_replaced replaced;

	for (int i = 0;; ++i) {
		store->ops->entry_replace(store, &replaced, id, entries + 3 * (i % 2), 3, i);
		if (i == 1 && write(ready, "", 1) != 1)
			_exit(1);
	}
}

#define ENTRIES_SIZE 32

static bool note_entry(const struct store_entry *entry, void *arg)
{
	char *all = arg;
	size_t len = strlen(all);

	snprintf(all + len, ENTRIES_SIZE - len, "%s%s", entry->said.word, entry->said.replacement);
	return true;
}

static void test_a_replacement_that_is_cut_off_has_not_been(void **state)
{
	static const struct store_page all = {.limit = -1};
	int64_t id;

	(void)state;
	for (int round = 0; round < 10; ++round) {
		char entries[ENTRIES_SIZE] = "";
		struct store *store = opened();
		pid_t child;
		char byte;
		int ends[2];

		if (round == 0)
			assert_int_equal(store->ops->dictionary_add(store, &id, &dictionary), 0);
		mem_deref(store);
		assert_int_equal(pipe(ends), 0);
		child = fork();
		if (child == 0)
			replace_forever(id, ends[1]);
		assert_int_equal(read(ends[0], &byte, 1), 1);
		usleep((useconds_t)(round * 700)); /* anywhere in it */
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		close(ends[0]);
		close(ends[1]);
		store = opened();
		assert_int_equal(store->ops->entry_list(store, id, &all, note_entry, entries), 0);
		mem_deref(store);
		if (strcmp(entries, "a1b1c1") != 0 && strcmp(entries, "a2b2d2") != 0)
			fail_msg("%s", entries);
	}
}

static void test_what_another_process_writes_is_news(void **state)
{
	struct store *server = opened();
	struct store *other = opened();
	int64_t before;
	int64_t after;
	int64_t id;

	(void)state;
	assert_int_equal(server->ops->version(server, &before), 0);
	assert_int_equal(server->ops->version(server, &after), 0);
	assert_int_equal(before, after);
	assert_int_equal(other->ops->dictionary_add(other, &id, &dictionary), 0);
	assert_int_equal(server->ops->version(server, &after), 0);
	assert_int_not_equal(before, after);
	mem_deref(server);
	mem_deref(other);
}

static void test_rows_spoilt_by_hand_are_told(void **state)
{
	struct store *store = opened();
	struct store_key key = rows_key("ka_abcde");
	sqlite3 *db;

	(void)state;
	assert_int_equal(store->ops->key_add(store, &key), 0);
	db = bare();
	assert_int_equal(sqlite3_exec(db, "UPDATE key SET hash = x'00'", NULL, NULL, NULL),
			 SQLITE_OK);
	sqlite3_close(db);
	assert_int_equal(store->ops->key_find(store, &key, "ka_abcde"), EBADMSG);
	assert_int_equal(store->ops->key_list(store, no_key, NULL), EBADMSG);
	mem_deref(store);
}

static void test_the_file_is_in_wal_mode_with_foreign_keys(void **state)
{
	struct store *store = opened();
	struct store_turn orphan = rows_turn("orphan", 12345);
	sqlite3 *db = bare();
	sqlite3_stmt *stmt;

	(void)state;
	assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA journal_mode", -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(stmt, 0), "wal");
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	assert_int_equal(store->ops->turn_add(store, &orphan), EINVAL);
	mem_deref(store);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_rows_are_there_after_a_reopen),
		CASE(test_what_was_committed_survives_a_killed_process),
		CASE(test_a_key_made_elsewhere_is_seen_at_once),
		CASE(test_processes_that_start_together_lose_nothing),
		CASE(test_ledger_rows_cannot_be_changed_by_anyone),
		CASE(test_a_file_that_is_no_database_is_refused),
		CASE(test_a_file_of_a_newer_program_is_refused),
		CASE(test_a_missing_directory_is_told),
		CASE(test_a_file_that_cannot_be_written_is_told),
		CASE(test_a_store_held_by_another_is_busy_not_lost),
		CASE(test_a_file_of_an_older_program_is_brought_up_to_date),
		CASE(test_a_replacement_that_is_cut_off_has_not_been),
		CASE(test_what_another_process_writes_is_news),
		CASE(test_rows_spoilt_by_hand_are_told),
		CASE(test_the_file_is_in_wal_mode_with_foreign_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
