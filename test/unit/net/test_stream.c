/* Streams: in order, together, never more to the kernel than it asked for; what
 * has not begun can be dropped, what has is finished. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "net/stream.h"
#include "pump.h"

struct end {
	struct loop *loop;
	struct stream *stream;
	int peer;
	struct buf read;
	int ends;
	int fills;
	int drains;
	int sents;
	uint64_t lost; /* what the end threw away of tag 1 … */
	uint64_t lost_of_other; /* … and of tag 5 */
	uint64_t sent_tag;
	int closes;
	int err;
	bool in_call; /* of ours into the stream: no handler may be called */
};

static void on_read(void *arg, char *bytes, size_t n)
{
	struct end *end = arg;

	assert_false(end->in_call);
	end->ends += n == 0;
	assert_int_equal(buf_append(&end->read, bytes, n), 0);
}

static void on_filled(void *arg)
{
	struct end *end = arg;

	++end->fills;
}

static void on_drained(void *arg)
{
	struct end *end = arg;

	assert_false(end->in_call);
	++end->drains;
}

static void on_sent(void *arg, uint64_t tag)
{
	struct end *end = arg;

	assert_false(end->in_call);
	++end->sents;
	end->sent_tag = tag;
}

static void on_closed(void *arg, int err)
{
	struct end *end = arg;

	assert_false(end->in_call);
	end->lost = stream_drop(end->stream, 1);
	end->lost_of_other = stream_drop(end->stream, 5);
	++end->closes;
	end->err = err;
}

static const struct stream_handlers handlers = {.read = on_read,
						.filled = on_filled,
						.drained = on_drained,
						.sent = on_sent,
						.closed = on_closed};

/* A pair of sockets counts as full when a quarter of its buffer is used: with
 * this one, after one budget, as TCP does with its mark for unsent bytes. */
static void set_up(struct end *end)
{
	const int buffer = 2 * STREAM_BUDGET;
	int fd[2];

	*end = (struct end){0};
	buf_init(&end->read, 1 << 20);
	socket_pair(fd);
	setsockopt(fd[0], SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer));
	assert_int_equal(loop_alloc(&end->loop), 0);
	assert_int_equal(stream_alloc(&end->stream, end->loop, fd[0], NULL, &handlers, end), 0);
	end->peer = fd[1];
}

static void tear_down(struct end *end)
{
	if (end->closes == 0)
		stream_abort(end->stream, 0);
	pump(end->loop);
	assert_int_equal(end->closes, 1);
	close(end->peer);
	buf_reset(&end->read);
	mem_deref(end->loop);
	assert_int_equal(mem_live(), 0);
}

/* A message that weighs as much as it is long. */
static void queue(struct end *end, char fill, size_t len, uint64_t tag)
{
	struct outgoing *message = outgoing_alloc(len);

	assert_non_null(message);
	memset(outgoing_payload(message), fill, len);
	message->len = len;
	message->tag = tag;
	message->weight = (uint32_t)len;
	end->in_call = true;
	stream_queue(end->stream, message);
	end->in_call = false;
}

/* Reads all that comes while the loop is run; gives its length. */
static size_t read_all(struct end *end, char *out, size_t size)
{
	size_t len = 0;

	for (int idle = 0; idle < 3; ++idle) {
		ssize_t n;

		pump(end->loop);
		while ((n = recv(end->peer, out + len, size - len, 0)) > 0) {
			len += (size_t)n;
			idle = 0;
			pump(end->loop);
		}
	}
	return len;
}

static void test_bytes_come_and_the_end_once(void **state)
{
	struct end end;

	(void)state;
	set_up(&end);
	assert_int_equal(send(end.peer, "hello", 5, 0), 5);
	pump(end.loop);
	assert_int_equal(send(end.peer, " you", 4, 0), 4);
	assert_int_equal(shutdown(end.peer, SHUT_WR), 0);
	pump(end.loop);
	assert_int_equal(end.read.len, 9);
	assert_memory_equal(end.read.bytes, "hello you", 9);
	assert_int_equal(end.ends, 1);
	assert_int_equal(end.closes, 0); /* closing is the owner's */
	tear_down(&end);
}

