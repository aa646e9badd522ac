/*
 * http_parse.c: parses one HTTP/1.1 request (see http_parse.h).  Pure.
 */
#include "net/http_parse.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#define TOO_LARGE "request header too large"

/* The position of a byte in the lines of a head. */
enum { BEFORE, REQUEST_LINE, LINE_START, NAME, VALUE, BLANK_LINE, AFTER };

/* How far our own check of the request line's beginning has come. */
enum { METHOD_NONE, METHOD_WORD, METHOD_BLANK, METHOD_TARGET, METHOD_BAD };

static int http_parse_fail(struct http_parse *parse, uint16_t status, const char *reason)
{
	parse->state = HTTP_PARSE_FAILED;
	parse->status = status;
	parse->reason = reason;
	return HPE_USER;
}

static int http_parse_append(struct http_parse *parse, const char *bytes, size_t n)
{
	switch (buf_append(&parse->head, bytes, n)) {
	case 0:
		return 0;
	case ENOBUFS:
		return http_parse_fail(parse, 431, TOO_LARGE);
	default:
		return http_parse_fail(parse, 503, "out of memory");
	}
}

static int http_parse_on_url(llhttp_t *llhttp, const char *at, size_t n)
{
	return http_parse_append(llhttp->data, at, n);
}

static int http_parse_on_url_complete(llhttp_t *llhttp)
{
	struct http_parse *parse = llhttp->data;
	int err = http_parse_append(parse, "", 1);

	parse->headers_at = parse->head.len;
	return err;
}

/* Ends the value that is being collected, and removes the blanks at its end. */
static int http_parse_end_value(struct http_parse *parse)
{
	struct buf *head = &parse->head;

	if (!parse->in_value)
		return 0;
	while (head->bytes[head->len - 1] == ' ' || head->bytes[head->len - 1] == '\t')
		--head->len;
	parse->in_value = false;
	return http_parse_append(parse, "", 1);
}

static int http_parse_on_header_field(llhttp_t *llhttp, const char *at, size_t n)
{
	struct http_parse *parse = llhttp->data;
	int err;

	if (parse->state != HTTP_PARSE_HEAD)
		return 0; /* trailers are read and discarded */
	err = http_parse_end_value(parse);
	return err ? err : http_parse_append(parse, at, n);
}

static int http_parse_on_header_field_complete(llhttp_t *llhttp)
{
	struct http_parse *parse = llhttp->data;

	if (parse->state != HTTP_PARSE_HEAD)
		return 0;
	parse->in_value = true;
	return http_parse_append(parse, "", 1);
}

static int http_parse_on_header_value(llhttp_t *llhttp, const char *at, size_t n)
{
	struct http_parse *parse = llhttp->data;

	return parse->state == HTTP_PARSE_HEAD ? http_parse_append(parse, at, n) : 0;
}

/* Splits the target in place into a decoded path and a raw query.  The absolute form
 * ("http://host/path", RFC 9112, 3.2.2) is reduced to its path. */
static int http_parse_split_target(struct http_parse *parse)
{
	char *target = parse->head.bytes;
	char *path = target;
	char *query;
	size_t path_len;
	size_t decoded;

	if (path[0] != '/' && strcmp(path, "*") != 0) {
		char *host = strstr(path, "://");

		path = host ? strpbrk(host + 3, "/?") : NULL;
		if (!path && !host)
			return http_parse_fail(parse, 400, "bad request target");
		if (!path)
			path = target + strlen(target);
	}
	path_len = strcspn(path, "?");
	query = path[path_len] == '?' ? path + path_len + 1 : path + path_len;
	parse->query_at = (size_t)(query - target);
	if (path_len == 0) {
		if (query == target)
			return http_parse_fail(parse, 400, "bad request target");
		target[0] = '/';
		target[1] = '\0'; /* this overwrites a part of "http://", not of the query */
		return 0;
	}
	/* An invalid escape does not fail the request: the path becomes "" and its handler answers
	 * with an error. */
	if (http_parse_decode(&decoded, target, parse->headers_at, path, path_len, false) != 0)
		target[0] = '\0';
	return 0;
}

static int http_parse_check_host(struct http_parse *parse)
{
	if (http_parse_header(parse, "host", 1))
		return http_parse_fail(parse, 400, "more than one Host header");
	if (!parse->is_http_1_0 && !http_parse_header(parse, "host", 0))
		return http_parse_fail(parse, 400, "no Host header");
	return 0;
}

