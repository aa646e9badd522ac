/* Recordings are decoded, whatever their format; bombs and damaged files end with a sentence. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/mem.h"
#include "engine/decode/audio_file.h"
#include "engine/decode/mono.h"
#include "recording.h"

#define OPUS (SF_FORMAT_OGG | SF_FORMAT_OPUS)
#define VORBIS (SF_FORMAT_OGG | SF_FORMAT_VORBIS)
#define MP3 (SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III)
#define FLAC (SF_FORMAT_FLAC | SF_FORMAT_PCM_16)
#define WAV (SF_FORMAT_WAV | SF_FORMAT_PCM_16)

#define KEPT_MAX 65536u

/* The samples of a file, of which the first ones are kept, and how it ended. */
static int16_t samples[KEPT_MAX];
static size_t count;
static int result;
static char why[AUDIO_FILE_WHY_MAX];

static void decode_as(const void *bytes, size_t len, const char *format)
{
	/* A copy, so that a read beyond the end is found. */
	unsigned char *copy = malloc(len + 1);
	struct audio_file *file = NULL;
	const int16_t *part;
	size_t n;

	assert_non_null(copy);
	memcpy(copy + 1, bytes, len);
	count = 0;
	why[0] = '\0';
	result = audio_file_open(&file, why, copy + 1, len, format);
	while (!result && (result = audio_file_read(file, why, &part, &n)) == 0 && n > 0) {
		if (count + n <= KEPT_MAX)
			memcpy(samples + count, part, n * sizeof(*samples));
		count += n;
	}
	mem_deref(file);
	free(copy);
	if (result)
		assert_true(why[0] != '\0');
}

static void decode(const struct recording *recording)
{
	decode_as(recording->bytes, recording->len, "");
}

static void test_every_format_is_decoded(void **state)
{
	static const struct {
		const char *name;
		int format;
		int rate;
		int channels;
		double noise;
	} rows[] = {
		{"WAV", WAV, 16000, 1, 0.0001},
		{"WAV, stereo", WAV, 44100, 2, 0.001},
		{"WAV, big-endian", WAV | SF_ENDIAN_BIG, 48000, 1, 0.001},
		{"WAV, 8 bits", SF_FORMAT_WAV | SF_FORMAT_PCM_U8, 8000, 1, 0.02},
		{"WAV, 24 bits", SF_FORMAT_WAV | SF_FORMAT_PCM_24, 96000, 2, 0.001},
		{"WAV, float", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 192000, 6, 0.001},
		{"WAV, mu-law", SF_FORMAT_WAV | SF_FORMAT_ULAW, 8000, 1, 0.02},
		{"WAV, A-law", SF_FORMAT_WAV | SF_FORMAT_ALAW, 8000, 1, 0.02},
		{"WAV, ADPCM", SF_FORMAT_WAV | SF_FORMAT_IMA_ADPCM, 22050, 1, 0.03},
		{"WAV, GSM", SF_FORMAT_WAV | SF_FORMAT_GSM610, 8000, 1, 0.2},
		{"WAVEX", SF_FORMAT_WAVEX | SF_FORMAT_PCM_16, 11025, 2, 0.001},
		{"RF64", SF_FORMAT_RF64 | SF_FORMAT_PCM_16, 32000, 1, 0.001},
		{"FLAC", FLAC, 44100, 2, 0.001},
		{"FLAC, 24 bits", SF_FORMAT_FLAC | SF_FORMAT_PCM_24, 16000, 8, 0.001},
		{"Opus", OPUS, 48000, 2, 0.05},
		{"Opus, 16 kHz", OPUS, 16000, 1, 0.05},
		{"Vorbis", VORBIS, 44100, 2, 0.05},
		{"Vorbis, 8 kHz", VORBIS, 8000, 1, 0.05},
		{"MP3", MP3, 44100, 2, 0.05},
		{"MP3, 16 kHz", MP3, 16000, 1, 0.05},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct recording recording;
		double tone, noise;

		recording_make(&recording, rows[i].format, rows[i].rate, rows[i].channels, 1.5);
		decode(&recording);
		recording_reset(&recording);
		if (result || why[0])
			fail_msg("%s: %d, %s", rows[i].name, result, why);
		/* Some encoders add up to a block of silence at the end. */
		if (count < 24000 - 1 || count > 24000 + 2000)
			fail_msg("%s: %zu samples", rows[i].name, count);
		tone = recording_tone(samples, 24000 - 1);
		noise = recording_noise(samples, 24000 - 1);
		if (fabs(tone - RECORDING_LEVEL) > 0.02 || noise > rows[i].noise)
			fail_msg("%s: tone %f, noise %f", rows[i].name, tone, noise);
	}
}

