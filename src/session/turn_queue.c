/*
 * turn_queue.c: turns that are spoken one after the other (see turn_queue.h).
 */
#include "session/turn_queue.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "text/unicode.h"

struct queued_turn {
	struct link link;
	struct turn *turn;
	unsigned flushes; /* how often the client flushed without text after this turn */
	struct buf replies; /* messages that are sent after it, each after its length */
	bool is_in_front;
};

static struct queued_turn *turn_queue_at(struct link *link)
{
	return link ? LIST_OBJECT(link, struct queued_turn, link) : NULL;
}

static struct queued_turn *turn_queue_first(const struct turn_queue *queue)
{
	return turn_queue_at(list_first(&queue->turns));
}

struct turn *turn_queue_open(const struct turn_queue *queue)
{
	struct queued_turn *last = turn_queue_at(list_last(&queue->turns));

	return last && turn_takes_text(last->turn) ? last->turn : NULL;
}

struct turn *turn_queue_front(const struct turn_queue *queue)
{
	struct queued_turn *front = turn_queue_first(queue);

	return front ? front->turn : NULL;
}

static void turn_queue_report_removed(struct turn_queue *queue, struct queued_turn *entry)
{
	if (queue->ops->removed)
		queue->ops->removed(queue->arg, entry->turn);
}

/* The most bytes of messages that wait for a turn.  Further ones are sent at once, out of order,
 * because only a client that floods the server causes so many. */
#define REPLIES_MAX 16384

static void turn_queue_free(struct queued_turn *entry)
{
	buf_reset(&entry->replies);
	mem_deref(entry->turn);
	mem_deref(entry);
}

/* Removes turns whose rows have become durable. */
static void turn_queue_settle(struct turn_queue *queue)
{
	struct link *next = list_first(&queue->settling);

	while (next) {
		struct queued_turn *entry = turn_queue_at(next);

		next = list_next(&queue->settling, next);
		if (turn_state(entry->turn) != TURN_CLOSED)
			continue;
		list_remove(&queue->settling, &entry->link);
		turn_queue_report_removed(queue, entry);
		turn_queue_free(entry);
	}
}

static void turn_queue_send_replies(const struct turn_queue *queue, const struct buf *replies)
{
	const struct session *session = queue->owner.session;
	size_t at = 0;

	while (at < replies->len) {
		struct buf message;
		size_t len;

		memcpy(&len, replies->bytes + at, sizeof(len));
		at += sizeof(len);
		session_send(
			session, &message,
			buf_append(session_begin(session, &message), replies->bytes + at, len));
		at += len;
	}
}

/* Removes the front turn, which is over, or moves it to those that are settling. */
static void turn_queue_finish_front(struct turn_queue *queue, struct queued_turn *entry)
{
	bool settles;

	if (turn_state(entry->turn) == TURN_FAILED)
		turn_end(entry->turn); /* it gets no more text, but its row may not be durable */
	settles = turn_state(entry->turn) == TURN_BOOKING;
	list_remove(&queue->turns, &entry->link);
	if (settles)
		list_append(&queue->settling, &entry->link);
	else
		turn_queue_report_removed(queue, entry);
	queue->ops->spoken(queue->arg, entry->turn, entry->flushes);
	turn_queue_send_replies(queue, &entry->replies);
	buf_reset(&entry->replies);
	if (!settles)
		turn_queue_free(entry);
}

static void turn_queue_bring_to_front(struct turn_queue *queue)
{
	struct queued_turn *front = turn_queue_first(queue);

	if (!front || front->is_in_front || queue->settling.count >= TURN_QUEUE_SETTLING_MAX)
		return;
	front->is_in_front = true;
	turn_come_to_front(front->turn);
}

/* A turn may be over as soon as it comes to the front, which would call this function again: hence
 * the loop, and the flag against recursion. */
static void turn_queue_advance(void *arg)
{
	struct turn_queue *queue = arg;
	void *owner = mem_ref(queue->arg);
	struct queued_turn *front;

	if (!queue->advancing) {
		queue->advancing = true;
		turn_queue_settle(queue);
		/* The front turn may have waited for another one to settle or to be cancelled. */
		turn_queue_bring_to_front(queue);
		while ((front = turn_queue_first(queue)) && front->is_in_front &&
		       turn_is_over(front->turn)) {
			turn_queue_finish_front(queue, front);
			turn_queue_bring_to_front(queue);
		}
		queue->advancing = false;
		if (queue->turns.count == 0)
			queue->ops->empty(queue->arg);
	}
	mem_deref(owner);
}

static void turn_queue_on_failed(void *arg, const struct wire_notice *notice)
{
	struct turn_queue *queue = arg;

	if (queue->ops->failed)
		queue->ops->failed(queue->arg, notice);
}

static const struct turn_owner_ops turn_queue_owner_ops = {.over = turn_queue_advance,
							   .failed = turn_queue_on_failed};

void turn_queue_init(struct turn_queue *queue, const struct turn_owner *owner, unsigned turns_max,
		     const struct turn_queue_ops *ops, void *arg)
{
	*queue = (struct turn_queue){
		.owner = *owner, .ops = ops, .arg = arg, .turns_max = turns_max};
	queue->owner.ops = &turn_queue_owner_ops;
	queue->owner.arg = queue;
	list_init(&queue->turns);
	list_init(&queue->settling);
}

