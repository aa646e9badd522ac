/*
 * chunker.h: cuts a stream of text into the chunks that an engine speaks.
 *
 * Pure: no clock, no I/O.  Its owner feeds text as it comes, says where messages
 * end and when time has passed, and takes chunks out.  The chunks depend on the text
 * and on these calls, not on how the text was split over the feeds between them: what
 * is undecided waits for more text, the end of a message, a pause, a timeout or the
 * flush.
 *
 * A chunk is the shortest run of whole sentences that reaches its entry of the
 * schedule.  A sentence that runs on past the largest entry is cut at its last
 * clause; a buffer at its maximum at a sentence, else a clause, else a word,
 * else a character.  No cut falls inside a tag, and none inside <spell> unless
 * the buffer's maximum leaves no choice.  Inside <spell> no other tag counts.
 * Numbers, abbreviations and the like are sentence.h's business.
 */
#ifndef TEXT_CHUNKER_H
#define TEXT_CHUNKER_H

#include <stdbool.h>
#include <stddef.h>

/* Entries of chunk_length_schedule that are kept: more than anyone sends,
 * small enough to sit in the struct. */
#define CHUNKER_SCHEDULE_MAX 16

struct chunker_options {
	unsigned schedule[CHUNKER_SCHEDULE_MAX]; /* least code points of chunk i */
	size_t schedule_len; /* the last entry repeats; 0 is auto mode */
	bool auto_mode; /* every sentence is a chunk */
	size_t buffer_max; /* code points; at that length it is cut; 0 is 1000 */
	char language[4]; /* for abbreviations and ordinals; "" is unknown */
};

/* { 5, 80, 150, 250 }, no auto mode, 1000. */
extern const struct chunker_options chunker_options_default;

struct chunker;

int chunker_alloc(struct chunker **chunkerp, const struct chunker_options *options);

/* Appends text: UTF-8, whole code points.  ENOBUFS past 256 KiB of text that
 * was not taken out yet: nothing was appended. */
int chunker_feed(struct chunker *chunker, const char *text, size_t len);

/* What was fed since the last call was one message of a client.  Its end confirms
 * a sentence end that stands there, when the message is no token of a model: see
 * sentence_end_message. */
void chunker_end_message(struct chunker *chunker);

/* How long a sentence end waits for confirmation: its owner should call
 * chunker_pause when no text has come for so long.  0: none waits. */
unsigned chunker_pause_ms(const struct chunker *chunker);
#define CHUNKER_CONFIRM_MS 35 /* clients exist that listen for 50 ms */
#define CHUNKER_DOUBT_MS 100 /* for one after which sentences often go on */
void chunker_pause(struct chunker *chunker);

/* Hands over what is buffered without ending the turn (flush_timeout_ms): cut
 * as a flush cuts, but nothing unfinished: a tag, <spell>, a grapheme.  What holds
 * nothing to say stays and joins what follows.  A last word that may go on, as a
 * number may, is kept back once: then true is returned, and another timeout without
 * text between them hands it over, too. */
bool chunker_timeout(struct chunker *chunker);

/* The same when its owner says that all of it is to be heard: only an open tag
 * and an open <spell> wait for their end. */
void chunker_emit(struct chunker *chunker);

/* What is wrong with a <prosody> in what was fed (prosody.h), for its author to
 * read; NULL: nothing.  That one was never closed is known after the flush. */
const char *chunker_fault(const struct chunker *chunker);

/* Whole sentences wait for the schedule alone.  chunker_release makes a chunk of
 * them, for a listener who would hear nothing meanwhile. */
bool chunker_has_sentence(const struct chunker *chunker);
void chunker_release(struct chunker *chunker);

/* The turn's end: all that is left comes out, one chunk per sentence.  An open
 * tag is text, an open <spell> ends here.  Nothing may be fed after it. */
void chunker_flush(struct chunker *chunker);

/* The next chunk, its outer blanks trimmed; false when none is ready.  A
 * sentence without a character that could be spoken is no chunk: it joins the
 * others of its run; alone it is skipped, or kept for the next chunk when it
 * has a tag (a break, an opening prosody), and a chunk of its own when there is
 * no next.  The text is valid until the next call of any function here. */
struct chunk {
	const char *text;
	size_t len;
};
bool chunker_next(struct chunker *chunker, struct chunk *chunk);

/* Bytes fed and not yet taken out. */
size_t chunker_buffered(const struct chunker *chunker);

#endif
