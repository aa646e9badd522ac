/*
 * child.c: a child process with one socket (see child.h).
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
#include <unistd.h>

#include "base/mem.h"
#include "loop/child_output.h"

/* libuv's handle must live until its close callback; the object may go before. */
struct process {
	uv_process_t uv;
	struct loop *loop;
	struct child *child; /* NULL once given up */
};

struct child {
	struct process *process; /* NULL once the exit was told */
	struct child_output *output; /* NULL: our standard error */
	child_exit_h *handler;
	void *arg;
};

static void child_close_output(struct child *child)
{
	if (child->output)
		child_output_close(child->output);
	child->output = NULL;
}

static void on_closed(uv_handle_t *handle)
{
	free(handle->data);
}

static void on_exit_status(uv_process_t *uv, int64_t status, int signal)
{
	struct process *process = uv->data;
	struct child *child = process->child;
	struct loop *loop = process->loop;

	uv_close((uv_handle_t *)uv, on_closed);
	if (!child)
		return;
	child->process = NULL;
	loop_enter(loop);
	child_close_output(child);
	child->handler((int)status, signal, child->arg);
	loop_leave(loop);
}

static void child_destroy(void *object)
{
	struct child *child = object;

	child_close_output(child);
	if (!child->process)
		return;
	child->process->child = NULL;
	uv_process_kill(&child->process->uv, SIGKILL);
}

static int start(struct process *process, struct loop *loop, char *const argv[], char *const env[],
		 int output_fd, int fd)
{
	uv_stdio_container_t stdio[CHILD_SOCKET_FD + 1] = {
		{.flags = UV_IGNORE},
		{.flags = UV_INHERIT_FD, .data.fd = output_fd},
		{.flags = UV_INHERIT_FD, .data.fd = output_fd},
		{.flags = UV_INHERIT_FD, .data.fd = fd},
	};
	/* libuv's struct is not const-correct; it writes to neither list. */
	uv_process_options_t options = {
		.exit_cb = on_exit_status,
		.file = argv[0],
		.args = (char **)(uintptr_t)argv,
		.env = (char **)(uintptr_t)env,
		.stdio_count = CHILD_SOCKET_FD + 1,
		.stdio = stdio,
	};

	return -uv_spawn(&loop->uv, &process->uv, &options);
}

int child_spawn(struct child **childp, int *fdp, struct loop *loop, char *const argv[],
		char *const env[], const char *name, child_exit_h *handler, void *arg)
{
	struct child *child = mem_zalloc(sizeof(*child), child_destroy);
	struct process *process = calloc(1, sizeof(*process));
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
	err = name ? child_output_open(&child->output, &output_fd, loop, name) : 0;
	if (err)
		goto out;
	process->uv.data = process;
	process->loop = loop;
	err = start(process, loop, argv, env, name ? output_fd : STDERR_FILENO, fds[1]);
	if (output_fd >= 0)
		close(output_fd);
	if (err) { /* libuv has initialised the handle even so */
		uv_close((uv_handle_t *)&process->uv, on_closed);
		process = NULL;
		goto out;
	}
	process->child = child;
	child->process = process;
	child->handler = handler;
	child->arg = arg;
	*childp = child;
	*fdp = fds[0];
	close(fds[1]);
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

pid_t child_pid(const struct child *child)
{
	return child->process ? uv_process_get_pid(&child->process->uv) : -1;
}

void child_kill(struct child *child, int signal)
{
	if (child->process)
		uv_process_kill(&child->process->uv, signal);
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

/* schedstat is nanoseconds on a processor and nanoseconds on a run queue; the state in stat follows
 * the program's name, which ends with the last parenthesis. */
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
