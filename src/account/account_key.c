/*
 * account_key.c: the texts of keys (see account_key.h).
 */
#include "account/account_key.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/count.h"

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
#define LETTERS (sizeof(letters) - 1)

static const char key_start[] = "ka_";
#define KEY_START_LEN (sizeof(key_start) - 1)

/* "ka_" and 40 letters, behind a region or not; NULL for another text. */
static const char *key_text(const char *key, size_t len)
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
	if (len != ACCOUNT_KEY_LEN || memcmp(key, key_start, KEY_START_LEN) != 0)
		return NULL;
	for (size_t i = KEY_START_LEN; i < len; ++i) {
		if (!memchr(letters, key[i], LETTERS))
			return NULL;
	}
	return key;
}

static int hash_of(uint8_t hash[STORE_KEY_HASH_LEN], const char *text)
{
	return EVP_Digest(text, ACCOUNT_KEY_LEN, hash, NULL, EVP_sha256(), NULL) == 1 ? 0 : ENOMEM;
}

int account_key_read(char prefix[STORE_KEY_PREFIX_LEN + 1], uint8_t hash[STORE_KEY_HASH_LEN],
		     const char *text, size_t len)
{
	const char *key = key_text(text, len);

	if (!key)
		return EINVAL;
	memcpy(prefix, key, STORE_KEY_PREFIX_LEN);
	prefix[STORE_KEY_PREFIX_LEN] = '\0';
	return hash_of(hash, key);
}

/* Letters of equal chance: bytes past the last multiple of 62 are thrown away. */
static int random_letters(char *out, size_t count)
{
	uint8_t bytes[64];
	size_t made = 0;

	while (made < count) {
		ssize_t n = getrandom(bytes, sizeof(bytes), 0);

		if (n < 0 && errno != EINTR)
			return errno;
		for (ssize_t i = 0; i < n && made < count; ++i) {
			if (bytes[i] < 256 / LETTERS * LETTERS)
				out[made++] = letters[bytes[i] % LETTERS];
		}
	}
	OPENSSL_cleanse(bytes, sizeof(bytes));
	return 0;
}

int account_key_make(char text[ACCOUNT_KEY_LEN + 1], struct store_key *key, const char *name)
{
	int err;

	if (strlen(name) > STORE_NAME_MAX)
		return EINVAL;
	memcpy(text, key_start, KEY_START_LEN);
	err = random_letters(text + KEY_START_LEN, ACCOUNT_KEY_LEN - KEY_START_LEN);
	if (err)
		return err;
	text[ACCOUNT_KEY_LEN] = '\0';
	*key = (struct store_key){
		.project_id = STORE_PROJECT_DEFAULT,
		.scopes = STORE_SCOPES_USUAL,
		.credit_cents = -1,
		.limits = {STORE_LIMIT_NONE, STORE_LIMIT_NONE, STORE_LIMIT_NONE, STORE_LIMIT_NONE,
			   STORE_LIMIT_NONE},
		.created_ms = clock_wall_ms(),
	};
	memcpy(key->prefix, text, STORE_KEY_PREFIX_LEN);
	memcpy(key->name, name, strlen(name) + 1);
	return hash_of(key->hash, text);
}
