/*
 * http.c: connections of the HTTP server (see http.h).
 *
 *   wait (idle timer) -> read head (head timer) -> read body (body timer)
 *     -> handler -> answered -> wait, or the next of the bytes that wait
 */
#include "net/http.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "net/http_conn.h"

/* What a client may send ahead while it is answered, before reading stops. */
#define WAITING_PAUSE HTTP_HEAD_MAX
#define WAITING_MAX (WAITING_PAUSE + 64u * 1024u) /* and one read more */

static void process_waiting(void *arg);

static void server_destroy(void *object)
{
	struct http_server *server = object;

	loop_undefer(server->loop, &server->emptied);
	mem_deref(server->settings.tls);
}

int http_server_alloc(struct http_server **serverp, struct loop *loop,
		      const struct http_settings *settings)
{
	struct http_server *server = mem_zalloc(sizeof(*server), server_destroy);

	if (!server)
		return ENOMEM;
	server->loop = loop;
	server->settings = *settings;
	if (server->settings.body_max == 0)
		server->settings.body_max = HTTP_BODY_MAX;
	mem_ref(server->settings.tls);
	list_init(&server->conns);
	*serverp = server;
	return 0;
}

static void request_destroy(void *object)
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

static void conn_destroy(void *object)
{
	struct http_conn *conn = object;

	buf_reset(&conn->waiting);
	mem_deref(conn->server);
}

/* Tells whoever answers that nobody will read it. */
static void tell_gone(struct request *request)
{
	http_gone_h *gone = request->gone;

	request->gone = NULL;
	if (gone)
		gone(request->gone_arg);
}

/* Takes the request off its connection; the one being read dies here. */
static void part_with_request(struct http_conn *conn)
{
	struct request *request = conn->request;

	if (!request)
		return;
	conn->request = NULL;
	request->conn = NULL;
	if (conn->is_answering) {
		mem_ref(request); /* whoever answers may let it go when he is told */
		request->ended = conn->stream;
		tell_gone(request);
		request->ended = NULL;
	}
	mem_deref(request);
}

static void tell_empty(void *arg)
{
	struct http_server *server = arg;

	if (server->conns.count == 0)
		server->settings.empty(server->settings.arg);
}

void http_conn_leave(struct http_conn *conn)
{
	struct http_server *server = conn->server;

	timer_clear(&server->loop->timers, &conn->timer);
	loop_undefer(server->loop, &conn->next);
	list_remove(&server->conns, &conn->link);
	/* Later: it may be becoming a WebSocket, which its owner does not have yet. */
	if (server->conns.count == 0 && server->settings.empty)
		loop_defer(server->loop, &server->emptied, tell_empty, server);
	part_with_request(conn);
	mem_deref(conn);
}

static void on_timer(void *arg)
{
	struct http_conn *conn = arg;
	struct request *request = conn->request;

	if (!request) {
		conn->is_closing = true;
		stream_close(conn->stream);
		return;
	}
	conn->is_answering = true;
	request->must_close = true;
	http_reply_error(&request->public, 408, "the request took too long");
	mem_deref(request);
}

static void set_timer(struct http_conn *conn, unsigned ms)
{
	timer_set(&conn->server->loop->timers, &conn->timer, ms * UINT64_C(1000), on_timer, conn);
}

static int body_max_of(size_t *max, const struct http_parse *parse, void *arg)
{
	struct request *request = arg;
	struct http_server *server = request->conn->server;
	size_t own = server->settings.body_max_of(http_parse_method(parse), http_parse_path(parse),
						  server->settings.arg);

	if (own <= *max)
		return 0;
	if (server->large_bodies == HTTP_LARGE_BODIES_MAX)
		return EBUSY;
	++server->large_bodies;
	request->room = mem_ref(server);
	*max = own;
	return 0;
}

static int begin_request(struct http_conn *conn)
{
	const struct http_settings *settings = &conn->server->settings;
	struct request *request = mem_zalloc(sizeof(*request), request_destroy);

	if (!request)
		return ENOMEM;
	http_parse_init(&request->parse, HTTP_HEAD_MAX, settings->body_max);
	request->parse.body_max_of = settings->body_max_of ? body_max_of : NULL;
	request->parse.arg = request;
	buf_init(&request->headers, HTTP_HEAD_MAX);
	request->conn = conn;
	conn->request = request;
	set_timer(conn, HTTP_HEAD_MS);
	return 0;
}

static void send_continue(struct http_conn *conn)
{
	static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
	struct outgoing *message = outgoing_copy(text, sizeof(text) - 1);

	if (message)
		stream_queue(conn->stream, message);
}

/* Reads from bytes up to the end of one request; gives how many it took. */
static size_t read_request(struct http_conn *conn, const char *bytes, size_t n)
{
	size_t used = 0;
	struct http_parse *parse;

	if (!conn->request && begin_request(conn) != 0) {
		stream_abort(conn->stream, ENOMEM);
		conn->is_closing = true;
		return n;
	}
	parse = &conn->request->parse;
	while (used < n && parse->state <= HTTP_PARSE_BODY) {
		uint8_t before = parse->state;

		used += http_parse_feed(parse, bytes + used, n - used);
		if (before == HTTP_PARSE_HEAD && parse->state == HTTP_PARSE_BODY)
			set_timer(conn, HTTP_BODY_MS);
	}
	if (parse->state == HTTP_PARSE_BODY && parse->wants_continue) {
		parse->wants_continue = false;
		send_continue(conn);
	}
	return used;
}

