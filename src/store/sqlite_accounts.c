/*
 * sqlite_accounts.c: accounts, projects and top-ups in the SQLite store.
 */
#include <errno.h>

#include "store/sqlite_private.h"

/* Both statements have the same parameters: 1 and 2 are the id and the fields. */
static void sqlite_accounts_bind_account(sqlite3_stmt *stmt, const struct store_account *account)
{
	sqlite_bind_text(stmt, 3, account->name);
	sqlite_bind_text(stmt, 4, account->plan);
	sqlite_bind_limits(stmt, 5, &account->limits);
	sqlite3_bind_int64(stmt, 11, account->closed_ms);
	sqlite3_bind_int(stmt, 12, account->is_prepaid);
}

int sqlite_account_add(struct store *store, struct store_account *account)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_ACCOUNT_ADD];
	int constraint;
	int err;

	sqlite_accounts_bind_account(stmt, account);
	sqlite3_bind_int64(stmt, 13, account->created_ms);
	err = sqlite_run(sqlite, STATEMENT_ACCOUNT_ADD, "cannot add an account", &constraint);
	if (constraint)
		return EEXIST;
	if (!err)
		account->id = sqlite3_last_insert_rowid(sqlite->db);
	return err;
}

static int sqlite_accounts_read_account(struct store_account *account, sqlite3_stmt *stmt)
{
	*account = (struct store_account){.id = sqlite3_column_int64(stmt, 0)};
	if (!sqlite_column_text(account->name, sizeof(account->name), stmt, 1) ||
	    !sqlite_column_text(account->plan, sizeof(account->plan), stmt, 2))
		return sqlite_damaged("account");
	account->is_prepaid = sqlite3_column_int(stmt, 3) != 0;
	account->created_ms = sqlite3_column_int64(stmt, 4);
	account->limits = sqlite_column_limits(stmt, 5);
	account->closed_ms = sqlite3_column_int64(stmt, 11);
	account->credit_microcents = sqlite3_column_int64(stmt, 12);
	account->spent_microcents = sqlite3_column_int64(stmt, 13);
	return 0;
}

static int sqlite_accounts_show_one_account(sqlite3_stmt *stmt, void *arg)
{
	return sqlite_accounts_read_account(arg, stmt);
}

int sqlite_account_get(struct store *store, struct store_account *account, int64_t id)
{
	struct sqlite *sqlite = sqlite_of(store);

	sqlite3_bind_int64(sqlite->statements[STATEMENT_ACCOUNT_GET], 1, id);
	return sqlite_rows(sqlite, STATEMENT_ACCOUNT_GET, "cannot look up an account",
			   sqlite_accounts_show_one_account, account);
}

struct sqlite_account_viewer {
	store_account_h *each;
	void *arg;
};

static int sqlite_accounts_show_account(sqlite3_stmt *stmt, void *arg)
{
	const struct sqlite_account_viewer *viewer = arg;
	struct store_account account;
	int err = sqlite_accounts_read_account(&account, stmt);

	if (err)
		return err;
	return viewer->each(&account, viewer->arg) ? 0 : ECANCELED;
}

int sqlite_account_list(struct store *store, store_account_h *each, void *arg)
{
	struct sqlite_account_viewer viewer = {each, arg};
	int err = sqlite_rows(sqlite_of(store), STATEMENT_ACCOUNT_LIST, "cannot list the accounts",
			      sqlite_accounts_show_account, &viewer);

	return err == ENOENT ? 0 : err;
}

int sqlite_account_change(struct store *store, int64_t id, unsigned fields,
			  const struct store_account *to)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_ACCOUNT_CHANGE];

	sqlite3_bind_int64(stmt, 1, id);
	sqlite3_bind_int64(stmt, 2, fields);
	sqlite_accounts_bind_account(stmt, to);
	return sqlite_change(sqlite, STATEMENT_ACCOUNT_CHANGE, "cannot change an account");
}

static int sqlite_accounts_check_project_room(struct sqlite *sqlite, int64_t account_id)
{
	int64_t count = 0;
	int err;

	if (sqlite->store.is_unlimited)
		return 0;
	sqlite3_bind_int64(sqlite->statements[STATEMENT_PROJECT_COUNT], 1, account_id);
	err = sqlite_number(sqlite, STATEMENT_PROJECT_COUNT, "cannot count projects", &count);
	if (err)
		return err;
	return count < STORE_PROJECTS_MAX ? 0 : EDQUOT;
}

static int sqlite_accounts_insert_project(struct sqlite *sqlite, struct store_project *project)
{
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_PROJECT_ADD];
	int constraint;
	int err;

	sqlite3_bind_int64(stmt, 1, project->account_id);
	sqlite_bind_text(stmt, 2, project->name);
	sqlite3_bind_int64(stmt, 3, project->created_ms);
	err = sqlite_run(sqlite, STATEMENT_PROJECT_ADD, "cannot add a project", &constraint);
	if (constraint)
		return constraint == SQLITE_CONSTRAINT_FOREIGNKEY ? EINVAL : EEXIST;
	if (!err)
		project->id = sqlite3_last_insert_rowid(sqlite->db);
	return err;
}

