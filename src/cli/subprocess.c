/*
 * subprocess.c: runs another program or a function in a separate process (see subprocess.h).
 */
#include "cli/subprocess.h"

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

/* How often the progress is drawn: smooth, and still cheap. */
#define TICK_MS 150

/* The process has this long to exit after SIGTERM before it is killed. */
#define GRACE_MS 2000

/* A shell's exit status for a command that cannot be run. */
#define CANNOT_RUN 127

/* An ignored signal, and for a function also a signal handler, would be inherited. */
static void subprocess_reset_signals(void)
{
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
}

/* Runs in the new process, which was forked from a single-threaded one. */
static void subprocess_become(const struct subprocess *process, pid_t parent)
{
	int null_fd = open("/dev/null", O_RDONLY);
	int out_fd;

	/* A symbolic link with that name could lead to any file, so it is replaced, not followed. */
	unlinkat(process->dir_fd, process->output, 0);
	out_fd = openat(process->dir_fd, process->output, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
			0600);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	subprocess_reset_signals();
	if (getppid() != parent || null_fd < 0 || out_fd < 0 || fchdir(process->dir_fd) != 0)
		_exit(CANNOT_RUN);
	dup2(null_fd, STDIN_FILENO);
	dup2(out_fd, STDOUT_FILENO);
	dup2(out_fd, STDERR_FILENO);
	if (!process->argv)
		_exit(process->run(process->arg));
	/* Our descriptors, such as the end of a pipe, must not stay open in the process. */
	close_range(STDERR_FILENO + 1, ~0u, 0);
	/* execvp modifies neither the list nor the strings. */
	execvp(process->argv[0], (char *const *)(uintptr_t)process->argv);
	_exit(CANNOT_RUN);
}

/* Waits at most this long for the process, given as a descriptor, to end. */
static bool subprocess_wait_for_end(int pid_fd, int timeout_ms)
{
	struct pollfd poll_fd = {.fd = pid_fd, .events = POLLIN};

	return poll(&poll_fd, 1, timeout_ms) > 0;
}

static int subprocess_reap(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : ECHILD;
}

/* Waits for the process; if we are interrupted, ends it and its group. */
static int subprocess_attend(const struct subprocess *process, pid_t pid, int pid_fd)
{
	while (!interrupt_is_pending()) {
		if (subprocess_wait_for_end(pid_fd, TICK_MS))
			return subprocess_reap(pid);
		if (process->tick)
			process->tick(process->arg);
	}
	kill(-pid, SIGTERM);
	subprocess_wait_for_end(pid_fd, GRACE_MS);
	kill(-pid, SIGKILL);
	subprocess_reap(pid);
	return EINTR;
}

int subprocess_run(const struct subprocess *process)
{
	pid_t parent = getpid();
	pid_t pid = fork();
	int pid_fd;
	int err;

	if (pid < 0)
		return errno;
	if (pid == 0)
		subprocess_become(process, parent);
	setpgid(pid, pid); /* both the parent and the child do this, because either may run first */
	pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pid_fd < 0) {
		err = errno;
		kill(pid, SIGKILL);
		subprocess_reap(pid);
		return err;
	}
	err = subprocess_attend(process, pid, pid_fd);
	close(pid_fd);
	return err;
}
