/*
 * stream_message.h: what a client may say on /ws/tts/stream.
 *
 * One JSON object per message; roles combine (settings, text and flush in one
 * object).  A message with any invalid field has no effect at all, so it is
 * parsed and checked whole before anything of it counts.
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
	struct settings_name voice_name; /* of settings.voice_id, inside the message's bytes */
	bool has_text;
	char *text; /* decoded, UTF-8, inside the message's own bytes */
	size_t text_len;
	uint16_t text_surrogate; /* the text ends in half a pair: the high half; else 0 */
	bool flush;
	bool emit; /* speak what is there; the turn goes on */
	bool trigger; /* speak the whole sentences of it */
	bool close; /* close or end_session */
	bool close_socket;
	bool cancel;
	bool report; /* with cancel */
	int64_t playback_offset_ms; /* with cancel; -1 is absent */
	bool has_update;
	struct settings update; /* update_settings: only its six keys may be set */
};

/*
 * Parses one message in place: `json` is overwritten by decoded strings, and
 * message->text points into it.  `surrogate` is the high half that the text
 * before ended in (0: none): a low half at this text's start is joined to it,
 * else U+FFFD stands for it; a text that is empty passes it on.  Without text
 * it stays the caller's.  EINVAL with the fault filled in; the message is then
 * to be left alone.
 *
 * Of a key that comes twice the last counts, but the first must be valid too;
 * a command counts when any of its keys is true.
 *
 * A message that was taken is ended by stream_message_reset.
 */
int stream_message_parse(struct stream_message *message, struct stream_fault *fault, char *json,
			 size_t len, uint16_t surrogate);
void stream_message_reset(struct stream_message *message);

#endif
