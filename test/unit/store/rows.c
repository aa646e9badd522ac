/*
 * rows.c: stores under test, and rows to put into them (see rows.h).
 */
#include "rows.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/mem.h"
#include "postgres_server.h"

static int make_memory(struct rows_backend *backend)
{
	snprintf(backend->address, sizeof(backend->address), "memory:");
	return 0;
}

static int make_sqlite(struct rows_backend *backend)
{
	rows_make_dir(backend->dir);
	snprintf(backend->address, sizeof(backend->address), "sqlite:%s/test.db", backend->dir);
	return 0;
}

static void remove_sqlite(struct rows_backend *backend)
{
	rows_remove_dir(backend->dir);
}

static int make_postgres(struct rows_backend *backend)
{
	int err = postgres_server_start();

	if (err)
		return err;
	postgres_server_empty();
	postgres_server_address(backend->address, sizeof(backend->address), "syrinx", "");
	return 0;
}

static void set_now_postgres(struct rows_backend *backend, int64_t now_ms)
{
	(void)backend;
	postgres_server_set_now(now_ms);
}

static const struct rows_backend backends[] = {
	{.name = "memory", .make = make_memory, .is_shared = true},
	{.name = "sqlite", .make = make_sqlite, .remove = remove_sqlite, .is_shared = true},
	{.name = "postgresql",
	 .make = make_postgres,
	 .set_now = set_now_postgres,
	 .is_shared = true},
};

static int open_backend(void **state)
{
	struct rows_backend *backend = *state;
	int err = backend->make(backend);

	if (!err)
		err = store_open(&backend->store, backend->address);
	if (!err && backend->setup)
		err = backend->setup(state);
	return err;
}

static int close_backend(void **state)
{
	struct rows_backend *backend = *state;

	backend->store = mem_deref(backend->store);
	if (backend->remove)
		backend->remove(backend);
	return mem_live() == 0 ? 0 : -1;
}

static bool is_here(const struct rows_backend *backend)
{
	struct rows_backend trial = *backend;
	int err = trial.make(&trial);

	if (!err && trial.remove)
		trial.remove(&trial);
	return err != ENOTSUP;
}

static int run_over(const struct rows_backend *backend, const struct CMUnitTest *tests,
		    size_t count)
{
	struct CMUnitTest *own = calloc(count, sizeof(*own));
	struct rows_backend *states = calloc(count, sizeof(*states));
	int failed;

	assert_true(own && states);
	for (size_t i = 0; i < count; ++i) {
		states[i] = *backend;
		states[i].setup = tests[i].setup_func;
		own[i] = (struct CMUnitTest){tests[i].name, tests[i].test_func, open_backend,
					     close_backend, &states[i]};
	}
	failed = _cmocka_run_group_tests(backend->name, own, count, NULL, NULL);
	free(own);
	free(states);
	return failed;
}

int rows_run(const struct CMUnitTest *tests, size_t count)
{
	int failed = 0;

	for (size_t i = 0; i < COUNT(backends); ++i) {
		if (is_here(&backends[i]))
			failed += run_over(&backends[i], tests, count);
	}
	return failed;
}

struct store *rows_store(void **state)
{
	return ((struct rows_backend *)*state)->store;
}

void rows_set_now(void **state, int64_t now_ms)
{
	struct rows_backend *backend = *state;

	if (backend->set_now)
		backend->set_now(backend, now_ms);
}

struct store *rows_open_again(void **state)
{
	struct rows_backend *backend = *state;
	struct store *store = NULL;

	if (backend->is_shared)
		assert_int_equal(store_open(&store, backend->address), 0);
	return store;
}

struct store_key rows_key(const char *prefix)
{
	struct store_key key = {
		.project_id = STORE_PROJECT_DEFAULT,
		.scopes = STORE_SCOPE_SPEAK | STORE_SCOPE_ADMIN,
		.name = "Stra\xc3\x9f"
			"e \"7\"",
		.credit_cents = 12345678901,
		.limits = {3, 5, 70, 11000, 1300, 90},
		.created_ms = 1790000000123,
		.expires_ms = 1890000000321,
	};

	snprintf(key.prefix, sizeof(key.prefix), "%s", prefix);
	for (size_t i = 0; i < sizeof(key.hash); ++i)
		key.hash[i] = (uint8_t)(i * 7); /* a zero byte among them */
	return key;
}

struct store_turn rows_turn(const char *id, int64_t key_id)
{
	struct store_turn turn = {
		.key_id = key_id,
		.account_id = key_id ? STORE_ACCOUNT_DEFAULT : 0,
		.server = ROWS_SERVER,
		.at_ms = 1790000000456,
		.status = STORE_TURN_CANCELLED,
		.samples = 129600,
		.sample_rate = 24000,
		.characters = 142,
		.voice_id = 1071,
		.model_id = "kugel-1-turbo",
		.amount_microcents = 486000,
	};

	snprintf(turn.id, sizeof(turn.id), "%s", id);
	return turn;
}

struct store_account rows_account(const char *name)
{
	struct store_account account = {
		.plan = "gold",
		.is_prepaid = true,
		.limits = {STORE_LIMIT_NONE, STORE_LIMIT_PLAN, 0, 600000000001, 17, 7200},
		.created_ms = 1790000000321,
		.closed_ms = 1790000000322,
	};

	snprintf(account.name, sizeof(account.name), "%s", name);
	return account;
}

