/*
 * http_client_parse.c: parses one HTTP/1.1 answer (see http_client_parse.h).  Pure.
 */
#include "net/http_client_parse.h"

#include <string.h>
#include <strings.h>

#include "base/count.h"

static int http_client_parse_fail(struct http_client_parse *parse, const char *reason)
{
	parse->state = HTTP_CLIENT_PARSE_FAILED;
	parse->reason = reason;
	return HPE_USER;
}

static int http_client_parse_append(struct http_client_parse *parse, const char *bytes, size_t n)
{
	if (parse->state != HTTP_CLIENT_PARSE_HEAD)
		return 0; /* trailers are read and discarded */
	return buf_append(&parse->head, bytes, n) == 0
		       ? 0
		       : http_client_parse_fail(parse, "its head is too large");
}

/* Ends the value that is being collected, and removes the blanks at its end. */
static int http_client_parse_end_value(struct http_client_parse *parse)
{
	struct buf *head = &parse->head;

	if (!parse->in_value)
		return 0;
	while (head->bytes[head->len - 1] == ' ' || head->bytes[head->len - 1] == '\t')
		--head->len;
	parse->in_value = false;
	return http_client_parse_append(parse, "", 1);
}

static int http_client_parse_on_header_field(llhttp_t *llhttp, const char *at, size_t n)
{
	struct http_client_parse *parse = llhttp->data;
	int err = http_client_parse_end_value(parse);

	return err ? err : http_client_parse_append(parse, at, n);
}

static int http_client_parse_on_header_field_complete(llhttp_t *llhttp)
{
	struct http_client_parse *parse = llhttp->data;

	parse->in_value = parse->state == HTTP_CLIENT_PARSE_HEAD;
	return http_client_parse_append(parse, "", 1);
}

static int http_client_parse_on_header_value(llhttp_t *llhttp, const char *at, size_t n)
{
	return http_client_parse_append(llhttp->data, at, n);
}

static int http_client_parse_check_head(struct http_client_parse *parse)
{
	static const struct {
		const char *name, *good, *reason;
	} codings[] = {
		{"transfer-encoding", "chunked", "its transfer coding is not supported"},
		{"content-encoding", "identity", "it is compressed, which we did not request"},
	};

	if (parse->llhttp.http_major != 1 || parse->llhttp.http_minor > 1)
		return http_client_parse_fail(parse, "its HTTP version is not supported");
	if (parse->status < 100 || parse->status > 599)
		return http_client_parse_fail(parse, "its status is invalid");
	if (parse->status == 101)
		return http_client_parse_fail(parse,
					      "it changes the protocol, which we did not request");
	for (size_t i = 0; i < COUNT(codings); ++i) {
		const char *value = http_client_parse_header(parse, codings[i].name);

		if (value && strcasecmp(value, codings[i].good) != 0)
			return http_client_parse_fail(parse, codings[i].reason);
	}
	return 0;
}

static int http_client_parse_on_headers_complete(llhttp_t *llhttp)
{
	struct http_client_parse *parse = llhttp->data;
	int err = http_client_parse_end_value(parse);

	if (err)
		return -1;
	parse->status = (uint16_t)llhttp->status_code;
	if (http_client_parse_check_head(parse) != 0)
		return -1;
	parse->is_interim = parse->status < 200;
	if (parse->is_interim)
		return 1; /* it has no body, whatever its headers say */
	parse->keeps_alive = llhttp_should_keep_alive(llhttp);
	parse->state = HTTP_CLIENT_PARSE_BODY;
	parse->handlers->head(parse, parse->arg);
	return parse->is_stopped ? -1 : 0;
}

static int http_client_parse_on_body(llhttp_t *llhttp, const char *at, size_t n)
{
	struct http_client_parse *parse = llhttp->data;

	parse->handlers->body(at, n, parse->arg);
	return parse->is_stopped ? HPE_USER : 0;
}

static int http_client_parse_on_message_complete(llhttp_t *llhttp)
{
	struct http_client_parse *parse = llhttp->data;

	if (parse->is_interim) {
		parse->is_interim = false;
		parse->head.len = 0;
		return 0;
	}
	parse->state = HTTP_CLIENT_PARSE_DONE;
	return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
	.on_header_field = http_client_parse_on_header_field,
	.on_header_field_complete = http_client_parse_on_header_field_complete,
	.on_header_value = http_client_parse_on_header_value,
	.on_headers_complete = http_client_parse_on_headers_complete,
	.on_body = http_client_parse_on_body,
	.on_message_complete = http_client_parse_on_message_complete,
};

void http_client_parse_init(struct http_client_parse *parse,
			    const struct http_client_parse_handlers *handlers, void *arg)
{
	*parse = (struct http_client_parse){.handlers = handlers, .arg = arg};
	llhttp_init(&parse->llhttp, HTTP_RESPONSE, &settings);
	parse->llhttp.data = parse;
	buf_init(&parse->head, HTTP_CLIENT_HEAD_MAX);
}

void http_client_parse_reset(struct http_client_parse *parse)
{
	buf_reset(&parse->head);
}

static bool http_client_parse_is_over(const struct http_client_parse *parse)
{
	return parse->is_stopped || parse->state == HTTP_CLIENT_PARSE_DONE ||
	       parse->state == HTTP_CLIENT_PARSE_FAILED;
}

size_t http_client_parse_feed(struct http_client_parse *parse, const char *bytes, size_t n)
{
	enum llhttp_errno err;

	if (http_client_parse_is_over(parse))
		return 0;
	err = llhttp_execute(&parse->llhttp, bytes, n);
	if (parse->state == HTTP_CLIENT_PARSE_DONE)
		return (size_t)(llhttp_get_error_pos(&parse->llhttp) - bytes);
	if (err != HPE_OK && !http_client_parse_is_over(parse))
		http_client_parse_fail(parse, "it is not HTTP");
	return n;
}

void http_client_parse_end(struct http_client_parse *parse)
{
	if (http_client_parse_is_over(parse))
		return;
	llhttp_finish(&parse->llhttp); /* sets the state if the body is complete */
	if (parse->state != HTTP_CLIENT_PARSE_DONE)
		http_client_parse_fail(parse, "it ended early");
	parse->keeps_alive = false;
}

void http_client_parse_stop(struct http_client_parse *parse)
{
	parse->is_stopped = true;
}

const char *http_client_parse_header(const struct http_client_parse *parse, const char *name)
{
	const char *at = parse->head.bytes;
	const char *end = parse->head.len > 0 ? at + parse->head.len : at; /* NULL: no head yet */

	while (at < end) {
		const char *value = at + strlen(at) + 1;

		if (strcasecmp(at, name) == 0)
			return value;
		at = value + strlen(value) + 1;
	}
	return NULL;
}
