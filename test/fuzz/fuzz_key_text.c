/*
 * fuzz_key_text.c: texts of keys and tokens, and lists of scopes.
 *
 * Checked: no text is both a key and a token; a list of scopes that was read can be printed and
 * read again.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "account/api_key.h"
#include "account/scopes.h"
#include "account/single_use_token.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* A text is a key or a token or neither, and only with its whole length. */
static void read_secret(const char *text, size_t len)
{
	char prefix[STORE_KEY_PREFIX_LEN + 1];
	uint8_t hash[STORE_KEY_HASH_LEN];
	int is_key = api_key_read(prefix, hash, text, len) == 0;
	int is_token = single_use_token_read(hash, text, len) == 0;

	assert(!(is_key && is_token));
	assert(!is_key || (len >= API_KEY_LEN && strncmp(prefix, "ka_", 3) == 0 &&
			   strlen(prefix) == STORE_KEY_PREFIX_LEN));
	assert(!is_token || len == SINGLE_USE_TOKEN_LEN);
}

static void read_scopes(const char *list)
{
	char printed[SCOPES_TEXT_SIZE];
	unsigned scopes;
	unsigned again;
	const char *bad;

	if (scopes_parse(&scopes, list, &bad) != 0) {
		assert(bad >= list && bad <= list + strlen(list));
		return;
	}
	scopes_print(printed, scopes);
	assert(scopes_parse(&again, printed, NULL) == 0 && again == scopes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	char *exact = malloc(len ? len : 1); /* so that a read past the end is detected */
	char *string = calloc(len + 1, 1);

	if (exact && string) {
		if (len > 0)
			memcpy(exact, bytes, len);
		memcpy(string, exact, len);
		read_secret(exact, len);
		read_scopes(string);
	}
	free(exact);
	free(string);
	return 0;
}
