/*
 * pipeline.c: from an engine's samples to the bytes of a frame (see pipeline.h).
 *
 * A write is converted at once into `pending`, samples at the client's rate. Frames are cut
 * from its front and encoded in place.
 */
#include "audio/pipeline.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "audio/fir.h"
#include "audio/g711.h"
#include "audio/resample.h"
#include "audio/stretch.h"
#include "base/buf.h"
#include "base/mem.h"

/* Frames are cut in units of 20 ms, which is a whole number of samples at each supported rate
 * (441 at 22050) and the packet size of telephony. */
#define UNITS_PER_S 50u
#define UNITS_MAX (AUDIO_FRAME_MAX_MS * UNITS_PER_S / 1000)

/* Samples between the stretcher and the resampler. */
#define BLOCK 1024u

/* Memory that is kept between writes; more is freed when it is empty. */
#define KEEP_MAX 16384u

/* What the last sample ends, which determines how much can be returned. */
enum seam { SEAM_NONE, SEAM_PART, SEAM_CHUNK };

struct pipeline {
	struct audio_format format;
	unsigned speed; /* in STRETCH_UNIT */
	unsigned engine_rate;
	struct stretch *stretch; /* NULL: not needed */
	struct resample *resample; /* NULL: nothing was written yet */
	struct buf pending; /* int16_t samples */
	size_t taken; /* bytes of pending that were returned */
	bool in_part;
	enum seam seam;
	unsigned frames;
	uint64_t samples_out;
	/* of the last part, in samples since the start of the turn */
	uint64_t part_start, part_end;
};

static void pipeline_destroy(void *object)
{
	struct pipeline *pipeline = object;

	mem_deref(pipeline->stretch);
	mem_deref(pipeline->resample);
	buf_reset(&pipeline->pending);
}

static bool pipeline_to_unit(unsigned *speed, double stretch_speed)
{
	double rounded = round(stretch_speed * STRETCH_UNIT);

	if (!(rounded >= STRETCH_MIN && rounded <= STRETCH_MAX))
		return false;
	*speed = (unsigned)rounded;
	return true;
}

int pipeline_alloc(struct pipeline **pipelinep, const struct audio_format *format,
		   double stretch_speed)
{
	struct pipeline *pipeline;
	unsigned speed;

	if (!audio_format_has_rate(format->sample_rate) || !pipeline_to_unit(&speed, stretch_speed))
		return EINVAL;
	pipeline = mem_zalloc(sizeof(*pipeline), pipeline_destroy);
	if (!pipeline)
		return ENOMEM;
	pipeline->format = *format;
	pipeline->speed = speed;
	buf_init(&pipeline->pending,
		 ((size_t)AUDIO_PENDING_MAX_S * format->sample_rate + 1) * sizeof(int16_t));
	*pipelinep = pipeline;
	return 0;
}

/* Sets up the stages for the engine's rate and the speed. Another rate restarts the sample
 * counts, so it is refused in the middle of a part. */
static int pipeline_prepare(struct pipeline *pipeline, unsigned engine_rate)
{
	if (!pipeline->resample || engine_rate != pipeline->engine_rate) {
		struct resample *resample;
		int err;

		if (pipeline->in_part)
			return EINVAL;
		err = resample_alloc(&resample, engine_rate, pipeline->format.sample_rate);
		if (err)
			return err;
		mem_deref(pipeline->resample);
		pipeline->resample = resample;
		pipeline->stretch = mem_deref(pipeline->stretch);
		pipeline->engine_rate = engine_rate;
	}
	if (pipeline->stretch || pipeline->speed == STRETCH_UNIT)
		return 0;
	return stretch_alloc(&pipeline->stretch, engine_rate, pipeline->speed);
}

int pipeline_set_speed(struct pipeline *pipeline, double stretch_speed)
{
	unsigned speed;

	if (pipeline->in_part || !pipeline_to_unit(&speed, stretch_speed))
		return EINVAL;
	if (speed != pipeline->speed)
		pipeline->stretch = mem_deref(pipeline->stretch);
	pipeline->speed = speed;
	return 0;
}

