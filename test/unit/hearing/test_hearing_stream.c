/*
 * Streams with real workers: what was said arrives, at the time at which it was said, and a stream can
 * end in every way at any time.
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

static const struct hearing_ops *ops_of(const struct bed *bed)
{
	return hearing_pool_hearing(bed->pool)->ops;
}

static void test_words_arrive_with_their_times(void **state)
{
	struct bed bed;
	struct talk talk;

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){0});
	talk_start(&bed, &talk, "");
	talk_send(&talk, 0, 1000);
	talk_say(&talk, 3, 5);
	talk_say(&talk, 7, 7);
	talk_finish(&talk);
	bed_run_until_ended(&talk);
	assert_int_equal(talk.how, HEARING_DONE);
	assert_string_equal(talk.finals, "w3 w4 w5 w7");
	assert_int_equal(talk.finals_asked, 2);
	/* The last word is said from 3.1 s to 3.4 s. */
	assert_int_equal(talk.last_word_count, 1);
	assert_in_range(talk.last_word.sample_start, 31 * SECOND / 10 - 160,
			31 * SECOND / 10 + 160);
	assert_in_range(talk.last_word.sample_end, 34 * SECOND / 10 - 160, 34 * SECOND / 10 + 160);
	assert_int_equal(talk.last_word.byte_start, 0);
	assert_int_equal(talk.last_word.byte_end, 2);
	assert_int_equal(talk.heard, talk.sent / HEARING_FRAME * HEARING_FRAME);
	bed_close(&bed);
}

/* A stream is heard while it is sent, not when it ends. */
static void test_a_stream_is_heard_before_it_ends(void **state)
{
	struct bed bed;
	struct talk talk;

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){0});
	talk_start(&bed, &talk, "");
	for (int word = 1; word <= 9; ++word) {
		char words[64];

		talk_say(&talk, word, word);
		while (strcmp(talk.finals, talk_words(words, 1, word)) != 0)
			bed_pass(&bed, 1);
	}
	talk_finish(&talk);
	bed_run_until_ended(&talk);
	assert_int_equal(talk.how, HEARING_DONE);
	bed_close(&bed);
}

static void test_many_streams_are_heard_by_one_worker(void **state)
{
	enum { TALKS = 48 };
	struct bed bed;
	struct talk *talks = calloc(TALKS, sizeof(*talks));
	char words[64];

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){.workers_max = 1});
	for (int i = 0; i < TALKS; ++i) {
		talk_start(&bed, &talks[i], "");
		talk_say(&talks[i], 1 + i % 10, 3 + i % 10);
		talk_finish(&talks[i]);
	}
	for (int i = 0; i < TALKS; ++i) {
		bed_run_until_ended(&talks[i]);
		assert_string_equal(talks[i].finals, talk_words(words, 1 + i % 10, 3 + i % 10));
	}
	assert_int_equal(bed_stats(&bed).workers, 1);
	bed_close(&bed);
	free(talks);
}

static void test_pieces_that_cannot_be_recognized_are_refused(void **state)
{
	struct bed bed;
	struct talk talk;

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){0});
	talk_start(&bed, &talk, "");
	talk.is_manual = true;
	talk_send(&talk, 0, 40000);
	assert_int_equal(talk_ask(&talk, 5, 5, true, 0), EINVAL);
	assert_int_equal(talk_ask(&talk, 5, 4, true, 0), EINVAL);
	assert_int_equal(talk_ask(&talk, 0, talk.sent + 1, true, 0), EINVAL);
	assert_int_equal(talk_ask(&talk, 0, 30 * SECOND + 1, true, 0), EINVAL);
	ops_of(&bed)->release(talk.stream, 100);
	assert_int_equal(talk_ask(&talk, 99, 3000, true, 0), EINVAL);
	for (unsigned i = 0; i < HEARING_PIECES_MAX; ++i)
		assert_int_equal(talk_ask(&talk, 100, 3000, true, 0), 0);
	assert_int_equal(talk_ask(&talk, 100, 3000, true, 0), ENOBUFS);
	talk_finish(&talk);
	bed_run_until_ended(&talk);
	assert_int_equal(talk.results, HEARING_PIECES_MAX);
	bed_close(&bed);
}

