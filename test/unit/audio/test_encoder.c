/*
 * test_encoder.c: what was encoded is decoded by somebody else's decoder and
 * compared with what went in.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <FLAC/stream_decoder.h>
#include <cmocka.h>
#include <mpg123.h>
#include <neaacdec.h>
#include <ogg/ogg.h>
#include <opusfile.h>

#include "audio/encoder.h"
#include "audio/wav.h"
#include "base/count.h"
#include "base/mem.h"
#include "signal.h"

#define OUT_MAX (4u << 20)
#define SECONDS 3u

struct sound {
	int16_t *samples;
	size_t count;
};

static void test_encoder_sound_new(struct sound *sound, size_t count, unsigned rate)
{
	sound->count = count;
	sound->samples = calloc(count + 1, sizeof(int16_t));
	assert_non_null(sound->samples);
	signal_speech(sound->samples, count, rate);
}

static void test_encoder_sound_append(struct sound *sound, const int16_t *samples, size_t count)
{
	sound->samples = realloc(sound->samples, (sound->count + count + 1) * sizeof(int16_t));
	assert_non_null(sound->samples);
	memcpy(sound->samples + sound->count, samples, count * sizeof(int16_t));
	sound->count += count;
}

/* In pieces as frames come, the first 20 ms, then longer, then odd. */
static void test_encoder_encode(struct buf *out, const struct audio_format *format,
				const struct sound *sound)
{
	struct encoder *encoder;
	size_t unit = format->sample_rate / 50;
	uint32_t seed = 7;
	size_t piece;

	buf_init(out, OUT_MAX);
	assert_int_equal(encoder_alloc(&encoder, format), 0);
	for (size_t at = 0; at < sound->count; at += piece) {
		piece = at == 0 ? unit : 1 + signal_random(&seed, 10 * unit);
		if (piece > sound->count - at)
			piece = sound->count - at;
		assert_int_equal(encoder_write(encoder, sound->samples + at, piece, out), 0);
	}
	assert_int_equal(encoder_end(encoder, out), 0);
	mem_deref(encoder);
}

static double test_encoder_snr_at(const struct sound *in, const struct sound *out, size_t delay)
{
	size_t count = out->count - delay < in->count ? out->count - delay : in->count;
	double signal = 0, noise = 0;

	for (size_t i = 0; i < count; ++i) {
		double want = in->samples[i], diff = want - out->samples[delay + i];

		signal += want * want;
		noise += diff * diff;
	}
	return 10 * log10(signal / (noise + 1e-9));
}

/* The best over the delays that a codec may have. */
static double test_encoder_snr_db(const struct sound *in, const struct sound *out, size_t delay_max)
{
	double best = -100;

	for (size_t delay = 0; delay <= delay_max && delay < out->count; ++delay)
		best = fmax(best, test_encoder_snr_at(in, out, delay));
	return best;
}

static void test_encoder_decode_mp3(struct sound *sound, const struct buf *bytes, long *rate)
{
	mpg123_handle *decoder;
	int channels, encoding, err;
	int16_t block[4096];
	size_t got;

	assert_int_equal(mpg123_init(), MPG123_OK);
	decoder = mpg123_new(NULL, NULL);
	assert_non_null(decoder);
	mpg123_param(decoder, MPG123_REMOVE_FLAGS, MPG123_GAPLESS, 0);
	mpg123_param(decoder, MPG123_ADD_FLAGS, MPG123_QUIET, 0);
	assert_int_equal(mpg123_open_feed(decoder), MPG123_OK);
	assert_int_equal(mpg123_feed(decoder, (const unsigned char *)bytes->bytes, bytes->len),
			 MPG123_OK);
	while ((err = mpg123_read(decoder, (void *)block, sizeof(block), &got)) == MPG123_OK ||
	       err == MPG123_NEW_FORMAT || got > 0) {
		if (err == MPG123_NEW_FORMAT) {
			assert_int_equal(mpg123_getformat(decoder, rate, &channels, &encoding),
					 MPG123_OK);
			assert_int_equal(channels, 1);
			assert_int_equal(encoding, MPG123_ENC_SIGNED_16);
		}
		test_encoder_sound_append(sound, block, got / sizeof(int16_t));
	}
	assert_int_equal(err, MPG123_NEED_MORE);
	mpg123_delete(decoder);
	mpg123_exit();
}

