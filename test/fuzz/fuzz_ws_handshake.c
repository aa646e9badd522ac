/*
 * fuzz_ws_handshake.c: the head of a server's answer to our handshake.
 *
 * The input is the head, and also the body of a refusal.  Checked: an answer that is accepted has
 * the three required headers, and is refused when an extension is added to it; the reason for a
 * refusal is one line.
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
	char *head = malloc(len + 1); /* a copy, so that a read past its end is detected */
	char *extended = malloc(sizeof(EXTENSION) + len);
	char why[512];

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
	if (ws_handshake_check(head, KEY, head, len, why, sizeof(why)) != 0)
		assert(why[0] && !strpbrk(why, "\r\n"));
	else
		assert(!ws_handshake_fault(head, KEY));
	free(head);
	free(extended);
	return 0;
}
