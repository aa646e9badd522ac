/* WAV files: which are read, what is said about the others, and that what is written can be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "cli/caller_wav.h"

#define EMPTY "RIFF\0\0\0\0WAVE"
/* 1, 3, -1, -32768 */
static const char four_samples[8] = {1, 0, 3, 0, (char)0xff, (char)0xff, 0, (char)0x80};

static struct caller_wav wav;
static char why[CALLER_WAV_WHY_SIZE];

/* A file with a format chunk of these values and these bytes of audio. */
static size_t make(uint8_t *out, unsigned tag, unsigned channels, unsigned rate, unsigned bits,
		   uint32_t claimed, const char *audio, size_t len)
{
	caller_wav_write_header(out, rate, channels, 0);
	out[20] = (uint8_t)tag;
	out[21] = (uint8_t)(tag >> 8);
	out[34] = (uint8_t)bits;
	for (size_t i = 0; i < 4; ++i)
		out[40 + i] = (uint8_t)(claimed >> 8 * i);
	memcpy(out + CALLER_WAV_HEADER_SIZE, audio, len);
	return CALLER_WAV_HEADER_SIZE + len;
}

static void test_what_is_written_can_be_read(void **state)
{
	uint8_t file[CALLER_WAV_HEADER_SIZE + 8];

	(void)state;
	for (unsigned channels = 1; channels <= 2; ++channels) {
		caller_wav_write_header(file, 22050, channels, 4 / channels);
		memcpy(file + CALLER_WAV_HEADER_SIZE, four_samples, 8);
		assert_int_equal(caller_wav_parse(&wav, file, sizeof(file), why), 0);
		assert_int_equal(wav.rate, 22050);
		assert_int_equal(wav.channels, channels);
		assert_int_equal(wav.frames, 4 / channels);
	}
}

static void test_channels_are_mixed(void **state)
{
	uint8_t file[64];
	int16_t mixed[4];
	size_t len = make(file, 1, 2, 16000, 16, 8, four_samples, 8);

	(void)state;
	assert_int_equal(caller_wav_parse(&wav, file, len, why), 0);
	caller_wav_mix(mixed, &wav);
	assert_int_equal(mixed[0], 2); /* 1 and 3 */
	assert_int_equal(mixed[1], -16384); /* -1 and -32768 */
	len = make(file, 1, 1, 16000, 16, 8, four_samples, 8);
	assert_int_equal(caller_wav_parse(&wav, file, len, why), 0);
	caller_wav_mix(mixed, &wav);
	assert_int_equal(mixed[2], -1);
	assert_int_equal(mixed[3], -32768);
}

static void test_an_unknown_length_means_up_to_the_end(void **state)
{
	static const uint32_t lengths[] = {0, UINT32_MAX, UINT32_MAX - 1, 1000, 8};
	uint8_t file[64];

	(void)state;
	for (size_t i = 0; i < COUNT(lengths); ++i) {
		size_t len = make(file, 1, 1, 8000, 16, lengths[i], four_samples, 8);

		assert_int_equal(caller_wav_parse(&wav, file, len, why), 0);
		assert_int_equal(wav.frames, 4);
	}
}

static void test_other_chunks_are_skipped_with_their_padding(void **state)
{
	static const char odd[] = "LIST\3\0\0\0abc";
	uint8_t file[96], whole[64];
	size_t len = make(whole, 1, 1, 48000, 16, 8, four_samples, 8);

	(void)state;
	memcpy(file, whole, 36);
	memcpy(file + 36, odd, sizeof(odd)); /* its NUL is the padding */
	memcpy(file + 36 + sizeof(odd), whole + 36, len - 36);
	assert_int_equal(caller_wav_parse(&wav, file, len + sizeof(odd), why), 0);
	assert_int_equal(wav.frames, 4);
}

static void test_an_extended_format_says_its_encoding(void **state)
{
	uint8_t file[96] = {0}, whole[64];
	size_t len = make(whole, 0xfffe, 1, 16000, 16, 8, four_samples, 8);

	(void)state;
	memcpy(file, whole, 36);
	file[16] = 40;
	file[44] = 1; /* PCM, in the extension */
	memcpy(file + 60, whole + 36, len - 36);
	assert_int_equal(caller_wav_parse(&wav, file, len + 24, why), 0);
	assert_int_equal(wav.frames, 4);
	file[44] = 3;
	assert_int_not_equal(caller_wav_parse(&wav, file, len + 24, why), 0);
}

static void test_other_files_are_refused_with_a_reason(void **state)
{
	static const struct {
		unsigned tag, channels, rate, bits;
		const char *why;
	} cases[] = {
		{1, 1, 16000, 24, "it has 24 bit PCM; 16 bit PCM is needed"},
		{7, 1, 8000, 8, "it has 8 bit µ-law; 16 bit PCM is needed"},
		{6, 1, 8000, 8, "it has 8 bit A-law; 16 bit PCM is needed"},
		{3, 1, 16000, 32, "it has 32 bit audio of another encoding; 16 bit PCM is needed"},
		{1, 0, 16000, 16, "it has 0 channels; 1 to 32 can be used"},
		{1, 1, 96000, 16, "it has 96000 samples per second; 8000 to 48000 can be used"},
	};
	uint8_t file[64];
	size_t len;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		len = make(file, cases[i].tag, cases[i].channels, cases[i].rate, cases[i].bits, 8,
			   four_samples, 8);
		assert_int_not_equal(caller_wav_parse(&wav, file, len, why), 0);
		assert_string_equal(why, cases[i].why);
	}
	len = make(file, 1, 1, 16000, 16, 0, four_samples, 0);
	assert_int_not_equal(caller_wav_parse(&wav, file, len, why), 0);
	assert_string_equal(why, "it has no audio");
	assert_int_not_equal(caller_wav_parse(&wav, (const uint8_t *)EMPTY, 12, why), 0);
	assert_string_equal(why, "it has no format");
	assert_int_not_equal(caller_wav_parse(&wav, (const uint8_t *)"ID3", 3, why), 0);
	assert_string_equal(why, "it is not a WAV file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_written_can_be_read),
		cmocka_unit_test(test_channels_are_mixed),
		cmocka_unit_test(test_an_unknown_length_means_up_to_the_end),
		cmocka_unit_test(test_other_chunks_are_skipped_with_their_padding),
		cmocka_unit_test(test_an_extended_format_says_its_encoding),
		cmocka_unit_test(test_other_files_are_refused_with_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
