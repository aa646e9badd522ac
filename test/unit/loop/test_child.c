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
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "loop/child.h"
#include "loop/child_output.h"

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

static void bed_open_named(struct bed *bed, const char *script, const char *name)
{
	memset(bed, 0, sizeof(*bed));
	bed->name = name;
	assert_int_equal(loop_alloc(&bed->loop), 0);
	assert_int_equal(spawn(bed, "/bin/sh", script), 0);
}

static void bed_open(struct bed *bed, const char *script)
{
	bed_open_named(bed, script, NULL);
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

/* What a child's lines look like in our log, which is a file meanwhile. */
static char *log_of(const char *script)
{
	static char text[1 << 20];
	char path[] = "/tmp/syrinx-child-XXXXXX";
	int file = mkstemp(path);
	int kept = dup(STDERR_FILENO);
	struct bed bed;
	ssize_t n;

	assert_true(file >= 0 && kept >= 0);
	unlink(path);
	assert_int_equal(dup2(file, STDERR_FILENO), STDERR_FILENO);
	bed_open_named(&bed, script, "bird");
	bed_run(&bed, 20000);
	bed_close(&bed);
	dup2(kept, STDERR_FILENO);
	close(kept);
	n = pread(file, text, sizeof(text) - 1, 0);
	close(file);
	assert_true(n >= 0);
	text[n] = '\0';
	return text;
}

static size_t lines_with(const char *text, const char *words)
{
	size_t count = 0;

	while ((text = strstr(text, words))) {
		++count;
		text += strlen(words);
	}
	return count;
}

static void test_lines_of_a_child_are_logged_under_its_name(void **state)
{
	const char *log = log_of("echo one; echo two >&2; printf three");

	(void)state;
	assert_int_equal(lines_with(log, " info  bird: one\n"), 1);
	assert_int_equal(lines_with(log, " info  bird: two\n"), 1);
	assert_int_equal(lines_with(log, " info  bird: three\n"), 1);
}

static void test_a_line_in_the_form_of_the_log_keeps_its_level(void **state)
{
	const char *log = log_of("echo '2026-01-31T12:00:00.000Z warn  bird: sings';"
				 "echo '2026-01-31T12:00:00.000Z loud  bird: shouts'");

	(void)state;
	assert_int_equal(lines_with(log, " warn  bird: sings\n"), 1);
	assert_int_equal(lines_with(log, " info  bird: 2026-01-31T12:00:00.000Z loud "), 1);
}

static void test_a_child_cannot_write_lines_as_the_server(void **state)
{
	const char *log = log_of("printf 'server: ended\\033[2J\\r2026 error server: gone\\n'");

	(void)state;
	assert_int_equal(lines_with(log, "\n"), 1);
	assert_int_equal(lines_with(log, " bird: server: ended?[2J?2026"), 1);
}

static void test_a_child_cannot_touch_the_file_that_we_log_to(void **state)
{
	const char *log = log_of("[ -p /dev/stderr ] && echo pipe");

	(void)state;
	assert_int_equal(lines_with(log, "bird: pipe\n"), 1);
}

static void test_a_child_that_writes_without_end_is_cut_off(void **state)
{
	const char *log = log_of("i=0; while [ $i -lt 3000 ]; do echo noise; i=$((i+1)); done");

	(void)state;
	assert_int_equal(lines_with(log, "bird: noise\n"), CHILD_OUTPUT_LINES_MAX);
	assert_int_equal(lines_with(log, "bird: more than 1000 lines in a minute"), 1);
}

static void test_a_long_line_is_cut(void **state)
{
	const char *log = log_of("head -c 100000 /dev/zero | tr '\\0' a; echo; echo after");

	(void)state;
	assert_int_equal(lines_with(log, "\n"), 2);
	assert_int_equal(lines_with(log, "aaaaaaaa"), CHILD_OUTPUT_LINE_MAX / 8);
	assert_int_equal(lines_with(log, "bird: after\n"), 1);
}

static void test_a_child_that_was_given_up_is_heard_to_its_last_line(void **state)
{
	int kept = dup(STDERR_FILENO);
	char text[256] = "";
	struct bed bed;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	dup2(fds[1], STDERR_FILENO);
	bed_open_named(&bed, "echo last words; echo x >&3; exec sleep 100", "bird");
	while (recv(bed.fd, text, sizeof(text), 0) < 0) /* it has written before */
		;
	bed_close(&bed);
	dup2(kept, STDERR_FILENO);
	assert_true(read(fds[0], text, sizeof(text) - 1) > 0);
	assert_non_null(strstr(text, "bird: last words\n"));
	close(kept);
	close(fds[0]);
	close(fds[1]);
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
		cmocka_unit_test(test_lines_of_a_child_are_logged_under_its_name),
		cmocka_unit_test(test_a_line_in_the_form_of_the_log_keeps_its_level),
		cmocka_unit_test(test_a_child_cannot_write_lines_as_the_server),
		cmocka_unit_test(test_a_child_cannot_touch_the_file_that_we_log_to),
		cmocka_unit_test(test_a_child_that_writes_without_end_is_cut_off),
		cmocka_unit_test(test_a_long_line_is_cut),
		cmocka_unit_test(test_a_child_that_was_given_up_is_heard_to_its_last_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
