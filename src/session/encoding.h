/*
 * encoding.h: passes a turn's samples through an encoder, on another thread.
 *
 *   turn → encoding_write → a piece → a thread: encoder → a piece → turn
 *
 * Encoders cost as much as a small engine, so they run on threads of their own, as many as there
 * are processors.  An encoding stays on the thread that had the fewest encodings when it began, so
 * pieces come back in order.  Without threads (in tests with their own clock) a timer with no
 * delay does the work, so that handlers are not called from inside encoding_write then either.
 *
 * All functions are called on the loop's thread, which also runs the handlers.
 */
#ifndef SESSION_ENCODING_H
#define SESSION_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audio/pipeline.h"
#include "loop/loop.h"
#include "loop/timers.h"

/* How much audio may wait for the thread before no more should be produced.  A frame has at most
 * 200 ms, so there is always one to encode.  If more than a second waits, the thread cannot keep
 * up, and more audio would only fill memory. */
#define ENCODING_FULL_MS 1000u

struct encoding;
struct encoding_threads;

/* The threads of all encodings.  All encodings must be closed before it is released. */
int encoding_threads_alloc(struct encoding_threads **threadsp, struct loop *loop, unsigned count);

/* Finishes and delivers everything that was written; blocks. */
void encoding_threads_finish(struct encoding_threads *threads);

/* How many encodings the busiest thread has. */
unsigned encoding_threads_most(const struct encoding_threads *threads);

/* Receives the result of one piece.  The frame's samples are those that its bytes contain: a piece
 * that the encoder kept comes back empty and is counted with the next bytes.  The frame is valid
 * only during the call. */
typedef void(encoding_h)(void *arg, int err, const struct audio_frame *frame);

/* If `threads` is NULL, `timers` does the work. */
int encoding_alloc(struct encoding **encodingp, struct encoding_threads *threads,
		   struct timers *timers, const struct audio_format *format, encoding_h *encoded,
		   void *arg);

/* Encodes at most 200 ms of PCM16, which is copied.  ENOMEM. */
int encoding_write(struct encoding *encoding, const int16_t *samples, size_t count);

/* Ends the stream; nothing may be written afterwards. */
int encoding_end(struct encoding *encoding);

/* Called with true when no more audio should be produced, from inside the encoding_write that
 * causes it; and with false when there is room again, after the result of a piece was delivered. */
typedef void(encoding_full_h)(void *arg, bool is_full);
void encoding_on_full(struct encoding *encoding, encoding_full_h *handler);

bool encoding_is_empty(const struct encoding *encoding); /* nothing has been written */
/* The results of all pieces were delivered. */
bool encoding_is_idle(const struct encoding *encoding);
bool encoding_has_ended(const struct encoding *encoding); /* encoding_end was called */

/* Ends it without further calls of the handler; pieces at the thread are discarded.  NULL is
 * allowed; returns NULL. */
struct encoding *encoding_close(struct encoding *encoding);

#endif