static void test_samples_without_a_header_are_decoded_as_the_caller_says(void **state)
{
	static const struct {
		const char *name;
		int format;
		int rate;
	} rows[] = {
		{"pcm_16000", SF_FORMAT_RAW | SF_FORMAT_PCM_16 | SF_ENDIAN_LITTLE, 16000},
		{"pcm_44100", SF_FORMAT_RAW | SF_FORMAT_PCM_16 | SF_ENDIAN_LITTLE, 44100},
		{"ulaw_8000", SF_FORMAT_RAW | SF_FORMAT_ULAW, 8000},
		{"alaw_8000", SF_FORMAT_RAW | SF_FORMAT_ALAW, 8000},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct recording recording;

		recording_make(&recording, rows[i].format, rows[i].rate, 1, 1);
		decode_as(recording.bytes, recording.len, rows[i].name);
		recording_reset(&recording);
		assert_int_equal(result, 0);
		assert_string_equal(why, "");
		assert_int_equal(count, 16000);
		assert_true(fabs(recording_tone(samples, count) - RECORDING_LEVEL) < 0.02);
	}
	decode_as("\1\0\2\0\3", 5, "pcm_16000"); /* half a sample at the end */
	assert_int_equal(result, 0);
	assert_int_equal(count, 2);
	assert_int_equal(samples[1], 2);
}

static void test_unknown_formats_are_named(void **state)
{
	static const char *const names[] = {"pcm_",       "pcm_abc",   "pcm_-8000",
					    "pcm_ 8000",  "pcm_999",   "mp3",
					    "pcm_16000x", "PCM_16000", "ulaw_99999999999999999999"};

	(void)state;
	for (size_t i = 0; i < COUNT(names); ++i) {
		decode_as("\0\0\0\0", 4, names[i]);
		assert_int_equal(result, ENOTSUP);
		assert_non_null(strstr(why, names[i]));
	}
}

static void test_other_files_are_refused_by_name(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *name;
	} rows[] = {
		{"", 0, "empty"},
		{"R", 1, "unknown format"},
		{"Hello, this is text.", 20, "unknown format"},
		{"RIFF\0\0\0\0AVI LIST", 16, "unknown format"},
		{"\0\0\0\x20"
		 "ftypM4A \0\0\0\0",
		 16, "MP4 or M4A"},
		{"\x1a\x45\xdf\xa3\1\0\0\0\0\0\0\0", 12, "WebM"},
		{"\xff\xf1\x50\x80\x02\x1f\xfc\0\0\0\0\0", 12, "AAC"},
		{"FORM\0\0\0\x20"
		 "AIFFCOMM",
		 16, "AIFF"},
		{"ID3\4\0\0\0\0\0\0FORM\0\0\0\x20"
		 "AIFFCOMM",
		 26, "AIFF"},
		{"ID3\4\0\0\x7f\x7f\x7f\x7f", 10, "unknown format"},
		{"ID3\4\0\0\0\0\0\0ID3\4\0\0\0\0\0\0", 20, "unknown format"},
		{"ID3", 3, "unknown format"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		decode_as(rows[i].bytes, rows[i].len, "");
		assert_int_equal(result, EINVAL);
		if (!strstr(why, rows[i].name))
			fail_msg("%zu: %s", i, why);
	}
}

static void test_tags_before_the_audio_are_skipped(void **state)
{
	static const int formats[] = {MP3, FLAC, WAV};

	(void)state;
	for (size_t i = 0; i < COUNT(formats); ++i) {
		struct recording recording;
		unsigned char *tagged;
		size_t tag = 10 + 300;

		recording_make(&recording, formats[i], 16000, 1, 1);
		tagged = calloc(1, tag + 7 + recording.len); /* zeros after the tag */
		assert_non_null(tagged);
		memcpy(tagged, "ID3\3\0\0\0\0\2\x2c", 10); /* 2 × 128 + 44 */
		memset(tagged + 10, 'x', 300);
		memcpy(tagged + tag + 7, recording.bytes, recording.len);
		decode_as(tagged, tag + 7 + recording.len, "");
		assert_int_equal(result, 0);
		assert_in_range(count, 15990, 17500);
		free(tagged);
		recording_reset(&recording);
	}
}

/* Wherever a recording is cut off, what is there is decoded, or the end is explained. */
static void test_files_that_are_cut_off_end_with_a_sentence_or_with_audio(void **state)
{
	static const int formats[] = {WAV,    FLAC, OPUS,
				      VORBIS, MP3,  SF_FORMAT_WAV | SF_FORMAT_IMA_ADPCM};

	(void)state;
	for (size_t i = 0; i < COUNT(formats); ++i) {
		struct recording recording;
		size_t longest = 0;

		recording_make(&recording, formats[i], 16000, 1, 2);
		for (size_t len = 0; len < recording.len;
		     len += len < 200 ? 1 : recording.len / 50) {
			decode_as(recording.bytes, len, "");
			assert_true(count <= 32000 + 2000);
			assert_true(result == 0 || result == EINVAL);
			if (result)
				assert_int_equal(count, 0);
			longest = count > longest ? count : longest;
		}
		/* An Ogg page is a second or more, and counts only if it is complete. */
		if (longest < 8000 && formats[i] != VORBIS)
			fail_msg("format %x: %zu samples", (unsigned)formats[i], longest);
		recording_reset(&recording);
	}
}

