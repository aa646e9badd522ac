/*
 * normalize.c: `syrinx normalize`: shows how text would be read aloud.
 *
 * Each input line gives an output line, as the server would send it to an engine that accepts
 * only words. No engine is started.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/count.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "text/prosody.h"
#include "text/reader.h"
#include "wire/settings.h"

/* The same as the limit for unspoken text of a connection. */
#define LINE_MAX_BYTES (256u * 1024u)

struct output {
	struct reader reader;
	bool shows_pauses;
	size_t line; /* from 1; 0 if the text was given as arguments */
};

static void normalize_trim(const char **text, size_t *len)
{
	while (*len > 0 && (*text)[*len - 1] == ' ')
		--*len;
	while (*len > 0 && **text == ' ') {
		++*text;
		--*len;
	}
}

static void normalize_print_part(const struct output *output, const struct spoken_part *part,
				 bool *is_first)
{
	const char *text = part->text;
	size_t len = part->len;

	normalize_trim(&text, &len);
	if (output->shows_pauses && part->pause_ms > 0) {
		printf("%s[%u ms]", *is_first ? "" : " ", part->pause_ms);
		*is_first = false;
	}
	if (len > 0) {
		printf("%s%.*s", *is_first ? "" : " ", (int)len, text);
		*is_first = false;
	}
}

static int normalize_complain(const struct output *output, const char *what)
{
	if (output->line > 0)
		fprintf(stderr, "syrinx normalize: line %zu %s\n", output->line, what);
	else
		fprintf(stderr, "syrinx normalize: the text %s\n", what);
	return EINVAL;
}

static int normalize_check_line(const struct output *output, const char *text, size_t len)
{
	struct utf8_state utf8 = {0};
	const char *fault;
	char what[200];

	if (len > LINE_MAX_BYTES)
		return normalize_complain(output, "is longer than 256 KiB");
	if (!utf8_check(&utf8, text, len) || !utf8_is_complete(&utf8))
		return normalize_complain(output, "is not UTF-8");
	fault = prosody_check(text, len);
	if (!fault)
		return 0;
	snprintf(what, sizeof(what), "is refused: %s", fault);
	return normalize_complain(output, what);
}

static int normalize_print_line(const struct output *output, const char *text, size_t len)
{
	struct reader reader = output->reader; /* a copy, because <prosody> ends with its line */
	struct spoken *spoken = NULL;
	bool is_first = true;
	int err = normalize_check_line(output, text, len);

	if (err)
		return err;
	err = reader_read(&spoken, &reader, text, len);
	if (err)
		return normalize_complain(output, strerror(err));
	for (size_t i = 0; i < spoken->parts_len; ++i)
		normalize_print_part(output, &spoken->parts[i], &is_first);
	putchar('\n');
	mem_deref(spoken);
	return 0;
}

static int normalize_print_input(struct output *output)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int err = 0;

	setvbuf(stdout, NULL, _IOLBF, 0); /* a calling program may wait for each answer */
	while (!err && (len = getline(&line, &size, stdin)) >= 0) {
		if (len > 0 && line[len - 1] == '\n')
			--len;
		++output->line;
		err = normalize_print_line(output, line, (size_t)len);
	}
	free(line);
	return err;
}

static int normalize_print_operands(const struct output *output, const struct command_call *call)
{
	struct buf text;
	int err = 0;

	buf_init(&text, LINE_MAX_BYTES + 1);
	for (size_t i = 0; !err && i < call->operand_count; ++i) {
		if (i > 0)
			err = buf_append(&text, " ", 1);
		if (!err)
			err = buf_append_str(&text, call->operands[i]);
	}
	err = err ? normalize_complain(output, "is longer than 256 KiB")
		  : normalize_print_line(output, text.bytes ? text.bytes : "", text.len);
	buf_reset(&text);
	return err;
}

/* Finds a language as the server does; "de-DE" is "de". */
static int normalize_find_language(const struct language **languagep, const char *code)
{
	static char key_text[] = "language";
	struct settings settings = settings_default;
	struct stream_fault fault;
	struct settings_reader reader = {.settings = &settings, .fault = &fault};
	struct json_value key = {.kind = JSON_KIND_STRING, .text = key_text, .len = 8};
	struct json_value value = {.kind = JSON_KIND_STRING, .len = strlen(code)};
	int err;

	value.text = strdup(code);
	if (!value.text)
		return ENOMEM;
	err = settings_read(&reader, &key, &value);
	free(value.text);
	if (!err)
		*languagep = language_find(settings.language);
	return err;
}

/* Lists the languages with rules of their own; the server accepts some more. */
static int normalize_refuse_language(const struct command_call *call, const char *code)
{
	static const struct language *const own[] = {&language_de, &language_en, &language_es,
						     &language_fr, &language_it, &language_nl,
						     &language_pl, &language_pt};
	char list[256] = "";
	size_t len = 0;

	for (size_t i = 0; i < COUNT(own) + language_more_len && len < sizeof(list); ++i) {
		const struct language *language =
			i < COUNT(own) ? own[i] : &language_more[i - COUNT(own)];

		len += (size_t)snprintf(list + len, sizeof(list) - len, " %s", language->code);
	}
	return command_usage_error(call->command, "no such language: %s; the languages are:%s",
				   code, list);
}

static int normalize_run(const struct command_call *call)
{
	struct output output = {.reader = {.normalizes = true}};
	const char *code = command_value(call, "language");
	int err;

	output.shows_pauses = command_value(call, "pauses") != NULL;
	if (normalize_find_language(&output.reader.language, code ? code : "en") != 0)
		return normalize_refuse_language(call, code);
	if (call->operand_count == 0)
		err = normalize_print_input(&output);
	else
		err = normalize_print_operands(&output, call);
	return err ? COMMAND_FAILED : COMMAND_OK;
}

static const struct command_option options[] = {
	{"language", 0, "CODE", "the language of the text (en)"},
	{"pauses", 0, NULL, "show pauses, as [500 ms]"},
	{0},
};

const struct command command_normalize = {
	.name = "normalize",
	.operands = "[TEXT]...",
	.operands_max = COMMAND_OPERANDS_MAX,
	.summary = "Show how text, or each line of standard input, would be read aloud.",
	.options = options,
	.run = normalize_run,
	.examples = "  syrinx normalize \"It costs $5.20.\"\n"
		    "  syrinx normalize --language de --pauses < letter.txt\n",
};
