/*
 * voices.c: `syrinx voices`: lists the available voices, and installs and removes neural ones.
 *
 * The list comes from the server running on this machine; without one, the engines are started
 * to get their voices.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/json_list.h"
#include "cli/local_speech.h"
#include "cli/running_server.h"
#include "cli/server_choice.h"
#include "cli/settings.h"
#include "cli/voice_list.h"
#include "cli/voices_verbs.h"
#include "speech/voice.h"
#include "wire/voice_json.h"

/* Getting the list */

/* Prints problems with files in the voices folder to standard error, because programs may read
 * the table. */
static void voices_print_notes(const struct pool *pool)
{
	struct pool_note note;

	for (size_t i = 0; pool_note_at(&note, pool, i) == 0; ++i)
		fprintf(stderr, "syrinx voices: %s%s%s\n", note.about, note.about[0] ? ": " : "",
			note.text);
}

static int voices_load(struct voice_list *list, const struct config *config)
{
	struct local_speech speech = {0};
	int err;

	if (local_speech_open(&speech, config) != 0)
		return COMMAND_FAILED;
	err = voice_list_copy(list, pool_voices(speech.pool));
	if (err)
		fprintf(stderr, "syrinx voices: %s\n", strerror(err));
	voices_print_notes(speech.pool);
	local_speech_close(&speech);
	return err ? COMMAND_FAILED : COMMAND_OK;
}

/* Gets the list from a server. *asked is false if there is none, or the one that was found cannot
 * be asked: then the engines can be. */
static int voices_ask(struct voice_list *list, bool *asked, const struct command_call *call,
		      const struct config *config)
{
	char base[1000];
	char key[KEY_SOURCE_SIZE];
	char why[600];
	struct api_client_options server = {.base = base, .ca_file = command_value(call, "ca")};
	bool is_named = command_value(call, "server");
	bool has_key;
	int status = COMMAND_OK;

	*asked = false;
	if (is_named)
		status = server_choice_find(base, sizeof(base), call, config);
	else if (running_server_find(base, sizeof(base), call, config) != 0)
		return COMMAND_OK;
	if (status != COMMAND_OK)
		return status;
	status = server_choice_find_key(key, &has_key, base, call, config);
	if (status != COMMAND_OK || (!has_key && !is_named))
		return status;
	if (!has_key) {
		server_choice_explain_no_key(base, call->command, config);
		return COMMAND_FAILED;
	}
	server.key = key;
	*asked = voice_list_ask(list, &server, why, sizeof(why)) == 0;
	explicit_bzero(key, sizeof(key));
	for (char *line = *asked ? list->notes : NULL; line && *line;
	     line += strcspn(line, "\n") + 1)
		fprintf(stderr, "syrinx voices: %.*s\n", (int)strcspn(line, "\n"), line);
	if (*asked)
		return COMMAND_OK;
	voice_list_reset(list);
	if (!is_named)
		return COMMAND_OK;
	fprintf(stderr, "syrinx voices: %s: %s\n", base, why);
	return COMMAND_FAILED;
}

static int voices_get(struct voice_list *list, const struct command_call *call,
		      const struct config *config)
{
	bool is_local = command_value(call, "local") || command_value(call, "voices");
	bool asked = false;
	int status = COMMAND_OK;

	if (command_value(call, "server") && is_local)
		return command_usage_error(call->command,
					   "--server cannot be combined with --local or --voices");
	if (!is_local)
		status = voices_ask(list, &asked, call, config);
	return status == COMMAND_OK && !asked ? voices_load(list, config) : status;
}

/* Printing the list */

/* The best voices come first; the engine for tests comes last. */
static int voices_compare(const void *a, const void *b)
{
	const struct voice_entry *x = a;
	const struct voice_entry *y = b;
	bool x_is_test = voice_engine_is_for_tests(x->engine);
	bool y_is_test = voice_engine_is_for_tests(y->engine);

	if (x_is_test != y_is_test)
		return x_is_test ? 1 : -1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Writes " de en fr", each language once. */
static void voices_print_languages(char *out, size_t size, const struct voice_list *list)
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < list->count && len < size; ++i) {
		char word[sizeof(list->entries[i].languages) + 2];
		size_t word_len = (size_t)snprintf(word, sizeof(word), " %.*s",
						   (int)strcspn(list->entries[i].languages, ","),
						   list->entries[i].languages);
		const char *seen = strstr(out, word);

		while (seen && seen[word_len] != ' ' && seen[word_len] != '\0')
			seen = strstr(seen + 1, word);
		if (!seen)
			len += (size_t)snprintf(out + len, size - len, "%s", word);
	}
}

