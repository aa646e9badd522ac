/*
 * fake_dictionary_cache.h: the dictionaries of one project, without a store.
 *
 * Programs with this file are linked so that this file defines dictionary_cache_lexicon
 * (proto_world in meson.build).  There are three dictionaries, each with an entry for "SQL": 11 for
 * every language, 12 the same but not active, 13 for German.
 */
#ifndef PROTO_FAKE_DICTIONARY_CACHE_H
#define PROTO_FAKE_DICTIONARY_CACHE_H

#include <stdbool.h>

#include "account/dictionary_cache.h"

#define FAKE_DICTIONARIES 3

struct fake_dictionary_cache {
	int64_t project_id;
	struct dictionary *all[FAKE_DICTIONARIES];
	bool is_away; /* the project was never read */
};

int fake_dictionary_cache_open(struct fake_dictionary_cache *fake, int64_t project_id);
void fake_dictionary_cache_close(struct fake_dictionary_cache *fake);

/* For session_services. */
const struct dictionary_cache *fake_dictionary_cache_get(const struct fake_dictionary_cache *fake);

/* Changes how dictionary 11 replaces "SQL". */
int fake_dictionary_cache_change(struct fake_dictionary_cache *fake, const char *replacement);

#endif
