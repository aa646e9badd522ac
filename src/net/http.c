/*
 * http.c: connections of the HTTP server (see http.h).
 *
 *   wait (idle timer) -> read head (head timer) -> read body (body timer)
 *     -> handler -> answered -> wait, or the next of the bytes that wait
 *
 * With settings.at_head the handler is called before the body is read, and asks for it.
 */
#include "net/http.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "net/http_conn.h"

/* What a client may send ahead while a request is being answered, before reading stops.  An
 * unauthenticated client may send ahead only what came in one read (KEYLESS_READ_MAX). */
#define WAITING_PAUSE HTTP_HEAD_MAX
#define WAITING_MAX (WAITING_PAUSE + STREAM_READ_MAX)

static void http_process_waiting(void *arg);

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
	struct request *request = object;

	if (request->conn)
		http_reply_missing(request);
	http_parse_reset(&request->parse);
	buf_reset(&request->headers);
	if (request->room)
		--request->room->large_bodies;
	mem_deref(request->room);
}

static void http_conn_destroy(void *object)
{
	struct http_conn *conn = object;

	buf_reset(&conn->waiting);
	mem_deref(conn->server);
}

/* Notifies the handler that answers the request that nobody will read the answer. */
static void http_report_gone(struct request *request)
{
	http_gone_h *gone = request->gone;

	request->gone = NULL;
	if (gone)
		gone(request->gone_arg);
}

/* Detaches the request from its connection; one that is still being read is freed. */
static void http_part_with_request(struct http_conn *conn)
{
	struct request *request = conn->request;

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

static void http_admit(struct http_conn *conn)
{
	stream_set_keyless(conn->stream, NULL);
	keyless_leave(&conn->keyless);
	stream_set_read_max(conn->stream, STREAM_READ_MAX);
}

static void http_count_bytes(struct http_conn *conn)
{
	const struct request *request = conn->request;
	size_t bytes = conn->waiting.size;

	if (request)
		bytes += sizeof(*request) + request->parse.head.size + request->parse.body.size +
			 request->headers.size;
	keyless_count(&conn->keyless, bytes);
}

/* Frees memory that is needed at once.  A client in the middle of a request is told so, as far as
 * the kernel accepts the answer immediately. */
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
	http_part_with_request(conn);
	buf_reset(&conn->waiting);
	stream_evict(conn->stream, ECONNABORTED);
}

struct keyless *http_keyless(struct http_server *server)
{
	return &server->keyless;
}

void http_present_key(struct http_request *request)
{
	struct http_conn *conn = request_of(request)->conn;

	if (!conn)
		return;
	http_admit(conn);
	/* The client may send ahead again, and its end must be noticed. */
	if (conn->waiting.len <= WAITING_PAUSE)
		stream_pause(conn->stream, false);
}

void http_conn_leave(struct http_conn *conn)
{
	struct http_server *server = conn->server;

	timer_clear(&server->loop->timers, &conn->timer);
	loop_undefer(server->loop, &conn->next);
	http_admit(conn);
	conn->is_closing = true; /* the stream was handed over or closed */
	list_remove(&server->conns, &conn->link);
	/* Deferred, because the connection may be becoming a WebSocket, which its owner does not
	 * have yet. */
	if (server->conns.count == 0 && server->settings.empty)
		loop_defer(server->loop, &server->emptied, http_report_empty, server);
	http_part_with_request(conn);
	mem_deref(conn);
}

/* Answers a request that could not be read completely.  A handler that waits for the body is
 * notified that the client is gone, because there is nothing left for it to answer. */
