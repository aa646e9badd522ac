/*
 * child.c: a child process with one socket (see child.h).
 *
 * program.c starts it on a thread; everything here runs on the loop's thread, which is notified of
 * the exit by a pidfd.
 */
#include "loop/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "loop/child_output.h"
#include "loop/program.h"

/* The process.  It outlives the struct child if that is freed first, and is itself freed when the
 * process has been started and has ended. */
struct child_process {
	struct program program;
	struct watch exit; /* of the pidfd, once it has been started */
	struct loop *loop;
	struct child *child; /* NULL once that is freed */
	bool is_detached;
	bool is_watched;
};

struct child {
	struct child_process *process; /* NULL once its exit has been reported */
	struct child_output *output; /* NULL if it writes to our standard error */
	child_started_h *started;
	child_exit_h *handler;
	void *arg;
};

static void child_close_output(struct child *child)
{
	if (child->output)
		child_output_close(child->output);
	child->output = NULL;
}

static void child_free_process(void *arg)
{
	struct child_process *process = arg;

	program_reset(&process->program);
	free(process);
}

static void child_report_exit(struct child_process *process, int err, int status, int signal)
{
	struct child *child = process->child;

	if (!child)
		return;
	child->process = NULL;
	process->child = NULL;
	child_close_output(child);
	child->handler(err, status, signal, child->arg);
}

static void child_on_exit(void *arg, int events)
{
	struct child_process *process = arg;
	siginfo_t info = {0};
	int status = EXIT_FAILURE; /* if the status is lost because something else has reaped it */
	int signal = 0;

	(void)events;
	if (waitid(P_PIDFD, (id_t)process->program.pidfd, &info, WEXITED | WNOHANG) == 0) {
		if (info.si_pid == 0)
			return; /* the process has not ended */
		status = info.si_code == CLD_EXITED ? info.si_status : 0;
		signal = info.si_code == CLD_EXITED ? 0 : info.si_status;
	}
	watch_close(&process->exit, child_free_process);
	child_report_exit(process, 0, status, signal);
}

/* Watches the pidfd.  If that fails, the process is killed, because its exit would go unnoticed. */
static int child_watch_exit(struct child_process *process)
{
	int err = watch_open(&process->exit, process->loop, process->program.pidfd, child_on_exit,
			     process);

	if (err) {
		program_kill(&process->program, SIGKILL);
		waitpid(process->program.pid, NULL, 0);
		return err;
	}
	process->is_watched = true;
	watch_set(&process->exit, WATCH_READ);
	return 0;
}

static void child_on_started(struct task *task)
{
	struct child_process *process =
		LIST_OBJECT(&task->link, struct child_process, program.task.link);
	struct child *child = process->child;
	int err = process->program.err;
	bool is_running = process->program.pid != 0;

	if (is_running && !child && process->is_detached) {
		child_free_process(process);
		return;
	}
	if (is_running) {
		err = child_watch_exit(process);
		is_running = !err;
	}
	if (!is_running) {
		child_report_exit(process, err, 0, err ? 0 : process->program.signal);
		child_free_process(process);
	} else if (child && child->started) {
		child->started(process->program.pid, child->arg);
	}
}

static void child_destroy(void *object)
{
	struct child *child = object;
	struct child_process *process = child->process;

	child_close_output(child);
	if (!process)
		return;
	process->child = NULL;
	if (!process->is_detached)
		program_kill(&process->program, SIGKILL);
	else if (process->is_watched)
		watch_close(&process->exit, child_free_process);
}

/* The process owns the descriptors even if this fails; then the caller must free the process. */
static int child_start(struct child *child, struct child_process *process, const char *path,
		       char *const argv[], char *const env[], int output_fd, int socket_fd)
{
	int err = program_init(&process->program, path, argv, env, output_fd, socket_fd);

	if (err)
		return err;
	err = program_start(&process->program, process->loop, child_on_started);
	if (err) {
		program_reset(&process->program);
		return err;
	}
	process->child = child;
	child->process = process;
	return 0;
}

int child_spawn(struct child **childp, int *fdp, struct loop *loop, char *const argv[],
		char *const env[], const char *name, child_exit_h *handler, void *arg)
{
	struct child *child = mem_zalloc(sizeof(*child), child_destroy);
	struct child_process *process = calloc(1, sizeof(*process));
	int fds[2] = {-1, -1};
	int output_fd = -1;
	int err = ENOMEM;

	if (!child || !process)
		goto out;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0 ||
	    fcntl(fds[0], F_SETFL, O_NONBLOCK) != 0) {
		err = errno;
		goto out;
	}
	if (name) {
		err = child_output_open(&child->output, &output_fd, loop, name);
	} else {
		output_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, PROGRAM_LAST_FD + 1);
		err = output_fd < 0 ? errno : 0;
	}
	if (err)
		goto out;
	process->loop = loop;
	child->handler = handler;
	child->arg = arg;
	err = child_start(child, process, argv[0], argv, env, output_fd, fds[1]);
	fds[1] = -1;
	if (err)
		goto out;
	*childp = child;
	*fdp = fds[0];
	return 0;
out:
	for (int i = 0; i < 2; ++i) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	free(process);
	mem_deref(child);
	return err;
}

int child_spawn_detached(struct child **childp, struct loop *loop, const char *path,
			 char *const argv[], char *const env[], child_started_h *started,
			 child_exit_h *handler, void *arg)
{
	struct child *child = mem_zalloc(sizeof(*child), child_destroy);
	struct child_process *process = calloc(1, sizeof(*process));
	int err = ENOMEM;

	if (child && process) {
		process->loop = loop;
		process->is_detached = true;
		child->started = started;
		child->handler = handler;
		child->arg = arg;
		err = child_start(child, process, path, argv, env, -1, -1);
	}
	if (err) {
		free(process);
		mem_deref(child);
		return err;
	}
	*childp = child;
	return 0;
}

pid_t child_pid(const struct child *child)
{
	pid_t pid = child->process ? program_pid(&child->process->program) : 0;

	return pid ? pid : -1;
}

void child_kill(struct child *child, int signal)
{
	if (child->process)
		program_kill(&child->process->program, signal);
}

static bool child_read_file(char *text, size_t size, int tasks_fd, const char *thread,
			    const char *name)
{
	char path[NAME_MAX + sizeof("/schedstat")];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%.*s/%s", NAME_MAX, thread, name);
	fd = openat(tasks_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, size - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* schedstat has the nanoseconds on a processor and the nanoseconds on a run queue.  In stat, the
 * state follows the program's name, which ends with the last parenthesis. */
static void child_add_thread(struct child_processors *sum, int tasks_fd, const char *thread)
{
	char text[512];
	const char *name_end;
	char *next;

	if (child_read_file(text, sizeof(text), tasks_fd, thread, "schedstat")) {
		sum->ran_us += strtoull(text, &next, 10) / 1000;
		sum->waited_us += strtoull(next, NULL, 10) / 1000;
	}
	if (child_read_file(text, sizeof(text), tasks_fd, thread, "stat")) {
		name_end = strrchr(text, ')');
		sum->is_ready |= name_end && strncmp(name_end, ") R", 3) == 0;
	}
}

struct child_processors child_processors(const struct child *child)
{
	struct child_processors sum = {0};
	const struct dirent *entry;
	char path[64];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)child_pid(child));
	tasks = opendir(path);
	if (!tasks)
		return sum;
	while ((entry = readdir(tasks))) {
		if (entry->d_name[0] != '.')
			child_add_thread(&sum, dirfd(tasks), entry->d_name);
	}
	closedir(tasks);
	return sum;
}
