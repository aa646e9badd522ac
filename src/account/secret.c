/*
 * secret.c: the random text of API keys and tokens (see secret.h).
 */
#include "account/secret.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>
#include <sys/random.h>

static const char secret_letters[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
#define LETTERS (sizeof(secret_letters) - 1)

/* All characters are equally likely, because bytes from the last multiple of 62 on are
 * discarded. */
int secret_random_letters(char *out, size_t count)
{
	uint8_t bytes[64];
	size_t made = 0;

	while (made < count) {
		ssize_t n = getrandom(bytes, sizeof(bytes), 0);

		if (n < 0 && errno != EINTR)
			return errno;
		for (ssize_t i = 0; i < n && made < count; ++i) {
			if (bytes[i] < 256 / LETTERS * LETTERS)
				out[made++] = secret_letters[bytes[i] % LETTERS];
		}
	}
	OPENSSL_cleanse(bytes, sizeof(bytes));
	return 0;
}

int secret_make(char text[SECRET_LEN + 1], const char *start)
{
	memcpy(text, start, SECRET_START_LEN);
	text[SECRET_LEN] = '\0';
	return secret_random_letters(text + SECRET_START_LEN, SECRET_LEN - SECRET_START_LEN);
}

bool secret_is(const char *text, size_t len, const char *start)
{
	if (len != SECRET_LEN || memcmp(text, start, SECRET_START_LEN) != 0)
		return false;
	for (size_t i = SECRET_START_LEN; i < len; ++i) {
		if (!memchr(secret_letters, text[i], LETTERS))
			return false;
	}
	return true;
}

int secret_hash(uint8_t hash[STORE_KEY_HASH_LEN], const char *text)
{
	return EVP_Digest(text, SECRET_LEN, hash, NULL, EVP_sha256(), NULL) == 1 ? 0 : ENOMEM;
}
