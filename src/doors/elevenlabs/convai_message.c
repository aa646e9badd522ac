/*
 * convai_message.c: the messages of clients on the conversation WebSocket (see convai.h).
 *
 * A message is read in one pass, because its strings are decoded in place, and `type` may come last.  So
 * the keys of all messages are in one table, and values whose kind depends on the type are kept until it
 * is known.  Unknown types and keys are ignored, because clients are newer than this server.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "base/utf8.h"
#include "doors/elevenlabs/convai.h"
#include "doors/elevenlabs/elevenlabs_body.h"
#include "doors/elevenlabs/scribe.h"

/* Lengths in code points; the limits in bytes are checked where they are needed. */
#define TEXT_MAX (1 << 24)

/* Fields of a message. */
enum {
	TYPE = 1u << 0,
	AUDIO = 1u << 1,
	TEXT = 1u << 2,
	PART_TEXT = 1u << 3, /* the text of a message with several parts */
	EVENT_ID = 1u << 4,
	FIRST_MESSAGE = 1u << 5,
	LANGUAGE = 1u << 6,
	PROMPT = 1u << 7,
	LLM = 1u << 8,
	VOICE = 1u << 9,
	SPEED = 1u << 10,
	KEYWORDS = 1u << 11,
	TEXT_ONLY = 1u << 12,
	EVENTS = 1u << 13,
	VARIABLES = 1u << 14,
};

/* Members whose bit is not set are not initialized: audio arrives thirty times a second. */
struct convai_message {
	struct rest_body body;
	const struct call_settings *settings; /* NULL: nothing can be overridden any more */
	const char *type;
	struct json_value audio, text, part_text, event_id;
	const char *first_message, *language, *prompt, *llm, *voice;
	double speed;
	bool text_only;
	unsigned wants;
	char keywords[CALL_SETTINGS_KEYWORDS_SIZE];
	struct call_variables variables;
};

/* Fields */

/* Keeps a value whose kind is checked when the type is known. */
static int convai_message_keep(struct rest_reader *reader, const struct rest_field *field,
			       const struct json_value *value)
{
	*(struct json_value *)rest_body_member(reader, field) = *value;
	return json_skip(reader->json, value);
}

static const struct rest_field convai_message_part_fields[] = {
	{.name = "text",
	 .kind = REST_FIELD_OTHER,
	 .bit = PART_TEXT,
	 .read = convai_message_keep,
	 .offset = offsetof(struct convai_message, part_text)},
};
static const struct rest_form convai_message_part = {REST_FORM(convai_message_part_fields),
						     .ignores_others = true};

/* A text is a string, except in a message with several parts, where it is an object with a text. */
static int convai_message_read_text(struct rest_reader *reader, const struct rest_field *field,
				    const struct json_value *value)
{
	struct rest_reader part = *reader;

	if (value->kind != JSON_KIND_OBJECT)
		return convai_message_keep(reader, field, value);
	*(struct json_value *)rest_body_member(reader, field) = *value;
	part.form = &convai_message_part;
	return rest_body_members(&part);
}

static const struct {
	const char *name;
	unsigned wants;
} convai_message_events[] = {
	{"audio", CALL_WANTS_AUDIO},
	{"user_transcript", CALL_WANTS_TRANSCRIPT},
	{"tentative_user_transcript", CALL_WANTS_TENTATIVE},
	{"agent_response", CALL_WANTS_RESPONSE},
	{"agent_response_correction", CALL_WANTS_CORRECTION},
	{"interruption", CALL_WANTS_INTERRUPTION},
	{"agent_chat_response_part", CALL_WANTS_PARTS},
	{"vad_score", CALL_WANTS_ACTIVITY},
	{"ping", CALL_WANTS_PING},
};

unsigned convai_message_wants(const struct json_value *name)
{
	for (size_t i = 0; i < COUNT(convai_message_events); ++i) {
		if (json_is(name, convai_message_events[i].name))
			return convai_message_events[i].wants;
	}
	return 0;
}

static int convai_message_read_events(struct rest_reader *reader, const struct rest_field *field,
				      const struct json_value *list)
{
	struct convai_message *message = (void *)reader->body;
	struct json_value value;

	if (list->kind != JSON_KIND_ARRAY)
		return fault_value(reader->fault, field->name, "a list of strings", list);
	message->wants = 0;
	while (json_element(reader->json)) {
		if (json_value(reader->json, &value))
			return EINVAL;
		if (value.kind != JSON_KIND_STRING)
			return fault_value(reader->fault, field->name, "a list of strings", &value);
		message->wants |= convai_message_wants(&value);
	}
	return 0;
}

