/*
 * listener_stream.h: the audio of one LISTEN job, as a worker keeps it.
 *
 * The positions of a stream, all in samples from the beginning of what the server hears:
 *
 *      first        kept          scored        end        end + room
 *       ├─────────────┼──────────────┼────────────┼─────────────┤
 *       │ released    │ frames whose activity     │ what the    │
 *       │             │ is known     │ and not    │ server may  │
 *       │             │              │            │ send        │
 *
 * Used by the runner's main thread only.
 */
#ifndef ENGINE_LISTENER_STREAM_H
#define ENGINE_LISTENER_STREAM_H

#include "base/buf.h"
#include "base/list.h"
#include "engine/hear/vad.h"
#include "workers/message.h"

struct listener_stream {
	struct link link; /* on the runner's list of streams */
	struct link unscored; /* on the runner's list of streams that have a frame to score */
	struct list waiting; /* pieces that are to be recognized when their frames are scored */
	uint32_t job;
	const struct recognizer *recognizer;
	char *language;
	char *prompt;
	bool want_times;
	bool is_finished; /* no samples and no pieces follow */
	unsigned owed; /* pieces that have not been answered, the waiting ones included */
	char *failure; /* why it cannot go on; NULL: it can */
	uint64_t first, kept, scored, end;
	uint64_t released; /* by the server */
	uint64_t room; /* that was granted and not used */
	struct buf audio; /* samples [kept, end), 16 bits each */
	struct buf scores; /* one byte for each frame of [kept, scored), see below */
	uint64_t told; /* frames before this sample have been reported */
	struct vad_memory memory;
};

/* An object of base/mem.h. */
int listener_stream_alloc(struct listener_stream **streamp, uint32_t job,
			  const struct message_listen *listen);

/* Appends samples. EPROTO: more than there is room for. ENOMEM. */
int listener_stream_write(struct listener_stream *stream, const struct message_samples *samples);

/* The next frame to score; NULL: it is not complete. */
const int16_t *listener_stream_frame(const struct listener_stream *stream);

/* Takes the probability of speech in that frame. */
int listener_stream_score(struct listener_stream *stream, float probability);

/* The probabilities that have not been reported, as ACTIVITY has them. They are valid until the stream
 * changes. False: there are none. */
bool listener_stream_tell(struct listener_stream *stream, struct message_activity *activity);

/* Whether samples [from, to) are there; and copies them. */
bool listener_stream_has(const struct listener_stream *stream, uint64_t from, uint64_t to);
void listener_stream_read(const struct listener_stream *stream, int16_t *samples, uint64_t from,
			  uint64_t to);

/* Whether all complete frames of the samples before `to` have been scored. */
bool listener_stream_is_scored(const struct listener_stream *stream, uint64_t to);

/* Whether there can be speech in the frames of samples [from, to) that have been scored. */
bool listener_stream_has_speech(const struct listener_stream *stream, uint64_t from, uint64_t to);

/* Audio before this sample is not needed any more. It is kept until its frames were reported, so
 * listener_stream_trim must be called after that. */
void listener_stream_release(struct listener_stream *stream, uint64_t sample);
void listener_stream_trim(struct listener_stream *stream);

/* How much more room to grant now, which the stream then has; 0: none. */
uint32_t listener_stream_grant(struct listener_stream *stream);

#endif
