/*
 * registry.c: creates and finds accounts, projects and keys (see registry.h).
 */
#include "account/registry.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How many keys are tried: the random prefix of a new key may already be in use. */
#define KEY_TRIES 4

const char *const registry_limit_names[REGISTRY_LIMITS] = {"turns",
							   "connections",
							   "requests_per_minute",
							   "characters_per_minute",
							   "text_max",
							   "heard_seconds_per_minute"};

int64_t *registry_limit_at(struct store_limits *limits, size_t index)
{
	int64_t *const at[REGISTRY_LIMITS] = {&limits->turns,
					      &limits->connections,
					      &limits->requests_per_minute,
					      &limits->characters_per_minute,
					      &limits->text_max,
					      &limits->heard_seconds_per_minute};

	assert(index < REGISTRY_LIMITS);
	return at[index];
}

bool registry_is_master(const struct store_key *key)
{
	return key->scopes & STORE_SCOPE_ADMIN && key->account_id == STORE_ACCOUNT_DEFAULT;
}

int registry_add_account(struct store *store, struct store_account *account)
{
	struct store_project project = {.name = REGISTRY_FIRST_PROJECT};
	int err = store->ops->account_add(store, account);

	if (err)
		return err;
	project.account_id = account->id;
	project.created_ms = account->created_ms;
	return store->ops->project_add(store, &project);
}

/* Adds the first project of an account that has none, because the process that added the account
 * ended before it could add the project. */
static int registry_add_missing_project(struct store *store, struct store_project *project,
					int64_t account_id)
{
	struct store_account account;
	int err = store->ops->account_get(store, &account, account_id);

	if (err)
		return err;
	*project = (struct store_project){.account_id = account_id,
					  .name = REGISTRY_FIRST_PROJECT,
					  .created_ms = account.created_ms};
	return store->ops->project_add(store, project);
}

struct account_search {
	const char *name;
	struct store_account *found;
	bool is_found;
};

static bool registry_compare_account(const struct store_account *row, void *arg)
{
	struct account_search *search = arg;

	search->is_found = strcmp(row->name, search->name) == 0;
	if (search->is_found)
		*search->found = *row;
	return !search->is_found;
}

bool registry_is_number(const char *name)
{
	return name[0] != '\0' && name[strspn(name, "0123456789")] == '\0';
}

int registry_find_account(struct store *store, struct store_account *account, const char *which)
{
	struct account_search search = {.name = which, .found = account};
	int err;

	if (registry_is_number(which)) {
		int64_t id;

		errno = 0;
		id = strtoll(which, NULL, 10);
		return errno ? ENOENT : store->ops->account_get(store, account, id);
	}
	err = store->ops->account_list(store, registry_compare_account, &search);
	if (err)
		return err;
	return search.is_found ? 0 : ENOENT;
}

struct project_search {
	int64_t id; /* 0: the oldest */
	struct store_project *found;
	bool is_found;
};

static bool registry_compare_project(const struct store_project *row, void *arg)
{
	struct project_search *search = arg;

	search->is_found = search->id == 0 || row->id == search->id;
	if (search->is_found)
		*search->found = *row;
	return !search->is_found;
}

int registry_find_project(struct store *store, struct store_project *project, int64_t account_id,
			  int64_t id)
{
	struct project_search search = {.id = id, .found = project};
	int err = store->ops->project_list(store, account_id, registry_compare_project, &search);

	if (err || search.is_found)
		return err;
	return id == 0 && account_id ? registry_add_missing_project(store, project, account_id)
				     : ENOENT;
}

int registry_add_key(struct store *store, char text[API_KEY_LEN + 1], struct store_key *key)
{
	const struct store_key wanted = *key;
	int err = EEXIST;

	for (int i = 0; i < KEY_TRIES && err == EEXIST; ++i) {
		err = api_key_make(text, key, wanted.name);
		if (err)
			return err;
		key->project_id = wanted.project_id;
		key->scopes = wanted.scopes;
		key->limits = wanted.limits;
		key->credit_cents = wanted.credit_cents;
		key->expires_ms = wanted.expires_ms;
		err = store->ops->key_add(store, key);
	}
	return err;
}

struct top_up_search {
	struct store_top_up *wanted;
	bool is_found;
};

static bool registry_compare_top_up(const struct store_top_up *row, void *arg)
{
	struct top_up_search *search = arg;

	search->is_found = strcmp(row->id, search->wanted->id) == 0 &&
			   row->amount_microcents == search->wanted->amount_microcents;
	if (search->is_found)
		*search->wanted = *row;
	return !search->is_found;
}

/* If the id exists, the store keeps the old row and reports no error.  The row is therefore read,
 * to compare its amount. */
int registry_top_up(struct store *store, struct store_top_up *top_up)
{
	struct top_up_search search = {.wanted = top_up};
	int err = store->ops->top_up_add(store, top_up);

	if (!err)
		err = store->ops->top_up_list(store, top_up->account_id, registry_compare_top_up,
					      &search);
	if (err)
		return err;
	return search.is_found ? 0 : EEXIST;
}