static void test_what_one_callback_queues_leaves_together(void **state)
{
	struct end end;
	char got[16];

	(void)state;
	set_up(&end);
	queue(&end, 'a', 2, 0);
	queue(&end, 'b', 2, 0);
	queue(&end, 'c', 2, 0);
	assert_int_equal(recv(end.peer, got, sizeof(got), 0), -1); /* not before it ended */
	pump(end.loop);
	assert_int_equal(recv(end.peer, got, sizeof(got), 0), 6);
	assert_memory_equal(got, "aabbcc", 6);
	tear_down(&end);
}

static void test_many_messages_arrive_whole_and_in_order(void **state)
{
	struct end end;
	static char got[2000 * 100];

	(void)state;
	set_up(&end);
	for (int i = 0; i < 2000; ++i)
		queue(&end, (char)i, 100, 0);
	assert_int_equal(read_all(&end, got, sizeof(got)), sizeof(got));
	for (size_t i = 0; i < sizeof(got); ++i)
		assert_int_equal(got[i], (char)(i / 100));
	tear_down(&end);
}

/* What the kernel was given and the peer has not read. */
static int unread(const struct end *end)
{
	int bytes = -1;

	assert_int_equal(ioctl(end->peer, FIONREAD, &bytes), 0);
	return bytes;
}

static void test_the_kernel_is_given_one_budget_per_writable(void **state)
{
	static char got[STREAM_BUDGET];
	struct end end;

	(void)state;
	set_up(&end);
	for (int i = 0; i < 20; ++i)
		queue(&end, 'x', 10000, 1);
	loop_leave(end.loop);
	assert_int_equal(unread(&end), STREAM_BUDGET);
	uv_run(&end.loop->uv, UV_RUN_NOWAIT); /* nobody has read: not writable */
	assert_int_equal(unread(&end), STREAM_BUDGET);
	assert_int_equal(recv(end.peer, got, sizeof(got), MSG_WAITALL), STREAM_BUDGET);
	uv_run(&end.loop->uv, UV_RUN_NOWAIT);
	assert_int_equal(unread(&end), STREAM_BUDGET);
	tear_down(&end);
}

static void test_drop_spares_what_has_begun_and_other_tags(void **state)
{
	struct end end;
	static char got[100000];
	size_t len;

	(void)state;
	set_up(&end);
	queue(&end, 'a', 40000, 7); /* begun: the budget ends inside it */
	queue(&end, 'b', 1000, 7);
	queue(&end, 'c', 1000, 8);
	queue(&end, 'd', 1000, 0);
	queue(&end, 'e', 500, 7);
	loop_leave(end.loop);
	assert_int_equal(stream_drop(end.stream, 7), 1500);
	assert_int_equal(stream_drop(end.stream, 7), 0);
	len = read_all(&end, got, sizeof(got));
	assert_int_equal(len, 42000);
	assert_int_equal(got[39999], 'a');
	assert_int_equal(got[40000], 'c');
	assert_int_equal(got[41999], 'd');
	tear_down(&end);
}

static void test_drop_before_the_callback_ends_takes_all(void **state)
{
	struct end end;
	char got[16];

	(void)state;
	set_up(&end);
	queue(&end, 'a', 5, 3);
	queue(&end, 'b', 5, 3);
	assert_int_equal(stream_drop(end.stream, 3), 10);
	pump(end.loop);
	assert_int_equal(recv(end.peer, got, sizeof(got), 0), -1);
	tear_down(&end);
}