/* Names that do not fit are left out: they are hints. */
static int convai_message_read_keywords(struct rest_reader *reader, const struct rest_field *field,
					const struct json_value *list)
{
	struct convai_message *message = (void *)reader->body;
	struct json_value value;
	size_t len = 0;

	if (list->kind != JSON_KIND_ARRAY)
		return fault_value(reader->fault, field->name, "a list of strings", list);
	message->keywords[0] = '\0';
	while (json_element(reader->json)) {
		if (json_value(reader->json, &value))
			return EINVAL;
		if (value.kind != JSON_KIND_STRING)
			return fault_value(reader->fault, field->name, "a list of strings", &value);
		if (value.len > 0 && len + value.len + 3 <= sizeof(message->keywords))
			len += (size_t)snprintf(message->keywords + len,
						sizeof(message->keywords) - len, "%s%.*s",
						len ? ", " : "", (int)value.len, value.text);
	}
	return 0;
}

/* The client's variables are added to those that the agent has. */
static int convai_message_read_variables(struct rest_reader *reader, const struct rest_field *field,
					 const struct json_value *object)
{
	struct convai_message *message = (void *)reader->body;
	struct json_value key;
	struct json_value value;

	if (object->kind != JSON_KIND_OBJECT)
		return fault_value(reader->fault, field->name, "an object", object);
	message->variables.len = message->settings ? message->settings->variables.len : 0;
	if (message->settings)
		memcpy(message->variables.bytes, message->settings->variables.bytes,
		       message->variables.len);
	while (json_member(reader->json, &key)) {
		const char *text;
		int err;

		if (json_value(reader->json, &value))
			return EINVAL;
		if (value.kind == JSON_KIND_NULL)
			continue;
		if (value.kind == JSON_KIND_ARRAY || value.kind == JSON_KIND_OBJECT)
			return fault_value(reader->fault, "the value of a variable",
					   "a string, a number or a boolean", &value);
		text = value.kind == JSON_KIND_BOOL ? (value.truth ? "true" : "false") : value.text;
		err = call_variables_set(&message->variables, key.text, key.len, text,
					 value.kind == JSON_KIND_BOOL ? strlen(text) : value.len);
		if (err == ENOBUFS)
			return fault_set(reader->fault, WIRE_ERROR_INVALID_REQUEST,
					 "the variables must have at most %d bytes",
					 CALL_VARIABLES_SIZE);
		key.kind = JSON_KIND_STRING;
		if (err)
			return fault_value(reader->fault, "the name of a variable",
					   "a short word without braces", &key);
	}
	return 0;
}

/* Tables */

#define MEMBER(type_of_field, bit_of_field, member)                                                \
	.kind = (type_of_field), .bit = (bit_of_field),                                            \
	.offset = offsetof(struct convai_message, member)
#define WORDS(bit_of_field, member) MEMBER(REST_FIELD_TEXT, bit_of_field, member), .max = TEXT_MAX
#define OTHER(bit_of_field, member) MEMBER(REST_FIELD_OTHER, bit_of_field, member)

static const struct rest_field convai_message_prompt_fields[] = {
	{.name = "prompt", WORDS(PROMPT, prompt)},
	{.name = "llm", WORDS(LLM, llm)},
};
static const struct rest_form convai_message_prompt = {REST_FORM(convai_message_prompt_fields),
						       .ignores_others = true};

static const struct rest_field convai_message_agent_fields[] = {
	{.name = "prompt", .kind = REST_FIELD_OBJECT, .inner = &convai_message_prompt},
	{.name = "first_message", WORDS(FIRST_MESSAGE, first_message)},
	{.name = "language", WORDS(LANGUAGE, language)},
};
static const struct rest_form convai_message_agent = {REST_FORM(convai_message_agent_fields),
						      .ignores_others = true};

static const struct rest_field convai_message_tts_fields[] = {
	{.name = "voice_id",
	 MEMBER(REST_FIELD_TEXT, VOICE, voice),
	 .max = CALL_SETTINGS_VOICE_SIZE - 1},
	{.name = "speed",
	 MEMBER(REST_FIELD_NUMBER, SPEED, speed),
	 .low = ELEVENLABS_BODY_SPEED_MIN,
	 .high = ELEVENLABS_BODY_SPEED_MAX},
};
static const struct rest_form convai_message_tts = {REST_FORM(convai_message_tts_fields),
						    .ignores_others = true};

static const struct rest_field convai_message_asr_fields[] = {
	{.name = "keywords", OTHER(KEYWORDS, keywords), .read = convai_message_read_keywords},
};
static const struct rest_form convai_message_asr = {REST_FORM(convai_message_asr_fields),
						    .ignores_others = true};

static const struct rest_field convai_message_conversation_fields[] = {
	{.name = "text_only", MEMBER(REST_FIELD_BOOL, TEXT_ONLY, text_only)},
	{.name = "client_events", OTHER(EVENTS, wants), .read = convai_message_read_events},
};
static const struct rest_form convai_message_conversation = {
	REST_FORM(convai_message_conversation_fields), .ignores_others = true};

