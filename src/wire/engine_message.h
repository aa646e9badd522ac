/*
 * engine_message.h: parses the messages of a speech engine in a conversation.
 *
 * Each message is one JSON object.  Unknown types and keys are ignored, because engines add new
 * ones.  A known one that cannot be understood is a fault, which is only logged, because the
 * protocol has no way to report it.
 */
#ifndef WIRE_ENGINE_MESSAGE_H
#define WIRE_ENGINE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/llm_dialect.h"

/* Ids are echoed as they were received.  Engines use counters or UUIDs. */
#define ENGINE_EVENT_MAX 128u

/* The most turns of a history: an hour with one turn per second.  Of a longer one, only the newest
 * turns are kept. */
#define ENGINE_TURNS_MAX 4096u

enum engine_message_kind {
	ENGINE_OTHER, /* an unknown type */
	ENGINE_INIT,
	ENGINE_TRANSCRIPT,
	ENGINE_PING,
	ENGINE_CLOSE,
	ENGINE_ERROR
};

/* The event_id of a transcript. */
struct engine_event {
	char text[ENGINE_EVENT_MAX]; /* as JSON, to be echoed; "" if there was none */
	bool is_number; /* an integer; only integers are ordered */
	int64_t number;
};

/* Reads the value of "event_id".  A value that is neither a number nor a string counts as absent;
 * if it is a list or an object, the caller must skip it.  Returns EINVAL if the value is too long
 * for event->text. */
struct json_value;
int engine_event_read(struct engine_event *event, const struct json_value *value);

struct engine_message {
	enum engine_message_kind kind;
	/* For INIT; this and the following are slices of the message, UTF-8. */
	const char *conversation_id;
	size_t conversation_id_len;
	const char *reason; /* for ERROR */
	size_t reason_len;
	struct engine_event event; /* for TRANSCRIPT, as are all fields below */
	struct llm_turn *turns; /* oldest first, with space for one more turn after the last */
	size_t turns_len;
	uint64_t print; /* a hash of the whole history, which identifies it */
};

/* Parses in place: `json` is overwritten and the slices point into it.  Returns EINVAL with a
 * description in *why, or ENOMEM.  On success the message must be released by
 * engine_message_reset. */
int engine_message_parse(struct engine_message *message, const char **why, char *json, size_t len);
void engine_message_reset(struct engine_message *message);

#endif
