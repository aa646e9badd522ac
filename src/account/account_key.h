/*
 * account_key.h: the texts of keys, which are shown once and kept as hashes.
 */
#ifndef ACCOUNT_ACCOUNT_KEY_H
#define ACCOUNT_ACCOUNT_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

/* The text of a new key: "ka_" and 40 letters and digits, NUL-terminated, and
 * its row for the store: of the default project, with the usual scopes, without
 * limits.  EINVAL for a name that is too long. */
#define ACCOUNT_KEY_LEN 43
int account_key_make(char text[ACCOUNT_KEY_LEN + 1], struct store_key *key, const char *name);

/* Whether a text has the form of a key, with or without a region before it; nothing is looked
 * up. */
bool account_key_is(const char *text);

/* What a key is known by, of its text, with or without the region that clients of
 * hosted services put before it (eu-, us-, global-).  EINVAL when no key can have
 * this text; ENOMEM. */
int account_key_read(char prefix[STORE_KEY_PREFIX_LEN + 1], uint8_t hash[STORE_KEY_HASH_LEN],
		     const char *text, size_t len);

#endif
