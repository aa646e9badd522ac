/*
 * http_client.c: HTTP/1.1 requests of ours (see http_client.h).
 *
 *   call ── http_client_begin (deferred) ──> a connection that waits, or a new one:
 *           resolve ─> connect, address by address ─> TLS ─> request ─> answer
 *
 * A connection belongs to the client, on one of its two lists, and serves one
 * call at a time; either can end without the other.  A server may close a waiting
 * connection just when we use it again: without a byte of an answer the request
 * is sent once more on a new one.
 */
#include "net/http_client.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/mem.h"
#include "loop/resolve.h"
#include "net/stream.h"

#define REQUEST_MAX (8u * 1024u * 1024u) /* a history of a megabyte, every byte escaped */
#define WHY_SIZE 512

struct http_client {
	struct loop *loop;
	struct tls *tls;
	struct resolver *resolver;
	struct list busy;
	struct list idle; /* the one that waits longest first */
};

struct connection {
	struct link link;
	struct http_client *client;
	struct http_call *call; /* NULL: it waits for one */
	struct stream *stream;
	struct resolve *resolve;
	const struct addrinfo *next; /* to try when this address fails */
	struct timer timer; /* the address', then that of waiting */
	uint64_t deadline_us; /* of all addresses */
	struct http_client_parse parse;
	struct url url;
	size_t received; /* bytes of this answer */
	bool is_open;
	bool is_used; /* has served a call before */
};

struct http_call {
	struct http_client *client;
	struct connection *connection;
	struct deferred begin;
	const struct http_call_handlers *handlers;
	void *arg;
	struct buf request;
	struct url url;
	uint32_t connect_ms;
	size_t answer_max;
	bool has_failed_once; /* on a used connection: only a new one will do */
};

static void http_client_on_opened(void *arg);
static void http_client_on_read(void *arg, char *bytes, size_t n);
static void http_client_on_closed(void *arg, int err);

static const struct stream_handlers stream_handlers = {.opened = http_client_on_opened,
						       .read = http_client_on_read,
						       .closed = http_client_on_closed};

static void http_client_on_head(const struct http_client_parse *parse, void *arg);
static void http_client_on_body(const char *bytes, size_t n, void *arg);

static const struct http_client_parse_handlers parse_handlers = {.head = http_client_on_head,
								 .body = http_client_on_body};

static struct timers *http_client_timers_of(const struct connection *connection)
{
	return &connection->client->loop->timers;
}

static void http_client_close_stream(struct connection *connection)
{
	if (!connection->stream)
		return;
	stream_set_handlers(connection->stream, NULL, NULL);
	stream_abort(connection->stream, 0);
	connection->stream = NULL;
}

static void http_client_connection_destroy(void *object)
{
	struct connection *connection = object;

	http_client_parse_reset(&connection->parse);
}

/* Ends the connection, and its use by a call, which is not notified. */
static void http_client_drop(struct connection *connection)
{
	struct http_client *client = connection->client;

	timer_clear(http_client_timers_of(connection), &connection->timer);
	connection->resolve = mem_deref(connection->resolve);
	http_client_close_stream(connection);
	http_client_parse_stop(&connection->parse);
	list_remove(connection->call ? &client->busy : &client->idle, &connection->link);
	if (connection->call)
		connection->call->connection = NULL;
	connection->call = NULL;
	mem_deref(connection);
}

static void http_client_fail(struct connection *connection, int err, const char *why)
{
	struct http_call *call = connection->call;

	http_client_drop(connection);
	call->handlers->done(err, why, call->arg);
}

static void http_client_fail_plainly(struct connection *connection, int err)
{
	const struct url *url = &connection->url;
	const char *words = url->is_tls ? tls_words(err) : NULL;
	char why[WHY_SIZE];
	int len =
		snprintf(why, sizeof(why), "%s: %s", url->authority, words ? words : strerror(err));

	if (len > 0 && (size_t)len < sizeof(why))
		url_suggest_scheme(why + len, sizeof(why) - (size_t)len, url, err,
				   connection->is_open, connection->received > 0);
	http_client_fail(connection, err, why);
}

static void http_client_begin(void *arg);

/* A request is repeated only once, and only if no server can have answered it yet. */
static bool http_client_begin_again(struct connection *connection)
{
	struct http_call *call = connection->call;

	if (!connection->is_used || connection->received > 0 || call->has_failed_once)
		return false;
	call->has_failed_once = true;
	http_client_drop(connection);
	loop_defer(call->client->loop, &call->begin, http_client_begin, call);
	return true;
}

