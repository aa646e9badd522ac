/* Many servers on one database, and a database that goes away. */
#include <errno.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/mem.h"
#include "postgres_server.h"
#include "race.h"
#include "rows.h"

static char address[192];

static int make_place(void **state)
{
	(void)state;
	postgres_server_empty();
	postgres_server_address(address, sizeof(address), "syrinx", "");
	return 0;
}

static int check_memory(void **state)
{
	(void)state;
	return mem_live() == 0 ? 0 : -1;
}

static struct store *opened(void)
{
	struct store *store;

	assert_int_equal(store_open(&store, address), 0);
	return store;
}

static void *open_fresh(void *arg)
{
	struct racer *racer = arg;
	struct store *store = NULL;

	pthread_barrier_wait(racer->start);
	racer->err = store_open(&store, address);
	if (!racer->err)
		mem_deref(store);
	return NULL;
}

static void test_of_many_that_find_an_empty_database_one_makes_the_tables(void **state)
{
	struct racer racers[RACERS];

	(void)state;
	race(open_fresh, racers, NULL);
	assert_int_equal(postgres_server_ask("SELECT count(*) FROM syrinx.account"), 1);
}

#define ROUNDS 10
#define TURNS 20

/* All book the same turns. */
static void *book_the_same(void *arg)
{
	struct racer *racer = arg;
	struct store_turn turns[TURNS];
	int errs[TURNS];

	pthread_barrier_wait(racer->start);
	for (int round = 0; round < ROUNDS && !racer->err; ++round) {
		for (int i = 0; i < TURNS; ++i) {
			char id[STORE_TURN_ID_MAX + 1];

			snprintf(id, sizeof(id), "%d.%d", round, i);
			turns[i] = rows_turn(id, 1);
		}
		racer->err = racer->store->ops->turns_add(racer->store, turns, TURNS, errs);
	}
	return NULL;
}

static void test_servers_that_settle_the_same_turns_book_each_once(void **state)
{
	struct store *store = opened();
	struct store_key key = rows_add_key(store, "ka_abcde", STORE_ACCOUNT_DEFAULT);
	struct racer racers[RACERS];
	int64_t wrong = -1;

	(void)state;
	assert_int_equal(key.id, 1);
	race(book_the_same, racers, address);
	assert_int_equal(rows_count_turns(store), ROUNDS * TURNS);
	assert_int_equal(rows_get_account(store, STORE_ACCOUNT_DEFAULT).spent_microcents,
			 ROUNDS * TURNS * rows_turn("", 1).amount_microcents);
	assert_int_equal(store->ops->audit(store, &wrong), 0);
	assert_int_equal(wrong, 0);
	mem_deref(store);
}

struct reader {
	int64_t last_seq;
	size_t count;
};

static bool read_turn(int64_t seq, const struct store_turn *turn, void *arg)
{
	struct reader *reader = arg;

	(void)turn;
	assert_true(seq > reader->last_seq);
	reader->last_seq = seq;
	++reader->count;
	return true;
}

/* Each books turns of its own; the first one reads along. */
static void *book_own_and_read(void *arg)
{
	static const struct store_turn_filter all;
	struct racer *racer = arg;
	struct reader reader = {0};

	pthread_barrier_wait(racer->start);
	for (int i = 0; i < 100 && !racer->err && racer->number > 0; ++i) {
		char id[STORE_TURN_ID_MAX + 1];
		struct store_turn turn;
		int err;

		snprintf(id, sizeof(id), "%d.%d", racer->number, i);
		turn = rows_turn(id, 0);
		racer->err = racer->store->ops->turns_add(racer->store, &turn, 1, &err);
	}
	while (!racer->err && racer->number == 0 && reader.count < (RACERS - 1) * 100)
		racer->err = racer->store->ops->turn_page(racer->store, &all, reader.last_seq, 7,
							  read_turn, &reader);
	racer->taken = (int64_t)reader.count;
	return NULL;
}

/* Would not end, were one overtaken by a later one and then never seen. */
static void test_who_reads_page_by_page_while_servers_book_misses_nothing(void **state)
{
	struct racer racers[RACERS];

	(void)state;
	mem_deref(opened());
	race(book_own_and_read, racers, address);
	assert_int_equal(racers[0].taken, (RACERS - 1) * 100);
}