/* Keeps only the voices of a language; "de-AT" and "DE" are de. */
static int voices_select(struct voice_list *list, const char *language)
{
	char known[600];
	char code[32];
	size_t kept = 0;

	snprintf(code, sizeof(code), "%.*s", (int)strcspn(language, "-_"), language);
	for (char *c = code; *c; ++c)
		*c = (char)tolower((unsigned char)*c);
	voices_print_languages(known, sizeof(known), list);
	for (size_t i = 0; i < list->count; ++i) {
		if (voice_json_has_language(list->entries[i].languages, code))
			list->entries[kept++] = list->entries[i];
	}
	list->count = kept;
	if (kept > 0)
		return COMMAND_OK;
	fprintf(stderr, "syrinx voices: no voice speaks \"%s\"; the languages are:%s\n", language,
		known);
	return COMMAND_FAILED;
}

static void voices_print_table(const struct voice_list *list)
{
	printf("%-8s  %-8s  %-7s  %-7s  %-8s  %s\n", "ID", "LANGUAGE", "SEX", "QUALITY", "ENGINE",
	       "NAME");
	for (size_t i = 0; i < list->count; ++i) {
		const struct voice_entry *voice = &list->entries[i];

		printf("%-8lld  %-8s  %-7s  %-7s  %-8s  %s\n", (long long)voice->id,
		       voice->languages, voice->sex, voice->quality, voice->engine, voice->name);
	}
	/* Licences are a separate list, because after 300 lines they would not be seen. */
	fflush(stdout);
	if (isatty(STDOUT_FILENO) && isatty(STDERR_FILENO))
		fprintf(stderr, "\n%zu voices. Licences: syrinx voices --licences\n", list->count);
}

static void voices_write_text(struct json_write *json, const char *key, const char *text)
{
	if (text[0] && strcmp(text, "-") != 0)
		json_write_string(json, key, text, strlen(text));
	else
		json_write_null(json, key);
}

static int voices_print_json(const struct voice_list *list)
{
	struct json_list out;

	json_list_open(&out, "voices");
	for (size_t i = 0; i < list->count; ++i) {
		const struct voice_entry *voice = &list->entries[i];
		const char *language = voice->languages;

		json_write_object(&out.json, NULL);
		json_write_signed(&out.json, "id", voice->id);
		voices_write_text(&out.json, "handle", voice->handle);
		voices_write_text(&out.json, "name", voice->name);
		voices_write_text(&out.json, "sex", voice->sex);
		voices_write_text(&out.json, "quality", voice->quality);
		json_write_list(&out.json, "supported_languages");
		while (*language) {
			size_t len = strcspn(language, ",");

			json_write_string(&out.json, NULL, language, len);
			language += len + (language[len] == ',');
		}
		json_write_list_end(&out.json);
		voices_write_text(&out.json, "engine", voice->engine);
		voices_write_text(&out.json, "licence", voice->licence);
		json_write_object_end(&out.json);
	}
	return json_list_print(&out) == 0 ? COMMAND_OK : COMMAND_FAILED;
}

/* The licences of programs that do not report them; the licence of a voice's model is reported
 * with the voice. */
static const struct {
	const char *engine;
	const char *licence;
} voices_programs[] = {
	{"vits", "program GPL-3.0-or-later (it links eSpeak NG), runtime MIT (ONNX Runtime)"},
	{"espeak", "program and voices GPL-3.0-or-later (eSpeak NG)"},
	{"flite", "program Apache-2.0, Flite and its voices BSD-like (CMU)"},
};

static bool voices_has_engine(const struct voice_list *list, const char *engine)
{
	for (size_t i = 0; i < list->count; ++i) {
		if (strcmp(list->entries[i].engine, engine) == 0)
			return true;
	}
	return false;
}

/* Whether an earlier voice has the same licence, or this one has none. */
static bool voices_is_printed(const struct voice_list *list, size_t at)
{
	const struct voice_entry *voice = &list->entries[at];

	for (size_t i = 0; i < at; ++i) {
		if (strcmp(list->entries[i].engine, voice->engine) == 0 &&
		    strcmp(list->entries[i].licence, voice->licence) == 0)
			return true;
	}
	return voice->licence[0] == '\0';
}

