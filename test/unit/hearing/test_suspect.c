/*
 * Workers that die or hang: no word is lost, no frame is reported twice, other streams notice nothing
 * but a delay, and a stream that ends every worker fails alone.
 *
 * argv[1] is levels_worker.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "bed.h"
#include "children.h"

static const char *program;

/* Says words 1 to 9 to a worker that does what the prompt says. */
static void assert_all_words(struct bed *bed, const char *prompt, unsigned deaths)
{
	struct talk talk;
	char words[64];

	talk_start(bed, &talk, prompt);
	for (int word = 1; word <= 9; word += 3)
		talk_say(&talk, word, word + 2);
	talk_finish(&talk);
	bed_run_until_ended(&talk);
	assert_int_equal(talk.how, HEARING_DONE);
	assert_string_equal(talk.finals, talk_words(words, 1, 9));
	assert_int_equal(bed_stats(bed).worker_deaths, deaths);
}

static void test_a_worker_that_dies_loses_no_word(void **state)
{
	static const char *const prompts[] = {
		"die-listen 1",    "die-frame 0 1",  "die-frame 1 1", "die-frame 40 1",
		"die-frame 100 1", "die-level 1 1",  "die-level 5 1", "die-level 9 1",
		"die-level 4 2",   "die-frame 50 2",
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(prompts) / sizeof(*prompts); ++i) {
		struct bed bed;
		unsigned deaths = (unsigned)(prompts[i][strlen(prompts[i]) - 1] - '0');

		bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){0});
		bed_run_until_workers(&bed, 2);
		assert_all_words(&bed, prompts[i], deaths);
		bed_close(&bed);
	}
}

/* Also where each worker has one seat, and where there is only one worker. */
static void test_a_worker_that_dies_is_replaced_if_there_is_no_other(void **state)
{
	struct bed bed;

	(void)state;
	bed_open_ready(&bed, "hear-single", program, (struct hearing_pool_options){0});
	assert_all_words(&bed, "die-level 5 2", 2);
	bed_close(&bed);
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){.workers_max = 1});
	assert_all_words(&bed, "die-level 5 1", 1);
	bed_close(&bed);
}

static void test_a_worker_that_hangs_loses_no_word(void **state)
{
	static const char *const prompts[] = {"hang-listen 1", "hang-frame 40 1", "hang-level 5 1"};

	(void)state;
	for (unsigned i = 0; i < sizeof(prompts) / sizeof(*prompts); ++i) {
		struct bed bed;

		bed_open_ready(&bed, "hear", program,
			       (struct hearing_pool_options){.stall_ms = 300});
		bed_run_until_workers(&bed, 2);
		assert_all_words(&bed, prompts[i], 1);
		bed_close(&bed);
	}
}

/* A worker that hangs in one piece while it listens to what follows: that it reports activity does not
 * keep it alive. */
static void test_activity_is_no_sign_of_life_for_a_piece(void **state)
{
	struct bed bed;
	struct talk talk;

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){.stall_ms = 300});
	bed_run_until_workers(&bed, 2);
	talk_start(&bed, &talk, "hang-level 1 1");
	talk_say(&talk, 1, 1);
	while (talk.results == 0) {
		talk_send(&talk, 0, 30);
		talk_run_heard(&talk);
		bed_pass(&bed, 5);
	}
	assert_string_equal(talk.finals, "w1");
	assert_int_equal(bed_stats(&bed).worker_deaths, 1);
	talk_cancel(&talk);
	bed_close(&bed);
}

/* A caller who is silent owes nothing, and neither does its worker. */
static void test_a_worker_without_work_is_not_silent(void **state)
{
	struct bed bed;
	struct talk talk;

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){.stall_ms = 200});
	talk_start(&bed, &talk, "");
	talk_send(&talk, 0, 100);
	bed_pass(&bed, 1200);
	talk_say(&talk, 1, 2);
	talk_finish(&talk);
	bed_run_until_ended(&talk);
	assert_string_equal(talk.finals, "w1 w2");
	assert_int_equal(bed_stats(&bed).worker_deaths, 0);
	bed_close(&bed);
}

