/*
 * voice_pairs.h: a value of the configuration that maps names to voices: "ID:VOICE, ID:VOICE".
 *
 * Pure, for any thread.
 */
#ifndef SERVER_VOICE_PAIRS_H
#define SERVER_VOICE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

/* Slices of the value: neither string ends in a NUL. */
struct voice_pair {
	const char *id, *voice;
	size_t id_len, voice_len;
};

/* Reads the next pair; false at the end.  A pair without a colon has an empty voice. */
bool voice_pairs_next(struct voice_pair *pair, const char **at);

/* For tables of parameters: returns what is wrong with a value, or NULL. */
const char *voice_pairs_check(const char *value);

#endif