static void test_filled_and_drained_come_once_each(void **state)
{
	struct end end;
	static char got[1 << 20];

	(void)state;
	set_up(&end);
	queue(&end, 'x', STREAM_HIGH, 0);
	assert_false(stream_is_full(end.stream));
	read_all(&end, got, sizeof(got));
	assert_int_equal(end.fills, 0);
	assert_int_equal(end.drains, 0); /* was never above */
	queue(&end, 'x', 300000, 0);
	assert_int_equal(end.fills, 1); /* at once, for whoever makes more in a loop */
	queue(&end, 'x', 300000, 0);
	assert_int_equal(end.fills, 1);
	assert_true(stream_is_full(end.stream));
	read_all(&end, got, sizeof(got));
	assert_int_equal(end.drains, 1);
	assert_false(stream_is_full(end.stream));
	queue(&end, 'x', 300000, 0);
	assert_int_equal(end.fills, 2);
	tear_down(&end);
}

static void test_a_drop_drains_too(void **state)
{
	struct end end;

	(void)state;
	set_up(&end);
	for (int i = 0; i < 100; ++i)
		queue(&end, 'x', 10000, 1);
	pump(end.loop); /* as much as the pair holds: nobody reads */
	assert_true(stream_is_full(end.stream));
	end.in_call = true;
	stream_drop(end.stream, 1);
	end.in_call = false;
	pump(end.loop);
	assert_int_equal(end.drains, 1);
	tear_down(&end);
}

static void test_sent_comes_once_when_the_kernel_has_all(void **state)
{
	struct end end;
	static char got[1 << 20];

	(void)state;
	set_up(&end);
	assert_false(stream_notify_when_sent(end.stream, 3)); /* none waits */
	queue(&end, 'x', 900000, 3);
	end.in_call = true;
	assert_true(stream_notify_when_sent(end.stream, 3));
	end.in_call = false;
	pump(end.loop);
	assert_int_equal(end.sents, 0); /* the reader has not read yet */
	read_all(&end, got, sizeof(got));
	assert_int_equal(end.sents, 1);
	assert_int_equal(end.sent_tag, 3);
	assert_false(stream_notify_when_sent(end.stream, 3));
	queue(&end, 'x', 10, 3);
	pump(end.loop);
	assert_int_equal(end.sents, 1); /* nobody asked */
	tear_down(&end);
}

static void test_sent_of_one_tag_does_not_wait_for_others(void **state)
{
	struct end end;
	static char got[1 << 20];

	(void)state;
	set_up(&end);
	queue(&end, 'a', 1000, 3);
	queue(&end, 'b', 500000, 4);
	queue(&end, 'c', 10, 3);
	assert_true(stream_notify_when_sent(end.stream, 4));
	queue(&end, 'd', 400000, 5);
	assert_true(stream_notify_when_sent(end.stream, 5));
	assert_true(stream_notify_when_sent(end.stream, 3));
	while (end.sents == 0) {
		assert_true(recv(end.peer, got, 1000, 0) > 0 || errno == EAGAIN);
		pump(end.loop);
	}
	assert_int_equal(end.sents, 2); /* b and c fit into one budget */
	assert_int_equal(end.sent_tag, 3);
	read_all(&end, got, sizeof(got));
	assert_int_equal(end.sents, 3);
	assert_int_equal(end.sent_tag, 5);
	tear_down(&end);
}

static void test_what_was_dropped_is_not_told_as_sent(void **state)
{
	struct end end;
	static char got[1 << 20];

	(void)state;
	set_up(&end);
	queue(&end, 'a', 500000, 3);
	queue(&end, 'b', 10, 4);
	assert_true(stream_notify_when_sent(end.stream, 4));
	pump(end.loop);
	assert_int_equal(stream_drop(end.stream, 4), 10);
	read_all(&end, got, sizeof(got));
	assert_int_equal(end.sents, 0);
	tear_down(&end);
}

static void test_the_end_tells_what_it_threw_away(void **state)
{
	struct end end;

	(void)state;
	set_up(&end);
	queue(&end, 'x', 1000, 0);
	queue(&end, 'x', 30, 5);
	queue(&end, 'x', 4, 1);
	queue(&end, 'x', 7, 5);
	stream_abort(end.stream, EPIPE);
	pump(end.loop);
	assert_int_equal(end.lost, 4);
	assert_int_equal(end.lost_of_other, 37);
	tear_down(&end);
}