static bool have_ended(void *arg)
{
	struct talk *const *list = arg;

	for (; *list; ++list) {
		if (!(*list)->ended)
			return false;
	}
	return true;
}

/* Twenty streams share a worker with one whose piece ends every worker. */
static void test_a_stream_that_ends_every_worker_fails_alone(void **state)
{
	enum { TALKS = 20 };
	struct bed bed;
	struct talk *talks = calloc(TALKS + 1, sizeof(*talks));
	struct talk *list[TALKS + 2] = {0};
	char words[64];

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){.slots = 4});
	bed_run_until_workers(&bed, 2);
	for (unsigned i = 0; i <= TALKS; ++i) {
		list[i] = &talks[i];
		talk_start(&bed, &talks[i], i == 7 ? "die-level 3 99" : "slow 10");
		talk_say(&talks[i], 1, 3);
		talk_finish(&talks[i]);
	}
	bed_run_until(&bed, have_ended, list);
	for (unsigned i = 0; i <= TALKS; ++i) {
		if (i == 7)
			continue;
		assert_int_equal(talks[i].how, HEARING_DONE);
		assert_string_equal(talks[i].finals, talk_words(words, 1, 3));
	}
	assert_int_equal(talks[7].how, HEARING_FAILED);
	assert_int_equal(bed_stats(&bed).worker_deaths, 3);
	bed_close(&bed);
	free(talks);
}

/* The same for audio that ends them before anything is recognized, and for a stream that ends them
 * when it begins. */
static void test_audio_that_ends_every_worker_fails_alone(void **state)
{
	static const char *const prompts[] = {"die-frame 10 99", "die-listen 99"};
	enum { TALKS = 5 };
	struct talk *talks = calloc(TALKS + 1, sizeof(*talks));
	struct talk *list[TALKS + 2] = {0};
	struct bed bed;
	char words[64];

	(void)state;
	for (unsigned p = 0; p < sizeof(prompts) / sizeof(*prompts); ++p) {
		bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){0});
		bed_run_until_workers(&bed, 2);
		for (unsigned i = 0; i <= TALKS; ++i) {
			list[i] = &talks[i];
			talk_start(&bed, &talks[i], i == 2 ? prompts[p] : "");
			talk_say(&talks[i], 1, 3);
			talk_finish(&talks[i]);
		}
		bed_run_until(&bed, have_ended, list);
		assert_int_equal(talks[2].how, HEARING_FAILED);
		for (unsigned i = 0; i <= TALKS; ++i) {
			if (i == 2)
				continue;
			assert_int_equal(talks[i].how, HEARING_DONE);
			assert_string_equal(talks[i].finals, talk_words(words, 1, 3));
		}
		assert_int_equal(bed_stats(&bed).worker_deaths, 3);
		bed_close(&bed);
	}
	free(talks);
}

/* An operator kills all workers again and again while thirty callers speak. */
static void test_no_word_is_lost_when_all_workers_are_killed(void **state)
{
	enum { TALKS = 30, WORDS = 9 };
	struct bed bed;
	struct talk *talks = calloc(TALKS, sizeof(*talks));
	char words[64];

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){.slots = 4});
	for (unsigned i = 0; i < TALKS; ++i)
		talk_start(&bed, &talks[i], "");
	for (int word = 1; word <= WORDS; ++word) {
		for (unsigned i = 0; i < TALKS; ++i)
			talk_say(&talks[i], word, word);
		if (word % 3 == 0)
			children_signal(SIGKILL);
		bed_pass(&bed, 20);
		for (unsigned i = 0; i < TALKS; ++i)
			talk_run_heard(&talks[i]);
	}
	for (unsigned i = 0; i < TALKS; ++i) {
		talk_finish(&talks[i]);
		bed_run_until_ended(&talks[i]);
		assert_int_equal(talks[i].how, HEARING_DONE);
		assert_string_equal(talks[i].finals, talk_words(words, 1, WORDS));
	}
	bed_close(&bed);
	free(talks);
}

