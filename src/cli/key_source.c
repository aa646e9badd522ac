/*
 * key_source.c: reads the key that a command was given (see key_source.h).
 */
#include "cli/key_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_SOURCE_BLANKS " \t\r\n"

static int key_source_fail(const struct command_call *call, const char *file, const char *why)
{
	fprintf(stderr, "syrinx %s: %s: %s\n", call->command->name,
		strcmp(file, "-") == 0 ? "standard input" : file, why);
	return COMMAND_FAILED;
}

/* Reads up to a newline, byte by byte, because the rest of standard input must stay unread. */
static int key_source_read_line(char line[KEY_SOURCE_SIZE], int fd)
{
	size_t len = 0;

	for (;;) {
		char c;
		ssize_t n = read(fd, &c, 1);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		if (n == 0 || c == '\n')
			break;
		if (c == '\0')
			return EINVAL;
		if (len == KEY_SOURCE_SIZE - 1)
			return EFBIG;
		line[len++] = c;
	}
	line[len] = '\0';
	return 0;
}

static void key_source_trim(char *line)
{
	size_t start = strspn(line, KEY_SOURCE_BLANKS);
	size_t len = strlen(line + start);

	memmove(line, line + start, len + 1);
	while (len > 0 && strchr(KEY_SOURCE_BLANKS, line[len - 1]))
		line[--len] = '\0';
}

static bool key_source_has_more(int fd)
{
	char rest[KEY_SOURCE_SIZE];
	ssize_t n;

	while ((n = read(fd, rest, sizeof(rest) - 1)) > 0) {
		rest[n] = '\0';
		if (rest[strspn(rest, KEY_SOURCE_BLANKS)] != '\0' || strlen(rest) < (size_t)n)
			return true;
	}
	return false;
}

static void key_source_warn(const struct command_call *call, const char *file, int fd)
{
	struct stat status;

	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & S_IRWXO) != 0)
		fprintf(stderr, "syrinx %s: every user of this machine can read %s\n",
			call->command->name, file);
}

int key_source_read_file(char key[KEY_SOURCE_SIZE], const struct command_call *call)
{
	const char *file = command_value(call, "key-file");
	bool is_stdin = strcmp(file, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
	int err = fd < 0 ? errno : key_source_read_line(key, fd);
	bool has_more = !err && !is_stdin && key_source_has_more(fd);

	if (!err && !is_stdin)
		key_source_warn(call, file, fd);
	if (fd >= 0 && !is_stdin)
		close(fd);
	if (err == EFBIG || err == EINVAL || has_more)
		return key_source_fail(call, file,
				       "this is not a key: it must be a single short line");
	if (err)
		return key_source_fail(call, file, strerror(err));
	key_source_trim(key);
	return key[0] ? COMMAND_OK : key_source_fail(call, file, "the file contains no key");
}

int key_source_read(char key[KEY_SOURCE_SIZE], bool *found, const struct command_call *call)
{
	const char *text = command_value(call, "key");
	const char *file = command_value(call, "key-file");

	*found = text || file;
	if (text && file)
		return command_usage_error(call->command, "give --key or --key-file, not both");
	if (file)
		return key_source_read_file(key, call);
	if (text && strlen(text) >= KEY_SOURCE_SIZE)
		return command_usage_error(call->command, "the key is too long");
	if (text)
		memcpy(key, text, strlen(text) + 1);
	return COMMAND_OK;
}
