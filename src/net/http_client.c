/*
 * http_client.c: a client for HTTP/1.1 (see http_client.h).
 *
 *   call ── http_client_begin (deferred) ──> an idle connection, or a new one:
 *           dialer.c: resolve ─> connect ─> TLS; then here: request ─> answer
 *
 * A connection is on one of the client's two lists, and serves one call at a time; either can end
 * without the other.  A server may close an idle connection just when we use it again.  If that
 * happens before a byte of the answer has arrived, the request is sent once more on a new
 * connection.  Everything runs on the loop's thread.
 */
#include "net/http_client.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/mem.h"
#include "net/dialer.h"
#include "net/stream.h"

#define REQUEST_MAX (8u * 1024u * 1024u) /* a history of a megabyte, every byte escaped */
#define WHY_SIZE 512

struct http_client {
	struct loop *loop;
	struct dialer *dialer;
	struct list busy;
	struct list idle; /* the connection that has been idle longest is first */
};

struct http_client_conn {
	struct link link;
	struct http_client *client;
	struct http_call *call; /* NULL: the connection is idle */
	struct dialing *dialing; /* NULL: it is open */
	struct stream *stream; /* NULL: it is not open yet */
	struct timer timer; /* the limit for being idle, or for a detached call */
	struct http_client_parse parse;
	struct url url;
	size_t received; /* bytes of this answer */
	bool is_used; /* it has served a call before */
};

struct http_call {
	struct http_client *client;
	struct http_client_conn *connection;
	struct deferred begin;
	const struct http_call_handlers *handlers;
	void *arg;
	struct buf request;
	struct url url;
	uint32_t connect_ms;
	size_t answer_max;
	bool has_failed_once; /* on a reused connection, so it must be sent on a new one */
};

static void http_client_on_read(void *arg, char *bytes, size_t n);
static void http_client_on_closed(void *arg, int err);

static const struct stream_handlers http_client_stream_handlers = {.read = http_client_on_read,
								   .closed = http_client_on_closed};

static void http_client_on_head(const struct http_client_parse *parse, void *arg);
static void http_client_on_body(const char *bytes, size_t n, void *arg);

static const struct http_client_parse_handlers http_client_answer_handlers = {
	.head = http_client_on_head, .body = http_client_on_body};

static struct timers *http_client_timers_of(const struct http_client_conn *connection)
{
	return &connection->client->loop->timers;
}

static void http_client_close_stream(struct http_client_conn *connection)
{
	if (!connection->stream)
		return;
	stream_set_handlers(connection->stream, NULL, NULL);
	stream_abort(connection->stream, 0);
	connection->stream = NULL;
}

static void http_client_connection_destroy(void *object)
{
	struct http_client_conn *connection = object;

	http_client_parse_reset(&connection->parse);
}

/* Closes the connection and detaches its call, whose handlers are not called. */
static void http_client_drop(struct http_client_conn *connection)
{
	struct http_client *client = connection->client;

	timer_clear(http_client_timers_of(connection), &connection->timer);
	connection->dialing = mem_deref(connection->dialing);
	http_client_close_stream(connection);
	http_client_parse_stop(&connection->parse);
	list_remove(connection->call ? &client->busy : &client->idle, &connection->link);
	if (connection->call)
		connection->call->connection = NULL;
	connection->call = NULL;
	mem_deref(connection);
}

static void http_client_fail(struct http_client_conn *connection, int err, const char *why)
{
	struct http_call *call = connection->call;

	http_client_drop(connection);
	call->handlers->done(err, why, call->arg);
}

/* For a connection that is open. */
static void http_client_fail_errno(struct http_client_conn *connection, int err)
{
	char why[WHY_SIZE];

	url_explain(why, sizeof(why), &connection->url, err, true, connection->received > 0);
	http_client_fail(connection, err, why);
}

static void http_client_begin(void *arg);

