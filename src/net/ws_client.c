/*
 * ws_client.c: a small, blocking WebSocket client (see ws_client.h).
 */
#include "net/ws_client.h"

#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "net/tls.h"
#include "net/url.h"
#include "net/ws_codec.h"
#include "net/ws_handshake.h"

#define READ_SIZE 16384u
#define HEAD_MAX 16384u
#define TIMEOUT_MS 10000u
#define REASON_US UINT64_C(1000000) /* for the body of a refusal, after its head */

struct ws_client {
	int fd;
	SSL *ssl;
	struct tls *tls;
	struct ws_codec codec;
	char *at; /* the bytes in scratch that were not consumed yet */
	size_t left;
	uint16_t code;
	bool has_sent_close;
	char scratch[READ_SIZE];
};

static void ws_client_destroy(void *object)
{
	struct ws_client *client = object;

	SSL_free(client->ssl);
	mem_deref(client->tls);
	if (client->fd >= 0)
		close(client->fd);
	ws_codec_reset(&client->codec);
}

/* Waits for events until the deadline: 0, ETIMEDOUT or an errno. */
static int ws_client_wait_for(int fd, short events, uint64_t deadline_us)
{
	for (;;) {
		struct pollfd p = {.fd = fd, .events = events};
		uint64_t now = clock_monotonic_us();
		uint64_t ms = deadline_us > now ? (deadline_us - now + 999) / 1000 : 0;
		int n = poll(&p, 1, ms > 3600000 ? 3600000 : (int)ms);

		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return errno;
		if (n == 0 && clock_monotonic_us() >= deadline_us)
			return ETIMEDOUT;
	}
}

static int ws_client_connect_one(int *fdp, const struct addrinfo *to, uint64_t deadline_us)
{
	int fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	const int on = 1;
	int err = 0;
	socklen_t len = sizeof(err);

	if (fd < 0)
		return errno;
	if (connect(fd, to->ai_addr, to->ai_addrlen) != 0)
		err = errno;
	if (err == EINPROGRESS) {
		err = ws_client_wait_for(fd, POLLOUT, deadline_us);
		if (!err && getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) != 0)
			err = errno;
	}
	if (err) {
		close(fd);
		return err;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	*fdp = fd;
	return 0;
}

static int ws_client_connect_any(int *fdp, const struct url *url, uint64_t deadline_us, char *why,
				 size_t why_size)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct addrinfo *found = NULL;
	int code = getaddrinfo(url->host, url->port, &hints, &found);
	int err = EADDRNOTAVAIL;

	if (code) {
		snprintf(why, why_size, "%s: %s", url->authority, gai_strerror(code));
		return err;
	}
	for (const struct addrinfo *a = found; a && err; a = a->ai_next)
		err = ws_client_connect_one(fdp, a, deadline_us);
	freeaddrinfo(found);
	if (err)
		snprintf(why, why_size, "%s: %s", url->authority, strerror(err));
	return err;
}

/* Waits for what an SSL_* call that returned n <= 0 needs; returns an errno if it has failed. */
static int ws_client_tls_wait(struct ws_client *client, int n, uint64_t deadline_us)
{
	switch (SSL_get_error(client->ssl, n)) {
	case SSL_ERROR_WANT_READ:
		return ws_client_wait_for(client->fd, POLLIN, deadline_us);
	case SSL_ERROR_WANT_WRITE:
		return ws_client_wait_for(client->fd, POLLOUT, deadline_us);
	case SSL_ERROR_SYSCALL:
		return errno ? errno : ECONNRESET;
	case SSL_ERROR_ZERO_RETURN:
		return ECONNRESET;
	default:
		return tls_errno(client->ssl);
	}
}

static int ws_client_tls_connect(struct ws_client *client, const struct url *url,
				 const char *ca_file, uint64_t deadline_us, char *why,
				 size_t why_size)
{
	int err = tls_client_alloc(&client->tls, ca_file, why, why_size);
	int n;

	if (err)
		return err;
	client->ssl = tls_open(client->tls, client->fd, url->host);
	if (!client->ssl)
		return ENOMEM;
	ERR_clear_error();
	while (!err && (n = SSL_do_handshake(client->ssl)) != 1)
		err = ws_client_tls_wait(client, n, deadline_us);
	if (err)
		url_explain(why, why_size, url, err, false, false);
	return err;
}

