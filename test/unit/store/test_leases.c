/* What every store guarantees of credit that is lent to servers. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "rows.h"

#define NOW 1790000000000
#define LEASE_MS 60000
#define OTHER "fedcba9876543210" /* another server */

static struct store *store; /* under test */
static void **backend;

static int take_store(void **state)
{
	store = rows_store(state);
	backend = state;
	return 0;
}

static struct store_holder account_of(int64_t id)
{
	return (struct store_holder){STORE_HOLDER_ACCOUNT, id};
}

static struct store_lease take(const char *server, struct store_holder holder, int64_t want,
			       int64_t at_ms)
{
	struct store_lease lease = {.holder = holder,
				    .want_microcents = want,
				    .at_ms = at_ms,
				    .expires_ms = at_ms + LEASE_MS};

	snprintf(lease.server, sizeof(lease.server), "%s", server);
	rows_set_now(backend, at_ms);
	assert_int_equal(store->ops->lease_take(store, &lease), 0);
	return lease;
}

static void assert_lease(const struct store_lease *lease, int64_t granted, int64_t held,
			 int64_t left)
{
	assert_int_equal(lease->granted_microcents, granted);
	assert_int_equal(lease->held_microcents, held);
	assert_int_equal(lease->left_microcents, left);
}

/* A prepaid account with credit. */
static int64_t rich(int64_t microcents)
{
	int64_t id = rows_add_account(store, "rich", true);

	rows_top_up(store, "u1", id, microcents);
	return id;
}

static struct store_turn turn_of(const char *id, const struct store_key *key, int64_t microcents)
{
	struct store_turn turn = rows_turn(id, key->id);

	turn.account_id = key->account_id;
	turn.amount_microcents = microcents;
	return turn;
}

static void test_credit_is_lent_while_it_lasts(void **state)
{
	struct store_holder holder = account_of(rich(1000));
	struct store_lease lease;

	(void)state;
	lease = take(ROWS_SERVER, holder, 400, NOW);
	assert_lease(&lease, 400, 400, 600);
	lease = take(ROWS_SERVER, holder, 400, NOW + 1);
	assert_lease(&lease, 400, 800, 200);
	lease = take(ROWS_SERVER, holder, 400, NOW + 2);
	assert_lease(&lease, 200, 1000, 0);
	lease = take(ROWS_SERVER, holder, 400, NOW + 3);
	assert_lease(&lease, 0, 1000, 0);
}

static void test_two_servers_are_never_lent_the_same(void **state)
{
	struct store_holder holder = account_of(rich(1000));
	struct store_lease lease;

	(void)state;
	lease = take(ROWS_SERVER, holder, 700, NOW);
	assert_lease(&lease, 700, 700, 300);
	lease = take(OTHER, holder, 700, NOW);
	assert_lease(&lease, 300, 300, 0);
	assert_int_equal(store->ops->lease_return(store, ROWS_SERVER), 0);
	lease = take(OTHER, holder, 700, NOW + 1);
	assert_lease(&lease, 700, 1000, 0);
}

static void test_handles_of_one_store_lend_from_one_purse(void **state)
{
	struct store_holder holder = account_of(rich(1000));
	struct store *own = store;
	struct store *again = rows_open_again(state);
	struct store_lease lease = take(ROWS_SERVER, holder, 700, NOW);

	if (again) {
		store = again;
		lease = take(OTHER, holder, 700, NOW);
		assert_lease(&lease, 300, 300, 0);
		store = own;
	}
	mem_deref(again);
}

static void test_what_was_lent_comes_back_when_it_expires(void **state)
{
	struct store_holder holder = account_of(rich(1000));
	struct store_lease lease;

	(void)state;
	take(ROWS_SERVER, holder, 1000, NOW);
	lease = take(OTHER, holder, 500, NOW + LEASE_MS - 1);
	assert_lease(&lease, 0, 0, 0);
	lease = take(OTHER, holder, 500, NOW + LEASE_MS);
	assert_lease(&lease, 500, 500, 500);
	/* It comes too late: what it had is gone. */
	lease = take(ROWS_SERVER, holder, 800, NOW + LEASE_MS + 1);
	assert_lease(&lease, 500, 500, 0);
}

