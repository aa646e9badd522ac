/*
 * text_source.h: divides the text of a turn into chunks that can be spoken.
 *
 *   text → chunker → reader → a chunk and how it is read
 *
 * Text that waits becomes due, and `ready` is called, in three cases: the end of a sentence was not
 * followed by more text for 35 ms; an incomplete sentence was not continued for flush_timeout_ms;
 * or whole sentences wait only for the schedule while the listener is about to have heard
 * everything.
 *
 * Belongs to one turn; runs on the loop's thread.  The settings must outlive it.
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

/* A chunk of text.  Release it with text_chunk_reset. */
struct text_chunk {
	char *text; /* as the client wrote it; NULL: there is no chunk */
	size_t len;
	struct spoken *spoken; /* how it is read: at least one part */
	uint64_t end; /* the position of its end in the turn's text, in bytes */
};

/* Called when a chunk may be ready. */
typedef void(text_source_ready_h)(void *arg);

/* `language` is the language of the text ("en"), and is copied.  reads_phonemes: the voice can be
 * given phonemes; otherwise a dictionary's replacement is used. */
int text_source_alloc(struct text_source **sourcep, struct timers *timers,
		      const struct settings *settings, const char *language, bool reads_phonemes,
		      text_source_ready_h *ready, void *arg);

/* Sets the dictionaries; a reference is taken.  NULL: none. */
void text_source_set_lexicon(struct text_source *source, struct lexicon *lexicon);

/* Call it when the turn may speak.  Before that, flush_timeout_ms has no effect. */
void text_source_resume(struct text_source *source);

/* Adds the text of a message.  ENOBUFS when too much is buffered, ENOMEM. */
int text_source_feed(struct text_source *source, const char *text, size_t len);

/* Describes a fault in the markup so far, for its author; NULL: there is none. */
const char *text_source_fault(const struct text_source *source);

/* Restart the timers after each text, and stop them. */
void text_source_await_more(struct text_source *source);
void text_source_await_nothing(struct text_source *source);

/* text_source_flush makes all text so far due, and more may follow; text_source_release makes only
 * whole sentences due; text_source_end makes the rest due at the end of the turn. */
void text_source_flush(struct text_source *source);
void text_source_release(struct text_source *source);
void text_source_end(struct text_source *source);

/* Afterwards, text_source_next returns only chunks that were flushed, and text_source_end makes
 * nothing due. */
void text_source_drop_unflushed(struct text_source *source);
/* Whether the client has flushed this chunk, or anything at all. */
bool text_source_has_flushed(const struct text_source *source, const struct text_chunk *chunk);
bool text_source_was_flushed(const struct text_source *source);

/* Gives the next chunk that contains something to speak; ENOENT when there is none, ENOMEM. */
int text_source_next(struct text_source *source, struct text_chunk *chunk);
void text_chunk_reset(struct text_chunk *chunk);

/* Call it when no chunk is ready, with the time at which the listener will have heard everything.
 * Whole sentences that only wait for the schedule are released shortly before that.  Returns true
 * if they were released by this call; otherwise `ready` is called when it is time. */
bool text_source_release_before(struct text_source *source, uint64_t end_us);

/* How many bytes were added and are not in a chunk yet. */
size_t text_source_buffered(const struct text_source *source);

/* Adds the rest of the text, which was not spoken, to the transcript of a turn that is over. */
void text_source_add_rest(struct text_source *source, struct transcript *transcript);

#endif
