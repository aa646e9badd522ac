/* WebSocket connections: watch is kept over the silent, ends are said and
 * heard, and what was queued can be dropped. */
#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "net/ws.h"
#include "pump.h"

static struct loop *loop;
static struct ws *ws;
static int peer;
static char heard[256]; /* the last message */
static int messages;
static int closes;
static uint16_t close_code;
static bool close_in_message;
static size_t reply_len; /* every message is answered by so many bytes; 0: not at all */
static int overruns;
static int fills;
static int drains;
static size_t overrun_bytes;

static void on_message(void *arg, char *bytes, size_t len, bool is_binary)
{
	(void)arg;
	(void)is_binary;
	++messages;
	assert_true(len < sizeof(heard));
	memcpy(heard, bytes, len);
	heard[len] = '\0';
	if (close_in_message)
		ws_close(ws, WS_CLOSE_GOING_AWAY, "enough");
	if (reply_len > 0) {
		struct outgoing *reply = outgoing_alloc(reply_len);

		assert_non_null(reply);
		memset(outgoing_payload(reply), 'r', reply_len);
		reply->len = reply_len;
		reply->kind = OUTGOING_REPLY;
		ws_send_text(ws, reply);
	}
}

static void on_overrun(void *arg, size_t bytes)
{
	(void)arg;
	++overruns;
	overrun_bytes = bytes;
}

static void on_closed(void *arg, uint16_t code)
{
	(void)arg;
	++closes;
	close_code = code;
}

static void on_filled(void *arg)
{
	(void)arg;
	++fills;
}

static void on_drained(void *arg)
{
	(void)arg;
	++drains;
}

static const struct ws_handlers handlers = {
	.message = on_message,
	.filled = on_filled,
	.drained = on_drained,
	.overrun = on_overrun,
	.closed = on_closed,
};

