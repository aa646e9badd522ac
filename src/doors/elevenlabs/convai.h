/*
 * convai.h: ElevenLabs' conversation WebSocket, as a caller's connection (call/call_api.h).
 *
 *   convai_message.c  the messages of its clients
 *   convai_dialect.c  the messages that it sends
 *
 * The client begins with
 *
 *	{"type":"conversation_initiation_client_data","conversation_config_override":{…},
 *	 "dynamic_variables":{…}}
 *
 * and receives conversation_initiation_metadata.  Then it sends {"user_audio_chunk":"…"}, the only
 * message without a type.  Its clients wait for the metadata and lose what is received together with it,
 * so nothing follows for CONVAI_START_GAP_MS.
 */
#ifndef DOORS_ELEVENLABS_CONVAI_H
#define DOORS_ELEVENLABS_CONVAI_H

#include "call/call_api.h"
#include "wire/rest_body.h"

#define CONVAI_START_GAP_MS 20

extern const struct call_api elevenlabs_convai_api;

/* convai_message.c */
int convai_message_parse(struct call_message *message, struct call_settings *settings,
			 struct stream_fault *fault, char *json, size_t len);
/* The bit of enum call_wants for a name in client_events; 0: we have no such message, or it is always
 * sent. */
unsigned convai_message_wants(const struct json_value *name);
/* The keys of all messages, for the description of the API. */
extern const struct rest_form convai_message_form;

/* convai_dialect.c */
extern const struct call_dialect convai_dialect;

#endif