/* Hands a request that has been read, well or not, to whoever answers it. */
static void handle_request(struct http_conn *conn)
{
	struct request *request = conn->request;
	struct http_settings *settings = &conn->server->settings;
	struct http_parse *parse = &request->parse;

	timer_clear(&conn->server->loop->timers, &conn->timer);
	conn->is_answering = true;
	if (parse->state == HTTP_PARSE_FAILED) {
		request->must_close = true;
		http_reply_error(&request->public, parse->status, parse->reason);
	} else {
		request->public.method = http_parse_method(parse);
		request->public.path = http_parse_path(parse);
		request->public.query = http_parse_query(parse);
		request->public.body = parse->body.bytes;
		request->public.body_len = parse->body.len;
		settings->request(&request->public, settings->arg);
	}
	mem_deref(request); /* answered, or kept by the handler */
}

static bool request_is_read(const struct http_conn *conn)
{
	return conn->request && conn->request->parse.state >= HTTP_PARSE_DONE;
}

/* True while what comes must wait: for an answer, or for a client that does
 * not read the answers it got. */
static bool must_wait(const struct http_conn *conn)
{
	return conn->is_answering || stream_is_full(conn->stream) || conn->waiting.len > 0;
}

static void keep_waiting(struct http_conn *conn, const char *bytes, size_t n)
{
	if (n == 0)
		return;
	if (buf_append(&conn->waiting, bytes, n) != 0) {
		stream_abort(conn->stream, ENOMEM);
		return;
	}
	if (conn->waiting.len > WAITING_PAUSE)
		stream_pause(conn->stream, true);
}

static void on_end(struct http_conn *conn)
{
	conn->is_ended = true;
	if (conn->is_answering && conn->request)
		tell_gone(conn->request); /* it may still read: the answer is sent */
	else if (!must_wait(conn))
		stream_close(conn->stream);
}

static void on_read(void *arg, char *bytes, size_t n)
{
	struct http_conn *conn = arg;
	size_t used;

	if (conn->is_closing)
		return;
	if (n == 0) {
		on_end(conn);
		return;
	}
	if (must_wait(conn)) {
		keep_waiting(conn, bytes, n);
		return;
	}
	used = read_request(conn, bytes, n);
	keep_waiting(conn, bytes + used, n - used);
	if (request_is_read(conn))
		handle_request(conn);
}

/* The next request among the bytes that came while the last was answered. */
static void process_waiting(void *arg)
{
	struct http_conn *conn = arg;
	size_t used;

	if (conn->is_closing || conn->is_answering || stream_is_full(conn->stream))
		return;
	if (conn->waiting.len > 0) {
		used = read_request(conn, conn->waiting.bytes, conn->waiting.len);
		buf_consume(&conn->waiting, used);
	}
	if (conn->waiting.len == 0)
		buf_reset(&conn->waiting);
	if (conn->waiting.len <= WAITING_PAUSE)
		stream_pause(conn->stream, false);
	if (request_is_read(conn))
		handle_request(conn);
	else if (conn->is_ended)
		stream_close(conn->stream);
}

static void on_drained(void *arg)
{
	struct http_conn *conn = arg;
	struct request *request = conn->request;

	if (conn->is_answering && request && request->drained)
		request->drained(request->drained_arg);
	else
		loop_defer(conn->server->loop, &conn->next, process_waiting, conn);
}

static void on_sent(void *arg, uint64_t tag)
{
	struct http_conn *conn = arg;
	struct request *request = conn->request;

	if (conn->is_answering && request && request->sent)
		request->sent(request->sent_arg, tag);
}

static void on_closed(void *arg, int err)
{
	(void)err;
	http_conn_leave(arg);
}

static const struct stream_handlers stream_handlers = {
	.read = on_read, .drained = on_drained, .sent = on_sent, .closed = on_closed};

void http_conn_answered(struct http_conn *conn, struct request *request)
{
	bool goes_on = request->parse.keeps_alive && !request->must_close &&
		       !conn->server->is_draining && (!conn->is_ended || conn->waiting.len > 0);

	conn->request = NULL;
	request->conn = NULL;
	request->gone = NULL;
	conn->is_answering = false;
	conn->has_answered = true;
	if (!goes_on) {
		conn->is_closing = true;
		stream_close(conn->stream);
		return;
	}
	set_timer(conn, HTTP_IDLE_MS);
	loop_defer(conn->server->loop, &conn->next, process_waiting, conn);
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
	conn = mem_zalloc(sizeof(*conn), conn_destroy);
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
	set_timer(conn, HTTP_HEAD_MS);
}

size_t http_conn_count(const struct http_server *server)
{
	return server->conns.count;
}

static bool is_idle(const struct http_conn *conn)
{
	return !conn->request && !conn->is_answering && conn->waiting.len == 0;
}

size_t http_idle_count(const struct http_server *server)
{
	size_t count = 0;

	for (struct link *l = list_first(&server->conns); l; l = list_next(&server->conns, l))
		count += is_idle(LIST_OBJECT(l, struct http_conn, link));
	return count;
}

static void close_conn(struct http_conn *conn)
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

		if (conn->has_answered && is_idle(conn))
			close_conn(conn);
	}
}

void http_server_close_unasked(struct http_server *server)
{
	for (struct link *l = list_first(&server->conns); l; l = list_next(&server->conns, l)) {
		struct http_conn *conn = LIST_OBJECT(l, struct http_conn, link);

		if (!conn->is_answering)
			close_conn(conn);
	}
}

void http_server_stop(struct http_server *server)
{
	server->is_stopped = true;
	for (struct link *l = list_first(&server->conns); l; l = list_next(&server->conns, l))
		stream_abort(LIST_OBJECT(l, struct http_conn, link)->stream, ECONNABORTED);
}
