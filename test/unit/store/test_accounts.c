/* What every store guarantees of accounts, projects and top-ups, and of its version. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "rows.h"

static void test_the_default_account_and_project_are_there(void **state)
{
	static const struct store_limits of_its_plan = STORE_LIMITS_PLAN;
	struct store *store = rows_store(state);
	struct store_account account = rows_get_account(store, STORE_ACCOUNT_DEFAULT);

	assert_string_equal(account.name, "default");
	assert_string_equal(account.plan, "");
	assert_false(account.is_prepaid);
	assert_memory_equal(&account.limits, &of_its_plan, sizeof(of_its_plan));
	assert_int_equal(account.closed_ms, 0);
	assert_int_equal(account.credit_microcents, 0);
	assert_int_equal(account.spent_microcents, 0);
	rows_add_key(store, "ka_abcde", STORE_ACCOUNT_DEFAULT);
	assert_int_equal(rows_find_key(store, "ka_abcde").project_id, STORE_PROJECT_DEFAULT);
}

static void test_an_account_is_kept_as_it_was_added(void **state)
{
	struct store *store = rows_store(state);
	struct store_account account = rows_account("M\xc3\xbcller");
	struct store_account found;

	account.credit_microcents = 5; /* sums are the store's */
	account.spent_microcents = 6;
	assert_int_equal(store->ops->account_add(store, &account), 0);
	assert_true(account.id > STORE_ACCOUNT_DEFAULT);
	found = rows_get_account(store, account.id);
	account.credit_microcents = account.spent_microcents = 0;
	rows_assert_account(&found, &account);
}

static void test_a_name_is_one_account_s(void **state)
{
	struct store *store = rows_store(state);
	struct store_account account = rows_account("default");
	int64_t id = rows_add_account(store, "one", false);

	assert_int_equal(store->ops->account_add(store, &account), EEXIST);
	account = rows_account("two");
	assert_int_equal(store->ops->account_add(store, &account), 0);
	assert_int_equal(store->ops->account_change(store, id, STORE_ACCOUNT_NAME, &account),
			 EEXIST);
	assert_string_equal(rows_get_account(store, id).name, "one");
	account = rows_account("one"); /* its own is not taken */
	assert_int_equal(store->ops->account_change(store, id, STORE_ACCOUNT_NAME, &account), 0);
}

static void test_only_the_named_fields_of_an_account_change(void **state)
{
	struct store *store = rows_store(state);
	struct store_account account = rows_account("before");
	const struct store_account to = {.name = "after", .plan = "", .limits = {6, 5, 4, 3, 2, 1}};
	struct store_account found;

	assert_int_equal(store->ops->account_add(store, &account), 0);
	for (unsigned field = STORE_ACCOUNT_NAME; field <= STORE_ACCOUNT_CLOSED; field <<= 1) {
		assert_int_equal(store->ops->account_change(store, account.id, field, &to), 0);
		if (field == STORE_ACCOUNT_NAME)
			memcpy(account.name, to.name, sizeof(account.name));
		if (field == STORE_ACCOUNT_PLAN)
			memcpy(account.plan, to.plan, sizeof(account.plan));
		if (field == STORE_ACCOUNT_PREPAID)
			account.is_prepaid = to.is_prepaid;
		if (field == STORE_ACCOUNT_LIMITS)
			account.limits = to.limits;
		if (field == STORE_ACCOUNT_CLOSED)
			account.closed_ms = to.closed_ms;
		found = rows_get_account(store, account.id);
		rows_assert_account(&found, &account);
	}
	found = rows_get_account(store, STORE_ACCOUNT_DEFAULT);
	assert_string_equal(found.name, "default");
}

