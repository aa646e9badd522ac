/*
 * text_source.h: the text of a turn, from what its client writes to chunks that can be spoken.
 *
 *   text → chunker → reader → a chunk and how it is read
 *
 * Knows when text that waits is due: a sentence that nothing confirms (35 ms), text that nothing
 * completes (flush_timeout_ms), and whole sentences that only wait for the schedule while their
 * listener is about to run out of audio.  Then it calls `ready`.
 *
 * Belongs to one turn; runs on the loop's thread.  The settings are lent, and outlive it.
 */
#ifndef SESSION_TEXT_SOURCE_H
#define SESSION_TEXT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loop/timers.h"
#include "session/transcript.h"
#include "text/dictionary.h"
#include "text/spoken.h"
#include "wire/settings.h"

struct text_source;

/* A chunk, which is its owner's: malloc and mem.h. */
struct text_chunk {
	char *text; /* as the client wrote it; NULL: there is no chunk */
	size_t len;
	struct spoken *spoken; /* how it is read: at least one part */
	uint64_t end; /* bytes of the turn's text up to its end */
};

/* More may be ready. */
typedef void(text_source_ready_h)(void *arg);

int text_source_alloc(struct text_source **sourcep, struct timers *timers,
		      const struct settings *settings, const char *language, bool reads_phonemes,
		      text_source_ready_h *ready, void *arg);

/* The dictionaries that it is read with; a reference is kept.  NULL: none. */
void text_source_set_lexicon(struct text_source *source, struct lexicon *lexicon);

/* Until text_source_resume nothing of it can be spoken, and flush_timeout_ms has no effect. */
void text_source_resume(struct text_source *source);

/* A message of the client.  ENOBUFS when too much waits, ENOMEM. */
int text_source_feed(struct text_source *source, const char *text, size_t len);

/* What is wrong with the markup so far, for its author to read; NULL: nothing. */
const char *text_source_fault(const struct text_source *source);

/* Its timers: they start again with each text, and stop when no text follows. */
void text_source_await_more(struct text_source *source);
void text_source_await_nothing(struct text_source *source);

/* All of it is to be spoken: what is there now, and more may follow; whole sentences of it; and
 * what is left at the turn's end. */
void text_source_flush(struct text_source *source);
void text_source_release(struct text_source *source);
void text_source_end(struct text_source *source);

/* From now on, only chunks that were flushed are given out, and the end flushes nothing. */
void text_source_drop_unflushed(struct text_source *source);
/* The client has flushed this chunk; anything at all. */
bool text_source_has_flushed(const struct text_source *source, const struct text_chunk *chunk);
bool text_source_was_flushed(const struct text_source *source);

/* The next chunk of which something is heard; ENOENT when there is none, ENOMEM. */
int text_source_next(struct text_source *source, struct text_chunk *chunk);
void text_chunk_reset(struct text_chunk *chunk);

/* Nothing is ready, and the listener will have heard everything at dry_us.  Whole sentences that
 * only wait for the schedule are released shortly before that: true when they are now; otherwise
 * `ready` is called when it is time. */
bool text_source_release_before(struct text_source *source, uint64_t dry_us);

/* Bytes that were fed and not given out. */
size_t text_source_buffered(const struct text_source *source);

/* The turn is over: adds what was never given out to its transcript. */
void text_source_add_rest(struct text_source *source, struct transcript *transcript);

#endif
