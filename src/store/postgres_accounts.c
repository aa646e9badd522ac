/*
 * postgres_accounts.c: accounts, projects and top-ups in the PostgreSQL store.
 */
#include <errno.h>

#include "store/postgres_private.h"

void postgres_put_limits(struct postgres_values *values, const struct store_limits *limits)
{
	postgres_put_number(values, limits->turns);
	postgres_put_number(values, limits->connections);
	postgres_put_number(values, limits->requests_per_minute);
	postgres_put_number(values, limits->characters_per_minute);
	postgres_put_number(values, limits->text_max);
	postgres_put_number(values, limits->heard_seconds_per_minute);
}

void postgres_limits_at(struct store_limits *limits, const struct postgres_row *row, int column)
{
	limits->turns = postgres_number_at(row, column);
	limits->connections = postgres_number_at(row, column + 1);
	limits->requests_per_minute = postgres_number_at(row, column + 2);
	limits->characters_per_minute = postgres_number_at(row, column + 3);
	limits->text_max = postgres_number_at(row, column + 4);
	limits->heard_seconds_per_minute = postgres_number_at(row, column + 5);
}

int postgres_account_add(struct store *store, struct store_account *account)
{
	struct postgres_values values = {.count = 0};
	struct postgres_answer answer;
	int err;

	postgres_put_text(&values, account->name);
	postgres_put_text(&values, account->plan);
	postgres_put_number(&values, account->is_prepaid);
	postgres_put_limits(&values, &account->limits);
	postgres_put_number(&values, account->created_ms);
	postgres_put_number(&values, account->closed_ms);
	err = postgres_run(postgres_of(store), POSTGRES_ACCOUNT_ADD, &values,
			   "cannot add an account", &answer);
	if (!err)
		account->id = answer.number;
	return err;
}

static int postgres_accounts_read_account(const struct postgres_row *row, void *arg)
{
	struct store_account *account = arg;

	*account = (struct store_account){.id = postgres_number_at(row, 0)};
	if (!postgres_copy_text(account->name, sizeof(account->name), row, 1) ||
	    !postgres_copy_text(account->plan, sizeof(account->plan), row, 2))
		return postgres_damaged("account");
	account->is_prepaid = postgres_is_true_at(row, 3);
	postgres_limits_at(&account->limits, row, 4);
	account->created_ms = postgres_number_at(row, 10);
	account->closed_ms = postgres_number_at(row, 11);
	account->credit_microcents = postgres_number_at(row, 12);
	account->spent_microcents = postgres_number_at(row, 13);
	return 0;
}

int postgres_account_get(struct store *store, struct store_account *account, int64_t id)
{
	struct postgres_values values = {.count = 0};

	postgres_put_number(&values, id);
	return postgres_rows(postgres_of(store), POSTGRES_ACCOUNT_GET, &values,
			     "cannot look up an account", postgres_accounts_read_account, account);
}

struct postgres_account_viewer {
	store_account_h *each;
	void *arg;
};

static int postgres_accounts_show_account(const struct postgres_row *row, void *arg)
{
	const struct postgres_account_viewer *viewer = arg;
	struct store_account account;
	int err = postgres_accounts_read_account(row, &account);

	if (err)
		return err;
	return viewer->each(&account, viewer->arg) ? 0 : ECANCELED;
}

int postgres_account_list(struct store *store, store_account_h *each, void *arg)
{
	struct postgres_account_viewer viewer = {each, arg};
	int err =
		postgres_rows(postgres_of(store), POSTGRES_ACCOUNT_LIST, NULL,
			      "cannot list the accounts", postgres_accounts_show_account, &viewer);

	return err == ENOENT ? 0 : err;
}

int postgres_account_change(struct store *store, int64_t id, unsigned fields,
			    const struct store_account *to)
{
	struct postgres_values values = {.count = 0};
	struct postgres_answer answer;

	postgres_put_number(&values, id);
	postgres_put_number(&values, fields);
	postgres_put_text(&values, to->name);
	postgres_put_text(&values, to->plan);
	postgres_put_number(&values, to->is_prepaid);
	postgres_put_limits(&values, &to->limits);
	postgres_put_number(&values, to->closed_ms);
	return postgres_change(postgres_of(store), POSTGRES_ACCOUNT_CHANGE, &values,
			       "cannot change an account", &answer);
}

int postgres_lock_account(int64_t *account_id, struct postgres *postgres,
			  enum postgres_statement lock, int64_t id)
{
	struct postgres_values values = {.count = 0};
	int err;

