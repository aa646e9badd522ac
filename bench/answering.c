/*
 * answering.c: a developer's server that answers at once (see answering.h).
 */
#include "bench/answering.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/mem.h"
#include "net/ws_codec.h"
#include "net/ws_handshake.h"
#include "wire/engine_message.h"
#include "wire/engine_reply.h"

#define MESSAGE_MAX (4u * 1024u * 1024u)
#define HEAD_MAX 16384u
#define KEY_HEADER "sec-websocket-key:"

struct connection {
	struct link link;
	int fd;
	bool is_open; /* the handshake was done */
	struct buf head; /* the request, until then */
	struct ws_codec codec;
};

struct answering {
	int listener, poll_fd;
	uint16_t port; /* 0 until it has one */
	struct list connections;
	const char *text;
	struct answering_figures figures;
};

static void answering_drop(struct answering *answering, struct connection *connection)
{
	list_remove(&answering->connections, &connection->link);
	close(connection->fd);
	buf_reset(&connection->head);
	ws_codec_reset(&connection->codec);
	free(connection);
	--answering->figures.connections;
}

void answering_kill(struct answering *answering)
{
	const struct linger at_once = {.l_onoff = 1};

	for (struct link *l; (l = list_first(&answering->connections));) {
		struct connection *connection = LIST_OBJECT(l, struct connection, link);

		setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
		answering_drop(answering, connection);
	}
	if (answering->listener >= 0)
		close(answering->listener);
	answering->listener = -1;
	++answering->figures.deaths;
}

static void answering_destroy(void *object)
{
	struct answering *answering = object;

	answering_kill(answering);
	if (answering->poll_fd >= 0)
		close(answering->poll_fd);
}

static int answering_watch(const struct answering *answering, int fd, void *owner)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = owner};

	return epoll_ctl(answering->poll_fd, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : errno;
}

int answering_restart(struct answering *answering)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons(answering->port),
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	const int on = 1;

	if (answering->listener >= 0)
		return 0; /* it has not died */
	answering->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (answering->listener < 0)
		return errno;
	setsockopt(answering->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(answering->listener, (struct sockaddr *)&address, len) != 0 ||
	    listen(answering->listener, 1024) != 0 ||
	    getsockname(answering->listener, (struct sockaddr *)&address, &len) != 0)
		return errno;
	answering->port = ntohs(address.sin_port);
	return answering_watch(answering, answering->listener, NULL);
}

int answering_alloc(struct answering **answeringp)
{
	struct answering *answering = mem_zalloc(sizeof(*answering), NULL);
	int err;

	if (!answering)
		return ENOMEM;
	answering->listener = -1;
	answering->text = "";
	list_init(&answering->connections);
	answering->poll_fd = epoll_create1(EPOLL_CLOEXEC);
	mem_set_destructor(answering, answering_destroy);
	err = answering->poll_fd >= 0 ? answering_restart(answering) : errno;
	if (err)
		mem_deref(answering);
	else
		*answeringp = answering;
	return err;
}

uint16_t answering_port(const struct answering *answering)
{
	return answering->port;
}

int answering_fd(const struct answering *answering)
{
	return answering->poll_fd;
}

void answering_say(struct answering *answering, const char *text)
{
	answering->text = text;
}

const struct answering_figures *answering_figures(const struct answering *answering)
{
	return &answering->figures;
}

/* What it cannot send, its peer has closed, which the next read finds. */
static void answering_send(const struct connection *connection, enum ws_opcode opcode,
			   const char *bytes, size_t len)
{
	uint8_t head[WS_HEAD_MAX];
	size_t head_len = ws_codec_head(head, opcode, len, NULL);

	if (send(connection->fd, head, head_len, MSG_NOSIGNAL | MSG_MORE) != (ssize_t)head_len ||
	    (len > 0 && send(connection->fd, bytes, len, MSG_NOSIGNAL) != (ssize_t)len))
		shutdown(connection->fd, SHUT_RDWR);
}

static void answering_send_reply(const struct connection *connection, struct buf *reply, int err)
{
	if (!err)
		answering_send(connection, WS_OP_TEXT, reply->bytes, reply->len);
	reply->len = 0;
}