static void *take_leases(void *arg)
{
	struct racer *racer = arg;
	struct store_lease lease = {.holder = {STORE_HOLDER_ACCOUNT, 2},
				    .want_microcents = 700,
				    .at_ms = 1,
				    .expires_ms = 60001};

	snprintf(lease.server, sizeof(lease.server), "%016d", racer->number);
	pthread_barrier_wait(racer->start);
	for (int i = 0; i < 20 && !racer->err; ++i) {
		racer->err = racer->store->ops->lease_take(racer->store, &lease);
		racer->taken += lease.granted_microcents;
	}
	return NULL;
}

static void test_servers_are_never_lent_more_than_was_paid(void **state)
{
	struct store *store = opened();
	struct racer racers[RACERS];
	int64_t lent = 0;

	(void)state;
	assert_int_equal(rows_add_account(store, "prepaid", true), 2);
	rows_top_up(store, "paid", 2, 50000);
	race(take_leases, racers, address);
	for (int i = 0; i < RACERS; ++i)
		lent += racers[i].taken;
	assert_int_equal(lent, 50000);
	mem_deref(store);
}

static void test_the_ledger_refuses_changes_of_a_hand(void **state)
{
	struct store *store = opened();
	struct store_turn turn = rows_turn("t1", 0);

	(void)state;
	assert_int_equal(rows_book(store, &turn), 0);
	rows_top_up(store, "paid", STORE_ACCOUNT_DEFAULT, 5);
	assert_true(postgres_server_refuses("UPDATE syrinx.turn SET amount_microcents = 0"));
	assert_true(postgres_server_refuses("DELETE FROM syrinx.turn"));
	assert_true(postgres_server_refuses("TRUNCATE syrinx.turn"));
	assert_true(postgres_server_refuses("UPDATE syrinx.top_up SET amount_microcents = 0"));
	assert_true(postgres_server_refuses("DELETE FROM syrinx.top_up"));
	assert_true(postgres_server_refuses("TRUNCATE syrinx.top_up"));
	assert_int_equal(rows_count_turns(store), 1);
	mem_deref(store);
}

/* Refuses the first so many changes of keys and dictionaries, as a deadlock does. */
static void refuse_changes(int count)
{
	char sql[640];

	snprintf(sql, sizeof(sql),
		 "DROP SEQUENCE IF EXISTS syrinx.refused CASCADE;"
		 "CREATE SEQUENCE syrinx.refused;"
		 "CREATE OR REPLACE FUNCTION syrinx.refuse() RETURNS trigger LANGUAGE plpgsql AS $$"
		 " BEGIN IF nextval('syrinx.refused') <= %d THEN"
		 "  RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END IF;"
		 " RETURN NULL; END $$;"
		 "CREATE OR REPLACE TRIGGER refuse AFTER UPDATE ON syrinx.key"
		 " FOR EACH ROW EXECUTE FUNCTION syrinx.refuse();"
		 "CREATE OR REPLACE TRIGGER refuse AFTER UPDATE ON syrinx.dictionary"
		 " FOR EACH ROW EXECUTE FUNCTION syrinx.refuse()",
		 count);
	postgres_server_ask(sql);
}

static void test_what_met_a_deadlock_is_tried_again(void **state)
{
	struct store *store = opened();
	struct store_dictionary dictionary = {
		.project_id = STORE_PROJECT_DEFAULT, .name = "d", .is_active = true};
	struct dictionary_entry entry = {"word", "said", NULL, false};
	int64_t id;
	int64_t entry_id;

	(void)state;
	rows_add_key(store, "ka_abcde", STORE_ACCOUNT_DEFAULT);
	assert_int_equal(store->ops->dictionary_add(store, &id, &dictionary, NULL, 0), 0);
	refuse_changes(3);
	assert_int_equal(store->ops->key_revoke(store, "ka_abcde", 5), 0);
	refuse_changes(3);
	assert_int_equal(store->ops->entry_add(store, &entry_id, id, &entry, 1), 0);
	refuse_changes(1000);
	assert_int_equal(store->ops->key_revoke(store, "ka_abcde", 6), EBUSY);
	entry.word = "other";
	assert_int_equal(store->ops->entry_add(store, &entry_id, id, &entry, 1), EBUSY);
	assert_int_equal(rows_find_key(store, "ka_abcde").revoked_ms, 5);
	mem_deref(store);
}

