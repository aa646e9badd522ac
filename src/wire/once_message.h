/*
 * once_message.h: parses the messages of a client on /ws/tts.
 *
 * A message is a whole request (settings and text), or a command, or both.  A message with any
 * invalid field has no effect at all.
 */
#ifndef WIRE_ONCE_MESSAGE_H
#define WIRE_ONCE_MESSAGE_H

#include "wire/stream_message.h"

/* The longest text in code points, as in REST. */
#define ONCE_TEXT_MAX 10000

/*
 * Parses one message in place, as stream_message_parse does.  Of its commands, only cancel and
 * update_settings are accepted.  A message without these is a request, and a request has a text of
 * 1 to ONCE_TEXT_MAX code points.  Texts are complete, so no surrogate is left over from an earlier
 * one.
 */
int once_message_parse(struct stream_message *message, struct stream_fault *fault, char *json,
		       size_t len, uint16_t surrogate);

#endif
