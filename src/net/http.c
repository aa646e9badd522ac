/*
 * http.c: connections of the HTTP server (see http.h).
 *
 *   idle (idle timer) -> read head (head timer) -> read body (body timer) -> handler -> answered
 *     -> idle, or the next request if its bytes have already arrived
 *
 * With settings.at_head the handler is called before the body is read, and must request the body
 * (http_body.c).  Everything runs on the loop's thread.
 */
#include "net/http.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "net/http_conn.h"

/* Reading pauses when a client has sent more than this while a request is being answered.  For an
 * unauthenticated client reading pauses at once, after a read of at most KEYLESS_READ_MAX. */
#define HTTP_EARLY_PAUSE HTTP_HEAD_MAX
#define HTTP_EARLY_MAX (HTTP_EARLY_PAUSE + STREAM_READ_MAX)

static void http_process_early(void *arg);

static void http_server_destroy(void *object)
{
	struct http_server *server = object;

	loop_undefer(server->loop, &server->emptied);
	mem_deref(server->settings.tls);
}

int http_server_alloc(struct http_server **serverp, struct loop *loop,
		      const struct http_settings *settings)
{
	struct http_server *server = mem_zalloc(sizeof(*server), http_server_destroy);

	if (!server)
		return ENOMEM;
	server->loop = loop;
	server->settings = *settings;
	if (server->settings.body_max == 0)
		server->settings.body_max = HTTP_BODY_MAX;
	mem_ref(server->settings.tls);
	list_init(&server->conns);
	keyless_init(&server->keyless);
	*serverp = server;
	return 0;
}

void http_server_set_tls(struct http_server *server, struct tls *tls)
{
	if (!server->settings.tls)
		return;
	mem_ref(tls);
	mem_deref(server->settings.tls);
	server->settings.tls = tls;
}

static void http_request_destroy(void *object)
{
	struct http_exchange *request = object;

	if (request->conn)
		http_reply_missing(request);
	http_parse_reset(&request->parse);
	buf_reset(&request->headers);
	http_body_uncount(request);
}

static void http_conn_destroy(void *object)
{
	struct http_conn *conn = object;

	buf_reset(&conn->early);
	mem_deref(conn->server);
}

/* Notifies the code that answers the request that nobody will read the answer. */
static void http_report_gone(struct http_exchange *request)
{
	http_gone_h *gone = request->gone;

	request->gone = NULL;
	if (gone)
		gone(request->gone_arg);
}

/* Detaches the request from its connection; one that is still being read is freed. */
static void http_detach_request(struct http_conn *conn)
{
	struct http_exchange *request = conn->request;

	if (!request)
		return;
	conn->request = NULL;
	request->conn = NULL;
	if (conn->is_answering) {
		mem_ref(request); /* the handler may release the request when it is notified */
		request->ended = conn->stream;
		http_report_gone(request);
		request->ended = NULL;
	}
	mem_deref(request);
}

static void http_report_empty(void *arg)
{
	struct http_server *server = arg;

	if (server->conns.count == 0)
		server->settings.empty(server->settings.arg);
}

static void http_leave_keyless(struct http_conn *conn)
{
	stream_set_keyless(conn->stream, NULL);
	keyless_leave(&conn->keyless);
	stream_set_read_max(conn->stream, STREAM_READ_MAX);
}

static void http_count_bytes(struct http_conn *conn)
{
	const struct http_exchange *request = conn->request;
	size_t bytes = conn->early.size;

	if (request)
		bytes += sizeof(*request) + request->parse.head.size + request->parse.body.size +
			 request->headers.size;
	keyless_count(&conn->keyless, bytes);
}

/* Closes a connection whose memory is needed immediately.  A client that waits for an answer gets a
 * 503, if the kernel accepts it without waiting. */
static void http_evict(struct keyless_member *member)
{
	static const char busy[] = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n"
				   "Content-Length: 0\r\nConnection: close\r\n\r\n";
	struct http_conn *conn = LIST_OBJECT(member, struct http_conn, keyless);
	struct outgoing *message = NULL;

	if (conn->request && (!conn->is_answering || !conn->request->has_begun))
		message = outgoing_copy(busy, sizeof(busy) - 1);
	if (message) {
		stream_queue(conn->stream, message);
		stream_push(conn->stream);
	}
	conn->is_closing = true;
	http_detach_request(conn);
	buf_reset(&conn->early);
	stream_evict(conn->stream, ECONNABORTED);
}

struct keyless *http_keyless(struct http_server *server)
{
	return &server->keyless;
}