static void test_encoder_check_mp3(unsigned rate, unsigned kbps, double snr_min)
{
	const struct audio_format format = {AUDIO_MP3, rate, kbps};
	struct sound in, out = {0};
	struct buf bytes;
	long decoded_rate = 0;

	test_encoder_sound_new(&in, (size_t)SECONDS * rate, rate);
	test_encoder_encode(&bytes, &format, &in);
	test_encoder_decode_mp3(&out, &bytes, &decoded_rate);
	assert_int_equal(decoded_rate, rate);
	/* Whole frames, a delay before and the padding after. */
	assert_in_range(out.count, in.count, in.count + 3 * 1152 + 1152);
	/* A constant bit rate is its length. */
	assert_in_range(bytes.len, out.count * kbps * 125 / rate * 98 / 100,
			out.count * kbps * 125 / rate * 102 / 100);
	assert_true(test_encoder_snr_db(&in, &out, 3 * 1152) > snr_min);
	free(in.samples);
	free(out.samples);
	buf_reset(&bytes);
}

static void test_encoder_mp3_is_what_mpg123_hears(void **state)
{
	(void)state;
	test_encoder_check_mp3(44100, 128, 25);
	test_encoder_check_mp3(44100, 192, 25);
	test_encoder_check_mp3(44100, 64, 15);
	test_encoder_check_mp3(24000, 48, 15);
	test_encoder_check_mp3(22050, 32, 8);
}

static void test_encoder_decode_opus(struct sound *sound, const struct buf *bytes)
{
	int err;
	OggOpusFile *file = op_open_memory((const unsigned char *)bytes->bytes, bytes->len, &err);
	int16_t block[5760];
	int got;

	assert_non_null(file);
	assert_int_equal(op_channel_count(file, -1), 1);
	while ((got = op_read(file, block, COUNT(block), NULL)) > 0)
		test_encoder_sound_append(sound, block, (size_t)got);
	assert_int_equal(got, 0); /* no hole, nothing bad */
	op_free(file);
}

static void test_encoder_check_opus(size_t count, unsigned kbps, double snr_min)
{
	const struct audio_format format = {AUDIO_OPUS, 48000, kbps};
	struct sound in, out = {0};
	struct buf bytes;

	test_encoder_sound_new(&in, count, 48000);
	test_encoder_encode(&bytes, &format, &in);
	test_encoder_decode_opus(&out, &bytes);
	assert_int_equal(out.count, in.count); /* pre-skip and end are right */
	if (count > 48000)
		assert_true(test_encoder_snr_db(&in, &out, 0) > snr_min); /* with no delay at all */
	free(in.samples);
	free(out.samples);
	buf_reset(&bytes);
}

static void test_encoder_opus_is_what_opusfile_hears_to_the_sample(void **state)
{
	static const size_t counts[] = {1, 647, 648, 649, 959, 960, 961, 1920, 9600, 48123};

	(void)state;
	test_encoder_check_opus(SECONDS * 48000, 32, 4);
	test_encoder_check_opus(SECONDS * 48000, 64, 8);
	test_encoder_check_opus(SECONDS * 48000, 192, 15);
	for (size_t i = 0; i < COUNT(counts); ++i)
		test_encoder_check_opus(counts[i], 64, 0);
}

/* Walks the pages: their checksums, and what lies between two of them. */
static unsigned test_encoder_count_pages(const struct buf *bytes, int64_t *longest)
{
	ogg_sync_state sync;
	ogg_page page;
	unsigned pages = 0;
	int64_t before = 0;
	bool ended = false;

	ogg_sync_init(&sync);
	memcpy(ogg_sync_buffer(&sync, (long)bytes->len), bytes->bytes, bytes->len);
	ogg_sync_wrote(&sync, (long)bytes->len);
	for (int got; (got = ogg_sync_pageout(&sync, &page)) != 0; ++pages) {
		assert_int_equal(got, 1);
		assert_int_equal(ogg_page_bos(&page) != 0, pages == 0);
		assert_int_equal(ogg_page_pageno(&page), pages);
		if (ogg_page_granulepos(&page) - before > *longest)
			*longest = ogg_page_granulepos(&page) - before;
		before = ogg_page_granulepos(&page);
		ended = ogg_page_eos(&page) != 0;
	}
	assert_true(ended);
	ogg_sync_clear(&sync);
	return pages;
}

