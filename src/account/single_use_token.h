/*
 * single_use_token.h: tokens that are valid for one connection or request.
 *
 * They are made for browsers, which must not see the API key, and stored as a hash, like keys.
 */
#ifndef ACCOUNT_SINGLE_USE_TOKEN_H
#define ACCOUNT_SINGLE_USE_TOKEN_H

#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

#define SINGLE_USE_TOKEN_LEN 43
/* The default lifetime: long enough to open a page with the token, too short to be worth
 * stealing. */
#define SINGLE_USE_TOKEN_SECONDS 60
#define SINGLE_USE_TOKEN_SECONDS_MAX 3600

/* Makes the text of a new token ("kt_" and 40 letters and digits, NUL-terminated) and its row for
 * the store.  EINVAL for a path that does not begin with a slash or is too long, ERANGE for seconds
 * that are not between 1 and SINGLE_USE_TOKEN_SECONDS_MAX. */
int single_use_token_make(char text[SINGLE_USE_TOKEN_LEN + 1], struct store_token *token,
			  int64_t key_id, const char *path, int64_t seconds, int64_t now_ms);

/* Gives the hash by which the store knows the token.  EINVAL when no token can have this text;
 * ENOMEM. */
int single_use_token_read(uint8_t hash[STORE_KEY_HASH_LEN], const char *text, size_t len);

#endif
