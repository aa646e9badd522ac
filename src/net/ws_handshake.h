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

enum {
	WS_KEY_SIZE = 25, /* a Sec-WebSocket-Key and its NUL */
	WS_ACCEPT_SIZE = 29, /* a Sec-WebSocket-Accept and its NUL */
};

/* Whether a key is 16 bytes in base64. */
bool ws_handshake_key_is_valid(const char *key);

/* Creates a key of 16 random bytes. */
void ws_handshake_make_key(char key[WS_KEY_SIZE], const uint8_t random[16]);

/* Computes what the server must answer to a key. */
void ws_handshake_accept(char accept[WS_ACCEPT_SIZE], const char *key);

/*
 * What is wrong with the head of a 101 (lines that end in CRLF, and a NUL) that answers a client's
 * key, as RFC 6455, section 4.1 has it; NULL: nothing.  The client has offered no extension and no
 * subprotocol, so the answer must name none.
 */
const char *ws_handshake_fault(const char *head, const char *key);

/* Whether a comma-separated list contains a token, ignoring case. */
bool ws_handshake_has_token(const char *list, const char *token);

#endif
