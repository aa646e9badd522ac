/*
 * confine.c: `syrinx confine`: runs a program with a worker's limits.
 *
 * The server starts every engine through it, so that an engine in any language is confined
 * before its first instruction. An engine's author can use it to see whether the engine works
 * within the limits.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/command.h"
#include "workers/confine.h"

/* Reads UID:GID as numbers, because names cannot be looked up at this point. */
static int confine_read_user(struct confine_request *request, const struct command_call *call)
{
	const char *value = command_value(call, "user");
	unsigned uid, gid;
	char rest;

	if (!value)
		return COMMAND_OK;
	if (sscanf(value, "%u:%u%c", &uid, &gid, &rest) != 2 || uid == UINT_MAX || gid == UINT_MAX)
		return command_usage_error(call->command, "--user must be UID:GID, not %s", value);
	request->switch_user = true;
	request->uid = uid;
	request->gid = gid;
	return COMMAND_OK;
}

static int confine_read_request(struct confine_request *request, const struct command_call *call)
{
	int64_t memory_mb, parent;

	if (command_number(&memory_mb, call, "memory-mb", 0, 1 << 20, 0) != 0 ||
	    command_number(&parent, call, "parent", 0, INT_MAX, 0) != 0)
		return COMMAND_USAGE;
	*request = (struct confine_request){
		.memory_mb = (uint32_t)memory_mb,
		.paths = command_value(call, "read"),
		.parent = (pid_t)parent,
		.jit = command_value(call, "jit") != NULL,
	};
	return confine_read_user(request, call);
}

static void confine_print(bool enforced, const char *sentence, void *arg)
{
	const int *fd = arg;

	dprintf(*fd, "%s: %s\n", enforced ? "enforced" : "not enforced", sentence);
}

static int confine_explain_child(const struct confine_request *request, int fd)
{
	struct confine_report report;
	int err = confine_outer(request, &report);

	if (err)
		dprintf(fd, "not enforced: no limit, because the process cannot be confined: %s\n",
			strerror(err));
	else
		confine_explain(&report, confine_print, &fd);
	return err ? COMMAND_FAILED : COMMAND_OK;
}

/* A confined process cannot write to files, and our standard output may be a file. Therefore a
 * child confines itself and reports the result through a pipe. */
static int confine_run_explain(struct confine_request *request)
{
	char bytes[1024];
	int fds[2];
	int status = 0;
	ssize_t n;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) != 0 || (pid = fork()) < 0) {
		fprintf(stderr, "syrinx confine: %s\n", strerror(errno));
		return COMMAND_FAILED;
	}
	request->parent = 0; /* the child's parent is this process */
	if (pid == 0)
		_exit(confine_explain_child(request, fds[1]));
	close(fds[1]);
	while ((n = read(fds[0], bytes, sizeof(bytes))) > 0)
		fwrite(bytes, 1, (size_t)n, stdout);
	close(fds[0]);
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return COMMAND_FAILED;
	return WEXITSTATUS(status);
}

/* Finds a program in PATH, as a shell would. */
static bool confine_search(char path[PATH_MAX], const char *program)
{
	const char *list = getenv("PATH");

	while (list && *list && !strchr(program, '/')) {
		size_t len = strcspn(list, ":");
		int n = snprintf(path, PATH_MAX, "%.*s/%s", (int)len, list, program);

		if (len > 0 && list[0] == '/' && n < PATH_MAX && access(path, X_OK) == 0)
			return true;
		list += len + (list[len] == ':');
	}
	return false;
}

/* Makes the path absolute, because the working directory may change. A program in the current
 * directory takes precedence over PATH, because that is what an author of an engine tries out. */
static int confine_absolute(char path[PATH_MAX], const char *program)
{
	char here[PATH_MAX];
	int n;

	if (program[0] == '/')
		n = snprintf(path, PATH_MAX, "%s", program);
	else if (access(program, F_OK) != 0 && confine_search(path, program))
		return 0;
	else if (getcwd(here, sizeof(here)))
		n = snprintf(path, PATH_MAX, "%s/%s", here, program);
	else
		return errno;
	return n < PATH_MAX ? 0 : ENAMETOOLONG;
}

