/* The file survives crashes, and many may have it open. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "sqlite_place.h"

static void test_rows_are_there_after_a_reopen(void **state)
{
	struct store *store = sqlite_place_open(*state);
	struct store_key key = rows_add_key(store, "ka_abcde", STORE_ACCOUNT_DEFAULT);
	struct store_turn turn = rows_turn("t1", key.id);
	struct store_key found;

	assert_int_equal(rows_book(store, &turn), 0);
	mem_deref(store);
	store = sqlite_place_open(*state);
	found = rows_find_key(store, "ka_abcde");
	key.spent_microcents = turn.amount_microcents;
	rows_assert_key(&found, &key);
	assert_int_equal(rows_count_turns(store), 1);
	assert_int_equal(rows_book(store, &turn), 0); /* booked again after a crash */
	assert_int_equal(rows_count_turns(store), 1);
	mem_deref(store);
}

#define BATCH 20

/* In a child: books one batch after the other until it is killed, and tells of each
 * that was durable. */
static void book_forever(const struct sqlite_place *place, int told)
{
	struct store *store = sqlite_place_open(place);
	struct store_key key = rows_find_key(store, "ka_abcde");

	for (int round = 0;; ++round) {
		struct store_turn turns[BATCH];
		int errs[BATCH];

		for (int i = 0; i < BATCH; ++i) {
			char id[40];

			snprintf(id, sizeof(id), "%d.%d.%d", (int)getpid(), round, i);
			turns[i] = rows_turn(id, key.id);
		}
		if (store->ops->turns_add(store, turns, BATCH, errs) != 0 ||
		    write(told, "", 1) != 1)
			_exit(1);
	}
}

static void test_a_killed_ledger_has_what_it_told_in_whole_batches(void **state)
{
	struct store *store = sqlite_place_open(*state);
	size_t before = 0;

	rows_add_key(store, "ka_abcde", STORE_ACCOUNT_DEFAULT);
	for (int round = 0; round < 8; ++round) {
		int64_t wrong = -1;
		size_t told = 1;
		pid_t child;
		char byte;
		int ends[2];

		assert_int_equal(pipe(ends), 0);
		child = fork();
		if (child == 0)
			book_forever(*state, ends[1]);
		close(ends[1]);
		assert_int_equal(read(ends[0], &byte, 1), 1);
		usleep((useconds_t)(round * 900)); /* anywhere in a batch */
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		while (read(ends[0], &byte, 1) == 1)
			++told;
		close(ends[0]);
		assert_int_equal(rows_count_turns(store) % BATCH, 0);
		assert_true(rows_count_turns(store) >= before + told * BATCH);
		assert_true(rows_count_turns(store) <= before + (told + 1) * BATCH);
		before = rows_count_turns(store);
		assert_int_equal(store->ops->audit(store, &wrong), 0);
		assert_int_equal(wrong, 0);
	}
	mem_deref(store);
}

static void test_a_key_made_elsewhere_is_seen_at_once(void **state)
{
	struct store *server = sqlite_place_open(*state);
	struct store *tool = sqlite_place_open(*state);
	struct store_key key = rows_key("ka_abcde");
	struct store_turn turn = rows_turn("t1", 0);

	assert_int_equal(server->ops->key_find(server, &key, "ka_abcde"), ENOENT);
	assert_int_equal(rows_book(server, &turn), 0);
	assert_int_equal(tool->ops->key_add(tool, &key), 0);
	assert_int_equal(rows_find_key(server, "ka_abcde").revoked_ms, 0);
	assert_int_equal(tool->ops->key_revoke(tool, "ka_abcde", 5), 0);
	assert_int_equal(rows_find_key(server, "ka_abcde").revoked_ms, 5);
	assert_int_equal(rows_count_turns(tool), 1);
	mem_deref(server);
	mem_deref(tool);
}

#define PROCESSES 6
#define KEYS_EACH 20

