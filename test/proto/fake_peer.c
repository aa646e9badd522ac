/*
 * fake_peer.c: the client's end of a connection, in memory (see fake_peer.h).
 */
#include "fake_peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_copy.h"

static struct fake_message *fake_peer_message_at(struct link *link)
{
	return LIST_OBJECT(link, struct fake_message, link);
}

void fake_message_free(struct fake_message *message)
{
	free(message->json);
	free(message);
}

static struct fake_message *fake_peer_take_first(struct list *list)
{
	struct link *link = list_first(list);

	if (!link)
		return NULL;
	list_remove(list, link);
	return fake_peer_message_at(link);
}

static void fake_peer_empty(struct list *list)
{
	struct fake_message *message;

	while ((message = fake_peer_take_first(list)))
		fake_message_free(message);
}

static void fake_peer_begin(void *arg, struct buf *message)
{
	const struct fake_peer *fake = arg;

	buf_init(message, fake->message_max ? fake->message_max : PEER_MESSAGE_MAX);
}

static void fake_peer_send(void *arg, struct buf *json, uint64_t tag, uint32_t samples)
{
	struct fake_peer *fake = arg;
	struct fake_message *message = calloc(1, sizeof(*message));

	if (!message)
		abort();
	message->json = fake_copy(json->bytes, json->len);
	message->len = json->len;
	buf_reset(json);
	message->tag = tag;
	message->samples = samples;
	if (fake->close_code)
		fake->sent_after_close = true;
	if (fake->tap)
		fake->tap(fake->tap_arg, message->json);
	fake->waiting_bytes += message->len;
	list_append(&fake->waiting, &message->link);
	if (!fake->is_blocked)
		fake_peer_hand_over(fake, 1);
	if (fake->waiting_bytes < FAKE_PEER_FULL || fake->peer.is_full)
		return;
	fake->peer.is_full = true;
	if (fake->filled)
		fake->filled(fake->filled_arg);
}

bool fake_peer_drains(struct fake_peer *fake)
{
	if (!fake->peer.is_full || fake->waiting_bytes >= FAKE_PEER_FULL)
		return false;
	fake->peer.is_full = false;
	return true;
}

static uint64_t fake_peer_drop(void *arg, uint64_t tag)
{
	struct fake_peer *fake = arg;
	struct link *next = list_first(&fake->waiting);
	uint64_t samples = 0;

	while (next) {
		struct fake_message *message = fake_peer_message_at(next);

		next = list_next(&fake->waiting, next);
		if (message->tag != tag)
			continue;
		samples += message->samples;
		fake->waiting_bytes -= message->len;
		list_remove(&fake->waiting, &message->link);
		fake_message_free(message);
	}
	return samples;
}

static bool fake_peer_notify_when_sent(void *arg, uint64_t tag)
{
	struct fake_peer *fake = arg;

	for (struct link *l = list_last(&fake->waiting); l; l = list_prev(&fake->waiting, l)) {
		if (fake_peer_message_at(l)->tag == tag) {
			fake_peer_message_at(l)->notifies_sent = true;
			return true;
		}
	}
	return false;
}

static void fake_peer_close(void *arg, uint16_t code, const char *reason)
{
	struct fake_peer *fake = arg;

	snprintf(fake->close_reason, sizeof(fake->close_reason), "%s", reason ? reason : "");
	fake->close_code = code;
}

static void fake_peer_pause(void *arg, bool pause)
{
	struct fake_peer *fake = arg;

	fake->is_paused = pause;
}

static const struct peer_ops peer_ops = {
	.begin = fake_peer_begin,
	.send = fake_peer_send,
	.drop = fake_peer_drop,
	.notify_when_sent = fake_peer_notify_when_sent,
	.pause = fake_peer_pause,
	.close = fake_peer_close,
};

void fake_peer_init(struct fake_peer *fake)
{
	*fake = (struct fake_peer){.peer = {.ops = &peer_ops, .peer = fake}};
	list_init(&fake->waiting);
	list_init(&fake->handed_over);
}

void fake_peer_reset(struct fake_peer *fake)
{
	fake_peer_empty(&fake->waiting);
	fake_peer_empty(&fake->handed_over);
}

static void fake_peer_note_sent(struct fake_peer *fake, uint64_t tag)
{
	if (fake->sent_count == FAKE_PEER_SENT_MAX)
		abort();
	fake->sent[fake->sent_count++] = tag;
}

bool fake_peer_take_sent(struct fake_peer *fake, uint64_t *tag)
{
	if (fake->sent_count == 0)
		return false;
	*tag = fake->sent[0];
	memmove(fake->sent, fake->sent + 1, --fake->sent_count * sizeof(fake->sent[0]));
	return true;
}

void fake_peer_hand_over(struct fake_peer *fake, size_t n)
{
	struct fake_message *message;

	while (n-- > 0 && (message = fake_peer_take_first(&fake->waiting))) {
		fake->waiting_bytes -= message->len;
		if (message->notifies_sent)
			fake_peer_note_sent(fake, message->tag);
		list_append(&fake->handed_over, &message->link);
	}
}

const struct fake_message *fake_peer_peek(const struct fake_peer *fake, const char *having)
{
	const struct list *list = &fake->handed_over;

	for (struct link *l = list_first(list); l; l = list_next(list, l)) {
		if (!having || strstr(fake_peer_message_at(l)->json, having))
			return fake_peer_message_at(l);
	}
	return NULL;
}

struct fake_message *fake_peer_read(struct fake_peer *fake, const char *having)
{
	struct fake_message *message =
		(struct fake_message *)(uintptr_t)fake_peer_peek(fake, having);

	if (message)
		list_remove(&fake->handed_over, &message->link);
	return message;
}