/* A request is repeated only once, and only if nothing of an answer has arrived. */
static bool http_client_begin_again(struct http_client_conn *connection)
{
	struct http_call *call = connection->call;

	if (!connection->is_used || connection->received > 0 || call->has_failed_once)
		return false;
	call->has_failed_once = true;
	http_client_drop(connection);
	loop_defer(call->client->loop, &call->begin, http_client_begin, call);
	return true;
}

static void http_client_send_request(struct http_client_conn *connection)
{
	struct http_call *call = connection->call;
	struct outgoing *message = outgoing_copy(call->request.bytes, call->request.len);

	if (!message) {
		http_client_fail_errno(connection, ENOMEM);
		return;
	}
	connection->received = 0;
	http_client_parse_reset(&connection->parse);
	http_client_parse_init(&connection->parse, &http_client_answer_handlers, connection);
	stream_queue(connection->stream, message);
}

static void http_client_on_dialed(struct stream *stream, int err, const char *why, void *arg)
{
	struct http_client_conn *connection = arg;

	if (err) {
		http_client_fail(connection, err, why);
		return;
	}
	connection->dialing = mem_deref(connection->dialing);
	connection->stream = stream;
	stream_set_handlers(stream, &http_client_stream_handlers, connection);
	http_client_send_request(connection);
}

static void http_client_wait_for_call(struct http_client_conn *connection);

/* Ends a call whose answer is complete.  Its handler is called last, because it may start another
 * call on this connection. */
static void http_client_finish(struct http_client_conn *connection, bool is_clean)
{
	struct http_client *client = connection->client;
	struct http_call *call = connection->call;

	if (is_clean && connection->parse.keeps_alive) {
		list_remove(&client->busy, &connection->link);
		list_append(&client->idle, &connection->link);
		connection->call = NULL;
		call->connection = NULL;
		connection->is_used = true;
		http_client_wait_for_call(connection);
	} else {
		http_client_drop(connection);
	}
	call->handlers->done(0, NULL, call->arg);
}

static void http_client_fail_parse(struct http_client_conn *connection)
{
	char why[WHY_SIZE];

	int len = snprintf(why, sizeof(why), "%s: the answer cannot be read: %s",
			   connection->url.authority, connection->parse.reason);

	if (len > 0 && (size_t)len < sizeof(why))
		url_suggest_scheme(why + len, sizeof(why) - (size_t)len, &connection->url,
				   ECONNRESET, true, connection->received > 0);
	http_client_fail(connection, EPROTO, why);
}

static void http_client_on_head(const struct http_client_parse *parse, void *arg)
{
	struct http_call *call = ((struct http_client_conn *)arg)->call;

	call->handlers->head(parse, call->arg);
}

static void http_client_on_body(const char *bytes, size_t n, void *arg)
{
	struct http_call *call = ((struct http_client_conn *)arg)->call;

	call->handlers->body(bytes, n, call->arg);
}

static void http_client_read_answer(struct http_client_conn *connection, const char *bytes,
				    size_t n)
{
	size_t taken;

	if (n == 0 && http_client_begin_again(connection))
		return;
	connection->received += n;
	if (connection->received > connection->call->answer_max) {
		http_client_fail(connection, EMSGSIZE, "the answer is too long");
		return;
	}
	taken = n ? http_client_parse_feed(&connection->parse, bytes, n) : 0;
	if (n == 0)
		http_client_parse_end(&connection->parse);
	if (!connection->call)
		return; /* one of the handlers has dereferenced the call */
	if (connection->parse.state == HTTP_CLIENT_PARSE_FAILED)
		http_client_fail_parse(connection);
	else if (connection->parse.state == HTTP_CLIENT_PARSE_DONE)
		http_client_finish(connection, taken == n && n > 0);
}

/* A reference is held, because a handler may drop the connection while its parser runs. */
static void http_client_on_read(void *arg, char *bytes, size_t n)
{
	struct http_client_conn *connection = mem_ref(arg);

	/* Without a request, the server closes the connection or says why it is about to. */
	if (connection->call)
		http_client_read_answer(connection, bytes, n);
	else
		http_client_drop(connection);
	mem_deref(connection);
}