static void test_encoder_a_page_of_opus_is_at_most_200_ms(void **state)
{
	const struct audio_format format = {AUDIO_OPUS, 48000, 64};
	struct encoder *encoder;
	struct sound in;
	struct buf out;
	int64_t longest = 0;

	(void)state;
	test_encoder_sound_new(&in, 2 * 48000, 48000);
	buf_init(&out, OUT_MAX);
	assert_int_equal(encoder_alloc(&encoder, &format), 0);
	assert_int_equal(encoder_write(encoder, in.samples, in.count, &out), 0); /* at once */
	assert_int_equal(encoder_end(encoder, &out), 0);
	assert_int_equal(test_encoder_count_pages(&out, &longest), 2 + 10 + 1);
	assert_int_equal(longest, 9600);
	mem_deref(encoder);
	free(in.samples);
	buf_reset(&out);
}

static void test_encoder_sound_of_the_first_20_ms_leaves_at_once(void **state)
{
	static const struct audio_format formats[] = {{AUDIO_OPUS, 48000, 32},
						      {AUDIO_WAV, 24000, 0}};
	static const int16_t silence[960];

	(void)state;
	for (size_t i = 0; i < COUNT(formats); ++i) {
		struct encoder *encoder;
		struct buf out;

		buf_init(&out, OUT_MAX);
		assert_int_equal(encoder_alloc(&encoder, &formats[i]), 0);
		assert_int_equal(encoder_write(encoder, silence, formats[i].sample_rate / 50, &out),
				 0);
		assert_true(out.len > (i == 0 ? 47u + 50u : WAV_HEADER_MAX));
		mem_deref(encoder); /* not ended: nothing leaks */
		buf_reset(&out);
	}
}

/* Walks the ADTS headers: where the next frame begins is said in each. */
static size_t test_encoder_count_aac_frames(const struct buf *bytes)
{
	const uint8_t *at = (const uint8_t *)bytes->bytes;
	const uint8_t *end = at + bytes->len;
	size_t frames = 0;

	for (; at < end; ++frames) {
		size_t len;

		assert_true(end - at > 7);
		assert_int_equal(at[0] << 4 | at[1] >> 4, 0xfff);
		assert_int_equal(at[2] >> 6, 1); /* AAC-LC */
		len = (size_t)(at[3] & 3) << 11 | (size_t)at[4] << 3 | at[5] >> 5;
		assert_true(len > 7 && len <= (size_t)(end - at));
		at += len;
	}
	return frames;
}

/* libfaad makes two equal channels of one, as a stream might turn to stereo. */
static void test_encoder_decode_aac(struct sound *sound, const struct buf *bytes,
				    unsigned long *rate)
{
	NeAACDecHandle decoder = NeAACDecOpen();
	NeAACDecConfigurationPtr settings = NeAACDecGetCurrentConfiguration(decoder);
	unsigned char channels;
	long at;

	settings->outputFormat = FAAD_FMT_16BIT;
	settings->dontUpSampleImplicitSBR = 1;
	assert_int_equal(NeAACDecSetConfiguration(decoder, settings), 1);
	at = NeAACDecInit(decoder, (unsigned char *)bytes->bytes, bytes->len, rate, &channels);
	assert_int_equal(at, 0);
	for (NeAACDecFrameInfo info; (size_t)at < bytes->len; at += (long)info.bytesconsumed) {
		const int16_t *made =
			NeAACDecDecode(decoder, &info, (unsigned char *)bytes->bytes + at,
				       bytes->len - (size_t)at);

		assert_int_equal(info.error, 0);
		for (size_t i = 0; i < info.samples; i += info.channels)
			test_encoder_sound_append(sound, &made[i], 1);
	}
	NeAACDecClose(decoder);
}

