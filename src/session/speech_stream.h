/*
 * speech_stream.h: makes sound from the chunks of one turn.
 *
 *   chunk → parts: silence, speech jobs → pipeline → (encoding) → frames
 *
 * It speaks one chunk at a time, and one part of it at a time: the part's silence, then its job.
 * It makes a step when its owner calls speech_stream_step, so that one place decides whether the
 * turn may speak (turn_speak.c); what engines, encoders and timers do between steps is reported
 * with `stepped`.  Samples are sent as frames as soon as a frame is full.  If the format has an
 * encoder, frames pass through it first (encoding.h), and a chunk ends when all of them have been
 * encoded.
 *
 * While there is a reason to hold (enum speech_hold), nothing new is begun, and the running job is
 * held.  The engine is notified when the first reason is set and when the last one is cleared.
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

/* Reasons not to produce more audio. */
enum speech_hold {
	SPEECH_HOLD_PEER = 1 << 0, /* the client does not read what is queued for it */
	SPEECH_HOLD_LEAD = 1 << 1, /* audio is max_lead_ms ahead of playback */
	SPEECH_HOLD_ENCODER = 1 << 2, /* a second of audio waits for the encoder */
};

struct speech_stream;

struct speech_stream_options {
	const struct session_services *services;
	const struct settings *settings; /* not copied, like all pointers here */
	const struct voice *voice;
	struct audio_format format;
	/* Identifies the turn to engines.  Without a seed, it also selects how texts are read. */
	uint64_t tag;
	const char *turn_id; /* for the log */
	/* Other turns use the same peer and may keep it full.  The first chunk begins nevertheless,
	 * and is held after its first frame. */
	bool shares_peer;
};

/* A chunk that has ended. */
struct speech_chunk_end {
	const struct text_chunk *chunk;
	const struct reply_word *words; /* sorted by time */
	size_t words_count;
	uint64_t samples; /* how much audio it has */
	uint64_t busy_us; /* how long engines have worked on it */
	bool is_cut; /* it was ended before all of its text was spoken, and has no words */
};

/* Only `stepped` may release the stream. */
struct speech_stream_ops {
	/* A chunk begins.  speech_stream_step returns the error of this function. */
	int (*began)(void *arg, const struct text_chunk *chunk);
	/* Sends a frame: 0 when it was sent, ECANCELED when it must not be, or another errno. */
	int (*frame)(void *arg, const struct audio_frame *frame);
	void (*ended)(void *arg, const struct speech_chunk_end *end);
	/* Something has happened outside of a step.  0: another step may be possible; otherwise an
	 * error like that of speech_stream_step. */
	void (*stepped)(void *arg, int err);
};

int speech_stream_alloc(struct speech_stream **streamp, const struct speech_stream_options *options,
			const struct speech_stream_ops *ops, void *arg);

/* Sets the next chunk, which is moved.  There must be no other (speech_stream_chunk). */
void speech_stream_take(struct speech_stream *stream, struct text_chunk *chunk);
/* The chunk that is being spoken or waits to be; NULL: there is none. */
const struct text_chunk *speech_stream_chunk(const struct speech_stream *stream);
/* Whether that chunk has begun. */
bool speech_stream_has_begun(const struct speech_stream *stream);
/* The greatest length of that chunk's audio: 100 ms for each byte. */
double speech_stream_estimate_ms(const struct speech_stream *stream);

/* What the chunk waits for before its next step: the reasons to hold (enum speech_hold; 0 if the
 * next step produces no audio), an engine, or the encoder, which has the chunk's last samples. */
unsigned speech_stream_held_by(const struct speech_stream *stream);
bool speech_stream_awaits_engine(const struct speech_stream *stream);
bool speech_stream_awaits_encoder(const struct speech_stream *stream);

/* Makes the next step of its chunk, which must not wait for any of the above: begins the chunk,
 * produces a piece of silence, starts a job, or ends the chunk.  ECANCELED when a frame must not be
 * sent: the chunk was cut.  EIO when its text cannot be spoken, ENOENT when no engine speaks its
 * voice, or another errno: the stream has failed. */
int speech_stream_step(struct speech_stream *stream);

/* Whether there is any reason to hold. */
bool speech_stream_holds(const struct speech_stream *stream);

/* Sets or clears a reason to hold. */
void speech_stream_hold(struct speech_stream *stream, enum speech_hold why, bool is_held);

/* Lets the jobs of other turns go first: the current and later jobs are never urgent. */
void speech_stream_yield(struct speech_stream *stream);

/* Ends the chunk after what was given to the peer or the encoder.  The encoding stays open: it may
 * still have the last samples of the previous chunk, and its stream needs an end. */
void speech_stream_cut(struct speech_stream *stream);

/* Ends everything; what is in the encoder is dropped. */
void speech_stream_stop(struct speech_stream *stream);

/* Ends the encoder's stream when no chunk follows.  0: all of it was sent; EINPROGRESS: `stepped`
 * will be called; ENOMEM.  An encoder that was given no samples is not ended, because a header
 * alone is not audio. */
int speech_stream_finish(struct speech_stream *stream);

/* The peer has dropped samples that were sent to it. */
void speech_stream_take_back(struct speech_stream *stream, uint64_t samples);

const struct playback_clock *speech_stream_playback(const struct speech_stream *stream);
/* When the listener will have heard everything that was sent. */
uint64_t speech_stream_playback_end_us(const struct speech_stream *stream);
/* How long engines have worked on all chunks. */
uint64_t speech_stream_busy_us(const struct speech_stream *stream);
/* When the last chunk ended; 0: none has. */
uint64_t speech_stream_quiet_since_us(const struct speech_stream *stream);
/* Its chunks, and what was heard of them. */
struct transcript *speech_stream_transcript(struct speech_stream *stream);

#endif
