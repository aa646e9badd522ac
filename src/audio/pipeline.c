/*
 * pipeline.c: from an engine's samples to the bytes of a frame (see pipeline.h).
 *
 * A write is converted at once into `pending`, samples at the client's rate,
 * from whose front frames are cut and encoded in place.
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

/* Frames are cut in units of 20 ms, a whole number of samples at each of our
 * rates (441 at 22050) and the packet of every telephone. */
#define UNITS_PER_S 50u
#define UNITS_MAX (AUDIO_FRAME_MAX_MS * UNITS_PER_S / 1000)

/* Samples between the stretcher and the resampler. */
#define BLOCK 1024u

/* Memory that is kept between writes; more is given back when it is empty. */
#define KEEP_MAX 16384u

/* What the last sample is the end of: how much can be given out. */
enum seam { SEAM_NONE, SEAM_PART, SEAM_CHUNK };

struct pipeline {
	struct audio_format format;
	unsigned speed; /* in STRETCH_UNIT */
	unsigned engine_rate;
	struct stretch *stretch; /* NULL: none is needed */
	struct resample *resample; /* NULL: nothing was written yet */
	struct buf pending; /* int16_t */
	size_t taken; /* bytes of pending that were given out */
	bool in_part;
	enum seam seam;
	unsigned frames;
	uint64_t samples_out;
	uint64_t part_start, part_end; /* of the last part, in samples since the turn's start */
};

static void destroy(void *object)
{
	struct pipeline *pipeline = object;

	mem_deref(pipeline->stretch);
	mem_deref(pipeline->resample);
	buf_reset(&pipeline->pending);
}

static bool to_unit(unsigned *speed, double stretch_speed)
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

	if (!audio_format_has_rate(format->sample_rate) || !to_unit(&speed, stretch_speed))
		return EINVAL;
	pipeline = mem_zalloc(sizeof(*pipeline), destroy);
	if (!pipeline)
		return ENOMEM;
	pipeline->format = *format;
	pipeline->speed = speed;
	buf_init(&pipeline->pending,
		 ((size_t)AUDIO_PENDING_MAX_S * format->sample_rate + 1) * sizeof(int16_t));
	*pipelinep = pipeline;
	return 0;
}

/* The stages for an engine's rate; sample counts start anew with it. */
static int set_engine_rate(struct pipeline *pipeline, unsigned engine_rate)
{
	struct resample *resample;
	int err;

	if (pipeline->resample && engine_rate == pipeline->engine_rate)
		return 0;
	if (pipeline->in_part)
		return EINVAL;
	err = resample_alloc(&resample, engine_rate, pipeline->format.sample_rate);
	if (err)
		return err;
	mem_deref(pipeline->resample);
	pipeline->resample = resample;
	pipeline->stretch = mem_deref(pipeline->stretch);
	pipeline->engine_rate = engine_rate;
	return 0;
}

static int prepare(struct pipeline *pipeline, unsigned engine_rate)
{
	int err = set_engine_rate(pipeline, engine_rate);

	if (err || pipeline->stretch || pipeline->speed == STRETCH_UNIT)
		return err;
	return stretch_alloc(&pipeline->stretch, engine_rate, pipeline->speed);
}

int pipeline_set_speed(struct pipeline *pipeline, double stretch_speed)
{
	unsigned speed;

	if (pipeline->in_part || !to_unit(&speed, stretch_speed))
		return EINVAL;
	if (speed != pipeline->speed)
		pipeline->stretch = mem_deref(pipeline->stretch);
	pipeline->speed = speed;
	return 0;
}

/* At the client's rate, since the turn's start. */
static uint64_t samples_made(const struct pipeline *pipeline)
{
	return pipeline->samples_out + (pipeline->pending.len - pipeline->taken) / sizeof(int16_t);
}

/* For one sample more than is needed, so that there always is memory to point
 * at. */
static int reserve(struct pipeline *pipeline, size_t samples)
{
	buf_consume(&pipeline->pending, pipeline->taken);
	pipeline->taken = 0;
	return buf_reserve(&pipeline->pending, (samples + 1) * sizeof(int16_t));
}

/* Room for all that count samples and the part's end can give, so that nothing
 * has to be refused halfway. */
static int make_room(struct pipeline *pipeline, size_t count)
{
	size_t stretched = pipeline->stretch ? stretch_room(pipeline->stretch, count) : count;

	return reserve(pipeline, resample_room(pipeline->resample, stretched));
}

static int16_t *pending_end(const struct pipeline *pipeline)
{
	return (int16_t *)(void *)(pipeline->pending.bytes + pipeline->pending.len);
}