	postgres_put_number(&values, id);
	err = postgres_number(postgres, lock, &values, "cannot look up an account", account_id);
	return err == ENOENT ? EINVAL : err;
}

static int postgres_accounts_check_project_room(struct postgres *postgres, int64_t account_id)
{
	struct postgres_values values = {.count = 0};
	int64_t count;
	int err = postgres_lock_account(&account_id, postgres, POSTGRES_LOCK_ACCOUNT, account_id);

	if (err || postgres->store.is_unlimited)
		return err;
	postgres_put_number(&values, account_id);
	err = postgres_number(postgres, POSTGRES_PROJECT_COUNT, &values, "cannot count projects",
			      &count);
	if (err)
		return err;
	return count < STORE_PROJECTS_MAX ? 0 : EDQUOT;
}

static int postgres_accounts_add_project(struct postgres *postgres, void *arg)
{
	struct store_project *project = arg;
	struct postgres_values values = {.count = 0};
	int err = postgres_accounts_check_project_room(postgres, project->account_id);

	if (err)
		return err;
	postgres_put_number(&values, project->account_id);
	postgres_put_text(&values, project->name);
	postgres_put_number(&values, project->created_ms);
	return postgres_number(postgres, POSTGRES_PROJECT_ADD, &values, "cannot add a project",
			       &project->id);
}

int postgres_project_add(struct store *store, struct store_project *project)
{
	return postgres_transaction(postgres_of(store), postgres_accounts_add_project, project);
}

struct postgres_project_viewer {
	store_project_h *each;
	void *arg;
};

static int postgres_accounts_show_project(const struct postgres_row *row, void *arg)
{
	const struct postgres_project_viewer *viewer = arg;
	struct store_project project = {
		.id = postgres_number_at(row, 0),
		.account_id = postgres_number_at(row, 1),
		.created_ms = postgres_number_at(row, 3),
	};

	if (!postgres_copy_text(project.name, sizeof(project.name), row, 2))
		return postgres_damaged("project");
	return viewer->each(&project, viewer->arg) ? 0 : ECANCELED;
}

int postgres_project_list(struct store *store, int64_t account_id, store_project_h *each, void *arg)
{
	struct postgres_values values = {.count = 0};
	struct postgres_project_viewer viewer = {each, arg};
	int err;

	postgres_put_number(&values, account_id);
	err = postgres_rows(postgres_of(store), POSTGRES_PROJECT_LIST, &values,
			    "cannot list the projects", postgres_accounts_show_project, &viewer);
	return err == ENOENT ? 0 : err;
}

int postgres_top_up_add(struct store *store, const struct store_top_up *top_up)
{
	struct postgres_values values = {.count = 0};
	struct postgres_answer answer;

	postgres_put_text(&values, top_up->id);
	postgres_put_number(&values, top_up->account_id);
	postgres_put_number(&values, top_up->at_ms);
	postgres_put_number(&values, top_up->amount_microcents);
	postgres_put_text(&values, top_up->note);
	return postgres_run(postgres_of(store), POSTGRES_TOP_UP_ADD, &values, "cannot add a top-up",
			    &answer);
}

struct postgres_top_up_viewer {
	store_top_up_h *each;
	void *arg;
};

static int postgres_accounts_show_top_up(const struct postgres_row *row, void *arg)
{
	const struct postgres_top_up_viewer *viewer = arg;
	struct store_top_up top_up = {
		.account_id = postgres_number_at(row, 1),
		.at_ms = postgres_number_at(row, 2),
		.amount_microcents = postgres_number_at(row, 3),
	};

	if (!postgres_copy_text(top_up.id, sizeof(top_up.id), row, 0) ||
	    !postgres_copy_text(top_up.note, sizeof(top_up.note), row, 4))
		return postgres_damaged("top_up");
	return viewer->each(&top_up, viewer->arg) ? 0 : ECANCELED;
}

int postgres_top_up_list(struct store *store, int64_t account_id, store_top_up_h *each, void *arg)
{
	struct postgres_values values = {.count = 0};
	struct postgres_top_up_viewer viewer = {each, arg};
	int err;

	postgres_put_number(&values, account_id);
	err = postgres_rows(postgres_of(store), POSTGRES_TOP_UP_LIST, &values,
			    "cannot list the top-ups", postgres_accounts_show_top_up, &viewer);
	return err == ENOENT ? 0 : err;
}
