/*
 * api_key.c: the text of API keys (see api_key.h).
 */
#include "account/api_key.h"

#include <errno.h>
#include <string.h>

#include "account/secret.h"
#include "base/clock.h"
#include "base/count.h"

static const char api_key_start[] = "ka_";

/* Finds "ka_" and 40 letters or digits, after an optional region; NULL for any other text. */
static const char *api_key_find_text(const char *key, size_t len)
{
	static const char *const regions[] = {"eu-", "us-", "global-"};

	for (size_t i = 0; i < COUNT(regions); ++i) {
		size_t n = strlen(regions[i]);

		if (len > n && memcmp(key, regions[i], n) == 0) {
			key += n;
			len -= n;
			break;
		}
	}
	return secret_is(key, len, api_key_start) ? key : NULL;
}

bool api_key_is(const char *text)
{
	return api_key_find_text(text, strlen(text)) != NULL;
}

int api_key_read(char prefix[STORE_KEY_PREFIX_LEN + 1], uint8_t hash[STORE_KEY_HASH_LEN],
		 const char *text, size_t len)
{
	const char *key = api_key_find_text(text, len);

	if (!key)
		return EINVAL;
	memcpy(prefix, key, STORE_KEY_PREFIX_LEN);
	prefix[STORE_KEY_PREFIX_LEN] = '\0';
	return secret_hash(hash, key);
}

int api_key_make(char text[API_KEY_LEN + 1], struct store_key *key, const char *name)
{
	int err;

	if (strlen(name) > STORE_NAME_MAX)
		return EINVAL;
	err = secret_make(text, api_key_start);
	if (err)
		return err;
	*key = (struct store_key){
		.project_id = STORE_PROJECT_DEFAULT,
		.scopes = STORE_SCOPES_USUAL,
		.credit_cents = -1,
		.limits = {STORE_LIMIT_NONE, STORE_LIMIT_NONE, STORE_LIMIT_NONE, STORE_LIMIT_NONE,
			   STORE_LIMIT_NONE, STORE_LIMIT_NONE},
		.created_ms = clock_wall_ms(),
	};
	memcpy(key->prefix, text, STORE_KEY_PREFIX_LEN);
	memcpy(key->name, name, strlen(name) + 1);
	return secret_hash(key->hash, text);
}
