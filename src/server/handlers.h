/*
 * handlers.h: the functions that route tables name, by the file that has them.
 *
 * A handler answers a request (see door.h), at once or later.  The tables are in routes.c and, for
 * vendors' APIs, in src/doors.
 */
#ifndef SERVER_HANDLERS_H
#define SERVER_HANDLERS_H

#include "server/door.h"

/* description.c */
route_h description_openapi, description_asyncapi;

/* page.c */
route_h page_get;

/* agent_rest.c */
route_h agent_rest_list, agent_rest_talk;

/* metrics_page.c */
route_h metrics_page_get;

/* health.c */
route_h health_get, health_ready;

/* dictionary_rest.c */
/* For all entries at once: 10,000 of 800 bytes, many times what words need.  The
 * longest that they may be would be 168 MB, and nobody writes those. */
#define DICTIONARY_REST_BODY_MAX (8 * 1024 * 1024)
route_h dictionary_rest_list, dictionary_rest_add, dictionary_rest_get, dictionary_rest_change,
	dictionary_rest_remove, dictionary_rest_list_entries, dictionary_rest_add_entry,
	dictionary_rest_replace_entries, dictionary_rest_change_entry, dictionary_rest_remove_entry,
	dictionary_rest_invalidate;

/* pronunciation_rest.c */
route_h pronunciation_rest_list, pronunciation_rest_get, pronunciation_rest_download,
	pronunciation_rest_add, pronunciation_rest_add_file, pronunciation_rest_change,
	pronunciation_rest_add_rules, pronunciation_rest_set_rules, pronunciation_rest_remove_rules;

/* account_rest.c */
route_h account_rest_list, account_rest_add, account_rest_get, account_rest_change,
	account_rest_list_top_ups, account_rest_add_top_up, account_rest_list_projects,
	account_rest_add_project;

/* key_rest.c */
route_h key_rest_list, key_rest_add, key_rest_get, key_rest_change, key_rest_revoke;

/* token_rest.c */
route_h token_rest_add, token_rest_add_single_use;

/* usage_rest.c */
route_h usage_rest_sum, usage_rest_turns;

/* normalize.c */
route_h normalize_text;

/* voice_rest.c */
route_h voice_rest_list, voice_rest_get, voice_rest_list_elevenlabs, voice_rest_get_elevenlabs;

/* voice_search.c */
route_h voice_search_list;

/* voice_settings.c */
route_h voice_settings_default, voice_settings_get;

/* voice_change.c */
route_h voice_change_add, voice_change_patch, voice_change_remove, voice_change_references,
	voice_change_settings, voice_change_not_available;

/* voice_sample.c */
route_h voice_sample_make, voice_sample_get;

/* model_rest.c */
route_h model_rest_list, model_rest_get, model_rest_list_audio, model_rest_list_elevenlabs;

/* user_rest.c */
route_h user_rest_get, user_rest_subscription, user_rest_history, user_rest_usage;

#endif