static int turn_queue_add_turn(struct turn_queue *queue, const struct settings *settings)
{
	struct session *session = queue->owner.session;
	struct queued_turn *entry = mem_zalloc(sizeof(*entry), NULL);
	const struct voice *voice = NULL;
	int err;

	if (!entry)
		return ENOMEM;
	buf_init(&entry->replies, REPLIES_MAX);
	if (settings->set & SETTING_VOICE_ID)
		voice = voice_pins_find(&session->pins, session->services->voices,
					session_project_id(session), settings->voice_id);
	err = turn_alloc(&entry->turn, &queue->owner, settings, voice);
	if (err) {
		mem_deref(entry);
		return err;
	}
	list_append(&queue->turns, &entry->link);
	if (queue->turns.count == 1)
		turn_queue_bring_to_front(queue);
	return 0;
}

bool turn_queue_is_blank(const char *text, size_t len)
{
	uint32_t c;

	for (size_t i = 0; i < len;) {
		i += utf8_decode(&c, text + i, len - i);
		if (!unicode_is_blank(unicode_kind(c)))
			return false;
	}
	return true;
}

int turn_queue_text(struct turn_queue *queue, const struct settings *settings, const char *text,
		    size_t len, size_t room)
{
	struct turn *turn = turn_queue_open(queue);
	int err;

	if (len == 0)
		return 0;
	if (!turn && turn_queue_is_blank(text, len)) {
		queue->blanks += utf8_count(text, len);
		return 0;
	}
	if (!turn) {
		if (queue->turns.count > queue->turns_max)
			return ENOBUFS;
		err = turn_queue_add_turn(queue, settings);
		if (err)
			return err;
		turn = turn_queue_open(queue); /* NULL if it is already over */
		if (turn)
			turn_count_blanks(turn, queue->blanks);
		queue->blanks = 0;
	}
	if (turn && len > room)
		turn_fail(turn, WIRE_ERROR_TEXT_TOO_LONG, NULL);
	else if (turn)
		turn_text(turn, text, len);
	return 0;
}

bool turn_queue_takes_text(const struct turn_queue *queue)
{
	return turn_queue_open(queue) != NULL;
}

bool turn_queue_end(struct turn_queue *queue)
{
	struct turn *turn = turn_queue_open(queue);

	queue->blanks = 0;
	if (turn)
		turn_end(turn);
	return turn != NULL;
}

int turn_queue_note_flush(struct turn_queue *queue)
{
	struct queued_turn *last = turn_queue_at(list_last(&queue->turns));

	if (!last)
		return ENOENT;
	if (last->flushes == SESSION_PENDING_MAX)
		return ENOBUFS;
	++last->flushes;
	return 0;
}

int turn_queue_reply_after(struct turn_queue *queue, const struct buf *message)
{
	struct queued_turn *last = turn_queue_at(list_last(&queue->turns));
	size_t len = message->len;
	int err;

	if (!last)
		return ENOENT;
	err = buf_reserve(&last->replies, sizeof(len) + len);
	if (err)
		return err;
	buf_append(&last->replies, &len, sizeof(len));
	return buf_append(&last->replies, message->bytes, len);
}

void turn_queue_cancel_front(struct turn_queue *queue)
{
	struct queued_turn *front = turn_queue_first(queue);

	queue->blanks = 0;
	if (!front)
		return;
	list_remove(&queue->turns, &front->link);
	turn_cancel(front->turn);
	turn_queue_report_removed(queue, front);
	turn_queue_send_replies(queue, &front->replies);
	turn_queue_free(front);
	turn_queue_advance(queue);
}

static void turn_queue_cancel_from(struct turn_queue *queue, struct list *list, struct link *from)
{
	while (from) {
		struct link *next = list_next(list, from);
		struct queued_turn *entry = turn_queue_at(from);

		list_remove(list, from);
		turn_cancel(entry->turn); /* has no effect if it is being booked */
		turn_queue_report_removed(queue, entry);
		turn_queue_free(entry);
		from = next;
	}
}

void turn_queue_cancel(struct turn_queue *queue)
{
	queue->blanks = 0;
	turn_queue_cancel_from(queue, &queue->settling, list_first(&queue->settling));
	turn_queue_cancel_from(queue, &queue->turns, list_first(&queue->turns));
}

void turn_queue_drop(struct turn_queue *queue)
{
	struct link *link;

	while ((link = list_first(&queue->turns))) {
		struct queued_turn *entry = turn_queue_at(link);

		list_remove(&queue->turns, link);
		turn_drop(entry->turn);
		if (turn_state(entry->turn) == TURN_BOOKING) {
			list_append(&queue->settling, link);
		} else {
			turn_queue_report_removed(queue, entry);
			turn_queue_free(entry);
		}
	}
}

void turn_queue_cancel_waiting(struct turn_queue *queue)
{
	struct link *first = list_first(&queue->turns);

	queue->blanks = 0;
	if (first && turn_queue_at(first)->is_in_front)
		first = list_next(&queue->turns, first);
	turn_queue_cancel_from(queue, &queue->turns, first);
}

void turn_queue_reset(struct turn_queue *queue)
{
	static const struct turn_queue_ops none;

	queue->ops = &none;
	turn_queue_cancel(queue);
}

/* The other turns check the peer when they come to the front. */
void turn_queue_filled(struct turn_queue *queue)
{
	if (queue->turns.count > 0)
		turn_filled(turn_queue_front(queue));
}

void turn_queue_drained(struct turn_queue *queue)
{
	if (queue->turns.count > 0)
		turn_drained(turn_queue_front(queue));
}

void turn_queue_sent(struct turn_queue *queue, uint64_t tag)
{
	if (queue->turns.count > 0)
		turn_sent(turn_queue_front(queue), tag);
}

size_t turn_queue_unspoken(const struct turn_queue *queue)
{
	size_t bytes = 0;

	for (struct link *l = list_first(&queue->turns); l; l = list_next(&queue->turns, l))
		bytes += turn_unspoken(turn_queue_at(l)->turn);
	return bytes;
}