/* The client for Python has text_only here. */
static const struct rest_field convai_message_override_fields[] = {
	{.name = "agent", .kind = REST_FIELD_OBJECT, .inner = &convai_message_agent},
	{.name = "tts", .kind = REST_FIELD_OBJECT, .inner = &convai_message_tts},
	{.name = "asr", .kind = REST_FIELD_OBJECT, .inner = &convai_message_asr},
	{.name = "conversation", .kind = REST_FIELD_OBJECT, .inner = &convai_message_conversation},
	{.name = "text_only", MEMBER(REST_FIELD_BOOL, TEXT_ONLY, text_only)},
};
static const struct rest_form convai_message_override = {REST_FORM(convai_message_override_fields),
							 .ignores_others = true};

static const struct rest_field convai_message_fields[] = {
	{.name = "type", WORDS(TYPE, type)},
	{.name = "user_audio_chunk", OTHER(AUDIO, audio), .read = convai_message_keep},
	{.name = "text", OTHER(TEXT, text), .read = convai_message_read_text},
	{.name = "event_id", OTHER(EVENT_ID, event_id), .read = convai_message_keep},
	{.name = "conversation_config_override",
	 .kind = REST_FIELD_OBJECT,
	 .inner = &convai_message_override},
	{.name = "dynamic_variables",
	 OTHER(VARIABLES, variables),
	 .read = convai_message_read_variables},
};
const struct rest_form convai_message_form = {REST_FORM(convai_message_fields),
					      .ignores_others = true};

/* Types */

static bool convai_message_has(const struct convai_message *message, unsigned field)
{
	return (message->body.fields & field) != 0;
}

/* An override that is not allowed is refused, because a client that relies on it would notice only by
 * what the agent says. */
static int convai_message_check(const struct convai_message *message, struct stream_fault *fault)
{
	static const struct {
		unsigned field;
		const char *name, *reason;
	} refused[] = {
		{PROMPT, "agent.prompt.prompt", "whoever answers has its own"},
		{LLM, "agent.prompt.llm", "whoever answers has its own"},
		{FIRST_MESSAGE, "agent.first_message", "the agent does not permit it"},
	};

	for (size_t i = 0; i < COUNT(refused); ++i) {
		if (!convai_message_has(message, refused[i].field) ||
		    (refused[i].field == FIRST_MESSAGE && message->settings->allows_first_message))
			continue;
		return fault_set(fault, WIRE_ERROR_FORBIDDEN, "the override %s is not allowed: %s",
				 refused[i].name, refused[i].reason);
	}
	return 0;
}

/* Copies the code of a language without that of a country, which recognizers do not know. */
static int convai_message_language(char language[LISTEN_LANGUAGE_SIZE], struct stream_fault *fault,
				   const char *code)
{
	char name[LISTEN_LANGUAGE_SIZE] = "";
	size_t len = strcspn(code, "-_");

	for (size_t i = 0; i < len && i < sizeof(name) - 1; ++i)
		name[i] = (char)tolower((unsigned char)code[i]);
	if (code[0] && (len < 2 || len > 3 || strspn(name, "abcdefghijklmnopqrstuvwxyz") != len))
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "agent.language must be the code of a language (got \"%.*s\")",
				 (int)utf8_cut(code, strlen(code), 24), code);
	scribe_model_language(language, name);
	return 0;
}

/* Everything that can be wrong is checked before the settings are changed. */
static int convai_message_start(const struct convai_message *message, struct call_message *out,
				struct call_settings *settings, struct stream_fault *fault)
{
	char language[LISTEN_LANGUAGE_SIZE];
	bool has_voice = convai_message_has(message, VOICE) && message->voice[0];
	int err;

	(void)out;
	if (!settings)
		return 0;
	err = convai_message_check(message, fault);
	if (!err && convai_message_has(message, LANGUAGE))
		err = convai_message_language(language, fault, message->language);
	if (!err && has_voice && strlen(message->voice) >= sizeof(settings->voice_name))
		err = fault_set(fault, WIRE_ERROR_INVALID_REQUEST, "tts.voice_id is too long");
	if (!err)
		err = call_variables_apply(
			settings, fault,
			convai_message_has(message, VARIABLES) ? &message->variables
							       : &settings->variables,
			convai_message_has(message, FIRST_MESSAGE) ? message->first_message
								   : settings->first_message);
	if (err)
		return err;
	if (convai_message_has(message, LANGUAGE))
		memcpy(settings->language, language, sizeof(language));
	if (has_voice)
		memcpy(settings->voice_name, message->voice, strlen(message->voice) + 1);
	if (convai_message_has(message, SPEED))
		settings->speed = message->speed;
	if (convai_message_has(message, KEYWORDS))
		memcpy(settings->keywords, message->keywords, strlen(message->keywords) + 1);
	if (convai_message_has(message, TEXT_ONLY))
		settings->is_text_only = message->text_only;
	if (convai_message_has(message, EVENTS))
		settings->wants = message->wants;
	else if (settings->is_text_only)
		settings->wants |=
			CALL_WANTS_PARTS; /* in writing, clients show words as they come */
	return 0;
}

