/*
 * What a worker is sent: no more than it has room for, and no more than it reads, however many streams
 * it has.
 *
 * argv[1] is levels_worker, which exits if it is sent more than it has granted.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "bed.h"
#include "children.h"

#define TALKS 60

static const char *program;

static void start_all(struct bed *bed, struct talk *talks, unsigned count, const char *prompt)
{
	for (unsigned i = 0; i < count; ++i) {
		talk_start(bed, &talks[i], prompt);
		talk_send(&talks[i], 0, 100);
	}
	for (unsigned i = 0; i < count; ++i)
		talk_run_heard(&talks[i]);
}

static void finish_all(struct talk *talks, unsigned count, const char *words)
{
	for (unsigned i = 0; i < count; ++i) {
		talk_finish(&talks[i]);
		bed_run_until_ended(&talks[i]);
		assert_int_equal(talks[i].how, HEARING_DONE);
		assert_string_equal(talks[i].finals, words);
	}
}

/* Ten megabytes wait for it: two would end its connection. */
static void test_a_worker_that_does_not_read_is_not_flooded(void **state)
{
	struct bed bed;
	struct talk *talks = calloc(TALKS, sizeof(*talks));

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){0});
	bed_run_until_workers(&bed, 2);
	start_all(&bed, talks, TALKS, "");
	children_signal(SIGSTOP);
	for (unsigned i = 0; i < TALKS; ++i) {
		talk_send(&talks[i], 0, 4000);
		talk_say(&talks[i], 1, 2);
	}
	bed_pass(&bed, 200);
	children_signal(SIGCONT);
	finish_all(talks, TALKS, "w1 w2");
	assert_int_equal(bed_stats(&bed).worker_deaths, 0);
	bed_close(&bed);
	free(talks);
}

/* Each stream has half a minute of audio that it has not released, which is sent again at once. */
static void test_many_streams_that_are_sent_again_do_not_flood_a_worker(void **state)
{
	struct bed bed;
	struct talk *talks = calloc(TALKS, sizeof(*talks));
	pid_t pids[CHILDREN_MAX];
	unsigned workers;

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){.slots = 4});
	bed_run_until_workers(&bed, 2);
	start_all(&bed, talks, TALKS, "");
	for (unsigned i = 0; i < TALKS; ++i) {
		talks[i].is_manual = true;
		talk_send(&talks[i], 0, 20000);
		talk_send(&talks[i], 4, 500);
	}
	for (unsigned i = 0; i < TALKS; ++i)
		talk_run_heard(&talks[i]);
	for (unsigned i = 0; i < TALKS; ++i)
		assert_int_equal(talk_ask(&talks[i], 0, talks[i].sent, true, 0), 0);
	workers = children_list(pids, CHILDREN_MAX);
	children_signal(SIGKILL);
	for (unsigned i = 0; i < TALKS; ++i) {
		talk_finish(&talks[i]);
		bed_run_until_ended(&talks[i]);
		assert_int_equal(talks[i].how, HEARING_DONE);
		assert_string_equal(talks[i].finals, "w4");
	}
	assert_int_equal(bed_stats(&bed).worker_deaths, workers);
	assert_true(bed_stats(&bed).retries >= TALKS);
	bed_close(&bed);
	free(talks);
}

/* A worker that keeps two seconds at a time, and one that keeps less than a frame more than a piece. */
static void test_a_worker_with_little_room_hears_everything(void **state)
{
	static const char *const prompts[] = {"room 40000", "room 32000"};

	(void)state;
	for (unsigned i = 0; i < 2; ++i) {
		struct bed bed;
		struct talk talk;

		bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){0});
		talk_start(&bed, &talk, prompts[i]);
		for (int word = 1; word <= 9; ++word) {
			talk_send(&talk, word, 300);
			talk_send(&talk, 0, 1700);
		}
		talk_finish(&talk);
		bed_run_until_ended(&talk);
		assert_int_equal(talk.how, HEARING_DONE);
		assert_string_equal(talk.finals, "w1 w2 w3 w4 w5 w6 w7 w8 w9");
		assert_int_equal(bed_stats(&bed).worker_deaths, 0);
		bed_close(&bed);
	}
}

/* A stream that arrives all at once does not keep a live one from being heard. */
static void test_a_long_file_does_not_delay_a_live_stream(void **state)
{
	struct bed bed;
	struct talk file, live;

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){0});
	start_all(&bed, &file, 1, "deaf 1");
	start_all(&bed, &live, 1, "");
	talk_send(&file, 0, 60000);
	talk_say(&live, 1, 2);
	talk_finish(&live);
	bed_run_until_ended(&live);
	assert_string_equal(live.finals, "w1 w2");
	assert_true(file.heard < file.sent / 2);
	talk_cancel(&file);
	bed_close(&bed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_worker_that_does_not_read_is_not_flooded),
		cmocka_unit_test(test_many_streams_that_are_sent_again_do_not_flood_a_worker),
		cmocka_unit_test(test_a_worker_with_little_room_hears_everything),
		cmocka_unit_test(test_a_long_file_does_not_delay_a_live_stream),
	};

	if (argc < 2)
		return 2;
	program = realpath(argv[1], NULL); /* for a link from elsewhere */
	log_set_level(LOG_ERROR + 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