static void voices_print_licences(const struct voice_list *list)
{
	printf("%-8s  %s\n", "ENGINE", "LICENCES");
	for (size_t i = 0; i < COUNT(voices_programs); ++i) {
		if (voices_has_engine(list, voices_programs[i].engine))
			printf("%-8s  %s\n", voices_programs[i].engine, voices_programs[i].licence);
	}
	for (size_t i = 0; i < list->count; ++i) {
		if (!voices_is_printed(list, i))
			printf("%-8s  %s\n", list->entries[i].engine, list->entries[i].licence);
	}
}

static int voices_verb_list(const struct command_call *call, const struct config *config)
{
	const char *language = command_value(call, "language");
	struct voice_list list = {0};
	int status;

	if (call->operand_count > 1)
		return command_usage_error(call->command, "unexpected argument \"%s\"",
					   call->operands[1]);
	if (command_value(call, "json") && command_value(call, "licences"))
		return command_usage_error(call->command,
					   "--json already includes the licences; omit --licences");
	log_set_level(LOG_ERROR);
	status = voices_get(&list, call, config);
	if (status == COMMAND_OK && language)
		status = voices_select(&list, language);
	if (status == COMMAND_OK && list.count > 0)
		qsort(list.entries, list.count, sizeof(*list.entries), voices_compare);
	if (status == COMMAND_OK && command_value(call, "json"))
		status = voices_print_json(&list);
	else if (status == COMMAND_OK && command_value(call, "licences"))
		voices_print_licences(&list);
	else if (status == COMMAND_OK)
		voices_print_table(&list);
	voice_list_reset(&list);
	return status;
}

/* Verbs that change the folder must work on the one that the server uses. */
static const struct {
	const char *name;
	int (*run)(const struct command_call *call, const struct config *config);
	bool changes;
} voices_verbs[] = {{"list", voices_verb_list, false},
		    {"fetch", voices_verb_fetch, true},
		    {"add", voices_verb_add, true},
		    {"remove", voices_verb_remove, true}};

static int voices_run(const struct command_call *call)
{
	static const char *const names[] = {"list", "fetch", "add", "remove", NULL};
	static struct config config;
	const char *verb = call->operand_count > 0 ? call->operands[0] : "list";
	size_t i = 0;
	int status;

	while (i < COUNT(voices_verbs) && strcmp(voices_verbs[i].name, verb) != 0)
		++i;
	if (i == COUNT(voices_verbs))
		return command_refuse_verb(call->command, names, verb);
	status = voices_verbs[i].changes && !command_value(call, "voices")
			 ? settings_load_of_server(&config, call)
			 : settings_load(&config, call);
	return status == COMMAND_OK ? voices_verbs[i].run(call, &config) : status;
}

static const struct command_option voices_options[] = {
	{"language", 0, "CODE", "list only voices of this language"},
	{"licences", 0, NULL, "list the licences of engines and voices instead"},
	{"json", 0, NULL, "print the list as JSON, licences included"},
	{"server", 0, "URL",
	 "list the voices of this server (the server running on the data "
	 "directory)"},
	{"local", 0, NULL, "list the voices of the installed engines even if a server is running"},
	KEY_SOURCE_FILE_OPTION,
	{"key", 0, "KEY", "the API key itself (SYRINX_KEY, or the local key)"},
	{"ca", 0, "FILE", "trust these certificate authorities (the system's)"},
	{"config", 0, "FILE", "read this configuration"},
	{"data", 0, "DIR", "the server's data directory, with the local key (data)"},
	{"voices", 0, "DIR", "the folder of neural voices"},
	{"quiet", 0, NULL, "print nothing unless something fails"},
	{"report-to", 0, "FD", "write the reason for a failure to this file descriptor"},
	{0},
};

const struct command command_voices = {
	.name = "voices",
	.operands = "[list|fetch|add FILE.onnx|add kokoro|remove NAME]",
	.operands_max = 2,
	.summary = "List voices, and install or remove neural ones.",
	.options = voices_options,
	.run = voices_run,
	.examples = "  syrinx voices --language de\n"
		    "  syrinx voices add en_US-amy-medium.onnx\n",
};
