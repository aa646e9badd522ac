/*
 * message_reader.h: reads a client's WebSocket message by a table of its keys.
 *
 * All WebSocket endpoints have this in common: the keys of a message are rows of a table, those of
 * the settings are rows of the table in settings.c, and unknown keys are ignored.  The struct that
 * a message fills begins with a struct stream_message.
 */
#ifndef WIRE_MESSAGE_READER_H
#define WIRE_MESSAGE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "wire/fault.h"
#include "wire/settings.h"
#include "wire/stream_message.h"

struct message_reader {
	struct json json;
	struct stream_message *message; /* the first member of the endpoint's own struct */
	const struct message_table *table;
	struct stream_fault *fault; /* the first fault, which is reported to the client */
	struct stream_fault later; /* receives any further fault, which is not reported */
	struct settings_reader settings;
	struct json_value text; /* text.text is NULL if the message has no text */
};

struct message_field;
typedef int(message_field_h)(struct message_reader *reader, const struct message_field *field,
			     const struct json_value *value);

struct message_field {
	const char *name;
	size_t name_len;
	message_field_h *read;
	size_t offset; /* of the member that it fills, in the endpoint's own struct */
	bool despite_fault; /* also read after another key was refused */
};

#define MESSAGE_FIELD(name, read, type, member)                                                    \
	{                                                                                          \
		name, sizeof(name) - 1, read, offsetof(type, member), false                        \
	}

/* The keys of a message. */
struct message_table {
	const struct message_field *fields;
	size_t count;
	/* Only these keys are read, because a key that happens to be a setting's name means
	 * something else in another vendor's messages. */
	bool is_foreign;
};
extern const struct message_table once_message_table, stream_message_table, multi_message_table;

/* Reads a complete message.  Returns 0, or EINVAL with the fault filled in. */
int message_reader_run(struct message_reader *reader, struct stream_message *message,
		       struct stream_fault *fault, const struct message_table *table, char *json,
		       size_t len);

/* Returns a pointer to the member that a field fills. */
void *message_reader_member(const struct message_reader *reader, const struct message_field *field);

/* Handlers for the tables. */
message_field_h message_reader_text, message_reader_command, message_reader_offset,
	message_reader_update;

/* Sets the message's text.  `surrogate` is the high surrogate that the previous text ended in; see
 * stream_message_parse.  It may be called again with another one. */
void message_reader_take_text(struct stream_message *message, const struct json_value *text,
			      uint16_t surrogate);

#endif
