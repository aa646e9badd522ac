/*
 * account_token.c: passes for one connection or request (see account_token.h).
 */
#include "account/account_token.h"

#include <errno.h>
#include <string.h>

#include "account/secret.h"

static const char start[] = "kt_";

int account_token_make(char text[ACCOUNT_TOKEN_LEN + 1], struct store_token *token, int64_t key_id,
		       const char *path, int64_t seconds, int64_t now_ms)
{
	int err;

	if (path[0] != '/' || strlen(path) > STORE_PATH_MAX)
		return EINVAL;
	if (seconds < 1 || seconds > ACCOUNT_TOKEN_SECONDS_MAX)
		return ERANGE;
	err = secret_make(text, start);
	if (err)
		return err;
	*token = (struct store_token){.key_id = key_id, .expires_ms = now_ms + seconds * 1000};
	memcpy(token->path, path, strlen(path) + 1);
	return secret_hash(token->hash, text);
}

int account_token_read(uint8_t hash[STORE_KEY_HASH_LEN], const char *text, size_t len)
{
	return secret_is(text, len, start) ? secret_hash(hash, text) : EINVAL;
}
