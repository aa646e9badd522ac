/*
 * engine_settings.h: the configuration of a speech engine, as ElevenLabs' API has it.
 *
 * The stored configuration is what the client has given.  Defaults are filled in when it is shown
 * and when it is used, by merging it into the document of the defaults.  One table says which values
 * are allowed and what they mean for a call, so that what was accepted can also be used.  Pure, for
 * any thread.
 */
#ifndef DOORS_ELEVENLABS_ENGINE_SETTINGS_H
#define DOORS_ELEVENLABS_ENGINE_SETTINGS_H

#include "call/call_settings.h"
#include "wire/json_tree.h"

#define ENGINE_SETTINGS_URL_MAX (CALL_SETTINGS_URL_SIZE - 1) /* bytes */
#define ENGINE_SETTINGS_NEVER_MS (-1) /* a time that does not come */
#define ENGINE_SETTINGS_VOICE_SIZE 129
#define ENGINE_SETTINGS_NAME_SIZE 129
#define ENGINE_SETTINGS_VARIABLES_MAX 16

/* The settings of a call, and what else the resource says. */
struct engine_settings {
	/* All but the voice, which depends on the server (elevenlabs_voice_ids_find). */
	struct call_settings call;
	char voice_id[ENGINE_SETTINGS_VOICE_SIZE]; /* as clients name it */
	/* Headers whose values are variables of the conversation; the others are in the call's. */
	struct engine_settings_variable {
		char header[ENGINE_SETTINGS_NAME_SIZE], variable[ENGINE_SETTINGS_NAME_SIZE];
	} variables[ENGINE_SETTINGS_VARIABLES_MAX];
	size_t variables_count;
	/* After this time a silent user is addressed again; in the beginning, after the second one.  Or
	 * ENGINE_SETTINGS_NEVER_MS. */
	int64_t turn_timeout_ms, initial_wait_ms;
	/* The languages whose default terms do not interrupt: each ended by a NUL, the last one by two. */
	char ignored_languages[CALL_SETTINGS_TERMS_SIZE];
	bool records_audio, records_transcript; /* whether they may be kept after the end */
	int64_t retention_days; /* how long; -1: no limit */
	int64_t concurrent_max, daily_max; /* calls of this resource; -1: no limit */
};

/* A new tree of the defaults.  ENOMEM. */
int engine_settings_defaults(struct json_tree **treep);

/* Merges a configuration into the defaults.  Its tree must live as long (see json_tree_merge). */
void engine_settings_complete(struct json_node *defaults, struct json_node *given);

/* Checks a complete configuration, and makes its settings, which mem_deref frees; `settingsp` may be
 * NULL.  EINVAL with the fault filled in, ENOMEM. */
int engine_settings_read(struct engine_settings **settingsp, struct stream_fault *fault,
			 const struct json_node *complete);

/* Makes the settings from a stored configuration. */
int engine_settings_parse(struct engine_settings **settingsp, struct stream_fault *fault,
			  const char *config, size_t len);

/* Adds a header whose value is known only in a call.  EINVAL for a value that a header cannot have,
 * ENOBUFS if the headers are too long. */
int engine_settings_add_header(struct call_settings *call, const char *name, const char *value,
			       size_t len);

#endif