static void test_accounts_that_are_not_there_are_told(void **state)
{
	struct store *store = rows_store(state);
	struct store_account account = rows_account("a");
	struct store_project project = {.account_id = 99, .name = "p"};
	const struct store_top_up top_up = {.id = "u1", .account_id = 99, .amount_microcents = 1};

	assert_int_equal(store->ops->account_get(store, &account, 99), ENOENT);
	assert_int_equal(store->ops->account_get(store, &account, 0), ENOENT);
	assert_int_equal(store->ops->account_change(store, 99, STORE_ACCOUNT_PLAN, &account),
			 ENOENT);
	assert_int_equal(store->ops->project_add(store, &project), EINVAL);
	assert_int_equal(store->ops->top_up_add(store, &top_up), EINVAL);
}

struct seen {
	size_t count;
	size_t enough; /* 0: all */
	char names[8][STORE_NAME_MAX + 1];
	int64_t amounts[8];
};

static bool see(struct seen *seen, const char *name)
{
	snprintf(seen->names[seen->count], sizeof(seen->names[0]), "%s", name);
	return ++seen->count != seen->enough;
}

static bool see_account(const struct store_account *account, void *arg)
{
	return see(arg, account->name);
}

static bool see_project(const struct store_project *project, void *arg)
{
	return see(arg, project->name);
}

static bool see_top_up(const struct store_top_up *top_up, void *arg)
{
	struct seen *seen = arg;

	assert_string_equal(top_up->note, "paid");
	assert_int_equal(top_up->at_ms, 1790000000789);
	seen->amounts[seen->count] = top_up->amount_microcents;
	return see(seen, top_up->id);
}

static void assert_seen(struct seen *seen, const char *const *names, size_t count)
{
	assert_int_equal(seen->count, count);
	for (size_t i = 0; i < count; ++i)
		assert_string_equal(seen->names[i], names[i]);
	*seen = (struct seen){0};
}

static void test_accounts_and_projects_are_listed_in_order(void **state)
{
	static const char *const accounts[] = {"default", "zz", "aa"};
	static const char *const projects[] = {"default", "zz", "zz", "aa"};
	struct store *store = rows_store(state);
	int64_t first = rows_add_account(store, "zz", false);
	int64_t second = rows_add_account(store, "aa", false);
	struct store_project project = {.account_id = first, .name = "zz", .created_ms = 4};
	struct seen seen = {0};

	assert_int_equal(store->ops->project_add(store, &project), 0);
	assert_true(project.id > STORE_PROJECT_DEFAULT);
	assert_int_equal(store->ops->project_add(store, &project), EEXIST);
	project.account_id = second;
	assert_int_equal(store->ops->project_add(store, &project), 0);
	memcpy(project.name, "aa", 3);
	assert_int_equal(store->ops->project_add(store, &project), 0);
	assert_int_equal(store->ops->account_list(store, see_account, &seen), 0);
	assert_seen(&seen, accounts, COUNT(accounts));
	assert_int_equal(store->ops->project_list(store, 0, see_project, &seen), 0);
	assert_seen(&seen, projects, COUNT(projects));
	assert_int_equal(store->ops->project_list(store, second, see_project, &seen), 0);
	assert_seen(&seen, projects + 2, 2);
	assert_int_equal(store->ops->project_list(store, 99, see_project, &seen), 0);
	assert_int_equal(seen.count, 0);
	seen.enough = 1;
	assert_int_equal(store->ops->account_list(store, see_account, &seen), 0);
	assert_int_equal(seen.count, 1);
}

static void test_credit_is_the_sum_of_top_ups(void **state)
{
	static const char *const ids[] = {"u2", "u1", "u3"};
	static const int64_t amounts[] = {5000000000, 1, -2};
	struct store *store = rows_store(state);
	int64_t id = rows_add_account(store, "a", true);
	struct seen seen = {0};
	int64_t wrong = -1;

	for (size_t i = 0; i < COUNT(ids); ++i)
		rows_top_up(store, ids[i], id, amounts[i]);
	rows_top_up(store, "of another", STORE_ACCOUNT_DEFAULT, 7);
	assert_int_equal(rows_get_account(store, id).credit_microcents, 4999999999);
	assert_int_equal(store->ops->top_up_list(store, id, see_top_up, &seen), 0);
	assert_memory_equal(seen.amounts, amounts, sizeof(amounts));
	assert_seen(&seen, ids, COUNT(ids));
	assert_int_equal(store->ops->audit(store, &wrong), 0);
	assert_int_equal(wrong, 0);
}