static void test_who_waits_too_long_for_a_lock_is_told(void **state)
{
	struct store *store = opened();
	struct store_account to = rows_account("renamed");
	PGconn *db = PQconnectdb(address);

	(void)state;
	PQclear(PQexec(db, "BEGIN; UPDATE syrinx.account SET plan = 'held'"));
	assert_int_equal(store->ops->account_change(store, 1, STORE_ACCOUNT_NAME, &to), EBUSY);
	PQfinish(db);
	assert_int_equal(store->ops->account_change(store, 1, STORE_ACCOUNT_NAME, &to), 0);
	mem_deref(store);
}

static void test_a_connection_that_was_ended_is_made_again_at_once(void **state)
{
	struct store *store = opened();
	struct store_turn turn = rows_turn("t1", 0);

	(void)state;
	while (postgres_server_ask("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
				   " WHERE application_name = 'syrinx'") > 0)
		poll(NULL, 0, 5);
	assert_int_equal(rows_book(store, &turn), 0);
	assert_int_equal(rows_count_turns(store), 1);
	mem_deref(store);
}

static void book_until_taken(struct store *store, const struct store_turn *turn)
{
	int err = EIO;
	int row_err;

	while ((err = store->ops->turns_add(store, turn, 1, &row_err)) == EIO)
		poll(NULL, 0, 20);
	assert_int_equal(err, 0);
	assert_int_equal(row_err, 0);
}

static void test_what_was_booked_survives_a_database_that_dies(void **state)
{
	struct store *store = opened();
	struct store_turn turn = rows_turn("before", 0);
	int err;

	(void)state;
	assert_int_equal(rows_book(store, &turn), 0);
	postgres_server_stop();
	turn = rows_turn("after", 0);
	for (int i = 0; i < 100; ++i) /* fails at once: a hundred connects would take their time */
		assert_int_equal(store->ops->turns_add(store, &turn, 1, &err), EIO);
	postgres_server_restart();
	book_until_taken(store, &turn);
	book_until_taken(store, &turn);
	assert_int_equal(rows_count_turns(store), 2);
	mem_deref(store);
}

static void *book_through_restarts(void *arg)
{
	struct racer *racer = arg;

	pthread_barrier_wait(racer->start);
	for (int i = 0; i < 200; ++i) {
		char id[STORE_TURN_ID_MAX + 1];
		struct store_turn turn;
		int err;

		snprintf(id, sizeof(id), "%d.%d", racer->number, i);
		turn = rows_turn(id, 1);
		while (racer->store->ops->turns_add(racer->store, &turn, 1, &err) != 0)
			poll(NULL, 0, 5);
	}
	return NULL;
}

static void test_turns_that_are_tried_again_through_restarts_are_booked_once(void **state)
{
	struct store *store = opened();
	struct racer racers[2];
	pthread_barrier_t start;
	int64_t wrong = -1;

	(void)state;
	rows_add_key(store, "ka_abcde", STORE_ACCOUNT_DEFAULT);
	pthread_barrier_init(&start, NULL, COUNT(racers) + 1);
	for (int i = 0; i < (int)COUNT(racers); ++i) {
		racers[i] = (struct racer){.store = opened(), .number = i, .start = &start};
		assert_int_equal(
			pthread_create(&racers[i].thread, NULL, book_through_restarts, &racers[i]),
			0);
	}
	pthread_barrier_wait(&start);
	for (int i = 0; i < 3; ++i) {
		postgres_server_stop();
		postgres_server_restart();
	}
	for (size_t i = 0; i < COUNT(racers); ++i) {
		pthread_join(racers[i].thread, NULL);
		mem_deref(racers[i].store);
	}
	pthread_barrier_destroy(&start);
	mem_deref(store);
	store = opened();
	assert_int_equal(rows_count_turns(store), COUNT(racers) * 200);
	assert_int_equal(store->ops->audit(store, &wrong), 0);
	assert_int_equal(wrong, 0);
	mem_deref(store);
}

