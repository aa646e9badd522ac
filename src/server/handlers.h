/*
 * handlers.h: the handlers and resources that route tables refer to, grouped by source file.
 *
 * A handler answers a request (see door.h), immediately or later.  The tables are in routes.c and,
 * for vendors' APIs, in src/doors.
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
/* Enough for 10,000 entries of 800 bytes, many times what words need.  Entries of the maximum
 * length would be 168 MB in total, which nobody writes. */
#define DICTIONARY_REST_BODY_MAX (8 * 1024 * 1024)
route_h dictionary_rest_replace_entries, dictionary_rest_invalidate;
extern const struct resource dictionary_rest_dictionaries, dictionary_rest_entries;

/* account_rest.c */
extern const struct resource account_rest_accounts, account_rest_top_ups, account_rest_projects;

/* key_rest.c */
extern const struct resource key_rest_keys;

/* token_rest.c */
route_h token_rest_add;

/* usage_rest.c */
route_h usage_rest_sum, usage_rest_turns;

/* normalize_rest.c */
route_h normalize_rest_text;

/* voice_change.c */
route_h voice_change_add, voice_change_patch, voice_change_remove, voice_change_references,
	voice_change_not_available;

/* voice_sample.c */
route_h voice_sample_make, voice_sample_get;

#endif