static int ws_client_send_all(struct ws_client *client, const char *bytes, size_t n,
			      uint64_t deadline_us)
{
	int err = 0;

	while (n > 0 && !err) {
		int part = n > INT32_MAX ? INT32_MAX : (int)n;
		ssize_t sent;

		ERR_clear_error();
		sent = client->ssl ? SSL_write(client->ssl, bytes, part)
				   : send(client->fd, bytes, n, MSG_NOSIGNAL);
		if (sent > 0) {
			bytes += sent;
			n -= (size_t)sent;
		} else if (client->ssl) {
			err = ws_client_tls_wait(client, (int)sent, deadline_us);
		} else {
			err = errno == EAGAIN ? ws_client_wait_for(client->fd, POLLOUT, deadline_us)
			      : errno == EINTR ? 0
					       : errno;
		}
	}
	return err;
}

/* Reads more into scratch, all of which must have been consumed. */
static int ws_client_read_more(struct ws_client *client, uint64_t deadline_us)
{
	int err = 0;

	assert(client->left == 0);
	while (!err) {
		ssize_t n;

		ERR_clear_error();
		n = client->ssl ? SSL_read(client->ssl, client->scratch, READ_SIZE)
				: recv(client->fd, client->scratch, READ_SIZE, 0);
		if (n > 0) {
			client->at = client->scratch;
			client->left = (size_t)n;
			return 0;
		}
		if (client->ssl)
			err = ws_client_tls_wait(client, (int)n, deadline_us);
		else if (n == 0)
			err = ECONNRESET;
		else
			err = errno == EAGAIN  ? ws_client_wait_for(client->fd, POLLIN, deadline_us)
			      : errno == EINTR ? 0
					       : errno;
	}
	return err;
}

static int ws_client_send_request(struct ws_client *client, const struct url *url, const char *key,
				  const char *const *headers, uint64_t deadline_us)
{
	struct buf head;
	int err;

	buf_init(&head, HEAD_MAX);
	err = ws_handshake_request(&head, url, key, headers);
	if (!err)
		err = ws_client_send_all(client, head.bytes, head.len, deadline_us);
	buf_reset(&head);
	return err;
}

/* Collects the head of the answer and adds a NUL; the bytes after it stay in scratch. */
static int ws_client_read_head(struct ws_client *client, struct buf *head, uint64_t deadline_us)
{
	for (;;) {
		char c;
		int err = client->left > 0 ? 0 : ws_client_read_more(client, deadline_us);

		if (err)
			return err;
		c = *client->at++;
		--client->left;
		err = buf_append(head, &c, 1);
		if (err)
			return err;
		if (head->len >= 4 && memcmp(head->bytes + head->len - 4, "\r\n\r\n", 4) == 0)
			return buf_append(head, "", 1);
	}
}

/* The reason of a refusal is in its body, which may arrive later than its head. */
static void ws_client_await_reason(struct ws_client *client, const char *head, uint64_t deadline_us)
{
	uint64_t latest_us = clock_monotonic_us() + REASON_US;

	if (client->left == 0 && !strstr(head, " 101 "))
		(void)ws_client_read_more(client,
					  latest_us < deadline_us ? latest_us : deadline_us);
}

static int ws_client_handshake(struct ws_client *client, const struct url *url,
			       const struct ws_client_options *options, uint64_t deadline_us,
			       char *why, size_t why_size)
{
	char key[WS_KEY_SIZE];
	uint8_t random[16];
	struct buf head;
	int err;

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return EIO;
	ws_handshake_make_key(key, random);
	buf_init(&head, HEAD_MAX);
	err = ws_client_send_request(client, url, key, options->headers, deadline_us);
	if (!err)
		err = ws_client_read_head(client, &head, deadline_us);
	if (err) {
		url_explain(why, why_size, url, err, true, head.len > 0);
	} else {
		ws_client_await_reason(client, head.bytes, deadline_us);
		err = ws_handshake_check(head.bytes, key, client->at, client->left, why, why_size);
	}
	buf_reset(&head);
	return err;
}

int ws_client_open(struct ws_client **clientp, const struct ws_client_options *options, char *why,
		   size_t why_size)
{
	unsigned timeout_ms = options->timeout_ms ? options->timeout_ms : TIMEOUT_MS;
	uint64_t deadline_us = clock_monotonic_us() + timeout_ms * UINT64_C(1000);
	struct ws_client *client = mem_zalloc(sizeof(*client), ws_client_destroy);
	struct url url = {0};
	int err;

	snprintf(why, why_size, "out of memory");
	if (!client)
		return ENOMEM;
	client->fd = -1;
	ws_codec_init(&client->codec, WS_CLIENT,
		      options->message_max ? options->message_max : WS_CLIENT_MESSAGE_MAX);
	err = url_parse(&url, options->url);
	if (err)
		snprintf(why, why_size, "not a WebSocket address: %s", options->url);
	if (!err)
		err = ws_client_connect_any(&client->fd, &url, deadline_us, why, why_size);
	if (!err && url.is_tls)
		err = ws_client_tls_connect(client, &url, options->ca_file, deadline_us, why,
					    why_size);
	if (!err)
		err = ws_client_handshake(client, &url, options, deadline_us, why, why_size);
	if (err)
		mem_deref(client);
	else
		*clientp = client;
	return err;
}