/* A piece that ends within a frame. */
static void test_a_piece_needs_no_whole_frames(void **state)
{
	struct bed bed;
	struct talk talk;

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){0});
	talk_start(&bed, &talk, "");
	talk.is_manual = true;
	talk_send(&talk, 2, 10);
	assert_int_equal(talk_ask(&talk, 0, 160, true, 0), 0);
	talk_send(&talk, 3, 90);
	assert_int_equal(talk_ask(&talk, 160, 1600, true, 0), 0);
	ops_of(&bed)->finish(talk.stream);
	bed_run_until_ended(&talk);
	assert_string_equal(talk.texts[0], "w2");
	assert_string_equal(talk.texts[1], "w3");
	bed_close(&bed);
}

static void test_a_stream_without_pieces_can_be_finished_at_any_time(void **state)
{
	struct bed bed;
	struct talk talks[3];

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){0});
	for (unsigned i = 0; i < 3; ++i)
		talk_start(&bed, &talks[i], "");
	ops_of(&bed)->finish(talks[0].stream); /* it has no worker yet */
	assert_false(talks[0].ended); /* not inside the call */
	bed_run_until_ended(&talks[0]);
	assert_int_equal(talks[0].how, HEARING_DONE);
	while (bed_stats(&bed).streams_queued > 0)
		bed_pass(&bed, 1);
	ops_of(&bed)->finish(talks[1].stream);
	bed_run_until_ended(&talks[1]);
	assert_int_equal(talks[1].how, HEARING_DONE);
	talks[2].is_manual = true;
	talk_send(&talks[2], 4, 5000);
	ops_of(&bed)->finish(talks[2].stream);
	bed_run_until_ended(&talks[2]);
	assert_int_equal(talks[2].how, HEARING_DONE);
	bed_close(&bed);
}

static void cancel_at_result(struct talk *talk, const struct hearing_result *result)
{
	(void)result;
	talk_cancel(talk);
}

static void cancel_at_activity(struct talk *talk)
{
	if (talk->activities == 2)
		talk_cancel(talk);
}

static bool has_ended(void *arg)
{
	const struct talk *talk = arg;

	return talk->ended;
}

static void test_a_stream_can_be_cancelled_at_any_time(void **state)
{
	struct bed bed;
	struct talk talk;

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){0});
	talk_start(&bed, &talk, "");
	talk_cancel(&talk);
	talk_start(&bed, &talk, "");
	talk_say(&talk, 1, 9);
	bed_pass(&bed, 3);
	talk_cancel(&talk);
	talk_start(&bed, &talk, "");
	talk.on_result = cancel_at_result;
	talk_say(&talk, 1, 9);
	bed_run_until(&bed, has_ended, &talk);
	talk_start(&bed, &talk, "");
	talk.on_activity = cancel_at_activity;
	talk_say(&talk, 1, 9);
	bed_run_until(&bed, has_ended, &talk);
	talk_start(&bed, &talk, "slow 60000");
	talk_say(&talk, 1, 9);
	talk_finish(&talk);
	while (bed_stats(&bed).pieces_running == 0)
		bed_pass(&bed, 1);
	talk_cancel(&talk);
	assert_int_equal(bed_stats(&bed).pieces_running, 0);
	bed_close(&bed);
}

/* What is not released cannot be more than is kept; then the session is told. */
static void test_a_session_is_told_when_there_is_room_again(void **state)
{
	static const int16_t second[SECOND];
	struct bed bed;
	struct talk talk;
	size_t room;

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){0});
	talk_start(&bed, &talk, "");
	talk.is_manual = true;
	assert_int_equal(ops_of(&bed)->room(talk.stream), HEARING_KEPT_MAX);
	while (ops_of(&bed)->send(talk.stream, second, SECOND) == 0)
		talk.sent += SECOND;
	assert_int_equal(talk.sent, HEARING_KEPT_MAX);
	assert_int_equal(ops_of(&bed)->room(talk.stream), 0);
	talk_run_heard(&talk);
	assert_int_equal(talk.rooms, 0);
	ops_of(&bed)->release(talk.stream, 5 * SECOND);
	assert_int_equal(talk.rooms, 0); /* not inside the call */
	while (talk.rooms == 0)
		bed_pass(&bed, 1);
	room = ops_of(&bed)->room(talk.stream);
	assert_in_range(room, 3 * SECOND, 5 * SECOND); /* some context is kept */
	assert_int_equal(ops_of(&bed)->send(talk.stream, second, SECOND), 0);
	talk.sent += SECOND;
	talk_run_heard(&talk);
	talk_cancel(&talk);
	bed_close(&bed);
}

