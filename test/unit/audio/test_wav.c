/* WAV headers: the bytes that players expect. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "audio/wav.h"

static void test_wav_pcm_has_the_classic_44_bytes(void **state)
{
	static const uint8_t wanted[44] = {
		'R', 'I', 'F', 'F', 0x24, 0x77, 1,   0,   'W', 'A',  'V',  'E',  'f', 'm',  't',
		' ', 16,  0,   0,   0,    1,    0,   1,   0,   0xc0, 0x5d, 0,    0,   0x80, 0xbb,
		0,   0,   2,   0,   16,   0,    'd', 'a', 't', 'a',  0,    0x77, 1,   0,
	};
	const struct audio_format format = {AUDIO_PCM16, 24000, 0};
	uint8_t header[WAV_HEADER_MAX];

	(void)state;
	assert_int_equal(wav_write_header(header, &format, 96000), 44);
	assert_memory_equal(header, wanted, 44);
}

static void test_wav_g711_has_its_tag_and_a_fact_chunk(void **state)
{
	static const uint8_t wanted[58] = {
		'R', 'I',  'F',  'F', 0x52, 0x1f, 0,   0,   'W', 'A',  'V',  'E', 'f', 'm',  't',
		' ', 18,   0,    0,   0,    7,    0,   1,   0,   0x40, 0x1f, 0,   0,   0x40, 0x1f,
		0,   0,    1,    0,   8,    0,    0,   0,   'f', 'a',  'c',  't', 4,   0,    0,
		0,   0x1f, 0x1f, 0,   0,    'd',  'a', 't', 'a', 0x1f, 0x1f, 0,   0,
	};
	struct audio_format format = {AUDIO_MULAW, 8000, 0};
	uint8_t header[WAV_HEADER_MAX];

	(void)state;
	/* 7967 bytes: odd, so that RIFF counts the padding too. */
	assert_int_equal(wav_write_header(header, &format, 0x1f1f), 58);
	assert_memory_equal(header, wanted, 58);
	format.encoding = AUDIO_ALAW;
	wav_write_header(header, &format, 0x1f1f);
	assert_int_equal(header[20], 6);
}

static void test_wav_an_unknown_length_is_the_largest(void **state)
{
	const struct audio_format format = {AUDIO_PCM16, 16000, 0};
	uint8_t header[WAV_HEADER_MAX];

	(void)state;
	wav_write_header(header, &format, WAV_LEN_UNKNOWN);
	assert_memory_equal(header + 4, "\xff\xff\xff\xff", 4);
	assert_memory_equal(header + 40, "\xff\xff\xff\xff", 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wav_pcm_has_the_classic_44_bytes),
		cmocka_unit_test(test_wav_g711_has_its_tag_and_a_fact_chunk),
		cmocka_unit_test(test_wav_an_unknown_length_is_the_largest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
