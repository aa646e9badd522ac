/*
 * multi_message.h: what a client may say on /ws/tts/multi.
 *
 * A message of the stream socket, and whom it is for.  As there, a message with
 * any invalid field has no effect at all.
 */
#ifndef WIRE_MULTI_MESSAGE_H
#define WIRE_MULTI_MESSAGE_H

#include "wire/message_reader.h"
#include "wire/stream_message.h"

/* The seconds after which a client may let its idle contexts close.  One that wants them for more
 * than an hour of silence can keep them alive. */
#define MULTI_MESSAGE_INACTIVITY_MIN_S 1
#define MULTI_MESSAGE_INACTIVITY_MAX_S 3600

struct multi_message {
	/* close, report and playback_offset_ms are not among its keys here; emit, trigger and
	 * stop_context are only among those of other vendors' messages. */
	struct stream_message said;

	const char *context_id; /* NULL: for the whole session; UTF-8 without a NUL */
	size_t context_id_len; /* 1 to REPLY_CONTEXT_ID_MAX */
	bool close_context;
	bool immediate; /* with close_context */
	bool stop_context; /* close it, and speak only what was flushed */
	bool keep_alive;

	/* Of voice_settings only voice_id, cfg_scale and max_new_tokens are the
	 * context's; its output_format is the session's, and in said.settings. */
	bool has_voice_settings;
	struct settings voice;
	struct settings_name voice_name; /* of voice.voice_id */

	unsigned inactivity_ms; /* 0: not given */

	struct json_value raw_text; /* for multi_message_join */
};

/*
 * Parses one message in place, as stream_message_parse does.  EINVAL with the
 * fault filled in: then only context_id is valid, and NULL when the message had
 * no valid one.  A message that was taken is ended by multi_message_reset.
 */
int multi_message_parse(struct multi_message *message, struct stream_fault *fault, char *json,
			size_t len);

/* The text before, in the same context, ended in this high half of a pair. */
void multi_message_join(struct multi_message *message, uint16_t surrogate);

/* One that was refused holds nothing. */
void multi_message_reset(struct multi_message *message);

/* For other vendors' messages: parses by a table of their keys; and reads a context's id. */
int multi_message_run(struct multi_message *message, struct stream_fault *fault,
		      const struct message_table *table, char *json, size_t len);
message_field_h multi_message_context;

#endif