static int convai_message_pong(const struct convai_message *message, struct call_message *out,
			       struct call_settings *settings, struct stream_fault *fault)
{
	static const struct json_value none = {.kind = JSON_KIND_NULL};
	const struct json_value *id =
		convai_message_has(message, EVENT_ID) ? &message->event_id : &none;

	(void)settings;
	if (json_to_integer(&out->number, id) != 0)
		return fault_value(fault, "event_id", "the number of a ping", id);
	return 0;
}

static int convai_message_text(const struct convai_message *message, struct call_message *out,
			       struct call_settings *settings, struct stream_fault *fault)
{
	static const struct json_value none = {.kind = JSON_KIND_NULL};
	const struct json_value *text = convai_message_has(message, TEXT) ? &message->text : &none;

	(void)settings;
	if (text->kind != JSON_KIND_STRING)
		return fault_value(fault, "text", "a string", text);
	out->text = text->text;
	out->text_len = text->len;
	return 0;
}

/* Files cannot be understood, so of a message with several parts only the text counts. */
static int convai_message_parts(const struct convai_message *message, struct call_message *out,
				struct call_settings *settings, struct stream_fault *fault)
{
	(void)settings;
	if (!convai_message_has(message, TEXT)) {
		out->kind = CALL_MESSAGE_IGNORED;
		return 0;
	}
	if (message->text.kind != JSON_KIND_OBJECT)
		return fault_value(fault, "text", "an object", &message->text);
	if (!convai_message_has(message, PART_TEXT) || message->part_text.kind != JSON_KIND_STRING)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST, "text.text must be a string");
	out->text = message->part_text.text;
	out->text_len = message->part_text.len;
	return 0;
}

/* All other types are ignored, among them feedback, client_tool_result and mcp_tool_approval_result (no
 * tools are called) and enclave_setup_config, which precedes the start. */
static const struct {
	const char *name;
	enum call_message_kind kind;
	int (*read)(const struct convai_message *message, struct call_message *out,
		    struct call_settings *settings, struct stream_fault *fault);
} convai_message_types[] = {
	{"conversation_initiation_client_data", CALL_MESSAGE_START, convai_message_start},
	{"pong", CALL_MESSAGE_PONG, convai_message_pong},
	{"user_message", CALL_MESSAGE_TEXT, convai_message_text},
	{"multimodal_message", CALL_MESSAGE_TEXT, convai_message_parts},
	{"contextual_update", CALL_MESSAGE_CONTEXT, convai_message_text},
	{"user_activity", CALL_MESSAGE_ACTIVITY, NULL},
};

static int convai_message_understand(const struct convai_message *message, struct call_message *out,
				     struct call_settings *settings, struct stream_fault *fault)
{
	if (convai_message_has(message, AUDIO)) {
		if (message->audio.kind != JSON_KIND_STRING)
			return fault_value(fault, "user_audio_chunk", "a string", &message->audio);
		out->kind = CALL_MESSAGE_AUDIO;
		out->audio = message->audio.text;
		out->audio_len = message->audio.len;
		return 0;
	}
	if (!convai_message_has(message, TYPE))
		return fault_set(fault, WIRE_ERROR_BAD_MESSAGE,
				 "a message must have a type or a user_audio_chunk");
	for (size_t i = 0; i < COUNT(convai_message_types); ++i) {
		if (strcmp(message->type, convai_message_types[i].name) != 0)
			continue;
		out->kind = convai_message_types[i].kind;
		return convai_message_types[i].read
			       ? convai_message_types[i].read(message, out, settings, fault)
			       : 0;
	}
	return 0;
}

int convai_message_parse(struct call_message *message, struct call_settings *settings,
			 struct stream_fault *fault, char *json, size_t len)
{
	struct convai_message read;
	struct json reader;
	int err;

	read.body = (struct rest_body){.fields = 0};
	read.settings = settings;
	json_open(&reader, json, len);
	err = rest_body_read(&read.body, &reader, fault, &convai_message_form, false);
	err = rest_body_end(&reader, fault, err);
	if (err) {
		if (reader.reason)
			fault->id = WIRE_ERROR_BAD_MESSAGE;
		return err;
	}
	*message = (struct call_message){.kind = CALL_MESSAGE_IGNORED};
	return convai_message_understand(&read, message, settings, fault);
}
