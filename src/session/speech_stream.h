/*
 * speech_stream.h: makes sound from the chunks of one turn.
 *
 *   chunk → parts: silence, speech jobs → pipeline → (encoding) → frames
 *
 * It speaks one chunk at a time, and of it one part: its silence, then its job.  It makes one step
 * when its owner says so (speech_stream_step), so that one place decides whether the turn may
 * speak; what engines, encoders and timers do in between is announced with `stepped`.  Samples
 * leave as frames as soon as they are whole.  Frames of a format that has an encoder leave when
 * they come back from it (encoding.h); a chunk ends when all of them have.
 *
 * While there is a reason to hold (enum speech_hold), nothing new is begun, and the job that runs
 * is held.  The engines are told only when the first reason comes or the last one goes.
 *
 * Belongs to one turn; runs on the loop's thread.
 */
#ifndef SESSION_SPEECH_STREAM_H
#define SESSION_SPEECH_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "audio/pipeline.h"
#include "session/playback.h"
#include "session/services.h"
#include "session/text_source.h"
#include "session/transcript.h"
#include "wire/reply.h"
#include "wire/settings.h"

/* Why no more sound should be made now. */
enum speech_hold {
	SPEECH_HOLD_PEER = 1 << 0, /* the client does not read what waits for it */
	SPEECH_HOLD_LEAD = 1 << 1, /* audio is max_lead_ms ahead of playback */
	SPEECH_HOLD_ENCODER = 1 << 2, /* a second of audio waits for the encoder */
};

struct speech_stream;

struct speech_stream_options {
	const struct session_services *services;
	const struct settings *settings; /* lent, as all pointers here */
	const struct voice *voice;
	struct audio_format format;
	uint64_t
		tag; /* of the turn: engines know its chunks by it, and their readings depend on it */
	/* Others may have filled the peer, and fill it again and again: the first chunk is begun all
	 * the same, and held after its first frame. */
	bool shares_peer;
};

/* A chunk that is over. */
struct speech_chunk_end {
	const struct text_chunk *chunk;
	const struct reply_word *words; /* in the order of time */
	size_t words_count;
	uint64_t samples; /* of its audio */
	uint64_t busy_us; /* that engines have worked on it */
	bool is_cut; /* it ends before its text does, and has no words */
};

/* None of these may release the stream but `stepped`. */
struct speech_stream_ops {
	/* A chunk begins; an errno of speech_stream_step. */
	int (*began)(void *arg, const struct text_chunk *chunk);
	/* A frame is to be sent: 0 when it was, ECANCELED when it must not be, or another errno. */
	int (*frame)(void *arg, const struct audio_frame *frame);
	void (*ended)(void *arg, const struct speech_chunk_end *end);
	/* Something has happened by itself.  0: it may be able to go on; else as a step ends. */
	void (*stepped)(void *arg, int err);
};

int speech_stream_alloc(struct speech_stream **streamp, const struct speech_stream_options *options,
			const struct speech_stream_ops *ops, void *arg);

/* The chunk that is spoken next, when there is none (speech_stream_chunk). */
void speech_stream_take(struct speech_stream *stream, struct text_chunk *chunk);
/* The chunk that is being spoken, or will be; NULL: there is none. */
const struct text_chunk *speech_stream_chunk(const struct speech_stream *stream);
bool speech_stream_has_begun(const struct speech_stream *stream); /* that chunk */
/* How long its audio will be, at most: 100 ms for each byte. */
double speech_stream_estimate_ms(const struct speech_stream *stream);

/* What the chunk waits for before its next step: the reasons to hold (enum speech_hold), unless the
 * next step makes no sound; an engine; or the encoder, which has the last of it. */
unsigned speech_stream_held_by(const struct speech_stream *stream);
bool speech_stream_awaits_engine(const struct speech_stream *stream);
bool speech_stream_awaits_encoder(const struct speech_stream *stream);

/* The next step of its chunk, of which none of the above is true.  It begins the chunk, makes a
 * piece of silence, starts a job, or ends the chunk.  ECANCELED when a frame must not be sent: the
 * chunk was cut.  EIO when its text cannot be spoken, ENOENT when nobody speaks its voice, or
 * another errno: the stream cannot go on. */
int speech_stream_step(struct speech_stream *stream);

/* Whether there is any reason to hold. */
bool speech_stream_holds(const struct speech_stream *stream);

/* From its owner: a reason to hold comes or goes. */
void speech_stream_hold(struct speech_stream *stream, enum speech_hold why, bool is_held);

/* What is spoken from now on is never urgent. */
void speech_stream_yield(struct speech_stream *stream);

/* Ends the chunk with what was given to the peer or the encoder.  The encoding stays open: it may
 * still hold the last samples of the chunk before, and its stream needs an end. */
void speech_stream_cut(struct speech_stream *stream);

/* Nothing more is made, and what is in the encoder is dropped. */
void speech_stream_stop(struct speech_stream *stream);

/* No chunk follows: ends the encoder's stream.  0 when all of it was given out; EINPROGRESS:
 * `stepped` is called; ENOMEM.  An encoder that was given no sample is not ended: a header alone is
 * no audio. */
int speech_stream_finish(struct speech_stream *stream);

/* So many samples were sent and then dropped by the peer. */
void speech_stream_take_back(struct speech_stream *stream, uint64_t samples);

const struct playback_clock *speech_stream_playback(const struct speech_stream *stream);
uint64_t speech_stream_dry_us(const struct speech_stream *stream);
uint64_t speech_stream_busy_us(const struct speech_stream *stream); /* of engines, in all */
uint64_t speech_stream_quiet_since_us(const struct speech_stream *stream); /* 0: always */
/* Its chunks, and what was heard of them. */
struct transcript *speech_stream_transcript(struct speech_stream *stream);

#endif
