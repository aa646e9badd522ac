/*
 * server_client.c: a client of a server_world (see server_client.h).
 */
#include "server_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define READ_SIZE 65536u

/* The real time, which world_pass does not change. */
static int64_t server_client_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int client_open(struct client *client, struct world *world, bool is_narrow)
{
	const int window = 4096, on = 1;
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				      .sin_port = htons((uint16_t)atoi(world->url_port))};

	memset(client, 0, sizeof(*client));
	client->world = world;
	client->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (client->fd < 0)
		return errno;
	if (is_narrow)
		setsockopt(client->fd, SOL_SOCKET, SO_RCVBUF, &window, sizeof(window));
	/* Small messages are not held back until the server has read those before them. */
	setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	/* The kernel completes the connection although the server's loop does not run. */
	if (connect(client->fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		return errno;
	return 0;
}

void client_close(struct client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	client->fd = -1;
	free(client->in);
	free(client->body);
	free(client->message);
	client->in = client->body = client->message = NULL;
	client->in_len = client->in_size = client->body_len = client->message_len = 0;
}

void client_abort(struct client *client)
{
	const struct linger linger = {.l_onoff = 1, .l_linger = 0};

	setsockopt(client->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	client_close(client);
}

int client_send(struct client *client, const char *bytes, size_t len)
{
	int64_t until = server_client_now_ms() + WORLD_WAIT_MS;

	while (len > 0) {
		ssize_t n = send(client->fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno != EAGAIN)
			return EPIPE;
		if (n < 0 && server_client_now_ms() > until)
			return ETIMEDOUT;
		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
		}
		if (n < 0 || !client->has_more)
			world_turn(client->world, client->fd, POLLOUT, n > 0 ? 0 : 50);
	}
	return 0;
}

static void server_client_reserve(struct client *client, size_t more)
{
	if (client->in_len + more + 1 <= client->in_size)
		return;
	client->in_size = client->in_len + more + READ_SIZE;
	client->in = realloc(client->in, client->in_size);
	if (!client->in)
		abort();
}

/* Runs the loop until more bytes arrive or the connection ends. */
static int server_client_fill(struct client *client, int64_t until)
{
	while (!client->has_ended) {
		ssize_t n;

		server_client_reserve(client, READ_SIZE);
		n = recv(client->fd, client->in + client->in_len, READ_SIZE, MSG_DONTWAIT);
		if (n > 0) {
			client->in_len += (size_t)n;
			client->in[client->in_len] = '\0';
			return 0;
		}
		if (n == 0 || errno != EAGAIN)
			client->has_ended = true;
		else if (server_client_now_ms() > until)
			return ETIMEDOUT;
		else if (client->world->has_ended)
			return ECONNRESET; /* nobody will ever answer */
		else
			world_turn(client->world, client->fd, POLLIN, 100);
	}
	return ECONNRESET;
}

int client_wait(struct client *client)
{
	int64_t until = server_client_now_ms() + WORLD_WAIT_MS;

	return client->in_len > 0 ? 0 : server_client_fill(client, until);
}

static void server_client_take(struct client *client, size_t len)
{
	client->in_len -= len;
	memmove(client->in, client->in + len, client->in_len);
	client->in[client->in_len] = '\0';
}

const char *client_header(const struct client *client, const char *name)
{
	for (size_t i = 0; i < client->headers_count; ++i) {
		if (strcasecmp(client->headers[i].name, name) == 0)
			return client->headers[i].value;
	}
	return NULL;
}

static int server_client_parse_head(struct client *client, char *head)
{
	char *line = strtok(head, "\r\n");

	client->headers_count = 0;
	if (!line || sscanf(line, "HTTP/1.1 %d", &client->status) != 1)
		return EPROTO;
	while ((line = strtok(NULL, "\r\n"))) {
		struct client_header *header = &client->headers[client->headers_count];
		char *colon = strchr(line, ':');

		if (!colon || client->headers_count == CLIENT_HEADERS_MAX)
			return EPROTO;
		*colon = '\0';
		snprintf(header->name, sizeof(header->name), "%s", line);
		snprintf(header->value, sizeof(header->value), "%s",
			 colon + 1 + strspn(colon + 1, " "));
		++client->headers_count;
	}
	return 0;
}

/* Waits for `len` bytes and appends them to the body. */
static int server_client_body(struct client *client, size_t len, int64_t until)
{
	int err = 0;

	while (!err && client->in_len < len)
		err = server_client_fill(client, until);
	if (client->in_len < len)
		len = client->in_len;
	client->body = realloc(client->body, client->body_len + len + 1);
	if (!client->body)
		abort();
	memcpy(client->body + client->body_len, client->in ? client->in : "", len);
	client->body_len += len;
	client->body[client->body_len] = '\0';
	if (len > 0)
		server_client_take(client, len);
	return err;
}

static int server_client_line(struct client *client, size_t *len, int64_t until)
{
	char *end;
	int err = 0;

	while (!(end = client->in ? strstr(client->in, "\r\n") : NULL) && !err)
		err = server_client_fill(client, until);
	if (end)
		*len = (size_t)(end - client->in);
	return end ? 0 : err;
}

static int server_client_chunks(struct client *client, int64_t until)
{
	size_t line, size;
	int err;

	do {
		err = server_client_line(client, &line, until);
		if (err)
			return err;
		size = strtoul(client->in, NULL, 16);
		server_client_take(client, line + 2);
		if (size > 0)
			err = server_client_body(client, size, until);
		if (!err)
			err = server_client_line(client, &line, until);
		if (!err)
			server_client_take(client, line + 2);
	} while (!err && size > 0);
	return err;
}

int client_read_answer(struct client *client)
{
	int64_t until = server_client_now_ms() + WORLD_WAIT_MS;
	const char *length, *coding;
	char *end;
	int err = 0;

	client->body_len = 0;
	client->is_cut = false;
	while (!(end = client->in ? strstr(client->in, "\r\n\r\n") : NULL) && !err)
		err = server_client_fill(client, until);
	if (!end)
		return err;
	*end = '\0';
	err = server_client_parse_head(client, client->in);
	server_client_take(client, (size_t)(end - client->in) + 4);
	if (err || client->status == 101)
		return err;
	length = client_header(client, "content-length");
	coding = client_header(client, "transfer-encoding");
	if (client->is_head || client->status == 204)
		err = server_client_body(client, 0, until);
	else if (coding && strcasecmp(coding, "chunked") == 0)
		err = server_client_chunks(client, until);
	else if (length)
		err = server_client_body(client, strtoul(length, NULL, 10), until);
	client->is_cut = err == ECONNRESET;
	return client->is_cut ? 0 : err;
}

int client_send_frame(struct client *client, unsigned opcode, const char *bytes, size_t len)
{
	unsigned char *frame = calloc(1, len + 14);
	size_t n = 2;
	int err;

	if (!frame)
		abort();
	frame[0] = (unsigned char)(0x80 | opcode);
	if (len < 126) {
		frame[1] = (unsigned char)(0x80 | len);
	} else if (len < 65536) {
		frame[1] = 0x80 | 126;
		frame[n++] = (unsigned char)(len >> 8);
		frame[n++] = (unsigned char)len;
	} else {
		frame[1] = 0x80 | 127;
		for (int shift = 56; shift >= 0; shift -= 8)
			frame[n++] = (unsigned char)((uint64_t)len >> shift);
	}
	n += 4; /* a mask of zeros changes nothing */
	if (len > 0)
		memcpy(frame + n, bytes, len);
	err = client_send(client, (char *)frame, n + len);
	free(frame);
	return err;
}

static int server_client_need(struct client *client, size_t len, int64_t until)
{
	int err = 0;

	while (!err && client->in_len < len)
		err = server_client_fill(client, until);
	return err;
}

static int server_client_read_one(struct client *client, int64_t until)
{
	size_t head = 2;
	uint64_t len = 0;
	int err = server_client_need(client, 2, until);
	const unsigned char *in;

	if (err)
		return err;
	in = (const unsigned char *)client->in;
	len = in[1];
	head = len == 127 ? 10 : len == 126 ? 4 : 2;
	err = server_client_need(client, head, until);
	if (err)
		return err;
	in = (const unsigned char *)client->in;
	if (!(in[0] & 0x80) || len > 127) /* no reply is fragmented or masked */
		return EPROTO;
	client->opcode = in[0] & 0x0f;
	if (head > 2) {
		len = 0;
		for (size_t i = 2; i < head; ++i)
			len = len << 8 | in[i];
	}
	err = server_client_need(client, head + len, until);
	if (err)
		return err;
	client->message = realloc(client->message, len + 1);
	if (!client->message)
		abort();
	memcpy(client->message, client->in + head, len);
	client->message[len] = '\0';
	client->message_len = len;
	server_client_take(client, head + len);
	return 0;
}

int client_read_frame(struct client *client)
{
	int64_t until = server_client_now_ms() + WORLD_WAIT_MS;
	int err;

	do {
		err = server_client_read_one(client, until);
		if (!err && client->opcode == CLIENT_PING)
			client_send_frame(client, CLIENT_PONG, client->message,
					  client->message_len);
	} while (!err && client->opcode == CLIENT_PING);
	if (!err && client->opcode == CLIENT_CLOSE && client->message_len >= 2) {
		client->close_code = (uint16_t)((unsigned char)client->message[0] << 8 |
						(unsigned char)client->message[1]);
		client_send_frame(client, CLIENT_CLOSE, client->message, 2);
	}
	return err;
}
