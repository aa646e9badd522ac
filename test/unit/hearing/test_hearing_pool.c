/*
 * The engines that listen: which models there are, what happens without any, while they load, when
 * they do not start and when they change.
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
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "bed.h"
#include "children.h"

static const char *program;

static enum hearing_state state_of(const struct bed *bed)
{
	const struct hearing *hearing = hearing_pool_hearing(bed->pool);

	return hearing->ops->state(hearing);
}

static size_t model_count(const struct bed *bed)
{
	return hearing_models_count(hearing_pool_hearing(bed->pool)->models);
}

static void test_a_server_without_engines_is_ready_and_hears_nothing(void **state)
{
	struct bed bed;

	(void)state;
	bed_open_ready(&bed, NULL, NULL, (struct hearing_pool_options){0});
	assert_int_equal(state_of(&bed), HEARING_NO_ENGINE);
	assert_int_equal(model_count(&bed), 0);
	assert_null(hearing_pool_loading(bed.pool));
	hearing_pool_renew(bed.pool);
	bed_close(&bed);
}

static void test_engines_that_speak_or_decode_are_not_started(void **state)
{
	struct bed bed;

	(void)state;
	bed_open_ready(&bed, "decode", program, (struct hearing_pool_options){0});
	assert_int_equal(state_of(&bed), HEARING_NO_ENGINE);
	assert_int_equal(bed_stats(&bed).workers, 0);
	bed_close(&bed);
	bed_open_ready(&bed, "tone", program, (struct hearing_pool_options){0});
	assert_int_equal(state_of(&bed), HEARING_NO_ENGINE);
	bed_close(&bed);
}

static void test_models_are_known_when_their_engine_has_loaded(void **state)
{
	struct bed bed;
	const struct hearing_model *model;

	(void)state;
	bed_open(&bed, "hear-slow", program, (struct hearing_pool_options){0});
	assert_int_equal(state_of(&bed), HEARING_LOADING);
	assert_string_equal(hearing_pool_loading(bed.pool), "hear-slow");
	bed_run_ready(&bed);
	assert_int_equal(state_of(&bed), HEARING_READY);
	assert_int_equal(model_count(&bed), 1);
	model = hearing_models_at(hearing_pool_hearing(bed.pool)->models, 0);
	assert_string_equal(model->name, "levels");
	assert_string_equal(model->engine, "hear-slow");
	assert_string_equal(model->languages, "en");
	assert_int_equal(model->piece_max, 30 * HEARING_RATE);
	assert_true(model->has_times && model->has_probabilities && model->has_partials);
	assert_false(model->detects_language || model->times_are_approximate);
	bed_close(&bed);
}

static void test_an_engine_without_models_is_not_an_error(void **state)
{
	struct bed bed;

	(void)state;
	bed_open_ready(&bed, "hear-mute", program, (struct hearing_pool_options){0});
	assert_int_equal(state_of(&bed), HEARING_NO_MODELS);
	bed_pass(&bed, 50);
	assert_int_equal(bed_stats(&bed).workers, 1); /* nothing stands by */
	bed_close(&bed);
}

static void test_an_engine_that_does_not_start_is_given_up(void **state)
{
	struct bed bed;

	(void)state;
	bed_open_ready(&bed, "hear-broken", program, (struct hearing_pool_options){0});
	assert_int_equal(state_of(&bed), HEARING_BROKEN);
	assert_null(hearing_pool_loading(bed.pool));
	assert_null(hearing_pool_lost(bed.pool)); /* it has never worked */
	bed_close(&bed);
}

/* The name of its program promises what READY does not. */
static void test_an_engine_that_does_not_listen_is_not_used(void **state)
{
	struct bed bed;

	(void)state;
	bed_open_ready(&bed, "hear-loud", program, (struct hearing_pool_options){0});
	assert_int_equal(state_of(&bed), HEARING_BROKEN);
	assert_int_equal(model_count(&bed), 0);
	bed_close(&bed);
}

static bool is_installed(const char *engine, const char *model, void *arg)
{
	const bool *installed = arg;

	assert_string_equal(model, "levels");
	assert_true(strncmp(engine, "hear", 4) == 0);
	return *installed;
}

/* Runs a pool that keeps records in `records`; what is expected before the engine has loaded depends on
 * whether its model is still installed. */
static void open_with_records(struct bed *bed, const char *name, const char *records,
			      bool *installed)
{
	bed_open(bed, name, program,
		 (struct hearing_pool_options){.records_dir = records,
					       .is_installed = is_installed,
					       .installed_arg = installed,
					       .load_timeout_ms = 60000});
}

