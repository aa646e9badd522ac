/*
 * listener_stream.c: the audio of one LISTEN job (see listener_stream.h).
 */
#include "engine/listener_stream.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

_Static_assert(MESSAGE_FRAME_SAMPLES == VAD_FRAME, "frames are scored as they are reported");

#define SAMPLE_LEN sizeof(int16_t)

/* Room is granted in steps of a second, or as soon as the server has less than that. */
#define ROOM_STEP MESSAGE_HEARING_RATE

/* A piece whose frames are all less probable than this has no speech in it, whatever a recognizer
 * would make of it. Quiet speech in noise is more probable in some frame. */
#define SPEECH_FROM 40

static void listener_stream_destroy(void *object)
{
	struct listener_stream *stream = object;

	free(stream->language);
	free(stream->prompt);
	free(stream->failure);
	buf_reset(&stream->audio);
	buf_reset(&stream->scores);
}

int listener_stream_alloc(struct listener_stream **streamp, uint32_t job,
			  const struct message_listen *listen)
{
	struct listener_stream *stream = mem_zalloc(sizeof(*stream), listener_stream_destroy);

	if (!stream)
		return ENOMEM;
	stream->job = job;
	stream->want_times = listen->wants & MESSAGE_WANT_TIMES;
	stream->language = strndup(listen->language.bytes, listen->language.len);
	stream->prompt = strndup(listen->prompt.bytes, listen->prompt.len);
	stream->first = stream->kept = stream->scored = stream->end = listen->first_sample;
	stream->told = stream->released = listen->first_sample;
	list_init(&stream->waiting);
	buf_init(&stream->audio, (MESSAGE_KEPT_MAX + VAD_FRAME) * SAMPLE_LEN);
	buf_init(&stream->scores, MESSAGE_KEPT_MAX / VAD_FRAME + 2);
	if (!stream->language || !stream->prompt) {
		mem_deref(stream);
		return ENOMEM;
	}
	*streamp = stream;
	return 0;
}

int listener_stream_write(struct listener_stream *stream, const struct message_samples *samples)
{
	int err;

	if (samples->count > stream->room || stream->is_finished)
		return EPROTO;
	err = buf_append(&stream->audio, samples->samples, samples->count * SAMPLE_LEN);
	if (err)
		return err;
	stream->room -= samples->count;
	stream->end += samples->count;
	return 0;
}

static const int16_t *listener_stream_at(const struct listener_stream *stream, uint64_t sample)
{
	/* The buffer is aligned, because it begins where malloc has placed it. */
	const int16_t *samples = (const int16_t *)(const void *)stream->audio.bytes;

	return samples + (sample - stream->kept);
}

const int16_t *listener_stream_frame(const struct listener_stream *stream)
{
	return stream->end - stream->scored >= VAD_FRAME
		       ? listener_stream_at(stream, stream->scored)
		       : NULL;
}

int listener_stream_score(struct listener_stream *stream, float probability)
{
	float scaled = fminf(fmaxf(probability, 0), 1) * 255; /* NaN becomes 0 */
	unsigned char score = (unsigned char)lrintf(scaled);
	int err = buf_append(&stream->scores, &score, 1);

	if (!err)
		stream->scored += VAD_FRAME;
	return err;
}

/* The index of the frame that a sample is in, among those whose scores are kept. */
static size_t listener_stream_index(const struct listener_stream *stream, uint64_t sample)
{
	uint64_t scores_start = stream->scored - stream->scores.len * VAD_FRAME;

	return (size_t)((sample - scores_start) / VAD_FRAME);
}

bool listener_stream_tell(struct listener_stream *stream, struct message_activity *activity)
{
	size_t at;

	if (stream->told == stream->scored)
		return false;
	at = listener_stream_index(stream, stream->told);
	*activity = (struct message_activity){
		.first_sample = stream->told,
		.probabilities = (const unsigned char *)stream->scores.bytes + at,
		.count = stream->scores.len - at,
	};
	stream->told = stream->scored;
	return true;
}

bool listener_stream_has(const struct listener_stream *stream, uint64_t from, uint64_t to)
{
	return from < to && from >= stream->kept && to <= stream->end;
}

void listener_stream_read(const struct listener_stream *stream, int16_t *samples, uint64_t from,
			  uint64_t to)
{
	assert(listener_stream_has(stream, from, to));
	memcpy(samples, listener_stream_at(stream, from), (size_t)(to - from) * SAMPLE_LEN);
}

bool listener_stream_is_scored(const struct listener_stream *stream, uint64_t to)
{
	return to < stream->scored + VAD_FRAME;
}

/* A frame that is not complete, or goes beyond the end, is too short for a word. */
bool listener_stream_has_speech(const struct listener_stream *stream, uint64_t from, uint64_t to)
{
	size_t end;

	if (to > stream->scored)
		to = stream->scored;
	end = listener_stream_index(stream, to);
	for (size_t i = listener_stream_index(stream, from); i < end; ++i)
		if ((unsigned char)stream->scores.bytes[i] >= SPEECH_FROM)
			return true;
	return false;
}

void listener_stream_release(struct listener_stream *stream, uint64_t sample)
{
	if (sample > stream->released)
		stream->released = sample;
	listener_stream_trim(stream);
}

/* The score of the frame that the first sample is in is kept. */
void listener_stream_trim(struct listener_stream *stream)
{
	uint64_t to = stream->released < stream->told ? stream->released : stream->told;

	if (to <= stream->kept)
		return;
	buf_consume(&stream->scores, listener_stream_index(stream, to));
	buf_consume(&stream->audio, (size_t)(to - stream->kept) * SAMPLE_LEN);
	if (stream->audio.len < stream->audio.size / 4)
		buf_trim(&stream->audio);
	stream->kept = to;
}

uint32_t listener_stream_grant(struct listener_stream *stream)
{
	uint64_t used = stream->end - stream->kept + stream->room;
	uint64_t more = used < MESSAGE_KEPT_MAX ? MESSAGE_KEPT_MAX - used : 0;

	if (stream->is_finished || (more < ROOM_STEP && stream->room >= ROOM_STEP))
		return 0;
	stream->room += more;
	return (uint32_t)more;
}
