/*
 * api_tables.c: prints the tables that define the API as JSON.
 *
 * A program that only the build runs.  tools/api-docs joins its output with the descriptions in
 * docs/api to make /openapi.json and /asyncapi.json, so that no format, setting, key, limit or
 * error is written down a second time.
 */
#include <inttypes.h>
#include <stdio.h>

#include "audio/format.h"
#include "base/count.h"
#include "call/call.h"
#include "doors/elevenlabs/convai.h"
#include "doors/elevenlabs/elevenlabs.h"
#include "doors/elevenlabs/elevenlabs_body.h"
#include "doors/elevenlabs/elevenlabs_message.h"
#include "doors/kugelaudio/kugelaudio.h"
#include "doors/openai/openai.h"
#include "doors/vapi/vapi.h"
#include "server/account_form.h"
#include "server/voice_form.h"
#include "session/tts_multi.h"
#include "store/store.h"
#include "text/chunker.h"
#include "wire/dictionary_message.h"
#include "wire/error.h"
#include "wire/message_reader.h"
#include "wire/multi_message.h"
#include "wire/normalize_message.h"
#include "wire/once_message.h"
#include "wire/settings.h"

/* The strings in the tables have neither control characters nor backslashes. */
static void api_tables_string(const char *text)
{
	putchar('"');
	for (; *text; ++text) {
		if (*text == '"')
			putchar('\\');
		putchar(*text);
	}
	putchar('"');
}

static void api_tables_name(const char *name)
{
	api_tables_string(name);
	fputs(": ", stdout);
}

/* Separates element i of a list, or member i of an object, from the one before it. */
static void api_tables_separate(size_t i)
{
	if (i > 0)
		fputs(",\n ", stdout);
}

static void api_tables_words(const char *const *words)
{
	putchar('[');
	for (size_t i = 0; words[i]; ++i) {
		api_tables_separate(i);
		api_tables_string(words[i]);
	}
	putchar(']');
}

/* Prints a list; `get` returns its elements one by one, and NULL after the last. */
static void api_tables_list(const char *name, const char *(*get)(size_t i))
{
	api_tables_name(name);
	putchar('[');
	for (size_t i = 0; get(i); ++i) {
		api_tables_separate(i);
		api_tables_string(get(i));
	}
	fputs("],\n", stdout);
}

static const char *api_tables_language(size_t i)
{
	return settings_languages[i].name ? settings_languages[i].code : NULL;
}

static const char *api_tables_encoding(size_t i)
{
	return i < AUDIO_ENCODING_COUNT ? audio_format_encoding((enum audio_encoding)i) : NULL;
}

static const char *api_tables_content_type(size_t i)
{
	return i < AUDIO_ENCODING_COUNT ? audio_format_content_type((enum audio_encoding)i) : NULL;
}

static void api_tables_formats(void)
{
	api_tables_list("formats", audio_format_token);
	api_tables_list("encodings", api_tables_encoding);
	api_tables_list("content_types", api_tables_content_type);
	api_tables_list("openai_formats", openai_body_format_name);
	api_tables_list("languages", api_tables_language);
	api_tables_name("socket_formats");
	api_tables_words(settings_format_names);
	fputs(",\n\"socket_encodings\": [", stdout);
	for (size_t i = 0, count = 0; i < AUDIO_ENCODING_COUNT; ++i) {
		if (audio_format_needs_encoder((enum audio_encoding)i))
			continue;
		api_tables_separate(count++);
		api_tables_string(audio_format_encoding((enum audio_encoding)i));
	}
	fputs("],\n\"models\": ", stdout);
	api_tables_words(settings_model_ids);
	fputs(",\n\"rates\": [", stdout);
	for (size_t i = 0; audio_format_rates[i]; ++i)
		printf("%s%u", i > 0 ? ", " : "", audio_format_rates[i]);
	fputs("],\n\"socket_rates\": [", stdout);
	for (size_t i = 0; settings_sample_rates[i]; ++i)
		printf("%s%u", i > 0 ? ", " : "", settings_sample_rates[i]);
	fputs("],\n", stdout);
}

static void api_tables_default(const struct settings_row *row)
{
	if (!row->default_value)
		return;
	if (row->kind == SETTINGS_BOOL)
		printf(", \"default\": %s", *(const bool *)row->default_value ? "true" : "false");
	else if (row->kind == SETTINGS_NUMBER || row->kind == SETTINGS_CLAMPED)
		printf(", \"default\": %.15g", *(const double *)row->default_value);
	else if (row->kind == SETTINGS_SHORT || row->kind == SETTINGS_RATE)
		printf(", \"default\": %u", *(const uint16_t *)row->default_value);
	else if (row->kind == SETTINGS_MODEL)
		printf(", \"default\": \"%s\"", *(const char *const *)row->default_value);
}