void http_present_key(struct http_request *request)
{
	struct http_conn *conn = http_exchange_of(request)->conn;

	if (!conn)
		return;
	http_leave_keyless(conn);
	/* A client with a key may send the next request early, and its disconnection must be
	 * noticed while it waits. */
	if (conn->early.len <= HTTP_EARLY_PAUSE)
		stream_pause(conn->stream, false);
}

void http_conn_remove(struct http_conn *conn)
{
	struct http_server *server = conn->server;

	timer_clear(&server->loop->timers, &conn->timer);
	loop_undefer(server->loop, &conn->next);
	http_leave_keyless(conn);
	conn->is_closing = true; /* the stream was handed over or closed */
	list_remove(&server->conns, &conn->link);
	/* Deferred, because the connection may be becoming a WebSocket, which its owner does not
	 * have yet. */
	if (server->conns.count == 0 && server->settings.empty)
		loop_defer(server->loop, &server->emptied, http_report_empty, server);
	http_detach_request(conn);
	mem_deref(conn);
}

/* Answers a request that could not be read completely.  A handler that waits for the body is
 * notified that the client is gone, because there is nothing left for it to answer. */
static void http_refuse(struct http_conn *conn, int status, const char *reason)
{
	struct http_exchange *request = conn->request;
	bool is_held = conn->is_answering; /* by the handler that waits for the body */
	http_gone_h *gone = request->gone;
	void *gone_arg = request->gone_arg;

	mem_ref(request);
	conn->is_answering = true;
	request->must_close = true;
	request->awaits_body = false;
	if (request->has_begun)
		http_abort(&request->public);
	else
		http_reply_error(&request->public, status, reason);
	if (gone)
		gone(gone_arg);
	if (!is_held)
		mem_deref(request);
	mem_deref(request);
}

static void http_on_timer(void *arg)
{
	struct http_conn *conn = arg;

	if (conn->request) {
		http_refuse(conn, 408, "the request took too long");
		return;
	}
	conn->is_closing = true;
	stream_close(conn->stream);
}

void http_conn_set_timer(struct http_conn *conn, uint64_t us)
{
	timer_set(&conn->server->loop->timers, &conn->timer, us, http_on_timer, conn);
}

static void http_set_timer(struct http_conn *conn, unsigned ms)
{
	http_conn_set_timer(conn, ms * UINT64_C(1000));
}

void http_conn_continue(struct http_conn *conn)
{
	loop_defer(conn->server->loop, &conn->next, http_process_early, conn);
}

static size_t http_body_max_of(const struct http_parse *parse, void *arg)
{
	const struct http_exchange *request = arg;
	const struct http_settings *settings = &request->conn->server->settings;

	return settings->body_max_of(http_parse_method(parse), http_parse_path(parse),
				     settings->arg);
}

static int http_begin_request(struct http_conn *conn)
{
	const struct http_settings *settings = &conn->server->settings;
	struct http_exchange *request = mem_zalloc(sizeof(*request), http_request_destroy);

	if (!request)
		return ENOMEM;
	http_parse_init(&request->parse, HTTP_HEAD_MAX, settings->body_max);
	request->parse.body_max_of = settings->body_max_of ? http_body_max_of : NULL;
	request->parse.arg = request;
	buf_init(&request->headers, HTTP_HEAD_MAX);
	request->conn = conn;
	conn->request = request;
	http_set_timer(conn, HTTP_HEAD_MS);
	return 0;
}

static bool http_awaits_body(const struct http_conn *conn)
{
	return conn->request && conn->request->awaits_body;
}

/* Parses up to the end of a head or of a request; returns the number of bytes consumed. */
static size_t http_read_request(struct http_conn *conn, const char *bytes, size_t n)
{
	size_t used = n < conn->skip ? n : conn->skip;

	conn->skip -= (uint32_t)used;
	if (used == n)
		return n;
	if (!conn->request && http_begin_request(conn) != 0) {
		stream_abort(conn->stream, ENOMEM);
		conn->is_closing = true;
		return n;
	}
	return used + http_parse_feed(&conn->request->parse, bytes + used, n - used);
}

static void http_set_public(struct http_exchange *request)
{
	const struct http_parse *parse = &request->parse;

	request->public.method = http_parse_method(parse);
	request->public.path = http_parse_path(parse);
	request->public.query = http_parse_query(parse);
	request->public.body = parse->body.bytes;
	request->public.body_len = parse->body.len;
}

