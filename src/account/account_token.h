/*
 * account_token.h: passes for one connection or request.
 *
 * Made for a browser, which must not see the key; kept as a hash, like keys.
 */
#ifndef ACCOUNT_ACCOUNT_TOKEN_H
#define ACCOUNT_ACCOUNT_TOKEN_H

#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

#define ACCOUNT_TOKEN_LEN 43
/* Long enough to open a page with it, too short to be worth stealing. */
#define ACCOUNT_TOKEN_SECONDS 60
#define ACCOUNT_TOKEN_SECONDS_MAX 3600

/* The text of a new token: "kt_" and 40 letters and digits, NUL-terminated, and its
 * row for the store.  EINVAL for a path that does not begin with a slash or is too
 * long, ERANGE for seconds that are not 1 to ACCOUNT_TOKEN_SECONDS_MAX. */
int account_token_make(char text[ACCOUNT_TOKEN_LEN + 1], struct store_token *token, int64_t key_id,
		       const char *path, int64_t seconds, int64_t now_ms);

/* What a token is known by.  EINVAL when no token can have this text; ENOMEM. */
int account_token_read(uint8_t hash[STORE_KEY_HASH_LEN], const char *text, size_t len);

#endif
