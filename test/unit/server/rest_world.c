/*
 * rest_world.c: requests to handlers of routes over a socket pair (see rest_world.h).
 */
#include "rest_world.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "server/routes.h"

struct rest_world rest_world;

static char dir[40];

static void rest_world_request(struct http_request *request, void *arg)
{
	const char *id = strrchr(request->path, '/') + 1;
	struct route_call call = {
		.server = arg,
		.request = request,
		.route = &rest_world.route,
		.door = &routes_own,
		.key = &rest_world.key,
		.ids = {strtoll(id, NULL, 10)},
		.id_texts = {id},
		.request_id = "req_0",
	};

	rest_world.route.handler(&call);
}

int rest_world_open(void **state)
{
	struct server *server = &rest_world.server;
	const struct http_settings settings = {.request = rest_world_request, .arg = server};
	struct store *own;
	char address[64];

	(void)state;
	memset(&rest_world, 0, sizeof(rest_world));
	strcpy(dir, "/tmp/syrinx-rest-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(address, sizeof(address), "sqlite:%s/test.db", dir);
	rest_world.key = (struct store_key){.account_id = STORE_ACCOUNT_DEFAULT,
					    .project_id = STORE_PROJECT_DEFAULT,
					    .scopes = STORE_SCOPE_ADMIN};
	buf_init(&server->scratch, 65536);
	assert_int_equal(loop_alloc(&server->loop), 0);
	assert_int_equal(store_open(&own, address), 0);
	assert_int_equal(async_store_alloc(&server->async_store, server->loop, own,
					   &(struct async_store_options){0}),
			 0);
	assert_int_equal(http_server_alloc(&server->http, server->loop, &settings), 0);
	return store_open(&rest_world.store, address);
}

int rest_world_close(void **state)
{
	struct server *server = &rest_world.server;
	char command[64];

	(void)state;
	http_server_stop(server->http);
	mem_deref(server->async_store);
	mem_deref(server->http);
	mem_deref(rest_world.store);
	mem_deref(server->loop);
	buf_reset(&server->scratch);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
	return mem_live() == 0 ? 0 : -1;
}

static void rest_world_quote(char *out, size_t size, const char *text)
{
	snprintf(out, size, "%s", text);
	for (char *c = out; *c; ++c) {
		if (*c == '\'')
			*c = '"';
	}
}

/* Reads everything that the server sends until it closes the connection. */
static void rest_world_read(char *got, size_t size, int fd)
{
	struct loop *loop = rest_world.server.loop;
	size_t len = 0;
	ssize_t n;

	for (;;) {
		loop_enter(loop);
		loop_leave(loop);
		n = recv(fd, got + len, size - 1 - len, MSG_DONTWAIT);
		if (n == 0)
			break;
		if (n > 0)
			len += (size_t)n;
		else
			uv_run(&loop->uv, UV_RUN_ONCE);
	}
	got[len] = '\0';
}

void rest_world_ask(const char *method, const char *path, const char *body)
{
	static char text[65536];
	static char got[sizeof(rest_world.head) + sizeof(rest_world.body)];
	char *end;
	int fd[2];
	int len;

	rest_world_quote(rest_world.body, sizeof(rest_world.body), body ? body : "");
	len = snprintf(text, sizeof(text),
		       "%s %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: "
		       "%zu\r\n\r\n%s",
		       method, path, strlen(rest_world.body), rest_world.body);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fd), 0);
	assert_int_equal(send(fd[1], text, (size_t)len, MSG_NOSIGNAL), len);
	http_accept(rest_world.server.http, fd[0]);
	rest_world_read(got, sizeof(got), fd[1]);
	close(fd[1]);
	assert_int_equal(sscanf(got, "HTTP/1.1 %d", &rest_world.status), 1);
	end = strstr(got, "\r\n\r\n");
	assert_non_null(end);
	*end = '\0';
	snprintf(rest_world.head, sizeof(rest_world.head), "%.1000s", got);
	snprintf(rest_world.body, sizeof(rest_world.body), "%s", end + 4);
}

void rest_world_expect(const char *method, const char *path, const char *body, int status,
		       const char *answer)
{
	static char wanted[sizeof(rest_world.body)];

	rest_world_ask(method, path, body);
	rest_world_quote(wanted, sizeof(wanted), answer);
	assert_string_equal(rest_world.body, wanted);
	assert_int_equal(rest_world.status, status);
}
