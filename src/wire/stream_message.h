/*
 * stream_message.h: parses the messages of a client on /ws/tts/stream.
 *
 * Each message is one JSON object, which may combine several purposes (settings, text and flush in
 * one object).  A message with any invalid field has no effect at all, so it is parsed and checked
 * completely before any of it is applied.
 */
#ifndef WIRE_STREAM_MESSAGE_H
#define WIRE_STREAM_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/fault.h"
#include "wire/settings.h"

struct stream_message {
	struct settings settings;
	/* The name that settings.voice_id was given as, inside the message's bytes. */
	struct settings_name voice_name;
	bool has_text;
	char *text; /* decoded, UTF-8, inside the message's own bytes */
	size_t text_len;
	/* The high surrogate that the text ends in without its low one; else 0. */
	uint16_t text_surrogate;
	bool flush;
	bool emit; /* speak the text so far; the turn continues */
	bool trigger; /* speak the complete sentences of the text so far */
	bool close; /* `close` or `end_session` */
	bool close_socket;
	bool cancel;
	bool report; /* only with cancel */
	int64_t playback_offset_ms; /* only with cancel; -1 if it is absent */
	bool has_update;
	struct settings update; /* the contents of update_settings; only its six keys may be set */
};

/*
 * Parses one message in place: `json` is overwritten by decoded strings, and message->text points
 * into it.  `surrogate` is the high surrogate that the previous text ended in (0: none).  A low
 * surrogate at the start of this text is combined with it; otherwise it is replaced by U+FFFD.  An
 * empty text passes it on in text_surrogate, and without a text it remains the caller's to keep.
 * Returns EINVAL with the fault filled in; the message must then not be used.
 *
 * If a key appears twice, the last one counts, but the first must be valid too.  A command is given
 * if any of its keys is true.
 *
 * On success the message must be released by stream_message_reset.
 */
int stream_message_parse(struct stream_message *message, struct stream_fault *fault, char *json,
			 size_t len, uint16_t surrogate);
void stream_message_reset(struct stream_message *message);

#endif