static void http_client_on_closed(void *arg, int err)
{
	struct http_client_conn *connection = arg;

	connection->stream = NULL;
	if (!connection->call)
		http_client_drop(connection);
	else if (!http_client_begin_again(connection))
		http_client_fail_errno(connection, err ? err : ECONNRESET);
}

static void http_client_on_idle_end(void *arg)
{
	http_client_drop(arg);
}

static bool http_client_is_origin(const struct http_client_conn *connection, const struct url *url)
{
	return connection->url.is_tls == url->is_tls &&
	       strcmp(connection->url.host, url->host) == 0 &&
	       strcmp(connection->url.port, url->port) == 0;
}

/* Returns the connection to this origin that has been idle longest, and counts those to this
 * origin. NULL means all origins. */
static struct http_client_conn *http_client_oldest(const struct http_client *client,
						   const struct url *url, size_t *count)
{
	struct http_client_conn *first = NULL;

	*count = 0;
	for (struct link *l = list_first(&client->idle); l; l = list_next(&client->idle, l)) {
		struct http_client_conn *connection = LIST_OBJECT(l, struct http_client_conn, link);

		if (url && !http_client_is_origin(connection, url))
			continue;
		if (!first)
			first = connection;
		++*count;
	}
	return first;
}

static void http_client_wait_for_call(struct http_client_conn *connection)
{
	struct http_client *client = connection->client;
	struct http_client_conn *first;
	size_t count;

	http_client_parse_reset(&connection->parse);
	timer_set(http_client_timers_of(connection), &connection->timer,
		  HTTP_CLIENT_IDLE_MS * UINT64_C(1000), http_client_on_idle_end, connection);
	first = http_client_oldest(client, &connection->url, &count);
	if (count > HTTP_CLIENT_IDLE_OF_ORIGIN)
		http_client_drop(first);
	first = http_client_oldest(client, NULL, &count);
	if (count > HTTP_CLIENT_IDLE_MAX)
		http_client_drop(first);
}

/* Takes the idle connection that was used last, because it is the most likely to be still open. */
static struct http_client_conn *http_client_take_idle(struct http_client *client,
						      const struct url *url)
{
	for (struct link *l = list_last(&client->idle); l; l = list_prev(&client->idle, l)) {
		struct http_client_conn *connection = LIST_OBJECT(l, struct http_client_conn, link);

		if (!http_client_is_origin(connection, url))
			continue;
		list_remove(&client->idle, &connection->link);
		timer_clear(http_client_timers_of(connection), &connection->timer);
		return connection;
	}
	return NULL;
}

static void http_client_attach(struct http_client_conn *connection, struct http_call *call)
{
	connection->call = call;
	call->connection = connection;
	list_append(&call->client->busy, &connection->link);
}

static int http_client_open_connection(struct http_call *call)
{
	struct http_client *client = call->client;
	struct http_client_conn *connection =
		mem_zalloc(sizeof(*connection), http_client_connection_destroy);
	int err;

	if (!connection)
		return ENOMEM;
	connection->client = client;
	connection->url = call->url;
	http_client_attach(connection, call);
	err = dialer_dial(&connection->dialing, client->dialer, &call->url, call->connect_ms,
			  http_client_on_dialed, connection);
	if (err)
		http_client_drop(connection);
	return err;
}

static void http_client_begin(void *arg)
{
	struct http_call *call = arg;
	struct http_client_conn *connection =
		call->has_failed_once ? NULL : http_client_take_idle(call->client, &call->url);
	int err;

	if (connection) {
		http_client_attach(connection, call);
		http_client_send_request(connection);
		return;
	}
	err = http_client_open_connection(call);
	if (err)
		call->handlers->done(err, strerror(err), call->arg);
}

static void http_client_call_destroy(void *object)
{
	struct http_call *call = object;

	if (call->client)
		loop_undefer(call->client->loop, &call->begin);
	if (call->connection)
		http_client_drop(call->connection);
	buf_reset(&call->request);
	mem_deref(call->client);
}

