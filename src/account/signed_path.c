/*
 * signed_path.c: signatures for the use of a path (see signed_path.h).
 */
#include "account/signed_path.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <string.h>

static const char signed_path_start[] = "ks_";
#define MAC_LEN sizeof(((struct signed_path *)0)->mac)
#define EXPIRY_LEN 10u /* decimal digits, enough until the year 2286 */
#define TEXT_LEN (3u + STORE_KEY_PREFIX_LEN + 1u + EXPIRY_LEN + 1u + 2u * MAC_LEN)
#define SIGNED_MAX (STORE_PATH_MAX + 64u)

_Static_assert(TEXT_LEN < SIGNED_PATH_SIZE, "the text has room");

/* The hash of a key also signs the tokens of speech engines (engine_token.h).  What is signed here
 * begins with a word of its own, with which no token begins. */
static int signed_path_sign(uint8_t mac[MAC_LEN], const struct store_key *key, const char *path,
			    int64_t expires_s)
{
	unsigned char text[SIGNED_MAX];
	unsigned mac_len;
	int len =
		snprintf((char *)text, sizeof(text), "signed path\n%s\n%" PRId64, path, expires_s);

	if (len < 0 || (size_t)len >= sizeof(text))
		return EINVAL;
	if (!HMAC(EVP_sha256(), key->hash, STORE_KEY_HASH_LEN, text, (size_t)len, mac, &mac_len))
		return ENOMEM;
	assert(mac_len == MAC_LEN);
	return 0;
}

int signed_path_make(char text[SIGNED_PATH_SIZE], const struct store_key *key, const char *path,
		     int64_t expires_s)
{
	uint8_t mac[MAC_LEN];
	int err = signed_path_sign(mac, key, path, expires_s);
	int len;

	if (err)
		return err;
	len = snprintf(text, SIGNED_PATH_SIZE, "%s%s.%010" PRId64 ".", signed_path_start,
		       key->prefix, expires_s);
	assert(len > 0 && (size_t)len + 2 * MAC_LEN == TEXT_LEN);
	for (size_t i = 0; i < MAC_LEN; ++i)
		snprintf(text + len + 2 * i, 3, "%02x", mac[i]);
	return 0;
}

static int signed_path_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int signed_path_read(struct signed_path *signature, const char *text, size_t len)
{
	const char *prefix = text + strlen(signed_path_start);
	const char *expiry = prefix + STORE_KEY_PREFIX_LEN + 1;
	const char *mac = expiry + EXPIRY_LEN + 1;
	struct signed_path found = {.expires_s = 0};

	if (len != TEXT_LEN || memcmp(text, signed_path_start, strlen(signed_path_start)) != 0 ||
	    expiry[-1] != '.' || mac[-1] != '.')
		return EINVAL;
	memcpy(found.prefix, prefix, STORE_KEY_PREFIX_LEN);
	for (size_t i = 0; i < EXPIRY_LEN; ++i) {
		if (expiry[i] < '0' || expiry[i] > '9')
			return EINVAL;
		found.expires_s = found.expires_s * 10 + (expiry[i] - '0');
	}
	for (size_t i = 0; i < MAC_LEN; ++i) {
		int high = signed_path_digit(mac[2 * i]);
		int low = signed_path_digit(mac[2 * i + 1]);

		if (high < 0 || low < 0)
			return EINVAL;
		found.mac[i] = (uint8_t)(high << 4 | low);
	}
	*signature = found;
	return 0;
}

int signed_path_check(const struct signed_path *signature, const struct store_key *key,
		      const char *path, int64_t now_s)
{
	uint8_t mac[MAC_LEN];
	int err = signed_path_sign(mac, key, path, signature->expires_s);

	if (err)
		return err == EINVAL ? EACCES : err;
	if (CRYPTO_memcmp(mac, signature->mac, sizeof(mac)) != 0 || now_s >= signature->expires_s)
		return EACCES;
	return 0;
}
