/*
 * program.c: starts a program without blocking the loop (see program.h).
 *
 * posix_spawn suspends only the calling thread, and shares the memory with the new process until
 * the exec, so its cost does not depend on the server's memory use.
 */
#include "loop/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

/* Copies a list that ends with NULL into one block of memory. */
static char **program_copy(char *const words[])
{
	size_t count = 0;
	size_t size = 0;
	char **copy;
	char *at;

	for (; words[count]; ++count)
		size += strlen(words[count]) + 1;
	copy = malloc((count + 1) * sizeof(*copy) + size);
	if (!copy)
		return NULL;
	at = (char *)(copy + count + 1);
	for (size_t i = 0; i < count; ++i) {
		copy[i] = at;
		at = stpcpy(at, words[i]) + 1;
	}
	copy[count] = NULL;
	return copy;
}

/* Moves a descriptor above the numbers that the program's descriptors will have: they are set one
 * after another, so that one could otherwise overwrite the source of the next. */
static int program_lift(int *fd)
{
	int lifted;

	if (*fd < 0 || *fd > PROGRAM_LAST_FD)
		return 0;
	lifted = fcntl(*fd, F_DUPFD_CLOEXEC, PROGRAM_LAST_FD + 1);
	if (lifted < 0)
		return errno;
	close(*fd);
	*fd = lifted;
	return 0;
}

static void program_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int program_init(struct program *program, const char *path, char *const argv[], char *const env[],
		 int output_fd, int socket_fd)
{
	int err;

	*program = (struct program){
		.path = strdup(path),
		.argv = program_copy(argv),
		.env = program_copy(env),
		.output_fd = output_fd,
		.socket_fd = socket_fd,
		.pidfd = -1,
	};
	pthread_mutex_init(&program->lock, NULL);
	err = program->path && program->argv && program->env ? 0 : ENOMEM;
	if (!err)
		err = program_lift(&program->output_fd);
	if (!err)
		err = program_lift(&program->socket_fd);
	if (err)
		program_reset(program);
	return err;
}

void program_reset(struct program *program)
{
	program_close(&program->output_fd);
	program_close(&program->socket_fd);
	program_close(&program->pidfd);
	pthread_mutex_destroy(&program->lock);
	free(program->path);
	free(program->argv);
	free(program->env);
}

static int program_set_files(posix_spawn_file_actions_t *actions, const struct program *program)
{
	int err = 0;

	if (program->output_fd < 0)
		return 0;
	err = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!err)
		err = posix_spawn_file_actions_adddup2(actions, program->output_fd, STDOUT_FILENO);
	if (!err)
		err = posix_spawn_file_actions_adddup2(actions, program->output_fd, STDERR_FILENO);
	if (!err)
		err = posix_spawn_file_actions_adddup2(actions, program->socket_fd,
						       PROGRAM_LAST_FD);
	return err;
}

/* Resets the signals that this process blocks or ignores, so that the program starts without
 * that. */
static int program_run(pid_t *pid, const struct program *program)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int err = posix_spawn_file_actions_init(&actions);

	if (err)
		return err;
	err = posix_spawnattr_init(&attributes);
	if (err)
		goto out;
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	err = program_set_files(&actions, program);
	if (!err)
		err = posix_spawn(pid, program->path, &actions, &attributes, program->argv,
				  program->env);
	posix_spawnattr_destroy(&attributes);
out:
	posix_spawn_file_actions_destroy(&actions);
	return err;
}

static void program_start_now(struct program *program)
{
	pid_t pid = 0;
	int pidfd = -1;
	int err = 0;
	bool is_wanted;

	pthread_mutex_lock(&program->lock);
	is_wanted = program->signal == 0;
	pthread_mutex_unlock(&program->lock);
	if (is_wanted)
		err = program_run(&pid, program);
	if (is_wanted && !err) {
		pidfd = pidfd_open(pid, 0);
		if (pidfd < 0) { /* no descriptor is left, so its exit would go unnoticed */
			err = errno;
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
		}
	}
	if (!err) {
		program_close(&program->output_fd);
		program_close(&program->socket_fd);
	}
	pthread_mutex_lock(&program->lock);
	program->err = err;
	program->pidfd = pidfd;
	program->pid = err ? 0 : pid;
	if (program->pid && program->signal) /* program_kill was called during the start */
		kill(program->pid, program->signal);
	pthread_mutex_unlock(&program->lock);
}

static void program_start_batch(struct list *batch, void *arg)
{
	(void)arg;
	for (struct link *l = list_first(batch); l; l = list_next(batch, l))
		program_start_now(LIST_OBJECT(l, struct program, task.link));
}

/* Our parent may have started us with SIGCHLD ignored, and then the kernel keeps no exit status. */
static void program_keep_statuses(void)
{
	struct sigaction action;

	if (sigaction(SIGCHLD, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
		signal(SIGCHLD, SIG_DFL);
}

int program_start(struct program *program, struct loop *loop, task_done_h *done)
{
	int err = 0;

	if (!loop->spawner) {
		program_keep_statuses();
		err = thread_alloc(&loop->spawner, loop, "spawn", program_start_batch, NULL);
	}
	if (!err)
		thread_submit(loop->spawner, &program->task, done);
	return err;
}

void program_kill(struct program *program, int signal)
{
	pthread_mutex_lock(&program->lock);
	program->signal = signal;
	if (program->pid)
		kill(program->pid, signal);
	pthread_mutex_unlock(&program->lock);
}

pid_t program_pid(struct program *program)
{
	pid_t pid;

	pthread_mutex_lock(&program->lock);
	pid = program->pid;
	pthread_mutex_unlock(&program->lock);
	return pid;
}
