/*
 * encoder.c: selects the encoder of a format (see encoder.h), and implements that of WAV.
 */
#include "audio/encoder.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>

#include "audio/encoder_private.h"
#include "audio/wav.h"
#include "base/mem.h"

struct encoder {
	const struct encoder_ops *ops;
	void *state;
	bool has_ended;
};

static const struct encoder_ops *const encoder_ops_of[AUDIO_ENCODING_COUNT] = {
	[AUDIO_WAV] = &encoder_wav,   [AUDIO_MP3] = &encoder_mp3, [AUDIO_OPUS] = &encoder_opus,
	[AUDIO_FLAC] = &encoder_flac, [AUDIO_AAC] = &encoder_aac,
};

static void encoder_destroy(void *object)
{
	struct encoder *encoder = object;

	mem_deref(encoder->state);
}

int encoder_alloc(struct encoder **encoderp, const struct audio_format *format)
{
	struct encoder *encoder;
	int err;

	if (!encoder_ops_of[format->encoding] || !audio_format_has_rate(format->sample_rate))
		return EINVAL;
	encoder = mem_zalloc(sizeof(*encoder), encoder_destroy);
	if (!encoder)
		return ENOMEM;
	encoder->ops = encoder_ops_of[format->encoding];
	err = encoder->ops->open(&encoder->state, format);
	if (err) {
		mem_deref(encoder);
		return err;
	}
	*encoderp = encoder;
	return 0;
}

int encoder_write(struct encoder *encoder, const int16_t *samples, size_t count, struct buf *out)
{
	assert(!encoder->has_ended);
	return count > 0 ? encoder->ops->write(encoder->state, samples, count, out) : 0;
}

int encoder_end(struct encoder *encoder, struct buf *out)
{
	assert(!encoder->has_ended);
	encoder->has_ended = true;
	return encoder->ops->end(encoder->state, out);
}

struct wav {
	struct audio_format format;
	bool has_begun;
};

static int encoder_wav_open(void **statep, const struct audio_format *format)
{
	struct wav *wav = mem_zalloc(sizeof(*wav), NULL);

	if (!wav)
		return ENOMEM;
	wav->format = *format;
	*statep = wav;
	return 0;
}

static int encoder_wav_begin(struct wav *wav, struct buf *out)
{
	uint8_t header[WAV_HEADER_MAX];

	if (wav->has_begun)
		return 0;
	wav->has_begun = true;
	return buf_append(out, header, wav_write_header(header, &wav->format, WAV_LEN_UNKNOWN));
}

static int encoder_wav_write(void *state, const int16_t *samples, size_t count, struct buf *out)
{
	int err = encoder_wav_begin(state, out);

	_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "WAV is little-endian");
	return err ? err : buf_append(out, samples, count * sizeof(*samples));
}

static int encoder_wav_end(void *state, struct buf *out)
{
	return encoder_wav_begin(state, out);
}

const struct encoder_ops encoder_wav = {encoder_wav_open, encoder_wav_write, encoder_wav_end};
