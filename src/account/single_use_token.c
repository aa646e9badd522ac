/*
 * single_use_token.c: tokens that are valid for one connection or request (see
 * single_use_token.h).
 */
#include "account/single_use_token.h"

#include <errno.h>
#include <string.h>

#include "account/secret.h"

static const char single_use_token_start[] = "kt_";

int single_use_token_make(char text[SINGLE_USE_TOKEN_LEN + 1], struct store_token *token,
			  int64_t key_id, const char *path, int64_t seconds, int64_t now_ms)
{
	int err;

	if (path[0] != '/' || strlen(path) > STORE_PATH_MAX)
		return EINVAL;
	if (seconds < 1 || seconds > SINGLE_USE_TOKEN_SECONDS_MAX)
		return ERANGE;
	err = secret_make(text, single_use_token_start);
	if (err)
		return err;
	*token = (struct store_token){.key_id = key_id, .expires_ms = now_ms + seconds * 1000};
	memcpy(token->path, path, strlen(path) + 1);
	return secret_hash(token->hash, text);
}

int single_use_token_read(uint8_t hash[STORE_KEY_HASH_LEN], const char *text, size_t len)
{
	return secret_is(text, len, single_use_token_start) ? secret_hash(hash, text) : EINVAL;
}
