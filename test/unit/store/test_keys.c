/* What every store guarantees of keys and single-use tokens, and of its address. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "rows.h"

#define NOW 1790000000000
#define LATER 1790000060000

static void test_a_key_is_found_as_it_was_added(void **state)
{
	struct store *store = rows_store(state);
	struct store_key key = rows_key("ka_abcde");
	struct store_key other = rows_key("ka_abcdf");
	struct store_key found;

	assert_int_equal(store->ops->key_add(store, &key), 0);
	assert_int_equal(store->ops->key_add(store, &other), 0);
	assert_true(key.id > 0 && other.id > key.id);
	assert_int_equal(key.account_id, STORE_ACCOUNT_DEFAULT);
	found = rows_find_key(store, "ka_abcde");
	rows_assert_key(&found, &key);
	found = rows_find_key(store, "ka_abcdf");
	rows_assert_key(&found, &other);
}

static void test_a_key_has_the_account_of_its_project(void **state)
{
	struct store *store = rows_store(state);
	int64_t account = rows_add_account(store, "other", false);
	struct store_key key = rows_add_key(store, "ka_abcde", account);

	assert_int_equal(key.account_id, account);
	assert_int_equal(rows_find_key(store, "ka_abcde").account_id, account);
}

static void test_a_new_key_has_spent_nothing_whatever_it_says(void **state)
{
	struct store *store = rows_store(state);
	struct store_key key = rows_key("ka_abcde");

	key.spent_microcents = 5;
	key.used_ms = 6;
	assert_int_equal(store->ops->key_add(store, &key), 0);
	key = rows_find_key(store, "ka_abcde");
	assert_int_equal(key.spent_microcents, 0);
	assert_int_equal(key.used_ms, 0);
}

static void test_unknown_prefixes_are_not_found(void **state)
{
	struct store *store = rows_store(state);
	struct store_key key = rows_key("ka_abcde");

	assert_int_equal(store->ops->key_add(store, &key), 0);
	assert_int_equal(store->ops->key_find(store, &key, "ka_ABCDE"), ENOENT);
	assert_int_equal(store->ops->key_find(store, &key, ""), ENOENT);
	assert_int_equal(store->ops->key_find(store, &key, "' OR 1=1"), ENOENT);
	assert_int_equal(store->ops->key_revoke(store, "ka_00000", 1), ENOENT);
	assert_int_equal(store->ops->key_change(store, "ka_00000", STORE_KEY_NAME, &key), ENOENT);
	assert_int_equal(store->ops->key_used(store, 99, NOW), ENOENT);
}

static void test_a_prefix_names_one_key(void **state)
{
	struct store *store = rows_store(state);
	struct store_key key = rows_key("ka_abcde");
	struct store_key same = rows_key("ka_abcde");

	assert_int_equal(store->ops->key_add(store, &key), 0);
	assert_int_equal(store->ops->key_add(store, &same), EEXIST);
	same = rows_key("ka_other");
	assert_int_equal(store->ops->key_add(store, &same), 0);
}

static void test_a_key_of_no_project_is_refused(void **state)
{
	struct store *store = rows_store(state);
	struct store_key key = rows_key("ka_abcde");

	key.project_id = 99;
	assert_int_equal(store->ops->key_add(store, &key), EINVAL);
	assert_int_equal(store->ops->key_find(store, &key, "ka_abcde"), ENOENT);
}

static void test_a_revoked_key_keeps_its_first_time(void **state)
{
	struct store *store = rows_store(state);
	struct store_key key = rows_key("ka_abcde");

	assert_int_equal(store->ops->key_add(store, &key), 0);
	assert_int_equal(store->ops->key_revoke(store, "ka_abcde", NOW), 0);
	assert_int_equal(store->ops->key_revoke(store, "ka_abcde", LATER), 0);
	assert_int_equal(rows_find_key(store, "ka_abcde").revoked_ms, NOW);
}

static void test_only_the_named_fields_of_a_key_change(void **state)
{
	struct store *store = rows_store(state);
	struct store_key key = rows_add_key(store, "ka_abcde", STORE_ACCOUNT_DEFAULT);
	struct store_key other = rows_add_key(store, "ka_other", STORE_ACCOUNT_DEFAULT);
	const struct store_key to = {.name = "renamed",
				     .scopes = STORE_SCOPES_USUAL,
				     .limits = {1, 2, 3, 4, STORE_LIMIT_PLAN, 6},
				     .credit_cents = -1,
				     .expires_ms = 0,
				     .project_id = 77};
	struct store_key found;

	for (unsigned field = STORE_KEY_NAME; field <= STORE_KEY_EXPIRES; field <<= 1) {
		assert_int_equal(store->ops->key_change(store, "ka_abcde", field, &to), 0);
		if (field == STORE_KEY_NAME)
			memcpy(key.name, to.name, sizeof(key.name));
		if (field == STORE_KEY_SCOPES)
			key.scopes = to.scopes;
		if (field == STORE_KEY_LIMITS)
			key.limits = to.limits;
		if (field == STORE_KEY_CREDIT)
			key.credit_cents = to.credit_cents;
		if (field == STORE_KEY_EXPIRES)
			key.expires_ms = to.expires_ms;
		found = rows_find_key(store, "ka_abcde");
		rows_assert_key(&found, &key);
	}
	found = rows_find_key(store, "ka_other");
	rows_assert_key(&found, &other);
}

static void test_the_last_use_of_a_key_never_goes_back(void **state)
{
	struct store *store = rows_store(state);
	struct store_key key = rows_add_key(store, "ka_abcde", STORE_ACCOUNT_DEFAULT);

	assert_int_equal(store->ops->key_used(store, key.id, LATER), 0);
	assert_int_equal(rows_find_key(store, "ka_abcde").used_ms, LATER);
	assert_int_equal(store->ops->key_used(store, key.id, NOW), 0);
	assert_int_equal(rows_find_key(store, "ka_abcde").used_ms, LATER);
}

struct seen {
	size_t count;
	size_t enough;
	char names[8][STORE_KEY_PREFIX_LEN + 1];
};

static bool see_key(const struct store_key *key, void *arg)
{
	struct seen *seen = arg;

	memcpy(seen->names[seen->count++], key->prefix, sizeof(key->prefix));
	return seen->count < seen->enough;
}

static void test_keys_are_listed_in_order_until_it_is_enough(void **state)
{
	static const char *const names[] = {"ka_zzzzz", "ka_mmmmm", "ka_aaaaa"};
	struct store *store = rows_store(state);
	struct seen seen = {.enough = 8};

	for (size_t i = 0; i < COUNT(names); ++i)
		rows_add_key(store, names[i], STORE_ACCOUNT_DEFAULT);
	assert_int_equal(store->ops->key_list(store, see_key, &seen), 0);
	assert_int_equal(seen.count, 3);
	for (size_t i = 0; i < COUNT(names); ++i)
		assert_string_equal(seen.names[i], names[i]);
	seen = (struct seen){.enough = 2};
	assert_int_equal(store->ops->key_list(store, see_key, &seen), 0);
	assert_int_equal(seen.count, 2);
}

static struct store_token token_of(const struct store_key *key, unsigned number)
{
	struct store_token token = {
		.key_id = key->id, .path = "/ws/tts/stream", .expires_ms = LATER};

	memcpy(token.hash, &number, sizeof(number));
	return token;
}

static void test_a_token_is_good_once(void **state)
{
	struct store *store = rows_store(state);
	struct store_key key = rows_add_key(store, "ka_abcde", STORE_ACCOUNT_DEFAULT);
	struct store_token token = token_of(&key, 1);
	struct store_key found;

	assert_int_equal(store->ops->token_add(store, &token, NOW), 0);
	assert_int_equal(store->ops->token_take(store, &found, token.hash, token.path, NOW), 0);
	rows_assert_key(&found, &key);
	assert_int_equal(store->ops->token_take(store, &found, token.hash, token.path, NOW),
			 ENOENT);
}

static void test_a_token_is_good_for_its_path_and_time_alone(void **state)
{
	struct store *store = rows_store(state);
	struct store_key key = rows_add_key(store, "ka_abcde", STORE_ACCOUNT_DEFAULT);
	struct store_token token = token_of(&key, 1);
	struct store_token other = token_of(&key, 2);
	struct store_key found;

	assert_int_equal(store->ops->token_add(store, &token, NOW), 0);
	assert_int_equal(store->ops->token_take(store, &found, other.hash, token.path, NOW),
			 ENOENT);
	assert_int_equal(store->ops->token_take(store, &found, token.hash, "/ws/tts", NOW), ENOENT);
	assert_int_equal(store->ops->token_take(store, &found, token.hash, token.path, LATER),
			 ENOENT);
	/* None of these has used it up. */
	assert_int_equal(store->ops->token_take(store, &found, token.hash, token.path, LATER - 1),
			 0);
}