static void test_a_database_that_hangs_is_hung_up_on(void **state)
{
	struct store *store = opened();
	struct store_turn turn = rows_turn("t1", 0);
	int err;

	(void)state;
	postgres_server_freeze();
	assert_int_equal(store->ops->turns_add(store, &turn, 1, &err), EIO);
	assert_int_equal(store->ops->turns_add(store, &turn, 1, &err), EIO);
	postgres_server_thaw();
	book_until_taken(store, &turn);
	assert_int_equal(rows_count_turns(store), 1);
	mem_deref(store);
}

/* What is logged while a store is opened in vain. */
static void open_in_vain(char *log, size_t size, const char *wrong, int expected)
{
	struct store *store = NULL;
	char path[] = "/tmp/syrinx-log-XXXXXX";
	int file = mkstemp(path);
	int before = dup(STDERR_FILENO);
	ssize_t n;
	int err;

	assert_true(file >= 0 && before >= 0);
	unlink(path);
	dup2(file, STDERR_FILENO);
	err = store_open(&store, wrong);
	dup2(before, STDERR_FILENO);
	n = pread(file, log, size - 1, 0);
	log[n > 0 ? n : 0] = '\0';
	close(file);
	close(before);
	assert_null(store);
	assert_int_equal(err, expected);
}