static void test_encoder_check_aac(unsigned rate, size_t count, double snr_min)
{
	const struct audio_format format = {AUDIO_AAC, rate, 64};
	struct sound in, out = {0};
	struct buf bytes;
	unsigned long decoded_rate = 0;

	test_encoder_sound_new(&in, count, rate);
	test_encoder_encode(&bytes, &format, &in);
	/* As many frames as the samples and the delay of 1600 need. */
	assert_int_equal(test_encoder_count_aac_frames(&bytes), (count + 1600 + 1023) / 1024);
	test_encoder_decode_aac(&out, &bytes, &decoded_rate);
	assert_int_equal(decoded_rate, rate);
	assert_in_range(out.count, in.count, in.count + 1600 + 1023);
	if (count > 2 * rate) {
		assert_in_range(bytes.len, out.count * 64 * 125 / rate * 90 / 100,
				out.count * 64 * 125 / rate * 110 / 100);
		assert_true(test_encoder_snr_db(&in, &out, 2 * 1600) > snr_min);
	}
	free(in.samples);
	free(out.samples);
	buf_reset(&bytes);
}

static void test_encoder_aac_is_what_libfaad_hears(void **state)
{
	static const size_t counts[] = {1, 447, 448, 449, 1023, 1024, 1025, 2400, 24123};

	(void)state;
	test_encoder_check_aac(24000, SECONDS * 24000, 15);
	test_encoder_check_aac(44100, SECONDS * 44100, 10);
	for (size_t i = 0; i < COUNT(counts); ++i)
		test_encoder_check_aac(24000, counts[i], 0);
}

struct flac_file {
	const struct buf *bytes;
	size_t at;
	struct sound sound;
	unsigned rate;
};

static FLAC__StreamDecoderReadStatus test_encoder_flac_read(const FLAC__StreamDecoder *decoder,
							    FLAC__byte bytes[], size_t *len,
							    void *arg)
{
	struct flac_file *file = arg;
	size_t left = file->bytes->len - file->at;

	(void)decoder;
	*len = *len < left ? *len : left;
	memcpy(bytes, file->bytes->bytes + file->at, *len);
	file->at += *len;
	return *len > 0 ? FLAC__STREAM_DECODER_READ_STATUS_CONTINUE
			: FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM;
}

static FLAC__StreamDecoderWriteStatus test_encoder_flac_write(const FLAC__StreamDecoder *decoder,
							      const FLAC__Frame *frame,
							      const FLAC__int32 *const channels[],
							      void *arg)
{
	struct flac_file *file = arg;

	(void)decoder;
	file->rate = frame->header.sample_rate;
	for (unsigned i = 0; i < frame->header.blocksize; ++i) {
		int16_t sample = (int16_t)channels[0][i];

		test_encoder_sound_append(&file->sound, &sample, 1);
	}
	return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE;
}

static void test_encoder_flac_error(const FLAC__StreamDecoder *decoder,
				    FLAC__StreamDecoderErrorStatus status, void *arg)
{
	(void)decoder;
	(void)arg;
	fail_msg("flac: %s", FLAC__StreamDecoderErrorStatusString[status]);
}

static void test_encoder_check_flac(unsigned rate, size_t count)
{
	const struct audio_format format = {AUDIO_FLAC, rate, 0};
	FLAC__StreamDecoder *decoder = FLAC__stream_decoder_new();
	struct sound in;
	struct buf bytes;
	struct flac_file file = {.bytes = &bytes};

	test_encoder_sound_new(&in, count, rate);
	test_encoder_encode(&bytes, &format, &in);
	assert_non_null(decoder);
	assert_int_equal(FLAC__stream_decoder_init_stream(decoder, test_encoder_flac_read, NULL,
							  NULL, NULL, NULL, test_encoder_flac_write,
							  NULL, test_encoder_flac_error, &file),
			 FLAC__STREAM_DECODER_INIT_STATUS_OK);
	assert_true(FLAC__stream_decoder_process_until_end_of_stream(decoder));
	FLAC__stream_decoder_delete(decoder);
	assert_int_equal(file.rate, rate);
	assert_int_equal(file.sound.count, in.count);
	assert_memory_equal(file.sound.samples, in.samples, in.count * sizeof(int16_t));
	free(in.samples);
	free(file.sound.samples);
	buf_reset(&bytes);
}

static void test_encoder_flac_loses_no_sample(void **state)
{
	(void)state;
	for (const unsigned *rate = audio_format_rates; *rate; ++rate)
		test_encoder_check_flac(*rate, *rate / 2);
	test_encoder_check_flac(24000, 1);
	test_encoder_check_flac(24000, 1024);
	test_encoder_check_flac(24000, 1025);
}

