/*
 * elevenlabs_message.c: what a client may say on ElevenLabs' WebSockets (see
 * elevenlabs_message.h).
 */
#include "wire/elevenlabs_message.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "text/markup.h"
#include "wire/elevenlabs_body.h"
#include "wire/pronunciation_message.h"

/* Text waits for the schedule, a flush or the end, never for silence alone. */
#define NO_TIMEOUT_MS 60000

static struct multi_message *message_of(const struct message_reader *reader)
{
	return (struct multi_message *)(void *)reader->message;
}

static bool is(const struct json_value *key, const char *name)
{
	return key->len == strlen(name) && memcmp(key->text, name, key->len) == 0;
}

static int read_speed(struct message_reader *reader, const struct json_value *value)
{
	struct settings *voice = &message_of(reader)->voice;
	double speed;

	if (value->kind == JSON_KIND_NULL)
		return 0;
	if (value->kind != JSON_KIND_NUMBER || json_to_double(&speed, value))
		return fault_value(reader->fault, "speed", "a number", value);
	voice->speed = fmin(fmax(speed, ELEVENLABS_BODY_SPEED_MIN), ELEVENLABS_BODY_SPEED_MAX);
	voice->set |= SETTING_SPEED;
	return 0;
}

static int read_schedule(struct message_reader *reader, const struct json_value *key,
			 const struct json_value *value)
{
	struct settings_reader voice = {.settings = &message_of(reader)->voice,
					.json = &reader->json,
					.fault = reader->fault};

	return settings_read(&voice, key, value);
}

/* A member of voice_settings, generation_config or generator_config: what they
 * have for us has no name in common. */
static int read_option(struct message_reader *reader, const struct json_value *key,
		       const struct json_value *value)
{
	if (is(key, "speed"))
		return read_speed(reader, value);
	if (is(key, "chunk_length_schedule"))
		return read_schedule(reader, key, value);
	return json_skip(&reader->json, value);
}

static int read_options(struct message_reader *reader, const struct message_field *field,
			const struct json_value *value)
{
	struct json_value key;
	struct json_value entry;

	if (value->kind == JSON_KIND_NULL)
		return 0;
	if (value->kind != JSON_KIND_OBJECT)
		return fault_value(reader->fault, field->name, "an object", value);
	while (json_member(&reader->json, &key)) {
		int err = json_value(&reader->json, &entry);

		if (!err)
			err = read_option(reader, &key, &entry);
		if (err)
			return err;
	}
	return 0;
}

static int read_locators(struct message_reader *reader, const struct message_field *field,
			 const struct json_value *value)
{
	(void)field;
	return pronunciation_message_locators(&message_of(reader)->voice, &reader->json,
					      reader->fault, value);
}

#define FIELD(name, read, member) MESSAGE_FIELD(name, read, struct multi_message, member)

/* The most frequent first. */
static const struct message_field fields[] = {
	{"context_id", 10, multi_message_context, 0, true}, /* an error says whom it concerns */
	FIELD("text", message_reader_text, said.text),
	FIELD("flush", message_reader_command, said.emit),
	FIELD("try_trigger_generation", message_reader_command, said.trigger),
	FIELD("close_context", message_reader_command, stop_context),
	FIELD("keep_alive", message_reader_command, keep_alive),
	FIELD("cancel", message_reader_command, said.cancel),
	FIELD("close_socket", message_reader_command, said.close_socket),
	FIELD("voice_settings", read_options, voice),
	FIELD("generation_config", read_options, voice),
	FIELD("generator_config", read_options, voice),
	FIELD("pronunciation_dictionary_locators", read_locators, voice),
};

const struct message_table elevenlabs_message_table = {fields, COUNT(fields)};

static int parse(struct multi_message *message, struct stream_fault *fault, char *json, size_t len)
{
	struct message_reader reader;
	int err;

	*message = (struct multi_message){0};
	err = message_reader_run_foreign(&reader, &message->said, fault, fields, COUNT(fields),
					 json, len);
	if (reader.json.reason)
		message->context_id = NULL; /* what is no JSON has no members */
	if (err)
		settings_reset(&message->voice);
	if (err || !reader.text.text)
		return err;
	message->raw_text = reader.text;
	message_reader_take_text(&message->said, &message->raw_text, 0);
	return 0;
}

static bool is_empty(const struct multi_message *message)
{
	return message->said.has_text && message->raw_text.len == 0;
}

int elevenlabs_message_parse(struct stream_message *message, struct stream_fault *fault, char *json,
			     size_t len, uint16_t surrogate)
{
	struct multi_message all;
	int err = parse(&all, fault, json, len);

	if (err)
		return err;
	multi_message_join(&all, surrogate);
	*message = all.said;
	message->settings = all.voice;
	if (is_empty(&all))
		message->flush = message->close_socket = true;
	message->close_socket |= message->cancel;
	return 0;
}

int elevenlabs_message_parse_multi(struct multi_message *message, struct stream_fault *fault,
				   char *json, size_t len)
{
	int err = parse(message, fault, json, len);

	if (!message->context_id) {
		message->context_id = ELEVENLABS_CONTEXT;
		message->context_id_len = strlen(ELEVENLABS_CONTEXT);
	}
	message->said.cancel = false; /* no word of this socket's: contexts are closed */
	if (!err)
		message->keep_alive |= is_empty(message);
	return err;
}

static const char *without_bearer(const struct json_value *value, size_t *len)
{
	static const char bearer[] = "bearer ";
	size_t skip = strlen(bearer);

	if (value->len < skip || strncasecmp(value->text, bearer, skip) != 0)
		skip = 0;
	*len = value->len - skip;
	return value->text + skip;
}