/* With a worker on standby nothing has to be loaded. */
static void test_a_stream_continues_on_the_worker_that_stands_by(void **state)
{
	struct bed bed;
	struct talk talk;
	char words[64];

	(void)state;
	bed_open_ready(&bed, "hear-slow", program, (struct hearing_pool_options){0});
	bed_run_until_workers(&bed, 2);
	talk_start(&bed, &talk, "die-level 5 1");
	talk_say(&talk, 1, 9);
	talk_finish(&talk);
	bed_run_until_ended(&talk);
	assert_string_equal(talk.finals, talk_words(words, 1, 9));
	/* A third one is loading, which takes seconds, and the stream did not wait for it. */
	assert_int_equal(bed_stats(&bed).starting, 1);
	bed_close(&bed);
}

static void test_a_worker_that_breaks_the_protocol_is_replaced(void **state)
{
	static const char *const prompts[] = {"breach words", "breach activity", "breach greedy"};

	(void)state;
	for (unsigned i = 0; i < sizeof(prompts) / sizeof(*prompts); ++i) {
		struct bed bed;
		struct talk bad, good;

		bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){0});
		bed_run_until_workers(&bed, 2);
		talk_start(&bed, &good, "");
		talk_start(&bed, &bad, prompts[i]);
		talk_say(&good, 1, 2);
		talk_say(&bad, 1, 2);
		bed_run_until_ended(&bad);
		assert_int_equal(bad.how, HEARING_FAILED);
		talk_finish(&good);
		bed_run_until_ended(&good);
		assert_string_equal(good.finals, "w1 w2");
		assert_true(bed_stats(&bed).worker_deaths >= 3);
		bed_close(&bed);
	}
}

static void test_a_worker_may_end_a_stream(void **state)
{
	struct bed bed;
	struct talk talk;

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){0});
	talk_start(&bed, &talk, "breach refuse");
	talk_say(&talk, 1, 2);
	bed_run_until_ended(&talk);
	assert_int_equal(talk.how, HEARING_FAILED);
	assert_string_equal(talk.detail, "no such model");
	talk_start(&bed, &talk, "breach end");
	talk_say(&talk, 1, 2);
	bed_run_until_ended(&talk);
	assert_int_equal(talk.how, HEARING_FAILED);
	assert_int_equal(bed_stats(&bed).worker_deaths, 0);
	bed_close(&bed);
}

static void test_messages_of_a_later_version_are_ignored(void **state)
{
	struct bed bed;

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){0});
	assert_all_words(&bed, "breach unknown", 0);
	bed_close(&bed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_worker_that_dies_loses_no_word),
		cmocka_unit_test(test_a_worker_that_dies_is_replaced_if_there_is_no_other),
		cmocka_unit_test(test_a_worker_that_hangs_loses_no_word),
		cmocka_unit_test(test_activity_is_no_sign_of_life_for_a_piece),
		cmocka_unit_test(test_a_worker_without_work_is_not_silent),
		cmocka_unit_test(test_a_stream_that_ends_every_worker_fails_alone),
		cmocka_unit_test(test_audio_that_ends_every_worker_fails_alone),
		cmocka_unit_test(test_no_word_is_lost_when_all_workers_are_killed),
		cmocka_unit_test(test_a_stream_continues_on_the_worker_that_stands_by),
		cmocka_unit_test(test_a_worker_that_breaks_the_protocol_is_replaced),
		cmocka_unit_test(test_a_worker_may_end_a_stream),
		cmocka_unit_test(test_messages_of_a_later_version_are_ignored),
	};

	if (argc < 2)
		return 2;
	program = realpath(argv[1], NULL); /* for a link from elsewhere */
	log_set_level(LOG_ERROR + 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
