/*
 * stream_message.c: parses the messages of a client on /ws/tts/stream (see stream_message.h).
 */
#include "wire/stream_message.h"

#include "base/count.h"
#include "wire/message_reader.h"

#define FIELD(name, read, member) MESSAGE_FIELD(name, read, struct stream_message, member)

/* The most frequent keys are first: nearly every message has a token of a language model as its
 * text, and flush false. */
static const struct message_field fields[] = {
	FIELD("text", message_reader_text, text),
	FIELD("flush", message_reader_command, flush),
	FIELD("close", message_reader_command, close),
	FIELD("end_session", message_reader_command, close),
	FIELD("close_socket", message_reader_command, close_socket),
	FIELD("cancel", message_reader_command, cancel),
	FIELD("report", message_reader_command, report),
	FIELD("playback_offset_ms", message_reader_offset, playback_offset_ms),
	FIELD("update_settings", message_reader_update, update),
};

const struct message_table stream_message_table = {fields, COUNT(fields), false};

int stream_message_parse(struct stream_message *message, struct stream_fault *fault, char *json,
			 size_t len, uint16_t surrogate)
{
	struct message_reader reader;
	int err;

	*message = (struct stream_message){0};
	err = message_reader_run(&reader, message, fault, &stream_message_table, json, len);
	if (!err && reader.text.text)
		message_reader_take_text(message, &reader.text, surrogate);
	return err;
}

void stream_message_reset(struct stream_message *message)
{
	settings_reset(&message->settings);
	settings_reset(&message->update);
}
