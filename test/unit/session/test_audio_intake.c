/* Audio of any of the formats becomes 16-bit samples at 16 kHz, however it is divided. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "audio/g711.h"
#include "audio/resample.h"
#include "base/count.h"
#include "base/mem.h"
#include "session/audio_intake.h"

#define MAX 65536
#define PI 3.14159265358979323846

static struct audio_intake *intake;
static int16_t out[MAX];
static size_t out_len;

static int tear_down(void **state)
{
	(void)state;
	intake = mem_deref(intake);
	resample_forget();
	return mem_live() == 0 ? 0 : -1;
}

static void open_intake(enum listen_encoding encoding, unsigned rate)
{
	const struct listen_format format = {encoding, rate};

	out_len = 0;
	assert_int_equal(audio_intake_alloc(&intake, &format), 0);
}

static void put(const void *bytes, size_t len)
{
	size_t count;

	assert_true(out_len + audio_intake_room(intake, len) <= MAX);
	assert_int_equal(audio_intake_write(intake, out + out_len, &count, bytes, len), 0);
	out_len += count;
}

/* Half a second of 440 Hz. */
static size_t tone(int16_t *samples, unsigned rate)
{
	for (unsigned i = 0; i < rate / 2; ++i)
		samples[i] = (int16_t)(12000 * sin(2 * PI * 440 * i / rate));
	return rate / 2;
}

static void test_samples_at_16_khz_are_not_changed(void **state)
{
	static const int16_t samples[] = {0, 1, -1, 32767, -32768, 1234};

	(void)state;
	open_intake(LISTEN_PCM16, 16000);
	put(samples, sizeof(samples));
	assert_int_equal(out_len, COUNT(samples));
	assert_memory_equal(out, samples, sizeof(samples));
}

static void test_a_sample_may_be_divided(void **state)
{
	static const int16_t samples[] = {0x0102, -0x0304, 0x7f01, 0x0055};
	const uint8_t *bytes = (const uint8_t *)samples;

	(void)state;
	open_intake(LISTEN_PCM16, 16000);
	put(bytes, 1);
	put(bytes + 1, 4);
	put(bytes + 5, 0);
	put(bytes + 5, 3);
	assert_int_equal(out_len, COUNT(samples));
	assert_memory_equal(out, samples, sizeof(samples));
}

static void test_every_rate_becomes_the_same_tone(void **state)
{
	static const unsigned rates[] = {8000, 11025, 16000, 22050, 24000, 44100, 48000};
	static int16_t samples[24000];

	(void)state;
	for (size_t i = 0; i < COUNT(rates); ++i) {
		size_t count = tone(samples, rates[i]);
		double error = 0;

		open_intake(LISTEN_PCM16, rates[i]);
		for (size_t at = 0; at < 2 * count; at += 999)
			put((const char *)samples + at,
			    2 * count - at < 999 ? 2 * count - at : 999);
		assert_true(out_len > 7800 && out_len <= 8000);
		for (size_t n = 800; n < 7000; ++n)
			error = fmax(error,
				     fabs(out[n] - 12000 * sin(2 * PI * 440 * (double)n / 16000)));
		assert_true(error < 60);
		intake = mem_deref(intake);
	}
}

static void test_mulaw_is_decoded(void **state)
{
	static int16_t samples[4000];
	static uint8_t bytes[4000];
	size_t count = tone(samples, 8000);
	double error = 0;

	(void)state;
	g711_encode_mulaw(bytes, samples, count);
	open_intake(LISTEN_MULAW, 8000);
	put(bytes, count);
	for (size_t n = 800; n < 7000; ++n)
		error = fmax(error, fabs(out[n] - 12000 * sin(2 * PI * 440 * (double)n / 16000)));
	assert_true(error < 400); /* the steps are up to 512 apart at this level */
}

static void test_a_rate_that_nothing_has_is_refused(void **state)
{
	const struct listen_format format = {LISTEN_PCM16, 4000};

	(void)state;
	assert_int_equal(audio_intake_alloc(&intake, &format), EINVAL);
	intake = NULL;
}

#define CASE(test) cmocka_unit_test_teardown(test, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_samples_at_16_khz_are_not_changed),  CASE(test_a_sample_may_be_divided),
		CASE(test_every_rate_becomes_the_same_tone),   CASE(test_mulaw_is_decoded),
		CASE(test_a_rate_that_nothing_has_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
