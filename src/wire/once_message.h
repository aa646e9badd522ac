/*
 * once_message.h: what a client may say on /ws/tts.
 *
 * A message is a whole request (settings and a text), or a command, or both.
 * One with any invalid field has no effect at all.
 */
#ifndef WIRE_ONCE_MESSAGE_H
#define WIRE_ONCE_MESSAGE_H

#include "wire/stream_message.h"

/* Code points of a text, as REST has it. */
#define ONCE_TEXT_MAX 10000

/*
 * Parses one message in place, as stream_message_parse does.  Of its commands
 * only cancel and update_settings are keys here.  A message without these is a
 * request, and a request has a text of 1 to ONCE_TEXT_MAX code points.  Texts are whole, so that
 * no surrogate is left over from an earlier one.
 */
int once_message_parse(struct stream_message *message, struct stream_fault *fault, char *json,
		       size_t len, uint16_t surrogate);

#endif