static void test_asking_for_nothing_prolongs(void **state)
{
	struct store_holder holder = account_of(rich(1000));
	struct store_lease lease;

	(void)state;
	take(ROWS_SERVER, holder, 600, NOW);
	lease = take(ROWS_SERVER, holder, 0, NOW + LEASE_MS / 2);
	assert_lease(&lease, 0, 600, 400);
	lease = take(OTHER, holder, 1000, NOW + LEASE_MS);
	assert_lease(&lease, 400, 400, 0);
	lease = take(ROWS_SERVER, holder, 0, NOW + 3 * LEASE_MS / 2); /* too late */
	assert_lease(&lease, 0, 0, 600);
}

static void test_what_is_booked_is_taken_off_the_lease(void **state)
{
	int64_t account = rich(1000);
	struct store_key key = rows_add_key(store, "ka_abcde", account);
	struct store_turn turn = turn_of("t1", &key, 250);
	struct store_lease lease;

	(void)state;
	take(ROWS_SERVER, account_of(account), 600, NOW);
	take(OTHER, account_of(account), 100, NOW);
	assert_int_equal(rows_book(store, &turn), 0);
	lease = take(ROWS_SERVER, account_of(account), 0, NOW + 1);
	assert_lease(&lease, 0, 350, 300);
	assert_int_equal(rows_book(store, &turn), 0); /* again: it is known */
	lease = take(ROWS_SERVER, account_of(account), 0, NOW + 2);
	assert_lease(&lease, 0, 350, 300);
	lease = take(OTHER, account_of(account), 0, NOW + 2); /* nobody else's is touched */
	assert_lease(&lease, 0, 100, 300);
}

static void test_a_lease_is_never_negative(void **state)
{
	int64_t account = rich(1000);
	struct store_key key = rows_add_key(store, "ka_abcde", account);
	struct store_turn turn = turn_of("t1", &key, 450);
	struct store_lease lease;

	(void)state;
	take(ROWS_SERVER, account_of(account), 300, NOW);
	assert_int_equal(rows_book(store, &turn), 0);
	lease = take(ROWS_SERVER, account_of(account), 0, NOW + 1);
	assert_lease(&lease, 0, 0, 550);
	turn = turn_of("t2", &key, 900);
	assert_int_equal(rows_book(store, &turn), 0);
	lease = take(ROWS_SERVER, account_of(account), 10, NOW + 2);
	assert_lease(&lease, 0, 0, -350);
	rows_top_up(store, "u2", account, 360);
	lease = take(ROWS_SERVER, account_of(account), 100, NOW + 3);
	assert_lease(&lease, 10, 10, 0);
}

static void test_a_turn_without_a_server_takes_off_no_lease(void **state)
{
	int64_t account = rich(1000);
	struct store_key key = rows_add_key(store, "ka_abcde", account);
	struct store_turn turn = turn_of("t1", &key, 100);
	struct store_lease lease;

	(void)state;
	turn.server[0] = '\0';
	take(ROWS_SERVER, account_of(account), 300, NOW);
	assert_int_equal(rows_book(store, &turn), 0);
	lease = take(ROWS_SERVER, account_of(account), 0, NOW + 1);
	assert_lease(&lease, 0, 300, 600);
}

static void test_a_key_s_credit_is_lent_as_an_account_s(void **state)
{
	struct store_key key = rows_key("ka_abcde");
	struct store_holder holder;
	struct store_lease lease;
	struct store_turn turn;

	(void)state;
	key.credit_cents = 2;
	assert_int_equal(store->ops->key_add(store, &key), 0);
	holder = (struct store_holder){STORE_HOLDER_KEY, key.id};
	lease = take(ROWS_SERVER, holder, 1500000, NOW);
	assert_lease(&lease, 1500000, 1500000, 500000);
	lease = take(OTHER, holder, 1500000, NOW);
	assert_lease(&lease, 500000, 500000, 0);
	turn = turn_of("t1", &key, 1200000);
	assert_int_equal(rows_book(store, &turn), 0);
	lease = take(ROWS_SERVER, holder, 100, NOW + 1);
	assert_lease(&lease, 0, 300000, 0);
	key.credit_cents = 3;
	assert_int_equal(store->ops->key_change(store, "ka_abcde", STORE_KEY_CREDIT, &key), 0);
	lease = take(ROWS_SERVER, holder, 100, NOW + 2);
	assert_lease(&lease, 100, 300100, 999900);
	key.credit_cents = 0;
	assert_int_equal(store->ops->key_change(store, "ka_abcde", STORE_KEY_CREDIT, &key), 0);
	lease = take(ROWS_SERVER, holder, 100, NOW + 3);
	assert_lease(&lease, 0, 300100, -2000100);
}

