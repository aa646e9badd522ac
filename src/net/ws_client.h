/*
 * ws_client.h: a small, blocking WebSocket client for command-line tools.
 *
 * For one thread at a time.  mem_deref closes the connection without a close frame; ws_client_close
 * sends one first.
 */
#ifndef NET_WS_CLIENT_H
#define NET_WS_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WS_CLIENT_MESSAGE_MAX = 16 * 1024 * 1024 };

struct ws_client;

struct ws_client_options {
	const char *url; /* ws, wss, http or https */
	const char *const *headers; /* "Name: value" each, ends with NULL; may be NULL */
	const char *ca_file; /* NULL: the system's authorities */
	unsigned timeout_ms; /* for ws_client_open as a whole; 0: 10 s */
	size_t message_max; /* 0: WS_CLIENT_MESSAGE_MAX */
};

/* Resolves the name, connects and does the handshakes; offers neither an extension nor a
 * subprotocol.  On failure `why` says what went wrong.  EPROTO if the server's status is not 101,
 * and then `why` begins with "HTTP " and the status; also if its 101 violates RFC 6455. */
int ws_client_open(struct ws_client **clientp, const struct ws_client_options *options, char *why,
		   size_t why_size);

/* Sends one text message; blocks while the server does not read. */
int ws_client_send(struct ws_client *client, const char *text, size_t len);

/* Receives the next message, which is valid until the next call.  Answers pings.  ETIMEDOUT if no
 * message arrives in time; ENOTCONN if the server has closed the connection (see ws_client_code);
 * other errors end the connection too. */
int ws_client_recv(struct ws_client *client, char **bytes, size_t *len, bool *is_binary,
		   unsigned timeout_ms);

/* The server's close code once it has closed, 1006 if the connection broke, else 0. */
uint16_t ws_client_code(const struct ws_client *client);

/* The descriptor, to be polled for reading.  When it is readable, call ws_client_recv with a
 * timeout of 0 until it returns ETIMEDOUT. */
int ws_client_fd(const struct ws_client *client);

/* Sends a close frame and waits for the answer, for at most timeout_ms. */
void ws_client_close(struct ws_client *client, uint16_t code, unsigned timeout_ms);

#endif