/* At the client's rate, since the start of the turn. */
static uint64_t pipeline_samples_made(const struct pipeline *pipeline)
{
	return pipeline->samples_out + (pipeline->pending.len - pipeline->taken) / sizeof(int16_t);
}

/* Reserves one sample more than needed, so that there is always memory to point at. */
static int pipeline_reserve(struct pipeline *pipeline, size_t samples)
{
	buf_consume(&pipeline->pending, pipeline->taken);
	pipeline->taken = 0;
	return buf_reserve(&pipeline->pending, (samples + 1) * sizeof(int16_t));
}

/* Reserves room for all samples that count samples and the end of the part can produce, so
 * that a write never fails halfway. */
static int pipeline_make_room(struct pipeline *pipeline, size_t count)
{
	size_t stretched = pipeline->stretch ? stretch_room(pipeline->stretch, count) : count;

	return pipeline_reserve(pipeline, resample_room(pipeline->resample, stretched));
}

static int16_t *pipeline_pending_end(const struct pipeline *pipeline)
{
	return (int16_t *)(void *)(pipeline->pending.bytes + pipeline->pending.len);
}

static void pipeline_resample_to_pending(struct pipeline *pipeline, const int16_t *samples,
					 size_t count)
{
	size_t made =
		resample_write(pipeline->resample, pipeline_pending_end(pipeline), samples, count);

	pipeline->pending.len += made * sizeof(int16_t);
	assert(pipeline->pending.len <= pipeline->pending.size);
}

static void pipeline_stretched_to_pending(struct pipeline *pipeline)
{
	int16_t block[BLOCK];
	size_t count;

	while ((count = stretch_read(pipeline->stretch, block, BLOCK)) > 0)
		pipeline_resample_to_pending(pipeline, block, count);
}

static int pipeline_stretch_to_pending(struct pipeline *pipeline, const int16_t *samples,
				       size_t count)
{
	while (count > 0) {
		size_t n = count < BLOCK ? count : BLOCK;
		int err = stretch_write(pipeline->stretch, samples, n);

		if (err)
			return err;
		pipeline_stretched_to_pending(pipeline);
		samples += n;
		count -= n;
	}
	return 0;
}

int pipeline_write(struct pipeline *pipeline, const int16_t *samples, size_t count,
		   unsigned engine_rate)
{
	int err = pipeline_prepare(pipeline, engine_rate);

	if (err)
		return err;
	if (count == 0)
		return 0;
	err = pipeline_make_room(pipeline, count);
	if (err)
		return err;
	if (!pipeline->in_part) {
		pipeline->in_part = true;
		pipeline->seam = SEAM_NONE;
		pipeline->part_start = pipeline_samples_made(pipeline);
	}
	if (pipeline->stretch)
		return pipeline_stretch_to_pending(pipeline, samples, count);
	pipeline_resample_to_pending(pipeline, samples, count);
	return 0;
}

static int pipeline_drain(struct pipeline *pipeline)
{
	size_t made;
	int err = pipeline_make_room(pipeline, 0);

	if (err)
		return err;
	if (pipeline->stretch) {
		err = stretch_end_chunk(pipeline->stretch);
		if (err)
			return err;
		pipeline_stretched_to_pending(pipeline);
	}
	made = resample_end_chunk(pipeline->resample, pipeline_pending_end(pipeline));
	pipeline->pending.len += made * sizeof(int16_t);
	assert(pipeline->pending.len <= pipeline->pending.size);
	return 0;
}

int pipeline_end_part(struct pipeline *pipeline)
{
	int err = 0;

	if (pipeline->in_part)
		err = pipeline_drain(pipeline);
	else
		/* the part had no samples */
		pipeline->part_start = pipeline_samples_made(pipeline);
	pipeline->in_part = false;
	pipeline->seam = SEAM_PART;
	pipeline->part_end = pipeline_samples_made(pipeline);
	return err;
}

