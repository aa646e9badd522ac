/*
 * chunker.h: cuts a stream of text into the chunks that an engine speaks.
 *
 * Pure: no clock, no I/O. Its owner feeds text as it arrives, reports the ends of messages
 * and the passing of time, and takes chunks out. The chunks depend on the text and on these
 * calls, not on how the text was divided between them: undecided text waits for more text,
 * the end of a message, a pause, a timeout or the flush.
 *
 * A chunk is the shortest run of whole sentences that reaches its entry of the schedule. A
 * sentence longer than the largest entry is cut at its last clause; a full buffer is cut at
 * a sentence, else a clause, else a word, else a character. No cut falls inside a tag, and
 * none inside <spell> unless the buffer is full and leaves no choice. Inside <spell> other
 * tags are ignored. sentence.h handles numbers, abbreviations and the like.
 */
#ifndef TEXT_CHUNKER_H
#define TEXT_CHUNKER_H

#include <stdbool.h>
#include <stddef.h>

/* The maximum number of entries of chunk_length_schedule: more than clients send, and few
 * enough to be stored in the struct. */
#define CHUNKER_SCHEDULE_MAX 16

struct chunker_options {
	unsigned schedule[CHUNKER_SCHEDULE_MAX]; /* minimum code points of chunk i */
	size_t schedule_len; /* the last entry repeats; 0 is auto mode */
	bool auto_mode; /* every sentence is a chunk */
	size_t buffer_max; /* code points at which the buffer is cut; 0 means 1000 */
	char language[4]; /* for abbreviations and ordinals; "" means unknown */
};

/* The schedule { 5, 80, 150, 250 }, no auto mode, a buffer of 1000. */
extern const struct chunker_options chunker_options_default;

struct chunker;

int chunker_alloc(struct chunker **chunkerp, const struct chunker_options *options);

/* Appends text: UTF-8, whole code points. ENOBUFS when more than 256 KiB would be buffered;
 * nothing is appended then. */
int chunker_feed(struct chunker *chunker, const char *text, size_t len);

/* Marks the end of a client's message, which consists of the text fed since the last call. It
 * confirms a sentence end at this position, unless the message is a single token of a language
 * model: see sentence_end_message. */
void chunker_end_message(struct chunker *chunker);

/* How long a sentence end waits for confirmation: the owner should call chunker_pause when no
 * text has arrived for this long. 0: no sentence end is waiting. */
unsigned chunker_pause_ms(const struct chunker *chunker);
#define CHUNKER_CONFIRM_MS 35 /* some clients wait only 50 ms for audio */
#define CHUNKER_DOUBT_MS 100 /* for a sentence end after which sentences often continue */
void chunker_pause(struct chunker *chunker);

/* Makes chunks of the buffered text without ending the turn (flush_timeout_ms), cut as by a
 * flush but without unfinished parts: a tag, <spell>, a grapheme. Text without anything to
 * speak stays and joins the text that follows. A last word that may continue, such as a
 * number, is kept back once: then true is returned, and another timeout without text in
 * between includes it. */
bool chunker_timeout(struct chunker *chunker);

/* The same when the client has asked for all of it to be spoken: only an open tag and an open
 * <spell> wait for their end. */
void chunker_emit(struct chunker *chunker);

/* What is wrong with a <prosody> tag in the text fed so far (prosody.h), for its author to
 * read; NULL: nothing. An unclosed tag is known only after the flush. */
const char *chunker_fault(const struct chunker *chunker);

/* True when whole sentences wait only for the schedule. chunker_release makes a chunk of them,
 * for a listener who would hear nothing meanwhile. */
bool chunker_has_sentence(const struct chunker *chunker);
void chunker_release(struct chunker *chunker);

/* Ends the turn: the rest becomes chunks, one per sentence. An open tag is text, and an open
 * <spell> ends here. Nothing may be fed afterwards. */
void chunker_flush(struct chunker *chunker);

/* The next chunk without surrounding blanks; false when none is ready. A sentence without a
 * character that can be spoken is not a chunk: it joins the others of its run. Alone it is
 * skipped, or if it has a tag (a break, an opening prosody) it is kept for the next chunk, and
 * becomes a chunk if there is no next one. The text is valid until the next call of any
 * function here. */
struct chunk {
	const char *text;
	size_t len;
};
bool chunker_next(struct chunker *chunker, struct chunk *chunk);

/* Bytes fed and not yet taken out. */
size_t chunker_buffered(const struct chunker *chunker);

#endif
