/*
 * outgoing.c: one message to be sent (see outgoing.h).
 */
#include "net/outgoing.h"

#include <stdlib.h>
#include <string.h>

/* Unused memory that a message may keep, because returning so little is not worth a call. */
#define SLACK_MAX 64

struct outgoing *outgoing_alloc(size_t size)
{
	struct outgoing *message = malloc(sizeof(*message) + OUTGOING_ROOM + size + OUTGOING_TAIL);

	if (message)
		*message = (struct outgoing){.size = size};
	return message;
}

struct outgoing *outgoing_copy(const void *bytes, size_t len)
{
	struct outgoing *message = outgoing_alloc(len);

	if (!message)
		return NULL;
	if (len > 0)
		memcpy(outgoing_payload(message), bytes, len);
	message->len = len;
	return message;
}

void outgoing_init_buf(struct buf *payload, size_t max)
{
	buf_init_with_room(payload, max, offsetof(struct outgoing, bytes) + OUTGOING_ROOM,
			   OUTGOING_TAIL);
}

struct outgoing *outgoing_take(struct buf *payload)
{
	struct outgoing *message;

	if (!payload->bytes)
		return NULL;
	if (payload->len > 0 && payload->size - payload->len > SLACK_MAX)
		buf_trim(payload);
	message = (struct outgoing *)(void *)(payload->bytes - payload->headroom);
	*message = (struct outgoing){.len = payload->len, .size = payload->size};
	payload->bytes = NULL;
	buf_reset(payload);
	return message;
}

void outgoing_free(struct outgoing *message)
{
	free(message);
}
