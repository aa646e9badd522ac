/*
 * An engine that is loading: its voices are known from its record or from the built-in table,
 * jobs wait for it, and a record is kept only of engines that work.
 *
 * argv[1] is the odd worker.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "bed.h"

static const char *odd_program;
static const char *removed_voice; /* is not installed any more */
static char records[64];
static char record[96]; /* of the engine "vits" */

static bool is_installed(const char *engine, const char *engine_voice, void *arg)
{
	(void)engine;
	(void)arg;
	return !removed_voice || strcmp(engine_voice, removed_voice) != 0;
}

static struct pool_options options(void)
{
	return (struct pool_options){.is_installed = is_installed, .records_dir = records};
}

static void offer(const char *voices)
{
	setenv("SYRINX_ENGINE_ODD_VITS", voices, 1);
}

static int make_records(void **state)
{
	(void)state;
	strcpy(records, "/tmp/syrinx-pool-XXXXXX");
	removed_voice = NULL;
	if (!mkdtemp(records) || rmdir(records) != 0) /* the pool creates it */
		return -1;
	snprintf(record, sizeof(record), "%s/vits", records);
	return 0;
}

static int remove_records(void **state)
{
	(void)state;
	unlink(record);
	return rmdir(records) == 0 || errno == ENOENT ? 0 : -1;
}

/* A run of the server in which the engine had these voices. */
static void run_before(const char *voices)
{
	struct bed bed;

	offer(voices);
	bed_open_ready(&bed, "vits", odd_program, options());
	assert_int_equal(access(record, F_OK), -1); /* it may still belong to another server */
	pool_keep_records(bed.pool);
	assert_int_equal(access(record, F_OK), 0);
	bed_close(&bed);
}

static const struct voice *find(const struct bed *bed, int64_t id)
{
	return voices_find(pool_voices(bed->pool), id);
}

static void assert_status(const struct bed *bed, int64_t id, enum voice_status status)
{
	assert_non_null(find(bed, id));
	assert_int_equal(find(bed, id)->status, status);
}

static void test_what_was_recorded_is_known_before_the_engine_has_loaded(void **state)
{
	struct bed bed;
	int64_t mine;

	(void)state;
	run_before("libritts:clara mine");
	bed_open(&bed, "vits", odd_program, options());
	assert_string_equal(pool_loading(bed.pool), "vits");
	assert_int_equal(voices_count(pool_voices(bed.pool)), 2);
	assert_status(&bed, 1081, VOICE_LOADING);
	mine = voices_at(pool_voices(bed.pool), 1)->id;
	assert_int_equal(find(&bed, mine)->sample_rate, 24000);
	bed_run(&bed);
	assert_null(pool_loading(bed.pool));
	assert_status(&bed, 1081, VOICE_READY);
	assert_status(&bed, mine, VOICE_READY);
	bed_close(&bed);
}

static void test_a_voice_that_was_removed_is_not_expected(void **state)
{
	struct bed bed;

	(void)state;
	run_before("libritts:clara libritts:emma");
	removed_voice = "libritts:emma";
	bed_open(&bed, "vits", odd_program, options());
	assert_status(&bed, 1081, VOICE_LOADING);
	assert_null(find(&bed, 1082));
	bed_run(&bed);
	assert_status(&bed, 1082, VOICE_READY); /* what the engine says decides */
	bed_close(&bed);
}

static void assert_table_is_expected(void)
{
	struct bed bed;

	bed_open(&bed, "vits", odd_program, options());
	assert_status(&bed, 1071, VOICE_LOADING);
	assert_status(&bed, 1090, VOICE_LOADING);
	bed_run(&bed);
	assert_status(&bed, 1081, VOICE_READY);
	assert_null(find(&bed, 1090));
	bed_close(&bed);
}

static void test_without_a_record_the_table_is_expected(void **state)
{
	(void)state;
	offer("libritts:clara");
	assert_table_is_expected();
}

/* A record that is cut off anywhere is treated as missing. */
static void test_a_damaged_record_is_none(void **state)
{
	(void)state;
	run_before("libritts:clara");
	assert_int_equal(truncate(record, 60), 0);
	assert_table_is_expected();
	assert_int_equal(truncate(record, 0), 0);
	assert_table_is_expected();
}