static void test_encoder_wav_is_a_header_of_unknown_length_and_the_samples(void **state)
{
	const struct audio_format format = {AUDIO_WAV, 22050, 0};
	static const unsigned char unknown[] = {0xff, 0xff, 0xff, 0xff};
	struct sound in;
	struct buf out;

	(void)state;
	test_encoder_sound_new(&in, 22050, 22050);
	test_encoder_encode(&out, &format, &in);
	assert_int_equal(out.len, 44 + in.count * sizeof(int16_t));
	assert_memory_equal(out.bytes, "RIFF", 4);
	assert_memory_equal(out.bytes + 4, unknown, 4);
	assert_memory_equal(out.bytes + 36, "data", 4);
	assert_memory_equal(out.bytes + 40, unknown, 4);
	assert_memory_equal(out.bytes + 44, in.samples, in.count * sizeof(int16_t));
	free(in.samples);
	buf_reset(&out);
}

/* A stream of nothing is still one that players open. */
static void test_encoder_a_stream_without_samples_has_its_header(void **state)
{
	static const struct {
		struct audio_format format;
		const char *begin;
	} rows[] = {{{AUDIO_WAV, 8000, 0}, "RIFF"},
		    {{AUDIO_FLAC, 8000, 0}, "fLaC"},
		    {{AUDIO_OPUS, 48000, 64}, "OggS"}};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct encoder *encoder;
		struct buf out;

		buf_init(&out, OUT_MAX);
		assert_int_equal(encoder_alloc(&encoder, &rows[i].format), 0);
		assert_int_equal(encoder_end(encoder, &out), 0);
		assert_true(out.len >= 42);
		assert_memory_equal(out.bytes, rows[i].begin, 4);
		mem_deref(encoder);
		buf_reset(&out);
	}
}

static void test_encoder_a_full_buffer_is_an_error(void **state)
{
	static const struct audio_format formats[] = {{AUDIO_WAV, 24000, 0},
						      {AUDIO_MP3, 44100, 128},
						      {AUDIO_OPUS, 48000, 64},
						      {AUDIO_FLAC, 24000, 0},
						      {AUDIO_AAC, 24000, 64}};
	static const int16_t silence[9600];

	(void)state;
	for (size_t i = 0; i < COUNT(formats); ++i) {
		struct encoder *encoder;
		struct buf out;

		buf_init(&out, 20);
		assert_int_equal(encoder_alloc(&encoder, &formats[i]), 0);
		assert_int_equal(encoder_write(encoder, silence, COUNT(silence), &out), ENOBUFS);
		assert_true(out.len <= 20);
		mem_deref(encoder);
		buf_reset(&out);
	}
}

static void test_encoder_what_has_no_encoder_is_refused(void **state)
{
	static const struct audio_format formats[] = {{AUDIO_PCM16, 24000, 0},
						      {AUDIO_MULAW, 8000, 0},
						      {AUDIO_OPUS, 24000, 64},
						      {AUDIO_WAV, 11025, 0}};
	struct encoder *encoder;

	(void)state;
	for (size_t i = 0; i < COUNT(formats); ++i)
		assert_int_equal(encoder_alloc(&encoder, &formats[i]), EINVAL);
}

static int test_encoder_nothing_is_left(void **state)
{
	(void)state;
	assert_int_equal(mem_live(), 0);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_encoder_mp3_is_what_mpg123_hears),
		cmocka_unit_test(test_encoder_opus_is_what_opusfile_hears_to_the_sample),
		cmocka_unit_test(test_encoder_a_page_of_opus_is_at_most_200_ms),
		cmocka_unit_test(test_encoder_sound_of_the_first_20_ms_leaves_at_once),
		cmocka_unit_test(test_encoder_aac_is_what_libfaad_hears),
		cmocka_unit_test(test_encoder_flac_loses_no_sample),
		cmocka_unit_test(test_encoder_wav_is_a_header_of_unknown_length_and_the_samples),
		cmocka_unit_test(test_encoder_a_stream_without_samples_has_its_header),
		cmocka_unit_test(test_encoder_a_full_buffer_is_an_error),
		cmocka_unit_test(test_encoder_what_has_no_encoder_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, test_encoder_nothing_is_left);
}