static int http_client_write_request(struct buf *request, const struct http_call_options *options)
{
	const struct url *url = options->url;
	const char *target = url->target;
	size_t len = strcspn(target, "?#");
	const char *query = target + len;
	int err;

	if (len > 0 && target[len - 1] == '/' && options->path)
		--len; /* the base URL ends with a slash, and the path begins with one */
	err = buf_printf(
		request, "%s %s%.*s%s%.*s HTTP/1.1\r\nHost: %s\r\nContent-Length: %zu\r\n%s\r\n",
		options->method, len == 0 && !options->path ? "/" : "", (int)len, target,
		options->path ? options->path : "", (int)strcspn(query, "#"), query, url->authority,
		options->body_len, options->headers ? options->headers : "");
	return err ? err : buf_append(request, options->body, options->body_len);
}

int http_client_call(struct http_call **callp, struct http_client *client,
		     const struct http_call_options *options,
		     const struct http_call_handlers *handlers, void *arg)
{
	struct http_call *call = mem_zalloc(sizeof(*call), http_client_call_destroy);
	int err;

	if (!call)
		return ENOMEM;
	call->client = mem_ref(client);
	call->handlers = handlers;
	call->arg = arg;
	call->url = *options->url;
	call->url.target = NULL; /* it points into the caller's text, which may be freed */
	call->connect_ms = options->connect_ms;
	call->answer_max = options->answer_max;
	buf_init(&call->request, REQUEST_MAX);
	err = http_client_write_request(&call->request, options);
	if (err) {
		mem_deref(call);
		return err;
	}
	loop_defer(client->loop, &call->begin, http_client_begin, call);
	*callp = call;
	return 0;
}

static void http_client_ignore_head(const struct http_client_parse *head, void *arg)
{
	(void)head;
	(void)arg;
}

static void http_client_ignore_body(const char *bytes, size_t n, void *arg)
{
	(void)bytes;
	(void)n;
	(void)arg;
}

static void http_client_on_detached_done(int err, const char *why, void *arg)
{
	(void)err;
	(void)why;
	mem_deref(arg);
}

static const struct http_call_handlers http_client_detached_handlers = {
	.head = http_client_ignore_head,
	.body = http_client_ignore_body,
	.done = http_client_on_detached_done};

static void http_client_on_detached_late(void *arg)
{
	mem_deref(arg);
}

/* From here on the call belongs to its connection.  It holds no reference to the client, so it ends
 * with the client at the latest. */
void http_client_detach(struct http_call *call)
{
	struct http_client_conn *connection = call ? call->connection : NULL;
	struct http_client *client;

	if (!connection) {
		mem_deref(call);
		return;
	}
	timer_set(http_client_timers_of(connection), &connection->timer,
		  HTTP_CLIENT_DETACH_MS * UINT64_C(1000), http_client_on_detached_late, call);
	call->handlers = &http_client_detached_handlers;
	call->arg = call;
	client = call->client;
	call->client = NULL;
	mem_deref(client); /* this may free the client, and with it the call */
}

static void http_client_destroy(void *object)
{
	struct http_client *client = object;
	struct link *link;

	while ((link = list_first(&client->busy)))
		mem_deref(LIST_OBJECT(link, struct http_client_conn, link)->call); /* detached */
	while ((link = list_first(&client->idle)))
		http_client_drop(LIST_OBJECT(link, struct http_client_conn, link));
	mem_deref(client->dialer);
}

int http_client_alloc(struct http_client **clientp, struct loop *loop, struct tls *tls)
{
	struct http_client *client = mem_zalloc(sizeof(*client), NULL);
	int err;

	if (!client)
		return ENOMEM;
	client->loop = loop;
	list_init(&client->busy);
	list_init(&client->idle);
	mem_set_destructor(client, http_client_destroy);
	err = dialer_alloc(&client->dialer, loop, tls);
	if (err)
		mem_deref(client);
	else
		*clientp = client;
	return err;
}

size_t http_client_idle(const struct http_client *client)
{
	return client->idle.count;
}