static void test_what_is_wrong_with_a_database_is_said_without_the_password(void **state)
{
	struct {
		const char *format; /* with the port */
		int err;
		const char *says;
	} cases[] = {
		{"postgresql://syrinx:tell-no1@127.0.0.1:%d/syrinx", EACCES,
		 "password authentication failed for user \"syrinx\""},
		{"postgresql://nobody:tell-no1@127.0.0.1:%d/syrinx", EACCES,
		 "password authentication failed for user \"nobody\""},
		{"postgresql://syrinx:p%%2Fss%%3Aw%%40rd@127.0.0.1:%d/missing", EACCES,
		 "database \"missing\" does not exist"},
		{"postgresql://syrinx:p%%2Fss%%3Aw%%40rd@127.0.0.1:%d/syrinx?sslmode=require", EIO,
		 "server does not support SSL"},
		{"postgresql://syrinx:tell-no1@127.0.0.1:1/syrinx?x=%d", EINVAL, "is invalid"},
		{"postgresql://syrinx:tell-no1@[::1:%d/syrinx", EINVAL, "is invalid"},
		{"postgres://syrinx:tell-no1@127.0.0.1:1/syrinx?application_name=a%d", EIO,
		 "cannot connect to the database"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		char wrong[192];
		char log[1024];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(wrong, sizeof(wrong), cases[i].format, postgres_server_port());
#pragma GCC diagnostic pop
		open_in_vain(log, sizeof(log), wrong, cases[i].err);
		assert_non_null(strstr(log, cases[i].says));
		assert_null(strstr(log, "tell-no1"));
		assert_null(strstr(log, POSTGRES_PASSWORD));
		assert_null(strstr(log, POSTGRES_PASSWORD_WRITTEN));
	}
}

static void test_a_database_that_is_away_is_waited_for_and_then_migrated(void **state)
{
	struct store *store = NULL;
	bool is_away = false;
	int64_t version;
	int err;

	(void)state;
	postgres_server_stop();
	assert_int_equal(store_open_patiently(&store, &is_away, address), 0);
	assert_true(is_away);
	assert_int_equal(store->ops->version(store, &version), EIO);
	postgres_server_restart();
	do { /* after a pause that is not long */
		err = store->ops->version(store, &version);
	} while (err == EIO);
	assert_int_equal(err, 0);
	mem_deref(store);
	assert_int_equal(store_open_patiently(&store, &is_away, address), 0);
	assert_false(is_away);
	mem_deref(store);
}

static void test_a_database_that_refuses_when_it_comes_is_not_waited_for(void **state)
{
	struct store *store = NULL;
	char wrong[192];
	bool is_away = false;
	int64_t version;
	int err;

	(void)state;
	snprintf(wrong, sizeof(wrong), "postgresql://syrinx:wrong@127.0.0.1:%d/syrinx",
		 postgres_server_port());
	assert_int_equal(store_open_patiently(&store, &is_away, wrong), EACCES);
	assert_true(store_is_permanent_error(EACCES));
	assert_false(store_is_permanent_error(EIO));
	postgres_server_stop();
	assert_int_equal(store_open_patiently(&store, &is_away, wrong), 0);
	assert_true(is_away);
	postgres_server_restart();
	do {
		err = store->ops->version(store, &version);
	} while (err == EIO);
	assert_int_equal(err, EACCES);
	mem_deref(store);
}

static void test_databases_that_cannot_be_used_are_refused(void **state)
{
	char log[1024];
	char latin[192];

	(void)state;
	mem_deref(opened());
	postgres_server_ask("UPDATE syrinx.schema_version SET version = 999");
	open_in_vain(log, sizeof(log), address, ENOTSUP);
	assert_non_null(strstr(log, "newer release: version 999"));
	postgres_server_ask("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0"
			    " LC_COLLATE 'C' LC_CTYPE 'C'");
	postgres_server_address(latin, sizeof(latin), "latin", "");
	open_in_vain(log, sizeof(log), latin, ENOTSUP);
	assert_non_null(strstr(log, "encoding is LATIN1; it must be UTF8"));
}

static void test_a_database_that_is_read_only_is_refused(void **state)
{
	char log[1024];

	(void)state;
	postgres_server_ask("ALTER DATABASE syrinx SET default_transaction_read_only TO on");
	open_in_vain(log, sizeof(log), address, EIO);
	assert_non_null(strstr(log, "session is read-only"));
	postgres_server_ask("BEGIN READ WRITE;"
			    "ALTER DATABASE syrinx RESET default_transaction_read_only;"
			    "COMMIT");
}

static bool count_change(const struct store_change *change, void *arg)
{
	assert_int_equal(change->project_id, 1);
	*(unsigned *)arg |= 1u << change->kind;
	return true;
}

/* Changes that the previous release writes are noticed. */
static void test_changes_by_a_program_of_before_are_noticed(void **state)
{
	struct store *store = opened();
	unsigned kinds = 0;
	int64_t before;

	(void)state;
	assert_int_equal(store->ops->version(store, &before), 0);
	postgres_server_ask("INSERT INTO syrinx.dictionary (project_id, name, is_active, revision,"
			    " created_ms, updated_ms) VALUES (1, 'd', true, 1, 1, 1)");
	assert_int_equal(store->ops->changes(store, before, count_change, &kinds), 0);
	assert_int_equal(kinds, 1u << STORE_CHANGE_DICTIONARY);
	assert_int_equal(store->ops->version(store, &before), 0);
	postgres_server_ask("BEGIN; UPDATE syrinx.dictionary SET revision = revision + 1;"
			    " INSERT INTO syrinx.voice (project_id, base_id, name, pitch, rate,"
			    " is_public, sampled_ms, revision, created_ms, updated_ms)"
			    " VALUES (1, 1, 'v', 0, 1, false, 0, 1, 1, 1); COMMIT");
	kinds = 0;
	assert_int_equal(store->ops->changes(store, before, count_change, &kinds), 0);
	assert_int_equal(kinds, 1u << STORE_CHANGE_DICTIONARY | 1u << STORE_CHANGE_VOICE);
	mem_deref(store);
}

/* Each adds as many as one account may have. */
static void *add_projects(void *arg)
{
	struct racer *racer = arg;
	struct store_project project = {.account_id = STORE_ACCOUNT_DEFAULT, .created_ms = 1};

	pthread_barrier_wait(racer->start);
	for (int i = 0; i < STORE_PROJECTS_MAX; ++i) {
		int err;

		snprintf(project.name, sizeof(project.name), "%d of %d", i, racer->number);
		err = racer->store->ops->project_add(racer->store, &project);
		racer->taken += err == 0;
		if (err && err != EDQUOT)
			racer->err = err;
	}
	return NULL;
}

static void test_servers_together_add_no_more_than_an_account_may_have(void **state)
{
	struct racer racers[RACERS];
	int64_t added = 1; /* the default one */

	(void)state;
	mem_deref(opened());
	race(add_projects, racers, address);
	for (int i = 0; i < RACERS; ++i)
		added += racers[i].taken;
	assert_int_equal(added, STORE_PROJECTS_MAX);
}

/* Each puts words of its own into the first dictionary, and removes every other one again. */
static void *put_words(void *arg)
{
	struct racer *racer = arg;
	const struct store_ops *ops = racer->store->ops;

	pthread_barrier_wait(racer->start);
	for (int i = 0; i < 20 && !racer->err; ++i) {
		char word[32];
		const struct dictionary_entry entry = {.word = word, .replacement = "said"};

		snprintf(word, sizeof(word), "%d of %d", i, racer->number);
		racer->err = ops->entry_put(racer->store, 1, &entry, 1, 1);
		if (!racer->err && i % 2)
			racer->err = ops->entry_remove_words(racer->store, 1, &entry, 1);
	}
	return NULL;
}

static void test_servers_change_one_dictionary_without_losing_an_entry(void **state)
{
	const struct store_dictionary dictionary = {.project_id = STORE_PROJECT_DEFAULT,
						    .name = "d"};
	struct store *store = opened();
	struct racer racers[RACERS];
	int64_t id, count;

	(void)state;
	assert_int_equal(store->ops->dictionary_add(store, &id, &dictionary, NULL, 0), 0);
	assert_int_equal(id, 1);
	race(put_words, racers, address);
	assert_int_equal(store->ops->entry_count(store, &count, id, NULL), 0);
	assert_int_equal(count, RACERS * 10);
	mem_deref(store);
}

static void test_addresses_are_shown_without_a_password(void **state)
{
	static const char *const cases[][2] = {
		{"sqlite:/var/x@y.db", "sqlite:/var/x@y.db"},
		{"postgresql://host/name", "postgresql://host/name"},
		{"postgresql://me:secret@host:1/name", "postgresql://host:1/name"},
		{"postgresql://me:sec@ret@host/name", "postgresql://host/name"},
		{"postgresql://me:se/cret@host/name", "postgresql://"},
		{"postgresql://host/name?password=secret", "postgresql://host/name"},
		{"postgresql://host/name?password=sec@ret", "postgresql://"},
		{"postgresql://", "postgresql://"},
	};
	char shown[STORE_ADDRESS_SHOWN];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		store_show_address(shown, cases[i][0]);
		assert_string_equal(shown, cases[i][1]);
	}
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, make_place, check_memory)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_of_many_that_find_an_empty_database_one_makes_the_tables),
		TEST(test_servers_that_settle_the_same_turns_book_each_once),
		TEST(test_who_reads_page_by_page_while_servers_book_misses_nothing),
		TEST(test_servers_are_never_lent_more_than_was_paid),
		TEST(test_the_ledger_refuses_changes_of_a_hand),
		TEST(test_what_met_a_deadlock_is_tried_again),
		TEST(test_who_waits_too_long_for_a_lock_is_told),
		TEST(test_a_connection_that_was_ended_is_made_again_at_once),
		TEST(test_what_was_booked_survives_a_database_that_dies),
		TEST(test_turns_that_are_tried_again_through_restarts_are_booked_once),
		TEST(test_a_database_that_hangs_is_hung_up_on),
		TEST(test_what_is_wrong_with_a_database_is_said_without_the_password),
		TEST(test_a_database_that_is_away_is_waited_for_and_then_migrated),
		TEST(test_a_database_that_refuses_when_it_comes_is_not_waited_for),
		TEST(test_databases_that_cannot_be_used_are_refused),
		TEST(test_a_database_that_is_read_only_is_refused),
		TEST(test_changes_by_a_program_of_before_are_noticed),
		TEST(test_servers_together_add_no_more_than_an_account_may_have),
		TEST(test_servers_change_one_dictionary_without_losing_an_entry),
		TEST(test_addresses_are_shown_without_a_password),
	};

	if (postgres_server_start() != 0)
		return 77; /* meson's word for a test that was skipped */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