static void http_client_send_request(struct connection *connection)
{
	struct http_call *call = connection->call;
	struct outgoing *message = outgoing_copy(call->request.bytes, call->request.len);

	if (!message) {
		http_client_fail_plainly(connection, ENOMEM);
		return;
	}
	connection->received = 0;
	http_client_parse_reset(&connection->parse);
	http_client_parse_init(&connection->parse, &parse_handlers, connection);
	stream_queue(connection->stream, message);
}

static void http_client_on_opened(void *arg)
{
	struct connection *connection = arg;

	connection->is_open = true;
	timer_clear(http_client_timers_of(connection), &connection->timer);
	connection->resolve = mem_deref(connection->resolve);
	connection->next = NULL;
	http_client_send_request(connection);
}

static int http_client_start_connecting(struct connection *connection, const struct addrinfo *to)
{
	struct http_client *client = connection->client;
	int fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return errno;
	if (connect(fd, to->ai_addr, to->ai_addrlen) != 0 && errno != EINPROGRESS) {
		int err = errno;

		close(fd);
		return err;
	}
	return stream_connect(&connection->stream, client->loop, fd,
			      connection->url.is_tls ? client->tls : NULL, connection->url.host,
			      &stream_handlers, connection);
}

static void http_client_try_next(struct connection *connection, int err);

static void http_client_on_late(void *arg)
{
	struct connection *connection = arg;

	http_client_close_stream(connection);
	http_client_try_next(connection, ETIMEDOUT);
}

/* Each address gets a share of the time that is left, so that one that does not answer leaves some
 * for the others. */
static void http_client_set_share(struct connection *connection)
{
	uint64_t now_us = connection->client->loop->timers.now_us;
	uint64_t left_us = connection->deadline_us > now_us ? connection->deadline_us - now_us : 0;
	unsigned count = 0;

	for (const struct addrinfo *a = connection->next; a; a = a->ai_next)
		++count;
	timer_set(http_client_timers_of(connection), &connection->timer,
		  left_us / (count ? count : 1), http_client_on_late, connection);
}

/* `err` says why the address before this one failed. */
static void http_client_try_next(struct connection *connection, int err)
{
	while (connection->next) {
		const struct addrinfo *to = connection->next;

		http_client_set_share(connection);
		connection->next = to->ai_next;
		err = http_client_start_connecting(connection, to);
		if (!err)
			return;
	}
	http_client_fail_plainly(connection, err);
}

static void http_client_on_resolved(const struct addrinfo *found, const char *words, void *arg)
{
	struct connection *connection = arg;
	char why[WHY_SIZE];

	if (found) {
		connection->next = found;
		http_client_try_next(connection, EADDRNOTAVAIL);
		return;
	}
	snprintf(why, sizeof(why), "%s: %s", connection->url.authority, words);
	http_client_fail(connection, EADDRNOTAVAIL, why);
}

static void http_client_wait_for_call(struct connection *connection);

/* The answer is complete.  The call is notified last, because its handler may start another one on
 * this very connection. */
static void http_client_finish(struct connection *connection, bool is_clean)
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

static void http_client_fail_parse(struct connection *connection)
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
	struct http_call *call = ((struct connection *)arg)->call;

	call->handlers->head(parse, call->arg);
}

static void http_client_on_body(const char *bytes, size_t n, void *arg)
{
	struct http_call *call = ((struct connection *)arg)->call;

	call->handlers->body(bytes, n, call->arg);
}

static void http_client_read_answer(struct connection *connection, const char *bytes, size_t n)
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
		return; /* given up from one of its handlers */
	if (connection->parse.state == HTTP_CLIENT_PARSE_FAILED)
		http_client_fail_parse(connection);
	else if (connection->parse.state == HTTP_CLIENT_PARSE_DONE)
		http_client_finish(connection, taken == n && n > 0);
}

/* A reference is held, because a handler may drop the connection while its parser runs. */
static void http_client_on_read(void *arg, char *bytes, size_t n)
{
	struct connection *connection = mem_ref(arg);

	if (connection->call)
		http_client_read_answer(connection, bytes, n);
	else
		http_client_drop(
			connection); /* no request was sent: the server closes the connection, or says why it will */
	mem_deref(connection);
}

static void http_client_on_closed(void *arg, int err)
{
	struct connection *connection = arg;

	connection->stream = NULL;
	if (!connection->call)
		http_client_drop(connection);
	else if (!connection->is_open)
		http_client_try_next(connection, err);
	else if (!http_client_begin_again(connection))
		http_client_fail_plainly(connection, err ? err : ECONNRESET);
}

static void http_client_on_idle_end(void *arg)
{
	http_client_drop(arg);
}

static bool http_client_is_origin(const struct connection *connection, const struct url *url)
{
	return connection->url.is_tls == url->is_tls &&
	       strcmp(connection->url.host, url->host) == 0 &&
	       strcmp(connection->url.port, url->port) == 0;
}