/* How a first job of the engine ends with these times to wait. */
static enum speech_end speak_at_once(unsigned start_timeout_ms, unsigned load_timeout_ms)
{
	struct pool_options waiting = options();
	struct bed bed;
	struct chunk chunk;
	enum speech_end how;

	waiting.start_timeout_ms = start_timeout_ms;
	waiting.load_timeout_ms = load_timeout_ms;
	bed_open(&bed, "vits", odd_program, waiting);
	bed.voice = find(&bed, 1081);
	bed_start_due(&bed, &chunk, "well", true, loop_now_us(bed.loop));
	while (!chunk.ended)
		bed_run(&bed);
	how = chunk.how;
	chunk_finish(&chunk);
	bed_close(&bed);
	return how;
}

static void test_a_job_waits_for_the_engine_to_load(void **state)
{
	(void)state;
	offer("libritts:clara");
	assert_int_equal(speak_at_once(1, 60000), SPEECH_DONE);
}

static void test_a_job_does_not_wait_for_ever(void **state)
{
	(void)state;
	offer("die");
	assert_int_equal(speak_at_once(1, 50), SPEECH_UNAVAILABLE);
}

/* It fails long before the time for loading is over, and so does the job. */
static void test_a_job_does_not_wait_for_an_engine_that_was_given_up(void **state)
{
	(void)state;
	offer("die");
	assert_int_equal(speak_at_once(1, 600000), SPEECH_UNAVAILABLE);
}

/* No voice is lost because of it. */
static void test_an_engine_that_had_no_voices_is_not_lost(void **state)
{
	struct bed bed;

	(void)state;
	run_before("");
	offer("die");
	bed_open_ready(&bed, "vits", odd_program, options());
	assert_null(pool_lost(bed.pool));
	bed_close(&bed);
}

/* Before this server replaces one that works, it must be visible that its engine does not start. */
static void test_an_engine_that_worked_and_is_given_up_is_lost(void **state)
{
	struct bed bed;

	(void)state;
	run_before("libritts:clara");
	offer("die");
	bed_open_ready(&bed, "vits", odd_program, options());
	assert_string_equal(pool_lost(bed.pool), "vits");
	assert_status(&bed, 1081, VOICE_UNAVAILABLE);
	assert_int_equal(access(record, F_OK), 0); /* of the server that works */
	pool_keep_records(bed.pool);
	assert_int_equal(access(record, F_OK), -1);
	bed_close(&bed);

	bed_open_ready(&bed, "vits", odd_program, options());
	assert_null(pool_lost(bed.pool));
	bed_close(&bed);
}

static void test_a_record_that_cannot_be_kept_is_no_failure(void **state)
{
	struct pool_options nowhere = options();
	struct bed bed;

	(void)state;
	offer("libritts:clara");
	nowhere.records_dir = "/proc/no such folder";
	bed_open_ready(&bed, "vits", odd_program, nowhere);
	pool_keep_records(bed.pool);
	assert_status(&bed, 1081, VOICE_READY);
	bed_close(&bed);
}

#define LOADING_TEST(name) cmocka_unit_test_setup_teardown(name, make_records, remove_records)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		LOADING_TEST(test_what_was_recorded_is_known_before_the_engine_has_loaded),
		LOADING_TEST(test_a_voice_that_was_removed_is_not_expected),
		LOADING_TEST(test_without_a_record_the_table_is_expected),
		LOADING_TEST(test_a_damaged_record_is_none),
		LOADING_TEST(test_a_job_waits_for_the_engine_to_load),
		LOADING_TEST(test_a_job_does_not_wait_for_ever),
		LOADING_TEST(test_a_job_does_not_wait_for_an_engine_that_was_given_up),
		LOADING_TEST(test_an_engine_that_had_no_voices_is_not_lost),
		LOADING_TEST(test_an_engine_that_worked_and_is_given_up_is_lost),
		LOADING_TEST(test_a_record_that_cannot_be_kept_is_no_failure),
	};

	if (argc < 2)
		return 2;
	odd_program = realpath(argv[1], NULL); /* for a link from elsewhere */
	log_set_level(LOG_ERROR + 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
