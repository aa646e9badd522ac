/*
 * echo_server.c: a WebSocket server that answers every message with itself, for
 * conformance tests and measurements.
 *
 *   echo_server [ADDRESS [CERTIFICATE KEY]]     prints its port, ends with stdin
 *
 * GET /memory returns the heap in use and the number of WebSockets.
 */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/http.h"
#include "net/listener.h"

struct echo {
	struct link link;
	struct ws *ws;
};

static struct list echoes;
static struct listener *listener;
static struct http_server *server;
static struct watch input;
static struct loop *loop;

static void on_message(void *arg, char *bytes, size_t len, bool is_binary)
{
	struct echo *echo = arg;
	struct outgoing *reply = outgoing_copy(bytes, len);

	if (!reply)
		abort();
	if (is_binary)
		ws_send_binary(echo->ws, reply);
	else
		ws_send_text(echo->ws, reply);
}

static void on_closed(void *arg, uint16_t code)
{
	struct echo *echo = arg;

	(void)code;
	list_remove(&echoes, &echo->link);
	mem_deref(echo);
}

static const struct ws_handlers handlers = {.message = on_message, .closed = on_closed};

static void reply_memory(struct http_request *request)
{
	char text[128];
	int n;

	malloc_trim(0);
	n = snprintf(text, sizeof(text), "{\"heap\":%zu,\"sockets\":%zu}", mallinfo2().uordblks,
		     echoes.count);
	http_reply(request, 200, "application/json", text, (size_t)n);
}

static void on_request(struct http_request *request, void *arg)
{
	struct echo *echo;

	(void)arg;
	if (!http_wants_upgrade(request) && strcmp(request->path, "/memory") == 0) {
		reply_memory(request);
		return;
	}
	echo = mem_zalloc(sizeof(*echo), NULL);
	if (!echo)
		abort();
	if (http_upgrade(&echo->ws, request, &handlers, echo) != 0)
		mem_deref(echo);
	else
		list_append(&echoes, &echo->link);
}

static void on_input_closed(void *arg)
{
	(void)arg;
	loop_stop(loop);
}

static void on_input(void *arg, int events)
{
	char bytes[64];

	(void)arg;
	(void)events;
	if (read(STDIN_FILENO, bytes, sizeof(bytes)) > 0)
		return;
	listener_close(listener);
	http_server_stop(server);
	for (struct link *l = list_first(&echoes); l; l = list_next(&echoes, l))
		ws_abort(LIST_OBJECT(l, struct echo, link)->ws);
	watch_close(&input, on_input_closed);
}

int main(int argc, char **argv)
{
	struct http_settings settings = {.request = on_request};
	char why[256] = "";
	int err = loop_alloc(&loop);

	list_init(&echoes);
	if (!err && argc > 3)
		err = tls_server_alloc(&settings.tls, argv[2], argv[3], why, sizeof(why));
	if (!err)
		err = http_server_alloc(&server, loop, &settings);
	if (!err)
		err = listener_alloc(&listener, loop, argc > 1 ? argv[1] : "127.0.0.1:0",
				     http_accept, server);
	if (!err)
		err = watch_open(&input, loop, STDIN_FILENO, on_input, NULL);
	if (err) {
		fprintf(stderr, "echo_server: %s %s\n", strerror(err), why);
		return 1;
	}
	watch_set(&input, WATCH_READ);
	printf("%u\n", listener_port(listener));
	fflush(stdout);
	loop_run(loop);
	mem_deref(server);
	mem_deref(settings.tls);
	mem_deref(loop); /* runs what is left of the closing */
	return mem_live() == 0 ? 0 : 2;
}
