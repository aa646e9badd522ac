/*
 * elevenlabs_message.h: the messages of clients on ElevenLabs' WebSockets, stream-input and
 * multi-stream-input.
 *
 * They are translated into the messages of the native sockets (stream_message.h,
 * multi_message.h).  Keys that have no effect here (for example stability and style) and unknown
 * keys are ignored.
 */
#ifndef DOORS_ELEVENLABS_ELEVENLABS_MESSAGE_H
#define DOORS_ELEVENLABS_ELEVENLABS_MESSAGE_H

#include "wire/multi_message.h"

/* The context of messages without a context_id. */
#define ELEVENLABS_MESSAGE_CONTEXT "default"

extern const struct message_table elevenlabs_message_table;

/* Parses a message of stream-input.  The key `flush` becomes emit; empty text becomes flush and
 * close_socket; cancel also sets close_socket. */
int elevenlabs_message_parse(struct stream_message *message, struct stream_fault *fault, char *json,
			     size_t len, uint16_t surrogate);

/* Parses a message of multi-stream-input.  Empty text becomes keep_alive, the key `close_context`
 * becomes stop_context, and context_id is always set. */
int elevenlabs_message_parse_multi(struct multi_message *message, struct stream_fault *fault,
				   char *json, size_t len);

/* Reads the API key from a first message; "" if it has none, or one that does not fit.  The message
 * is overwritten. */
void elevenlabs_message_key(char *key, size_t size, char *json, size_t len);

#endif
