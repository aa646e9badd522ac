/*
 * elevenlabs_address.h: what the address of an ElevenLabs WebSocket says.
 *
 * The voice is named in the path and looked up when the key is known: a project
 * has voices of its own.
 */
#ifndef SERVER_ELEVENLABS_ADDRESS_H
#define SERVER_ELEVENLABS_ADDRESS_H

#include "server/server_private.h"
#include "session/session.h"
#include "wire/elevenlabs_message.h"

#define ELEVENLABS_VOICE_MAX 128

struct elevenlabs_address {
	const struct config *config;
	struct elevenlabs_opening said;
	char voice[ELEVENLABS_VOICE_MAX]; /* "" when it is longer: no voice's name is */
	struct stream_fault fault;
	bool has_fault;
};

/* Ended by mem_deref. */
int elevenlabs_address_read(struct elevenlabs_address **addressp, const struct route_call *call);

/* Begins a session with it. */
void elevenlabs_address_open(struct elevenlabs_address *address, struct session *session);

#endif
