/*
 * A server that was not started is not stopped: process 0 would be our own process group, and
 * process -1 would be all processes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/echo.h"
#include "bench/load_clients.h"
#include "bench/target.h"

static void stop_echo(void)
{
	struct echo echo = {0};

	echo_stop(&echo);
}

static void stop_target(void)
{
	struct target target = {0};

	target_stop(&target);
}

static void close_callers(void)
{
	struct load_clients callers = {0};

	load_clients_close(&callers);
}

/* Runs `stop` in a separate process group, which is all that it can affect. */
static int status_of(void (*stop)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		setpgid(0, 0);
		stop();
		_exit(7);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void test_what_was_not_started_is_not_stopped(void **state)
{
	void (*const stops[])(void) = {stop_echo, stop_target, close_callers};

	(void)state;
	for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); ++i) {
		int status = status_of(stops[i]);

		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_not_started_is_not_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