static void test_a_file_that_says_that_it_is_longer_is_noticed(void **state)
{
	static const int formats[] = {FLAC, MP3};

	(void)state;
	for (size_t i = 0; i < COUNT(formats); ++i) {
		struct recording recording;

		recording_make(&recording, formats[i], 44100, 2, 3);
		decode_as(recording.bytes, recording.len / 2, "");
		assert_int_equal(result, 0);
		assert_true(count > 8000);
		assert_non_null(strstr(why, "cut off after 1."));
		recording_reset(&recording);
	}
}

/* Damage anywhere: nothing worse than a sentence. */
static void test_damaged_files_do_no_harm(void **state)
{
	static const int formats[] = {WAV,
				      FLAC,
				      OPUS,
				      VORBIS,
				      MP3,
				      SF_FORMAT_WAV | SF_FORMAT_GSM610,
				      SF_FORMAT_WAV | SF_FORMAT_MS_ADPCM};
	uint32_t seed = 1;

	(void)state;
	for (size_t i = 0; i < COUNT(formats); ++i) {
		struct recording recording;

		recording_make(&recording, formats[i], 8000, 1, 1);
		for (int round = 0; round < 150; ++round) {
			unsigned char saved[8];
			size_t at[8];

			for (size_t k = 0; k < 8; ++k) {
				seed = seed * 1664525u + 1013904223u;
				at[k] = (seed >> 8) % (k < 4 ? 200 : recording.len);
				saved[k] = recording.bytes[at[k]];
				recording.bytes[at[k]] = (unsigned char)(seed >> 4);
			}
			decode(&recording);
			assert_true(result == 0 || result == EINVAL || result == EFBIG);
			for (size_t k = 8; k-- > 0;)
				recording.bytes[at[k]] = saved[k];
		}
		decode(&recording);
		assert_int_equal(result, 0);
		recording_reset(&recording);
	}
}

static void test_a_recording_of_many_hours_is_refused_before_it_is_heard(void **state)
{
	struct recording recording;

	(void)state;
	/* A few kilobytes for five hours. */
	recording_make_silence(&recording, FLAC, 1000, 5 * 3600);
	assert_true(recording.len < 100000);
	decode(&recording);
	assert_int_equal(result, EFBIG);
	assert_int_equal(count, 0);
	assert_string_equal(why, "the recording is longer than 4 hours");
	recording_reset(&recording);
}

/* The number of samples is 36 bits at byte 21 of the file; 0 means that it is not known. */
static void test_a_recording_that_hides_its_length_is_ended_at_the_limit(void **state)
{
	struct recording recording;

	(void)state;
	recording_make_silence(&recording, FLAC, 1000, 5 * 3600);
	recording.bytes[21] &= 0xf0;
	memset(recording.bytes + 22, 0, 4);
	decode(&recording);
	assert_int_equal(result, EFBIG);
	assert_true(count > 0 && count <= (size_t)AUDIO_FILE_SECONDS_MAX * MONO_RATE);
	recording_reset(&recording);
}

static void test_an_impossible_rate_is_named(void **state)
{
	struct recording recording;

	(void)state;
	recording_make(&recording, WAV, 8000, 1, 1);
	memcpy(recording.bytes + 24, "\1\0\0\0", 4);
	decode(&recording);
	assert_true(result == EINVAL || result == EFBIG);
	memcpy(recording.bytes + 24, "\0\0\0\x10", 4);
	decode(&recording);
	assert_int_equal(result, EINVAL);
	assert_non_null(strstr(why, "268435456 samples a second"));
	recording_reset(&recording);
}

static void test_a_recording_without_samples_is_no_error(void **state)
{
	struct recording recording;

	(void)state;
	recording_make(&recording, WAV, 8000, 1, 0);
	decode(&recording);
	assert_int_equal(result, 0);
	assert_int_equal(count, 0);
	assert_string_equal(why, "");
	recording_reset(&recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_format_is_decoded),
		cmocka_unit_test(test_samples_without_a_header_are_decoded_as_the_caller_says),
		cmocka_unit_test(test_unknown_formats_are_named),
		cmocka_unit_test(test_other_files_are_refused_by_name),
		cmocka_unit_test(test_tags_before_the_audio_are_skipped),
		cmocka_unit_test(test_files_that_are_cut_off_end_with_a_sentence_or_with_audio),
		cmocka_unit_test(test_a_file_that_says_that_it_is_longer_is_noticed),
		cmocka_unit_test(test_damaged_files_do_no_harm),
		cmocka_unit_test(test_a_recording_of_many_hours_is_refused_before_it_is_heard),
		cmocka_unit_test(test_a_recording_that_hides_its_length_is_ended_at_the_limit),
		cmocka_unit_test(test_an_impossible_rate_is_named),
		cmocka_unit_test(test_a_recording_without_samples_is_no_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
