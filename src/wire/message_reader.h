/*
 * message_reader.h: reading a client's message by a table of its keys.
 *
 * What WebSockets have in common: the keys of a message are rows of a table,
 * those of the settings are rows of the table in settings.c, unknown ones are
 * ignored.  The struct that a message fills begins with a struct
 * stream_message.
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
	struct stream_message *message; /* what begins the socket's own struct */
	const struct message_table *table;
	struct stream_fault *fault; /* the first one, which the client reads */
	struct stream_fault later; /* any other one */
	struct settings_reader settings;
	struct json_value text; /* text NULL: the message has none */
};

struct message_field;
typedef int(message_field_h)(struct message_reader *reader, const struct message_field *field,
			     const struct json_value *value);

struct message_field {
	const char *name;
	size_t name_len;
	message_field_h *read;
	size_t offset; /* of what it fills, in the socket's own struct */
	bool despite_fault; /* read also after a key that was refused */
};

#define MESSAGE_FIELD(name, read, type, member)                                                    \
	{                                                                                          \
		name, sizeof(name) - 1, read, offsetof(type, member), false                        \
	}

/* The keys of a message. */
struct message_table {
	const struct message_field *fields;
	size_t count;
	/* They are all that there is: a key that is a setting's by chance means something else in
	 * another vendor's messages. */
	bool is_foreign;
};
extern const struct message_table once_message_table, stream_message_table, multi_message_table;

/* The whole message: 0, or EINVAL with the fault filled in. */
int message_reader_run(struct message_reader *reader, struct stream_message *message,
		       struct stream_fault *fault, const struct message_table *table, char *json,
		       size_t len);

/* Where a field goes. */
void *message_reader_member(const struct message_reader *reader, const struct message_field *field);

/* For the tables. */
message_field_h message_reader_text, message_reader_command, message_reader_offset,
	message_reader_update;

/* Sets the message's text.  `surrogate` is the high half that the text before
 * ended in; see stream_message_parse.  It may be called again with another. */
void message_reader_take_text(struct stream_message *message, const struct json_value *text,
			      uint16_t surrogate);

#endif
