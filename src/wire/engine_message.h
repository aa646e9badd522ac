/*
 * engine_message.h: what a speech engine may say in a conversation.
 *
 * One JSON object per message.  Types and keys that are not known are passed
 * over, for engines grow; what is known and cannot be understood is a fault, for
 * the log alone, because the protocol has no way to answer it.
 */
#ifndef WIRE_ENGINE_MESSAGE_H
#define WIRE_ENGINE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/llm_dialect.h"

/* Ids are echoed as they came; engines count, or use UUIDs. */
#define ENGINE_EVENT_MAX 128u

/* Turns of a history: an hour of one turn each second.  Of a longer one the
 * newest count. */
#define ENGINE_TURNS_MAX 4096u

enum engine_message_kind {
	ENGINE_OTHER, /* a type that we do not know */
	ENGINE_INIT,
	ENGINE_TRANSCRIPT,
	ENGINE_PING,
	ENGINE_CLOSE,
	ENGINE_ERROR
};

/* The event_id of a transcript. */
struct engine_event {
	char text[ENGINE_EVENT_MAX]; /* as JSON, to be echoed; "": there was none */
	bool is_number; /* a whole one: only those have an order */
	int64_t number;
};

/* Of the value of "event_id", a container not passed over.  EINVAL when it is
 * longer than ENGINE_EVENT_MAX; what is neither number nor string is as none. */
struct json_value;
int engine_event_read(struct engine_event *event, const struct json_value *value);

struct engine_message {
	enum engine_message_kind kind;
	const char *conversation_id; /* of INIT; slices of the message, UTF-8 */
	size_t conversation_id_len;
	const char *reason; /* of ERROR */
	size_t reason_len;
	struct engine_event event; /* of TRANSCRIPT, as is all below */
	struct llm_turn *turns; /* oldest first; with room for one more behind them */
	size_t turns_len;
	uint64_t print; /* of the whole history: the same only for the same one */
};

/* Parses in place: `json` is overwritten and the slices point into it.  EINVAL
 * with words in *why, ENOMEM.  A message that was taken is ended by
 * engine_message_reset. */
int engine_message_parse(struct engine_message *message, const char **why, char *json, size_t len);
void engine_message_reset(struct engine_message *message);

#endif
