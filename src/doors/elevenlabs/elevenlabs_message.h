/*
 * elevenlabs_message.h: what a client may say on ElevenLabs' WebSockets,
 * stream-input and multi-stream-input.
 *
 * Their messages become those of the native sockets (stream_message.h,
 * multi_message.h).  Keys that change nothing here (stability, style …) and
 * unknown ones are ignored.
 */
#ifndef DOORS_ELEVENLABS_ELEVENLABS_MESSAGE_H
#define DOORS_ELEVENLABS_ELEVENLABS_MESSAGE_H

#include "wire/multi_message.h"

/* The context of messages that name none. */
#define ELEVENLABS_CONTEXT "default"

extern const struct message_table elevenlabs_message_table;

/* stream-input.  `flush` is emit, the empty text flush and close_socket; cancel
 * comes with close_socket. */
int elevenlabs_message_parse(struct stream_message *message, struct stream_fault *fault, char *json,
			     size_t len, uint16_t surrogate);

/* multi-stream-input.  The empty text is keep_alive, close_context stop_context;
 * there is always a context_id. */
int elevenlabs_message_parse_multi(struct multi_message *message, struct stream_fault *fault,
				   char *json, size_t len);

/* The key that a first message carries, "" when there is none or none that
 * fits.  The message is overwritten. */
void elevenlabs_message_key(char *key, size_t size, char *json, size_t len);

#endif