static void test_a_reader_that_stalls_is_given_up(void **state)
{
	struct end end;
	static char got[1 << 20];

	(void)state;
	set_up(&end);
	queue(&end, 'x', 900000, 0);
	pump(end.loop);
	pump_ahead(end.loop, STREAM_STALL_MS - 1000);
	assert_int_equal(end.closes, 0);
	assert_true(recv(end.peer, got, 300000, 0) > 0); /* it lives */
	pump(end.loop);
	pump_ahead(end.loop, STREAM_STALL_MS - 1000);
	assert_int_equal(end.closes, 0);
	pump_ahead(end.loop, 2000);
	assert_int_equal(end.closes, 1);
	assert_int_equal(end.err, ETIMEDOUT);
	tear_down(&end);
}

static void test_close_sends_what_is_queued_first(void **state)
{
	struct end end;
	static char got[1 << 20];

	(void)state;
	set_up(&end);
	queue(&end, 'x', 500000, 0);
	end.in_call = true;
	stream_close(end.stream);
	end.in_call = false;
	queue(&end, 'y', 5, 0); /* too late */
	assert_int_equal(read_all(&end, got, sizeof(got)), 500000);
	assert_int_equal(recv(end.peer, got, 1, 0), 0); /* it said its end */
	assert_int_equal(end.closes, 0); /* and waits for ours */
	shutdown(end.peer, SHUT_WR);
	pump(end.loop);
	assert_int_equal(end.closes, 1);
	assert_int_equal(end.err, 0);
	tear_down(&end);
}

static void test_close_does_not_wait_for_ever(void **state)
{
	struct end end;

	(void)state;
	set_up(&end);
	queue(&end, 'x', 900000, 0);
	stream_close(end.stream);
	pump(end.loop);
	pump_ahead(end.loop, STREAM_CLOSE_MS / 2); /* the real clock runs on, too */
	assert_int_equal(end.closes, 0);
	pump_ahead(end.loop, STREAM_CLOSE_MS);
	assert_int_equal(end.closes, 1);
	assert_int_equal(end.err, ETIMEDOUT);
	tear_down(&end);
}

/* The peer sends on, before it reads what we said last: it is not cut off while it does. */
static void test_a_peer_that_sends_on_after_the_end_is_waited_for(void **state)
{
	struct end end;
	char got[8];

	(void)state;
	set_up(&end);
	queue(&end, 'x', 5, 0);
	stream_close(end.stream);
	for (int i = 0; i < 5; ++i) {
		pump(end.loop);
		assert_int_equal(send(end.peer, "more", 4, 0), 4);
		pump(end.loop);
		pump_ahead(end.loop, 1500);
		assert_int_equal(end.closes, 0);
	}
	assert_int_equal(recv(end.peer, got, sizeof(got), 0), 5);
	pump_ahead(end.loop, 3000);
	assert_int_equal(end.closes, 1);
	assert_int_equal(end.err, 0);
	tear_down(&end);
}

/* But not for ever. */
static void test_a_peer_that_sends_without_end_is_cut_off(void **state)
{
	struct end end;

	(void)state;
	set_up(&end);
	stream_close(end.stream);
	for (int i = 0; i < 25 && end.closes == 0; ++i) {
		pump(end.loop);
		send(end.peer, "more", 4, MSG_NOSIGNAL);
		pump(end.loop);
		pump_ahead(end.loop, 1000);
	}
	assert_int_equal(end.closes, 1);
	tear_down(&end);
}

static void test_abort_tells_once_and_later(void **state)
{
	struct end end;

	(void)state;
	set_up(&end);
	queue(&end, 'x', 100, 0);
	end.in_call = true;
	stream_abort(end.stream, EPIPE);
	stream_abort(end.stream, 0);
	stream_close(end.stream);
	end.in_call = false;
	queue(&end, 'x', 100, 0); /* thrown away */
	assert_int_equal(end.closes, 0);
	pump(end.loop);
	assert_int_equal(end.closes, 1);
	assert_int_equal(end.err, EPIPE);
	tear_down(&end);
}