int sqlite_project_add(struct store *store, struct store_project *project)
{
	struct sqlite *sqlite = sqlite_of(store);
	int err = sqlite_begin(store);

	if (err)
		return err;
	err = sqlite_accounts_check_project_room(sqlite, project->account_id);
	if (!err)
		err = sqlite_accounts_insert_project(sqlite, project);
	return sqlite_end(store, err);
}

struct sqlite_project_viewer {
	store_project_h *each;
	void *arg;
};

static int sqlite_accounts_show_project(sqlite3_stmt *stmt, void *arg)
{
	const struct sqlite_project_viewer *viewer = arg;
	struct store_project project = {
		.id = sqlite3_column_int64(stmt, 0),
		.account_id = sqlite3_column_int64(stmt, 1),
		.created_ms = sqlite3_column_int64(stmt, 3),
	};

	if (!sqlite_column_text(project.name, sizeof(project.name), stmt, 2))
		return sqlite_damaged("project");
	return viewer->each(&project, viewer->arg) ? 0 : ECANCELED;
}

int sqlite_project_list(struct store *store, int64_t account_id, store_project_h *each, void *arg)
{
	struct sqlite *sqlite = sqlite_of(store);
	struct sqlite_project_viewer viewer = {each, arg};
	int err;

	sqlite3_bind_int64(sqlite->statements[STATEMENT_PROJECT_LIST], 1, account_id);
	err = sqlite_rows(sqlite, STATEMENT_PROJECT_LIST, "cannot list the projects",
			  sqlite_accounts_show_project, &viewer);
	return err == ENOENT ? 0 : err;
}

/* The statement ignores a top-up whose id exists already; then *is_new is false. */
static int sqlite_accounts_insert_top_up(struct sqlite *sqlite, const struct store_top_up *top_up,
					 bool *is_new)
{
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_TOP_UP_ADD];
	int constraint;
	int err;

	sqlite_bind_text(stmt, 1, top_up->id);
	sqlite3_bind_int64(stmt, 2, top_up->account_id);
	sqlite3_bind_int64(stmt, 3, top_up->at_ms);
	sqlite3_bind_int64(stmt, 4, top_up->amount_microcents);
	sqlite_bind_text(stmt, 5, top_up->note);
	err = sqlite_run(sqlite, STATEMENT_TOP_UP_ADD, "cannot add a top-up", &constraint);
	*is_new = !err && sqlite3_changes(sqlite->db) > 0;
	return err;
}

static int sqlite_accounts_add_credit(struct sqlite *sqlite, int64_t account_id, int64_t microcents)
{
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_ACCOUNT_CREDIT];
	struct store_account account;
	int64_t credit;
	int err = sqlite_account_get(&sqlite->store, &account, account_id);

	if (err)
		return err;
	if (__builtin_add_overflow(account.credit_microcents, microcents, &credit))
		return EOVERFLOW;
	sqlite3_bind_int64(stmt, 1, account_id);
	sqlite3_bind_int64(stmt, 2, credit);
	return sqlite_change(sqlite, STATEMENT_ACCOUNT_CREDIT, "cannot add credit");
}

int sqlite_top_up_add(struct store *store, const struct store_top_up *top_up)
{
	struct sqlite *sqlite = sqlite_of(store);
	bool is_new;
	int err = sqlite_begin(store);

	if (err)
		return err;
	err = sqlite_accounts_insert_top_up(sqlite, top_up, &is_new);
	if (!err && is_new)
		err = sqlite_accounts_add_credit(sqlite, top_up->account_id,
						 top_up->amount_microcents);
	return sqlite_end(store, err);
}

struct sqlite_top_up_viewer {
	store_top_up_h *each;
	void *arg;
};

static int sqlite_accounts_show_top_up(sqlite3_stmt *stmt, void *arg)
{
	const struct sqlite_top_up_viewer *viewer = arg;
	struct store_top_up top_up = {
		.account_id = sqlite3_column_int64(stmt, 1),
		.at_ms = sqlite3_column_int64(stmt, 2),
		.amount_microcents = sqlite3_column_int64(stmt, 3),
	};

	if (!sqlite_column_text(top_up.id, sizeof(top_up.id), stmt, 0) ||
	    !sqlite_column_text(top_up.note, sizeof(top_up.note), stmt, 4))
		return sqlite_damaged("top_up");
	return viewer->each(&top_up, viewer->arg) ? 0 : ECANCELED;
}

int sqlite_top_up_list(struct store *store, int64_t account_id, store_top_up_h *each, void *arg)
{
	struct sqlite *sqlite = sqlite_of(store);
	struct sqlite_top_up_viewer viewer = {each, arg};
	int err;

	sqlite3_bind_int64(sqlite->statements[STATEMENT_TOP_UP_LIST], 1, account_id);
	err = sqlite_rows(sqlite, STATEMENT_TOP_UP_LIST, "cannot list the top-ups",
			  sqlite_accounts_show_top_up, &viewer);
	return err == ENOENT ? 0 : err;
}
