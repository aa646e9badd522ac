/* A listening socket for another process: it has what waits in the queue, also when
 * the first has closed it, and nobody gets the socket of another address. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "net/handover.h"
#include "net/listener.h"
#include "pump.h"

#define ADDRESS "127.0.0.1:8080"

static char dir[512];
static char inner[512]; /* a path that is too long for a Unix socket's */
static struct loop *loop;
static struct listener *listener;
static struct handover *handover;
static bool was_taken;
static int accepted;

static void on_accept(void *arg, int fd)
{
	(void)arg;
	++accepted;
	close(fd);
}

static void on_taken(void *arg, pid_t pid)
{
	(void)arg;
	assert_int_equal(pid, getpid());
	was_taken = true;
}

static int open_all(void **state)
{
	(void)state;
	was_taken = false;
	accepted = 0;
	strcpy(dir, "/tmp/syrinx-handover-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(inner, sizeof(inner), "%.64s/%0120d", dir, 0);
	if (mkdir(inner, 0700) != 0 || loop_alloc(&loop) != 0)
		return -1;
	return listener_alloc(&listener, loop, "127.0.0.1:0", on_accept, NULL);
}

static void file_path(char path[600])
{
	snprintf(path, 600, "%s/syrinx.listener", inner);
}

static void remove_files(void)
{
	char path[600];

	file_path(path);
	unlink(path);
	for (int slot = 0; slot < 2; ++slot) {
		snprintf(path, sizeof(path), "%s/syrinx.listener.%d", inner, slot);
		unlink(path);
	}
}

static int close_all(void **state)
{
	(void)state;
	pump(loop);
	mem_deref(loop);
	assert_int_equal(mem_live(), 0);
	remove_files();
	rmdir(inner);
	return rmdir(dir);
}

static void offer_as(int slot)
{
	assert_int_equal(handover_offer(&handover, loop, inner, slot, ADDRESS,
					listener_fd(listener), on_taken, NULL),
			 0);
}

static void offer(void)
{
	offer_as(0);
}

static int dial(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons(listener_port(listener)),
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

struct taking {
	const char *address;
	int fd;
	int slot;
	int err;
};

static void *take(void *arg)
{
	struct taking *taking = arg;

	taking->err = handover_take(&taking->fd, inner, taking->slot, taking->address);
	return NULL;
}

/* Beside the loop that gives it, as the other process does. */
static struct taking take_from(int slot, const char *address)
{
	struct taking taking = {.address = address, .slot = slot, .fd = -1};
	pthread_t thread;

	was_taken = false;
	assert_int_equal(pthread_create(&thread, NULL, take, &taking), 0);
	pump_until(loop, &was_taken);
	pthread_join(thread, NULL);
	return taking;
}

static struct taking take_beside(const char *address)
{
	return take_from(HANDOVER_ANY, address);
}

static void test_whoever_waits_when_the_old_one_closes_is_let_in_by_the_new(void **state)
{
	struct taking taking;
	struct listener *successor;
	int fds[3];
	char byte;

	(void)state;
	offer();
	taking = take_beside(ADDRESS);
	assert_int_equal(taking.err, 0);
	for (int i = 0; i < 3; ++i)
		fds[i] = dial();
	handover_close(handover);
	listener_close(listener);
	assert_int_equal(accepted, 0);
	assert_int_equal(listener_adopt(&successor, loop, taking.fd, on_accept, NULL), 0);
	pump(loop);
	assert_int_equal(accepted, 3);
	for (int i = 0; i < 3; ++i) {
		assert_int_equal(recv(fds[i], &byte, 1, 0), 0); /* an end, and no reset */
		close(fds[i]);
	}
	listener_close(successor);
}

static void test_another_address_s_socket_is_not_taken(void **state)
{
	struct taking taking;

	(void)state;
	offer();
	taking = take_beside("127.0.0.1:808");
	assert_int_equal(taking.err, ENOENT);
	assert_int_equal(taking.fd, -1);
	taking = take_beside(ADDRESS); /* and it is offered still */
	assert_int_equal(taking.err, 0);
	close(taking.fd);
	handover_close(handover);
	listener_close(listener);
}

static void test_the_last_offer_is_the_one_that_counts(void **state)
{
	struct handover *first;
	struct taking taking;

	(void)state;
	offer();
	first = handover;
	offer();
	handover_close(first);
	taking = take_beside(ADDRESS);
	assert_int_equal(taking.err, 0);
	close(taking.fd);
	handover_close(handover);
	listener_close(listener);
}

/* The one without a number was replaced, and is dead now. */
static void test_an_offer_outlives_those_that_came_after_it(void **state)
{
	struct handover *first;
	struct taking taking;
	int fd;

	(void)state;
	offer_as(0);
	first = handover;
	offer_as(1);
	handover_close(handover);
	assert_int_equal(handover_take(&fd, inner, 1, ADDRESS), ENOENT);
	assert_int_equal(handover_take(&fd, inner, HANDOVER_ANY, ADDRESS), ENOENT);
	taking = take_from(0, ADDRESS);
	assert_int_equal(taking.err, 0);
	close(taking.fd);
	assert_int_equal(handover_point(inner, 0), 0);
	taking = take_beside(ADDRESS);
	assert_int_equal(taking.err, 0);
	close(taking.fd);
	handover_close(first);
	listener_close(listener);
}

static void test_without_an_offer_there_is_nothing_to_take(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(handover_take(&fd, inner, HANDOVER_ANY, ADDRESS), ENOENT);
	assert_int_equal(handover_take(&fd, "/nowhere", HANDOVER_ANY, ADDRESS), ENOENT);
	offer();
	handover_close(handover); /* its file stays */
	assert_int_equal(handover_take(&fd, inner, HANDOVER_ANY, ADDRESS), ENOENT);
	listener_close(listener);
}

static void test_only_our_own_user_can_ask(void **state)
{
	struct stat status;
	char path[600];

	(void)state;
	offer();
	file_path(path);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	handover_close(handover);
	listener_close(listener);
}

static void test_what_cannot_be_offered_is_said(void **state)
{
	char address[600];

	(void)state;
	assert_int_equal(handover_offer(&handover, loop, "/nowhere", 0, ADDRESS,
					listener_fd(listener), on_taken, NULL),
			 ENOENT);
	memset(address, '1', sizeof(address));
	address[sizeof(address) - 1] = '\0';
	assert_int_equal(handover_offer(&handover, loop, inner, 0, address, listener_fd(listener),
					on_taken, NULL),
			 ENAMETOOLONG);
	listener_close(listener);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_whoever_waits_when_the_old_one_closes_is_let_in_by_the_new, open_all,
			close_all),
		cmocka_unit_test_setup_teardown(test_another_address_s_socket_is_not_taken,
						open_all, close_all),
		cmocka_unit_test_setup_teardown(test_the_last_offer_is_the_one_that_counts,
						open_all, close_all),
		cmocka_unit_test_setup_teardown(test_an_offer_outlives_those_that_came_after_it,
						open_all, close_all),
		cmocka_unit_test_setup_teardown(test_without_an_offer_there_is_nothing_to_take,
						open_all, close_all),
		cmocka_unit_test_setup_teardown(test_only_our_own_user_can_ask, open_all,
						close_all),
		cmocka_unit_test_setup_teardown(test_what_cannot_be_offered_is_said, open_all,
						close_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
