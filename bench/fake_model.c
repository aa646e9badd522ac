/*
 * fake_model.c: a language model that says what a measurement requests (see fake_model.h).
 */
#include "bench/fake_model.h"

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
#include "base/list.h"
#include "base/mem.h"

#define REQUEST_MAX (64u * 1024u)
#define NOBODY SIZE_MAX

struct connection {
	struct link link;
	int fd;
	size_t who; /* NOBODY while it waits for a request */
	struct buf request;
};

struct fake_model {
	struct fake_model_handlers handlers;
	int listener, poll_fd;
	uint16_t port;
	size_t count;
	struct list connections;
	struct connection **speaking; /* indexed by `who`; NULL if no answer is in progress */
};

static void fake_model_drop(struct fake_model *model, struct connection *connection)
{
	list_remove(&model->connections, &connection->link);
	close(connection->fd);
	buf_reset(&connection->request);
	free(connection);
}

static void fake_model_destroy(void *object)
{
	struct fake_model *model = object;

	for (struct link *l; (l = list_first(&model->connections));)
		fake_model_drop(model, LIST_OBJECT(l, struct connection, link));
	free(model->speaking);
	if (model->listener >= 0)
		close(model->listener);
	if (model->poll_fd >= 0)
		close(model->poll_fd);
}

static int fake_model_watch(const struct fake_model *model, int fd, void *owner)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = owner};

	return epoll_ctl(model->poll_fd, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : errno;
}

static int fake_model_open_listener(struct fake_model *model)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);

	model->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (model->listener < 0 || bind(model->listener, (struct sockaddr *)&address, len) != 0 ||
	    listen(model->listener, 1024) != 0 ||
	    getsockname(model->listener, (struct sockaddr *)&address, &len) != 0)
		return errno;
	model->port = ntohs(address.sin_port);
	return fake_model_watch(model, model->listener, NULL);
}

int fake_model_alloc(struct fake_model **modelp, size_t count,
		     const struct fake_model_handlers *handlers)
{
	struct fake_model *model = mem_zalloc(sizeof(*model), NULL);
	int err;

	if (!model)
		return ENOMEM;
	model->listener = -1;
	list_init(&model->connections);
	model->handlers = *handlers;
	model->count = count;
	model->poll_fd = epoll_create1(EPOLL_CLOEXEC);
	mem_set_destructor(model, fake_model_destroy);
	model->speaking = calloc(count, sizeof(struct connection *));
	err = model->speaking ? fake_model_open_listener(model) : ENOMEM;
	if (err)
		mem_deref(model);
	else
		*modelp = model;
	return err;
}

uint16_t fake_model_port(const struct fake_model *model)
{
	return model->port;
}

int fake_model_fd(const struct fake_model *model)
{
	return model->poll_fd;
}

static void fake_model_send_text(const struct connection *connection, const char *text, size_t len)
{
	if (send(connection->fd, text, len, MSG_NOSIGNAL) != (ssize_t)len)
		/* The event loop then finds that it is closed. */
		shutdown(connection->fd, SHUT_RDWR);
}

static void fake_model_send_event(const struct connection *connection, const char *event)
{
	char chunk[1024];
	int n = snprintf(chunk, sizeof(chunk), "%zx\r\ndata: %s\n\n\r\n", strlen(event) + 8, event);

	fake_model_send_text(connection, chunk, (size_t)n);
}

void fake_model_say(struct fake_model *model, size_t who, const char *text)
{
	char event[512];

	if (!model->speaking[who])
		return;
	snprintf(event, sizeof(event), "{\"choices\":[{\"delta\":{\"content\":\"%s\"}}]}", text);
	fake_model_send_event(model->speaking[who], event);
}

void fake_model_finish(struct fake_model *model, size_t who)
{
	struct connection *connection = model->speaking[who];

	if (!connection)
		return;
	fake_model_send_event(connection,
			      "{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}");
	fake_model_send_event(connection, "[DONE]");
	fake_model_send_text(connection, "0\r\n\r\n", 5);
	connection->who = NOBODY;
	model->speaking[who] = NULL;
}

static void fake_model_forget(struct fake_model *model, struct connection *connection)
{
	size_t who = connection->who;

	fake_model_drop(model, connection);
	if (who == NOBODY)
		return;
	model->speaking[who] = NULL;
	model->handlers.gone(model->handlers.arg, who);
}

static void fake_model_take_connection(struct fake_model *model)
{
	const int on = 1;
	int fd;

	while ((fd = accept4(model->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		struct connection *connection = calloc(1, sizeof(*connection));

		if (!connection) {
			close(fd);
			return;
		}
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		*connection = (struct connection){.fd = fd, .who = NOBODY};
		buf_init(&connection->request, REQUEST_MAX);
		list_append(&model->connections, &connection->link);
		fake_model_watch(model, fd, connection);
	}
}

/* Uses the last "who=", because earlier ones belong to earlier turns. */
static size_t fake_model_find_who(const char *request)
{
	const char *last = NULL;

	for (const char *at = request; (at = strstr(at, "who=")); at += 4)
		last = at;
	return last ? strtoul(last + 4, NULL, 10) : NOBODY;
}

static bool fake_model_is_whole(const struct buf *request)
{
	const char *body = strstr(request->bytes, "\r\n\r\n");
	const char *length = strcasestr(request->bytes, "content-length:");

	return body && length &&
	       request->len - 1 >= (size_t)(body + 4 - request->bytes) +
					   strtoul(length + strlen("content-length:"), NULL, 10);
}

static void fake_model_answer(struct fake_model *model, struct connection *connection)
{
	static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
				   "Transfer-Encoding: chunked\r\n\r\n";
	size_t who = fake_model_find_who(connection->request.bytes);

	buf_reset(&connection->request);
	if (who >= model->count) {
		fake_model_forget(model, connection);
		return;
	}
	fake_model_send_text(connection, head, strlen(head));
	connection->who = who;
	model->speaking[who] = connection;
	model->handlers.asked(model->handlers.arg, who);
}

static void fake_model_take_bytes(struct fake_model *model, struct connection *connection)
{
	char part[8192];
	ssize_t n = recv(connection->fd, part, sizeof(part), 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		fake_model_forget(model, connection);
		return;
	}
	if (buf_append(&connection->request, part, (size_t)n) != 0 ||
	    buf_append(&connection->request, "", 1) != 0) {
		fake_model_forget(model, connection);
		return;
	}
	if (fake_model_is_whole(&connection->request))
		fake_model_answer(model, connection);
	else
		--connection->request.len; /* without the NUL */
}

void fake_model_run(struct fake_model *model)
{
	struct epoll_event events[64];
	int n = epoll_wait(model->poll_fd, events, 64, 0);

	for (int i = 0; i < n; ++i) {
		if (!events[i].data.ptr)
			fake_model_take_connection(model);
		else
			fake_model_take_bytes(model, events[i].data.ptr);
	}
}
