/*
 * successor.c: a server that puts a newer one in its place (see successor.h).
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

/* Who is to be asked to end: set for the new process alone. */
#define PREDECESSOR "SYRINX_PREDECESSOR"

/* Longer than any command line that a person or a service has. */
#define ARGUMENTS_MAX 64
#define COMMAND_SIZE 16384

struct successor {
	char program[PATH_MAX];
	char command[COMMAND_SIZE]; /* the arguments, a NUL behind each */
	char *arguments[ARGUMENTS_MAX + 1];
	struct loop *loop;
	const bool *is_draining;
	struct child *child; /* NULL unless one has been started and has not ended */
};

/* At the start: later the file may be another one, and its link says so. */
static int read_program(struct successor *successor)
{
	ssize_t n = readlink("/proc/self/exe", successor->program, PATH_MAX - 1);

	return n > 0 ? 0 : EIO;
}

/* The arguments of this process; a key on a command line is overwritten there
 * (cli/command.h), so `serve` has no option that takes one. */
static int read_arguments(struct successor *successor)
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

	mem_deref(successor->child); /* which runs on */
}

int successor_alloc(struct successor **successorp, struct loop *loop, const bool *is_draining)
{
	struct successor *successor = mem_zalloc(sizeof(*successor), successor_destroy);
	int err;

	if (!successor)
		return ENOMEM;
	successor->loop = loop;
	successor->is_draining = is_draining;
	err = read_program(successor);
	if (!err)
		err = read_arguments(successor);
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

/* Only the parent: a process id from elsewhere may be anybody's by now. */
bool successor_has_predecessor(void)
{
	const char *pid = getenv(PREDECESSOR);

	return pid && strtol(pid, NULL, 10) == (long)getppid();
}

/* A successor ends its predecessor itself; one that was started by hand leaves that to whoever
 * started it. */
void successor_tell_taken(const char *address, long pid, bool is_draining)
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
	unsetenv(PREDECESSOR); /* not for the workers */
}