/* Returns the connection to this origin that has waited longest, or of all origins if it is
 * NULL. */
static struct connection *http_client_oldest(const struct http_client *client,
					     const struct url *url, size_t *count)
{
	struct connection *first = NULL;

	*count = 0;
	for (struct link *l = list_first(&client->idle); l; l = list_next(&client->idle, l)) {
		struct connection *connection = LIST_OBJECT(l, struct connection, link);

		if (url && !http_client_is_origin(connection, url))
			continue;
		if (!first)
			first = connection;
		++*count;
	}
	return first;
}

static void http_client_wait_for_call(struct connection *connection)
{
	struct http_client *client = connection->client;
	struct connection *first;
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

/* Takes the connection that was used last, which is the most likely to be still open. */
static struct connection *http_client_take_idle(struct http_client *client, const struct url *url)
{
	for (struct link *l = list_last(&client->idle); l; l = list_prev(&client->idle, l)) {
		struct connection *connection = LIST_OBJECT(l, struct connection, link);

		if (!http_client_is_origin(connection, url))
			continue;
		list_remove(&client->idle, &connection->link);
		timer_clear(http_client_timers_of(connection), &connection->timer);
		return connection;
	}
	return NULL;
}

static void http_client_attach(struct connection *connection, struct http_call *call)
{
	connection->call = call;
	call->connection = connection;
	list_append(&call->client->busy, &connection->link);
}

static int http_client_open_connection(struct http_call *call)
{
	struct http_client *client = call->client;
	struct connection *connection =
		mem_zalloc(sizeof(*connection), http_client_connection_destroy);

	if (!connection)
		return ENOMEM;
	connection->client = client;
	connection->url = call->url;
	connection->deadline_us = client->loop->timers.now_us + call->connect_ms * UINT64_C(1000);
	http_client_attach(connection, call);
	timer_set(http_client_timers_of(connection), &connection->timer,
		  call->connect_ms * UINT64_C(1000), http_client_on_late, connection);
	if (resolve_start(&connection->resolve, client->resolver, call->url.host, call->url.port,
			  http_client_on_resolved, connection) == 0)
		return 0;
	http_client_drop(connection);
	return ENOMEM;
}

static void http_client_begin(void *arg)
{
	struct http_call *call = arg;
	struct connection *connection =
		call->has_failed_once ? NULL : http_client_take_idle(call->client, &call->url);
	int err = 0;

	if (connection) {
		http_client_attach(connection, call);
		http_client_send_request(connection);
		return;
	}
	if (call->url.is_tls && !call->client->tls)
		err = EPROTONOSUPPORT;
	else
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
		--len; /* of a base address that ends in a slash */
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
	call->url.target = NULL; /* the request has it; the text may go */
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

static void http_client_on_left_done(int err, const char *why, void *arg)
{
	(void)err;
	(void)why;
	mem_deref(arg);
}

static const struct http_call_handlers left_handlers = {.head = http_client_ignore_head,
							.body = http_client_ignore_body,
							.done = http_client_on_left_done};

static void http_client_on_left_late(void *arg)
{
	mem_deref(arg);
}

/* The call belongs to its connection from here on, and holds no reference to the client: it ends
 * with the client. */
void http_client_leave(struct http_call *call)
{
	struct connection *connection = call ? call->connection : NULL;
	struct http_client *client;

	if (!connection) {
		mem_deref(call);
		return;
	}
	timer_set(http_client_timers_of(connection), &connection->timer,
		  HTTP_CLIENT_LEAVE_MS * UINT64_C(1000), http_client_on_left_late, call);
	call->handlers = &left_handlers;
	call->arg = call;
	client = call->client;
	call->client = NULL;
	mem_deref(client); /* which may be its end, and the call's */
}

static void http_client_destroy(void *object)
{
	struct http_client *client = object;
	struct link *link;

	while ((link = list_first(&client->busy)))
		mem_deref(LIST_OBJECT(link, struct connection, link)->call); /* was left */
	while ((link = list_first(&client->idle)))
		http_client_drop(LIST_OBJECT(link, struct connection, link));
	mem_deref(client->resolver);
	mem_deref(client->tls);
}

int http_client_alloc(struct http_client **clientp, struct loop *loop, struct tls *tls)
{
	struct http_client *client = mem_zalloc(sizeof(*client), NULL);
	int err;

	if (!client)
		return ENOMEM;
	client->loop = loop;
	client->tls = mem_ref(tls);
	list_init(&client->busy);
	list_init(&client->idle);
	mem_set_destructor(client, http_client_destroy);
	err = resolver_alloc(&client->resolver, loop);
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
