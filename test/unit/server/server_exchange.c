/*
 * server_exchange.c: requests, messages and the answers to them (see server_play.h).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "server_play.h"

#define SKIPPED_MAX 2000 /* the most messages that `until` skips */

struct client *exchange_find(struct play *play, const char *name)
{
	for (size_t i = 0; i < play->clients_count; ++i) {
		if (name && strcmp(play->clients[i].name, name) == 0)
			return &play->clients[i].client;
	}
	return NULL;
}

/* Opens a connection with this name.  An older one with the name is closed. */
static struct client *server_exchange_connect(struct play *play, const char *name)
{
	struct client *client = exchange_find(play, name);
	int err;

	if (client) {
		client_close(client);
	} else {
		if (play->clients_count == PLAY_CLIENTS_MAX)
			abort();
		snprintf(play->clients[play->clients_count].name, 16, "%s", name);
		client = &play->clients[play->clients_count++].client;
	}
	err = client_open(client, &play->world, play->is_narrow);
	play->is_narrow = false;
	if (err)
		play_fail(play, "cannot connect: %s", strerror(err));
	return err ? NULL : client;
}

/* Takes "{Name: value}..." and "`body`" from the line, and writes the request. */
static char *server_exchange_request(struct play *play, const char *method, const char *path,
				     char **rest, bool is_socket, size_t *len)
{
	char *out = NULL;
	FILE *stream = open_memstream(&out, len);
	bool has_host = false, has_length = false;
	const char *body = NULL;

	fprintf(stream, "%s %s HTTP/1.1\r\n", method, path);
	for (*rest += strspn(*rest, " "); **rest == '{'; *rest += strspn(*rest, " ")) {
		char *end = strchr(*rest, '}');

		*end = '\0';
		has_host |= strncasecmp(*rest + 1, "host", 4) == 0 ||
			    strcasecmp(*rest + 1, "-host") == 0;
		has_length |= strncasecmp(*rest + 1, "content-length", 14) == 0;
		if ((*rest)[1] != '-')
			fprintf(stream, "%s\r\n", *rest + 1);
		*rest = end + 1;
	}
	if (**rest == '`')
		body = checks_word(rest);
	if (!has_host)
		fprintf(stream, "Host: %s\r\n", play->world.address);
	if (body && !has_length)
		fprintf(stream, "Content-Length: %zu\r\n", strlen(body));
	if (is_socket)
		fputs("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
		      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
		      stream);
	fprintf(stream, "\r\n%s", body ? body : "");
	fclose(stream);
	return out;
}

bool exchange_answer(struct play *play, struct client *client, char *rest)
{
	char *word = checks_word(&rest);
	struct subject subject = {.client = client};
	int err = client_read_answer(client);

	if (err)
		return play_fail(play, "no answer: %s", strerror(err));
	subject.body = client->body;
	subject.body_len = client->body_len;
	if (!word || client->status != atoi(word))
		return play_fail(play, "the status is %d, not %s: %.300s", client->status,
				 word ? word : "?", client->body_len ? client->body : "");
	return checks_hold(rest, &subject, &play->variables, play->why);
}

struct client *exchange_ask(struct play *play, const char *name, const char *method, char **rest,
			    bool is_socket)
{
	struct client *client = server_exchange_connect(play, name);
	char *path = checks_word(rest);
	char *request;
	size_t len;

	if (!client)
		return NULL;
	request = server_exchange_request(play, method, path, rest, is_socket, &len);
	client->is_head = strcmp(method, "HEAD") == 0;
	/* This fails if the server refuses the request before it has read all of it.  The answer,
	 * which is read later, says why. */
	(void)client_send(client, request, len);
	free(request);
	return client;
}

bool exchange_run(struct play *play, const char *method, char *rest)
{
	struct client *client = exchange_ask(play, "", method, &rest, false);
	bool holds = client && exchange_answer(play, client, rest);

	if (client)
		client_close(client);
	return holds;
}

/* Repeats a request until its answer passes the checks: for what the server does after it has
 * answered another request, such as reading changed keys again. */
bool exchange_soon(struct play *play, char *rest)
{
	bool holds = false;

	for (int i = 0; i < WORLD_WAIT_MS / 20 && !holds; ++i) {
		char *line = strdup(rest);
		char *cursor = line;
		char *method = checks_word(&cursor);

		world_turn(&play->world, -1, 0, i > 0 ? 20 : 0);
		holds = exchange_run(play, method, cursor);
		free(line);
	}
	if (holds)
		play->why[0] = '\0';
	return holds;
}

