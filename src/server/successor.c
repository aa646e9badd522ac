/*
 * successor.c: replaces this server by a newer one (see successor.h).
 *
 * Runs on the loop's thread.
 */
#include "server/successor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "loop/child.h"

/* The process to ask to end.  Set only in the environment of the new process. */
#define PREDECESSOR "SYRINX_PREDECESSOR"

/* More arguments than any command line of a person or a service has. */
#define ARGUMENTS_MAX 64
#define COMMAND_SIZE 16384

struct successor {
	char program[PATH_MAX];
	char command[COMMAND_SIZE]; /* the arguments, each with a NUL */
	char *arguments[ARGUMENTS_MAX + 1];
	struct loop *loop;
	const bool *is_draining;
	struct child *child; /* NULL unless a successor has been started and has not ended */
};

/* Read at start: when the file has been replaced, the kernel appends " (deleted)" to the link. */
static int successor_read_program(struct successor *successor)
{
	ssize_t n = readlink("/proc/self/exe", successor->program, PATH_MAX - 1);

	return n > 0 ? 0 : EIO;
}

/* Reads the arguments of this process.  A key on a command line would be missing, because commands
 * overwrite it there (cli/command.h); therefore `serve` has no option that takes a key. */
static int successor_read_arguments(struct successor *successor)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, successor->command, COMMAND_SIZE - 1);
	size_t count = 0;

	if (fd >= 0)
		close(fd);
	if (n <= 0 || n == COMMAND_SIZE - 1)
		return EIO;
	for (char *at = successor->command; at < successor->command + n; at += strlen(at) + 1) {
		if (count == ARGUMENTS_MAX)
			return EIO;
		successor->arguments[count++] = at;
	}
	return 0;
}

static void successor_destroy(void *object)
{
	struct successor *successor = object;

	mem_deref(successor->child); /* the process keeps running */
}

int successor_alloc(struct successor **successorp, struct loop *loop, const bool *is_draining)
{
	struct successor *successor = mem_zalloc(sizeof(*successor), successor_destroy);
	int err;

	if (!successor)
		return ENOMEM;
	successor->loop = loop;
	successor->is_draining = is_draining;
	err = successor_read_program(successor);
	if (!err)
		err = successor_read_arguments(successor);
	if (err) {
		mem_deref(successor);
		return err;
	}
	*successorp = successor;
	return 0;
}

static void successor_on_started(pid_t pid, void *arg)
{
	const struct successor *successor = arg;

	log_info("server", "process %ld of %s takes over when it is ready", (long)pid,
		 successor->program);
}

/* If this process is draining, the successor was ready and had taken its place. */
static void successor_on_exit(int err, int status, int signal, void *arg)
{
	struct successor *successor = arg;

	(void)status;
	(void)signal;
	successor->child = mem_deref(successor->child);
	if (err)
		log_error("server", "cannot start %s: %s", successor->program, strerror(err));
	else if (*successor->is_draining)
		log_error("server", "the successor has ended; this process is ending too");
	else
		log_error("server", "the successor ended before it was ready; this process stays");
}

int successor_start(struct successor *successor)
{
	char pid[16];
	int err;

	if (successor->child) {
		log_warn("server",
			 "process %ld is loading already; send SIGUSR2 again when it has "
			 "taken over",
			 (long)child_pid(successor->child));
		return EALREADY;
	}
	snprintf(pid, sizeof(pid), "%ld", (long)getpid());
	setenv(PREDECESSOR, pid, 1);
	err = child_spawn_detached(&successor->child, successor->loop, successor->program,
				   successor->arguments, environ, successor_on_started,
				   successor_on_exit, successor);
	unsetenv(PREDECESSOR);
	if (err)
		log_error("server", "cannot start %s: %s", successor->program, strerror(err));
	return err;
}

/* Only the parent is accepted: if it has ended, another process may have its id. */
bool successor_has_predecessor(void)
{
	const char *pid = getenv(PREDECESSOR);

	return pid && strtol(pid, NULL, 10) == (long)getppid();
}

/* A successor ends its predecessor itself; a server that was started by hand leaves that to the
 * operator. */
void successor_log_taken(const char *address, long pid, bool is_draining)
{
	if (successor_has_predecessor() || is_draining)
		log_info("server", "taking over %s from process %ld", address, pid);
	else
		log_warn("server",
			 "process %ld with the same data directory listens on %s too: both serve "
			 "until one of them is stopped (kill %ld)",
			 pid, address, pid);
}

void successor_take_over(bool is_serving)
{
	if (is_serving && successor_has_predecessor())
		kill(getppid(), SIGTERM);
	unsetenv(PREDECESSOR); /* so that workers do not inherit it */
}
