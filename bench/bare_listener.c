/*
 * bare_listener.c: drives bare-hear (see bare_listener.h).
 */
#include "bench/bare_listener.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

#define LINE_SIZE 16384

struct bare_listener {
	pid_t pid;
	int fd;
	FILE *answers;
};

static void bare_listener_destroy(void *object)
{
	struct bare_listener *bare = object;

	if (bare->answers)
		fclose(bare->answers);
	if (bare->fd >= 0)
		close(bare->fd);
	if (bare->pid > 0) {
		kill(bare->pid, SIGTERM);
		waitpid(bare->pid, NULL, 0);
	}
}

static void bare_listener_run(const char *engines_dir, int fd)
{
	char program[PATH_MAX];

	snprintf(program, sizeof(program), "%s/bare-hear", engines_dir);
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	execl(program, program, "answer", (char *)NULL);
	_exit(127);
}

int bare_listener_alloc(struct bare_listener **barep, const char *engines_dir)
{
	struct bare_listener *bare = mem_zalloc(sizeof(*bare), NULL);
	int fds[2];

	if (!bare)
		return ENOMEM;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
		mem_deref(bare);
		return errno;
	}
	bare->fd = fds[0];
	mem_set_destructor(bare, bare_listener_destroy);
	bare->pid = fork();
	if (bare->pid == 0)
		bare_listener_run(engines_dir, fds[1]);
	close(fds[1]);
	bare->answers = fdopen(dup(fds[0]), "re");
	if (bare->pid < 0 || !bare->answers) {
		mem_deref(bare);
		return EIO;
	}
	*barep = bare;
	return 0;
}

/* Sends a command and reads the line that answers it. */
static int bare_listener_ask(struct bare_listener *bare, const char *command, char line[LINE_SIZE])
{
	size_t len = strlen(command);

	if (send(bare->fd, command, len, MSG_NOSIGNAL) != (ssize_t)len ||
	    !fgets(line, LINE_SIZE, bare->answers))
		return EIO;
	line[strcspn(line, "\n")] = '\0';
	return 0;
}

int bare_listener_score(struct bare_listener *bare, const char *path, uint8_t *probabilities,
			size_t count, double *frame_s)
{
	char command[256];
	char line[LINE_SIZE];
	char *at;
	int err;

	snprintf(command, sizeof(command), "score %.200s\n", path);
	err = bare_listener_ask(bare, command, line);
	if (err)
		return err;
	*frame_s = strtod(line, &at);
	if (*at++ != ' ' || strlen(at) != 2 * count)
		return EPROTO;
	for (size_t i = 0; i < count; ++i) {
		const char digits[] = {at[2 * i], at[2 * i + 1], '\0'};

		probabilities[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return 0;
}

int bare_listener_hear(struct bare_listener *bare, const char *path, size_t from, size_t to,
		       struct bare_listener_words *words)
{
	char command[256];
	char line[LINE_SIZE];
	char *at;
	int err;

	snprintf(command, sizeof(command), "hear %.200s %zu %zu\n", path, from, to);
	err = bare_listener_ask(bare, command, line);
	if (err)
		return err;
	words->wall_s = strtod(line, &at);
	words->cpu_s = strtod(at, &at);
	snprintf(words->text, sizeof(words->text), "%.511s", *at == ' ' ? at + 1 : at);
	return 0;
}

double bare_listener_pace(const char *engines_dir, unsigned seconds, unsigned threads,
			  const char *arguments)
{
	static char command[65536];
	double audio_s = 0, cpu_s = 0, wall_s = 0;
	FILE *pipe;
	int n;

	snprintf(command, sizeof(command), "'%s/bare-hear' pace %u %u %s", engines_dir, seconds,
		 threads, arguments);
	pipe = popen(command, "re");
	if (!pipe)
		return -1;
	n = fscanf(pipe, "%lf %lf %lf", &audio_s, &cpu_s, &wall_s);
	return pclose(pipe) == 0 && n == 3 && audio_s > 0 ? cpu_s / audio_s : -1;
}
