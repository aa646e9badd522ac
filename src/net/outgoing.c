/*
 * outgoing.c: one message to be sent (see outgoing.h).
 */
#include "net/outgoing.h"

#include <stdlib.h>
#include <string.h>

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

void outgoing_free(struct outgoing *message)
{
	free(message);
}