static void test_tokens_of_no_key_and_second_ones_are_refused(void **state)
{
	struct store *store = rows_store(state);
	struct store_key key = rows_add_key(store, "ka_abcde", STORE_ACCOUNT_DEFAULT);
	struct store_token token = token_of(&key, 1);

	assert_int_equal(store->ops->token_add(store, &token, NOW), 0);
	assert_int_equal(store->ops->token_add(store, &token, NOW), EEXIST);
	token = token_of(&key, 2);
	token.key_id = 99;
	assert_int_equal(store->ops->token_add(store, &token, NOW), EINVAL);
}

static void test_a_token_of_a_revoked_key_says_so(void **state)
{
	struct store *store = rows_store(state);
	struct store_key key = rows_add_key(store, "ka_abcde", STORE_ACCOUNT_DEFAULT);
	struct store_token token = token_of(&key, 1);

	assert_int_equal(store->ops->token_add(store, &token, NOW), 0);
	assert_int_equal(store->ops->key_revoke(store, "ka_abcde", NOW), 0);
	assert_int_equal(store->ops->token_take(store, &key, token.hash, token.path, NOW), 0);
	assert_int_equal(key.revoked_ms, NOW);
}

static void test_an_account_has_10000_tokens_at_once(void **state)
{
	struct store *store = rows_store(state);
	struct store_key key = rows_add_key(store, "ka_abcde", STORE_ACCOUNT_DEFAULT);
	struct store_key beside = rows_add_key(store, "ka_besid", STORE_ACCOUNT_DEFAULT);
	struct store_key other =
		rows_add_key(store, "ka_other", rows_add_account(store, "another", false));
	struct store_token token;
	unsigned i;

	for (i = 0; i < STORE_TOKENS_MAX; ++i) {
		token = token_of(&key, i);
		assert_int_equal(store->ops->token_add(store, &token, NOW), 0);
	}
	token = token_of(&key, i);
	assert_int_equal(store->ops->token_add(store, &token, NOW), EDQUOT);
	token = token_of(&beside, i);
	assert_int_equal(store->ops->token_add(store, &token, NOW), EDQUOT);
	token = token_of(&other, i);
	assert_int_equal(store->ops->token_add(store, &token, NOW), 0);
	token = token_of(&key, i + 1);
	assert_int_equal(store->ops->token_add(store, &token, LATER), 0); /* the old ones expired */
}

