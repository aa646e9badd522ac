/*
 * ws_handshake.h: the opening handshake of RFC 6455, section 4, as text.
 *
 * Pure; used by both ends.
 */
#ifndef NET_WS_HANDSHAKE_H
#define NET_WS_HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "net/url.h"

enum {
	WS_KEY_SIZE = 25, /* a Sec-WebSocket-Key and its NUL */
	WS_ACCEPT_SIZE = 29, /* a Sec-WebSocket-Accept and its NUL */
};

/* Whether a key is 16 bytes in base64. */
bool ws_handshake_key_is_valid(const char *key);

/* Creates a key of 16 random bytes. */
void ws_handshake_make_key(char key[WS_KEY_SIZE], const uint8_t random[16]);

/* Computes the Sec-WebSocket-Accept with which a server must answer a key. */
void ws_handshake_accept(char accept[WS_ACCEPT_SIZE], const char *key);

/* Checks the head of a 101 response (lines that end with CRLF, and a NUL) to a client's key,
 * according to RFC 6455, section 4.1.  Returns NULL or a description of what is wrong.  The client
 * has offered no extension and no subprotocol, so the response must not name any. */
const char *ws_handshake_fault(const char *head, const char *key);

/* Writes a client's request with these headers ("Name: value" each, ends with NULL; may be NULL).
 * EINVAL if one of them has a line end in it, ENOBUFS, ENOMEM. */
int ws_handshake_request(struct buf *out, const struct url *url, const char *key,
			 const char *const *headers);

/* Checks the whole answer to it: its head as for ws_handshake_fault, and the bytes after the head,
 * as many as have arrived.  EPROTO with the reason in `why`: "HTTP STATUS: BODY" if the status is
 * not 101. */
int ws_handshake_check(const char *head, const char *key, const char *rest, size_t rest_len,
		       char *why, size_t why_size);

/* Whether a comma-separated list contains a token, ignoring case. */
bool ws_handshake_has_token(const char *list, const char *token);

#endif
