/*
 * log.c: one line per event on standard error (see log.h).
 */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/count.h"
#include "base/utf8.h"

static const char *const level_words[] = {"error", "warn", "info", "debug"};
static const char *const priorities[] = {"<3>", "<4>", "<6>", "<7>"}; /* sd-daemon(3) */

static enum log_level level_max = LOG_INFO;
static enum log_form form = LOG_TEXT;
static bool is_journal;

void log_set_form(enum log_form wanted)
{
	form = wanted;
}

/* JOURNAL_STREAM contains the device and the inode of the journal's socket (systemd.exec(5)).  They
 * are compared with those of standard error, because programs whose output is redirected inherit
 * the variable too. */
void log_find_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	char own[64];
	struct stat status;

	is_journal = false;
	if (!stream || fstat(STDERR_FILENO, &status) != 0)
		return;
	snprintf(own, sizeof(own), "%llu:%llu", (unsigned long long)status.st_dev,
		 (unsigned long long)status.st_ino);
	is_journal = strcmp(own, stream) == 0;
}

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

#define REPLACEMENT 0xfffdu /* replaces bytes that are not UTF-8 */

/* Room for an escape and the end of the object, so that a truncated line is still a JSON object. */
#define CLOSING 16u

/* A line that is being built.  Longer lines are truncated, because a log is not a dump. */
struct log_buffer {
	char bytes[1024];
	size_t len;
};

static void log_put(struct log_buffer *line, const char *bytes, size_t len)
{
	size_t room = sizeof(line->bytes) - line->len;

	if (len > room)
		len = room;
	memcpy(line->bytes + line->len, bytes, len);
	line->len += len;
}

static void log_put_string(struct log_buffer *line, const char *text)
{
	log_put(line, text, strlen(text));
}

/* Appends the content of a JSON string.  The result is valid UTF-8, whatever a client has sent. */
static void log_put_escaped(struct log_buffer *line, const char *text, size_t len)
{
	size_t n;

	for (size_t i = 0; i < len && line->len + CLOSING < sizeof(line->bytes); i += n) {
		uint32_t c;
		char escape[8];

		n = utf8_decode(&c, text + i, len - i);
		if (c < 0x20 || (n == 1 && c == REPLACEMENT))
			snprintf(escape, sizeof(escape), "\\u%04x", c & 0xffff);
		else if (c == '"' || c == '\\')
			snprintf(escape, sizeof(escape), "\\%c", (char)c);
		else
			snprintf(escape, sizeof(escape), "%.*s", (int)n, text + i);
		log_put_string(line, escape);
	}
}

static void log_put_member(struct log_buffer *line, const char *name, size_t name_len,
			   const char *value, size_t value_len)
{
	log_put_string(line, ",\"");
	log_put(line, name, name_len);
	log_put_string(line, "\":\"");
	log_put_escaped(line, value, value_len);
	log_put_string(line, "\"");
}

/* Returns the length of "key=" at the beginning of a word; 0 if there is no key. */
static size_t log_key_len(const char *word)
{
	static const char *const taken[] = {"time", "level", "area", "message"};
	size_t len = strspn(word, "abcdefghijklmnopqrstuvwxyz_");

	if (word[len] != '=')
		return 0;
	/* A line may end with text from a client or an engine, which must not be able to set our
	 * own members. */
	for (size_t i = 0; i < COUNT(taken); ++i) {
		if (strlen(taken[i]) == len && memcmp(word, taken[i], len) == 0)
			return 0;
	}
	return len;
}

/* Returns where the words end and the keys begin. */
static size_t log_words_len(const char *message)
{
	size_t end = strlen(message);

	for (;;) {
		size_t at = end;

		while (at > 0 && message[at - 1] != ' ')
			--at;
		if (at == 0 || log_key_len(message + at) == 0)
			return end;
		end = at - 1;
	}
}

static void log_write_json(struct log_buffer *line, const char *time, enum log_level level,
			   const char *area, const char *message)
{
	size_t words = log_words_len(message);
	const char *at = message + words;

	log_put_string(line, "{\"time\":\"");
	log_put_string(line, time);
	log_put_string(line, "\"");
	log_put_member(line, "level", 5, level_words[level], strlen(level_words[level]));
	log_put_member(line, "area", 4, area, strlen(area));
	log_put_member(line, "message", 7, message, words);
	while (*at == ' ') {
		size_t key = log_key_len(++at);
		size_t len = strcspn(at, " ");

		if (line->len + 2 * len + CLOSING < sizeof(line->bytes))
			log_put_member(line, at, key, at + key + 1, len - key - 1);
		at += len;
	}
	log_put_string(line, "}\n");
}

/* Escapes control characters, so that text from a client can neither begin a new line nor control a
 * terminal. */
static void log_put_harmless(struct log_buffer *line, const char *text)
{
	for (; *text; ++text) {
		const unsigned char *c = (const unsigned char *)text;
		/* U+0080 to U+009F are control characters too. */
		bool is_c1 = c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0;

		log_put(line, c[0] < 0x20 || c[0] == 0x7f || is_c1 ? "?" : text, 1);
		text += is_c1;
	}
}

static void log_write_text(struct log_buffer *line, const char *time, enum log_level level,
			   const char *area, const char *message)
{
	char head[64];

	if (!is_journal) {
		log_put_string(line, time);
		log_put_string(line, " ");
	}
	snprintf(head, sizeof(head), "%-5s %s: ", level_words[level], area);
	log_put_string(line, head);
	log_put_harmless(line, message);
	if (line->len == sizeof(line->bytes))
		--line->len;
	log_put_string(line, "\n");
}

void log_line(enum log_level level, const char *area, const char *format, ...)
{
	char message[960]; /* including the text before it */
	char time[32];
	struct log_buffer line;
	struct timespec now;
	struct tm tm;
	va_list args;
	size_t len;

	if (level > level_max)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	len = strftime(time, sizeof(time), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(time + len, sizeof(time) - len, ".%03dZ", (int)(now.tv_nsec / 1000000));
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	line.len = 0;
	if (is_journal)
		log_put_string(&line, priorities[level]);
	(form == LOG_JSON ? log_write_json : log_write_text)(&line, time, level, area, message);
	if (write(STDERR_FILENO, line.bytes, line.len) < 0)
		return; /* there is nowhere to report this */
}