static void test_a_vanished_peer_is_an_error(void **state)
{
	struct end end;

	(void)state;
	set_up(&end);
	close(end.peer);
	end.peer = -1;
	queue(&end, 'x', 100, 0);
	pump(end.loop);
	assert_int_equal(end.closes, 1);
	assert_int_equal(end.err, EPIPE);
	tear_down(&end);
}

/* The stream is blocked between two messages, and a drop takes all that waits.  What
 * is queued later must leave when the peer reads, without a byte from the peer. */
static void test_a_blocked_stream_that_a_drop_emptied_writes_again(void **state)
{
	static char got[STREAM_BUDGET + 100];
	struct end end;

	(void)state;
	set_up(&end);
	for (int i = 0; i < 16; ++i)
		queue(&end, 'x', STREAM_BUDGET / 8, 1);
	pump(end.loop);
	assert_int_equal(stream_drop(end.stream, 1), STREAM_BUDGET);
	assert_int_equal(read_all(&end, got, sizeof(got)), STREAM_BUDGET);
	queue(&end, 'y', 100, 0);
	assert_int_equal(read_all(&end, got, sizeof(got)), 100);
	assert_int_equal(got[0], 'y');
	tear_down(&end);
}

/* The same peer still does not read: it is given up, as any that stalls. */
static void test_a_stall_after_a_drop_is_noticed(void **state)
{
	struct end end;

	(void)state;
	set_up(&end);
	for (int i = 0; i < 16; ++i)
		queue(&end, 'x', STREAM_BUDGET / 8, 1);
	pump(end.loop);
	assert_int_equal(stream_drop(end.stream, 1), STREAM_BUDGET);
	pump_ahead(end.loop, STREAM_STALL_MS + 1);
	assert_int_equal(end.closes, 0); /* nothing waits */
	queue(&end, 'y', 100, 0);
	pump(end.loop);
	pump_ahead(end.loop, STREAM_STALL_MS + 1);
	assert_int_equal(end.closes, 1);
	assert_int_equal(end.err, ETIMEDOUT);
	tear_down(&end);
}

static void test_nothing_is_read_while_paused(void **state)
{
	struct end end;

	(void)state;
	set_up(&end);
	stream_pause(end.stream, true);
	assert_int_equal(send(end.peer, "later", 5, 0), 5);
	pump(end.loop);
	assert_int_equal(end.read.len, 0);
	stream_pause(end.stream, false);
	pump(end.loop);
	assert_int_equal(end.read.len, 5);
	tear_down(&end);
}

static void test_control_messages_are_counted_apart(void **state)
{
	struct end end;
	struct outgoing *message = outgoing_copy("pong", 4);

	(void)state;
	set_up(&end);
	queue(&end, 'x', 100, 0);
	assert_int_equal(stream_queued_memory(end.stream, OUTGOING_CONTROL), 0);
	assert_non_null(message);
	message->kind = OUTGOING_CONTROL;
	stream_queue(end.stream, message);
	assert_true(stream_queued_memory(end.stream, OUTGOING_CONTROL) >= sizeof(struct outgoing));
	pump(end.loop);
	assert_int_equal(stream_queued_memory(end.stream, OUTGOING_CONTROL), 0);
	assert_int_equal(stream_queued_memory(end.stream, OUTGOING_PACED), 0);
	tear_down(&end);
}

static void test_what_is_queued_for_a_stranger_is_counted(void **state)
{
	static char got[1000];
	struct keyless all;
	struct keyless_member member = {0};
	struct end end;

	(void)state;
	set_up(&end);
	keyless_init(&all);
	keyless_join(&all, &member, NULL);
	queue(&end, 'x', 100, 0);
	stream_set_keyless(end.stream, &member);
	assert_true(all.bytes > 100 + sizeof(struct outgoing));
	queue(&end, 'y', 300, 1);
	assert_true(all.bytes > 400 + 2 * sizeof(struct outgoing));
	stream_drop(end.stream, 1);
	assert_true(all.bytes < 300);
	assert_int_equal(read_all(&end, got, sizeof(got)), 100);
	assert_int_equal(all.bytes, 0);
	queue(&end, 'z', 300, 1);
	stream_abort(end.stream, 0);
	assert_int_equal(all.bytes, 0); /* at once: others may have the room */
	keyless_leave(&member);
	tear_down(&end);
}