/* In a child: opens the fresh file at the same moment as the others. */
static int add_keys(const struct sqlite_place *place, int process)
{
	struct store *store;

	if (store_open(&store, place->address) != 0)
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

static void test_processes_that_start_together_lose_nothing(void **state)
{
	for (int i = 0; i < PROCESSES; ++i) {
		pid_t child = fork();

		assert_true(child >= 0);
		if (child == 0)
			_exit(add_keys(*state, i));
	}
	for (int i = 0; i < PROCESSES; ++i) {
		int status;

		assert_true(wait(&status) > 0);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	assert_int_equal(sqlite_place_number(*state, "SELECT count(*) FROM key"),
			 PROCESSES * KEYS_EACH);
}

#define HANDLES 3
#define ROUNDS 60

struct lane {
	pthread_t thread;
	const struct sqlite_place *place;
	int64_t account_id;
	struct store_key key;
	int number;
	int failed;
};

/* What a lane of the server does, with a handle of its own. */
static void *work(void *arg)
{
	struct lane *lane = arg;
	struct store *store;

	lane->failed = store_open(&store, lane->place->address);
	for (int i = 0; !lane->failed && i < ROUNDS; ++i) {
		struct store_turn turn = rows_turn("", lane->key.id);
		struct store_lease lease = {.holder = {STORE_HOLDER_ACCOUNT, lane->account_id},
					    .want_microcents = 10,
					    .at_ms = 1,
					    .expires_ms = 1000};
		int err = 0;

		turn.account_id = lane->account_id;
		snprintf(turn.id, sizeof(turn.id), "%d.%d", lane->number, i);
		snprintf(lease.server, sizeof(lease.server), "server%d", lane->number);
		memcpy(turn.server, lease.server, sizeof(turn.server));
		lane->failed = store->ops->lease_take(store, &lease);
		if (!lane->failed)
			lane->failed = store->ops->turns_add(store, &turn, 1, &err);
		if (!lane->failed)
			lane->failed = err;
	}
	if (lane->failed)
		return NULL;
	mem_deref(store);
	return NULL;
}

static void test_handles_of_one_process_wait_for_each_other(void **state)
{
	struct store *store = sqlite_place_open(*state);
	int64_t account = rows_add_account(store, "a", true);
	struct store_key key = rows_add_key(store, "ka_abcde", account);
	struct lane lanes[HANDLES];
	int64_t wrong = -1;

	rows_top_up(store, "u1", account, 1000000000000);
	for (int i = 0; i < HANDLES; ++i) {
		lanes[i] = (struct lane){
			.place = *state, .account_id = account, .key = key, .number = i};
		assert_int_equal(pthread_create(&lanes[i].thread, NULL, work, &lanes[i]), 0);
	}
	for (int i = 0; i < HANDLES; ++i) {
		assert_int_equal(pthread_join(lanes[i].thread, NULL), 0);
		assert_int_equal(lanes[i].failed, 0);
	}
	assert_int_equal(rows_count_turns(store), HANDLES * ROUNDS);
	assert_int_equal(store->ops->audit(store, &wrong), 0);
	assert_int_equal(wrong, 0);
	mem_deref(store);
}

/* Whoever guesses tokens must not stand in the way of those who write. */
static void test_a_token_that_is_not_there_waits_for_nobody(void **state)
{
	struct store *store = sqlite_place_open(*state);
	sqlite3 *db = sqlite_place_bare(*state);
	const uint8_t hash[STORE_KEY_HASH_LEN] = {1};
	struct store_key key;

	assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(store->ops->token_take(store, &key, hash, "/ws/tts", 1), ENOENT);
	sqlite3_close(db);
	mem_deref(store);
}

static void test_a_store_held_by_another_is_busy_not_lost(void **state)
{
	struct store *store = sqlite_place_open(*state);
	struct store_turn turn = rows_turn("t1", 0);
	sqlite3 *db = sqlite_place_bare(*state);
	int err;

	assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(store->ops->turns_add(store, &turn, 1, &err), EBUSY);
	assert_int_equal(rows_count_turns(store), 0); /* reading goes on */
	assert_int_equal(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(rows_book(store, &turn), 0);
	sqlite3_close(db);
	mem_deref(store);
}

static const struct store_dictionary dictionary = {
	.project_id = STORE_PROJECT_DEFAULT, .name = "d", .is_active = true, .created_ms = 1};

/* In a child: replaces entries until it is killed. */
static void replace_forever(const struct sqlite_place *place, int64_t id, int ready)
{
	static const struct dictionary_entry entries[] = {
		{.word = "a", .replacement = "1"}, {.word = "b", .replacement = "1"},
		{.word = "c", .replacement = "1"}, {.word = "a", .replacement = "2"},
		{.word = "b", .replacement = "2"}, {.word = "d", .replacement = "2"}};
	struct store *store = sqlite_place_open(place);
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

	for (int round = 0; round < 10; ++round) {
		char entries[ENTRIES_SIZE] = "";
		struct store *store = sqlite_place_open(*state);
		pid_t child;
		char byte;
		int ends[2];

		if (round == 0)
			assert_int_equal(
				store->ops->dictionary_add(store, &id, &dictionary, NULL, 0), 0);
		mem_deref(store);
		assert_int_equal(pipe(ends), 0);
		child = fork();
		if (child == 0)
			replace_forever(*state, id, ends[1]);
		assert_int_equal(read(ends[0], &byte, 1), 1);
		usleep((useconds_t)(round * 700)); /* anywhere in it */
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		close(ends[0]);
		close(ends[1]);
		store = sqlite_place_open(*state);
		assert_int_equal(store->ops->entry_list(store, id, &all, note_entry, entries), 0);
		mem_deref(store);
		if (strcmp(entries, "a1b1c1") != 0 && strcmp(entries, "a2b2d2") != 0)
			fail_msg("%s", entries);
	}
}

static void test_the_file_is_in_wal_mode_with_foreign_keys(void **state)
{
	struct store *store = sqlite_place_open(*state);
	struct store_turn orphan = rows_turn("orphan", 12345);
	sqlite3 *db = sqlite_place_bare(*state);
	sqlite3_stmt *stmt;

	assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA journal_mode", -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(stmt, 0), "wal");
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	assert_int_equal(rows_book(store, &orphan), EINVAL);
	mem_deref(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SQLITE_PLACE_TEST(test_rows_are_there_after_a_reopen),
		SQLITE_PLACE_TEST(test_a_killed_ledger_has_what_it_told_in_whole_batches),
		SQLITE_PLACE_TEST(test_a_key_made_elsewhere_is_seen_at_once),
		SQLITE_PLACE_TEST(test_processes_that_start_together_lose_nothing),
		SQLITE_PLACE_TEST(test_handles_of_one_process_wait_for_each_other),
		SQLITE_PLACE_TEST(test_a_token_that_is_not_there_waits_for_nobody),
		SQLITE_PLACE_TEST(test_a_store_held_by_another_is_busy_not_lost),
		SQLITE_PLACE_TEST(test_a_replacement_that_is_cut_off_has_not_been),
		SQLITE_PLACE_TEST(test_the_file_is_in_wal_mode_with_foreign_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