/* Printed before the limits apply: afterwards nothing can be written to a file, not even this. */
static void confine_warn_of_files(void)
{
	static const char *const names[] = {"standard output", "standard error"};

	for (int i = 0; i < 2; ++i) {
		struct stat status;

		if (fstat(STDOUT_FILENO + i, &status) == 0 && S_ISREG(status.st_mode))
			fprintf(stderr,
				"syrinx confine: %s is a file, and a confined program cannot write "
				"to files, so its output will be lost; use a pipe (| cat)\n",
				names[i]);
	}
}

/* Writes to the server's log, which receives standard error. */
static void confine_log(bool enforced, const char *sentence, void *arg)
{
	(void)arg;
	if (enforced)
		log_info("sandbox", "engines are confined: %s", sentence);
	else
		log_warn("sandbox", "not enforced: %s", sentence);
}

static int confine_run_program(struct confine_request request, const struct command_call *call)
{
	static const char mark[] = "1";
	char *argv[COMMAND_OPERANDS_MAX + 1] = {0};
	struct confine_report report;
	char program[PATH_MAX];
	int err = confine_absolute(program, call->operands[0]);

	if (request.parent == 0) { /* called by a person, not by a server */
		if (!err && access(program, F_OK) != 0) {
			fprintf(stderr, "syrinx confine: there is no program %s\n", program);
			return COMMAND_FAILED;
		}
		confine_warn_of_files();
	}
	for (size_t i = 0; i < call->operand_count; ++i)
		argv[i] = (char *)(uintptr_t)call->operands[i]; /* exec does not modify them */
	request.program = program;
	if (!err)
		err = confine_outer(&request, &report);
	if (!err && setenv(CONFINE_VARIABLE, mark, 1))
		err = errno;
	if (err) {
		fprintf(stderr, "syrinx confine: cannot apply the limits: %s\n", strerror(err));
		return COMMAND_FAILED;
	}
	if (command_value(call, "report"))
		confine_explain(&report, confine_log, NULL);
	execv(program, argv);
	fprintf(stderr,
		"syrinx confine: cannot run %s as user %ld: %s (--read PATH lets it read more files; "
		"--explain shows the limits)\n",
		program, (long)geteuid(), strerror(errno));
	return COMMAND_FAILED;
}

static int confine_run(const struct command_call *call)
{
	struct confine_request request;
	int status = confine_read_request(&request, call);

	if (status != COMMAND_OK)
		return status;
	if (command_value(call, "explain"))
		return confine_run_explain(&request);
	if (call->operand_count == 0)
		return command_usage_error(call->command, "a program is missing");
	return confine_run_program(request, call);
}

static const struct command_option options[] = {
	{"memory-mb", 0, "N", "address space of the program in MiB (0: no limit)"},
	{"read", 0, "PATH[:PATH]...", "more files and folders that the program may read"},
	{"user", 0, "UID:GID", "run the program as this user, if called by root"},
	{"parent", 0, "PID", "exit if this is not the parent process (0: any)"},
	{"jit", 0, NULL, "let the program generate code at run time"},
	{"report", 0, NULL, "log what is enforced before the program runs"},
	{"explain", 0, NULL, "print what this machine enforces, and run nothing"},
	{0},
};

const struct command command_confine = {
	.name = "confine",
	.operands = "-- PROGRAM [ARGUMENT]...",
	.operands_min = 0,
	.operands_max = COMMAND_OPERANDS_MAX,
	.summary = "Run a program with the limits of an engine.",
	.options = options,
	.run = confine_run,
	.examples = "  syrinx confine --explain\n"
		    "  syrinx confine --read models -- ./my-engine 2>&1 | cat\n",
};
