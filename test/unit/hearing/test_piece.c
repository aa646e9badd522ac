/*
 * Which piece is recognized next: finals before others, each by deadline, no more at once than there
 * are slots, and of a stream only the latest piece that is not final.
 *
 * argv[1] is levels_worker.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "bed.h"

#define SECOND HEARING_RATE

static const char *program;

/* Streams with a second of audio each, whose pieces the test asks for itself. */
static void start_all(struct bed *bed, struct talk *talks, unsigned count, const char *prompt)
{
	for (unsigned i = 0; i < count; ++i) {
		talk_start(bed, &talks[i], prompt);
		talks[i].is_manual = true;
		talk_send(&talks[i], 1 + (int)i % 9, 1024);
	}
	for (unsigned i = 0; i < count; ++i)
		talk_run_heard(&talks[i]);
}

static void finish_all(struct talk *talks, unsigned count)
{
	for (unsigned i = 0; i < count; ++i) {
		talk_finish(&talks[i]);
		bed_run_until_ended(&talks[i]);
		assert_int_equal(talks[i].how, HEARING_DONE);
	}
}

static void ask(struct talk *talk, bool is_final, uint64_t due_us)
{
	assert_int_equal(talk_ask(talk, 0, SECOND, is_final, due_us), 0);
}

static void test_finals_come_first_and_then_the_earliest(void **state)
{
	struct bed bed;
	struct talk talks[6];

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){.slots = 1});
	start_all(&bed, talks, 6, "slow 20");
	ask(&talks[0], false, 400);
	ask(&talks[1], false, 300);
	ask(&talks[2], true, 900);
	ask(&talks[3], true, 700);
	ask(&talks[4], true, 800);
	ask(&talks[5], false, 200);
	finish_all(talks, 6);
	assert_int_equal(talks[3].order[0], 1);
	assert_int_equal(talks[4].order[0], 2);
	assert_int_equal(talks[2].order[0], 3);
	assert_int_equal(talks[5].order[0], 4);
	assert_int_equal(talks[1].order[0], 5);
	assert_int_equal(talks[0].order[0], 6);
	bed_close(&bed);
}

static void test_no_more_pieces_are_recognized_at_once_than_there_are_slots(void **state)
{
	struct bed bed;
	struct talk talks[5];

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){.slots = 2});
	start_all(&bed, talks, 5, "slow 30");
	for (unsigned i = 0; i < 5; ++i)
		ask(&talks[i], i % 2, 0);
	while (bed.results < 5) {
		bed_pass(&bed, 1);
		assert_true(bed_stats(&bed).pieces_running <= 4); /* two of each kind */
	}
	finish_all(talks, 5);
	bed_close(&bed);
}

/* A piece that is not final has taken the only slot, and takes long. */
static void test_a_final_does_not_wait_for_pieces_that_are_not(void **state)
{
	struct bed bed;
	struct talk slow, quick;

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){.slots = 1});
	start_all(&bed, &slow, 1, "slow 60000");
	start_all(&bed, &quick, 1, "");
	ask(&slow, false, 0);
	while (bed_stats(&bed).pieces_running == 0)
		bed_pass(&bed, 1);
	ask(&quick, true, 0);
	finish_all(&quick, 1);
	assert_int_equal(slow.results, 0);
	talk_cancel(&slow);
	bed_close(&bed);
}

static void test_a_later_piece_replaces_one_that_no_worker_has(void **state)
{
	struct bed bed;
	struct talk slow, talk;

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){.slots = 1});
	start_all(&bed, &slow, 1, "slow 60000");
	start_all(&bed, &talk, 1, "");
	ask(&slow, true, 0);
	while (bed_stats(&bed).pieces_running == 0)
		bed_pass(&bed, 1);
	ask(&talk, false, 0);
	ask(&talk, false, 0);
	ask(&talk, false, 0);
	assert_int_equal(bed_stats(&bed).left_out, 2);
	assert_int_equal(bed_stats(&bed).pieces_waiting, 1);
	ask(&talk, true, 0);
	ask(&talk, true, 0); /* finals are not left out */
	assert_int_equal(bed_stats(&bed).left_out, 3);
	assert_int_equal(bed_stats(&bed).pieces_waiting, 2);
	talk_cancel(&slow);
	finish_all(&talk, 1);
	assert_int_equal(talk.results, 2);
	assert_true(talk.order[3] && talk.order[4]);
	bed_close(&bed);
}

