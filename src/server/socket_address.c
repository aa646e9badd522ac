/*
 * socket_address.c: the settings in the URL of a WebSocket (see socket_address.h).
 *
 * Runs on the loop's thread.
 */
#include "server/socket_address.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "server/server_private.h"
#include "server/tts_socket.h"
#include "session/listen_api.h"

#define VALUE_SIZE 256 /* size of a parameter's value; the name of a model can be long */
#define VOICE_SIZE 128

struct socket_address {
	const struct socket_address_api *api; /* NULL: it is that of a session that listens */
	const struct config *config;
	struct address_settings said;
	char voice[VOICE_SIZE]; /* "" if the name is longer than that of any voice */
	struct listen_settings *listening; /* NULL: the session speaks */
	struct stream_fault fault;
	bool has_fault;
};

static int socket_address_read_field(struct socket_address *address,
				     const struct http_request *request,
				     const struct address_field *field)
{
	char value[VALUE_SIZE];
	int err = http_query(request, field->name, value, sizeof(value));

	if (err == ENOENT || (!err && !value[0]))
		return 0;
	if (err)
		return fault_set(&address->fault, WIRE_ERROR_INVALID_REQUEST,
				 "%s cannot be understood", field->name);
	return field->set(&address->said, &address->fault, value);
}

static void socket_address_destroy(void *object)
{
	struct socket_address *address = object;

	settings_reset(&address->said.settings);
	free(address->listening);
}

static int socket_address_read_voice(struct socket_address **addressp,
				     const struct socket_address_api *api,
				     const struct route_call *call)
{
	struct socket_address *address = mem_zalloc(sizeof(*address), NULL);
	size_t len = strcspn(call->id_texts[0], "/");

	if (!address)
		return ENOMEM;
	address->api = api;
	address->config = call->server->config;
	api->init(&address->said);
	mem_set_destructor(address, socket_address_destroy);
	if (len < sizeof(address->voice))
		memcpy(address->voice, call->id_texts[0], len);
	for (const struct address_field *field = api->fields; field->name && !address->has_fault;
	     ++field)
		address->has_fault = socket_address_read_field(address, call->request, field) != 0;
	*addressp = address;
	return 0;
}

/* Applies every value of a parameter. */
static int socket_address_read_listening(struct socket_address *address,
					 const struct http_request *request,
					 const struct listen_field *field)
{
	char value[VALUE_SIZE];
	const char *at = NULL;
	int err;

	while ((err = http_query_next(request, field->name, &at, value, sizeof(value))) == 0) {
		if (value[0] && field->set(address->listening, &address->fault, value) != 0)
			return EINVAL;
	}
	return err == ENOENT ? 0
			     : fault_set(&address->fault, WIRE_ERROR_INVALID_REQUEST,
					 "%s cannot be understood", field->name);
}

static int socket_address_read_listener(struct socket_address **addressp,
					const struct listen_api *api, const struct route_call *call)
{
	struct socket_address *address = mem_zalloc(sizeof(*address), NULL);

	if (!address)
		return ENOMEM;
	address->listening = calloc(1, sizeof(*address->listening));
	mem_set_destructor(address, socket_address_destroy);
	if (!address->listening) {
		mem_deref(address);
		return ENOMEM;
	}
	api->init(address->listening);
	for (const struct listen_field *field = api->fields; field->name && !address->has_fault;
	     ++field)
		address->has_fault =
			socket_address_read_listening(address, call->request, field) != 0;
	*addressp = address;
	return 0;
}

int socket_address_read(struct socket_address **addressp, const struct tts_socket_api *api,
			const struct route_call *call)
{
	if (api->session->listen)
		return socket_address_read_listener(addressp, api->session->listen, call);
	if (api->address)
		return socket_address_read_voice(addressp, api->address, call);
	*addressp = NULL;
	return 0;
}

static void socket_address_find_voice(struct socket_address *address, const struct session *session)
{
	struct settings *settings = &address->said.settings;
	const struct voice *voice = address->api->find_voice(
		address->config, session->services->voices, session_project_id(session),
		address->voice, strlen(address->voice));

	if (voice) {
		settings->voice_id = voice->id;
		settings->set |= SETTING_VOICE_ID;
	} else if (!address->has_fault) {
		address->has_fault = true;
		fault_set(&address->fault, services_unknown_voice(session->services),
			  "voice_id %.100s", address->voice);
	}
}

void socket_address_open(struct socket_address *address, struct session *session)
{
	struct session_opening opening = {.settings = &address->said.settings,
					  .idle_ms = address->said.idle_ms,
					  .listening = address->listening};

	if (address->api)
		socket_address_find_voice(address, session);
	opening.fault = address->has_fault ? &address->fault : NULL;
	session->ops->open(session, &opening);
}
