/*
 * fuzz_ws_handshake.c: the head of a server's answer to our handshake.
 *
 * An input is the head.  Checked: an answer without a fault has the three headers that one must
 * have, and a valid answer has none; an extension in front of it makes it one.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "net/ws_handshake.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

#define KEY "dGhlIHNhbXBsZSBub25jZQ=="
#define ACCEPT "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
#define EXTENSION "\r\nSec-WebSocket-Extensions: x"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	char *head = malloc(len + 1); /* its own, so that a read past its end is seen */
	char *extended = malloc(sizeof(EXTENSION) + len);

	if (!head || !extended)
		abort();
	memcpy(head, bytes, len);
	head[len] = '\0';
	memcpy(extended, EXTENSION, sizeof(EXTENSION) - 1);
	memcpy(extended + sizeof(EXTENSION) - 1, head, len + 1);
	if (!ws_handshake_fault(head, KEY)) {
		assert(strcasestr(head, "\r\nupgrade:") && strcasestr(head, "\r\nconnection:"));
		assert(strstr(head, ACCEPT));
		assert(ws_handshake_fault(extended, KEY));
	}
	free(head);
	free(extended);
	return 0;
}