static void test_an_account_and_a_key_of_one_number_have_two_purses(void **state)
{
	struct store_key key = rows_key("ka_abcde");
	struct store_holder account = account_of(STORE_ACCOUNT_DEFAULT);
	struct store_account prepaid = {.is_prepaid = true};
	struct store_lease lease;

	(void)state;
	key.credit_cents = 1;
	assert_int_equal(store->ops->key_add(store, &key), 0);
	assert_int_equal(
		store->ops->account_change(store, account.id, STORE_ACCOUNT_PREPAID, &prepaid), 0);
	rows_top_up(store, "u1", account.id, 10);
	lease = take(ROWS_SERVER, account, 100, NOW);
	assert_lease(&lease, 10, 10, 0);
	lease = take(ROWS_SERVER, (struct store_holder){STORE_HOLDER_KEY, key.id}, 100, NOW);
	assert_lease(&lease, 100, 100, 999900);
}

static void test_who_has_no_limit_is_lent_what_is_wanted(void **state)
{
	struct store_key key = rows_key("ka_abcde");
	struct store_lease lease;

	(void)state;
	key.credit_cents = -1;
	assert_int_equal(store->ops->key_add(store, &key), 0);
	lease = take(ROWS_SERVER, account_of(STORE_ACCOUNT_DEFAULT), 12345, NOW);
	assert_lease(&lease, 12345, 12345, INT64_MAX);
	lease = take(ROWS_SERVER, (struct store_holder){STORE_HOLDER_KEY, key.id}, 6, NOW);
	assert_lease(&lease, 6, 6, INT64_MAX);
}

static void test_all_that_a_server_holds_is_returned(void **state)
{
	int64_t account = rich(1000);
	struct store_key key = rows_add_key(store, "ka_abcde", account);
	struct store_holder of_key = {STORE_HOLDER_KEY, key.id};
	struct store_lease lease;

	(void)state;
	take(ROWS_SERVER, account_of(account), 1000, NOW);
	take(ROWS_SERVER, of_key, 1000, NOW);
	assert_int_equal(store->ops->lease_return(store, "nobody"), 0);
	lease = take(ROWS_SERVER, account_of(account), 0, NOW);
	assert_int_equal(lease.held_microcents, 1000);
	assert_int_equal(store->ops->lease_return(store, ROWS_SERVER), 0);
	lease = take(ROWS_SERVER, account_of(account), 0, NOW);
	assert_lease(&lease, 0, 0, 1000);
	lease = take(ROWS_SERVER, of_key, 0, NOW);
	assert_int_equal(lease.held_microcents, 0);
}

static void test_holders_that_are_not_there_are_told(void **state)
{
	struct store_lease lease = {.server = ROWS_SERVER,
				    .holder = {STORE_HOLDER_ACCOUNT, 99},
				    .want_microcents = 1,
				    .at_ms = NOW,
				    .expires_ms = NOW + 1};

	(void)state;
	assert_int_equal(store->ops->lease_take(store, &lease), ENOENT);
	lease.holder.kind = STORE_HOLDER_KEY;
	assert_int_equal(store->ops->lease_take(store, &lease), ENOENT);
}

static void test_a_clock_that_goes_back_lends_nothing_twice(void **state)
{
	struct store_holder holder = account_of(rich(1000));
	struct store_lease lease;

	(void)state;
	take(ROWS_SERVER, holder, 1000, NOW);
	lease = take(OTHER, holder, 1000, NOW - 10 * LEASE_MS);
	assert_lease(&lease, 0, 0, 0);
}

static void test_what_other_servers_hold_is_told(void **state)
{
	struct store_holder holder = account_of(rich(1000));
	struct store_lease lease;

	(void)state;
	lease = take(ROWS_SERVER, holder, 300, NOW);
	assert_int_equal(lease.elsewhere_microcents, 0);
	lease = take(OTHER, holder, 900, NOW);
	assert_int_equal(lease.elsewhere_microcents, 300);
	lease = take(ROWS_SERVER, holder, 0, NOW + LEASE_MS - 1); /* the other's expires */
	assert_int_equal(lease.elsewhere_microcents, 700);
	lease = take(ROWS_SERVER, holder, 0, NOW + LEASE_MS);
	assert_int_equal(lease.elsewhere_microcents, 0);
}

