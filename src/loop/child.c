/*
 * child.c: a child process with one socket (see child.h).
 */
#include "loop/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

/* libuv's handle must live until its close callback; the object may go before. */
struct process {
	uv_process_t uv;
	struct loop *loop;
	struct child *child; /* NULL once given up */
};

struct child {
	struct process *process; /* NULL once the exit was told */
	child_exit_h *handler;
	void *arg;
};

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
	child->handler((int)status, signal, child->arg);
	loop_leave(loop);
}

static void child_destroy(void *object)
{
	struct child *child = object;

	if (!child->process)
		return;
	child->process->child = NULL;
	uv_process_kill(&child->process->uv, SIGKILL);
}

static int start(struct process *process, struct loop *loop, char *const argv[], char *const env[],
		 int fd)
{
	uv_stdio_container_t stdio[CHILD_SOCKET_FD + 1] = {
		{.flags = UV_IGNORE},
		{.flags = UV_INHERIT_FD, .data.fd = STDERR_FILENO},
		{.flags = UV_INHERIT_FD, .data.fd = STDERR_FILENO},
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
		char *const env[], child_exit_h *handler, void *arg)
{
	struct child *child = mem_zalloc(sizeof(*child), child_destroy);
	struct process *process = calloc(1, sizeof(*process));
	int fds[2] = {-1, -1};
	int err = ENOMEM;

	if (!child || !process)
		goto out;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0 ||
	    fcntl(fds[0], F_SETFL, O_NONBLOCK) != 0) {
		err = errno;
		goto out;
	}
	process->uv.data = process;
	process->loop = loop;
	err = start(process, loop, argv, env, fds[1]);
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
