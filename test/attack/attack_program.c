/*
 * attack_program.c: makes the attempts of attack.c, and stands in for the
 * server that starts it.
 *
 *   attack list
 *       The names of all attempts.
 *   attack [--narrow] run DATA VOICES NAME...
 *       Makes them and prints "NAME done" or "NAME refused ERRNO" for each, where it
 *       lives so long.  --narrow: behind the filter of an engine in C that is open.
 *   attack [--inherit FILE] [--calls FILE] server PROGRAM [ARGUMENT]...
 *       Runs the program as a server runs its launcher: from a process that hides
 *       its memory.  --inherit: with the file as descriptor 3, open for reading and
 *       writing.  --calls: with no other system calls than those named in the
 *       file, and no new namespaces, as a service manager would have it.
 *       The exit status is the program's, or 128 and the signal that ended it.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"
#include "workers/confine.h"

#define NAMESPACES                                                                                 \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |             \
	 CLONE_NEWPID | CLONE_NEWNET)

static int run(char **words)
{
	const char *data = words[0];
	const char *voices = data ? words[1] : NULL;

	if (!voices)
		return 2;
	for (words += 2; *words; ++words) {
		const struct attack *attack = attack_find(*words);
		char line[128];
		int err;
		int n;

		if (!attack)
			return 2;
		err = attack->run(attack->needs && strcmp(attack->needs, "data") == 0 ? data
										      : voices);
		n = err ? snprintf(line, sizeof(line), "%s refused %s\n", *words,
				   strerrorname_np(err))
			: snprintf(line, sizeof(line), "%s done\n", *words);
		if (write(STDOUT_FILENO, line, (size_t)n) != n)
			return 1;
	}
	return 0;
}

/* As SystemCallFilter= and RestrictNamespaces=yes of a unit. */
static int allow_calls(const char *file)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	FILE *names = fopen(file, "re");
	char name[64];

	if (!filter || !names)
		return ENOMEM;
	while (fscanf(names, "%63s", name) == 1) {
		int call = seccomp_syscall_resolve_name(name);

		if (call == __NR_SCMP_ERROR || strcmp(name, "unshare") == 0 ||
		    strcmp(name, "setns") == 0 || strcmp(name, "clone3") == 0)
			continue;
		if (strcmp(name, "clone") == 0)
			(void)seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1,
					       SCMP_A0(SCMP_CMP_MASKED_EQ, NAMESPACES, 0));
		else
			(void)seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
	}
	fclose(names);
	/* The C library goes back to clone. */
	(void)seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	return -seccomp_load(filter);
}

static int serve(char **words)
{
	int status;
	pid_t pid;

	if (!*words || confine_hide_memory() != 0)
		return 2;
	pid = fork();
	if (pid == 0) {
		execv(*words, words);
		fprintf(stderr, "attack: cannot run %s: %s\n", *words, strerror(errno));
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 126;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int inherit(const char *file)
{
	int fd = open(file, O_RDWR);

	if (fd < 0 || (fd != 3 && dup2(fd, 3) != 3))
		return errno;
	return fd != 3 && close(fd) ? errno : 0;
}

int main(int argc, char **argv)
{
	char **words = argv + 1;
	int err = 0;

	(void)argc;
	attack_prepare();
	for (; !err && *words && strncmp(*words, "--", 2) == 0; ++words) {
		if (strcmp(*words, "--narrow") == 0)
			err = confine_engine();
		else if (strcmp(*words, "--inherit") == 0 && words[1])
			err = inherit(*++words);
		else if (strcmp(*words, "--calls") == 0 && words[1])
			err = allow_calls(*++words);
		else
			err = EINVAL;
	}
	if (err) {
		fprintf(stderr, "attack: %s: %s\n", words[-1], strerror(err));
		return 2;
	}
	if (*words && strcmp(*words, "run") == 0)
		return run(words + 1);
	if (*words && strcmp(*words, "server") == 0)
		return serve(words + 1);
	if (!*words || strcmp(*words, "list") != 0)
		return 2;
	for (size_t i = 0; i < attack_count; ++i)
		puts(attack_table[i].name);
	return 0;
}
