/*
 * chunker_replay.c: texts through the chunker at the times at which they came,
 * with a clock that only this program moves.
 *
 *     chunker-replay CONFIRM_MS DOUBT_MS whole|pieces
 *
 * A sentence end waits so long for its confirmation, a doubtful one for the second
 * time (CHUNKER_CONFIRM_MS, CHUNKER_DOUBT_MS); with "whole" each piece is a message of a client, with "pieces" the ends of messages count for
 * nothing.  A text is given on standard input as
 *
 *     language en
 *     at 0 Hello
 *     at 20000 \sthere.      microseconds since the beginning
 *     end
 *
 * and answered with its chunks, and when each could be spoken; at its end a text is
 * flushed:
 *
 *     chunk 55000 Hello there.
 *     end
 *
 * In texts \n is a line end, \s a blank and \\ a backslash.  Every sentence is a
 * chunk of its own.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "text/chunker.h"

#define NEVER UINT64_MAX
#define TIMEOUT_US 500000 /* flush_timeout_ms */

struct replay {
	struct chunker *chunker;
	char language[4];
	uint64_t confirm_us, doubt_us;
	bool has_messages;
	uint64_t now_us;
	uint64_t pause_us, timeout_us; /* when they are due */
};

static void fail(const char *why, const char *what)
{
	fprintf(stderr, "chunker-replay: %s: %s\n", why, what);
	exit(1);
}

static void unescape(char *text)
{
	char *to = text;

	for (; *text; ++text) {
		if (*text != '\\' || text[1] == '\0') {
			*to++ = *text;
			continue;
		}
		++text;
		*to++ = (char)(*text == 'n' ? '\n' : *text == 's' ? ' ' : *text);
	}
	*to = '\0';
}

static void write_escaped(const struct chunk *chunk)
{
	for (size_t i = 0; i < chunk->len; ++i) {
		if (chunk->text[i] == '\n')
			fputs("\\n", stdout);
		else if (chunk->text[i] == '\\')
			fputs("\\\\", stdout);
		else
			putchar(chunk->text[i]);
	}
}

static void take(struct replay *replay)
{
	struct chunk chunk;

	while (chunker_next(replay->chunker, &chunk)) {
		printf("chunk %llu ", (unsigned long long)replay->now_us);
		write_escaped(&chunk);
		putchar('\n');
	}
}

/* What falls due up to a moment. */
static void pass_until(struct replay *replay, uint64_t until_us)
{
	while (replay->pause_us <= until_us || replay->timeout_us <= until_us) {
		if (replay->pause_us <= replay->timeout_us) {
			replay->now_us = replay->pause_us;
			replay->pause_us = NEVER;
			chunker_pause(replay->chunker);
		} else {
			replay->now_us = replay->timeout_us;
			replay->timeout_us = chunker_timeout(replay->chunker)
						     ? replay->now_us + TIMEOUT_US
						     : NEVER;
		}
		take(replay);
	}
	replay->now_us = until_us;
}

static void open_text(struct replay *replay)
{
	struct chunker_options options = chunker_options_default;

	options.auto_mode = true;
	memcpy(options.language, replay->language, sizeof(options.language));
	if (chunker_alloc(&replay->chunker, &options) != 0)
		fail("out of memory", replay->language);
	replay->now_us = 0;
	replay->pause_us = replay->timeout_us = NEVER;
}

static void feed(struct replay *replay, char *line)
{
	char *text;
	uint64_t at_us = strtoull(line, &text, 10);

	if (*text != ' ')
		fail("no text", line);
	if (!replay->chunker)
		open_text(replay);
	++text;
	unescape(text);
	pass_until(replay, at_us);
	if (chunker_feed(replay->chunker, text, strlen(text)) != 0)
		fail("not taken", text);
	if (replay->has_messages)
		chunker_end_message(replay->chunker);
	take(replay);
	replay->timeout_us = at_us + TIMEOUT_US;
	replay->pause_us = NEVER;
	if (chunker_pause_ms(replay->chunker) == CHUNKER_CONFIRM_MS)
		replay->pause_us = at_us + replay->confirm_us;
	else if (chunker_pause_ms(replay->chunker) > 0)
		replay->pause_us = at_us + replay->doubt_us;
}

static void end_text(struct replay *replay)
{
	if (!replay->chunker)
		fail("no text", "end");
	chunker_flush(replay->chunker);
	take(replay);
	replay->chunker = mem_deref(replay->chunker);
	puts("end");
}

static void read_line(struct replay *replay, char *line)
{
	line[strcspn(line, "\n")] = '\0';
	if (strncmp(line, "language ", 9) == 0 && strlen(line + 9) < sizeof(replay->language))
		memcpy(replay->language, line + 9, strlen(line + 9) + 1);
	else if (strncmp(line, "at ", 3) == 0)
		feed(replay, line + 3);
	else if (strcmp(line, "end") == 0)
		end_text(replay);
	else
		fail("an unknown line", line);
}

int main(int argc, char **argv)
{
	struct replay replay = {0};
	char *line = NULL;
	size_t size = 0;

	if (argc != 4)
		fail("wants three arguments", "CONFIRM_MS DOUBT_MS whole|pieces");
	replay.confirm_us = strtoull(argv[1], NULL, 10) * 1000;
	replay.doubt_us = strtoull(argv[2], NULL, 10) * 1000;
	replay.has_messages = strcmp(argv[3], "whole") == 0;
	while (getline(&line, &size, stdin) >= 0)
		read_line(&replay, line);
	free(line);
	return 0;
}