static int ws_client_send_frame(struct ws_client *client, enum ws_opcode opcode, const char *bytes,
				size_t len, uint64_t deadline_us)
{
	char *frame = malloc(WS_HEAD_MAX + len);
	uint8_t mask[4];
	size_t head;
	int err;

	if (!frame)
		return ENOMEM;
	if (getrandom(mask, sizeof(mask), 0) != sizeof(mask)) {
		free(frame);
		return EIO;
	}
	head = ws_codec_head((uint8_t *)frame, opcode, len, mask);
	if (len > 0)
		memcpy(frame + head, bytes, len);
	ws_codec_mask(frame + head, len, mask, 0);
	err = ws_client_send_all(client, frame, head + len, deadline_us);
	free(frame);
	return err;
}

int ws_client_send(struct ws_client *client, const char *text, size_t len)
{
	if (client->has_sent_close || client->code)
		return ENOTCONN;
	return ws_client_send_frame(client, WS_OP_TEXT, text, len, UINT64_MAX);
}

static void ws_client_send_close(struct ws_client *client, uint16_t code, uint64_t deadline_us)
{
	char body[2] = {(char)(code >> 8), (char)(code & 0xff)};

	if (client->has_sent_close)
		return;
	client->has_sent_close = true;
	/* The connection ends whether or not the close frame arrives. */
	(void)ws_client_send_frame(client, WS_OP_CLOSE, body, code == WS_CLOSE_NO_CODE ? 0 : 2,
				   deadline_us);
}

/* Returns 0 with a message in *event, or EAGAIN if the bytes read so far contain none. */
static int ws_client_next_message(struct ws_client *client, struct ws_event *event,
				  uint64_t deadline_us)
{
	for (;;) {
		*event = ws_codec_next(&client->codec, &client->at, &client->left);
		switch (event->type) {
		case WS_TEXT:
		case WS_BINARY:
			return 0;
		case WS_PING:
			if (!client->has_sent_close)
				(void)ws_client_send_frame(client, WS_OP_PONG, event->bytes,
							   event->len, deadline_us);
			break;
		case WS_PONG:
			break;
		case WS_CLOSE:
			client->code = event->code;
			ws_client_send_close(client, event->code, deadline_us);
			return ENOTCONN;
		case WS_FAIL:
			client->code = WS_CLOSE_ABNORMAL;
			ws_client_send_close(client, event->code, deadline_us);
			return EPROTO;
		case WS_MORE:
			return EAGAIN;
		}
	}
}

int ws_client_recv(struct ws_client *client, char **bytes, size_t *len, bool *is_binary,
		   unsigned timeout_ms)
{
	uint64_t deadline_us = clock_monotonic_us() + timeout_ms * UINT64_C(1000);
	struct ws_event event;
	int err;

	if (client->code)
		return ENOTCONN;
	while ((err = ws_client_next_message(client, &event, deadline_us)) == EAGAIN) {
		err = ws_client_read_more(client, deadline_us);
		if (err && err != ETIMEDOUT)
			client->code = WS_CLOSE_ABNORMAL;
		if (err)
			return err;
	}
	if (err)
		return err;
	*bytes = event.bytes;
	*len = event.len;
	*is_binary = event.type == WS_BINARY;
	return 0;
}

uint16_t ws_client_code(const struct ws_client *client)
{
	return client->code;
}

int ws_client_fd(const struct ws_client *client)
{
	return client->fd;
}

void ws_client_close(struct ws_client *client, uint16_t code, unsigned timeout_ms)
{
	uint64_t deadline_us = clock_monotonic_us() + timeout_ms * UINT64_C(1000);
	char *bytes;
	size_t len;
	bool is_binary;

	if (client->code)
		return;
	ws_client_send_close(client, code, deadline_us);
	for (;;) {
		uint64_t now = clock_monotonic_us();
		unsigned left_ms = now < deadline_us ? (unsigned)((deadline_us - now) / 1000) : 0;

		if (ws_client_recv(client, &bytes, &len, &is_binary, left_ms) != 0)
			return;
	}
}
