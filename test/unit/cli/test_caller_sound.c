/* What a caller says: files, rates, and the end of the speech; and a recording of both sides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "audio/resample.h"
#include "cli/caller_recording.h"
#include "cli/caller_sound.h"

static struct caller_sound sound;
static char why[CALLER_SOUND_WHY_SIZE];
static char path[64];

static int open_file(void)
{
	snprintf(path, sizeof(path), "/tmp/syrinx-test-caller-XXXXXX");
	return mkstemp(path);
}

static void write_line(struct caller_timeline *line, unsigned rate, size_t count, int16_t value)
{
	int16_t *samples = malloc(count * sizeof(*samples));
	uint64_t start_us;

	assert_non_null(samples);
	for (size_t i = 0; i < count; ++i)
		samples[i] = value;
	caller_timeline_init(line, rate, true);
	assert_int_equal(caller_timeline_add(&start_us, line, 0, samples, count), 0);
	free(samples);
}

static int end(void **state)
{
	(void)state;
	caller_sound_reset(&sound);
	unlink(path);
	return 0;
}

static void test_a_recording_can_be_played_again(void **state)
{
	struct caller_timeline line;

	(void)state;
	write_line(&line, 24000, 2400, 700);
	assert_int_equal(caller_recording_write(open_file(), &line, NULL), 0);
	assert_int_equal(caller_sound_load(&sound, path, why), 0);
	assert_int_equal(sound.rate, 24000);
	assert_int_equal(sound.count, 2400);
	assert_int_equal(sound.samples[1000], 700);
	caller_timeline_reset(&line);
}

static void test_a_recording_of_both_has_one_rate_and_the_longer_length(void **state)
{
	struct caller_timeline agent, caller;

	(void)state;
	write_line(&agent, 24000, 2400, 1000);
	write_line(&caller, 16000, 3200, 600);
	assert_int_equal(caller_recording_write(open_file(), &agent, &caller), 0);
	assert_int_equal(caller_sound_load(&sound, path, why), 0);
	assert_int_equal(sound.rate, 24000);
	assert_int_equal(sound.count, 4800);
	assert_in_range(sound.samples[1200], 790, 810); /* the mean of both */
	assert_in_range(sound.samples[3600], 290, 310);
	caller_timeline_reset(&agent);
	caller_timeline_reset(&caller);
	resample_forget();
}

static void test_a_conversion_keeps_the_duration(void **state)
{
	struct caller_timeline line;

	(void)state;
	write_line(&line, 44100, 44100, 500);
	assert_int_equal(caller_recording_write(open_file(), &line, NULL), 0);
	assert_int_equal(caller_sound_load(&sound, path, why), 0);
	assert_int_equal(caller_sound_convert(&sound, 16000), 0);
	assert_int_equal(sound.count, 16000);
	assert_int_equal(sound.rate, 16000);
	assert_int_equal(caller_sound_convert(&sound, 16000), 0);
	assert_int_equal(sound.count, 16000);
	caller_timeline_reset(&line);
	resample_forget();
}

static void test_speech_ends_with_its_last_loud_sample(void **state)
{
	int16_t samples[] = {0, 185, -3, 0, -185, 184, -184, 0};
	struct caller_sound quiet = {samples + 5, 3, 16000};
	struct caller_sound speech = {samples, 8, 16000};
	size_t at;

	(void)state;
	assert_int_equal(caller_sound_speech_len(&speech), 5);
	assert_int_equal(caller_sound_speech_len(&quiet), 3);
	assert_true(caller_sound_find_loud(&at, samples, 8));
	assert_int_equal(at, 1);
	assert_false(caller_sound_find_loud(&at, quiet.samples, 3));
}

static void test_a_file_that_cannot_be_used_has_a_reason(void **state)
{
	int fd = open_file();

	(void)state;
	assert_int_equal(write(fd, "text", 4), 4);
	close(fd);
	assert_int_not_equal(caller_sound_load(&sound, path, why), 0);
	assert_string_equal(why, "it is not a WAV file");
	assert_int_not_equal(caller_sound_load(&sound, "/nonexistent/a.wav", why), 0);
	assert_string_equal(why, "No such file or directory");
	assert_null(sound.samples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_a_recording_can_be_played_again, end),
		cmocka_unit_test_teardown(
			test_a_recording_of_both_has_one_rate_and_the_longer_length, end),
		cmocka_unit_test_teardown(test_a_conversion_keeps_the_duration, end),
		cmocka_unit_test(test_speech_ends_with_its_last_loud_sample),
		cmocka_unit_test_teardown(test_a_file_that_cannot_be_used_has_a_reason, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
