/*
 * once_message.c: parses the messages of a client on /ws/tts (see once_message.h).
 */
#include "wire/once_message.h"

#include "base/count.h"
#include "base/utf8.h"
#include "wire/message_reader.h"

#define FIELD(name, read, member) MESSAGE_FIELD(name, read, struct stream_message, member)

static const struct message_field fields[] = {
	FIELD("text", message_reader_text, text),
	FIELD("cancel", message_reader_command, cancel),
	FIELD("update_settings", message_reader_update, update),
};

const struct message_table once_message_table = {fields, COUNT(fields), false};

static int once_message_check_text(const struct stream_message *message, struct stream_fault *fault)
{
	size_t count = message->has_text ? utf8_count(message->text, message->text_len) : 0;

	if (!message->has_text && (message->cancel || message->has_update))
		return 0;
	if (!message->has_text)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST, "text is required");
	if (count < 1 || count > ONCE_TEXT_MAX)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "text must have 1 to %d characters (got %zu)", ONCE_TEXT_MAX,
				 count);
	return 0;
}

int once_message_parse(struct stream_message *message, struct stream_fault *fault, char *json,
		       size_t len, uint16_t surrogate)
{
	struct message_reader reader;
	int err;

	(void)surrogate;
	*message = (struct stream_message){0};
	err = message_reader_run(&reader, message, fault, &once_message_table, json, len);
	if (err)
		return err;
	if (reader.text.text) {
		/* An unpaired surrogate at the end will not be completed by another message, so its
		 * U+FFFD stays. */
		message->has_text = true;
		message->text = reader.text.text;
		message->text_len = reader.text.len;
	}
	err = once_message_check_text(message, fault);
	if (err)
		stream_message_reset(message);
	return err;
}
