/*
 * turn_queue.h: the turns of one speaker, one after the other.
 *
 * The front turn speaks; the others take text and wait.  A connection of
 * /ws/tts/stream has one queue, a context of /ws/tts/multi another.  In a
 * context the next turn speaks as soon as `final` has left, while the ledger
 * still writes the row of the one before: such turns are settling.
 *
 * The queue sits inside its owner, an object of mem.h, which it keeps alive
 * while it calls it.
 */
#ifndef SESSION_TURN_QUEUE_H
#define SESSION_TURN_QUEUE_H

#include "base/list.h"
#include "session/turn.h"

/* Turns whose rows may be under way at once; more wait before they speak, so
 * that a ledger that is slow bounds what is kept in memory for it. */
#define TURN_QUEUE_SETTLING_MAX 16

struct turn_queue_ops {
	/* The front turn is over: it has failed, or said its `final` (and all
	 * else).  `flushes` came behind it without any text.  The next turn
	 * follows when this returns.  A failed one is gone already, or settles, and
	 * all may then be dropped from here. */
	void (*spoken)(void *arg, struct turn *turn, unsigned flushes);

	/* A turn goes, booked or given up.  May be NULL. */
	void (*gone)(void *arg, struct turn *turn);

	/* No turn is left to speak; comes again when the last row has settled. */
	void (*empty)(void *arg);

	/* A turn, not always the front one, cannot go on for this reason; its dialect
	 * has said so.  May be NULL. */
	void (*failed)(void *arg, const struct wire_notice *notice);
};

struct turn_queue {
	struct list turns; /* struct place_in_queue; the first speaks */
	struct list settling; /* those whose rows are under way */
	struct turn_owner owner; /* of each turn */
	const struct turn_queue_ops *ops;
	void *arg;
	unsigned turns_max; /* that may wait behind the one that speaks */
	uint64_t blanks; /* characters that came before the first word of the next turn */
	bool advancing;
};

/* Of `owner` all but `ops` and `arg` is to be filled in; the ops are not
 * copied. */
void turn_queue_init(struct turn_queue *queue, const struct turn_owner *owner, unsigned turns_max,
		     const struct turn_queue_ops *ops, void *arg);

/* Text for the turn that takes some, or for a new one with these settings,
 * which only text with something in it begins.  Blank text before that counts as the new
 * turn's characters, as it would in one message with the first word, unless a flush, a
 * close or a cancel comes between them.  Text beyond `room` bytes fails
 * the turn.  ENOBUFS when too many turns wait, ENOMEM, EIO. */
int turn_queue_text(struct turn_queue *queue, const struct settings *settings, const char *text,
		    size_t len, size_t room);

/* A turn is open, and more text would be its. */
bool turn_queue_takes_text(const struct turn_queue *queue);

/* The turn that takes text, or NULL. */
struct turn *turn_queue_open(const struct turn_queue *queue);

/* Text that begins no turn. */
bool turn_queue_is_blank(const char *text, size_t len);

/* Ends the turn that takes text; false when there is none. */
bool turn_queue_end(struct turn_queue *queue);

/* A flush with no text since the last turn, which answers for it.  ENOENT when
 * there is no turn that could, ENOBUFS when it already answers for SESSION_OWED_MAX. */
int turn_queue_note_flush(struct turn_queue *queue);

/* A message for behind the last turn's end, for doors that answer in order.
 * ENOENT when there is no turn, ENOBUFS when too much waits there already. */
int turn_queue_say_behind(struct turn_queue *queue, const struct buf *message);

/* Cancels the front turn alone, which says nothing more (one that is being booked
 * is left to the ledger); the next one speaks.  No `spoken` follows. */
void turn_queue_cancel_front(struct turn_queue *queue);

/* Cancels all turns, or all but the one that speaks; no `spoken` or `empty` follows. */
void turn_queue_cancel(struct turn_queue *queue);
void turn_queue_cancel_waiting(struct turn_queue *queue);

/* For a context: cancels all turns; those whose rows are under way settle, and `empty`
 * follows when the last one has, if there is any. */
void turn_queue_drop(struct turn_queue *queue);

/* For the owner's destructor: like turn_queue_cancel, and nobody is told. */
void turn_queue_reset(struct turn_queue *queue);

/* From the peer. */
void turn_queue_filled(struct turn_queue *queue);
void turn_queue_drained(struct turn_queue *queue);
void turn_queue_sent(struct turn_queue *queue, uint64_t tag);

struct turn *turn_queue_front(const struct turn_queue *queue); /* NULL: none */
size_t turn_queue_unspoken(const struct turn_queue *queue); /* bytes of text */

#endif
