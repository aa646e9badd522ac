/*
 * turn_queue.c: the turns of one speaker, one after the other (see
 * turn_queue.h).
 */
#include "session/turn_queue.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "text/unicode.h"

struct place_in_queue {
	struct link link;
	struct turn *turn;
	unsigned flushes; /* without text, behind this turn */
	struct buf behind; /* messages for its end, each with its length before it */
	bool is_in_front;
};

static struct place_in_queue *turn_queue_place_at(struct link *link)
{
	return link ? LIST_OBJECT(link, struct place_in_queue, link) : NULL;
}

static struct place_in_queue *turn_queue_first_place(const struct turn_queue *queue)
{
	return turn_queue_place_at(list_first(&queue->turns));
}

struct turn *turn_queue_open(const struct turn_queue *queue)
{
	struct place_in_queue *last = turn_queue_place_at(list_last(&queue->turns));

	return last && turn_takes_text(last->turn) ? last->turn : NULL;
}

struct turn *turn_queue_front(const struct turn_queue *queue)
{
	struct place_in_queue *front = turn_queue_first_place(queue);

	return front ? front->turn : NULL;
}

static void turn_queue_say_gone(struct turn_queue *queue, struct place_in_queue *place)
{
	if (queue->ops->gone)
		queue->ops->gone(queue->arg, place->turn);
}

/* Answers to what came behind it; a client that floods is not kept in order. */
#define BEHIND_MAX 16384

static void turn_queue_place_free(struct place_in_queue *place)
{
	buf_reset(&place->behind);
	mem_deref(place->turn);
	mem_deref(place);
}

/* Rows that have settled go. */
static void turn_queue_settle(struct turn_queue *queue)
{
	struct link *next = list_first(&queue->settling);

	while (next) {
		struct place_in_queue *place = turn_queue_place_at(next);

		next = list_next(&queue->settling, next);
		if (turn_state(place->turn) != TURN_CLOSED)
			continue;
		list_remove(&queue->settling, &place->link);
		turn_queue_say_gone(queue, place);
		turn_queue_place_free(place);
	}
}

static void turn_queue_send_behind(const struct turn_queue *queue, const struct buf *behind)
{
	const struct session *session = queue->owner.session;
	size_t at = 0;

	while (at < behind->len) {
		struct buf message;
		size_t len;

		memcpy(&len, behind->bytes + at, sizeof(len));
		at += sizeof(len);
		session_send(session, &message,
			     buf_append(session_begin(session, &message), behind->bytes + at, len));
		at += len;
	}
}

/* The front turn has said its last word. */
static void turn_queue_step_back(struct turn_queue *queue, struct place_in_queue *place)
{
	bool settles;

	if (turn_state(place->turn) == TURN_FAILED)
		turn_end(place->turn); /* no text comes to it any more; its row may be under way */
	settles = turn_state(place->turn) == TURN_BOOKING;
	list_remove(&queue->turns, &place->link);
	if (settles)
		list_append(&queue->settling, &place->link);
	else
		turn_queue_say_gone(queue, place);
	queue->ops->spoken(queue->arg, place->turn, place->flushes);
	turn_queue_send_behind(queue, &place->behind);
	buf_reset(&place->behind);
	if (!settles)
		turn_queue_place_free(place);
}

static void turn_queue_bring_to_front(struct turn_queue *queue)
{
	struct place_in_queue *front = turn_queue_first_place(queue);

	if (!front || front->is_in_front || queue->settling.count >= TURN_QUEUE_SETTLING_MAX)
		return;
	front->is_in_front = true;
	turn_come_to_front(front->turn);
}

static struct place_in_queue *turn_queue_front_that_is_over(const struct turn_queue *queue)
{
	struct place_in_queue *front = turn_queue_first_place(queue);

	return front && front->is_in_front && turn_is_over(front->turn) ? front : NULL;
}

/* A turn may be over the moment it comes to the front, hence the loop instead
 * of a recursion. */