static int add_numbered_key(struct store *store, struct store_key *key, unsigned number,
			    int64_t project_id)
{
	char prefix[STORE_KEY_PREFIX_LEN + 1];

	snprintf(prefix, sizeof(prefix), "k%07u", number);
	*key = rows_key(prefix);
	key->project_id = project_id;
	key->expires_ms = 0;
	key->revoked_ms = 0;
	return store->ops->key_add(store, key);
}

static void test_an_account_has_1000_keys_in_force(void **state)
{
	struct store *store = rows_store(state);
	int64_t account = rows_add_account(store, "many", false);
	struct store_key key = rows_add_key(store, "ka_first", account);
	struct store_project second = {.account_id = account, .name = "second"};
	struct store_key to = {.expires_ms = 1};
	unsigned i = 1;

	assert_int_equal(store->ops->project_add(store, &second), 0);
	for (; i < STORE_KEYS_MAX; ++i) /* of all its projects */
		assert_int_equal(
			add_numbered_key(store, &key, i, i % 2 ? key.project_id : second.id), 0);
	assert_int_equal(add_numbered_key(store, &key, i, second.id), EDQUOT);
	assert_int_equal(add_numbered_key(store, &key, i, STORE_PROJECT_DEFAULT), 0);
	/* Those that are not in force any more make room. */
	assert_int_equal(store->ops->key_revoke(store, "ka_first", 1), 0);
	assert_int_equal(add_numbered_key(store, &key, i + 1, second.id), 0);
	assert_int_equal(add_numbered_key(store, &key, i + 2, second.id), EDQUOT);
	assert_int_equal(store->ops->key_change(store, "k0000001", STORE_KEY_EXPIRES, &to), 0);
	assert_int_equal(add_numbered_key(store, &key, i + 2, second.id), 0);
	/* The operator is not bound. */
	store->is_unlimited = true;
	assert_int_equal(add_numbered_key(store, &key, i + 3, second.id), 0);
	store->is_unlimited = false;
	assert_int_equal(add_numbered_key(store, &key, i + 4, second.id), EDQUOT);
	assert_int_equal(add_numbered_key(store, &key, i + 4, 9999), EINVAL);
}