/* Two connected TCP sockets; the second is non-blocking. */
static void tcp_pair(int fd[2])
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t len = sizeof(address);
	int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(listening, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(listening, 1), 0);
	assert_int_equal(getsockname(listening, (struct sockaddr *)&address, &len), 0);
	fd[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(fd[1], (struct sockaddr *)&address, sizeof(address)), 0);
	fcntl(fd[1], F_SETFL, O_NONBLOCK);
	fd[0] = accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	assert_true(fd[0] >= 0);
	close(listening);
}

/* A client that never reads must not make the kernel swallow megabytes: by
 * default it would take 4 MB, a minute of audio that no barge-in gets back. */
static void test_a_slow_reader_holds_little_in_the_kernel(void **state)
{
	struct end end = {0};
	int fd[2];
	size_t taken;

	(void)state;
	tcp_pair(fd);
	buf_init(&end.read, 1024);
	end.peer = fd[1];
	assert_int_equal(loop_alloc(&end.loop), 0);
	assert_int_equal(stream_alloc(&end.stream, end.loop, fd[0], NULL, &handlers, &end), 0);
	for (int i = 0; i < 1000; ++i)
		queue(&end, 'x', 8600, 1);
	for (int i = 0; i < 50; ++i)
		pump(end.loop);
	taken = 8600000 - stream_drop(end.stream, 1); /* up to a message more than it took */
	print_message("the kernel took %zu bytes for a client that does not read\n", taken);
	assert_true(taken < 512 * 1024);
	assert_true(taken > STREAM_BUDGET);
	tear_down(&end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_come_and_the_end_once),
		cmocka_unit_test(test_what_one_callback_queues_leaves_together),
		cmocka_unit_test(test_many_messages_arrive_whole_and_in_order),
		cmocka_unit_test(test_the_kernel_is_given_one_budget_per_writable),
		cmocka_unit_test(test_drop_spares_what_has_begun_and_other_tags),
		cmocka_unit_test(test_drop_before_the_callback_ends_takes_all),
		cmocka_unit_test(test_filled_and_drained_come_once_each),
		cmocka_unit_test(test_a_drop_drains_too),
		cmocka_unit_test(test_sent_comes_once_when_the_kernel_has_all),
		cmocka_unit_test(test_sent_of_one_tag_does_not_wait_for_others),
		cmocka_unit_test(test_what_was_dropped_is_not_told_as_sent),
		cmocka_unit_test(test_the_end_tells_what_it_threw_away),
		cmocka_unit_test(test_a_reader_that_stalls_is_given_up),
		cmocka_unit_test(test_close_sends_what_is_queued_first),
		cmocka_unit_test(test_close_does_not_wait_for_ever),
		cmocka_unit_test(test_a_peer_that_sends_on_after_the_end_is_waited_for),
		cmocka_unit_test(test_a_peer_that_sends_without_end_is_cut_off),
		cmocka_unit_test(test_abort_tells_once_and_later),
		cmocka_unit_test(test_a_vanished_peer_is_an_error),
		cmocka_unit_test(test_a_blocked_stream_that_a_drop_emptied_writes_again),
		cmocka_unit_test(test_a_stall_after_a_drop_is_noticed),
		cmocka_unit_test(test_nothing_is_read_while_paused),
		cmocka_unit_test(test_control_messages_are_counted_apart),
		cmocka_unit_test(test_what_is_queued_for_a_stranger_is_counted),
		cmocka_unit_test(test_a_slow_reader_holds_little_in_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
