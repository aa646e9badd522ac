/*
 * child_output.c: logs what a child process writes (see child_output.h).
 *
 * Runs on the loop's thread.
 */
#include "loop/child_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"

#define CHILD_OUTPUT_NAME_SIZE 64
#define CHILD_OUTPUT_READ_SIZE 4096

/* How much is read at the end from a child that keeps writing: the default size of a pipe. */
#define CHILD_OUTPUT_LAST_MAX 65536

#define CHILD_OUTPUT_MINUTE_US UINT64_C(60000000)

/* How often a child that has exceeded its limit is read.  The child can continue, and the loop has
 * time for others. */
#define CHILD_OUTPUT_PAUSE_US 20000

struct child_output {
	struct watch watch;
	struct timer pause;
	struct loop *loop;
	int fd;
	char name[CHILD_OUTPUT_NAME_SIZE];
	char line[CHILD_OUTPUT_LINE_MAX + 1];
	size_t len;
	uint64_t minute_us; /* when the current minute began */
	unsigned lines; /* in the current minute */
	size_t dropped; /* bytes dropped from the current line, which is too long */
};

/* Parses "2026-01-31T12:00:00.000Z warn  area: words" into *level, and returns the position of the
 * area; returns the whole line if it does not have this format. */
static const char *child_output_words(const char *line, enum log_level *level)
{
	char word[8];
	int end = 0;

	*level = LOG_INFO;
	if (sscanf(line, "%*4d-%*2d-%*2dT%*2d:%*2d:%*2d.%*3dZ %7[a-z] %n", word, &end) != 1 ||
	    end == 0 || log_level_parse(level, word) != 0)
		return line;
	return line + end;
}

/* Whether another line may be logged in this minute. */
static bool child_output_count(struct child_output *output)
{
	const uint64_t now_us = loop_now_us(output->loop);

	if (output->minute_us == 0 || now_us - output->minute_us >= CHILD_OUTPUT_MINUTE_US) {
		if (output->lines > CHILD_OUTPUT_LINES_MAX)
			log_warn(output->name, "%u more lines were dropped",
				 output->lines - CHILD_OUTPUT_LINES_MAX);
		output->minute_us = now_us;
		output->lines = 0;
	}
	if (++output->lines == CHILD_OUTPUT_LINES_MAX + 1)
		log_warn(output->name, "more than %u lines in a minute; the rest are dropped",
			 (unsigned)CHILD_OUTPUT_LINES_MAX);
	return output->lines <= CHILD_OUTPUT_LINES_MAX;
}

static void child_output_log(struct child_output *output)
{
	const size_t name_len = strlen(output->name);
	enum log_level level;
	const char *words;

	output->line[output->len] = '\0';
	output->len = 0;
	output->dropped = 0;
	if (!child_output_count(output))
		return;
	words = child_output_words(output->line, &level);
	if (strncmp(words, output->name, name_len) == 0 && strncmp(words + name_len, ": ", 2) == 0)
		words += name_len + 2; /* the line already begins with its own name */
	log_line(level, output->name, "%s", words);
}

static void child_output_take(struct child_output *output, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; ++i) {
		if (bytes[i] == '\n')
			child_output_log(output);
		else if (output->len < CHILD_OUTPUT_LINE_MAX)
			output->line[output->len++] = bytes[i];
		else if (++output->dropped % CHILD_OUTPUT_LINE_MAX == 0)
			(void)child_output_count(output); /* counts as if it were several lines */
	}
}

/* Returns the number of bytes read; 0 at the end, or if there is nothing to read at present. */
static size_t child_output_read(struct child_output *output, bool *at_end)
{
	char bytes[CHILD_OUTPUT_READ_SIZE];
	ssize_t n = read(output->fd, bytes, sizeof(bytes));

	*at_end = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
	if (n <= 0)
		return 0;
	child_output_take(output, bytes, (size_t)n);
	return (size_t)n;
}

static void child_output_on_pause(void *arg)
{
	struct child_output *output = arg;

	watch_set(&output->watch, WATCH_READ);
}

static void child_output_on_watch(void *arg, int events)
{
	struct child_output *output = arg;
	bool at_end;

	(void)events;
	(void)child_output_read(output, &at_end);
	if (!at_end && output->lines <= CHILD_OUTPUT_LINES_MAX)
		return;
	watch_set(&output->watch, 0);
	if (!at_end)
		timer_set(&output->loop->timers, &output->pause, CHILD_OUTPUT_PAUSE_US,
			  child_output_on_pause, output);
}

static void child_output_on_closed(void *arg)
{
	mem_deref(arg);
}

int child_output_open(struct child_output **outputp, int *fdp, struct loop *loop, const char *name)
{
	struct child_output *output = mem_zalloc(sizeof(*output), NULL);
	int fds[2] = {-1, -1};
	int err = ENOMEM;

	if (!output)
		goto out;
	if (pipe2(fds, O_CLOEXEC) || fcntl(fds[0], F_SETFL, O_NONBLOCK)) {
		err = errno;
		goto out;
	}
	err = watch_open(&output->watch, loop, fds[0], child_output_on_watch, output);
	if (err)
		goto out;
	output->loop = loop;
	output->fd = fds[0];
	snprintf(output->name, sizeof(output->name), "%s", name);
	watch_set(&output->watch, WATCH_READ);
	*outputp = output;
	*fdp = fds[1];
	return 0;
out:
	for (int i = 0; i < 2; ++i) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	mem_deref(output);
	return err;
}

void child_output_close(struct child_output *output)
{
	size_t taken = 0;
	size_t n;
	bool at_end;

	while ((n = child_output_read(output, &at_end)) > 0 && taken < CHILD_OUTPUT_LAST_MAX)
		taken += n;
	if (output->len > 0)
		child_output_log(output);
	timer_clear(&output->loop->timers, &output->pause);
	watch_close(&output->watch, child_output_on_closed);
	close(output->fd);
}