static bool is_key(const struct json_value *key)
{
	return is(key, "xi_api_key") || is(key, "xi-api-key") || is(key, "authorization");
}

void elevenlabs_message_key(char *key, size_t size, char *json, size_t len)
{
	struct json reader;
	struct json_value name;
	struct json_value value;

	key[0] = '\0';
	json_open(&reader, json, len);
	if (json_value(&reader, &value) || value.kind != JSON_KIND_OBJECT)
		return;
	while (json_member(&reader, &name) && json_value(&reader, &value) == 0) {
		size_t text_len;
		const char *text;

		if (!is_key(&name) || value.kind != JSON_KIND_STRING) {
			json_skip(&reader, &value);
			continue;
		}
		text = without_bearer(&value, &text_len);
		if (text_len > 0 && text_len < size)
			snprintf(key, size, "%.*s", (int)text_len, text);
	}
}

/* mp3 is what their clients expect when they say nothing. */
void elevenlabs_opening_init(struct elevenlabs_opening *opening)
{
	static const uint16_t schedule[] = {120, 160, 250, 290};
	struct settings *settings = &opening->settings;

	settings_copy(settings, &settings_default);
	memcpy(settings->schedule, schedule, sizeof(schedule));
	settings->schedule_len = COUNT(schedule);
	settings->flush_timeout_ms = NO_TIMEOUT_MS;
	settings->word_timestamps = true; /* alignment is never asked for */
	settings->format = (struct audio_format){AUDIO_MP3, 44100, 128};
	settings->set |= SETTING_OUTPUT_FORMAT;
	settings->markup = MARKUP_LONG_BREAKS;
	opening->idle_ms = ELEVENLABS_IDLE_MS;
}

static int refuse(struct stream_fault *fault, const char *name, const char *must, const char *got)
{
	return fault_set(fault, WIRE_ERROR_INVALID_REQUEST, "%s must be %s (got \"%.40s\")", name,
			 must, got);
}

static bool is_true(const char *value)
{
	return strcasecmp(value, "true") == 0 || strcmp(value, "1") == 0;
}

static int set_format(struct elevenlabs_opening *opening, struct stream_fault *fault,
		      const char *value)
{
	if (audio_format_parse(&opening->settings.format, value, strlen(value)) != 0)
		return refuse(fault, "output_format",
			      "mp3_RATE_KBPS, pcm_RATE, ulaw_8000, alaw_8000 or opus_48000_KBPS",
			      value);
	return 0;
}

static int set_language(struct elevenlabs_opening *opening, struct stream_fault *fault,
			const char *value)
{
	struct settings *settings = &opening->settings;

	if (settings_language(settings->language, value, strlen(value)) != 0)
		return refuse(fault, "language_code", "the code of a supported language", value);
	settings->set |= SETTING_LANGUAGE;
	return 0;
}

static int set_idle(struct elevenlabs_opening *opening, struct stream_fault *fault,
		    const char *value)
{
	char *end;
	long seconds = strtol(value, &end, 10);

	if (end == value || *end || seconds < ELEVENLABS_IDLE_MIN_S ||
	    seconds > ELEVENLABS_IDLE_MAX_S)
		return refuse(fault, "inactivity_timeout", "between 1 and 180", value);
	opening->idle_ms = (unsigned)seconds * 1000;
	return 0;
}

static int set_auto_mode(struct elevenlabs_opening *opening, struct stream_fault *fault,
			 const char *value)
{
	(void)fault;
	opening->settings.auto_mode = is_true(value);
	return 0;
}

static int set_normalization(struct elevenlabs_opening *opening, struct stream_fault *fault,
			     const char *value)
{
	if (strcmp(value, "auto") != 0 && strcmp(value, "on") != 0 && strcmp(value, "off") != 0)
		return refuse(fault, "apply_text_normalization", "auto, on or off", value);
	opening->settings.normalize = strcmp(value, "off") != 0;
	return 0;
}

static int elevenlabs_message_set_seed(struct elevenlabs_opening *opening,
				       struct stream_fault *fault, const char *value)
{
	struct settings *settings = &opening->settings;
	size_t digits = strspn(value, "0123456789");
	unsigned long long seed = strtoull(value, NULL, 10);

	if (digits == 0 || value[digits] || seed > UINT32_MAX)
		return refuse(fault, "seed", "between 0 and 4294967295", value);
	settings->seed = (uint32_t)seed;
	settings->set |= SETTING_SEED;
	return 0;
}

static int set_sync_alignment(struct elevenlabs_opening *opening, struct stream_fault *fault,
			      const char *value)
{
	(void)fault;
	opening->settings.context_times = is_true(value);
	return 0;
}

static int set_model(struct elevenlabs_opening *opening, struct stream_fault *fault,
		     const char *value)
{
	(void)fault;
	if (elevenlabs_body_has_audio_tags(value, strlen(value)))
		opening->settings.markup |= MARKUP_AUDIO_TAGS;
	return 0;
}

const char *const elevenlabs_opening_names[] = {
	"output_format",
	"language_code",
	"inactivity_timeout",
	"auto_mode",
	"apply_text_normalization",
	"seed",
	"sync_alignment",
	"model_id",
	NULL,
};

int elevenlabs_opening_set(struct elevenlabs_opening *opening, struct stream_fault *fault,
			   const char *name, const char *value)
{
	static int (*const set[])(struct elevenlabs_opening *, struct stream_fault *,
				  const char *) = {
		set_format,         set_language,      set_idle,
		set_auto_mode,      set_normalization, elevenlabs_message_set_seed,
		set_sync_alignment, set_model,
	};

	for (size_t i = 0; i < COUNT(set); ++i) {
		if (strcmp(elevenlabs_opening_names[i], name) == 0)
			return set[i](opening, fault, value);
	}
	return 0;
}
