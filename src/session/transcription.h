/*
 * transcription.h: turns a stream of audio into text, while it arrives.
 *
 *   samples --> hearing (an engine scores frames) --> segmenter: where speech begins and ends
 *                    ^                                    |
 *                    +-------- pieces to recognize -------+
 *                    |
 *               words of pieces --> heard_queue: in order --> partial text, segments
 *
 * It is used by everything that listens: files, sockets and conversations.  Permission, limits and
 * credit are those of a turn (charge.h): what was given to the engine is charged, and the transcription
 * is one row of the ledger.  It keeps no audio.
 *
 *   transcription_begin --> (later) `room` --> transcription_send, as audio arrives, and
 *     transcription_commit --> transcription_finish --> `done`, or at any time `failed`
 *
 * With TRANSCRIPTION_BY_OWNER there are no segments: the owner is told what the segmenter finds, and asks
 * for the words of any part of the audio that it has not released.
 *
 * Release it with transcription_close at any time, also from inside the ops.  Runs on the loop's thread.
 */
#ifndef SESSION_TRANSCRIPTION_H
#define SESSION_TRANSCRIPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hearing/hearing.h"
#include "hearing/segmenter.h"
#include "session/heard_queue.h"
#include "session/services.h"
#include "wire/fault.h"

/* Credit is requested for this much audio at a time. */
#define TRANSCRIPTION_CREDIT_S 10u

/* A segment that its client does not commit ends at the next pause after this time, so that its text is
 * bounded. */
#define TRANSCRIPTION_SEGMENT_S 90u

/* The most commits that may wait for their audio to be scored.  A client that sends more of them than
 * that within a fraction of a second is not cut off, but told so. */
#define TRANSCRIPTION_COMMITS_MAX 16u

enum transcription_commits {
	TRANSCRIPTION_AT_PAUSES, /* each segment ends when nobody speaks any more */
	TRANSCRIPTION_MANUAL, /* it ends when transcription_commit is called */
	TRANSCRIPTION_BY_OWNER, /* there are none; `event` and `result` are called */
};

struct transcription_request {
	const struct session_services *services;
	struct caller *caller; /* a reference is taken */
	const struct hearing_model *model; /* copied */
	const char *language; /* copied; "": the model's own, or detected */
	bool want_times; /* of words */
	bool want_partials; /* text of a segment before its end, if the model is fast enough */
	/* Somebody is speaking now and waits for the words.  Audio beyond the limit of a minute ends
	 * it; a file is finished, because its length was not known when it began. */
	bool is_live;
	enum transcription_commits commits;
	struct segmenter_options segments;
	uint64_t seconds_max; /* the longest audio */
};

/* What was used, when it is known. */
struct transcription_usage {
	const char *id; /* of the row in the ledger; "": nothing was heard, and there is none */
	const char *model;
	uint64_t samples; /* at HEARING_RATE */
	uint64_t busy_us; /* the engine's time for all pieces */
	bool is_cost_known;
	int64_t microcents;
};

/* None of these is called from inside transcription_alloc.  After `failed` or `done` no other is. */
struct transcription_ops {
	/* The text of the current segment so far, which may change; only called when it has.  May be NULL. */
	void (*partial)(void *arg, const char *text, size_t len);
	/* Only with TRANSCRIPTION_BY_OWNER, which needs all three.  The probabilities of frames as in
	 * struct hearing_listener, before their events; what the segmenter finds; and the words of a
	 * piece that transcription_recognize has asked for. */
	void (*activity)(void *arg, uint64_t first_sample, const uint8_t *probabilities,
			 size_t count);
	void (*event)(void *arg, const struct segmenter_event *event);
	void (*result)(void *arg, const struct hearing_result *result);
	/* What was said; the text is final. */
	void (*segment)(void *arg, const struct heard_segment *segment);
	/* Somebody has begun to speak, or has stopped, at this sample; may be NULL. */
	void (*speech)(void *arg, bool begins, uint64_t sample);
	/* There is room again (transcription_room), after there was less than a second. */
	void (*room)(void *arg);
	void (*failed)(void *arg, const struct stream_fault *fault);
	/* It was finished, all segments were passed on, and the row is durable. */
	void (*done)(void *arg, const struct transcription_usage *usage);
};

struct transcription;

int transcription_alloc(struct transcription **transcriptionp,
			const struct transcription_request *request,
			const struct transcription_ops *ops, void *arg);

/* Releases it; may be NULL.  If it has not ended, what was heard is charged: a file counts as cancelled;
 * a live stream as finished, because clients end one by disconnecting.  Returns NULL. */
struct transcription *transcription_close(struct transcription *transcription);

/* Requests permission, and starts to listen when it is given.  The prompt is what was said before, or
 * names to expect; "": nothing. */
void transcription_begin(struct transcription *transcription, const char *prompt);

/* How many samples may be sent now.  0 before permission was given, and after the end. */
size_t transcription_room(const struct transcription *transcription);

/* Takes samples at HEARING_RATE, at most transcription_room. */
void transcription_send(struct transcription *transcription, const int16_t *samples, size_t count);

/* Ends the segment after the audio that was sent; `segment` is called for it even if nothing was said.
 * EAGAIN: permission has not been given yet.  ENOBUFS: too many commits wait.  After the end nothing
 * happens. */
int transcription_commit(struct transcription *transcription);

/* With TRANSCRIPTION_BY_OWNER: asks for the words of [from, to), under the number that it returns; 0: the
 * piece cannot be recognized now, because too many wait or its audio is gone.  A final is recognized
 * first, and always has a result. */
uint32_t transcription_recognize(struct transcription *transcription, uint64_t from_sample,
				 uint64_t to_sample, bool is_final);
/* With TRANSCRIPTION_BY_OWNER: audio from this sample on is kept; without this call, only what the
 * segmenter needs. */
void transcription_keep_from(struct transcription *transcription, uint64_t sample);

/* No more audio follows. */
void transcription_finish(struct transcription *transcription);

uint64_t transcription_samples(const struct transcription *transcription); /* that were sent */

#endif