static void http_refuse(struct http_conn *conn, int status, const char *reason)
{
	struct request *request = conn->request;
	bool is_held = conn->is_answering; /* by the handler that waits for the body */
	http_gone_h *gone = request->gone;
	void *gone_arg = request->gone_arg;

	mem_ref(request);
	conn->is_answering = true;
	request->must_close = true;
	request->awaits_body = false;
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

static void http_set_timer(struct http_conn *conn, unsigned ms)
{
	timer_set(&conn->server->loop->timers, &conn->timer, ms * UINT64_C(1000), http_on_timer,
		  conn);
}

static size_t http_body_max_of(const struct http_parse *parse, void *arg)
{
	const struct request *request = arg;
	const struct http_settings *settings = &request->conn->server->settings;

	return settings->body_max_of(http_parse_method(parse), http_parse_path(parse),
				     settings->arg);
}

/* Reserves a place for a large body if this may be one; returns false if there is none left. */
static bool http_take_room(struct request *request)
{
	struct http_server *server = request->conn->server;

	if (request->parse.body.max - 1 <= server->settings.body_max)
		return true;
	if (server->large_bodies == HTTP_LARGE_BODIES_MAX)
		return false;
	++server->large_bodies;
	request->room = mem_ref(server);
	return true;
}

static int http_begin_request(struct http_conn *conn)
{
	const struct http_settings *settings = &conn->server->settings;
	struct request *request = mem_zalloc(sizeof(*request), http_request_destroy);

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

static void http_send_continue(struct http_conn *conn)
{
	static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
	struct outgoing *message = outgoing_copy(text, sizeof(text) - 1);

	if (message)
		stream_queue(conn->stream, message);
}

static bool http_awaits_body(const struct http_conn *conn)
{
	return conn->request && conn->request->awaits_body;
}

/* Reads up to the end of a head or of a request; returns the number of bytes read. */
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

/* From here on, the bytes of the connection are the body of its request.  EBUSY if there is no
 * place for it. */
static int http_begin_body(struct http_conn *conn)
{
	struct request *request = conn->request;

	if (!http_take_room(request))
		return EBUSY;
	request->awaits_body = true;
	http_set_timer(conn, HTTP_BODY_MS);
	if (request->parse.wants_continue && conn->waiting.len == 0) {
		request->parse.wants_continue = false;
		http_send_continue(conn);
	}
	loop_defer(conn->server->loop, &conn->next, http_process_waiting, conn);
	return 0;
}

static const char no_room[] = "too many large requests at once";

int http_read_body(struct http_request *request, http_body_h *handler, void *arg)
{
	struct request *own = request_of(request);

	if (!own->conn)
		return ECONNRESET;
	if (own->parse.state == HTTP_PARSE_DONE)
		return 0;
	if (http_begin_body(own->conn) != 0) {
		own->must_close = true;
		http_reply_error(request, 503, no_room);
		return EBUSY;
	}
	own->body_handler = handler;
	own->body_arg = arg;
	return EINPROGRESS;
}

static void http_set_public(struct request *request)
{
	const struct http_parse *parse = &request->parse;

	request->public.method = http_parse_method(parse);
	request->public.path = http_parse_path(parse);
	request->public.query = http_parse_query(parse);
	request->public.body = parse->body.bytes;
	request->public.body_len = parse->body.len;
}

/* Passes a request of which enough has been read to its handler. */
static void http_handle_request(struct http_conn *conn)
{
	struct request *request = conn->request;
	struct http_settings *settings = &conn->server->settings;

	timer_clear(&conn->server->loop->timers, &conn->timer);
	http_set_public(request);
	conn->is_answering = true;
	settings->request(&request->public, settings->arg);
	mem_deref(request); /* answered, or kept by the handler */
}

static void http_give_body(struct http_conn *conn)
{
	struct request *request = conn->request;

	timer_clear(&conn->server->loop->timers, &conn->timer);
	request->awaits_body = false;
	if (!request->body_handler) {
		http_handle_request(conn);
		return;
	}
	http_set_public(request);
	request->body_handler(request->body_arg);
}

/* The bytes so far may be a head, a complete request, or invalid. */
static void http_act(struct http_conn *conn)
{
	struct request *request = conn->request;

	if (!request || (conn->is_answering && !request->awaits_body))
		return;
	if (request->parse.state == HTTP_PARSE_FAILED)
		http_refuse(conn, request->parse.status, request->parse.reason);
	else if (request->parse.state == HTTP_PARSE_DONE && request->awaits_body)
		http_give_body(conn);
	else if (request->parse.state == HTTP_PARSE_DONE ||
		 (request->parse.state == HTTP_PARSE_BODY && !request->awaits_body &&
		  conn->server->settings.at_head))
		http_handle_request(conn);
	else if (request->parse.state == HTTP_PARSE_BODY && !request->awaits_body &&
		 http_begin_body(conn) != 0)
		http_refuse(conn, 503, no_room);
}

/* Returns true while what arrives must wait: for an answer to be given, or for a client that does
 * not read the answers that it got. */
static bool http_must_wait(const struct http_conn *conn)
{
	if (conn->waiting.len > 0)
		return true;
	return !http_awaits_body(conn) && (conn->is_answering || stream_is_full(conn->stream));
}

static size_t http_waiting_pause(const struct http_conn *conn)
{
	return conn->keyless.all ? 0 : WAITING_PAUSE;
}

static void http_keep_waiting(struct http_conn *conn, const char *bytes, size_t n)
{
	if (n == 0)
		return;
	if (buf_append(&conn->waiting, bytes, n) != 0) {
		stream_abort(conn->stream, ENOMEM);
		return;
	}
	if (conn->waiting.len > http_waiting_pause(conn))
		stream_pause(conn->stream, true);
}

static void http_on_end(struct http_conn *conn)
{
	conn->is_ended = true;
	if (conn->is_answering && conn->request && !http_awaits_body(conn))
		http_report_gone(
			conn->request); /* the client may still read, so the answer is sent */
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
	mem_ref(conn); /* it may become a WebSocket */
	used = http_must_wait(conn) ? 0 : http_read_request(conn, bytes, n);
	http_keep_waiting(conn, bytes + used, n - used);
	http_count_bytes(conn);
	if (used > 0)
		http_act(conn);
	mem_deref(conn);
}

/* Parses the next request, or the body of this one, from bytes that arrived early. */
static void http_process_waiting(void *arg)
{
	struct http_conn *conn = arg;
	size_t used;

	if (conn->is_closing)
		return;
	if (!http_awaits_body(conn) && (conn->is_answering || stream_is_full(conn->stream)))
		return;
	if (conn->waiting.len > 0) {
		used = http_read_request(conn, conn->waiting.bytes, conn->waiting.len);
		buf_consume(&conn->waiting, used);
	}
	if (conn->waiting.len == 0)
		buf_reset(&conn->waiting);
	if (conn->waiting.len <= http_waiting_pause(conn))
		stream_pause(conn->stream, false);
	http_count_bytes(conn);
	mem_ref(conn); /* it may become a WebSocket */
	http_act(conn);
	if (conn->is_ended && !conn->is_closing && !http_must_wait(conn))
		stream_close(conn->stream);
	mem_deref(conn);
}

static void http_on_stream_filled(void *arg)
{
	struct http_conn *conn = arg;
	struct request *request = conn->request;

	if (conn->is_answering && request && request->full)
		request->full(request->full_arg, true);
}

static void http_on_stream_drained(void *arg)
{
	struct http_conn *conn = arg;
	struct request *request = conn->request;

	if (conn->is_answering && request && request->full)
		request->full(request->full_arg, false);
	else
		loop_defer(conn->server->loop, &conn->next, http_process_waiting, conn);
}

static void http_on_stream_sent(void *arg, uint64_t tag)
{
	struct http_conn *conn = arg;
	struct request *request = conn->request;

	if (conn->is_answering && request && request->sent)
		request->sent(request->sent_arg, tag);
}

static void http_on_closed(void *arg, int err)
{
	(void)err;
	http_conn_leave(arg);
}

static const struct stream_handlers stream_handlers = {.read = http_on_read,
						       .filled = http_on_stream_filled,
						       .drained = http_on_stream_drained,
						       .sent = http_on_stream_sent,
						       .closed = http_on_closed};

bool http_conn_must_end(const struct request *request)
{
	size_t left = http_parse_body_left(&request->parse);

	return left > 0 &&
	       (left > HTTP_SKIP_MAX || request->parse.wants_continue || request->awaits_body);
}

void http_conn_answered(struct http_conn *conn, struct request *request)
{
	bool goes_on = request->parse.keeps_alive && !request->must_close &&
		       !http_conn_must_end(request) && !conn->server->is_draining &&
		       (!conn->is_ended || conn->waiting.len > 0);

	conn->request = NULL;
	request->conn = NULL;
	request->gone = NULL;
	http_count_bytes(conn);
	conn->is_answering = false;
	conn->has_answered = true;
	if (!goes_on) {
		conn->is_closing = true;
		stream_close(conn->stream);
		return;
	}
	conn->skip = (uint32_t)http_parse_body_left(&request->parse);
	http_set_timer(conn, HTTP_IDLE_MS);
	loop_defer(conn->server->loop, &conn->next, http_process_waiting, conn);
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
	buf_init(&conn->waiting, WAITING_MAX);
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
	return !conn->request && !conn->is_answering && conn->waiting.len == 0;
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
