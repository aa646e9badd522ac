/*
 * log.c: one line per event on standard error (see log.h).
 */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/count.h"

static const char *const level_words[] = {"error", "warn", "info", "debug"};

static enum log_level level_max = LOG_INFO;

void log_set_level(enum log_level level)
{
	level_max = level;
}

int log_level_parse(enum log_level *level, const char *word)
{
	for (size_t i = 0; i < COUNT(level_words); ++i) {
		if (strcmp(word, level_words[i]) == 0) {
			*level = (enum log_level)i;
			return 0;
		}
	}
	return EINVAL;
}

void log_line(enum log_level level, const char *area, const char *format, ...)
{
	char line[1024]; /* longer lines are cut: a log is not a dump */
	struct timespec now;
	struct tm tm;
	va_list args;
	size_t len;
	int n;

	if (level > level_max)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	len = strftime(line, sizeof(line), "%Y-%m-%dT%H:%M:%S", &tm);
	n = snprintf(line + len, sizeof(line) - len, ".%03ldZ %-5s %s: ", now.tv_nsec / 1000000,
		     level_words[level], area);
	len += (size_t)n;
	va_start(args, format);
	n = vsnprintf(line + len, sizeof(line) - len - 1, format, args);
	va_end(args);
	if (n < 0)
		return;
	len += (size_t)n;
	if (len > sizeof(line) - 2)
		len = sizeof(line) - 2;
	line[len++] = '\n';
	if (write(STDERR_FILENO, line, len) < 0)
		return; /* nowhere left to say it */
}
