/*
 * signed_path.h: a signature that lets its holder use one path on behalf of an API key, any number of
 * times until it expires.
 *
 * It is made for URLs that a server gives to a browser.  Nothing is stored: the signature is an HMAC
 * with the key's hash, which only the store and whoever has the key itself know, so every server of the
 * store can check it, and it becomes invalid together with the key.  Single-use tokens
 * (single_use_token.h) are for what must not be used twice.  Pure, for any thread.
 */
#ifndef ACCOUNT_SIGNED_PATH_H
#define ACCOUNT_SIGNED_PATH_H

#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

/* The text: "ks_", the prefix of the key, the time of expiry and the signature in hexadecimal, separated
 * by dots, with its NUL. */
#define SIGNED_PATH_SIZE 112

struct signed_path {
	char prefix[STORE_KEY_PREFIX_LEN + 1]; /* identifies the key */
	int64_t expires_s; /* since 1970 */
	uint8_t mac[32];
};

/* ENOMEM. */
int signed_path_make(char text[SIGNED_PATH_SIZE], const struct store_key *key, const char *path,
		     int64_t expires_s);

/* Parses a text.  EINVAL if no signature can have it. */
int signed_path_read(struct signed_path *signature, const char *text, size_t len);

/* Checks it with the key that has its prefix: 0, EACCES if it is forged, for another path or expired;
 * ENOMEM.  Whether the key is valid is not checked. */
int signed_path_check(const struct signed_path *signature, const struct store_key *key,
		      const char *path, int64_t now_s);

#endif
