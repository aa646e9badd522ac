/*
 * caller_event.c: what a server says in a call (see caller_event.h).
 */
#include "cli/caller_event.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/base64.h"
#include "base/count.h"
#include "base/json.h"

/* The names of events that are used here, and how a line for people begins; NULL for those that are
 * shown in another way or not at all. */
static const struct {
	const char *name;
	enum caller_event_kind kind;
	const char *shown;
} caller_event_names[] = {
	{"conversation_initiation_metadata", CALLER_EVENT_METADATA, "conversation "},
	{"audio", CALLER_EVENT_AUDIO, NULL},
	{"user_transcript", CALLER_EVENT_HEARD, "you: "},
	{"tentative_user_transcript", CALLER_EVENT_HEARD_SO_FAR, "you, so far: "},
	{"agent_response", CALLER_EVENT_ANSWER, "agent: "},
	{"agent_response_correction", CALLER_EVENT_CORRECTION, "agent, as heard: "},
	{"interruption", CALLER_EVENT_INTERRUPTION, "interrupted"},
	{"ping", CALLER_EVENT_PING, NULL},
	{"client_tool_call", CALLER_EVENT_TOOL, "agent wants to call: "},
	{"error", CALLER_EVENT_ERROR, "error: "},
};

/* The members of all events, and where they are stored. No two events use one name for different
 * things. */
static const struct {
	const char *name;
	size_t place;
} caller_event_members[] = {
	{"user_transcript", offsetof(struct caller_event, words)},
	{"agent_response", offsetof(struct caller_event, words)},
	{"corrected_agent_response", offsetof(struct caller_event, words)},
	{"message", offsetof(struct caller_event, words)},
	{"tool_name", offsetof(struct caller_event, words)},
	{"conversation_id", offsetof(struct caller_event, call)},
	{"tool_call_id", offsetof(struct caller_event, call)},
	{"user_input_audio_format", offsetof(struct caller_event, input)},
	{"agent_output_audio_format", offsetof(struct caller_event, output)},
	{"audio_base_64", offsetof(struct caller_event, audio)},
};

static void caller_event_take_member(struct caller_event *event, const struct json_value *key,
				     const struct json_value *value, const char *message)
{
	if (json_is(key, "event_id") && json_to_integer(&event->id, value) == 0)
		event->has_id = true;
	if (value->kind != JSON_KIND_STRING)
		return;
	for (size_t i = 0; i < COUNT(caller_event_members); ++i) {
		char *place = (char *)event + caller_event_members[i].place;

		if (json_is(key, caller_event_members[i].name))
			*(struct caller_event_text *)(void *)place =
				(struct caller_event_text){value->text, value->len};
	}
	if (json_is(key, "audio_base_64"))
		event->audio_at = (size_t)(value->text - message);
}

static void caller_event_take_type(struct caller_event *event, const struct json_value *value)
{
	if (value->kind != JSON_KIND_STRING)
		return;
	for (size_t i = 0; i < COUNT(caller_event_names); ++i) {
		if (json_is(value, caller_event_names[i].name))
			event->kind = caller_event_names[i].kind;
	}
}

int caller_event_parse(struct caller_event *event, char *message, size_t len)
{
	struct caller_event found = {.kind = CALLER_EVENT_OTHER};
	struct json scan;
	struct json_value key, value;
	int err;

	json_open(&scan, message, len);
	if (json_value(&scan, &value) != 0 || value.kind != JSON_KIND_OBJECT)
		return EINVAL;
	while (json_member(&scan, &key) && json_value(&scan, &value) == 0) {
		if (json_is(&key, "type"))
			caller_event_take_type(&found, &value);
		if (value.kind != JSON_KIND_OBJECT) {
			json_skip(&scan, &value);
			continue;
		}
		while (json_member(&scan, &key) && json_value(&scan, &value) == 0) {
			caller_event_take_member(&found, &key, &value, message);
			json_skip(&scan, &value);
		}
	}
	err = json_close(&scan);
	if (!err)
		*event = found;
	return err;
}

/* Appends text and the end of the line, and replaces control characters since `start`. */
static int caller_event_end_line(struct buf *out, size_t start, const char *text, size_t len)
{
	int err = buf_append(out, text, len);

	for (size_t i = start; i < out->len; ++i) {
		if ((unsigned char)out->bytes[i] < ' ' || out->bytes[i] == 0x7f)
			out->bytes[i] = ' ';
	}
	return err ? err : buf_append_str(out, "\n");
}

int caller_event_print_note(struct buf *out, uint64_t at_us, const char *what, const char *text,
			    size_t len)
{
	size_t start = out->len;
	int err = buf_printf(out, "%6" PRIu64 " ms  %s", at_us / 1000, what);

	return err ? err : caller_event_end_line(out, start, text, len);
}

int caller_event_print_error(struct buf *out, const struct caller_event *event)
{
	size_t start = out->len;
	int err = buf_append_str(out, "syrinx call: the server reports an error: ");

	return err ? err : caller_event_end_line(out, start, event->words.bytes, event->words.len);
}

int caller_event_print(struct buf *out, const struct caller_event *event, uint64_t at_us)
{
	const struct caller_event_text *text =
		event->kind == CALLER_EVENT_METADATA ? &event->call : &event->words;

	for (size_t i = 0; i < COUNT(caller_event_names); ++i) {
		const char *shown = caller_event_names[i].shown;

		if (caller_event_names[i].kind == event->kind)
			return shown ? caller_event_print_note(out, at_us, shown, text->bytes,
							       text->len)
				     : 0;
	}
	return 0;
}

/* The end of a string in JSON whose first character is at `at`: the offset of its closing quote. */
static size_t caller_event_string_end(const char *message, size_t len, size_t at)
{
	while (at < len && message[at] != '"')
		at += message[at] == '\\' ? 2 : 1;
	return at < len ? at : len;
}

static size_t caller_event_decoded_len(const struct caller_event_text *audio)
{
	size_t padding = 0;

	while (padding < 2 && padding < audio->len && audio->bytes[audio->len - 1 - padding] == '=')
		++padding;
	return audio->len < 4 ? 0 : base64_decoded_max(audio->len) - padding;
}

int caller_event_print_json(struct buf *out, const struct caller_event *event, uint64_t at_us,
			    const char *message, size_t len)
{
	size_t start = out->len;
	size_t rest = 0;
	int err = buf_printf(out, "{\"at_ms\":%" PRIu64 ",\"event\":", at_us / 1000);

	if (!err && event->audio.bytes) {
		assert(event->audio_at > 0 && event->audio_at <= len);
		err = buf_append(out, message, event->audio_at - 1); /* without the quote */
		rest = caller_event_string_end(message, len, event->audio_at) + 1;
		if (!err)
			err = buf_printf(out, "%zu", caller_event_decoded_len(&event->audio));
	}
	if (!err && rest < len)
		err = buf_append(out, message + rest, len - rest);
	if (err)
		return err;
	/* Line breaks can only be between the tokens of JSON, where a blank means the same. */
	for (size_t i = start; i < out->len; ++i) {
		if (out->bytes[i] == '\n' || out->bytes[i] == '\r')
			out->bytes[i] = ' ';
	}
	return buf_append_str(out, "}\n");
}
