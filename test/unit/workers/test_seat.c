/*
 * Seats: a worker has as many as it says, up to a limit; each is found by its job
 * number, and a number that is not in use any more finds none; nothing beyond the
 * credit is passed to the user.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "echo.h"

/* The number of seats that a job number can tell apart: see workers/fleet_private.h. */
#define SEATS_MAX 4096

static void open_with(struct echo_bed *bed, struct echo_peer *peer)
{
	echo_open(bed, NULL, (struct fleet_options){0});
	echo_connect(bed, peer);
	echo_run_until(bed, &bed->readies, 1);
}

static unsigned seats_taken(const struct echo_bed *bed)
{
	struct fleet_stats stats = {0};

	fleet_add_stats(bed->fleet, &stats);
	return stats.seats_taken;
}

/* The worker says 65535. */
static void test_the_number_of_seats_has_a_limit(void **state)
{
	struct echo_bed bed;
	struct echo_peer peer = {.seats = UINT16_MAX, .is_silent = true};
	struct echo *echoes = calloc(SEATS_MAX, sizeof(*echoes));

	(void)state;
	open_with(&bed, &peer);
	for (unsigned i = 0; i < SEATS_MAX; ++i)
		echo_start(&bed, &echoes[i], "x", 1);
	assert_null(fleet_pick(bed.fleet));
	echo_run_until(&bed, &peer.started, SEATS_MAX);
	assert_int_equal(seats_taken(&bed), SEATS_MAX);
	echo_disconnect(&peer);
	echo_run_until(&bed, &bed.lost, SEATS_MAX);
	for (unsigned i = 0; i < SEATS_MAX; ++i)
		assert_int_equal(echoes[i].lost_with, 1);
	echo_close(&bed);
	free(echoes);
}

static void test_each_of_many_seats_gets_its_own_messages(void **state)
{
	enum { ECHOES = 1000 };
	struct echo_bed bed;
	struct echo_peer peer = {.seats = ECHOES};
	struct echo *echoes = calloc(ECHOES, sizeof(*echoes));
	char text[24];

	(void)state;
	open_with(&bed, &peer);
	for (unsigned round = 1; round <= 2; ++round) {
		for (unsigned i = 0; i < ECHOES; ++i) {
			snprintf(text, sizeof(text), "work %u of %u", i, round);
			echo_start(&bed, &echoes[i], text, 100);
		}
		echo_run_until(&bed, &bed.done, round * ECHOES);
		for (unsigned i = 0; i < ECHOES; ++i)
			assert_int_equal(echoes[i].len, strlen(echoes[i].text));
	}
	assert_int_equal(bed.lost, 0);
	echo_disconnect(&peer);
	echo_close(&bed);
	free(echoes);
}

/* The second DONE arrives when the seat has been taken again. */
static void test_a_late_message_does_not_reach_the_next_user_of_a_seat(void **state)
{
	struct echo_bed bed;
	struct echo_peer peer = {.seats = 1, .says_done_twice = true};
	struct echo echo;
	uint32_t job;

	(void)state;
	open_with(&bed, &peer);
	echo_start(&bed, &echo, "first", 100);
	echo_run_until(&bed, &bed.done, 1);
	job = peer.last_job;
	peer.is_silent = true;
	echo_start(&bed, &echo, "second", 100);
	echo_run_until(&bed, &peer.started, 2);
	assert_int_not_equal(peer.last_job, job);
	assert_int_not_equal(peer.last_job, 0);
	echo_pass(&bed, 20);
	assert_false(echo.is_done);
	assert_int_equal(bed.done, 1);
	echo_disconnect(&peer);
	echo_run_until(&bed, &bed.lost, 1);
	echo_close(&bed);
}

static void test_a_worker_that_sends_more_than_it_was_granted_is_ended(void **state)
{
	struct echo_bed bed;
	struct echo_peer peer = {.seats = 1, .is_greedy = true};
	struct echo echo;

	(void)state;
	open_with(&bed, &peer);
	echo_start(&bed, &echo, "enough", 6);
	echo_run_until(&bed, &bed.lost, 1);
	assert_int_equal(echo.len, 6); /* what it was granted was delivered */
	while (peer.endpoint)
		echo_pass(&bed, 1);
	echo_close(&bed);
}

static void test_a_seat_that_was_called_off_is_free_after_done(void **state)
{
	struct echo_bed bed;
	struct echo_peer peer = {.seats = 1, .is_silent = true};
	struct echo echo;

	(void)state;
	open_with(&bed, &peer);
	echo_start(&bed, &echo, "never mind", 100);
	echo_run_until(&bed, &peer.started, 1);
	peer.is_silent = false;
	seat_call_off(echo.seat);
	assert_null(fleet_pick(bed.fleet));
	assert_int_equal(fleet_seats_coming(bed.fleet, false), 1);
	echo_run_until(&bed, &peer.cancelled, 1);
	while (!fleet_pick(bed.fleet))
		echo_pass(&bed, 1);
	assert_int_equal(fleet_seats_coming(bed.fleet, false), 0);
	assert_int_equal(bed.done + bed.lost, 0); /* neither function is called */
	echo_disconnect(&peer);
	echo_close(&bed);
}

static void test_a_message_can_grant_credit_by_what_it_says(void **state)
{
	struct echo_bed bed;
	struct echo_peer peer = {.seats = 1, .is_silent = true};
	struct message question = {.type = 1002};
	struct echo echo;

	(void)state;
	open_with(&bed, &peer);
	echo_start(&bed, &echo, "what", 0);
	assert_int_equal(seat_credit(echo.seat), 0);
	seat_ask(echo.seat, &question, 3);
	assert_int_equal(seat_credit(echo.seat), 3);
	assert_int_not_equal(question.job, 0);
	seat_ask(echo.seat, &question, 0);
	seat_ask(echo.seat, &question, 2);
	assert_int_equal(seat_credit(echo.seat), 5);
	echo_disconnect(&peer);
	echo_run_until(&bed, &bed.lost, 1);
	echo_close(&bed);
}

/* Only a worker that owes something can be silent. */
static void test_credit_that_a_message_grants_makes_silence_count(void **state)
{
	struct echo_bed bed;
	struct echo_peer peer = {.seats = 1, .is_silent = true};
	struct message question = {.type = 1002};
	struct echo echo;

	(void)state;
	echo_open(&bed, NULL, (struct fleet_options){.stall_ms = 300});
	echo_connect(&bed, &peer);
	echo_run_until(&bed, &bed.readies, 1);
	echo_start(&bed, &echo, "what", 0);
	echo_pass(&bed, 1500);
	assert_int_equal(bed.lost, 0);
	seat_ask(echo.seat, &question, 1);
	echo_run_until(&bed, &bed.lost, 1);
	while (peer.endpoint)
		echo_pass(&bed, 1);
	echo_close(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_number_of_seats_has_a_limit),
		cmocka_unit_test(test_each_of_many_seats_gets_its_own_messages),
		cmocka_unit_test(test_a_late_message_does_not_reach_the_next_user_of_a_seat),
		cmocka_unit_test(test_a_worker_that_sends_more_than_it_was_granted_is_ended),
		cmocka_unit_test(test_a_seat_that_was_called_off_is_free_after_done),
		cmocka_unit_test(test_a_message_can_grant_credit_by_what_it_says),
		cmocka_unit_test(test_credit_that_a_message_grants_makes_silence_count),
	};

	log_set_level(LOG_ERROR + 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