static void turn_queue_advance(void *arg)
{
	struct turn_queue *queue = arg;
	void *owner = mem_ref(queue->arg);
	struct place_in_queue *front;

	if (!queue->advancing) {
		queue->advancing = true;
		turn_queue_settle(queue);
		turn_queue_bring_to_front(
			queue); /* one that waited for a row to settle, or for a cancel */
		while ((front = turn_queue_front_that_is_over(queue))) {
			turn_queue_step_back(queue, front);
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

static const struct turn_owner_ops owner_ops = {.over = turn_queue_advance,
						.failed = turn_queue_on_failed};

void turn_queue_init(struct turn_queue *queue, const struct turn_owner *owner, unsigned turns_max,
		     const struct turn_queue_ops *ops, void *arg)
{
	*queue = (struct turn_queue){
		.owner = *owner, .ops = ops, .arg = arg, .turns_max = turns_max};
	queue->owner.ops = &owner_ops;
	queue->owner.arg = queue;
	list_init(&queue->turns);
	list_init(&queue->settling);
}

static int turn_queue_add_turn(struct turn_queue *queue, const struct settings *settings)
{
	struct session *session = queue->owner.session;
	struct place_in_queue *place = mem_zalloc(sizeof(*place), NULL);
	const struct voice *voice = NULL;
	int err;

	if (!place)
		return ENOMEM;
	buf_init(&place->behind, BEHIND_MAX);
	if (settings->set & SETTING_VOICE_ID)
		voice = voice_pins_find(&session->pins, session->services->voices,
					session_project_id(session), settings->voice_id);
	err = turn_alloc(&place->turn, &queue->owner, settings, voice);
	if (err) {
		mem_deref(place);
		return err;
	}
	list_append(&queue->turns, &place->link);
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
		turn = turn_queue_open(queue); /* it may be over already */
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
	struct place_in_queue *last = turn_queue_place_at(list_last(&queue->turns));

	if (!last)
		return ENOENT;
	if (last->flushes == SESSION_OWED_MAX)
		return ENOBUFS;
	++last->flushes;
	return 0;
}

int turn_queue_say_behind(struct turn_queue *queue, const struct buf *message)
{
	struct place_in_queue *last = turn_queue_place_at(list_last(&queue->turns));
	size_t len = message->len;
	int err;

	if (!last)
		return ENOENT;
	err = buf_reserve(&last->behind, sizeof(len) + len);
	if (err)
		return err;
	buf_append(&last->behind, &len, sizeof(len));
	return buf_append(&last->behind, message->bytes, len);
}

void turn_queue_cancel_front(struct turn_queue *queue)
{
	struct place_in_queue *front = turn_queue_first_place(queue);

	queue->blanks = 0;
	if (!front)
		return;
	list_remove(&queue->turns, &front->link);
	turn_cancel(front->turn);
	turn_queue_say_gone(queue, front);
	turn_queue_send_behind(queue, &front->behind);
	turn_queue_place_free(front);
	turn_queue_advance(queue);
}

static void turn_queue_cancel_from(struct turn_queue *queue, struct list *list, struct link *from)
{
	while (from) {
		struct link *next = list_next(list, from);
		struct place_in_queue *place = turn_queue_place_at(from);

		list_remove(list, from);
		turn_cancel(place->turn); /* one that is being booked is left to the ledger */
		turn_queue_say_gone(queue, place);
		turn_queue_place_free(place);
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
		struct place_in_queue *place = turn_queue_place_at(link);

		list_remove(&queue->turns, link);
		turn_drop(place->turn);
		if (turn_state(place->turn) == TURN_BOOKING) {
			list_append(&queue->settling, link);
		} else {
			turn_queue_say_gone(queue, place);
			turn_queue_place_free(place);
		}
	}
}

void turn_queue_cancel_waiting(struct turn_queue *queue)
{
	struct link *first = list_first(&queue->turns);

	queue->blanks = 0;
	if (first && turn_queue_place_at(first)->is_in_front)
		first = list_next(&queue->turns, first);
	turn_queue_cancel_from(queue, &queue->turns, first);
}

void turn_queue_reset(struct turn_queue *queue)
{
	static const struct turn_queue_ops nobody;

	queue->ops = &nobody;
	turn_queue_cancel(queue);
}

/* The others are told when they come to the front. */
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
		bytes += turn_unspoken(turn_queue_place_at(l)->turn);
	return bytes;
}