/* Passes a complete request, or the head of one, to the server's handler. */
static void http_handle_request(struct http_conn *conn)
{
	struct http_exchange *request = conn->request;
	struct http_settings *settings = &conn->server->settings;

	timer_clear(&conn->server->loop->timers, &conn->timer);
	http_set_public(request);
	conn->is_answering = true;
	settings->request(&request->public, settings->arg);
	mem_deref(request); /* if it is not answered yet, the handler has taken a reference */
}

/* Does what the parser's state requires after bytes have been read: a head or a request may have
 * become complete, or the request may be invalid. */
static void http_advance(struct http_conn *conn)
{
	struct http_exchange *request = conn->request;

	if (!request || (conn->is_answering && !request->awaits_body))
		return;
	switch ((enum http_parse_state)request->parse.state) {
	case HTTP_PARSE_HEAD:
		break;
	case HTTP_PARSE_BODY:
		if (request->awaits_body && !request->piece_handler)
			break;
		if (request->awaits_body)
			http_body_pass_on(conn);
		else if (conn->server->settings.at_head)
			http_handle_request(conn);
		else if (http_body_begin(conn) != 0)
			http_refuse(conn, 503, http_body_no_room);
		break;
	case HTTP_PARSE_DONE:
		if (request->piece_handler) {
			http_body_pass_on(conn);
			break;
		}
		request->awaits_body = false;
		if (!request->body_handler) {
			http_handle_request(conn);
			break;
		}
		timer_clear(&conn->server->loop->timers, &conn->timer);
		http_set_public(request);
		request->body_handler(request->body_arg);
		break;
	case HTTP_PARSE_FAILED:
		http_refuse(conn, request->parse.status, request->parse.reason);
		break;
	}
}

/* Whether nothing can be parsed now: while a request is being answered, while the client does not
 * read the answers that were sent, or while the handler of a body takes no more of it. */
static bool http_is_busy(const struct http_conn *conn)
{
	if (http_awaits_body(conn))
		return conn->request->is_body_held;
	return conn->is_answering || stream_is_full(conn->stream);
}

/* Whether bytes that arrive must be kept for later. */
static bool http_must_wait(const struct http_conn *conn)
{
	return conn->early.len > 0 || http_is_busy(conn);
}

static size_t http_early_max(const struct http_conn *conn)
{
	return conn->keyless.all ? 0 : HTTP_EARLY_PAUSE;
}

static void http_keep_early(struct http_conn *conn, const char *bytes, size_t n)
{
	if (n == 0)
		return;
	if (buf_append(&conn->early, bytes, n) != 0) {
		stream_abort(conn->stream, ENOMEM);
		return;
	}
	if (conn->early.len > http_early_max(conn))
		stream_pause(conn->stream, true);
}

static void http_on_end(struct http_conn *conn)
{
	conn->is_ended = true;
	/* A client that has closed only its sending end can still read, so the answer is sent. */
	if (conn->is_answering && conn->request && !http_awaits_body(conn))
		http_report_gone(conn->request);
	else if (!http_must_wait(conn))
		stream_close(conn->stream);
}

static void http_on_read(void *arg, char *bytes, size_t n)
{
	struct http_conn *conn = arg;
	size_t used;

	if (conn->is_closing)
		return;
	if (n == 0) {
		http_on_end(conn);
		return;
	}
	mem_ref(conn); /* it is freed when it becomes a WebSocket */
	used = http_must_wait(conn) ? 0 : http_read_request(conn, bytes, n);
	http_keep_early(conn, bytes + used, n - used);
	http_count_bytes(conn);
	if (used > 0)
		http_advance(conn);
	mem_deref(conn);
}

/* Parses the next request, or the body of the current one, from bytes that arrived early. */
static void http_process_early(void *arg)
{
	struct http_conn *conn = arg;
	size_t used;

	mem_ref(conn); /* it is freed when it becomes a WebSocket */
	if (!conn->is_closing && http_awaits_body(conn) && conn->request->piece_handler)
		http_advance(conn); /* its handler may take what it has left before */
	if (conn->is_closing || http_is_busy(conn)) {
		mem_deref(conn);
		return;
	}
	if (conn->early.len > 0) {
		used = http_read_request(conn, conn->early.bytes, conn->early.len);
		buf_consume(&conn->early, used);
	}
	if (conn->early.len == 0)
		buf_reset(&conn->early);
	if (conn->early.len <= http_early_max(conn))
		stream_pause(conn->stream, false);
	http_count_bytes(conn);
	http_advance(conn);
	if (conn->is_ended && !conn->is_closing && !http_must_wait(conn))
		stream_close(conn->stream);
	mem_deref(conn);
}

