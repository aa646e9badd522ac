/*
 * twilio_message.c: the messages of Twilio's Media Streams (see twilio.h).
 *
 * Unknown events and keys are ignored.  Numbers are strings.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "doors/twilio/twilio.h"
#include "wire/rest_body.h"

/* Lengths in code points, of values that are compared or kept as they are. */
#define TEXT_MAX (1 << 24)

#define RATE 8000

/* Fields of a message. */
enum {
	EVENT = 1u << 0,
	STREAM = 1u << 1,
	TRACK = 1u << 2,
	PAYLOAD = 1u << 3,
	MARK = 1u << 4,
	PARAMETERS = 1u << 5,
};

/* Members whose bit is not set are not initialized: audio arrives fifty times a second. */
struct twilio_message {
	struct rest_body body;
	const struct call_settings *settings; /* NULL: the call has begun */
	const char *event, *stream, *track, *mark;
	struct json_value payload;
	struct call_variables variables;
	/* Checked, but not needed. */
	const char *encoding;
	int64_t rate;
};

/* Fields */

static int twilio_message_read_payload(struct rest_reader *reader, const struct rest_field *field,
				       const struct json_value *value)
{
	if (value->kind != JSON_KIND_STRING)
		return fault_value(reader->fault, field->name, "a string", value);
	*(struct json_value *)rest_body_member(reader, field) = *value;
	return 0;
}

/* Parameters become variables of the call.  One whose name no text can contain is ignored: it was not
 * meant to be a variable. */
static int twilio_message_read_parameters(struct rest_reader *reader,
					  const struct rest_field *field,
					  const struct json_value *object)
{
	struct twilio_message *message = (void *)reader->body;
	struct json_value key;
	struct json_value value;

	if (object->kind != JSON_KIND_OBJECT)
		return fault_value(reader->fault, field->name, "an object", object);
	message->variables.len = message->settings ? message->settings->variables.len : 0;
	if (message->settings)
		memcpy(message->variables.bytes, message->settings->variables.bytes,
		       message->variables.len);
	while (json_member(reader->json, &key)) {
		if (json_value(reader->json, &value))
			return EINVAL;
		if (value.kind != JSON_KIND_STRING)
			return fault_value(reader->fault, "a parameter", "a string", &value);
		if (call_variables_set(&message->variables, key.text, key.len, value.text,
				       value.len) == ENOBUFS)
			return fault_set(reader->fault, WIRE_ERROR_INVALID_REQUEST,
					 "the parameters must have at most %d bytes",
					 CALL_VARIABLES_SIZE);
	}
	return 0;
}

/* Tables */

#define MEMBER(type_of_field, bit_of_field, member)                                                \
	.kind = (type_of_field), .bit = (bit_of_field),                                            \
	.offset = offsetof(struct twilio_message, member)
#define WORDS(bit_of_field, member) MEMBER(REST_FIELD_TEXT, bit_of_field, member), .max = TEXT_MAX

static const char *const twilio_message_encodings[] = {"audio/x-mulaw", NULL};

static const struct rest_field twilio_message_format_fields[] = {
	{.name = "encoding",
	 MEMBER(REST_FIELD_CHOICE, 0, encoding),
	 .words = twilio_message_encodings},
	{.name = "sampleRate", MEMBER(REST_FIELD_INTEGER, 0, rate), .min = RATE, .max = RATE},
};
static const struct rest_form twilio_message_format = {REST_FORM(twilio_message_format_fields),
						       .ignores_others = true};

static const struct rest_field twilio_message_start_fields[] = {
	{.name = "customParameters",
	 MEMBER(REST_FIELD_OTHER, PARAMETERS, variables),
	 .read = twilio_message_read_parameters},
	{.name = "mediaFormat", .kind = REST_FIELD_OBJECT, .inner = &twilio_message_format},
};
static const struct rest_form twilio_message_start_form = {REST_FORM(twilio_message_start_fields),
							   .ignores_others = true};

static const struct rest_field twilio_message_media_fields[] = {
	{.name = "track", WORDS(TRACK, track)},
	{.name = "payload",
	 MEMBER(REST_FIELD_OTHER, PAYLOAD, payload),
	 .read = twilio_message_read_payload},
};
static const struct rest_form twilio_message_media_form = {REST_FORM(twilio_message_media_fields),
							   .ignores_others = true};

static const struct rest_field twilio_message_mark_fields[] = {{.name = "name", WORDS(MARK, mark)}};
static const struct rest_form twilio_message_mark_form = {REST_FORM(twilio_message_mark_fields),
							  .ignores_others = true};

static const struct rest_field twilio_message_fields[] = {
	{.name = "event", WORDS(EVENT, event)},
	{.name = "streamSid",
	 MEMBER(REST_FIELD_TEXT, STREAM, stream),
	 .min = 1,
	 .max = CALL_STREAM_SIZE - 1},
	{.name = "start", .kind = REST_FIELD_OBJECT, .inner = &twilio_message_start_form},
	{.name = "media", .kind = REST_FIELD_OBJECT, .inner = &twilio_message_media_form},
	{.name = "mark", .kind = REST_FIELD_OBJECT, .inner = &twilio_message_mark_form},
};
static const struct rest_form twilio_message_form = {REST_FORM(twilio_message_fields),
						     .ignores_others = true};