static bool http_parse_has_body(const struct http_parse *parse)
{
	return parse->llhttp.content_length > 0 || http_parse_header(parse, "transfer-encoding", 0);
}

static int http_parse_check_body(struct http_parse *parse)
{
	const char *coding = http_parse_header(parse, "transfer-encoding", 0);
	const char *expect = http_parse_header(parse, "expect", 0);

	if (coding && (http_parse_header(parse, "transfer-encoding", 1) ||
		       strcasecmp(coding, "chunked") != 0))
		return http_parse_fail(parse, 501, "transfer coding not supported");
	if (coding && parse->is_http_1_0)
		return http_parse_fail(parse, 400, "Transfer-Encoding in HTTP/1.0");
	if (!coding && parse->llhttp.content_length > parse->body.max - 1)
		return http_parse_fail(parse, 413, "request body too large");
	if (expect && strcasecmp(expect, "100-continue") != 0)
		return http_parse_fail(parse, 417, "expectation not supported");
	parse->wants_continue = expect && http_parse_has_body(parse) && !parse->is_http_1_0;
	return 0;
}

static void http_parse_make_room(struct http_parse *parse)
{
	size_t max = parse->body.max - 1;

	if (!parse->body_max_of || (!http_parse_header(parse, "transfer-encoding", 0) &&
				    parse->llhttp.content_length <= max))
		return;
	max = parse->body_max_of(parse, parse->arg);
	if (max > parse->body.max - 1)
		parse->body.max = (uint32_t)max + 1;
}

static int http_parse_on_headers_complete(llhttp_t *llhttp)
{
	struct http_parse *parse = llhttp->data;
	int err = http_parse_end_value(parse);

	if (err)
		return err;
	if (llhttp->http_major != 1 || llhttp->http_minor > 1)
		return http_parse_fail(parse, 505, "HTTP version not supported");
	if (llhttp->method == HTTP_CONNECT)
		return http_parse_fail(parse, 400, "CONNECT is for proxies");
	parse->is_http_1_0 = llhttp->http_minor == 0;
	parse->keeps_alive = llhttp_should_keep_alive(llhttp);
	err = http_parse_check_host(parse);
	if (!err)
		err = http_parse_split_target(parse);
	if (!err) {
		http_parse_make_room(parse);
		err = http_parse_check_body(parse);
	}
	if (err)
		return -1;
	parse->state = HTTP_PARSE_BODY;
	/* The server decides whether the body is read at all. */
	return http_parse_has_body(parse) ? HPE_PAUSED : 0;
}

size_t http_parse_body_len(const struct http_parse *parse)
{
	return parse->body_taken + parse->body.len;
}

void http_parse_take_body(struct http_parse *parse, size_t n)
{
	buf_consume(&parse->body, n);
	parse->body_taken += n;
}

/* How much longer the body may become.  One byte of the buffer is for the NUL after the body. */
static size_t http_parse_body_room(const struct http_parse *parse)
{
	return parse->body.max - 1 - http_parse_body_len(parse);
}

/* Refuses a chunk that is too long before its bytes arrive. */
static int http_parse_on_chunk_header(llhttp_t *llhttp)
{
	struct http_parse *parse = llhttp->data;

	if (llhttp->content_length > http_parse_body_room(parse))
		return http_parse_fail(parse, 413, "request body too large");
	return 0;
}

static int http_parse_on_body(llhttp_t *llhttp, const char *at, size_t n)
{
	struct http_parse *parse = llhttp->data;

	parse->wants_continue = false; /* the client has not waited for the 100 */
	if (n > http_parse_body_room(parse))
		return http_parse_fail(parse, 413, "request body too large");
	if (buf_append(&parse->body, at, n) != 0)
		return http_parse_fail(parse, 503, "out of memory");
	return 0;
}

static int http_parse_on_message_complete(llhttp_t *llhttp)
{
	struct http_parse *parse = llhttp->data;

	if (buf_append(&parse->body, "", 1) != 0)
		return http_parse_fail(parse, 503, "out of memory");
	--parse->body.len;
	parse->state = HTTP_PARSE_DONE;
	return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
	.on_url = http_parse_on_url,
	.on_url_complete = http_parse_on_url_complete,
	.on_header_field = http_parse_on_header_field,
	.on_header_field_complete = http_parse_on_header_field_complete,
	.on_header_value = http_parse_on_header_value,
	.on_headers_complete = http_parse_on_headers_complete,
	.on_chunk_header = http_parse_on_chunk_header,
	.on_body = http_parse_on_body,
	.on_message_complete = http_parse_on_message_complete,
};

