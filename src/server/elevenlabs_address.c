/*
 * elevenlabs_address.c: what the address of an ElevenLabs WebSocket says (see
 * elevenlabs_address.h).
 */
#include "server/elevenlabs_address.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "server/elevenlabs_voices.h"

#define VALUE_SIZE 256 /* of a query's value; a model's may be any */

static int read_value(struct elevenlabs_address *address, const struct http_request *request,
		      const char *name)
{
	char value[VALUE_SIZE];
	int err = http_query(request, name, value, sizeof(value));

	if (err == ENOENT || (!err && !value[0]))
		return 0;
	if (err)
		return fault_set(&address->fault, WIRE_ERROR_INVALID_REQUEST,
				 "%s cannot be understood", name);
	return elevenlabs_opening_set(&address->said, &address->fault, name, value);
}

static void read_voice(struct elevenlabs_address *address, const char *text)
{
	size_t len = strcspn(text, "/");

	if (len < sizeof(address->voice))
		memcpy(address->voice, text, len);
}

static void address_destroy(void *object)
{
	struct elevenlabs_address *address = object;

	settings_reset(&address->said.settings);
}

int elevenlabs_address_read(struct elevenlabs_address **addressp, const struct route_call *call)
{
	struct elevenlabs_address *address = mem_zalloc(sizeof(*address), NULL);

	if (!address)
		return ENOMEM;
	address->config = call->server->config;
	elevenlabs_opening_init(&address->said);
	mem_set_destructor(address, address_destroy);
	read_voice(address, call->id_texts[0]);
	for (size_t i = 0; elevenlabs_opening_names[i] && !address->has_fault; ++i)
		address->has_fault =
			read_value(address, call->request, elevenlabs_opening_names[i]) != 0;
	*addressp = address;
	return 0;
}

static void find_voice(struct elevenlabs_address *address, const struct session *session)
{
	struct settings *settings = &address->said.settings;
	const struct voice *voice = elevenlabs_voices_find(
		address->config, session->services->voices, session_project_id(session),
		address->voice, strlen(address->voice));

	if (voice) {
		settings->voice_id = voice->id;
		settings->set |= SETTING_VOICE_ID;
		return;
	}
	if (address->has_fault)
		return;
	address->has_fault = true;
	fault_set(&address->fault, services_unknown_voice(session->services), "voice_id %.100s",
		  address->voice);
}

void elevenlabs_address_open(struct elevenlabs_address *address, struct session *session)
{
	struct session_opening opening = {
		.settings = &address->said.settings,
		.idle_ms = address->said.idle_ms,
	};

	find_voice(address, session);
	opening.fault = address->has_fault ? &address->fault : NULL;
	session->ops->open(session, &opening);
}
