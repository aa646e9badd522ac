/*
 * turn_queue.h: turns that are spoken one after the other.
 *
 * The front turn speaks; the others take text and wait.  A connection of /ws/tts/stream has one
 * queue; on /ws/tts/multi each context has one.  In a context the next turn speaks as soon as
 * `final` was sent, while the row of the previous turn is still being written: such turns are
 * settling.
 *
 * The queue is a member of its owner (`arg`), an object of mem.h, and keeps a reference to it while
 * it calls it.  Runs on the loop's thread.
 */
#ifndef SESSION_TURN_QUEUE_H
#define SESSION_TURN_QUEUE_H

#include "base/list.h"
#include "session/turn.h"

/* How many turns may be settling.  Further turns wait before they speak, so that memory is bounded
 * even if the ledger is slow. */
#define TURN_QUEUE_SETTLING_MAX 16

struct turn_queue_ops {
	/* The front turn is over: it has failed, or has sent `final` and everything else.
	 * `flushes` is how often the client flushed without text after it.  The turn was removed
	 * from the queue; the next turn begins when this function returns.  The function may drop
	 * all turns. */
	void (*spoken)(void *arg, struct turn *turn, unsigned flushes);

	/* A turn is removed, because it was booked or cancelled.  May be NULL. */
	void (*removed)(void *arg, struct turn *turn);

	/* No turn is left to speak.  Called again when the last row is durable. */
	void (*empty)(void *arg);

	/* A turn, not always the front one, has failed for this reason; its dialect has sent the
	 * error.  May be NULL. */
	void (*failed)(void *arg, const struct wire_notice *notice);
};

struct turn_queue {
	struct list turns; /* struct queued_turn; the first speaks */
	struct list settling; /* struct queued_turn, whose rows are not durable yet */
	struct turn_owner owner; /* the owner that each turn is given */
	const struct turn_queue_ops *ops;
	void *arg;
	unsigned turns_max; /* how many may wait for the one that is speaking */
	uint64_t blanks; /* blank characters before the first word of the next turn */
	bool advancing; /* turn_queue_advance is running */
};

/* Fill in all of `owner` except `ops` and `arg`; the ops are not copied. */
void turn_queue_init(struct turn_queue *queue, const struct turn_owner *owner, unsigned turns_max,
		     const struct turn_queue_ops *ops, void *arg);

/* Adds text to the turn that takes text, or begins a new turn with these settings.  Blank text
 * begins no turn; it is charged with the next turn, as if it were in one message with the first
 * word, unless the client flushes, closes or cancels before that.  If the text has more than `room`
 * bytes, the turn fails.  ENOBUFS when too many turns wait, ENOMEM, EIO. */
int turn_queue_text(struct turn_queue *queue, const struct settings *settings, const char *text,
		    size_t len, size_t room);

/* Whether a turn takes text. */
bool turn_queue_takes_text(const struct turn_queue *queue);

/* The turn that takes text, or NULL. */
struct turn *turn_queue_open(const struct turn_queue *queue);

/* Whether text is blank, so that it begins no turn. */
bool turn_queue_is_blank(const char *text, size_t len);

/* Ends the turn that takes text; false when there is none. */
bool turn_queue_end(struct turn_queue *queue);

/* Counts a flush without text, which the last turn answers (`spoken`).  ENOENT when there is no
 * turn, ENOBUFS when it already has SESSION_PENDING_MAX of them. */
int turn_queue_note_flush(struct turn_queue *queue);

/* Queues a message that is sent after the messages of the last turn, for APIs that answer in order.
 * ENOENT when there is no turn, ENOBUFS when too much is queued. */
int turn_queue_reply_after(struct turn_queue *queue, const struct buf *message);

/* Cancels only the front turn, which sends nothing more (if it is being booked, it stays booked);
 * the next one begins.  `spoken` is not called. */
void turn_queue_cancel_front(struct turn_queue *queue);

/* Cancels all turns, or all but the one that is speaking; `spoken` and `empty` are not called. */
void turn_queue_cancel(struct turn_queue *queue);
void turn_queue_cancel_waiting(struct turn_queue *queue);

/* For a context: cancels all turns.  `empty` is called when the last of their rows is durable, if
 * there are any. */
void turn_queue_drop(struct turn_queue *queue);

/* For the owner's destructor: like turn_queue_cancel, without calling any of the ops. */
void turn_queue_reset(struct turn_queue *queue);

/* Notifications of the peer (see session_ops). */
void turn_queue_filled(struct turn_queue *queue);
void turn_queue_drained(struct turn_queue *queue);
void turn_queue_sent(struct turn_queue *queue, uint64_t tag);

struct turn *turn_queue_front(const struct turn_queue *queue); /* NULL: none */
size_t turn_queue_unspoken(const struct turn_queue *queue); /* bytes of text */

#endif