bool exchange_start(struct play *play, char *rest)
{
	char *name = checks_word(&rest);
	char *method = checks_word(&rest);

	return exchange_ask(play, name, method, &rest, false) != NULL;
}

bool exchange_raw(struct play *play, char *rest)
{
	char *name = checks_word(&rest);
	char *text = checks_word(&rest);
	struct client *client = exchange_find(play, name);
	int err = 0;

	if (!client || client->fd < 0)
		client = server_exchange_connect(play, name);
	if (!client)
		return false;
	while (text && *text && !err) {
		size_t len = strcspn(text, "|");

		err = client_send(client, text, len);
		if (!err && text[len] == '|')
			err = client_send(client, "\r\n", 2);
		text += len + (text[len] == '|');
	}
	return !err || play_fail(play, "cannot send: %s", strerror(err));
}

bool exchange_ws(struct play *play, char *rest)
{
	char *name = checks_word(&rest);
	struct client *client = exchange_ask(play, name, "GET", &rest, true);
	const char *accept;

	if (!client || !exchange_answer(play, client, rest))
		return false;
	if (client->status != 101)
		return true;
	accept = client_header(client, "sec-websocket-accept");
	if (accept && strcmp(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") == 0)
		return true;
	return play_fail(play, "a wrong Sec-WebSocket-Accept");
}

bool exchange_say(struct play *play, struct client *client, char *rest, unsigned opcode)
{
	char *text = checks_word(&rest);
	int err = 0;

	do {
		char *next = checks_word(&rest);

		/* The server's loop does not run before all messages have been sent. */
		client->has_more = next != NULL;
		err = client_send_frame(client, opcode, text ? text : "", text ? strlen(text) : 0);
		text = next;
	} while (!err && text);
	client->has_more = false;
	return !err || play_fail(play, "cannot send: %s", strerror(err));
}

bool exchange_hear(struct play *play, struct client *client, const char *rest, bool may_skip)
{
	struct subject subject = {.client = client};

	for (int i = 0; i < SKIPPED_MAX; ++i) {
		int err = client_read_frame(client);
		char *checks;
		bool holds;

		if (err)
			return play_fail(play, "no message: %s; the last one: %.200s",
					 strerror(err), client->message ? client->message : "none");
		if (client->opcode != CLIENT_TEXT)
			return play_fail(play, "a frame of opcode %u, %u %.100s", client->opcode,
					 client->close_code,
					 client->message_len > 2 ? client->message + 2 : "");
		subject.body = client->message;
		subject.body_len = client->message_len;
		checks = strdup(rest);
		holds = checks_hold(checks, &subject, &play->variables, play->why);
		free(checks);
		if (holds)
			play->why[0] = '\0';
		if (holds || !may_skip)
			return holds;
	}
	return false;
}

bool exchange_flood(struct client *client, char *rest)
{
	int count = atoi(checks_word(&rest));
	char *text = checks_word(&rest);

	while (count-- > 0 && client_send_frame(client, CLIENT_TEXT, text, strlen(text)) == 0)
		;
	return true;
}

bool exchange_alive(struct play *play, struct client *client)
{
	int err = client_send_frame(client, CLIENT_PING, "?", 1);

	if (!err)
		err = client_read_frame(client);
	if (err)
		return play_fail(play, "no answer to a ping: %s", strerror(err));
	if (client->opcode == CLIENT_PONG)
		return true;
	return play_fail(play, "instead of a pong a frame of opcode %u: %.200s", client->opcode,
			 client->message);
}

/* The connection may end without a close frame, because the frame is lost if the server has not read
 * everything that the client sent. */
bool exchange_over(struct play *play, struct client *client)
{
	int err;

	do
		err = client_read_frame(client);
	while (!err && client->opcode != CLIENT_CLOSE);
	return !err || err == ECONNRESET ||
	       play_fail(play, "the connection stays open: %s", strerror(err));
}

bool exchange_closed(struct play *play, struct client *client, char *rest)
{
	char *code = checks_word(&rest);
	struct subject subject = {.client = client};
	int err = client_read_frame(client);

	if (err)
		return play_fail(play, "no close: %s", strerror(err));
	if (client->opcode != CLIENT_CLOSE || client->close_code != atoi(code))
		return play_fail(play, "instead of a close %s: opcode %u, %u %.200s", code,
				 client->opcode, client->close_code, client->message);
	subject.body = client->message_len > 2 ? client->message + 2 : "";
	subject.body_len = client->message_len > 2 ? client->message_len - 2 : 0;
	return checks_hold(rest, &subject, &play->variables, play->why);
}
