/*
 * voices.c: `syrinx voices`: the voices of the engines that are installed, and
 * how neural ones are installed and removed.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/local_speech.h"
#include "cli/settings.h"
#include "cli/voices_verbs.h"

static const char *const sexes[] = {"-", "female", "male"};
static const char *const qualities[] = {"low", "mid", "high"};

/* What people want comes first; the engine that tests speak with comes last. */
static int compare(const void *a, const void *b)
{
	const struct voice *x = *(const struct voice *const *)a;
	const struct voice *y = *(const struct voice *const *)b;
	bool x_is_test = strcmp(x->engine, "tone") == 0;
	bool y_is_test = strcmp(y->engine, "tone") == 0;

	if (x_is_test != y_is_test)
		return x_is_test ? 1 : -1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static void print_table(const struct voice *const *list, size_t count)
{
	printf("%-8s  %-8s  %-7s  %-7s  %-8s  %s\n", "ID", "LANGUAGE", "SEX", "QUALITY", "ENGINE",
	       "NAME");
	for (size_t i = 0; i < count; ++i) {
		const struct voice *voice = list[i];

		printf("%-8lld  %-8s  %-7s  %-7s  %-8s  %s\n", (long long)voice->id,
		       voice->language, sexes[voice->sex], qualities[voice->quality], voice->engine,
		       voice->name);
	}
}

/* Of the programs that do not say it themselves; what a voice is made from comes
 * with the voice. */
static const struct {
	const char *engine;
	const char *licence;
} programs[] = {
	{"vits", "program GPL-3.0-or-later (it links eSpeak NG), runtime MIT (ONNX Runtime)"},
	{"espeak", "program and voices GPL-3.0-or-later (eSpeak NG)"},
	{"flite", "program Apache-2.0, Flite and its voices BSD-like (CMU)"},
};

static bool has_engine(const struct voice *const *list, size_t count, const char *engine)
{
	for (size_t i = 0; i < count; ++i)
		if (strcmp(list[i]->engine, engine) == 0)
			return true;
	return false;
}

/* Whether one of the voices before it has the same licence, or it has none. */
static bool is_told(const struct voice *const *list, size_t at)
{
	for (size_t i = 0; i < at; ++i)
		if (strcmp(list[i]->engine, list[at]->engine) == 0 &&
		    strcmp(list[i]->licence, list[at]->licence) == 0)
			return true;
	return list[at]->licence[0] == '\0';
}

static void print_licences(const struct voice *const *list, size_t count)
{
	printf("\n%-8s  %s\n", "ENGINE", "LICENCES");
	for (size_t i = 0; i < COUNT(programs); ++i)
		if (has_engine(list, count, programs[i].engine))
			printf("%-8s  %s\n", programs[i].engine, programs[i].licence);
	for (size_t i = 0; i < count; ++i)
		if (!is_told(list, i))
			printf("%-8s  %s\n", list[i]->engine, list[i]->licence);
}

static int print(const struct voices *voices, const char *language)
{
	size_t all = voices_count(voices);
	const struct voice **list = calloc(all + 1, sizeof(*list));
	size_t count = 0;

	if (!list)
		return COMMAND_FAILED;
	for (size_t i = 0; i < all; ++i) {
		const struct voice *voice = voices_at(voices, i);

		if (!language || strcmp(language, voice->language) == 0)
			list[count++] = voice;
	}
	qsort(list, count, sizeof(*list), compare);
	print_table(list, count);
	print_licences(list, count);
	free(list);
	return COMMAND_OK;
}

/* Apart from the table, whose readers may be programs. */
static void print_notes(const struct pool *pool)
{
	struct pool_note note;

	for (size_t i = 0; pool_note_at(&note, pool, i) == 0; ++i)
		fprintf(stderr, "syrinx voices: %s%s%s\n", note.about, note.about[0] ? ": " : "",
			note.text);
}

static int list_voices(const struct command_call *call, const struct config *config)
{
	struct local_speech speech = {0};
	int status;

	log_set_level(LOG_ERROR);
	if (local_speech_open(&speech, config) != 0)
		return COMMAND_FAILED;
	status = print(pool_voices(speech.pool), command_value(call, "language"));
	fflush(stdout);
	print_notes(speech.pool);
	local_speech_close(&speech);
	return status;
}

static const struct {
	const char *name;
	int (*run)(const struct command_call *call, const struct config *config);
} verbs[] = {{"list", list_voices},
	     {"fetch", voices_verb_fetch},
	     {"add", voices_verb_add},
	     {"remove", voices_verb_remove}};

static int run(const struct command_call *call)
{
	static struct config config;
	const char *verb = call->operand_count > 0 ? call->operands[0] : "list";
	size_t i = 0;
	int status;

	while (i < COUNT(verbs) && strcmp(verbs[i].name, verb) != 0)
		++i;
	if (i == COUNT(verbs))
		return command_usage_error(call->command,
					   "it is list, fetch, add or remove, not \"%s\"", verb);
	status = settings_load(&config, call);
	return status == COMMAND_OK ? verbs[i].run(call, &config) : status;
}

static const struct command_option options[] = {
	{"config", 0, "FILE", "read this configuration"},
	{"voices", 0, "DIR", "the folder of neural voices"},
	{"language", 0, "CODE", "list only voices of this language"},
	{"quiet", 0, NULL, "say nothing unless something fails"},
	{"report-to", 0, "FD", "write why it failed to this descriptor, for programs"},
	{0},
};

const struct command command_voices = {
	.name = "voices",
	.operands = "[list|fetch|add FILE.onnx|add kokoro|remove NAME]",
	.operands_max = 2,
	.summary = "List the voices, or install and remove neural ones.",
	.options = options,
	.run = run,
};
