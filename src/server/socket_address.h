/*
 * socket_address.h: what the address of a WebSocket says, where an API has settings there.
 *
 * The voice is named in the path and looked up when the key is known: a project has voices of its
 * own.
 */
#ifndef SERVER_SOCKET_ADDRESS_H
#define SERVER_SOCKET_ADDRESS_H

#include "server/door.h"
#include "session/session.h"
#include "wire/address_settings.h"

struct socket_address_api {
	void (*init)(struct address_settings *settings); /* what holds without any parameter */
	const struct address_field *fields; /* up to one without a name */
	door_voice_h *find_voice;
};

struct socket_address;

/* Ended by mem_deref.  What cannot be understood is kept as a fault. */
int socket_address_read(struct socket_address **addressp, const struct socket_address_api *api,
			const struct route_call *call);

/* Begins a session with it. */
void socket_address_open(struct socket_address *address, struct session *session);

#endif