/* Events */

static bool twilio_message_has(const struct twilio_message *message, unsigned field)
{
	return (message->body.fields & field) != 0;
}

static int twilio_message_start(const struct twilio_message *message, struct call_message *out,
				struct call_settings *settings, struct stream_fault *fault)
{
	if (!twilio_message_has(message, STREAM) || strlen(message->stream) >= sizeof(out->stream))
		return fault_set(fault, WIRE_ERROR_BAD_MESSAGE,
				 "start must have a streamSid of at most %zu bytes",
				 sizeof(out->stream) - 1);
	if (settings) {
		if (call_variables_apply(settings, fault,
					 twilio_message_has(message, PARAMETERS)
						 ? &message->variables
						 : &settings->variables,
					 settings->first_message) != 0)
			return EINVAL;
		settings->input = (struct listen_format){LISTEN_MULAW, RATE};
		settings->output = (struct audio_format){AUDIO_MULAW, RATE, 0};
	}
	memcpy(out->stream, message->stream, strlen(message->stream) + 1);
	return 0;
}

/* What we have sent may come back as another track. */
static int twilio_message_media(const struct twilio_message *message, struct call_message *out,
				struct call_settings *settings, struct stream_fault *fault)
{
	(void)settings;
	if (twilio_message_has(message, TRACK) && strcmp(message->track, "inbound") != 0) {
		out->kind = CALL_MESSAGE_IGNORED;
		return 0;
	}
	if (!twilio_message_has(message, PAYLOAD))
		return fault_set(fault, WIRE_ERROR_BAD_MESSAGE, "media must have a payload");
	out->audio = message->payload.text;
	out->audio_len = message->payload.len;
	return 0;
}

/* A mark is named by its number; others are not ours. */
static int twilio_message_mark(const struct twilio_message *message, struct call_message *out,
			       struct call_settings *settings, struct stream_fault *fault)
{
	struct json_value number = {.kind = JSON_KIND_NUMBER};

	(void)settings;
	if (!twilio_message_has(message, MARK))
		return fault_set(fault, WIRE_ERROR_BAD_MESSAGE, "mark must have a name");
	number.text = (char *)(uintptr_t)message->mark;
	number.len = strlen(message->mark);
	if (number.len == 0 || message->mark[strspn(message->mark, "0123456789")] ||
	    json_to_integer(&out->number, &number) != 0)
		out->kind = CALL_MESSAGE_IGNORED;
	return 0;
}

/* A key of the telephone shows that the caller is there.  It is not a question, because the agent would
 * answer every digit of a number. */
static const struct {
	const char *name;
	enum call_message_kind kind;
	int (*read)(const struct twilio_message *message, struct call_message *out,
		    struct call_settings *settings, struct stream_fault *fault);
} twilio_message_events[] = {
	{"connected", CALL_MESSAGE_IGNORED, NULL},
	{"start", CALL_MESSAGE_START, twilio_message_start},
	{"media", CALL_MESSAGE_AUDIO, twilio_message_media},
	{"dtmf", CALL_MESSAGE_ACTIVITY, NULL},
	{"mark", CALL_MESSAGE_PLAYED, twilio_message_mark},
	{"stop", CALL_MESSAGE_STOP, NULL},
};

static int twilio_message_understand(const struct twilio_message *message, struct call_message *out,
				     struct call_settings *settings, struct stream_fault *fault)
{
	int err = 0;

	if (!twilio_message_has(message, EVENT))
		return fault_set(fault, WIRE_ERROR_BAD_MESSAGE, "a message must have an event");
	for (size_t i = 0; i < COUNT(twilio_message_events); ++i) {
		if (strcmp(message->event, twilio_message_events[i].name) != 0)
			continue;
		out->kind = twilio_message_events[i].kind;
		if (twilio_message_events[i].read)
			err = twilio_message_events[i].read(message, out, settings, fault);
	}
	/* Before `start` nothing else can begin the call: answers need its id. */
	if (settings && out->kind != CALL_MESSAGE_START && out->kind != CALL_MESSAGE_STOP)
		out->kind = CALL_MESSAGE_IGNORED;
	return err;
}

int twilio_message_parse(struct call_message *message, struct call_settings *settings,
			 struct stream_fault *fault, char *json, size_t len)
{
	struct twilio_message read;
	struct json reader;
	int err;

	read.body = (struct rest_body){.fields = 0};
	read.settings = settings;
	json_open(&reader, json, len);
	err = rest_body_read(&read.body, &reader, fault, &twilio_message_form, false);
	err = rest_body_end(&reader, fault, err);
	if (err) {
		if (reader.reason)
			fault->id = WIRE_ERROR_BAD_MESSAGE;
		return err;
	}
	*message = (struct call_message){.kind = CALL_MESSAGE_IGNORED};
	return twilio_message_understand(&read, message, settings, fault);
}