static void api_tables_settings(void)
{
	static const char *const kinds[] = {
		[SETTINGS_BOOL] = "boolean",
		[SETTINGS_NUMBER] = "number",
		[SETTINGS_CLAMPED] = "clamped",
		[SETTINGS_SHORT] = "integer",
		[SETTINGS_SEED] = "integer",
		[SETTINGS_INTEGER] = "any integer",
		[SETTINGS_VOICE] = "voice",
		[SETTINGS_MODEL] = "model",
		[SETTINGS_RATE] = "rate",
		[SETTINGS_FORMAT] = "format",
		[SETTINGS_LANGUAGE] = "language",
		[SETTINGS_SCHEDULE] = "schedule",
		[SETTINGS_DICTIONARIES] = "dictionaries",
	};
	struct settings_row row;

	fputs("\"settings\": {", stdout);
	for (size_t i = 0; settings_row(&row, i); ++i) {
		api_tables_separate(i);
		api_tables_name(row.name);
		printf("{\"kind\": \"%s\", \"updatable\": %s, \"min\": %.15g, \"max\": %.15g",
		       kinds[row.kind], row.is_updatable ? "true" : "false", row.min, row.max);
		api_tables_default(&row);
		putchar('}');
	}
	fputs("},\n", stdout);
}

static void api_tables_errors(void)
{
	static const enum wire_error_id ids[] = {
#define X(name, number, code, text) WIRE_ERROR_##name,
		WIRE_ERRORS(X)
#undef X
	};

	fputs("\"errors\": [", stdout);
	for (size_t i = 0; i < COUNT(ids); ++i) {
		const struct wire_error *error = wire_error_get(ids[i]);

		api_tables_separate(i);
		printf("{\"status\": %d, \"code\": \"%s\", \"close\": %u, \"text\": ",
		       error->number, error->code, wire_error_close_code(ids[i]));
		api_tables_string(error->text);
		putchar('}');
	}
	fputs("],\n", stdout);
}

static void api_tables_rest(const struct rest_form *form)
{
	static const char *const kinds[] = {
		[REST_FIELD_TEXT] = "text",     [REST_FIELD_CHOICE] = "choice",
		[REST_FIELD_BOOL] = "boolean",  [REST_FIELD_INTEGER] = "integer",
		[REST_FIELD_NUMBER] = "number", [REST_FIELD_WORDS] = "words",
		[REST_FIELD_OBJECT] = "object", [REST_FIELD_OTHER] = "other",
	};

	putchar('{');
	for (size_t i = 0; i < form->count; ++i) {
		const struct rest_field *field = &form->fields[i];

		api_tables_separate(i);
		api_tables_name(field->name);
		printf("{\"kind\": \"%s\", \"nullable\": %s, \"required\": %s", kinds[field->kind],
		       field->is_nullable ? "true" : "false",
		       field->is_required ? "true" : "false");
		if (field->kind == REST_FIELD_NUMBER)
			printf(", \"min\": %.15g, \"max\": %.15g", field->low, field->high);
		else
			printf(", \"min\": %" PRId64 ", \"max\": %" PRId64, field->min, field->max);
		if (field->words) {
			fputs(", \"words\": ", stdout);
			api_tables_words(field->words);
		}
		if (field->inner) {
			fputs(", \"inner\": ", stdout);
			api_tables_rest(field->inner);
		}
		putchar('}');
	}
	putchar('}');
}

static void api_tables_speech(const char *name, const struct speech_keys *keys)
{
	fputs(",\n ", stdout);
	api_tables_name(name);
	putchar('{');
	for (size_t i = 0; i < keys->count; ++i) {
		const struct speech_field *field = &keys->fields[i];
		const char *kind = "other";

		if (field->read == speech_body_text)
			kind = "text";
		else if (field->read == speech_body_setting)
			kind = "setting";
		else if (field->read == speech_body_speed)
			kind = "number";
		api_tables_separate(i);
		api_tables_name(field->name);
		printf("{\"kind\": \"%s\", \"min\": %.15g, \"max\": %.15g}", kind, field->min,
		       field->max);
	}
	putchar('}');
}