/* Returns false if it has died. */
static bool answering_answer(struct answering *answering, const struct connection *connection,
			     const struct engine_message *message)
{
	const struct llm_turn *last =
		message->turns_len > 0 ? &message->turns[message->turns_len - 1] : NULL;
	struct buf reply;

	++answering->figures.asked;
	answering->figures.asked_us = clock_monotonic_us();
	if (last)
		snprintf(answering->figures.words, sizeof(answering->figures.words), "%.*s",
			 (int)last->len, last->text);
	if (!answering->text) {
		answering_kill(answering);
		return false;
	}
	buf_init(&reply, 64u * 1024u);
	answering_send_reply(connection, &reply,
			     engine_reply_words(&reply, message->event.text, answering->text,
						strlen(answering->text)));
	answering_send_reply(connection, &reply, engine_reply_final(&reply, message->event.text));
	buf_reset(&reply);
	return true;
}

static bool answering_take_message(struct answering *answering, const struct connection *connection,
				   char *json, size_t len)
{
	struct engine_message message;
	const char *why;
	struct buf reply;
	bool is_alive = true;

	if (engine_message_parse(&message, &why, json, len) != 0)
		return true;
	buf_init(&reply, 1024);
	if (message.kind == ENGINE_TRANSCRIPT)
		is_alive = answering_answer(answering, connection, &message);
	else if (message.kind == ENGINE_PING)
		answering_send_reply(connection, &reply, engine_reply_pong(&reply));
	buf_reset(&reply);
	engine_message_reset(&message);
	return is_alive;
}

/* Returns false if the connection is gone. */
static bool answering_take_frames(struct answering *answering, struct connection *connection,
				  char *bytes, size_t n)
{
	for (;;) {
		struct ws_event event = ws_codec_next(&connection->codec, &bytes, &n);

		switch (event.type) {
		case WS_TEXT:
		case WS_BINARY:
			if (!answering_take_message(answering, connection, event.bytes, event.len))
				return false;
			break;
		case WS_PING:
			answering_send(connection, WS_OP_PONG, event.bytes, event.len);
			break;
		case WS_CLOSE:
		case WS_FAIL:
			answering_send(connection, WS_OP_CLOSE, "\x03\xe8", 2);
			answering->figures.closed_us = clock_monotonic_us();
			answering_drop(answering, connection);
			return false;
		case WS_PONG:
			break;
		case WS_MORE:
			return true;
		}
	}
}

/* Answers the request when all of it is there.  Whoever connects is trusted. */
static int answering_shake_hands(struct connection *connection)
{
	char accept[WS_ACCEPT_SIZE];
	char key[WS_KEY_SIZE];
	char answer[256];
	const char *at;
	int n;

	if (buf_append(&connection->head, "", 1) != 0)
		return EMSGSIZE;
	--connection->head.len; /* without the NUL */
	if (!strstr(connection->head.bytes, "\r\n\r\n"))
		return 0;
	at = strcasestr(connection->head.bytes, KEY_HEADER);
	if (!at)
		return EPROTO;
	at += strlen(KEY_HEADER);
	at += strspn(at, " ");
	snprintf(key, sizeof(key), "%.24s", at);
	ws_handshake_accept(accept, key);
	n = snprintf(answer, sizeof(answer),
		     "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
		     "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
		     accept);
	if (send(connection->fd, answer, (size_t)n, MSG_NOSIGNAL) != n)
		return EPIPE;
	connection->is_open = true;
	buf_reset(&connection->head);
	return 0;
}

static void answering_take_bytes(struct answering *answering, struct connection *connection)
{
	char part[65536];
	ssize_t n = recv(connection->fd, part, sizeof(part), 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		answering->figures.closed_us = clock_monotonic_us();
		answering_drop(answering, connection);
		return;
	}
	if (connection->is_open)
		(void)answering_take_frames(answering, connection, part, (size_t)n);
	else if (buf_append(&connection->head, part, (size_t)n) != 0 ||
		 answering_shake_hands(connection) != 0)
		answering_drop(answering, connection);
}

static void answering_accept(struct answering *answering)
{
	const int on = 1;
	int fd;

	while ((fd = accept4(answering->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		struct connection *connection = calloc(1, sizeof(*connection));

		if (!connection) {
			close(fd);
			return;
		}
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		connection->fd = fd;
		buf_init(&connection->head, HEAD_MAX);
		ws_codec_init(&connection->codec, WS_SERVER, MESSAGE_MAX);
		list_append(&answering->connections, &connection->link);
		++answering->figures.connections;
		answering_watch(answering, fd, connection);
	}
}

/* One event at a time, because what an event does may close the connections of others. */
void answering_run(struct answering *answering)
{
	struct epoll_event event;

	while (epoll_wait(answering->poll_fd, &event, 1, 0) == 1) {
		if (event.data.ptr)
			answering_take_bytes(answering, event.data.ptr);
		else if (answering->listener >= 0)
			answering_accept(answering);
	}
}
