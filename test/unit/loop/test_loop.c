/* The event loop tells what happens to a descriptor, and ends without leaving anything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "loop/loop.h"

struct reader {
	struct loop *loop;
	struct watch watch;
	int fd;
	int bytes; /* read one at a time */
	int err; /* of the read that failed */
	bool is_closed;
};

/* Two ends of a TCP connection: a socket pair knows no reset. */
static void connect_pair(int fds[2])
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t len = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
	fds[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(fds[1], (struct sockaddr *)&address, len), 0);
	fds[0] = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	assert_true(fds[0] >= 0);
	close(listener);
}

static void send_and_reset(int fd)
{
	const struct linger at_once = {.l_onoff = 1};

	assert_int_equal(send(fd, "ab", 2, MSG_NOSIGNAL), 2);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)), 0);
	close(fd);
}

static void on_closed(void *arg)
{
	struct reader *reader = arg;

	close(reader->fd);
	reader->is_closed = true;
}

static void on_readable(void *arg, int events)
{
	struct reader *reader = arg;
	char byte;
	ssize_t n;

	assert_int_equal(events & ~WATCH_READ, 0);
	n = recv(reader->fd, &byte, 1, 0);
	if (n > 0) {
		++reader->bytes;
		return;
	}
	reader->err = n == 0 ? EPIPE : errno;
	watch_close(&reader->watch, on_closed);
	loop_stop(reader->loop);
}

static void test_reset_is_told_after_the_bytes_that_came_before_it(void **state)
{
	struct reader reader = {0};
	int fds[2];

	(void)state;
	connect_pair(fds);
	reader.fd = fds[0];
	assert_int_equal(loop_alloc(&reader.loop), 0);
	assert_int_equal(watch_open(&reader.watch, reader.loop, fds[0], on_readable, &reader), 0);
	watch_set(&reader.watch, WATCH_READ);
	send_and_reset(fds[1]);
	loop_run(reader.loop);
	assert_int_equal(reader.err, ECONNRESET);
	mem_deref(reader.loop);
	assert_true(reader.is_closed);
	assert_int_equal(mem_live(), 0);
}

static void on_never(void *arg, int events)
{
	(void)arg;
	(void)events;
	fail();
}

static void test_loop_that_was_stopped_before_it_ran_still_ends(void **state)
{
	struct reader reader = {0};
	int fds[2];

	(void)state;
	connect_pair(fds);
	reader.fd = fds[0];
	assert_int_equal(loop_alloc(&reader.loop), 0);
	assert_int_equal(watch_open(&reader.watch, reader.loop, fds[0], on_never, &reader), 0);
	loop_stop(reader.loop);
	watch_close(&reader.watch, on_closed);
	mem_deref(reader.loop);
	assert_true(reader.is_closed);
	close(fds[1]);
	assert_int_equal(mem_live(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reset_is_told_after_the_bytes_that_came_before_it),
		cmocka_unit_test(test_loop_that_was_stopped_before_it_ran_still_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
