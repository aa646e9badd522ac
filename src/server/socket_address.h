/*
 * socket_address.h: the settings in the URL of a WebSocket, for APIs that have settings there: those of
 * speech (struct socket_address_api), or of a session that listens (session/listen_api.h).
 *
 * The voice is named in the path and looked up once the key is known, because a project has voices
 * of its own.
 */
#ifndef SERVER_SOCKET_ADDRESS_H
#define SERVER_SOCKET_ADDRESS_H

#include "server/door.h"
#include "session/session.h"
#include "wire/address_settings.h"

struct socket_address_api {
	/* Sets the values that apply without any parameter. */
	void (*init)(struct address_settings *settings);
	const struct address_field *fields; /* terminated by a field without a name */
	door_voice_h *find_voice;
};

struct socket_address;
struct tts_socket_api;

/* Released by mem_deref; NULL if this API has no settings in its URLs.  If the URL cannot be
 * understood, the fault is kept in it and reported by socket_address_open. */
int socket_address_read(struct socket_address **addressp, const struct tts_socket_api *api,
			const struct route_call *call);

/* Applies the settings to a session that begins, or reports the fault. */
void socket_address_open(struct socket_address *address, struct session *session);

#endif
