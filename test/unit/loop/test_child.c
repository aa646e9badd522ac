/* A child's end is told once and with its reason; a child that was given up does
 * not outlive its owner, and nothing of it stays behind. */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "loop/child.h"

struct bed {
	struct loop *loop;
	struct child *child;
	struct timer limit;
	int fd;
	unsigned exits;
	int status, signal;
	const char *name; /* under which its lines are logged */
};

static void on_limit(void *arg)
{
	struct bed *bed = arg;

	loop_stop(bed->loop);
}

static void on_exit_told(int status, int signal, void *arg)
{
	struct bed *bed = arg;

	++bed->exits;
	bed->status = status;
	bed->signal = signal;
	loop_stop(bed->loop);
}

static int spawn(struct bed *bed, const char *program, const char *script)
{
	char words[3][200];
	char *argv[] = {words[0], words[1], words[2], NULL};
	char variable[] = "COLOUR=green";
	char *env[] = {variable, NULL};

	snprintf(words[0], sizeof(words[0]), "%s", program);
	snprintf(words[1], sizeof(words[1]), "-c");
	snprintf(words[2], sizeof(words[2]), "%s", script);
	return child_spawn(&bed->child, &bed->fd, bed->loop, argv, env, bed->name, on_exit_told,
			   bed);
}

static void bed_open(struct bed *bed, const char *script)
{
	memset(bed, 0, sizeof(*bed));
	assert_int_equal(loop_alloc(&bed->loop), 0);
	assert_int_equal(spawn(bed, "/bin/sh", script), 0);
}

static void bed_run(struct bed *bed, unsigned ms)
{
	timer_set(&bed->loop->timers, &bed->limit, ms * 1000u, on_limit, bed);
	loop_run(bed->loop);
	timer_clear(&bed->loop->timers, &bed->limit);
}

static void bed_close(struct bed *bed)
{
	close(bed->fd);
	mem_deref(bed->child);
	mem_deref(bed->loop);
	assert_int_equal(mem_live(), 0);
}

static void test_the_status_of_a_child_is_told_once(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, "exit 7");
	bed_run(&bed, 5000);
	assert_int_equal(bed.status, 7);
	assert_int_equal(bed.signal, 0);
	bed_run(&bed, 20);
	assert_int_equal(bed.exits, 1);
	bed_close(&bed);
}

static void test_the_signal_that_ended_a_child_is_told(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, "exec sleep 100");
	assert_true(child_pid(bed.child) > 0);
	child_kill(bed.child, SIGTERM);
	bed_run(&bed, 5000);
	assert_int_equal(bed.exits, 1);
	assert_int_equal(bed.signal, SIGTERM);
	bed_close(&bed);
}

static void test_a_child_that_has_ended_can_be_killed_in_vain(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, "exit 0");
	bed_run(&bed, 5000);
	assert_int_equal(child_pid(bed.child), -1);
	child_kill(bed.child, SIGKILL);
	bed_close(&bed);
}

/* Two of them on one processor: one always waits for the other. */
static void test_waiting_for_a_processor_is_told(void **state)
{
	static const char spin[] = "while :; do :; done";
	struct bed one, other;
	cpu_set_t processor;

	(void)state;
	bed_open(&one, spin);
	bed_open(&other, spin);
	CPU_ZERO(&processor);
	CPU_SET((size_t)sched_getcpu(), &processor);
	assert_int_equal(sched_setaffinity(child_pid(one.child), sizeof(processor), &processor), 0);
	assert_int_equal(sched_setaffinity(child_pid(other.child), sizeof(processor), &processor),
			 0);
	for (int i = 0; i < 500 && child_processors(one.child).waited_us < 50000; ++i)
		bed_run(&one, 20);
	assert_true(child_processors(one.child).waited_us >= 50000);
	assert_true(child_processors(one.child).is_ready);
	close(other.fd);
	mem_deref(other.child);
	mem_deref(other.loop);
	bed_close(&one);
}

static void test_a_child_that_sleeps_waits_for_no_processor(void **state)
{
	struct child_processors processors;
	struct bed bed;

	(void)state;
	bed_open(&bed, "exec sleep 100");
	do {
		bed_run(&bed, 20);
		processors = child_processors(bed.child);
	} while (processors.is_ready); /* until it sleeps */
	bed_run(&bed, 100);
	assert_int_equal(child_processors(bed.child).waited_us, processors.waited_us);
	assert_int_equal(child_processors(bed.child).ran_us, processors.ran_us);
	bed_close(&bed);
}

static void test_a_child_that_was_given_up_is_killed_and_not_heard(void **state)
{
	struct bed bed;
	pid_t pid;

	(void)state;
	bed_open(&bed, "exec sleep 100");
	pid = child_pid(bed.child);
	bed_close(&bed); /* waits for it */
	assert_int_equal(bed.exits, 0);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
}

static void test_a_child_has_a_socket_an_environment_and_nothing_to_read(void **state)
{
	struct bed bed;
	char said[64] = "";

	(void)state;
	bed_open(&bed, "read line; echo \"$COLOUR$line$HOME\" >&3");
	bed_run(&bed, 5000);
	assert_int_equal(bed.exits, 1);
	assert_true(recv(bed.fd, said, sizeof(said) - 1, MSG_DONTWAIT) > 0);
	assert_string_equal(said, "green\n");
	assert_int_equal(recv(bed.fd, said, sizeof(said), MSG_DONTWAIT), 0);
	bed_close(&bed);
}

static void test_a_program_that_is_not_there_leaves_nothing(void **state)
{
	struct bed bed = {0};

	(void)state;
	assert_int_equal(loop_alloc(&bed.loop), 0);
	assert_int_equal(spawn(&bed, "/nowhere/at/all", ""), ENOENT);
	assert_null(bed.child);
	bed_run(&bed, 10);
	assert_int_equal(bed.exits, 0);
	mem_deref(bed.loop);
	assert_int_equal(mem_live(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_status_of_a_child_is_told_once),
		cmocka_unit_test(test_the_signal_that_ended_a_child_is_told),
		cmocka_unit_test(test_a_child_that_has_ended_can_be_killed_in_vain),
		cmocka_unit_test(test_waiting_for_a_processor_is_told),
		cmocka_unit_test(test_a_child_that_sleeps_waits_for_no_processor),
		cmocka_unit_test(test_a_child_that_was_given_up_is_killed_and_not_heard),
		cmocka_unit_test(test_a_child_has_a_socket_an_environment_and_nothing_to_read),
		cmocka_unit_test(test_a_program_that_is_not_there_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
