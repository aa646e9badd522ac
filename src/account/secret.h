/*
 * secret.h: the random text of API keys and tokens.
 *
 * A secret has three characters that identify its kind, and 40 random letters and digits: 238 bits,
 * so a hash without salt is enough to protect it.
 */
#ifndef ACCOUNT_SECRET_H
#define ACCOUNT_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

#define SECRET_START_LEN 3
#define SECRET_LEN 43

/* Makes a NUL-terminated secret that begins with `start`, and checks whether a text is one. */
int secret_make(char text[SECRET_LEN + 1], const char *start);
bool secret_is(const char *text, size_t len, const char *start);

/* Writes this many random letters and digits, without a NUL. */
int secret_random_letters(char *out, size_t count);

/* SHA-256 of SECRET_LEN bytes; ENOMEM. */
int secret_hash(uint8_t hash[STORE_KEY_HASH_LEN], const char *text);

#endif
