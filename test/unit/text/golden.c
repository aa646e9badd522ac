/*
 * golden.c: reads golden cases (see golden.h).
 */
#include "golden.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"

struct reader {
	const char *path;
	unsigned line;
	char language[4];
	struct golden_case golden;
	bool is_open;
	size_t count;
	golden_h *handler;
	void *arg;
};

static void golden_fail(const struct reader *reader, const char *why)
{
	fprintf(stderr, "%s:%u: %s\n", reader->path, reader->line, why);
	exit(1);
}

static char *golden_unescape(const char *text)
{
	char *out = malloc(strlen(text) + 1);
	char *to = out;

	if (!out)
		abort();
	for (; *text; ++text) {
		if (*text != '\\' || text[1] == '\0') {
			*to++ = *text;
			continue;
		}
		++text;
		switch (*text) {
		case 'n':
			*to++ = '\n';
			break;
		case 'r':
			*to++ = '\r';
			break;
		case 's':
			*to++ = ' ';
			break;
		case 't':
			*to++ = '\t';
			break;
		default:
			*to++ = *text;
		}
	}
	*to = '\0';
	return out;
}

static struct golden_step *golden_add_step(struct reader *reader, enum golden_kind kind)
{
	struct golden_case *golden = &reader->golden;
	struct golden_step *step = &golden->steps[golden->steps_len];

	if (!reader->is_open || golden->steps_len == GOLDEN_STEPS_MAX)
		golden_fail(reader, "a step too many");
	++golden->steps_len;
	*step = (struct golden_step){kind, NULL, golden->chunks_len, golden->chunks_len};
	golden->is_timed |= kind != GOLDEN_FEED && kind != GOLDEN_FLUSH;
	return step;
}

static void golden_add_chunk(struct reader *reader, const char *text)
{
	struct golden_case *golden = &reader->golden;

	if (golden->steps_len == 0 || golden->chunks_len == GOLDEN_CHUNKS_MAX)
		golden_fail(reader, "a chunk too many");
	golden->chunks[golden->chunks_len++] = golden_unescape(text);
	golden->steps[golden->steps_len - 1].last = golden->chunks_len;
}

static void golden_close_case(struct reader *reader)
{
	struct golden_case *golden = &reader->golden;

	if (!reader->is_open)
		return;
	if (golden->steps_len == 0)
		golden_fail(reader, "a case without steps");
	reader->handler(golden, reader->arg);
	++reader->count;
	for (size_t i = 0; i < golden->steps_len; ++i)
		free(golden->steps[i].text);
	for (size_t i = 0; i < golden->chunks_len; ++i)
		free(golden->chunks[i]);
	reader->is_open = false;
}

static void golden_open_case(struct reader *reader, const char *name)
{
	struct golden_case *golden = &reader->golden;

	*golden = (struct golden_case){.options = chunker_options_default};
	golden->options.auto_mode = true;
	memcpy(golden->options.language, reader->language, sizeof(reader->language));
	snprintf(golden->where, sizeof(golden->where), "%s:%u %s", reader->path, reader->line,
		 name);
	reader->is_open = true;
}

static void golden_set_schedule(struct reader *reader, const char *text)
{
	struct chunker_options *options = &reader->golden.options;
	char *end;

	options->auto_mode = false;
	options->schedule_len = 0;
	while (*text && options->schedule_len < CHUNKER_SCHEDULE_MAX) {
		options->schedule[options->schedule_len++] = (unsigned)strtoul(text, &end, 10);
		text = end;
	}
}

static void golden_read_command(struct reader *reader, const char *text)
{
	static const char *const names[] = {"", "message", "pause", "timeout", "emit", "flush"};

	for (size_t i = 1; i < COUNT(names); ++i) {
		if (strcmp(text, names[i]) == 0) {
			golden_add_step(reader, (enum golden_kind)i);
			return;
		}
	}
	golden_fail(reader, "an unknown step");
}

static void golden_read_setting(struct reader *reader, const char *line)
{
	if (strncmp(line, "language ", 9) == 0 && strlen(line + 9) < sizeof(reader->language)) {
		golden_close_case(reader);
		snprintf(reader->language, sizeof(reader->language), "%s", line + 9);
	} else if (strncmp(line, "schedule ", 9) == 0 && reader->is_open) {
		golden_set_schedule(reader, line + 9);
	} else if (strncmp(line, "max ", 4) == 0 && reader->is_open) {
		reader->golden.options.buffer_max = strtoul(line + 4, NULL, 10);
	} else {
		golden_fail(reader, "an unknown line");
	}
}

static void golden_read_line(struct reader *reader, char *line)
{
	line[strcspn(line, "\n")] = '\0';
	if (line[0] == '\0' || line[0] == '#')
		return;
	if (line[1] != ' ') {
		golden_read_setting(reader, line);
		return;
	}
	switch (line[0]) {
	case '=':
		golden_close_case(reader);
		golden_open_case(reader, line + 2);
		break;
	case '<':
		golden_add_step(reader, GOLDEN_FEED)->text = golden_unescape(line + 2);
		break;
	case '|':
		golden_read_command(reader, line + 2);
		break;
	case '>':
		golden_add_chunk(reader, line + 2);
		break;
	default:
		golden_read_setting(reader, line);
	}
}

static void golden_read_file(struct reader *reader)
{
	char *line = NULL;
	size_t size = 0;
	FILE *file = fopen(reader->path, "r");

	if (!file)
		golden_fail(reader, "cannot be opened");
	reader->line = 0;
	reader->language[0] = '\0';
	while (getline(&line, &size, file) >= 0) {
		++reader->line;
		golden_read_line(reader, line);
	}
	golden_close_case(reader);
	free(line);
	fclose(file);
}

size_t golden_each(const char *directory, golden_h *handler, void *arg)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	DIR *dir = opendir(directory);
	struct dirent *entry;
	size_t count;

	if (!reader || !dir)
		abort();
	reader->handler = handler;
	reader->arg = arg;
	while ((entry = readdir(dir))) {
		char path[4096];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		reader->path = path;
		golden_read_file(reader);
	}
	count = reader->count;
	closedir(dir);
	free(reader);
	return count;
}
