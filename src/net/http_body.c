/*
 * http_body.c: reads the bodies of requests, as a whole or in pieces (see http.h).
 *
 * In both cases the parser collects the body.  A handler of pieces takes it out again after each read
 * of the connection, so the parser holds no more than one read; what the handler leaves there stops
 * the connection.  Runs on the loop's thread.
 */
#include <assert.h>
#include <errno.h>

#include "base/mem.h"
#include "net/http_conn.h"

const char http_body_no_room[] = "too many large requests at once";

static int http_body_count(struct http_exchange *request)
{
	struct http_server *server = request->conn->server;
	bool is_streamed = request->piece_handler != NULL;

	if (!is_streamed && request->parse.body.max - 1 <= server->settings.body_max)
		return 0;
	if (is_streamed ? server->streamed_bodies == HTTP_STREAMED_BODIES_MAX
			: server->large_bodies == HTTP_LARGE_BODIES_MAX)
		return EBUSY;
	request->counter = is_streamed ? &server->streamed_bodies : &server->large_bodies;
	request->counted_by = mem_ref(server);
	++*request->counter;
	return 0;
}

void http_body_uncount(struct http_exchange *request)
{
	if (request->counter)
		--*request->counter;
	request->counter = NULL;
	request->counted_by = mem_deref(request->counted_by);
}

int http_body_begin(struct http_conn *conn)
{
	static const char proceed[] = "HTTP/1.1 100 Continue\r\n\r\n";
	struct http_exchange *request = conn->request;
	struct outgoing *message = NULL;

	if (http_body_count(request) != 0)
		return EBUSY;
	request->awaits_body = true;
	http_conn_set_timer(conn, HTTP_BODY_MS * UINT64_C(1000));
	if (request->parse.wants_continue && conn->early.len == 0) {
		request->parse.wants_continue = false;
		message = outgoing_copy(proceed, sizeof(proceed) - 1);
	}
	if (message)
		stream_queue(conn->stream, message);
	http_conn_continue(conn);
	return 0;
}

/* Begins to read the body with the handlers that are set; returns what http_read_body does. */
static int http_body_read(struct http_exchange *request)
{
	if (!request->conn)
		return ECONNRESET;
	if (request->parse.state == HTTP_PARSE_DONE)
		return 0;
	if (http_body_begin(request->conn) == 0)
		return EINPROGRESS;
	request->must_close = true;
	http_reply_error(&request->public, 503, http_body_no_room);
	return EBUSY;
}

int http_read_body(struct http_request *request, http_body_h *handler, void *arg)
{
	struct http_exchange *own = http_exchange_of(request);

	own->body_handler = handler;
	own->body_arg = arg;
	return http_body_read(own);
}

int http_stream_body(struct http_request *request, http_piece_h *handler, void *arg)
{
	struct http_exchange *own = http_exchange_of(request);

	own->piece_handler = handler;
	own->body_arg = arg;
	return http_body_read(own);
}

void http_resume_body(struct http_request *request)
{
	struct http_exchange *own = http_exchange_of(request);

	own->is_body_held = false;
	if (own->conn && own->awaits_body)
		http_conn_continue(own->conn);
}

/* The client is not slow while we do not read. */
static void http_body_stop_clock(struct http_conn *conn)
{
	struct timers *timers = &conn->server->loop->timers;
	uint64_t due_us = conn->timer.due_us;

	if (!timer_is_set(&conn->timer))
		return;
	conn->request->body_left_us = due_us > timers->now_us ? due_us - timers->now_us : 0;
	timer_clear(timers, &conn->timer);
}

static void http_body_run_clock(struct http_conn *conn)
{
	struct http_exchange *request = conn->request;
	size_t len = http_parse_body_len(&request->parse);

	if (len - request->body_timed >= HTTP_STREAMED_PACE) {
		request->body_timed = len;
		http_conn_set_timer(conn, HTTP_BODY_MS * UINT64_C(1000));
	} else if (!timer_is_set(&conn->timer)) {
		http_conn_set_timer(conn, request->body_left_us);
	}
}

void http_body_pass_on(struct http_conn *conn)
{
	struct http_exchange *request = conn->request;
	struct buf *body = &request->parse.body;

	mem_ref(request); /* the handler may answer it */
	while (body->len > 0 && !request->is_body_held && request->conn) {
		size_t taken;

		request->is_body_held = true; /* http_resume_body may be called meanwhile */
		taken = request->piece_handler(request->body_arg, body->bytes, body->len);
		assert(taken <= body->len);
		if (taken == body->len)
			request->is_body_held = false;
		http_parse_take_body(&request->parse, taken);
	}
	if (!request->conn) {
		mem_deref(request);
		return;
	}
	if (request->is_body_held) {
		http_body_stop_clock(conn);
	} else if (request->parse.state == HTTP_PARSE_BODY) {
		http_body_run_clock(conn);
	} else {
		timer_clear(&conn->server->loop->timers, &conn->timer);
		request->awaits_body = false;
		http_body_uncount(request);
		buf_reset(body);
		request->piece_handler(request->body_arg, "", 0);
	}
	mem_deref(request);
}
