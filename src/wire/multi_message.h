/*
 * multi_message.h: parses the messages of a client on /ws/tts/multi.
 *
 * A message is one of the stream socket together with the context that it is for.  As there, a
 * message with any invalid field has no effect at all.
 */
#ifndef WIRE_MULTI_MESSAGE_H
#define WIRE_MULTI_MESSAGE_H

#include "wire/message_reader.h"
#include "wire/stream_message.h"

/* The range of the seconds of inactivity after which a client's contexts are closed.  A client that
 * needs them for more than an hour of silence can keep them alive. */
#define MULTI_MESSAGE_INACTIVITY_MIN_S 1
#define MULTI_MESSAGE_INACTIVITY_MAX_S 3600

struct multi_message {
	/* close, report and playback_offset_ms are not accepted here; emit, trigger and
	 * stop_context exist only in other vendors' messages. */
	struct stream_message said;

	/* NULL: the message is for the whole session.  UTF-8, without a NUL. */
	const char *context_id;
	size_t context_id_len; /* 1 to REPLY_CONTEXT_ID_MAX */
	bool close_context;
	bool immediate; /* only with close_context */
	bool stop_context; /* close the context, and speak only what was flushed */
	bool keep_alive;

	/* Of voice_settings, only voice_id, cfg_scale and max_new_tokens belong to the context.
	 * Its output_format belongs to the session and is in said.settings. */
	bool has_voice_settings;
	struct settings voice;
	struct settings_name voice_name; /* the name that voice.voice_id was given as */

	unsigned inactivity_ms; /* 0: not given */

	struct json_value raw_text; /* for multi_message_join */
};

/*
 * Parses one message in place, as stream_message_parse does.  Returns EINVAL with the fault filled
 * in: then only context_id is valid, and NULL if the message had no valid one.  On success the
 * message must be released by multi_message_reset.
 */
int multi_message_parse(struct multi_message *message, struct stream_fault *fault, char *json,
			size_t len);

/* Tells the message that the previous text of the same context ended in this high surrogate. */
void multi_message_join(struct multi_message *message, uint16_t surrogate);

/* A message that was refused holds nothing and need not be reset. */
void multi_message_reset(struct multi_message *message);

/* For other vendors' messages: parses by a table of their keys, and reads a context's id. */
int multi_message_run(struct multi_message *message, struct stream_fault *fault,
		      const struct message_table *table, char *json, size_t len);
message_field_h multi_message_context;

#endif
