/*
 * tool.c: another program or a function, run in a process of its own (see tool.h).
 */
#include "cli/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/interrupt.h"

/* How often a picture of its progress is drawn: smooth, and still cheap. */
#define TICK_MS 150

/* It has this long to end after SIGTERM, then it is killed. */
#define GRACE_MS 2000

/* What a shell answers for a command that cannot be run. */
#define CANNOT_RUN 127

/* An ignored signal, and for a function a handled one, would be inherited. */
static void tool_reset_signals(void)
{
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
}

/* In the new process, which was forked from one thread only. */
static void tool_become(const struct tool *tool, pid_t parent)
{
	int null_fd = open("/dev/null", O_RDONLY);
	int out_fd;

	/* A link of that name could lead to any file, so it is replaced, not followed. */
	unlinkat(tool->dir_fd, tool->output, 0);
	out_fd = openat(tool->dir_fd, tool->output, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	tool_reset_signals();
	if (getppid() != parent || null_fd < 0 || out_fd < 0 || fchdir(tool->dir_fd) != 0)
		_exit(CANNOT_RUN);
	dup2(null_fd, STDIN_FILENO);
	dup2(out_fd, STDOUT_FILENO);
	dup2(out_fd, STDERR_FILENO);
	if (!tool->argv)
		_exit(tool->run(tool->arg));
	close_range(STDERR_FILENO + 1, ~0u, 0); /* a pipe must not stay open until it ends */
	/* execvp writes to neither the list nor the strings. */
	execvp(tool->argv[0], (char *const *)(uintptr_t)tool->argv);
	_exit(CANNOT_RUN);
}

/* Waits for the end of the process, as a descriptor, for so long at most. */
static bool tool_wait_for_end(int pid_fd, int timeout_ms)
{
	struct pollfd poll_fd = {.fd = pid_fd, .events = POLLIN};

	return poll(&poll_fd, 1, timeout_ms) > 0;
}

static int tool_reap(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : ECHILD;
}

static int tool_end(pid_t pid, int pid_fd)
{
	kill(-pid, SIGTERM);
	tool_wait_for_end(pid_fd, GRACE_MS);
	kill(-pid, SIGKILL);
	tool_reap(pid);
	return EINTR;
}

static int tool_attend(const struct tool *tool, pid_t pid, int pid_fd)
{
	while (!interrupt_came()) {
		if (tool_wait_for_end(pid_fd, TICK_MS))
			return tool_reap(pid);
		if (tool->tick)
			tool->tick(tool->arg);
	}
	return tool_end(pid, pid_fd);
}

int tool_run(const struct tool *tool)
{
	pid_t parent = getpid();
	pid_t pid = fork();
	int pid_fd;
	int err;

	if (pid < 0)
		return errno;
	if (pid == 0)
		tool_become(tool, parent);
	setpgid(pid, pid); /* parent and child both do, because either may be first */
	pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pid_fd < 0) {
		err = errno;
		kill(pid, SIGKILL);
		tool_reap(pid);
		return err;
	}
	err = tool_attend(tool, pid, pid_fd);
	close(pid_fd);
	return err;
}
