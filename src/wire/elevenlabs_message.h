/*
 * elevenlabs_message.h: what a client may say on ElevenLabs' WebSockets,
 * stream-input and multi-stream-input, and in their addresses.
 *
 * Their messages become those of the native sockets (stream_message.h,
 * multi_message.h).  Keys that change nothing here (stability, style …) and
 * unknown ones are ignored.
 */
#ifndef WIRE_ELEVENLABS_MESSAGE_H
#define WIRE_ELEVENLABS_MESSAGE_H

#include "wire/multi_message.h"

/* The context of messages that name none. */
#define ELEVENLABS_CONTEXT "default"

/* Silence after which a stream or a context ends, unless the address says
 * otherwise. */
#define ELEVENLABS_IDLE_MS 20000
#define ELEVENLABS_IDLE_MIN_S 1 /* what a client can choose instead */
#define ELEVENLABS_IDLE_MAX_S 180

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

/* What the address says. */
struct elevenlabs_opening {
	struct settings settings; /* all of a stream's; without a voice */
	unsigned idle_ms;
};

void elevenlabs_opening_init(struct elevenlabs_opening *opening);

/* The query's names that are read, NULL at the end, and one of their values. */
extern const char *const elevenlabs_opening_names[];
int elevenlabs_opening_set(struct elevenlabs_opening *opening, struct stream_fault *fault,
			   const char *name, const char *value);

#endif