void rows_assert_key(const struct store_key *key, const struct store_key *expected)
{
	assert_int_equal(key->id, expected->id);
	assert_int_equal(key->project_id, expected->project_id);
	assert_int_equal(key->scopes, expected->scopes);
	assert_string_equal(key->prefix, expected->prefix);
	assert_memory_equal(key->hash, expected->hash, sizeof(key->hash));
	assert_string_equal(key->name, expected->name);
	assert_int_equal(key->credit_cents, expected->credit_cents);
	assert_memory_equal(&key->limits, &expected->limits, sizeof(key->limits));
	assert_int_equal(key->account_id, expected->account_id);
	assert_int_equal(key->expires_ms, expected->expires_ms);
	assert_int_equal(key->used_ms, expected->used_ms);
	assert_int_equal(key->spent_microcents, expected->spent_microcents);
	assert_int_equal(key->created_ms, expected->created_ms);
	assert_int_equal(key->revoked_ms, expected->revoked_ms);
}

void rows_assert_turn(const struct store_turn *turn, const struct store_turn *expected)
{
	assert_string_equal(turn->id, expected->id);
	assert_int_equal(turn->key_id, expected->key_id);
	assert_int_equal(turn->account_id, expected->account_id);
	assert_string_equal(turn->server, expected->server);
	assert_int_equal(turn->at_ms, expected->at_ms);
	assert_int_equal(turn->status, expected->status);
	assert_int_equal(turn->kind, expected->kind);
	assert_int_equal(turn->quantity, store_turn_quantity(expected));
	assert_int_equal(turn->unit, expected->unit);
	assert_int_equal(turn->is_estimated, expected->is_estimated);
	assert_int_equal(turn->samples, expected->samples);
	assert_int_equal(turn->sample_rate, expected->sample_rate);
	assert_int_equal(turn->characters, expected->characters);
	assert_int_equal(turn->voice_id, expected->voice_id);
	assert_string_equal(turn->model_id, expected->model_id);
	assert_int_equal(turn->amount_microcents, expected->amount_microcents);
}

void rows_assert_account(const struct store_account *account, const struct store_account *expected)
{
	assert_int_equal(account->id, expected->id);
	assert_string_equal(account->name, expected->name);
	assert_string_equal(account->plan, expected->plan);
	assert_int_equal(account->is_prepaid, expected->is_prepaid);
	assert_memory_equal(&account->limits, &expected->limits, sizeof(account->limits));
	assert_int_equal(account->created_ms, expected->created_ms);
	assert_int_equal(account->closed_ms, expected->closed_ms);
	assert_int_equal(account->credit_microcents, expected->credit_microcents);
	assert_int_equal(account->spent_microcents, expected->spent_microcents);
}

int64_t rows_add_account(struct store *store, const char *name, bool is_prepaid)
{
	struct store_account account = rows_account(name);

	account.is_prepaid = is_prepaid;
	assert_int_equal(store->ops->account_add(store, &account), 0);
	return account.id;
}

static bool take_last_project(const struct store_project *project, void *arg)
{
	*(int64_t *)arg = project->id;
	return true;
}

/* The account's last project, or one that is made. */
static int64_t project_of(struct store *store, int64_t account_id)
{
	struct store_project project = {.account_id = account_id, .name = "p", .created_ms = 1};
	int64_t id = 0;

	assert_int_equal(store->ops->project_list(store, account_id, take_last_project, &id), 0);
	if (id)
		return id;
	assert_int_equal(store->ops->project_add(store, &project), 0);
	return project.id;
}

struct store_key rows_add_key(struct store *store, const char *prefix, int64_t account_id)
{
	struct store_key key = rows_key(prefix);

	key.project_id = project_of(store, account_id);
	assert_int_equal(store->ops->key_add(store, &key), 0);
	return key;
}

int rows_book(struct store *store, const struct store_turn *turn)
{
	int err = -1;

	assert_int_equal(store->ops->turns_add(store, turn, 1, &err), 0);
	return err;
}

void rows_top_up(struct store *store, const char *id, int64_t account_id, int64_t microcents)
{
	struct store_top_up top_up = {.account_id = account_id,
				      .at_ms = 1790000000789,
				      .amount_microcents = microcents,
				      .note = "paid"};

	snprintf(top_up.id, sizeof(top_up.id), "%s", id);
	assert_int_equal(store->ops->top_up_add(store, &top_up), 0);
}

struct store_account rows_get_account(struct store *store, int64_t id)
{
	struct store_account account;

	assert_int_equal(store->ops->account_get(store, &account, id), 0);
	return account;
}

struct store_key rows_find_key(struct store *store, const char *prefix)
{
	struct store_key key;

	assert_int_equal(store->ops->key_find(store, &key, prefix), 0);
	return key;
}

static bool count_turn(const struct store_turn *turn, void *arg)
{
	(void)turn;
	++*(size_t *)arg;
	return true;
}

size_t rows_count_turns(struct store *store)
{
	size_t count = 0;

	assert_int_equal(store->ops->turn_list(store, count_turn, &count), 0);
	return count;
}

void rows_make_dir(char path[64])
{
	snprintf(path, 64, "/tmp/syrinx-store-XXXXXX");
	assert_non_null(mkdtemp(path));
}

void rows_remove_dir(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			assert_int_equal(unlinkat(dirfd(dir), entry->d_name, 0), 0);
	}
	closedir(dir);
	assert_int_equal(rmdir(path), 0);
}
