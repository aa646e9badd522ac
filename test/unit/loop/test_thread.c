/* A thread's tasks are run in order and come back in order, none lost. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "loop/thread.h"

#define TASKS 2000

struct sum {
	struct task task;
	int value;
	int twice;
};

static struct sum sums[TASKS];
static int next_done;
static struct loop *loop;

static void run(struct list *batch, void *arg)
{
	(void)arg;
	for (struct link *l = list_first(batch); l; l = list_next(batch, l)) {
		struct sum *sum = LIST_OBJECT(l, struct sum, task.link);

		sum->twice = 2 * sum->value;
	}
}

static void done(struct task *task)
{
	struct sum *sum = LIST_OBJECT(task, struct sum, task);

	assert_int_equal(sum->value, next_done);
	assert_int_equal(sum->twice, 2 * next_done);
	if (++next_done == TASKS)
		loop_stop(loop);
}

static void test_all_tasks_come_back_in_order(void **state)
{
	struct thread *thread;

	(void)state;
	assert_int_equal(loop_alloc(&loop), 0);
	assert_int_equal(thread_alloc(&thread, loop, "sums", run, NULL), 0);
	next_done = 0;
	for (int i = 0; i < TASKS; ++i) {
		sums[i] = (struct sum){.value = i};
		thread_submit(thread, &sums[i].task, done);
	}
	loop_run(loop);
	assert_int_equal(next_done, TASKS);
	mem_deref(thread);
	mem_deref(loop);
	assert_int_equal(mem_live(), 0);
}

static void test_finish_does_what_was_submitted(void **state)
{
	struct thread *thread;

	(void)state;
	assert_int_equal(loop_alloc(&loop), 0);
	assert_int_equal(thread_alloc(&thread, loop, "sums", run, NULL), 0);
	next_done = 0;
	for (int i = 0; i < 10; ++i) {
		sums[i] = (struct sum){.value = i};
		thread_submit(thread, &sums[i].task, done);
	}
	mem_deref(thread);
	assert_int_equal(next_done, 10);
	mem_deref(loop);
	assert_int_equal(mem_live(), 0);
}

/* If the thread took it, the default action would end this process. */
static void test_signals_are_left_to_the_loop(void **state)
{
	sigset_t blocked, before;
	struct thread *thread;
	int number;

	(void)state;
	assert_int_equal(loop_alloc(&loop), 0);
	assert_int_equal(thread_alloc(&thread, loop, "sums", run, NULL), 0);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	assert_int_equal(kill(getpid(), SIGTERM), 0);
	assert_int_equal(sigwait(&blocked, &number), 0);
	assert_int_equal(number, SIGTERM);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	mem_deref(thread);
	mem_deref(loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_tasks_come_back_in_order),
		cmocka_unit_test(test_finish_does_what_was_submitted),
		cmocka_unit_test(test_signals_are_left_to_the_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