static void test_a_top_up_counts_once(void **state)
{
	struct store *store = rows_store(state);
	int64_t id = rows_add_account(store, "a", true);
	struct seen seen = {0};

	rows_top_up(store, "u1", id, 100);
	rows_top_up(store, "u1", id, 100);
	rows_top_up(store, "u1", id, 200);
	rows_top_up(store, "u1", STORE_ACCOUNT_DEFAULT, 300);
	assert_int_equal(rows_get_account(store, id).credit_microcents, 100);
	assert_int_equal(rows_get_account(store, STORE_ACCOUNT_DEFAULT).credit_microcents, 0);
	assert_int_equal(store->ops->top_up_list(store, id, see_top_up, &seen), 0);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.amounts[0], 100);
}

static void test_a_sum_no_number_can_hold_is_refused_whole(void **state)
{
	struct store *store = rows_store(state);
	int64_t id = rows_add_account(store, "a", true);
	struct store_top_up more = {.id = "more", .account_id = id, .amount_microcents = 1};
	struct seen seen = {0};

	rows_top_up(store, "u1", id, INT64_MAX);
	assert_int_equal(store->ops->top_up_add(store, &more), EOVERFLOW);
	assert_int_equal(rows_get_account(store, id).credit_microcents, INT64_MAX);
	assert_int_equal(store->ops->top_up_list(store, id, see_top_up, &seen), 0);
	assert_int_equal(seen.count, 1);
	more.amount_microcents = -1;
	assert_int_equal(store->ops->top_up_add(store, &more), 0);
}

static int64_t last_version;

static bool is_news(struct store *store)
{
	int64_t before = last_version;

	assert_int_equal(store->ops->version(store, &last_version), 0);
	return last_version != before;
}

static void test_keys_accounts_and_projects_are_news(void **state)
{
	struct store *store = rows_store(state);
	struct store_account account = rows_account("a");
	struct store_key key;

	is_news(store);
	assert_false(is_news(store));
	assert_int_equal(store->ops->account_add(store, &account), 0);
	assert_true(is_news(store));
	key = rows_add_key(store, "ka_abcde", account.id); /* and a project */
	assert_true(is_news(store));
	for (unsigned field = STORE_ACCOUNT_NAME; field <= STORE_ACCOUNT_CLOSED; field <<= 1) {
		assert_int_equal(store->ops->account_change(store, account.id, field, &account), 0);
		assert_true(is_news(store));
	}
	for (unsigned field = STORE_KEY_NAME; field <= STORE_KEY_EXPIRES; field <<= 1) {
		assert_int_equal(store->ops->key_change(store, "ka_abcde", field, &key), 0);
		assert_true(is_news(store));
	}
	assert_int_equal(store->ops->key_revoke(store, "ka_abcde", 1), 0);
	assert_true(is_news(store));
}

static void test_what_is_used_and_spent_is_no_news(void **state)
{
	struct store *store = rows_store(state);
	int64_t account = rows_add_account(store, "a", true);
	struct store_key key = rows_add_key(store, "ka_abcde", account);
	const struct store_token token = {.key_id = key.id, .path = "/", .expires_ms = 9};
	struct store_turn turn = rows_turn("t1", key.id);
	struct store_lease lease = {.server = ROWS_SERVER,
				    .holder = {STORE_HOLDER_ACCOUNT, account},
				    .want_microcents = 5,
				    .at_ms = 1,
				    .expires_ms = 9};

	turn.account_id = account;
	is_news(store);
	rows_top_up(store, "u1", account, 100);
	assert_int_equal(rows_book(store, &turn), 0);
	assert_int_equal(store->ops->key_used(store, key.id, 5), 0);
	assert_int_equal(store->ops->token_add(store, &token, 1), 0);
	assert_int_equal(store->ops->token_take(store, &key, token.hash, "/", 1), 0);
	assert_int_equal(store->ops->lease_take(store, &lease), 0);
	assert_int_equal(store->ops->lease_return(store, ROWS_SERVER), 0);
	assert_false(is_news(store));
}

