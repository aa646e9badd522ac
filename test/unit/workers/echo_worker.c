/*
 * echo_worker.c: an engine that sends text back, a byte for each unit of credit,
 * in message types of its own (see echo.h).  The text "die" ends the process.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "echo.h"

static struct buf in, out;
static char text[256];
static size_t text_len, text_sent;
static uint32_t job, credit;

static void tell(const struct message *message)
{
	out.len = 0;
	if (message_encode(&out, message) != 0 ||
	    send(3, out.bytes, out.len, MSG_NOSIGNAL) != (ssize_t)out.len)
		_exit(3);
}

static void tell_piece(const char *bytes, size_t len)
{
	const struct message piece = {
		.type = ECHO_PIECE, .job = job, .other = {(const unsigned char *)bytes, len}};

	tell(&piece);
}

static void greet(void)
{
	const struct message ready = {
		.type = MESSAGE_READY,
		.ready = {.version = MESSAGE_VERSION, .jobs_max = 1, .engine = {"echo", 4}},
	};

	tell_piece("from a child", 12);
	tell(&ready);
}

static void work(void)
{
	size_t n = text_len - text_sent < credit ? text_len - text_sent : credit;
	struct message done = {.type = MESSAGE_DONE, .job = job, .done.detail = {"", 0}};

	if (n > 0)
		tell_piece(text + text_sent, n);
	text_sent += n;
	credit -= (uint32_t)n;
	if (text_sent < text_len)
		return;
	tell(&done);
	job = 0;
}

static void take(const struct message *message)
{
	if (message->type == MESSAGE_HELLO)
		greet();
	if (message->type == ECHO_START) {
		job = message->job;
		text_sent = 0;
		text_len = message->other.len - 4;
		memcpy(&credit, message->other.bytes, 4);
		memcpy(text, message->other.bytes + 4, text_len);
		if (text_len == 3 && memcmp(text, "die", 3) == 0)
			_exit(1);
		work();
	}
	if (message->type == MESSAGE_CREDIT && message->job == job) {
		credit += message->credit_samples;
		work();
	}
}

int main(void)
{
	buf_init(&in, 1u << 20);
	buf_init(&out, 1u << 20);
	for (;;) {
		char bytes[4096];
		struct message message;
		size_t used;
		ssize_t n = recv(3, bytes, sizeof(bytes), 0);

		if (n <= 0 || buf_append(&in, bytes, (size_t)n) != 0)
			return 0;
		while (message_decode(&message, &used, in.bytes, in.len) == 0) {
			take(&message);
			buf_consume(&in, used);
		}
	}
}