/* Audio that a piece needs is kept although it was released, until its words have arrived. */
static void test_audio_is_kept_for_pieces_that_wait(void **state)
{
	struct bed bed;
	struct talk talk;

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){0});
	talk_start(&bed, &talk, "slow 100");
	talk.is_manual = true;
	talk_send(&talk, 6, 20000);
	talk_run_heard(&talk);
	assert_int_equal(talk_ask(&talk, 2 * SECOND, 20 * SECOND, true, 0), 0);
	ops_of(&bed)->release(talk.stream, 20 * SECOND);
	assert_true(ops_of(&bed)->room(talk.stream) < HEARING_KEPT_MAX - 17 * SECOND);
	while (talk.results == 0)
		bed_pass(&bed, 1);
	assert_string_equal(talk.finals, "w6");
	assert_true(ops_of(&bed)->room(talk.stream) >= HEARING_KEPT_MAX - 2 * SECOND);
	talk_finish(&talk);
	bed_run_until_ended(&talk);
	bed_close(&bed);
}

static void test_there_is_a_bound_to_the_number_of_streams(void **state)
{
	struct bed bed;
	struct talk talks[3];

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){.streams_max = 2});
	talk_start(&bed, &talks[0], "");
	talk_start(&bed, &talks[1], "");
	assert_int_equal(talk_try(&bed, &talks[2], ""), ENOBUFS);
	talk_cancel(&talks[0]);
	talk_start(&bed, &talks[2], "");
	talk_cancel(&talks[1]);
	talk_cancel(&talks[2]);
	bed_close(&bed);
}

static void test_a_stream_that_finds_no_seat_in_time_ends(void **state)
{
	struct bed bed;
	struct talk talks[3];

	(void)state;
	bed_open_ready(&bed, "hear-single", program,
		       (struct hearing_pool_options){.workers_max = 2, .start_timeout_ms = 50});
	bed_run_until_workers(&bed, 2);
	for (unsigned i = 0; i < 3; ++i)
		talk_start(&bed, &talks[i], "");
	bed_run_until_ended(&talks[2]);
	assert_int_equal(talks[2].how, HEARING_UNAVAILABLE);
	assert_false(talks[0].ended || talks[1].ended);
	talk_cancel(&talks[0]);
	talk_cancel(&talks[1]);
	bed_close(&bed);
}

/* Hours of audio: positions and memory do not grow with it, nor does what a worker keeps. */
static void test_a_stream_may_be_long(void **state)
{
	struct bed bed;
	struct talk talk;

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){0});
	talk_start(&bed, &talk, "");
	for (unsigned i = 0; i < 100; ++i) {
		talk_send(&talk, 0, 5000);
		talk_run_heard(&talk);
		assert_true(ops_of(&bed)->room(talk.stream) > HEARING_KEPT_MAX - 3 * SECOND);
	}
	talk_say(&talk, 1, 2);
	talk_finish(&talk);
	bed_run_until_ended(&talk);
	assert_string_equal(talk.finals, "w1 w2");
	bed_close(&bed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_arrive_with_their_times),
		cmocka_unit_test(test_a_stream_is_heard_before_it_ends),
		cmocka_unit_test(test_many_streams_are_heard_by_one_worker),
		cmocka_unit_test(test_pieces_that_cannot_be_recognized_are_refused),
		cmocka_unit_test(test_a_piece_needs_no_whole_frames),
		cmocka_unit_test(test_a_stream_without_pieces_can_be_finished_at_any_time),
		cmocka_unit_test(test_a_stream_can_be_cancelled_at_any_time),
		cmocka_unit_test(test_a_session_is_told_when_there_is_room_again),
		cmocka_unit_test(test_audio_is_kept_for_pieces_that_wait),
		cmocka_unit_test(test_there_is_a_bound_to_the_number_of_streams),
		cmocka_unit_test(test_a_stream_that_finds_no_seat_in_time_ends),
		cmocka_unit_test(test_a_stream_may_be_long),
	};

	if (argc < 2)
		return 2;
	program = realpath(argv[1], NULL); /* for a link from elsewhere */
	log_set_level(LOG_ERROR + 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
