/*
 * fake_dictionaries.h: the dictionaries of one project, without a store.
 *
 * All know how to say SQL: 11 for every language, 12 likewise but not active,
 * 13 in German.
 */
#ifndef PROTO_FAKE_DICTIONARIES_H
#define PROTO_FAKE_DICTIONARIES_H

#include <stdbool.h>

#include "session/services.h"

#define FAKE_DICTIONARIES 3

struct fake_dictionaries {
	int64_t project_id;
	struct dictionary *all[FAKE_DICTIONARIES];
	bool is_away; /* the project was never read */
};

extern const struct dictionary_ops fake_dictionary_ops;

int fake_dictionaries_open(struct fake_dictionaries *fake, int64_t project_id);
void fake_dictionaries_close(struct fake_dictionaries *fake);

/* Number 11 says SQL like this from now on. */
int fake_dictionaries_change(struct fake_dictionaries *fake, const char *replacement);

#endif