/* Of one stream, only one piece that is not final is at a worker. */
static void test_a_stream_has_one_partial_result_at_a_time(void **state)
{
	struct bed bed;
	struct talk talk;

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){.slots = 4});
	start_all(&bed, &talk, 1, "slow 50");
	ask(&talk, false, 0);
	while (bed_stats(&bed).pieces_running == 0)
		bed_pass(&bed, 1);
	ask(&talk, false, 0);
	bed_pass(&bed, 5);
	assert_int_equal(bed_stats(&bed).pieces_running, 1);
	finish_all(&talk, 1);
	assert_int_equal(talk.partials, 2);
	bed_close(&bed);
}

/* While sentences are spoken on all cores, only finals are recognized. */
static void test_partial_results_give_way_to_others_that_use_the_cores(void **state)
{
	struct bed bed;
	struct talk talks[2];
	unsigned busy = 2;

	(void)state;
	bed_open_ready(&bed, "hear", program,
		       (struct hearing_pool_options){.slots = 2, .cores_busy = &busy});
	start_all(&bed, talks, 2, "");
	ask(&talks[0], false, 0);
	ask(&talks[1], true, 0);
	while (talks[1].results == 0)
		bed_pass(&bed, 1);
	bed_pass(&bed, 50);
	assert_int_equal(talks[0].results, 0);
	busy = 1; /* nobody tells the pool */
	while (talks[0].results == 0)
		bed_pass(&bed, 1);
	finish_all(talks, 2);
	bed_close(&bed);
}

/* An engine that says how many pieces it recognizes together does not share the cores. */
static void test_an_engine_may_have_slots_of_its_own(void **state)
{
	struct bed bed;
	struct talk talks[4];
	unsigned busy = 100;

	(void)state;
	bed_open_ready(
		&bed, "hear-batch", program,
		(struct hearing_pool_options){.slots = 1, .workers_max = 1, .cores_busy = &busy});
	start_all(&bed, talks, 4, "slow 50");
	for (unsigned i = 0; i < 4; ++i)
		ask(&talks[i], false, 0);
	while (bed_stats(&bed).pieces_running < 3)
		bed_pass(&bed, 1);
	assert_int_equal(bed_stats(&bed).pieces_waiting, 1);
	finish_all(talks, 4);
	bed_close(&bed);
}

static void test_partial_results_arrive_while_somebody_speaks(void **state)
{
	struct bed bed;
	struct talk talk;

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){0});
	talk_start(&bed, &talk, "");
	for (int word = 1; word <= 6; ++word) {
		talk_send(&talk, word, 400);
		talk_run_heard(&talk);
		while (bed_stats(&bed).pieces_waiting + bed_stats(&bed).pieces_running > 0)
			bed_pass(&bed, 1);
	}
	assert_in_range(talk.partials, 3, 4); /* every 500 ms, of 2.4 s */
	assert_string_equal(talk.texts[0], "w1 w2");
	talk_send(&talk, 0, 1000);
	talk_finish(&talk);
	bed_run_until_ended(&talk);
	assert_string_equal(talk.finals, "w1 w2 w3 w4 w5 w6");
	bed_close(&bed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finals_come_first_and_then_the_earliest),
		cmocka_unit_test(test_no_more_pieces_are_recognized_at_once_than_there_are_slots),
		cmocka_unit_test(test_a_final_does_not_wait_for_pieces_that_are_not),
		cmocka_unit_test(test_a_later_piece_replaces_one_that_no_worker_has),
		cmocka_unit_test(test_a_stream_has_one_partial_result_at_a_time),
		cmocka_unit_test(test_partial_results_give_way_to_others_that_use_the_cores),
		cmocka_unit_test(test_an_engine_may_have_slots_of_its_own),
		cmocka_unit_test(test_partial_results_arrive_while_somebody_speaks),
	};

	if (argc < 2)
		return 2;
	program = realpath(argv[1], NULL); /* for a link from elsewhere */
	log_set_level(LOG_ERROR + 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
