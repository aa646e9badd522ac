/*
 * http_reply.c: answers to HTTP requests, including the upgrade to a WebSocket (see http.h).  Runs
 * on the loop's thread.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/count.h"
#include "base/mem.h"
#include "metrics/metrics.h"
#include "net/http_conn.h"
#include "net/ws_handshake.h"

#define ERROR_BODY_MAX 4096u
#define HEAD_MAX (HTTP_HEAD_MAX + 1024u) /* the caller's headers and ours */

static const struct {
	int status;
	const char *phrase;
} phrases[] = {
	{101, "Switching Protocols"},
	{200, "OK"},
	{201, "Created"},
	{202, "Accepted"},
	{204, "No Content"},
	{206, "Partial Content"},
	{301, "Moved Permanently"},
	{302, "Found"},
	{303, "See Other"},
	{304, "Not Modified"},
	{307, "Temporary Redirect"},
	{308, "Permanent Redirect"},
	{400, "Bad Request"},
	{401, "Unauthorized"},
	{402, "Payment Required"},
	{403, "Forbidden"},
	{404, "Not Found"},
	{405, "Method Not Allowed"},
	{406, "Not Acceptable"},
	{408, "Request Timeout"},
	{409, "Conflict"},
	{410, "Gone"},
	{411, "Length Required"},
	{413, "Content Too Large"},
	{415, "Unsupported Media Type"},
	{417, "Expectation Failed"},
	{422, "Unprocessable Content"},
	{426, "Upgrade Required"},
	{429, "Too Many Requests"},
	{431, "Request Header Fields Too Large"},
	{500, "Internal Server Error"},
	{501, "Not Implemented"},
	{502, "Bad Gateway"},
	{503, "Service Unavailable"},
	{504, "Gateway Timeout"},
	{505, "HTTP Version Not Supported"},
};

static const char *http_reply_phrase_of(int status)
{
	for (size_t i = 0; i < COUNT(phrases); ++i) {
		if (phrases[i].status == status)
			return phrases[i].phrase;
	}
	return "Unknown"; /* the phrase may be anything (RFC 9112, section 4) */
}

static bool http_reply_is_name_char(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("!#$%&'*+-.^_`|~", c));
}

int http_reply_header(struct http_request *request, const char *name, const char *value)
{
	if (name[0] == '\0')
		return EINVAL;
	for (const char *p = name; *p; ++p) {
		if (!http_reply_is_name_char(*p))
			return EINVAL;
	}
	for (const char *p = value; *p; ++p) {
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return EINVAL;
	}
	return buf_printf(&http_exchange_of(request)->headers, "%s: %s\r\n", name, value);
}

static int http_reply_put_head(struct buf *head, const struct http_exchange *request, int status)
{
	char date[40];
	time_t now = time(NULL);
	struct tm tm;
	int err;

	gmtime_r(&now, &tm);
	strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", &tm);
	metrics_add_at(METRIC_REQUESTS, (size_t)(status / 100 - 1), 1);
	err = buf_printf(head, "HTTP/1.1 %d %s\r\nDate: %s\r\n", status,
			 http_reply_phrase_of(status), date);
	if (!err)
		err = buf_append(head, request->headers.bytes, request->headers.len);
	return err;
}

/* Whether this answer is the connection's last, for the Connection header. */
static bool http_reply_is_last(const struct http_exchange *request)
{
	return request->must_close || !request->parse.keeps_alive ||
	       request->conn->server->is_draining || http_conn_must_end(request);
}

static int http_reply_put_rest(struct buf *head, const struct http_exchange *request,
			       const char *type)
{
	int err = type ? buf_printf(head, "Content-Type: %s\r\n", type) : 0;

	if (!err && http_reply_is_last(request))
		err = buf_append_str(head, "Connection: close\r\n");
	else if (!err && request->parse.is_http_1_0)
		err = buf_append_str(head, "Connection: keep-alive\r\n");
	return err ? err : buf_append_str(head, "\r\n");
}

static bool http_reply_is_head_request(const struct http_exchange *request)
{
	return (request->parse.state == HTTP_PARSE_DONE ||
		request->parse.state == HTTP_PARSE_BODY) &&
	       request->parse.llhttp.method == HTTP_HEAD;
}