static void test_models_of_the_last_run_are_known_at_once(void **state)
{
	char records[] = "/tmp/syrinx-records-XXXXXX";
	char path[128];
	bool yes = true;
	bool no = false;
	struct bed bed;
	struct talk talk;

	(void)state;
	assert_non_null(mkdtemp(records));
	open_with_records(&bed, "hear-slow", records, &yes);
	assert_int_equal(state_of(&bed), HEARING_LOADING); /* there is no record yet */
	hearing_pool_keep_records(bed.pool);
	bed_run_ready(&bed);
	bed_close(&bed);

	open_with_records(&bed, "hear-slow", records, &no);
	assert_int_equal(state_of(&bed), HEARING_LOADING);
	bed_close(&bed);

	open_with_records(&bed, "hear-slow", records, &yes);
	assert_int_equal(state_of(&bed), HEARING_READY);
	talk_start(&bed, &talk, "");
	talk_say(&talk, 1, 2);
	talk_finish(&talk);
	assert_string_equal(hearing_pool_loading(bed.pool), "hear-slow");
	bed_run_until_ended(&talk);
	assert_int_equal(talk.how, HEARING_DONE);
	assert_string_equal(talk.finals, "w1 w2");
	bed_close(&bed);

	/* The same program does not start any more. */
	snprintf(path, sizeof(path), "%s/hear-slow", records);
	{
		char broken[128];

		snprintf(broken, sizeof(broken), "%s/hear-broken", records);
		assert_int_equal(rename(path, broken), 0);
	}
	open_with_records(&bed, "hear-broken", records, &yes);
	assert_int_equal(state_of(&bed), HEARING_READY);
	talk_start(&bed, &talk, "");
	bed_run_ready(&bed);
	assert_string_equal(hearing_pool_lost(bed.pool), "hear-broken");
	assert_int_equal(state_of(&bed), HEARING_BROKEN);
	talk_cancel(&talk);
	bed_close(&bed);
	children_remove_dir(records);
}

static void test_streams_move_to_a_worker_that_knows_the_new_models(void **state)
{
	struct bed bed;
	struct talk talk, waits;
	pid_t before[CHILDREN_MAX];
	pid_t after[CHILDREN_MAX];
	char words[64];

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){0});
	bed_run_until_workers(&bed, 2);
	talk_start(&bed, &talk, "");
	talk_start(&bed, &waits, "slow 300");
	talk_say(&talk, 1, 3);
	talk_say(&waits, 5, 6);
	talk_run_heard(&talk);
	assert_int_equal(children_list(before, CHILDREN_MAX), 2);
	hearing_pool_renew(bed.pool);
	for (unsigned old = 2; old > 0;) {
		unsigned count = children_list(after, CHILDREN_MAX);

		old = 0;
		for (unsigned i = 0; i < count; ++i)
			old += after[i] == before[0] || after[i] == before[1];
		bed_pass(&bed, 5);
	}
	assert_string_equal(waits.finals, "w5 w6"); /* it was not interrupted */
	talk_say(&talk, 4, 6);
	talk_finish(&talk);
	bed_run_until_ended(&talk);
	assert_string_equal(talk.finals, talk_words(words, 1, 6));
	talk_finish(&waits);
	bed_run_until_ended(&waits);
	assert_int_equal(bed_stats(&bed).worker_deaths, 0);
	bed_close(&bed);
}

static void test_workers_are_replaced_after_many_streams(void **state)
{
	struct bed bed;
	struct talk talk;
	pid_t before[CHILDREN_MAX];
	pid_t after[CHILDREN_MAX];

	(void)state;
	bed_open_ready(&bed, "hear", program, (struct hearing_pool_options){.recycle_jobs = 3});
	bed_run_until_workers(&bed, 2);
	assert_int_equal(children_list(before, CHILDREN_MAX), 2);
	for (unsigned i = 0; i < 12; ++i) {
		talk_start(&bed, &talk, "");
		talk_say(&talk, 1, 1);
		talk_finish(&talk);
		bed_run_until_ended(&talk);
		assert_string_equal(talk.finals, "w1");
	}
	bed_run_until_workers(&bed, 2);
	assert_int_equal(children_list(after, CHILDREN_MAX), 2);
	/* The one that stands by has done nothing and stays. */
	assert_int_equal((after[0] == before[0]) + (after[0] == before[1]) +
				 (after[1] == before[0]) + (after[1] == before[1]),
			 1);
	assert_int_equal(bed_stats(&bed).worker_deaths, 0);
	bed_close(&bed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_server_without_engines_is_ready_and_hears_nothing),
		cmocka_unit_test(test_engines_that_speak_or_decode_are_not_started),
		cmocka_unit_test(test_models_are_known_when_their_engine_has_loaded),
		cmocka_unit_test(test_an_engine_without_models_is_not_an_error),
		cmocka_unit_test(test_an_engine_that_does_not_start_is_given_up),
		cmocka_unit_test(test_an_engine_that_does_not_listen_is_not_used),
		cmocka_unit_test(test_models_of_the_last_run_are_known_at_once),
		cmocka_unit_test(test_streams_move_to_a_worker_that_knows_the_new_models),
		cmocka_unit_test(test_workers_are_replaced_after_many_streams),
	};

	if (argc < 2)
		return 2;
	program = realpath(argv[1], NULL); /* for a link from elsewhere */
	log_set_level(LOG_ERROR + 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