static void http_on_stream_filled(void *arg)
{
	struct http_conn *conn = arg;
	struct http_exchange *request = conn->request;

	if (conn->is_answering && request && request->full)
		request->full(request->full_arg, true);
}

static void http_on_stream_drained(void *arg)
{
	struct http_conn *conn = arg;
	struct http_exchange *request = conn->request;

	if (conn->is_answering && request && request->full)
		request->full(request->full_arg, false);
	else
		http_conn_continue(conn);
}

static void http_on_stream_sent(void *arg, uint64_t tag)
{
	struct http_conn *conn = arg;
	struct http_exchange *request = conn->request;

	if (conn->is_answering && request && request->sent)
		request->sent(request->sent_arg, tag);
}

static void http_on_closed(void *arg, int err)
{
	(void)err;
	http_conn_remove(arg);
}

static const struct stream_handlers stream_handlers = {.read = http_on_read,
						       .filled = http_on_stream_filled,
						       .drained = http_on_stream_drained,
						       .sent = http_on_stream_sent,
						       .closed = http_on_closed};

bool http_conn_must_end(const struct http_exchange *request)
{
	size_t left = http_parse_body_left(&request->parse);

	return left > 0 &&
	       (left > HTTP_SKIP_MAX || request->parse.wants_continue || request->awaits_body);
}

void http_conn_answered(struct http_conn *conn, struct http_exchange *request)
{
	bool stays_open = request->parse.keeps_alive && !request->must_close &&
			  !http_conn_must_end(request) && !conn->server->is_draining &&
			  (!conn->is_ended || conn->early.len > 0);

	conn->request = NULL;
	request->conn = NULL;
	request->gone = NULL;
	http_count_bytes(conn);
	conn->is_answering = false;
	conn->has_answered = true;
	if (!stays_open) {
		conn->is_closing = true;
		stream_close(conn->stream);
		return;
	}
	conn->skip = (uint32_t)http_parse_body_left(&request->parse);
	http_set_timer(conn, HTTP_IDLE_MS);
	http_conn_continue(conn);
}

void http_accept(void *arg, int fd)
{
	struct http_server *server = arg;
	struct http_conn *conn = NULL;
	int err;

	if (server->is_stopped) {
		close(fd);
		return;
	}
	conn = mem_zalloc(sizeof(*conn), http_conn_destroy);
	if (!conn) {
		close(fd);
		return;
	}
	conn->server = mem_ref(server);
	buf_init(&conn->early, HTTP_EARLY_MAX);
	err = stream_alloc(&conn->stream, server->loop, fd, server->settings.tls, &stream_handlers,
			   conn);
	if (err) {
		log_warn("net", "a new connection was refused: %s", strerror(err));
		mem_deref(conn);
		return;
	}
	list_append(&server->conns, &conn->link);
	keyless_join(&server->keyless, &conn->keyless, http_evict);
	stream_set_keyless(conn->stream, &conn->keyless);
	stream_set_read_max(conn->stream, KEYLESS_READ_MAX);
	http_set_timer(conn, HTTP_HEAD_MS);
}

size_t http_conn_count(const struct http_server *server)
{
	return server->conns.count;
}

static bool http_is_idle(const struct http_conn *conn)
{
	return !conn->request && !conn->is_answering && conn->early.len == 0;
}

static void http_close_conn(struct http_conn *conn)
{
	if (conn->is_closing)
		return;
	conn->is_closing = true;
	stream_close(conn->stream);
}

void http_server_drain(struct http_server *server)
{
	server->is_draining = true;
	for (struct link *l = list_first(&server->conns); l; l = list_next(&server->conns, l)) {
		struct http_conn *conn = LIST_OBJECT(l, struct http_conn, link);

		if (conn->has_answered && http_is_idle(conn))
			http_close_conn(conn);
	}
}

void http_server_close_unasked(struct http_server *server)
{
	for (struct link *l = list_first(&server->conns); l; l = list_next(&server->conns, l)) {
		struct http_conn *conn = LIST_OBJECT(l, struct http_conn, link);

		if (!conn->is_answering || http_awaits_body(conn))
			http_close_conn(conn);
	}
}

void http_server_stop(struct http_server *server)
{
	server->is_stopped = true;
	for (struct link *l = list_first(&server->conns); l; l = list_next(&server->conns, l))
		stream_abort(LIST_OBJECT(l, struct http_conn, link)->stream, ECONNABORTED);
}