int pipeline_end_chunk(struct pipeline *pipeline)
{
	int err = pipeline->in_part ? pipeline_end_part(pipeline) : 0;

	pipeline->seam = SEAM_CHUNK;
	return err;
}

int pipeline_silence(struct pipeline *pipeline, size_t samples)
{
	int err;

	if (pipeline->in_part)
		return EINVAL;
	err = pipeline_reserve(pipeline, samples);
	if (err)
		return err;
	memset(pipeline_pending_end(pipeline), 0, samples * sizeof(int16_t));
	pipeline->pending.len += samples * sizeof(int16_t);
	if (pipeline->resample)
		resample_rest(pipeline->resample);
	pipeline->seam = SEAM_PART;
	return 0;
}

/* The number of samples in the next frame, 0 when it is not complete yet. At the end of a
 * chunk, a rest of less than 20 ms does not become a separate frame: it joins this one, or, if
 * that would become too long, this frame is shortened by 20 ms. */
static size_t pipeline_next_frame_samples(const struct pipeline *pipeline, size_t available)
{
	/* 20 ms, then 40, 80, 120 and so on up to the maximum */
	unsigned units = pipeline->frames == 0 ? 1 : 2 * pipeline->frames;
	size_t unit = pipeline->format.sample_rate / UNITS_PER_S;
	size_t wanted = (units < UNITS_MAX ? units : UNITS_MAX) * unit;

	if (pipeline->seam != SEAM_CHUNK && available >= wanted)
		return wanted;
	if (pipeline->seam == SEAM_NONE)
		return 0;
	if (pipeline->seam == SEAM_PART)
		return available / unit * unit;
	if (available < wanted + unit && available <= UNITS_MAX * unit)
		return available;
	if (available > wanted && available < wanted + unit)
		return wanted - unit;
	return wanted;
}

/* Works in place, because the output never overtakes the input. */
static size_t pipeline_encode(enum audio_encoding encoding, void *samples, size_t count)
{
	switch (encoding) {
	case AUDIO_MULAW:
		g711_encode_mulaw(samples, samples, count);
		return count;
	case AUDIO_ALAW:
		g711_encode_alaw(samples, samples, count);
		return count;
	case AUDIO_PCM16:
	case AUDIO_WAV:
	case AUDIO_MP3:
	case AUDIO_OPUS:
	case AUDIO_FLAC:
	case AUDIO_AAC:
	case AUDIO_ENCODING_COUNT:
		break;
	}
	_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "PCM16 is little-endian");
	return count * sizeof(int16_t);
}

bool pipeline_next(struct pipeline *pipeline, struct audio_frame *frame)
{
	size_t available = (pipeline->pending.len - pipeline->taken) / sizeof(int16_t);
	size_t count = pipeline_next_frame_samples(pipeline, available);
	char *bytes;

	if (count == 0) {
		if (pipeline->taken == pipeline->pending.len && pipeline->pending.size > KEEP_MAX) {
			buf_reset(&pipeline->pending);
			pipeline->taken = 0;
		}
		return false;
	}
	bytes = pipeline->pending.bytes + pipeline->taken;
	frame->samples = count;
	frame->len = pipeline_encode(pipeline->format.encoding, bytes, count);
	frame->bytes = (const uint8_t *)bytes;
	pipeline->taken += count * sizeof(int16_t);
	pipeline->samples_out += count;
	++pipeline->frames;
	return true;
}

uint64_t pipeline_samples_out(const struct pipeline *pipeline)
{
	return pipeline->samples_out;
}

uint64_t pipeline_place(const struct pipeline *pipeline, uint64_t engine_sample,
			unsigned engine_rate)
{
	uint64_t stretched = stretch_place(engine_rate, pipeline->speed, engine_sample);
	uint64_t place =
		pipeline->part_start + stretched * pipeline->format.sample_rate / engine_rate;

	return place < pipeline->part_end ? place : pipeline->part_end;
}