void http_parse_init(struct http_parse *parse, size_t head_max, size_t body_max)
{
	*parse = (struct http_parse){0};
	llhttp_init(&parse->llhttp, HTTP_REQUEST, &settings);
	parse->llhttp.data = parse;
	buf_init(&parse->head, head_max);
	buf_init(&parse->body, body_max + 1);
}

void http_parse_reset(struct http_parse *parse)
{
	buf_reset(&parse->head);
	buf_reset(&parse->body);
}

/* Returns the next state of our own check of the head, or -1 to refuse it.  A space before the
 * colon and a folded line (RFC 9112, sections 5.1 and 5.2) are refused because two parsers may
 * understand them as two different requests. */
static int http_parse_next_line_state(int state, char c)
{
	bool is_blank = c == ' ' || c == '\t';

	switch (state) {
	case BEFORE:
		return c == '\r' || c == '\n' ? BEFORE : REQUEST_LINE;
	case REQUEST_LINE:
	case VALUE:
		return c == '\n' ? LINE_START : state;
	case LINE_START:
		if (is_blank)
			return -1;
		return c == '\r' ? BLANK_LINE : c == '\n' ? AFTER : c == ':' ? -1 : NAME;
	case NAME:
		return is_blank || c == '\n' ? -1 : c == ':' ? VALUE : NAME;
	case BLANK_LINE:
		return c == '\n' ? AFTER : -1;
	default:
		return AFTER;
	}
}

static bool http_parse_is_method_char(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-';
}

static uint8_t http_parse_next_method_state(uint8_t state, char c)
{
	switch (state) {
	case METHOD_NONE:
		return http_parse_is_method_char(c) ? METHOD_WORD : METHOD_BAD;
	case METHOD_WORD:
		return http_parse_is_method_char(c) ? METHOD_WORD
		       : c == ' '                   ? METHOD_BLANK
						    : METHOD_BAD;
	case METHOD_BLANK:
		return c == '/' || c == '*' ? METHOD_TARGET : METHOD_BAD;
	default:
		return state;
	}
}

/* Checks the bytes of the head before llhttp does; returns the status to refuse them with, or 0. */
static uint16_t http_parse_check_lines(struct http_parse *parse, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n && parse->line_state != AFTER; ++i) {
		int next = http_parse_next_line_state(parse->line_state, bytes[i]);

		if (next < 0)
			return 400;
		if (++parse->head_bytes > parse->head.max)
			return 431;
		if (next == REQUEST_LINE || parse->line_state == REQUEST_LINE)
			parse->method_state =
				http_parse_next_method_state(parse->method_state, bytes[i]);
		parse->line_state = (uint8_t)next;
	}
	return 0;
}

/* Refuses a method that llhttp does not know.  Whether it is a valid token or garbage can only be
 * decided when it is complete, so that the answer does not depend on how the bytes were split. */
static void http_parse_refuse_method(struct http_parse *parse)
{
	if (parse->method_state == METHOD_TARGET)
		http_parse_fail(parse, 501, "no such method");
	else if (parse->method_state == METHOD_BAD)
		http_parse_fail(parse, 400, "bad request");
}

static size_t http_parse_feed_head(struct http_parse *parse, const char *bytes, size_t n)
{
	uint16_t status = http_parse_check_lines(parse, bytes, n);
	enum llhttp_errno err;

	if (status) {
		http_parse_fail(parse, status, status == 431 ? TOO_LARGE : "bad header line");
		return n;
	}
	err = parse->is_foreign ? HPE_INVALID_METHOD : llhttp_execute(&parse->llhttp, bytes, n);
	parse->is_paused = err == HPE_PAUSED && parse->state == HTTP_PARSE_BODY;
	if (parse->is_paused || parse->state == HTTP_PARSE_DONE)
		return (size_t)(llhttp_get_error_pos(&parse->llhttp) - bytes);
	parse->is_foreign = err == HPE_INVALID_METHOD;
	if (parse->is_foreign)
		http_parse_refuse_method(parse);
	else if (err != HPE_OK && parse->state != HTTP_PARSE_FAILED)
		http_parse_fail(parse, 400, "bad request");
	return n;
}

/* The overhead of a chunked body is checked only at multiples of this many bytes, so that the
 * result does not depend on how the bytes were split. */
#define OVERHEAD_CHECK_BYTES 4096u

