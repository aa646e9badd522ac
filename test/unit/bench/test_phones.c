/*
 * What a phone of the benchmark makes of the server's messages: answers, gaps, interruptions and frames that
 * should not have been sent any more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/base64.h"
#include "bench/phones.h"

#define MS UINT64_C(1000)

static struct phone_heard heard;

static void take(const char *json, uint64_t at_ms)
{
	char text[2048];

	snprintf(text, sizeof(text), "%s", json);
	phone_take(&heard, text, strlen(text), at_ms * MS);
}

/* A frame of 20 ms. */
static void take_frame(int64_t event_id, uint64_t at_ms)
{
	static const int16_t samples[SPEECH_CHUNK];
	char base64[1024], json[2048];

	base64[base64_encode(base64, samples, sizeof(samples))] = '\0';
	snprintf(
		json, sizeof(json),
		"{\"type\":\"audio\",\"audio_event\":{\"audio_base_64\":\"%s\",\"event_id\":%lld}}",
		base64, (long long)event_id);
	take(json, at_ms);
}

static int set_up(void **state)
{
	(void)state;
	phone_init_heard(&heard);
	return 0;
}

static void test_frames_in_time_leave_no_gap(void **state)
{
	(void)state;
	take_frame(1, 1000);
	take_frame(1, 1001);
	take_frame(1, 1040);
	assert_int_equal(heard.answers, 1);
	assert_int_equal(heard.answer_us, 1000 * MS);
	assert_int_equal(heard.dry_us, 1060 * MS);
	assert_int_equal(heard.late, 0);
	assert_int_equal(heard.gap_us, 0);
}

static void test_a_frame_after_a_gap_of_more_than_40_ms_is_late(void **state)
{
	(void)state;
	take_frame(1, 1000);
	take_frame(1, 1060); /* 40 ms after the end of the first */
	assert_int_equal(heard.late, 0);
	take_frame(1, 1121);
	assert_int_equal(heard.late, 1);
	assert_int_equal(heard.gap_us, 41 * MS);
	assert_int_equal(heard.dry_us, 1141 * MS);
}

static void test_the_time_between_answers_is_no_gap(void **state)
{
	(void)state;
	take_frame(1, 1000);
	take_frame(2, 9000);
	assert_int_equal(heard.answers, 2);
	assert_int_equal(heard.answer_us, 9000 * MS);
	assert_int_equal(heard.late, 0);
}

static void test_frames_of_an_interrupted_answer_are_stale(void **state)
{
	(void)state;
	take_frame(3, 1000);
	take("{\"type\":\"interruption\",\"interruption_event\":{\"event_id\":3}}", 1010);
	assert_int_equal(heard.cuts, 1);
	assert_int_equal(heard.cut_us, 1010 * MS);
	assert_int_equal(heard.dry_us, 1010 * MS);
	take_frame(3, 1020);
	assert_int_equal(heard.stale, 1);
	assert_int_equal(heard.answers, 1);
	take_frame(4, 2000);
	assert_int_equal(heard.stale, 1);
	assert_int_equal(heard.answers, 2);
}

static void test_messages_are_understood(void **state)
{
	(void)state;
	take("{\"type\":\"conversation_initiation_metadata\","
	     "\"conversation_initiation_metadata_event\":{\"conversation_id\":\"conv_1\"}}",
	     1);
	assert_true(heard.is_started);
	take("{\"type\":\"ping\",\"ping_event\":{\"event_id\":7,\"ping_ms\":null}}", 2);
	assert_int_equal(heard.ping_id, 7);
	take("{\"type\":\"user_transcript\",\"user_transcription_event\":"
	     "{\"user_transcript\":\"One two.\",\"event_id\":1}}",
	     3);
	assert_int_equal(heard.transcripts, 1);
	assert_string_equal(heard.words, "One two.");
	assert_int_equal(heard.words_us, 3 * MS);
	take("{\"type\":\"something_new\",\"details\":[1,2]}", 4);
	take("not JSON", 5);
	assert_int_equal(heard.errors, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_frames_in_time_leave_no_gap, set_up),
		cmocka_unit_test_setup(test_a_frame_after_a_gap_of_more_than_40_ms_is_late, set_up),
		cmocka_unit_test_setup(test_the_time_between_answers_is_no_gap, set_up),
		cmocka_unit_test_setup(test_frames_of_an_interrupted_answer_are_stale, set_up),
		cmocka_unit_test_setup(test_messages_are_understood, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