/* Asks as a server does that remembers up to where it was told. */
static int64_t booked_since(const char *server, struct store_holder holder, int64_t *after_seq,
			    int64_t since_ms)
{
	struct store_lease lease = {.holder = holder,
				    .at_ms = NOW,
				    .expires_ms = NOW + LEASE_MS,
				    .after_seq = *after_seq,
				    .since_ms = since_ms};

	snprintf(lease.server, sizeof(lease.server), "%s", server);
	assert_int_equal(store->ops->lease_take(store, &lease), 0);
	*after_seq = lease.last_seq;
	return lease.booked_microcents;
}

static void book_at(const char *id, const struct store_key *key, int64_t microcents, int64_t at_ms)
{
	struct store_turn turn = turn_of(id, key, microcents);

	turn.at_ms = at_ms;
	assert_int_equal(rows_book(store, &turn), 0);
}

static void test_what_a_server_has_booked_is_told_once(void **state)
{
	int64_t account = rich(1000);
	struct store_key key = rows_add_key(store, "ka_abcde", account);
	struct store_key other = rows_add_key(store, "ka_other", account);
	struct store_key foreign = rows_add_key(store, "ka_third", STORE_ACCOUNT_DEFAULT);
	struct store_turn elsewhere = turn_of("t0", &key, 70);
	struct store_key limited = {.credit_cents = 5};
	struct store_holder of_key = {STORE_HOLDER_KEY, key.id};
	int64_t seen = 0;
	int64_t seen_of_key = 0;

	(void)state;
	assert_int_equal(store->ops->key_change(store, "ka_abcde", STORE_KEY_CREDIT, &limited), 0);
	memcpy(elsewhere.server, OTHER, sizeof(OTHER));
	elsewhere.at_ms = NOW;
	assert_int_equal(rows_book(store, &elsewhere), 0);
	book_at("before", &key, 9, NOW - 1); /* of a time that is not asked for */
	assert_int_equal(booked_since(ROWS_SERVER, account_of(account), &seen, NOW), 0);
	book_at("t1", &key, 100, NOW);
	book_at("t2", &other, 20, NOW + 1);
	book_at("t3", &foreign, 5, NOW + 1);
	assert_int_equal(booked_since(ROWS_SERVER, account_of(account), &seen, NOW), 120);
	assert_int_equal(booked_since(ROWS_SERVER, account_of(account), &seen, NOW), 0);
	assert_int_equal(booked_since(ROWS_SERVER, of_key, &seen_of_key, NOW), 100);
	book_at("t1", &key, 100, NOW); /* known */
	book_at("t4", &key, 3, NOW + 2);
	book_at("late", &key, 8, NOW - 1); /* of that time, and booked now */
	assert_int_equal(booked_since(ROWS_SERVER, account_of(account), &seen, NOW), 3);
	assert_int_equal(booked_since(ROWS_SERVER, of_key, &seen_of_key, NOW), 3);
	seen = 0;
	assert_int_equal(booked_since(OTHER, account_of(account), &seen, NOW), 70);
}

static void test_nothing_is_summed_up_for_who_has_no_limit(void **state)
{
	struct store_key key = rows_add_key(store, "ka_abcde", STORE_ACCOUNT_DEFAULT);
	int64_t seen = 0;

	(void)state;
	book_at("t1", &key, 100, NOW);
	assert_int_equal(booked_since(ROWS_SERVER, account_of(STORE_ACCOUNT_DEFAULT), &seen, NOW),
			 0);
	assert_int_equal(seen, 0);
}

#define CASE(test) cmocka_unit_test_setup(test, take_store)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_credit_is_lent_while_it_lasts),
		CASE(test_two_servers_are_never_lent_the_same),
		CASE(test_handles_of_one_store_lend_from_one_purse),
		CASE(test_what_was_lent_comes_back_when_it_expires),
		CASE(test_asking_for_nothing_prolongs),
		CASE(test_what_is_booked_is_taken_off_the_lease),
		CASE(test_a_lease_is_never_negative),
		CASE(test_a_turn_without_a_server_takes_off_no_lease),
		CASE(test_a_key_s_credit_is_lent_as_an_account_s),
		CASE(test_an_account_and_a_key_of_one_number_have_two_purses),
		CASE(test_who_has_no_limit_is_lent_what_is_wanted),
		CASE(test_all_that_a_server_holds_is_returned),
		CASE(test_holders_that_are_not_there_are_told),
		CASE(test_a_clock_that_goes_back_lends_nothing_twice),
		CASE(test_what_other_servers_hold_is_told),
		CASE(test_what_a_server_has_booked_is_told_once),
		CASE(test_nothing_is_summed_up_for_who_has_no_limit),
	};

	return ROWS_RUN(tests);
}
