/* Listening: any address form, a port of one's own, and no spinning without
 * descriptors. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/log.h"
#include "base/mem.h"
#include "net/listener.h"
#include "pump.h"

static int accepted;

static void on_accept(void *arg, int fd)
{
	(void)arg;
	++accepted;
	close(fd);
}

static int dial(uint16_t port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void finish(struct loop *loop, struct listener *listener)
{
	listener_close(listener);
	pump(loop);
	mem_deref(loop);
	assert_int_equal(mem_live(), 0);
}

static void test_addresses_of_every_form_are_listened_on(void **state)
{
	static const char *const rows[] = {"127.0.0.1:0", "localhost:0", ":0", "0.0.0.0:0"};
	struct loop *loop;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct listener *listener;
		int fd;

		assert_int_equal(loop_alloc(&loop), 0);
		assert_int_equal(listener_alloc(&listener, loop, rows[i], on_accept, NULL), 0);
		accepted = 0;
		assert_true(listener_port(listener) > 0);
		fd = dial(listener_port(listener)); /* over IPv4 */
		pump(loop);
		assert_int_equal(accepted, 1);
		close(fd);
		finish(loop, listener);
	}
}

static void test_what_is_no_address_is_refused(void **state)
{
	static const struct {
		const char *address;
		int err;
	} rows[] = {{"", EINVAL},
		    {"localhost", EINVAL},
		    {"127.0.0.1:", EINVAL},
		    {"::1:80", EINVAL},
		    {"127.0.0.1:http", EINVAL},
		    {"127.0.0.1:99999", EINVAL},
		    {"192.0.2.1:0", EADDRNOTAVAIL}};
	struct loop *loop;
	struct listener *listener;

	(void)state;
	assert_int_equal(loop_alloc(&loop), 0);
	for (size_t i = 0; i < COUNT(rows); ++i) {
		int err = listener_alloc(&listener, loop, rows[i].address, on_accept, NULL);

		if (err != rows[i].err)
			fail_msg("%s: %d", rows[i].address, err);
	}
	mem_deref(loop);
	assert_int_equal(mem_live(), 0);
}

static void test_an_address_that_is_listened_on_is_refused(void **state)
{
	struct loop *loop;
	struct listener *listener;
	struct listener *another;
	char address[32];

	(void)state;
	assert_int_equal(loop_alloc(&loop), 0);
	assert_int_equal(listener_alloc(&listener, loop, "127.0.0.1:0", on_accept, NULL), 0);
	snprintf(address, sizeof(address), "127.0.0.1:%u", listener_port(listener));
	assert_int_equal(listener_alloc(&another, loop, address, on_accept, NULL), EADDRINUSE);
	finish(loop, listener);
}

/* Several times: a port that was free a moment ago may be somebody's. */
static void test_a_free_address_of_the_same_host_is_found(void **state)
{
	struct loop *loop;
	struct listener *listener;
	struct listener *another;
	char address[32];
	char found[32];
	int err = EADDRINUSE;

	(void)state;
	assert_int_equal(loop_alloc(&loop), 0);
	assert_int_equal(listener_alloc(&listener, loop, "127.0.0.1:0", on_accept, NULL), 0);
	snprintf(address, sizeof(address), "127.0.0.1:%u", listener_port(listener));
	for (int i = 0; i < 100 && err == EADDRINUSE; ++i) {
		assert_int_equal(listener_find_free(found, sizeof(found), address), 0);
		err = listener_alloc(&another, loop, found, on_accept, NULL);
	}
	assert_int_equal(err, 0);
	assert_memory_equal(found, "127.0.0.1:", 10);
	assert_string_not_equal(found, address);
	listener_close(another);
	assert_int_equal(listener_find_free(found, sizeof(found), "127.0.0.1:0"), EINVAL);
	assert_int_equal(listener_find_free(found, sizeof(found), "localhost"), EINVAL);
	assert_int_equal(listener_find_free(found, 12, address), EINVAL);
	assert_int_equal(listener_find_free(found, sizeof(found), "127.0.0.1:65535"),
			 EADDRNOTAVAIL);
	finish(loop, listener);
}

static void test_without_descriptors_accepting_pauses_and_resumes(void **state)
{
	struct rlimit before;
	struct rlimit none;
	struct loop *loop;
	struct listener *listener;
	int fd;

	(void)state;
	assert_int_equal(loop_alloc(&loop), 0);
	assert_int_equal(listener_alloc(&listener, loop, "127.0.0.1:0", on_accept, NULL), 0);
	accepted = 0;
	fd = dial(listener_port(listener));
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 3; /* below all that are open */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	pump(loop);
	assert_int_equal(accepted, 0);
	assert_int_equal(loop->timers.heap.count, 1); /* it waits, it does not spin */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	pump(loop);
	assert_int_equal(accepted, 0);
	pump_ahead(loop, LISTENER_PAUSE_MS);
	assert_int_equal(accepted, 1);
	close(fd);
	finish(loop, listener);
}

static void test_a_crowd_is_let_in_by_and_by(void **state)
{
	struct loop *loop;
	struct listener *listener;
	int fd[200];

	(void)state;
	assert_int_equal(loop_alloc(&loop), 0);
	assert_int_equal(listener_alloc(&listener, loop, "127.0.0.1:0", on_accept, NULL), 0);
	accepted = 0;
	for (size_t i = 0; i < 200; ++i)
		fd[i] = dial(listener_port(listener));
	uv_run(&loop->uv, UV_RUN_NOWAIT);
	assert_in_range(accepted, 1, 199); /* others of the loop get their turn */
	pump(loop);
	assert_int_equal(accepted, 200);
	for (size_t i = 0; i < 200; ++i)
		close(fd[i]);
	finish(loop, listener);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses_of_every_form_are_listened_on),
		cmocka_unit_test(test_what_is_no_address_is_refused),
		cmocka_unit_test(test_an_address_that_is_listened_on_is_refused),
		cmocka_unit_test(test_a_free_address_of_the_same_host_is_found),
		cmocka_unit_test(test_without_descriptors_accepting_pauses_and_resumes),
		cmocka_unit_test(test_a_crowd_is_let_in_by_and_by),
	};

	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
