/*
 * http_client_parse.h: parses one HTTP/1.1 answer as its bytes arrive.
 *
 * Pure: no socket, no clock.  llhttp does the grammar.  Interim answers (1xx) are skipped; codings
 * that we did not ask for and cannot decode are refused.
 */
#ifndef NET_HTTP_CLIENT_PARSE_H
#define NET_HTTP_CLIENT_PARSE_H

#include <llhttp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* The maximum for the names and values of all headers.  Servers send a few hundred bytes, and
 * proxies may add a few thousand. */
#define HTTP_CLIENT_HEAD_MAX (16u * 1024u)

enum http_client_parse_state {
	HTTP_CLIENT_PARSE_HEAD,
	HTTP_CLIENT_PARSE_BODY,
	HTTP_CLIENT_PARSE_DONE,
	HTTP_CLIENT_PARSE_FAILED
};

struct http_client_parse;

struct http_client_parse_handlers {
	void (*head)(const struct http_client_parse *parse, void *arg);
	void (*body)(const char *bytes, size_t n, void *arg); /* with its codings undone */
};

struct http_client_parse {
	llhttp_t llhttp;
	struct buf head; /* names and values, each with its NUL */
	const struct http_client_parse_handlers *handlers;
	void *arg;
	const char *reason; /* why parsing failed */
	uint16_t status;
	uint8_t state; /* enum http_client_parse_state */
	bool in_value; /* a header's value is being read, not its name */
	bool is_interim; /* a 1xx, which precedes the answer */
	bool is_stopped; /* http_client_parse_stop was called */
	bool keeps_alive; /* once it is done: the connection may be used again */
};

void http_client_parse_init(struct http_client_parse *parse,
			    const struct http_client_parse_handlers *handlers, void *arg);
void http_client_parse_reset(struct http_client_parse *parse);

/* Parses bytes, at most up to the end of the answer, and returns their number; the state says what
 * was reached.  After DONE and FAILED it parses nothing. */
size_t http_client_parse_feed(struct http_client_parse *parse, const char *bytes, size_t n);

/* Call this when the server has closed its end of the connection.  That ends a body without a
 * declared length, and is a failure anywhere else. */
void http_client_parse_end(struct http_client_parse *parse);

/* For a handler: stops the parser, and no handler is called any more. */
void http_client_parse_stop(struct http_client_parse *parse);

/* Returns the first header with that name of a complete head, or NULL. */
const char *http_client_parse_header(const struct http_client_parse *parse, const char *name);

#endif
