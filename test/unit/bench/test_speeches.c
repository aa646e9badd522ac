/*
 * What callers of the benchmark say: where it begins and ends, and the messages that it is sent in.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base64.h"
#include "bench/speeches.h"

static int16_t loud[SPEECH_CHUNK * 2 + 100];
static struct prompts prompts;

static int set_up(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(loud) / sizeof(loud[0]); ++i)
		loud[i] = (int16_t)(i % 2 ? 5000 : -5000);
	prompts.count = 2;
	prompts.all[0].samples = loud;
	prompts.all[0].count = SPEECH_CHUNK * 2 + 100;
	prompts.all[1].samples = loud;
	prompts.all[1].count = SPEECH_CHUNK;
	return 0;
}

static void test_silence_around_speech_is_left_out(void **state)
{
	int16_t samples[100] = {0};
	size_t begin = 0, end = 0;

	(void)state;
	assert_int_equal(speeches_find(samples, 100, &begin, &end), ENOENT);
	samples[10] = 399; /* noise */
	samples[20] = -2000;
	samples[50] = 2000;
	assert_int_equal(speeches_find(samples, 100, &begin, &end), 0);
	assert_int_equal(begin, 20);
	assert_int_equal(end, 51);
}

static void test_the_pause_is_as_long_as_it_is_said_to_be(void **state)
{
	struct speech speech;
	size_t pause = SPEECH_RATE / 10;
	size_t first = SPEECH_CHUNK * 2 + 100;

	(void)state;
	assert_int_equal(speech_join(&speech, &prompts, 0, 2, 100), 0);
	assert_int_equal(speech.end, first + pause + SPEECH_CHUNK);
	assert_int_equal(speech.samples[first - 1], loud[first - 1]);
	for (size_t i = 0; i < pause; ++i)
		assert_int_equal(speech.samples[first + i], 0);
	assert_int_equal(speech.samples[first + pause], loud[0]);
	speech_reset(&speech);
}

static void test_the_last_chunk_is_filled_with_silence(void **state)
{
	static const char head[] = "{\"user_audio_chunk\":\"";
	struct speech speech;
	uint8_t bytes[SPEECH_CHUNK * 2 + 3];
	size_t len;

	(void)state;
	assert_int_equal(speech_join(&speech, &prompts, 0, 1, 100), 0);
	assert_int_equal(speech.chunks, 3);
	assert_int_equal(speech.count, SPEECH_CHUNK * 3);
	assert_memory_equal(speech.messages[2], head, strlen(head));
	assert_int_equal(base64_decode(bytes, &len, speech.messages[2] + strlen(head),
				       strlen(speech.messages[2]) - strlen(head) - 2),
			 0);
	assert_int_equal(len, SPEECH_CHUNK * 2);
	assert_memory_equal(bytes, loud + (size_t)SPEECH_CHUNK * 2, 100 * sizeof(int16_t));
	assert_int_equal(bytes[len - 1], 0);
	speech_reset(&speech);
}

static void test_prompts_are_repeated_as_often_as_necessary(void **state)
{
	struct speech speech;

	(void)state;
	assert_int_equal(speech_fill(&speech, &prompts, 5, 3000), 0);
	assert_true(speech.end > SPEECH_RATE);
	assert_true(speech.end < 3 * SPEECH_RATE);
	speech_reset(&speech);
}

static void test_nothing_can_be_said_without_prompts(void **state)
{
	static const struct prompts none;
	struct speech speech;

	(void)state;
	assert_int_equal(speech_join(&speech, &none, 0, 1, 0), EINVAL);
	assert_int_equal(speech_fill(&speech, &none, 0, 1000), EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_silence_around_speech_is_left_out),
		cmocka_unit_test(test_the_pause_is_as_long_as_it_is_said_to_be),
		cmocka_unit_test(test_the_last_chunk_is_filled_with_silence),
		cmocka_unit_test(test_prompts_are_repeated_as_often_as_necessary),
		cmocka_unit_test(test_nothing_can_be_said_without_prompts),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
