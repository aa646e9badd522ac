/*
 * secret.h: texts that nobody can guess, of keys and of tokens.
 *
 * Three letters that say what it is, and 40 letters and digits: 238 bits, so that
 * a plain hash keeps it.
 */
#ifndef ACCOUNT_SECRET_H
#define ACCOUNT_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

#define SECRET_START_LEN 3
#define SECRET_LEN 43

/* NUL-terminated. */
int secret_make(char text[SECRET_LEN + 1], const char *start);
bool secret_is(const char *text, size_t len, const char *start);

/* SHA-256 of SECRET_LEN bytes; ENOMEM. */
int secret_hash(uint8_t hash[STORE_KEY_HASH_LEN], const char *text);

#endif