static void test_dictionaries_and_voices_are_news(void **state)
{
	static const struct store_dictionary dictionary = {
		.project_id = STORE_PROJECT_DEFAULT, .name = "d", .created_ms = 1};
	static const struct dictionary_entry entry = {.word = "w", .replacement = "r"};
	static const struct store_voice voice = {
		.project_id = STORE_PROJECT_DEFAULT, .name = "v", .rate = 1};
	struct store *store = rows_store(state);
	struct store_replaced replaced;
	int64_t id;
	int64_t part;

	is_news(store);
	assert_int_equal(store->ops->dictionary_add(store, &id, &dictionary, NULL, 0), 0);
	assert_true(is_news(store));
	assert_int_equal(store->ops->entry_add(store, &part, id, &entry, 1), 0);
	assert_true(is_news(store));
	assert_int_equal(store->ops->entry_change(store, id, part, STORE_ENTRY_IPA, &entry, 2), 0);
	assert_true(is_news(store));
	assert_int_equal(store->ops->entry_remove(store, id, part), 0);
	assert_true(is_news(store));
	assert_int_equal(store->ops->entry_replace(store, &replaced, id, &entry, 1, 3), 0);
	assert_true(is_news(store));
	assert_int_equal(store->ops->dictionary_change(store, STORE_PROJECT_DEFAULT, id,
						       STORE_DICTIONARY_ACTIVE, &dictionary),
			 0);
	assert_true(is_news(store));
	assert_int_equal(store->ops->dictionary_remove(store, STORE_PROJECT_DEFAULT, id), 0);
	assert_true(is_news(store));
	assert_int_equal(store->ops->voice_add(store, &id, &voice), 0);
	assert_true(is_news(store));
	assert_int_equal(store->ops->voice_change(store, STORE_PROJECT_DEFAULT, id,
						  STORE_VOICE_RATE, &voice),
			 0);
	assert_true(is_news(store));
	assert_int_equal(store->ops->voice_remove(store, STORE_PROJECT_DEFAULT, id), 0);
	assert_true(is_news(store));
}

static void test_what_another_handle_writes_is_news(void **state)
{
	struct store *store = rows_store(state);
	struct store *other = rows_open_again(state);

	is_news(store);
	if (other) {
		rows_add_key(other, "ka_abcde", STORE_ACCOUNT_DEFAULT);
		assert_true(is_news(store));
		assert_false(is_news(other));
	}
	mem_deref(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_default_account_and_project_are_there),
		cmocka_unit_test(test_an_account_is_kept_as_it_was_added),
		cmocka_unit_test(test_a_name_is_one_account_s),
		cmocka_unit_test(test_only_the_named_fields_of_an_account_change),
		cmocka_unit_test(test_accounts_that_are_not_there_are_told),
		cmocka_unit_test(test_accounts_and_projects_are_listed_in_order),
		cmocka_unit_test(test_credit_is_the_sum_of_top_ups),
		cmocka_unit_test(test_a_top_up_counts_once),
		cmocka_unit_test(test_a_sum_no_number_can_hold_is_refused_whole),
		cmocka_unit_test(test_keys_accounts_and_projects_are_news),
		cmocka_unit_test(test_what_is_used_and_spent_is_no_news),
		cmocka_unit_test(test_dictionaries_and_voices_are_news),
		cmocka_unit_test(test_what_another_handle_writes_is_news),
	};

	return ROWS_RUN(tests);
}
