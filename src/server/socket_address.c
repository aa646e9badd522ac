/*
 * socket_address.c: what the address of a WebSocket says (see socket_address.h).
 */
#include "server/socket_address.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "server/server_private.h"

#define VALUE_SIZE 256 /* of a parameter; the name of a model may be any */
#define VOICE_SIZE 128

struct socket_address {
	const struct socket_address_api *api;
	const struct config *config;
	struct address_settings said;
	char voice[VOICE_SIZE]; /* "" when it is longer: no voice's name is */
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
}

int socket_address_read(struct socket_address **addressp, const struct socket_address_api *api,
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

void socket_address_open(struct socket_address *address, struct session *session)
{
	struct settings *settings = &address->said.settings;
	const struct voice *voice = address->api->find_voice(
		address->config, session->services->voices, session_project_id(session),
		address->voice, strlen(address->voice));
	struct session_opening opening = {.settings = settings, .idle_ms = address->said.idle_ms};

	if (voice) {
		settings->voice_id = voice->id;
		settings->set |= SETTING_VOICE_ID;
	} else if (!address->has_fault) {
		address->has_fault = true;
		fault_set(&address->fault, services_unknown_voice(session->services),
			  "voice_id %.100s", address->voice);
	}
	opening.fault = address->has_fault ? &address->fault : NULL;
	session->ops->open(session, &opening);
}