static void resample_to_pending(struct pipeline *pipeline, const int16_t *samples, size_t count)
{
	size_t made = resample_write(pipeline->resample, pending_end(pipeline), samples, count);

	pipeline->pending.len += made * sizeof(int16_t);
	assert(pipeline->pending.len <= pipeline->pending.size);
}

static void stretched_to_pending(struct pipeline *pipeline)
{
	int16_t block[BLOCK];
	size_t count;

	while ((count = stretch_read(pipeline->stretch, block, BLOCK)) > 0)
		resample_to_pending(pipeline, block, count);
}

static int stretch_to_pending(struct pipeline *pipeline, const int16_t *samples, size_t count)
{
	while (count > 0) {
		size_t n = count < BLOCK ? count : BLOCK;
		int err = stretch_write(pipeline->stretch, samples, n);

		if (err)
			return err;
		stretched_to_pending(pipeline);
		samples += n;
		count -= n;
	}
	return 0;
}

static void begin_part(struct pipeline *pipeline)
{
	pipeline->in_part = true;
	pipeline->seam = SEAM_NONE;
	pipeline->part_start = samples_made(pipeline);
}

int pipeline_write(struct pipeline *pipeline, const int16_t *samples, size_t count,
		   unsigned engine_rate)
{
	int err = prepare(pipeline, engine_rate);

	if (err)
		return err;
	if (count == 0)
		return 0;
	err = make_room(pipeline, count);
	if (err)
		return err;
	if (!pipeline->in_part)
		begin_part(pipeline);
	if (pipeline->stretch)
		return stretch_to_pending(pipeline, samples, count);
	resample_to_pending(pipeline, samples, count);
	return 0;
}

static int drain(struct pipeline *pipeline)
{
	size_t made;
	int err = make_room(pipeline, 0);

	if (err)
		return err;
	if (pipeline->stretch) {
		err = stretch_end_chunk(pipeline->stretch);
		if (err)
			return err;
		stretched_to_pending(pipeline);
	}
	made = resample_end_chunk(pipeline->resample, pending_end(pipeline));
	pipeline->pending.len += made * sizeof(int16_t);
	assert(pipeline->pending.len <= pipeline->pending.size);
	return 0;
}

int pipeline_end_part(struct pipeline *pipeline)
{
	int err = 0;

	if (pipeline->in_part)
		err = drain(pipeline);
	else
		pipeline->part_start = samples_made(pipeline); /* it had no samples */
	pipeline->in_part = false;
	pipeline->seam = SEAM_PART;
	pipeline->part_end = samples_made(pipeline);
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
	err = reserve(pipeline, samples);
	if (err)
		return err;
	memset(pending_end(pipeline), 0, samples * sizeof(int16_t));
	pipeline->pending.len += samples * sizeof(int16_t);
	if (pipeline->resample)
		resample_rest(pipeline->resample);
	pipeline->seam = SEAM_PART;
	return 0;
}

/* 20 ms, then 40, 80, 120 and so on to the longest. */
static unsigned units_of_frame(unsigned number)
{
	unsigned units = number == 0 ? 1 : 2 * number;

	return units < UNITS_MAX ? units : UNITS_MAX;
}

/* Samples of the next frame, 0 when it is not there yet.  At a chunk's end a
 * rest of less than 20 ms is not left for a frame of its own: it joins this
 * one, or, where that would become too long, this one gives 20 ms up. */
static size_t next_frame_samples(const struct pipeline *pipeline, size_t available)
{
	size_t unit = pipeline->format.sample_rate / UNITS_PER_S;
	size_t wanted = units_of_frame(pipeline->frames) * unit;

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

/* In place: a byte lies never behind the sample it comes from. */
static size_t encode(enum audio_encoding encoding, void *samples, size_t count)
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

static void give_memory_back(struct pipeline *pipeline)
{
	if (pipeline->taken == pipeline->pending.len && pipeline->pending.size > KEEP_MAX) {
		buf_reset(&pipeline->pending);
		pipeline->taken = 0;
	}
}

bool pipeline_next(struct pipeline *pipeline, struct audio_frame *frame)
{
	size_t available = (pipeline->pending.len - pipeline->taken) / sizeof(int16_t);
	size_t count = next_frame_samples(pipeline, available);
	char *bytes;

	if (count == 0) {
		give_memory_back(pipeline);
		return false;
	}
	bytes = pipeline->pending.bytes + pipeline->taken;
	frame->samples = count;
	frame->len = encode(pipeline->format.encoding, bytes, count);
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
