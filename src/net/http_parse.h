/*
 * http_parse.h: parses one HTTP/1.1 request as its bytes arrive.
 *
 * Pure: no socket, no clock.  llhttp does the grammar.  What it accepts and we do not (a space
 * before the colon, folded lines, a missing or second Host, transfer codings that we cannot decode)
 * is refused here, with the status that the client should see.
 */
#ifndef NET_HTTP_PARSE_H
#define NET_HTTP_PARSE_H

#include <llhttp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum http_parse_state { HTTP_PARSE_HEAD, HTTP_PARSE_BODY, HTTP_PARSE_DONE, HTTP_PARSE_FAILED };

/* How much a chunked body may contain in addition to the body itself: chunk sizes,
 * extensions, trailers.  A chunk of one byte has an overhead of five bytes; beyond that, the
 * total may be as long as a head. */
enum { HTTP_PARSE_CHUNK_COST = 8 };

struct http_parse {
	llhttp_t llhttp;
	struct buf head; /* the target, then names and values, each with its NUL */
	struct buf body; /* what has arrived of it and was not taken by http_parse_take_body */
	size_t head_bytes; /* length of the head on the wire */
	size_t headers_at; /* offset of the first header in `head` */
	size_t query_at; /* offset of the query in `head`, once that is complete */
	uint64_t body_bytes; /* length of the body on the wire */
	size_t body_taken; /* bytes of the body that http_parse_take_body has removed */
	/* NULL, or called to request a larger maximum when a body will not fit or has no
	 * declared length. */
	size_t (*body_max_of)(const struct http_parse *parse, void *arg);
	void *arg;
	uint16_t status; /* the answer to a request that could not be parsed */
	const char *reason;
	uint8_t state; /* enum http_parse_state */
	uint8_t line_state; /* state of our own check of the lines of the head */
	uint8_t method_state; /* state of our own check of the beginning of the request line */
	bool is_paused; /* between head and body */
	bool is_foreign; /* llhttp does not know the method, and stops parsing */
	bool in_value; /* a header's value is being read, not its name */
	bool wants_continue; /* the client waits for a 100 before it sends the body */
	bool is_http_1_0;
	bool keeps_alive;
};

void http_parse_init(struct http_parse *parse, size_t head_max, size_t body_max);
void http_parse_reset(struct http_parse *parse);

/* Consumes bytes, at most up to the end of the head or of the request, and returns their number.
 * The state says what was reached: BODY when the head is complete and a body follows.  After DONE
 * and FAILED it consumes nothing. */
size_t http_parse_feed(struct http_parse *parse, const char *bytes, size_t n);

/* Removes the first n bytes of parse->body, for a reader that does not wait for the whole body.
 * They still count towards its maximum. */
void http_parse_take_body(struct http_parse *parse, size_t n);

/* The number of bytes of the body that have arrived, including those that were taken. */
size_t http_parse_body_len(const struct http_parse *parse);

/* The number of bytes of the body that have not arrived yet; SIZE_MAX if unknown. */
size_t http_parse_body_left(const struct http_parse *parse);

/* The parts of a complete head. */
const char *http_parse_method(const struct http_parse *parse);
const char *http_parse_path(const struct http_parse *parse); /* decoded */
const char *http_parse_query(const struct http_parse *parse);

/* The nth (from 0) header of that name, or NULL. */
const char *http_parse_header(const struct http_parse *parse, const char *name, unsigned nth);

/* Whether the name of any header begins with the prefix, ignoring case. */
bool http_parse_has_header_from(const struct http_parse *parse, const char *prefix);

/* Decodes percent-escapes from in to out, which may be the same; adds a NUL and returns the length.
 * EINVAL for an invalid escape or an escaped NUL, ENOBUFS if out is too small for the result and
 * its NUL. */
int http_parse_decode(size_t *len, char *out, size_t size, const char *in, size_t in_len,
		      bool plus_is_space);

#endif