static void test_an_account_has_100_projects(void **state)
{
	struct store *store = rows_store(state);
	struct store_project project = {.account_id = rows_add_account(store, "many", false)};
	int i = 0;

	for (; i < STORE_PROJECTS_MAX; ++i) {
		snprintf(project.name, sizeof(project.name), "p%d", i);
		assert_int_equal(store->ops->project_add(store, &project), 0);
	}
	snprintf(project.name, sizeof(project.name), "p%d", i);
	assert_int_equal(store->ops->project_add(store, &project), EDQUOT);
	store->is_unlimited = true; /* one more than it may, which it keeps */
	assert_int_equal(store->ops->project_add(store, &project), 0);
	store->is_unlimited = false;
	project.account_id = STORE_ACCOUNT_DEFAULT;
	assert_int_equal(store->ops->project_add(store, &project), 0);
	project.account_id = 9999;
	assert_int_equal(store->ops->project_add(store, &project), EINVAL);
}

static void test_of_two_that_take_a_token_one_gets_it(void **state)
{
	struct store *store = rows_store(state);
	struct store *other = rows_open_again(state);
	struct store_key key = rows_add_key(store, "ka_abcde", STORE_ACCOUNT_DEFAULT);
	struct store_token token = token_of(&key, 1);

	assert_int_equal(store->ops->token_add(store, &token, NOW), 0);
	if (other) {
		assert_int_equal(other->ops->token_take(other, &key, token.hash, token.path, NOW),
				 0);
		assert_int_equal(store->ops->token_take(store, &key, token.hash, token.path, NOW),
				 ENOENT);
	}
	mem_deref(other);
}

static void test_addresses_of_no_backend_are_refused(void **state)
{
	static const char *const bad[] = {"",         "sqlite", "sqlite:",  "memory",
					  "memory:x", "/tmp/x", "SQLITE:x", "mysql://x"};
	struct store *store = NULL;

	(void)state;
	for (size_t i = 0; i < COUNT(bad); ++i) {
		assert_int_equal(store_open(&store, bad[i]), EPROTONOSUPPORT);
		assert_null(store);
	}
}

static void test_only_a_file_of_sqlite_has_a_path(void **state)
{
	(void)state;
	assert_string_equal(store_sqlite_path("sqlite:/srv/a.db"), "/srv/a.db");
	assert_string_equal(store_sqlite_path("sqlite:a.db"), "a.db");
	assert_null(store_sqlite_path("sqlite:"));
	assert_null(store_sqlite_path("memory:"));
	assert_null(store_sqlite_path("postgresql://sqlite:x@host/name"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_key_is_found_as_it_was_added),
		cmocka_unit_test(test_a_key_has_the_account_of_its_project),
		cmocka_unit_test(test_a_new_key_has_spent_nothing_whatever_it_says),
		cmocka_unit_test(test_unknown_prefixes_are_not_found),
		cmocka_unit_test(test_a_prefix_names_one_key),
		cmocka_unit_test(test_a_key_of_no_project_is_refused),
		cmocka_unit_test(test_a_revoked_key_keeps_its_first_time),
		cmocka_unit_test(test_only_the_named_fields_of_a_key_change),
		cmocka_unit_test(test_the_last_use_of_a_key_never_goes_back),
		cmocka_unit_test(test_keys_are_listed_in_order_until_it_is_enough),
		cmocka_unit_test(test_a_token_is_good_once),
		cmocka_unit_test(test_a_token_is_good_for_its_path_and_time_alone),
		cmocka_unit_test(test_tokens_of_no_key_and_second_ones_are_refused),
		cmocka_unit_test(test_a_token_of_a_revoked_key_says_so),
		cmocka_unit_test(test_an_account_has_10000_tokens_at_once),
		cmocka_unit_test(test_an_account_has_1000_keys_in_force),
		cmocka_unit_test(test_an_account_has_100_projects),
		cmocka_unit_test(test_of_two_that_take_a_token_one_gets_it),
		cmocka_unit_test(test_addresses_of_no_backend_are_refused),
		cmocka_unit_test(test_only_a_file_of_sqlite_has_a_path),
	};

	return ROWS_RUN(tests);
}