/* Sends head and body as one message. */
static int http_reply_send_both(struct http_exchange *request, const struct buf *head,
				const void *body, size_t len)
{
	struct outgoing *message;

	if (http_reply_is_head_request(request))
		len = 0;
	message = outgoing_alloc(head->len + len);
	if (!message)
		return ENOMEM;
	memcpy(outgoing_payload(message), head->bytes, head->len);
	if (len > 0)
		memcpy(outgoing_payload(message) + head->len, body, len);
	message->len = head->len + len;
	stream_queue(request->conn->stream, message);
	return 0;
}

/* Closes the connection, which cannot continue without memory for an answer. */
static void http_reply_give_up(struct http_exchange *request)
{
	request->must_close = true;
	stream_abort(request->conn->stream, ENOMEM);
	http_conn_answered(request->conn, request);
}

int http_reply(struct http_request *request, int status, const char *type, const void *body,
	       size_t len)
{
	struct http_exchange *own = http_exchange_of(request);
	struct buf head;
	int err = 0;

	if (!own->conn)
		return ECONNRESET;
	assert(!own->has_begun);
	buf_init(&head, HEAD_MAX);
	err = http_reply_put_head(&head, own, status);
	if (!err && status != 204 && status != 304)
		err = buf_printf(&head, "Content-Length: %zu\r\n", len);
	if (!err)
		err = http_reply_put_rest(&head, own, type);
	if (!err)
		err = http_reply_send_both(own, &head, body, len);
	buf_reset(&head);
	if (err)
		http_reply_give_up(own);
	else
		http_conn_answered(own->conn, own);
	return err;
}

int http_reply_error(struct http_request *request, int status, const char *reason)
{
	struct http_exchange *own = http_exchange_of(request);
	struct http_settings *settings;
	struct buf body;
	int err;

	if (!own->conn)
		return ECONNRESET;
	settings = &own->conn->server->settings;
	buf_init(&body, ERROR_BODY_MAX);
	if (settings->error)
		settings->error(&body, status, reason, settings->arg);
	else
		buf_printf(&body, "{\"error\":\"%s\"}", reason);
	err = http_reply(request, status, "application/json", body.bytes, body.len);
	buf_reset(&body);
	return err;
}

/* In a chunked body the client notices that the last chunk is missing.  If the end of the
 * connection marks the end of the body, only a reset shows that it is incomplete. */
static void http_reply_reset_at_end(const struct http_exchange *request)
{
	static const struct linger at_once = {.l_onoff = 1};

	if (!request->is_chunked)
		(void)setsockopt(stream_fd(request->conn->stream), SOL_SOCKET, SO_LINGER, &at_once,
				 sizeof(at_once));
}

void http_abort(struct http_request *request)
{
	struct http_exchange *own = http_exchange_of(request);
	struct http_conn *conn = own->conn;

	assert(own->has_begun);
	if (!conn)
		return;
	http_reply_reset_at_end(own);
	stream_abort(conn->stream, ECONNABORTED);
	conn->is_closing = true;
	conn->request = NULL;
	own->conn = NULL;
	own->gone = NULL;
}

void http_reply_missing(struct http_exchange *request)
{
	if (request->has_begun) {
		http_abort(&request->public);
		return;
	}
	request->must_close = true;
	http_reply_error(&request->public, 500, "the request was not answered");
}

int http_reply_begin(struct http_request *request, int status, const char *type)
{
	struct http_exchange *own = http_exchange_of(request);
	struct buf head;
	int err;

	if (!own->conn)
		return ECONNRESET;
	assert(!own->has_begun);
	own->has_begun = true;
	own->is_chunked = !own->parse.is_http_1_0;
	if (!own->is_chunked)
		own->must_close = true;
	buf_init(&head, HEAD_MAX);
	err = http_reply_put_head(&head, own, status);
	if (!err && own->is_chunked)
		err = buf_append_str(&head, "Transfer-Encoding: chunked\r\n");
	if (!err)
		err = http_reply_put_rest(&head, own, type);
	if (!err)
		err = http_reply_send_both(own, &head, NULL, 0);
	buf_reset(&head);
	if (err)
		http_reply_give_up(own);
	return err;
}