static int set_up(void **state)
{
	struct stream *stream;
	int fd[2];

	(void)state;
	messages = closes = overruns = fills = drains = 0;
	close_code = 0;
	close_in_message = false;
	reply_len = 0;
	socket_pair(fd);
	peer = fd[1];
	if (loop_alloc(&loop) != 0 || stream_alloc(&stream, loop, fd[0], NULL, NULL, NULL) != 0)
		return -1;
	return ws_alloc(&ws, stream, WS_SERVER, 0, &handlers, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	if (closes == 0)
		ws_abort(ws);
	pump(loop);
	assert_int_equal(closes, 1);
	close(peer);
	mem_deref(loop);
	assert_int_equal(mem_live(), 0);
	return 0;
}

/* Sends a frame with a mask of zeros. */
static void client_sends(enum ws_opcode opcode, const char *text, size_t len)
{
	static const uint8_t mask[4];
	char frame[256];
	size_t head = ws_codec_head((uint8_t *)frame, opcode, len, mask);

	memcpy(frame + head, text, len);
	assert_int_equal(send(peer, frame, head + len, MSG_NOSIGNAL), head + len);
	pump(loop);
}

static void assert_client_reads(const char *bytes, size_t n)
{
	char got[512];
	ssize_t came;

	pump(loop);
	came = recv(peer, got, sizeof(got), 0);
	assert_int_equal(came, n);
	assert_memory_equal(got, bytes, n);
}

static void assert_client_reads_end(void)
{
	char byte;

	pump(loop);
	assert_int_equal(recv(peer, &byte, 1, 0), 0);
}

static void test_a_silent_peer_is_pinged_then_given_up(void **state)
{
	(void)state;
	pump_ahead(loop, WS_PING_MS - 1);
	assert_int_equal(closes, 0);
	pump_ahead(loop, 1);
	assert_client_reads("\x89\x00", 2);
	pump_ahead(loop, WS_PING_MS - 1);
	assert_int_equal(closes, 0);
	pump_ahead(loop, 2);
	assert_int_equal(closes, 1);
	assert_int_equal(close_code, WS_CLOSE_ABNORMAL);
}

static void test_any_byte_keeps_the_watch_content(void **state)
{
	(void)state;
	for (int i = 0; i < 5; ++i) {
		pump_ahead(loop, WS_PING_MS - 1000);
		client_sends(WS_OP_PONG, "", 0);
	}
	assert_int_equal(recv(peer, heard, sizeof(heard), 0), -1); /* no ping was needed */
	pump_ahead(loop, WS_PING_MS);
	assert_client_reads("\x89\x00", 2);
	client_sends(WS_OP_PONG, "", 0);
	pump_ahead(loop, WS_PING_MS - 1);
	assert_int_equal(closes, 0);
	pump_ahead(loop, 2);
	assert_client_reads("\x89\x00", 2); /* again, and not the end */
	assert_int_equal(closes, 0);
}

static void test_a_client_that_is_not_read_is_not_given_up(void **state)
{
	(void)state;
	ws_pause(ws, true);
	for (int i = 0; i < 5; ++i)
		pump_ahead(loop, WS_PING_MS);
	assert_int_equal(closes, 0);
	ws_pause(ws, false);
	pump_ahead(loop, WS_PING_MS);
	assert_client_reads("\x89\x00", 2);
	pump_ahead(loop, WS_PING_MS);
	assert_int_equal(closes, 1);
}

static void test_our_close_is_answered(void **state)
{
	(void)state;
	ws_close(ws, 1012, "restart");
	ws_close(ws, 1000, "second"); /* ignored */
	ws_send_text(ws, outgoing_copy("late", 4));
	assert_client_reads("\x88\x09\x03\xf4restart", 11);
	client_sends(WS_OP_TEXT, "on its way", 10);
	assert_int_equal(messages, 0); /* not delivered any more */
	client_sends(WS_OP_CLOSE, "\x03\xf4", 2);
	assert_client_reads_end();
	close(peer);
	peer = -1;
	pump(loop);
	assert_int_equal(closes, 1);
	assert_int_equal(close_code, 1012);
}

static void test_a_close_nobody_answers_has_a_limit(void **state)
{
	(void)state;
	ws_close(ws, 1000, NULL);
	pump(loop);
	pump_ahead(loop, WS_CLOSE_MS - 1);
	assert_int_equal(closes, 0);
	pump_ahead(loop, 1);
	assert_int_equal(closes, 1);
	assert_int_equal(close_code, 1000);
}

static void test_what_was_queued_leaves_before_the_close(void **state)
{
	(void)state;
	ws_send_text(ws, outgoing_copy("last", 4));
	ws_close(ws, 1000, NULL);
	assert_client_reads("\x81\x04last\x88\x02\x03\xe8", 10);
}

/* What is sent after our close is thrown away: whoever makes audio must stop, and not go on when the
 * queue empties. */
static void test_a_close_fills_and_never_drains(void **state)
{
	static char much[2 * STREAM_HIGH];
	ssize_t n;

	(void)state;
	ws_send_text(ws, outgoing_copy(much, sizeof(much)));
	assert_int_equal(fills, 1);
	ws_close(ws, 1000, NULL);
	assert_int_equal(fills, 2);
	do {
		pump(loop);
		n = recv(peer, much, sizeof(much), 0);
	} while (n > 0);
	assert_int_equal(drains, 0);
}

static void test_a_long_reason_is_cut_at_a_character(void **state)
{
	char reason[200];
	char got[200];

	(void)state;
	memset(reason, 'r', sizeof(reason));
	memcpy(reason + 121, "\xe2\x82\xac", 3); /* the euro sign does not fit whole */
	reason[199] = '\0';
	ws_close(ws, 1000, reason);
	pump(loop);
	assert_int_equal(recv(peer, got, sizeof(got), 0), 2 + 2 + 121);
	assert_int_equal(got[1], 2 + 121);
}

static void test_the_peers_close_is_echoed_and_told(void **state)
{
	(void)state;
	client_sends(WS_OP_CLOSE, "\x0f\xa0why", 5);
	assert_client_reads("\x88\x02\x0f\xa0", 4);
	assert_client_reads_end();
	shutdown(peer, SHUT_WR);
	pump(loop);
	assert_int_equal(closes, 1);
	assert_int_equal(close_code, 4000);
}

static void test_a_broken_connection_is_1006(void **state)
{
	(void)state;
	close(peer);
	peer = -1;
	pump(loop);
	assert_int_equal(closes, 1);
	assert_int_equal(close_code, WS_CLOSE_ABNORMAL);
}

static void test_closing_from_a_message_delivers_no_other(void **state)
{
	static const char two[] = "\x81\x81\0\0\0\0a\x81\x81\0\0\0\0b";

	(void)state;
	close_in_message = true;
	assert_int_equal(send(peer, two, sizeof(two) - 1, 0), sizeof(two) - 1);
	pump(loop);
	assert_int_equal(messages, 1);
	assert_string_equal(heard, "a");
}

static void test_an_abort_from_the_owner_delivers_nothing_more(void **state)
{
	(void)state;
	assert_int_equal(ws_feed(ws, "\x81\x81\0\0\0\0a", 7), 0);
	ws_abort(ws);
	pump(loop);
	assert_int_equal(messages, 0);
	assert_int_equal(closes, 1);
}

static void send_tagged(const char *text, uint64_t tag, uint32_t weight)
{
	struct outgoing *message = outgoing_copy(text, strlen(text));

	assert_non_null(message);
	message->tag = tag;
	message->weight = weight;
	ws_send_text(ws, message);
}

static void test_a_barge_in_drops_what_has_not_left(void **state)
{
	(void)state;
	send_tagged("a1", 1, 480);
	send_tagged("b1", 2, 100);
	send_tagged("a2", 1, 480);
	assert_int_equal(ws_drop(ws, 1), 960);
	send_tagged("interrupted", 0, 0);
	assert_client_reads("\x81\x02"
			    "b1\x81\x0binterrupted",
			    17);
}

/* The other end, in the client's role, over the other socket. */
/* Sends so many messages of one byte in one piece, more than one read takes. */
static void client_floods(size_t count)
{
	static const uint8_t mask[4];
	static char flood[10000 * 7];
	size_t len = 0;

	assert_true(count * 7 <= sizeof(flood));
	for (size_t i = 0; i < count; ++i) {
		len += ws_codec_head((uint8_t *)flood + len, WS_OP_TEXT, 1, mask);
		flood[len++] = 'x';
	}
	assert_int_equal(send(peer, flood, len, MSG_NOSIGNAL), len);
	pump(loop);
}

static size_t client_reads_all(char *last, size_t last_size)
{
	static char got[1 << 16];
	size_t total = 0;
	ssize_t n;

	while ((n = recv(peer, got, sizeof(got), 0)) > 0) {
		size_t kept = (size_t)n < last_size ? (size_t)n : last_size;

		memcpy(last, got + n - kept, kept);
		total += (size_t)n;
		pump(loop);
	}
	return total;
}

/* A client that sends commands and does not read: its replies are limited, even within one
 * read, and their memory is freed as soon as the limit is reached. */
static void test_replies_that_nobody_reads_close_the_connection(void **state)
{
	static const char close_frame[] = "\x88\x16\x03\xf0replies are not read";
	char last[sizeof(close_frame) - 1];
	size_t before = mallinfo2().uordblks;
	size_t kept;

	(void)state;
	reply_len = 200;
	client_floods(9000);
	assert_int_equal(overruns, 1);
	assert_true(overrun_bytes > STREAM_REPLIES_MAX);
	assert_true(overrun_bytes < STREAM_REPLIES_MAX + 1024);
	assert_true(messages < 9000);
	kept = mallinfo2().uordblks - before;
	print_message("%d messages were taken; %zu bytes are held after the close\n", messages,
		      kept);
	assert_true(kept < 4096);
	assert_int_equal(closes, 0); /* the close frame waits for the client to read */
	client_reads_all(last, sizeof(last));
	assert_memory_equal(last, close_frame, sizeof(last));
	shutdown(peer, SHUT_WR);
	pump(loop);
	assert_int_equal(closes, 1);
	assert_int_equal(close_code, WS_CLOSE_POLICY);
}

/* A client that reads its replies may send any number of commands. */
static void test_replies_that_are_read_close_nothing(void **state)
{
	char last[1];

	(void)state;
	reply_len = 200;
	for (int i = 0; i < 40; ++i) {
		client_floods(1000);
		client_reads_all(last, sizeof(last));
	}
	assert_int_equal(messages, 40000);
	assert_int_equal(overruns, 0);
	assert_int_equal(closes, 0);
}

/* The client reads nothing more: the end comes all the same. */
static void test_a_close_for_replies_does_not_wait_for_ever(void **state)
{
	(void)state;
	reply_len = 200;
	client_floods(9000);
	assert_int_equal(overruns, 1);
	pump_ahead(loop, STREAM_CLOSE_MS + 1);
	assert_int_equal(closes, 1);
	assert_int_equal(close_code, WS_CLOSE_POLICY);
}

static void test_two_roles_understand_each_other(void **state)
{
	struct stream *stream;
	struct ws *client;

	(void)state;
	assert_int_equal(stream_alloc(&stream, loop, dup(peer), NULL, NULL, NULL), 0);
	assert_int_equal(ws_alloc(&client, stream, WS_CLIENT, 0, &handlers, NULL), 0);
	ws_send_text(client, outgoing_copy("from the client", 15));
	pump(loop);
	assert_string_equal(heard, "from the client");
	ws_send_text(ws, outgoing_copy("from the server", 15));
	pump(loop);
	assert_string_equal(heard, "from the server");
	ws_close(client, 1000, NULL);
	shutdown(peer, SHUT_RDWR);
	pump(loop);
	assert_int_equal(closes, 2);
	closes = 1; /* for tear_down */
}

/* What the heap holds for a plain idle connection, libuv's and ours. */
static void test_an_idle_connection_costs_at_most_700_bytes(void **state)
{
	enum { COUNT = 200 };
	struct ws *all[COUNT];
	int far[COUNT];
	size_t before = mallinfo2().uordblks;
	size_t each;

	(void)state;
	for (int i = 0; i < COUNT; ++i) {
		struct stream *stream;
		int fd[2];

		socket_pair(fd);
		far[i] = fd[1];
		assert_int_equal(stream_alloc(&stream, loop, fd[0], NULL, NULL, NULL), 0);
		assert_int_equal(ws_alloc(&all[i], stream, WS_SERVER, 0, &handlers, NULL), 0);
	}
	pump(loop);
	each = (mallinfo2().uordblks - before) / COUNT;
	print_message("an idle WebSocket costs %zu bytes of heap\n", each);
	assert_true(each <= 700);
	assert_true(each > 300 || before == 0); /* a sanitizer's malloc does not count */
	for (int i = 0; i < COUNT; ++i) {
		ws_abort(all[i]);
		close(far[i]);
	}
	pump(loop);
	assert_int_equal(closes, COUNT);
	closes = 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_silent_peer_is_pinged_then_given_up),
		TEST(test_a_client_that_is_not_read_is_not_given_up),
		TEST(test_any_byte_keeps_the_watch_content),
		TEST(test_our_close_is_answered),
		TEST(test_a_close_nobody_answers_has_a_limit),
		TEST(test_what_was_queued_leaves_before_the_close),
		TEST(test_a_close_fills_and_never_drains),
		TEST(test_a_long_reason_is_cut_at_a_character),
		TEST(test_the_peers_close_is_echoed_and_told),
		TEST(test_a_broken_connection_is_1006),
		TEST(test_closing_from_a_message_delivers_no_other),
		TEST(test_an_abort_from_the_owner_delivers_nothing_more),
		TEST(test_a_barge_in_drops_what_has_not_left),
		TEST(test_replies_that_nobody_reads_close_the_connection),
		TEST(test_replies_that_are_read_close_nothing),
		TEST(test_a_close_for_replies_does_not_wait_for_ever),
		TEST(test_two_roles_understand_each_other),
		TEST(test_an_idle_connection_costs_at_most_700_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
