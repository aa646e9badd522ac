/*
 * test_format.c: the table of formats.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "audio/format.h"
#include "base/count.h"

static void test_format_assert_token(const char *token, enum audio_encoding encoding, unsigned rate,
				     unsigned kbps)
{
	struct audio_format format;

	assert_int_equal(audio_format_parse(&format, token, strlen(token)), 0);
	assert_int_equal(format.encoding, encoding);
	assert_int_equal(format.sample_rate, rate);
	assert_int_equal(format.bitrate_kbps, kbps);
	assert_true(audio_format_has_rate(rate));
}

static void test_format_a_token_is_encoding_rate_and_bit_rate(void **state)
{
	(void)state;
	test_format_assert_token("pcm_48000", AUDIO_PCM16, 48000, 0);
	test_format_assert_token("ulaw_8000", AUDIO_MULAW, 8000, 0);
	test_format_assert_token("alaw_8000", AUDIO_ALAW, 8000, 0);
	test_format_assert_token("mp3_22050_32", AUDIO_MP3, 22050, 32);
	test_format_assert_token("mp3_44100_192", AUDIO_MP3, 44100, 192);
	test_format_assert_token("opus_48000_96", AUDIO_OPUS, 48000, 96);
	test_format_assert_token("wav", AUDIO_WAV, 24000, 0);
	test_format_assert_token("flac", AUDIO_FLAC, 24000, 0);
	test_format_assert_token("aac", AUDIO_AAC, 24000, 64);
}

static void test_format_a_name_is_the_token_that_was_read(void **state)
{
	static const char *const names[] = {
		"pcm_8000",      "pcm_32000",    "ulaw_8000",  "alaw_8000",      "wav_16000",
		"mp3_44100_128", "mp3_24000_48", "flac_44100", "opus_48000_192", "aac_24000_64",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names); ++i) {
		struct audio_format format;

		assert_int_equal(audio_format_parse(&format, names[i], strlen(names[i])), 0);
		assert_string_equal(audio_format_name(&format), names[i]);
	}
	assert_null(audio_format_name(&(struct audio_format){AUDIO_MP3, 8000, 8}));
}

static void test_format_what_is_no_token_of_ours_is_not_found(void **state)
{
	static const char *const names[] = {
		"",          "pcm",       "pcm_11025",     "pcm_24000x",
		"PCM_24000", "mp3_44100", "opus_48000_33", "aac_44100",
	};
	struct audio_format format = {AUDIO_ALAW, 1, 2};

	(void)state;
	for (size_t i = 0; i < COUNT(names); ++i)
		assert_int_equal(audio_format_parse(&format, names[i], strlen(names[i])), ENOENT);
	assert_int_equal(audio_format_parse(&format, "pcm_24000", 8), ENOENT);
	assert_int_equal(format.sample_rate, 1);
}

static void test_format_every_encoding_has_its_names(void **state)
{
	(void)state;
	for (int i = 0; i < AUDIO_ENCODING_COUNT; ++i) {
		enum audio_encoding encoding = (enum audio_encoding)i;

		assert_non_null(audio_format_encoding(encoding));
		assert_memory_equal(audio_format_content_type(encoding), "audio/", 6);
		assert_int_equal(audio_format_needs_encoder(encoding), encoding >= AUDIO_WAV);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_format_a_token_is_encoding_rate_and_bit_rate),
		cmocka_unit_test(test_format_a_name_is_the_token_that_was_read),
		cmocka_unit_test(test_format_what_is_no_token_of_ours_is_not_found),
		cmocka_unit_test(test_format_every_encoding_has_its_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
