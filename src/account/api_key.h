/*
 * api_key.h: the text of API keys, which is shown once and stored as a hash.
 *
 * These functions are pure, apart from random numbers, and may be called on any thread.
 */
#ifndef ACCOUNT_API_KEY_H
#define ACCOUNT_API_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

/* Makes the text of a new key ("ka_" and 40 letters and digits, NUL-terminated) and its row for the
 * store, in the default project, with the default scopes and without limits.  EINVAL for a name
 * that is too long. */
#define API_KEY_LEN 43
int api_key_make(char text[API_KEY_LEN + 1], struct store_key *key, const char *name);

/* Whether the text has the form of a key, with or without a region before it.  The key need not
 * exist. */
bool api_key_is(const char *text);

/* Gives the prefix and the hash by which the store knows the key, with or without the region that
 * clients of hosted services put before it (eu-, us-, global-).  EINVAL when no key can have this
 * text; ENOMEM. */
int api_key_read(char prefix[STORE_KEY_PREFIX_LEN + 1], uint8_t hash[STORE_KEY_HASH_LEN],
		 const char *text, size_t len);

#endif
