/*
 * encoder_flac.c: FLAC by libFLAC (see encoder.h).
 */
#include <FLAC/stream_encoder.h>
#include <errno.h>

#include "audio/encoder_private.h"
#include "base/mem.h"

/* Levels are 0 to 8; above 3, files become only one percent smaller. */
#define LEVEL 3

/* Playback starts when the first block is complete: 43 ms at 24 kHz. */
#define BLOCK 1024

struct flac {
	FLAC__StreamEncoder *encoder;
	struct buf *out; /* of the current call, or NULL */
	struct buf begin; /* written by the library when it was opened */
	int err;
};

static void encoder_flac_destroy(void *object)
{
	struct flac *flac = object;

	flac->out = NULL;
	if (flac->encoder)
		FLAC__stream_encoder_delete(flac->encoder);
	buf_reset(&flac->begin);
}

/* Also called by FLAC__stream_encoder_delete, which finishes an unfinished stream; that output
 * is dropped. */
static FLAC__StreamEncoderWriteStatus encoder_flac_on_bytes(const FLAC__StreamEncoder *encoder,
							    const FLAC__byte bytes[], size_t len,
							    uint32_t samples, uint32_t frame,
							    void *arg)
{
	struct flac *flac = arg;

	(void)encoder;
	(void)samples;
	(void)frame;
	if (flac->out && !flac->err)
		flac->err = buf_append(flac->out, bytes, len);
	return flac->err ? FLAC__STREAM_ENCODER_WRITE_STATUS_FATAL_ERROR
			 : FLAC__STREAM_ENCODER_WRITE_STATUS_OK;
}

static int encoder_flac_configure(struct flac *flac, const struct audio_format *format)
{
	FLAC__StreamEncoder *encoder = flac->encoder;

	if (!FLAC__stream_encoder_set_channels(encoder, 1) ||
	    !FLAC__stream_encoder_set_bits_per_sample(encoder, 16) ||
	    !FLAC__stream_encoder_set_sample_rate(encoder, format->sample_rate) ||
	    !FLAC__stream_encoder_set_compression_level(encoder, LEVEL) ||
	    !FLAC__stream_encoder_set_blocksize(encoder, BLOCK))
		return EINVAL;
	if (FLAC__stream_encoder_init_stream(encoder, encoder_flac_on_bytes, NULL, NULL, NULL,
					     flac) != FLAC__STREAM_ENCODER_INIT_STATUS_OK)
		return flac->err ? flac->err : ENOMEM;
	return 0;
}

static int encoder_flac_open(void **statep, const struct audio_format *format)
{
	struct flac *flac = mem_zalloc(sizeof(*flac), encoder_flac_destroy);
	int err = ENOMEM;

	if (!flac)
		return ENOMEM;
	buf_init(&flac->begin, 4096);
	flac->out = &flac->begin;
	flac->encoder = FLAC__stream_encoder_new();
	if (flac->encoder)
		err = encoder_flac_configure(flac, format);
	flac->out = NULL;
	if (err) {
		mem_deref(flac);
		return err;
	}
	*statep = flac;
	return 0;
}

static int encoder_flac_begin(struct flac *flac, struct buf *out)
{
	int err = buf_append(out, flac->begin.bytes, flac->begin.len);

	buf_reset(&flac->begin);
	return err;
}

static int encoder_flac_encode_block(struct flac *flac, const int16_t *samples, size_t count)
{
	FLAC__int32 wide[BLOCK];
	const FLAC__int32 *const channels[] = {wide};

	for (size_t i = 0; i < count; ++i)
		wide[i] = samples[i];
	if (FLAC__stream_encoder_process(flac->encoder, channels, (uint32_t)count))
		return 0;
	return flac->err ? flac->err : EIO;
}

static int encoder_flac_write(void *state, const int16_t *samples, size_t count, struct buf *out)
{
	struct flac *flac = state;
	int err = encoder_flac_begin(flac, out);

	flac->out = out;
	while (!err && count > 0) {
		size_t n = count < BLOCK ? count : BLOCK;

		err = encoder_flac_encode_block(flac, samples, n);
		samples += n;
		count -= n;
	}
	flac->out = NULL;
	return err;
}

static int encoder_flac_end(void *state, struct buf *out)
{
	struct flac *flac = state;
	int err = encoder_flac_begin(flac, out);

	flac->out = out;
	if (!err && !FLAC__stream_encoder_finish(flac->encoder))
		err = flac->err ? flac->err : EIO;
	flac->out = NULL;
	return err;
}

const struct encoder_ops encoder_flac = {encoder_flac_open, encoder_flac_write, encoder_flac_end};
