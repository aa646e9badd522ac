/* What every store guarantees, whichever backend it is. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/mem.h"
#include "rows.h"

static int open_backend(void **state)
{
	return rows_open(*state);
}

static int close_backend(void **state)
{
	rows_close(*state);
	return mem_live() == 0 ? 0 : -1;
}

static struct store *store_of(void **state)
{
	return ((struct rows_backend *)*state)->store;
}

static void test_a_key_is_found_as_it_was_added(void **state)
{
	struct store *store = store_of(state);
	struct store_key key = rows_key("ka_abcde");
	struct store_key other = rows_key("ka_abcdf");
	struct store_key found;

	assert_int_equal(store->ops->key_add(store, &key), 0);
	assert_int_equal(store->ops->key_add(store, &other), 0);
	assert_true(key.id > 0 && other.id > key.id);
	assert_int_equal(store->ops->key_find(store, &found, "ka_abcde"), 0);
	rows_assert_key(&found, &key);
	assert_int_equal(store->ops->key_find(store, &found, "ka_abcdf"), 0);
	rows_assert_key(&found, &other);
}

static void test_unknown_prefixes_are_not_found(void **state)
{
	struct store *store = store_of(state);
	struct store_key key = rows_key("ka_abcde");

	assert_int_equal(store->ops->key_add(store, &key), 0);
	assert_int_equal(store->ops->key_find(store, &key, "ka_ABCDE"), ENOENT);
	assert_int_equal(store->ops->key_find(store, &key, ""), ENOENT);
	assert_int_equal(store->ops->key_find(store, &key, "' OR 1=1"), ENOENT);
	assert_int_equal(store->ops->key_revoke(store, "ka_00000", 1), ENOENT);
}

static void test_a_prefix_names_one_key(void **state)
{
	struct store *store = store_of(state);
	struct store_key key = rows_key("ka_abcde");
	struct store_key same = rows_key("ka_abcde");

	assert_int_equal(store->ops->key_add(store, &key), 0);
	assert_int_equal(store->ops->key_add(store, &same), EEXIST);
	same = rows_key("ka_other");
	assert_int_equal(store->ops->key_add(store, &same), 0);
}

static void test_a_revoked_key_keeps_its_first_time(void **state)
{
	struct store *store = store_of(state);
	struct store_key key = rows_key("ka_abcde");
	struct store_key found;

	assert_int_equal(store->ops->key_add(store, &key), 0);
	assert_int_equal(store->ops->key_revoke(store, "ka_abcde", 1790000000999), 0);
	assert_int_equal(store->ops->key_revoke(store, "ka_abcde", 1800000000000), 0);
	assert_int_equal(store->ops->key_find(store, &found, "ka_abcde"), 0);
	assert_int_equal(found.revoked_ms, 1790000000999);
}

struct seen {
	size_t count;
	size_t enough;
	char ids[8][STORE_TURN_ID_MAX + 1];
};

static bool see(struct seen *seen, const char *id)
{
	snprintf(seen->ids[seen->count++], sizeof(seen->ids[0]), "%s", id);
	return seen->count < seen->enough;
}

static bool see_key(const struct store_key *key, void *arg)
{
	return see(arg, key->prefix);
}

static bool see_turn(const struct store_turn *turn, void *arg)
{
	return see(arg, turn->id);
}

static void test_scopes_of_a_key_can_be_changed(void **state)
{
	struct store *store = store_of(state);
	struct store_key key = rows_key("ka_abcde");
	struct store_key found;

	assert_int_equal(store->ops->key_add(store, &key), 0);
	key.scopes = STORE_SCOPES_USUAL;
	assert_int_equal(store->ops->key_change(store, "ka_abcde", STORE_KEY_SCOPES, &key), 0);
	assert_int_equal(store->ops->key_find(store, &found, "ka_abcde"), 0);
	rows_assert_key(&found, &key);
	assert_int_equal(store->ops->key_change(store, "ka_00000", 1, &key), ENOENT);
}

static void test_a_key_of_no_project_is_refused(void **state)
{
	struct store *store = store_of(state);
	struct store_key key = rows_key("ka_abcde");

	key.project_id = 99;
	assert_int_equal(store->ops->key_add(store, &key), EINVAL);
	assert_int_equal(store->ops->key_find(store, &key, "ka_abcde"), ENOENT);
}

static void test_lists_are_in_order_and_can_be_ended(void **state)
{
	static const char *const names[] = {"ka_zzzzz", "ka_mmmmm", "ka_aaaaa"};
	struct store *store = store_of(state);
	struct seen seen = {.enough = 8};

	for (size_t i = 0; i < 3; ++i) {
		struct store_key key = rows_key(names[i]);
		struct store_turn turn = rows_turn(names[i], 0);

		assert_int_equal(store->ops->key_add(store, &key), 0);
		assert_int_equal(store->ops->turn_add(store, &turn), 0);
	}
	assert_int_equal(store->ops->key_list(store, see_key, &seen), 0);
	assert_int_equal(store->ops->turn_list(store, see_turn, &seen), 0);
	assert_int_equal(seen.count, 6);
	for (size_t i = 0; i < 6; ++i)
		assert_string_equal(seen.ids[i], names[i % 3]);
	seen = (struct seen){.enough = 2};
	assert_int_equal(store->ops->key_list(store, see_key, &seen), 0);
	assert_int_equal(seen.count, 2);
	seen = (struct seen){.enough = 1};
	assert_int_equal(store->ops->turn_list(store, see_turn, &seen), 0);
	assert_int_equal(seen.count, 1);
}

static bool keep_turn(const struct store_turn *turn, void *arg)
{
	*(struct store_turn *)arg = *turn;
	return true;
}

static void test_a_turn_is_listed_as_it_was_booked(void **state)
{
	struct store *store = store_of(state);
	struct store_key key = rows_key("ka_abcde");
	struct store_turn turn;
	struct store_turn found;

	assert_int_equal(store->ops->key_add(store, &key), 0);
	for (int status = STORE_TURN_FINISHED; status <= STORE_TURN_FAILED; ++status) {
		char id[8];

		snprintf(id, sizeof(id), "t%d", status);
		turn = rows_turn(id, key.id);
		turn.status = (enum store_turn_status)status;
		assert_int_equal(store->ops->turn_add(store, &turn), 0);
		assert_int_equal(store->ops->turn_list(store, keep_turn, &found), 0);
		rows_assert_turn(&found, &turn);
	}
	turn = rows_turn("nobody's", 0);
	assert_int_equal(store->ops->turn_add(store, &turn), 0);
	assert_int_equal(store->ops->turn_list(store, keep_turn, &found), 0);
	rows_assert_turn(&found, &turn);
}

static void test_a_second_booking_changes_nothing(void **state)
{
	struct store *store = store_of(state);
	struct store_turn first = rows_turn("t1", 0);
	struct store_turn second = first;
	struct store_turn found;

	second.amount_microcents = 1;
	second.status = STORE_TURN_FAILED;
	assert_int_equal(store->ops->turn_add(store, &first), 0);
	assert_int_equal(store->ops->turn_add(store, &first), 0);
	assert_int_equal(store->ops->turn_add(store, &second), 0);
	assert_int_equal(store->ops->begin(store), 0);
	assert_int_equal(store->ops->turn_add(store, &second), 0);
	assert_int_equal(store->ops->commit(store), 0);
	assert_int_equal(rows_count_turns(store), 1);
	assert_int_equal(store->ops->turn_list(store, keep_turn, &found), 0);
	rows_assert_turn(&found, &first);
}

static void test_a_batch_is_kept_or_dropped_whole(void **state)
{
	struct store *store = store_of(state);
	char id[8];

	for (int round = 0; round < 4; ++round) {
		assert_int_equal(store->ops->begin(store), 0);
		for (int i = 0; i < 10; ++i) {
			struct store_turn turn;

			snprintf(id, sizeof(id), "%d.%d", round, i);
			turn = rows_turn(id, 0);
			assert_int_equal(store->ops->turn_add(store, &turn), 0);
		}
		if (round % 2)
			store->ops->rollback(store);
		else
			assert_int_equal(store->ops->commit(store), 0);
		assert_int_equal(rows_count_turns(store), (size_t)(round / 2 + 1) * 10);
	}
}

static void test_a_turn_of_no_key_is_refused_alone(void **state)
{
	struct store *store = store_of(state);
	struct store_turn good = rows_turn("good", 0);
	struct store_turn bad = rows_turn("bad", 99);
	struct store_turn late = rows_turn("late", 0);

	assert_int_equal(store->ops->begin(store), 0);
	assert_int_equal(store->ops->turn_add(store, &good), 0);
	assert_int_equal(store->ops->turn_add(store, &bad), EINVAL);
	assert_int_equal(store->ops->turn_add(store, &late), 0);
	assert_int_equal(store->ops->commit(store), 0);
	assert_int_equal(rows_count_turns(store), 2);
}

static void test_addresses_of_no_backend_are_refused(void **state)
{
	static const char *const bad[] = {"",         "sqlite", "sqlite:",      "memory",
					  "memory:x", "/tmp/x", "postgres://x", "SQLITE:x"};
	struct store *store = NULL;

	(void)state;
	for (size_t i = 0; i < COUNT(bad); ++i) {
		assert_int_equal(store_open(&store, bad[i]), EINVAL);
		assert_null(store);
	}
}

#define CASE(test)                                                                                 \
	{                                                                                          \
#test, test, open_backend, close_backend, backend                                  \
	}
#define CASES                                                                                      \
	{                                                                                          \
		CASE(test_a_key_is_found_as_it_was_added),                                         \
			CASE(test_unknown_prefixes_are_not_found),                                 \
			CASE(test_a_prefix_names_one_key),                                         \
			CASE(test_a_revoked_key_keeps_its_first_time),                             \
			CASE(test_scopes_of_a_key_can_be_changed),                                 \
			CASE(test_a_key_of_no_project_is_refused),                                 \
			CASE(test_lists_are_in_order_and_can_be_ended),                            \
			CASE(test_a_turn_is_listed_as_it_was_booked),                              \
			CASE(test_a_second_booking_changes_nothing),                               \
			CASE(test_a_batch_is_kept_or_dropped_whole),                               \
			CASE(test_a_turn_of_no_key_is_refused_alone),                              \
			CASE(test_addresses_of_no_backend_are_refused),                            \
	}

static int run_over(struct rows_backend *backend)
{
	const struct CMUnitTest tests[] = CASES;

	return cmocka_run_group_tests_name(backend->name, tests, NULL, NULL);
}

int main(void)
{
	struct rows_backend memory = {.name = "memory"};
	struct rows_backend sqlite = {.name = "sqlite"};

	return run_over(&memory) + run_over(&sqlite);
}
