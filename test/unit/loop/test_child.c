/* A child's end is reported once and with its reason; a child that was given up does not outlive
 * its owner; and the loop runs while a child is being started. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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
	int err, status, signal;
	const char *name; /* under which its lines are logged */
	struct timer tick;
	unsigned ticks;
	pid_t pid; /* of a detached one */
};

/* Starts pass this gate on the spawning thread: those of the C library, which these functions
 * stand in front of. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_closed;
	unsigned arrived;
	int err; /* what each start fails with */
	int pidfd_err;
} gate = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *file_actions,
		const posix_spawnattr_t *attrp, char *const argv[], char *const envp[])
{
	int (*real)(pid_t *, const char *, const posix_spawn_file_actions_t *,
		    const posix_spawnattr_t *, char *const[], char *const[]);
	int err;

	*(void **)&real = dlsym(RTLD_NEXT, "posix_spawn");
	pthread_mutex_lock(&gate.lock);
	++gate.arrived;
	pthread_cond_broadcast(&gate.changed);
	while (gate.is_closed)
		pthread_cond_wait(&gate.changed, &gate.lock);
	err = gate.err;
	pthread_mutex_unlock(&gate.lock);
	return err ? err : real(pid, path, file_actions, attrp, argv, envp);
}

int pidfd_open(pid_t pid, unsigned flags)
{
	int err;

	pthread_mutex_lock(&gate.lock);
	err = gate.pidfd_err;
	pthread_mutex_unlock(&gate.lock);
	if (err) {
		errno = err;
		return -1;
	}
	return (int)syscall(SYS_pidfd_open, pid, flags);
}

static void gate_set(bool is_closed, int err, int pidfd_err)
{
	pthread_mutex_lock(&gate.lock);
	gate.is_closed = is_closed;
	gate.err = err;
	gate.pidfd_err = pidfd_err;
	if (is_closed)
		gate.arrived = 0;
	pthread_cond_broadcast(&gate.changed);
	pthread_mutex_unlock(&gate.lock);
}

static void gate_await(unsigned arrived)
{
	pthread_mutex_lock(&gate.lock);
	while (gate.arrived < arrived)
		pthread_cond_wait(&gate.changed, &gate.lock);
	pthread_mutex_unlock(&gate.lock);
}

static void on_limit(void *arg)
{
	struct bed *bed = arg;

	loop_stop(bed->loop);
}

static void on_exit_told(int err, int status, int signal, void *arg)
{
	struct bed *bed = arg;

	++bed->exits;
	bed->err = err;
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

static void bed_run_until_started(struct bed *bed)
{
	while (child_pid(bed->child) < 0 && bed->exits == 0)
		uv_run(&bed->loop->uv, UV_RUN_ONCE);
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
	bed_run(&bed, 60000);
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
	bed_run_until_started(&bed);
	assert_true(child_pid(bed.child) > 0);
	child_kill(bed.child, SIGTERM);
	bed_run(&bed, 60000);
	assert_int_equal(bed.exits, 1);
	assert_int_equal(bed.signal, SIGTERM);
	bed_close(&bed);
}

static void test_a_child_that_has_ended_can_be_killed_in_vain(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed, "exit 0");
	bed_run(&bed, 60000);
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
	bed_run_until_started(&one);
	bed_run_until_started(&other);
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
	bed_run_until_started(&bed);
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
	bed_run_until_started(&bed);
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
	bed_run(&bed, 60000);
	assert_int_equal(bed.exits, 1);
	assert_true(recv(bed.fd, said, sizeof(said) - 1, MSG_DONTWAIT) > 0);
	assert_string_equal(said, "green\n");
	assert_int_equal(recv(bed.fd, said, sizeof(said), MSG_DONTWAIT), 0);
	bed_close(&bed);
}