static void api_tables_bodies(void)
{
	static const struct {
		const char *name;
		const struct rest_form *form;
	} bodies[] = {
		{"dictionary", &dictionary_message_table},
		{"entry", &dictionary_message_entry_table},
		{"normalize", &normalize_message_table},
		{"account", &account_form_table},
		{"project", &account_form_project_table},
		{"key", &account_form_key_table},
		{"key_change", &account_form_key_change_table},
		{"top_up", &account_form_top_up_table},
		{"token", &account_form_token_table},
		{"voice", &voice_form_table},
	};

	fputs("\"bodies\": {", stdout);
	for (size_t i = 0; i < COUNT(bodies); ++i) {
		api_tables_separate(i);
		api_tables_name(bodies[i].name);
		api_tables_rest(bodies[i].form);
	}
	api_tables_speech("generate", &generate_body_keys);
	api_tables_speech("openai", &openai_body_keys);
	api_tables_speech("vapi", &vapi_body_keys);
	api_tables_speech("elevenlabs", &elevenlabs_body_keys);
	fputs("},\n", stdout);
}

/* Prints the keys of the messages of each WebSocket, except settings. */
static void api_tables_keys(void)
{
	static const struct {
		const char *name;
		const struct message_table *table;
	} sockets[] = {
		{"once", &once_message_table},
		{"stream", &stream_message_table},
		{"multi", &multi_message_table},
		{"elevenlabs", &elevenlabs_message_table},
	};

	fputs("\"keys\": {", stdout);
	for (size_t i = 0; i < COUNT(sockets); ++i) {
		api_tables_separate(i);
		api_tables_name(sockets[i].name);
		putchar('[');
		for (size_t j = 0; j < sockets[i].table->count; ++j) {
			api_tables_separate(j);
			api_tables_string(sockets[i].table->fields[j].name);
		}
		putchar(']');
	}
	fputs(",\n \"convai\": [", stdout); /* its messages have objects, as bodies do */
	for (size_t i = 0; i < convai_message_form.count; ++i) {
		api_tables_separate(i);
		api_tables_string(convai_message_form.fields[i].name);
	}
	fputs("]},\n", stdout);
}

static void api_tables_limits(void)
{
	static const struct {
		const char *name;
		int64_t value;
	} limits[] = {
		{"text_max", GENERATE_BODY_TEXT_MAX},
		{"once_text_max", ONCE_TEXT_MAX},
		{"vapi_text_max", VAPI_BODY_TEXT_MAX},
		{"elevenlabs_text_max", ELEVENLABS_BODY_TEXT_MAX},
		{"convai_text_max", CALL_TEXT_MAX},
		{"convai_variables_max", CALL_VARIABLES_SIZE},
		{"dictionary_name_max", DICTIONARY_NAME_MAX},
		{"dictionary_description_max", DICTIONARY_DESCRIPTION_MAX},
		{"entries_max", STORE_ENTRIES_MAX},
		{"dictionary_ids_max", SETTINGS_DICTIONARIES_MAX},
		{"schedule_max", CHUNKER_SCHEDULE_MAX},
		{"schedule_entry_max", SETTINGS_SCHEDULE_ENTRY_MAX},
		{"seed_max", UINT32_MAX},
		{"inactivity_min", MULTI_MESSAGE_INACTIVITY_MIN_S},
		{"inactivity_max", MULTI_MESSAGE_INACTIVITY_MAX_S},
		{"elevenlabs_inactivity_min", ELEVENLABS_ADDRESS_IDLE_MIN_S},
		{"elevenlabs_inactivity_max", ELEVENLABS_ADDRESS_IDLE_MAX_S},
		{"elevenlabs_inactivity", ELEVENLABS_ADDRESS_IDLE_MS / 1000},
		{"contexts_max", TTS_MULTI_CONTEXTS_MAX},
		{"elevenlabs_contexts_max", ELEVENLABS_SOCKETS_CONTEXTS_MAX},
	};

	fputs("\"limits\": {", stdout);
	for (size_t i = 0; i < COUNT(limits); ++i) {
		api_tables_separate(i);
		api_tables_name(limits[i].name);
		printf("%" PRId64, limits[i].value);
	}
	printf(",\n \"elevenlabs_speed_min\": %.15g,\n \"elevenlabs_speed_max\": %.15g},\n",
	       ELEVENLABS_BODY_SPEED_MIN, ELEVENLABS_BODY_SPEED_MAX);
}

int main(void)
{
	puts("{");
	api_tables_formats();
	api_tables_settings();
	api_tables_errors();
	api_tables_bodies();
	api_tables_keys();
	api_tables_limits();
	printf("\"version\": \"%s\"\n}\n", SYRINX_VERSION);
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
