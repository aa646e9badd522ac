/*
 * encoding.h: a turn's samples on their way through an encoder, off the loop.
 *
 *   turn → encoding_write → a piece → a thread: encoder → a piece → turn
 *
 * Encoders cost as much as a small engine, so they run on threads of their own, as
 * many as there are processors.  An encoding stays on the thread that had the
 * fewest of them when it began, so pieces go over whole and come back whole, in
 * order.  Without threads (tests with a clock of their own) a timer of no time
 * does the work: then too nothing is heard from inside a call.
 */
#ifndef SESSION_ENCODING_H
#define SESSION_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audio/pipeline.h"
#include "loop/loop.h"
#include "loop/timers.h"

/* So much audio may be away before no more should be made.  A frame is 200 ms at
 * most, and there is always one to do while others come and go; when more than a
 * second waits the thread is behind, and making more would only fill memory. */
#define ENCODING_FULL_MS 1000u

struct encoding;
struct encoding_threads;

/* The threads of all encodings, which must be closed before this is dereferenced. */
int encoding_threads_alloc(struct encoding_threads **threadsp, struct loop *loop, unsigned count);

/* Finishes and delivers everything that was written; blocks. */
void encoding_threads_finish(struct encoding_threads *threads);

/* How many encodings the busiest thread has. */
unsigned encoding_threads_most(const struct encoding_threads *threads);

/* What came back of one piece.  The frame's samples are those that its bytes
 * stand for: a piece that an encoder kept comes back empty, and is counted with
 * the next bytes.  The frame is lent. */
typedef void(encoding_h)(void *arg, int err, const struct audio_frame *frame);

/* threads NULL: `timers` does the work. */
int encoding_alloc(struct encoding **encodingp, struct encoding_threads *threads,
		   struct timers *timers, const struct audio_format *format, encoding_h *heard,
		   void *arg);

/* At most 200 ms of PCM16, copied.  ENOMEM. */
int encoding_write(struct encoding *encoding, const int16_t *samples, size_t count);

/* The stream's end; nothing is written after it. */
int encoding_end(struct encoding *encoding);

/* Signals that so much audio is away that no more should be made, from inside the encoding_write
 * that makes it so; and that more can be made, after the piece that makes it so was heard. */
typedef void(encoding_full_h)(void *arg, bool is_full);
void encoding_on_full(struct encoding *encoding, encoding_full_h *handler);

bool encoding_is_empty(const struct encoding *encoding); /* nothing was written at all */
bool encoding_is_idle(const struct encoding *encoding); /* all that was written came back */
bool encoding_has_ended(const struct encoding *encoding); /* encoding_end was called */

/* Nothing is heard from it any more; what is away is thrown away.  NULL is
 * allowed; gives NULL. */
struct encoding *encoding_close(struct encoding *encoding);

#endif