static bool http_parse_has_too_much_overhead(const struct http_parse *parse)
{
	uint64_t len = http_parse_body_len(parse);

	return parse->body_bytes % OVERHEAD_CHECK_BYTES == 0 &&
	       parse->body_bytes - len > parse->head.max + HTTP_PARSE_CHUNK_COST * len;
}

static size_t http_parse_feed_body(struct http_parse *parse, const char *bytes, size_t n)
{
	size_t used = 0;

	if (parse->is_paused) {
		parse->is_paused = false;
		llhttp_resume(&parse->llhttp);
	}
	while (used < n && parse->state == HTTP_PARSE_BODY) {
		size_t part =
			(size_t)(OVERHEAD_CHECK_BYTES - parse->body_bytes % OVERHEAD_CHECK_BYTES);
		enum llhttp_errno err;

		if (part > n - used)
			part = n - used;
		err = llhttp_execute(&parse->llhttp, bytes + used, part);
		if (parse->state == HTTP_PARSE_DONE)
			return (size_t)(llhttp_get_error_pos(&parse->llhttp) - bytes);
		used += part;
		parse->body_bytes += part;
		if (err != HPE_OK && parse->state != HTTP_PARSE_FAILED)
			http_parse_fail(parse, 400, "bad request");
		else if (parse->state == HTTP_PARSE_BODY && http_parse_has_too_much_overhead(parse))
			http_parse_fail(parse, 413, "chunk extensions or trailers too long");
	}
	return parse->state == HTTP_PARSE_FAILED ? n : used;
}

size_t http_parse_feed(struct http_parse *parse, const char *bytes, size_t n)
{
	if (parse->state == HTTP_PARSE_HEAD)
		return http_parse_feed_head(parse, bytes, n);
	return parse->state == HTTP_PARSE_BODY ? http_parse_feed_body(parse, bytes, n) : 0;
}

size_t http_parse_body_left(const struct http_parse *parse)
{
	if (parse->state != HTTP_PARSE_BODY)
		return 0;
	if (http_parse_header(parse, "transfer-encoding", 0))
		return SIZE_MAX;
	return (size_t)parse->llhttp.content_length;
}

const char *http_parse_method(const struct http_parse *parse)
{
	return llhttp_method_name((enum llhttp_method)parse->llhttp.method);
}

const char *http_parse_path(const struct http_parse *parse)
{
	return parse->head.bytes;
}

const char *http_parse_query(const struct http_parse *parse)
{
	return parse->head.bytes + parse->query_at;
}

const char *http_parse_header(const struct http_parse *parse, const char *name, unsigned nth)
{
	const char *end = parse->head.bytes + parse->head.len;

	for (const char *p = parse->head.bytes + parse->headers_at; p < end;) {
		const char *value = p + strlen(p) + 1;

		assert(value < end);
		if (strcasecmp(p, name) == 0 && nth-- == 0)
			return value;
		p = value + strlen(value) + 1;
	}
	return NULL;
}

bool http_parse_has_header_from(const struct http_parse *parse, const char *prefix)
{
	const char *end = parse->head.bytes + parse->head.len;

	for (const char *p = parse->head.bytes + parse->headers_at; p < end;) {
		if (strncasecmp(p, prefix, strlen(prefix)) == 0)
			return true;
		p += strlen(p) + 1; /* to its value */
		assert(p < end);
		p += strlen(p) + 1;
	}
	return false;
}

static int http_parse_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Returns the byte of an escape that begins at `in`, or -1.  An escaped NUL is not allowed. */
static int http_parse_unescape(const char *in, size_t in_len)
{
	int high = in_len >= 3 ? http_parse_hex_digit(in[1]) : -1;
	int low = high >= 0 ? http_parse_hex_digit(in[2]) : -1;

	return low < 0 || high + low == 0 ? -1 : high << 4 | low;
}

int http_parse_decode(size_t *len, char *out, size_t size, const char *in, size_t in_len,
		      bool plus_is_space)
{
	size_t n = 0;

	for (size_t i = 0; i < in_len; ++i) {
		char c = in[i];

		if (c == '%') {
			int byte = http_parse_unescape(in + i, in_len - i);

			if (byte < 0)
				return EINVAL;
			c = (char)byte;
			i += 2;
		} else if (c == '+' && plus_is_space) {
			c = ' ';
		}
		if (n + 1 >= size)
			return ENOBUFS;
		out[n++] = c;
	}
	if (n >= size)
		return ENOBUFS;
	out[n] = '\0';
	*len = n;
	return 0;
}
