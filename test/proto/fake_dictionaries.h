/*
 * fake_dictionaries.h: the dictionaries of one project, without a store.
 *
 * Programs with this file are linked so that dictionaries_lexicon is answered here
 * (proto_world in meson.build).  All know how to say SQL: 11 for every language, 12 likewise but not active,
 * 13 in German.
 */
#ifndef PROTO_FAKE_DICTIONARIES_H
#define PROTO_FAKE_DICTIONARIES_H

#include <stdbool.h>

#include "account/dictionaries.h"

#define FAKE_DICTIONARIES 3

struct fake_dictionaries {
	int64_t project_id;
	struct dictionary *all[FAKE_DICTIONARIES];
	bool is_away; /* the project was never read */
};

int fake_dictionaries_open(struct fake_dictionaries *fake, int64_t project_id);
void fake_dictionaries_close(struct fake_dictionaries *fake);

/* For session_services. */
const struct dictionaries *fake_dictionaries_get(const struct fake_dictionaries *fake);

/* Number 11 says SQL like this from now on. */
int fake_dictionaries_change(struct fake_dictionaries *fake, const char *replacement);

#endif