void http_reply_piece(struct http_request *request, struct outgoing *message)
{
	struct http_exchange *own = http_exchange_of(request);
	char size[OUTGOING_ROOM + 1];

	assert(own->has_begun);
	/* An empty chunk would mark the end of the body. */
	if (!own->conn || http_reply_is_head_request(own) || message->len == 0) {
		outgoing_free(message);
		return;
	}
	if (own->is_chunked) {
		int n = snprintf(size, sizeof(size), "%zx\r\n", message->len);

		assert(n <= OUTGOING_ROOM); /* pieces are below 2^48 bytes */
		message->head = (uint8_t)n;
		memcpy(outgoing_payload(message) - n, size, (size_t)n);
		memcpy(outgoing_payload(message) + message->len, "\r\n", OUTGOING_TAIL);
		message->len += OUTGOING_TAIL;
	}
	stream_queue(own->conn->stream, message);
}

void http_reply_end(struct http_request *request)
{
	struct http_exchange *own = http_exchange_of(request);
	struct outgoing *last;

	assert(own->has_begun);
	if (!own->conn)
		return;
	if (own->is_chunked && !http_reply_is_head_request(own)) {
		last = outgoing_copy("0\r\n\r\n", 5);
		if (!last) {
			http_reply_give_up(own);
			return;
		}
		stream_queue(own->conn->stream, last);
	}
	http_conn_answered(own->conn, own);
}

/* Returns the status to refuse the upgrade with (RFC 6455, section 4.2.1), or 0.  Host was checked
 * with the rest of the head. */
static int http_reply_check_upgrade(const struct http_exchange *request, const char **reason)
{
	const struct http_request *public = &request->public;
	const char *version = http_header(public, "sec-websocket-version");
	const char *key = http_header(public, "sec-websocket-key");

	*reason = "this address is for WebSocket connections";
	if (!http_wants_upgrade(public))
		return 426;
	*reason = "a WebSocket needs GET and HTTP/1.1";
	if (strcmp(public->method, "GET") != 0 || request->parse.is_http_1_0)
		return 400;
	*reason = "only Sec-WebSocket-Version 13 is spoken here";
	if (!version || strcmp(version, "13") != 0)
		return 426;
	*reason = "Sec-WebSocket-Key must be 16 bytes in base64";
	if (!key || !ws_handshake_key_is_valid(key) ||
	    http_parse_header(&request->parse, "sec-websocket-key", 1))
		return 400;
	*reason = "a WebSocket request has no body";
	return request->parse.body.len > 0 || request->parse.state == HTTP_PARSE_BODY ? 400 : 0;
}

static int http_reply_refuse_upgrade(struct http_request *public, int status, const char *reason)
{
	if (status == 426) {
		http_reply_header(public, "Upgrade", "websocket");
		http_reply_header(public, "Connection", "Upgrade"); /* RFC 9110, section 7.8 */
		http_reply_header(public, "Sec-WebSocket-Version", "13");
	}
	http_reply_error(public, status, reason);
	return EPROTO;
}

static int http_reply_send_switch(struct http_exchange *request)
{
	char accept[WS_ACCEPT_SIZE];
	struct buf head;
	int err;

	ws_handshake_accept(accept, http_header(&request->public, "sec-websocket-key"));
	buf_init(&head, HEAD_MAX);
	err = http_reply_put_head(&head, request, 101);
	if (!err)
		err = buf_printf(&head,
				 "Upgrade: websocket\r\nConnection: Upgrade\r\n"
				 "Sec-WebSocket-Accept: %s\r\n\r\n",
				 accept);
	if (!err)
		err = http_reply_send_both(request, &head, NULL, 0);
	buf_reset(&head);
	return err;
}

int http_upgrade(struct ws **wsp, struct http_request *request, const struct ws_handlers *handlers,
		 void *arg)
{
	struct http_exchange *own = http_exchange_of(request);
	struct http_conn *conn = own->conn;
	const char *reason;
	struct ws *ws;
	int err;

	if (!conn || conn->is_ended)
		return ECONNRESET;
	err = http_reply_check_upgrade(own, &reason);
	if (err)
		return http_reply_refuse_upgrade(request, err, reason);
	err = http_reply_send_switch(own);
	if (!err)
		err = ws_alloc(&ws, conn->stream, WS_SERVER, conn->server->settings.ws_message_max,
			       handlers, arg);
	if (err) {
		http_reply_give_up(own);
		return err;
	}
	stream_pause(conn->stream, false);
	err = ws_feed(ws, conn->early.bytes, conn->early.len);
	if (err)
		ws_abort(ws);
	own->gone = NULL;
	http_conn_remove(conn);
	*wsp = ws;
	return 0;
}
