/*
 * engine_json.h: speech engines as ElevenLabs' clients see them.
 */
#ifndef DOORS_ELEVENLABS_ENGINE_JSON_H
#define DOORS_ELEVENLABS_ENGINE_JSON_H

#include <stdbool.h>

#include "store/store.h"
#include "wire/json_write.h"

/* An agent of the configuration, which is shown as a resource that cannot be changed. */
struct engine_json_agent {
	const char *name;
	const char *language; /* "": none is configured */
	const char *url; /* where it answers speech engines; NULL: not known */
};

/* Write the members of a resource into an object that is open, with the defaults of what is not
 * configured.  `is_own` says whether the asking key signs for it.  EINVAL if the stored configuration is
 * damaged, ENOMEM. */
int engine_json_write(struct json_write *json, const struct store_speech_engine *row, bool is_own);
int engine_json_write_agent(struct json_write *json, const struct engine_json_agent *agent);

/* The same for the items of a list, which have fewer members. */
int engine_json_write_item(struct json_write *json, const struct store_speech_engine *row,
			   bool is_own);
int engine_json_write_agent_item(struct json_write *json, const struct engine_json_agent *agent);

#endif