/* The error comes from the handler, and the end of the socket not before it. */
static void check_failing(const char *program, int err)
{
	struct bed bed = {0};
	char byte;

	assert_int_equal(loop_alloc(&bed.loop), 0);
	assert_int_equal(spawn(&bed, program, "exit 0"), 0);
	while (bed.exits == 0) {
		assert_int_equal(recv(bed.fd, &byte, 1, MSG_DONTWAIT), -1);
		assert_int_equal(errno, EAGAIN);
		uv_run(&bed.loop->uv, UV_RUN_ONCE);
	}
	assert_int_equal(bed.err, err);
	assert_int_equal(bed.status, 0);
	assert_int_equal(bed.signal, 0);
	assert_int_equal(child_pid(bed.child), -1);
	assert_int_equal(recv(bed.fd, &byte, 1, MSG_DONTWAIT), 0);
	bed_run(&bed, 10);
	assert_int_equal(bed.exits, 1);
	bed_close(&bed);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void test_a_program_that_is_not_there_is_reported(void **state)
{
	(void)state;
	check_failing("/nowhere/at/all", ENOENT);
}

static void test_a_file_that_is_no_program_is_reported(void **state)
{
	(void)state;
	check_failing("/etc/passwd", EACCES);
}

static void test_a_lack_of_processes_is_reported(void **state)
{
	(void)state;
	gate_set(false, EAGAIN, 0);
	check_failing("/bin/sh", EAGAIN);
	gate_set(false, 0, 0);
}

static void test_a_process_whose_exit_would_go_unnoticed_is_not_kept(void **state)
{
	(void)state;
	gate_set(false, 0, EMFILE);
	check_failing("/bin/sh", EMFILE);
	gate_set(false, 0, 0);
}

static void on_tick(void *arg)
{
	struct bed *bed = arg;

	if (++bed->ticks == 10)
		loop_stop(bed->loop);
	else
		timer_set(&bed->loop->timers, &bed->tick, 1000, on_tick, bed);
}

static void test_the_loop_runs_while_a_child_is_being_started(void **state)
{
	struct bed bed;

	(void)state;
	gate_set(true, 0, 0);
	bed_open(&bed, "exit 7");
	gate_await(1);
	timer_set(&bed.loop->timers, &bed.tick, 1000, on_tick, &bed);
	loop_run(bed.loop);
	assert_int_equal(bed.ticks, 10);
	assert_int_equal(child_pid(bed.child), -1);
	assert_int_equal(child_processors(bed.child).ran_us, 0);
	assert_int_equal(bed.exits, 0);
	gate_set(false, 0, 0);
	bed_run(&bed, 60000);
	assert_int_equal(bed.status, 7);
	bed_close(&bed);
}

/* The second one waits for the first one, so nobody has begun to start it. */
static void test_a_child_that_is_killed_first_is_never_started(void **state)
{
	struct bed one, two = {0};

	(void)state;
	gate_set(true, 0, 0);
	bed_open(&one, "exec sleep 100");
	gate_await(1);
	two.loop = one.loop;
	assert_int_equal(spawn(&two, "/bin/sh", "exec sleep 100"), 0);
	child_kill(one.child, SIGINT);
	child_kill(two.child, SIGTERM);
	gate_set(false, 0, 0);
	while (one.exits + two.exits < 2)
		uv_run(&one.loop->uv, UV_RUN_ONCE);
	assert_int_equal(one.signal, SIGINT);
	assert_int_equal(two.signal, SIGTERM);
	assert_int_equal(two.err, 0);
	assert_int_equal(gate.arrived, 1);
	close(two.fd);
	mem_deref(two.child);
	bed_close(&one);
}

/* The owner of a socket may wait for its end after it has killed the child, without the loop. */
static void test_the_socket_of_a_child_that_is_killed_first_ends(void **state)
{
	struct bed bed;
	char byte;

	(void)state;
	gate_set(true, 0, 0);
	bed_open(&bed, "exec sleep 100");
	gate_await(1);
	child_kill(bed.child, SIGTERM);
	gate_set(false, 0, 0);
	while (recv(bed.fd, &byte, 1, 0) != 0)
		;
	bed_close(&bed);
}

static void test_a_child_that_is_given_up_first_leaves_nothing(void **state)
{
	struct bed bed;

	(void)state;
	gate_set(true, 0, 0);
	bed_open(&bed, "exec sleep 100");
	gate_await(1);
	bed.child = mem_deref(bed.child);
	gate_set(false, 0, 0);
	bed_close(&bed); /* ends the loop while the start is under way */
	assert_int_equal(bed.exits, 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void on_one_of_many(int err, int status, int signal, void *arg)
{
	unsigned *seen = arg;

	assert_int_equal(err, 0);
	assert_int_equal(signal, 0);
	assert_in_range(status, 0, 63);
	++seen[status];
}

static void test_many_children_are_started_at_once(void **state)
{
	enum { MANY = 64 };
	static char shell[] = "/bin/sh", option[] = "-c";
	char *const env[] = {NULL};
	struct child *children[MANY];
	unsigned seen[MANY] = {0};
	struct loop *loop;
	int fds[MANY];

	(void)state;
	assert_int_equal(loop_alloc(&loop), 0);
	for (int i = 0; i < MANY; ++i) {
		char script[16];
		char *const argv[] = {shell, option, script, NULL};

		snprintf(script, sizeof(script), "exit %d", i);
		assert_int_equal(child_spawn(&children[i], &fds[i], loop, argv, env, NULL,
					     on_one_of_many, seen),
				 0);
	}
	for (int i = 0; i < MANY; ++i) {
		while (seen[i] == 0)
			uv_run(&loop->uv, UV_RUN_ONCE);
	}
	for (int i = 0; i < MANY; ++i) {
		assert_int_equal(seen[i], 1);
		close(fds[i]);
		mem_deref(children[i]);
	}
	mem_deref(loop);
	assert_int_equal(mem_live(), 0);
}

static void test_a_child_has_none_of_our_signal_settings(void **state)
{
	sigset_t blocked, before;
	struct bed bed;

	(void)state;
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	signal(SIGPIPE, SIG_IGN);
	bed_open(&bed, "kill -PIPE $$; exit 3");
	bed_run(&bed, 60000);
	assert_int_equal(bed.signal, SIGPIPE);
	signal(SIGPIPE, SIG_DFL);
	bed_close(&bed);
	bed_open(&bed, "kill -TERM $$; exit 3");
	bed_run(&bed, 60000);
	assert_int_equal(bed.signal, SIGTERM);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	bed_close(&bed);
}

static void test_the_status_is_known_where_signals_of_children_were_ignored(void **state)
{
	struct bed bed;

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	bed_open(&bed, "exit 7");
	bed_run(&bed, 60000);
	assert_int_equal(bed.status, 7);
	bed_close(&bed);
}

static void on_started(pid_t pid, void *arg)
{
	struct bed *bed = arg;

	bed->pid = pid;
	loop_stop(bed->loop);
}

static void test_a_detached_child_runs_on(void **state)
{
	static char name[] = "heir", option[] = "-c";
	struct bed bed = {0};
	char script[64];
	char *const argv[] = {name, option, script, NULL};
	int to[2] = {-1, -1}, from[2] = {-1, -1};
	char said[16] = "";
	int status;

	(void)state;
	assert_true(pipe(to) == 0 && pipe(from) == 0);
	snprintf(script, sizeof(script), "read line <&%d; echo $0 >&%d", to[0], from[1]);
	assert_int_equal(loop_alloc(&bed.loop), 0);
	assert_int_equal(child_spawn_detached(&bed.child, bed.loop, "/bin/sh", argv, environ,
					      on_started, on_exit_told, &bed),
			 0);
	bed_run(&bed, 60000);
	assert_true(bed.pid > 0);
	assert_int_equal(child_pid(bed.child), bed.pid);
	mem_deref(bed.child);
	mem_deref(bed.loop);
	assert_int_equal(mem_live(), 0);
	assert_int_equal(write(to[1], "\n", 1), 1);
	assert_true(read(from[0], said, sizeof(said) - 1) > 0);
	assert_string_equal(said, "heir\n");
	assert_int_equal(bed.exits, 0);
	assert_int_equal(waitpid(bed.pid, &status, 0), bed.pid);
	for (int i = 0; i < 2; ++i) {
		close(to[i]);
		close(from[i]);
	}
}

static void test_the_end_of_a_detached_child_is_reported(void **state)
{
	static char name[] = "heir", option[] = "-c", script[] = "exit 7";
	char *const argv[] = {name, option, script, NULL};
	struct bed bed = {0};

	(void)state;
	assert_int_equal(loop_alloc(&bed.loop), 0);
	assert_int_equal(child_spawn_detached(&bed.child, bed.loop, "/bin/sh", argv, environ,
					      on_started, on_exit_told, &bed),
			 0);
	while (bed.exits == 0)
		bed_run(&bed, 60000);
	assert_int_equal(bed.status, 7);
	mem_deref(bed.child);
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
		cmocka_unit_test(test_a_program_that_is_not_there_is_reported),
		cmocka_unit_test(test_a_file_that_is_no_program_is_reported),
		cmocka_unit_test(test_a_lack_of_processes_is_reported),
		cmocka_unit_test(test_a_process_whose_exit_would_go_unnoticed_is_not_kept),
		cmocka_unit_test(test_the_loop_runs_while_a_child_is_being_started),
		cmocka_unit_test(test_a_child_that_is_killed_first_is_never_started),
		cmocka_unit_test(test_the_socket_of_a_child_that_is_killed_first_ends),
		cmocka_unit_test(test_a_child_that_is_given_up_first_leaves_nothing),
		cmocka_unit_test(test_many_children_are_started_at_once),
		cmocka_unit_test(test_a_child_has_none_of_our_signal_settings),
		cmocka_unit_test(test_the_status_is_known_where_signals_of_children_were_ignored),
		cmocka_unit_test(test_a_detached_child_runs_on),
		cmocka_unit_test(test_the_end_of_a_detached_child_is_reported),
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
