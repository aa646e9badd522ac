/*
 * similar.h: finds the word that was probably meant by a misspelt one.
 */
#ifndef BASE_SIMILAR_H
#define BASE_SIMILAR_H

#include <stdbool.h>
#include <stddef.h>

/* Longer words are compared only up to this many bytes. */
#define SIMILAR_MAX 128

/* The number of edits that turn one word into the other: insert, delete or replace a byte, or
 * swap two neighbours.  Letters of ASCII compare without case. */
size_t similar_edits(const char *a, const char *b);

/* Whether a misspelt word was probably meant to be another one that is this number of edits away:
 * there may be one edit for every three bytes of the misspelt word. */
bool similar_is_near(const char *word, size_t edits);

/* A search among words that are compared one by one. */
struct similar_search {
	const char *meant; /* the misspelt word */
	size_t least; /* edits to the nearest word so far; SIMILAR_MAX at first */
};

/* Compares the next word.  Returns true, and remembers its number of edits, if it was probably
 * meant and is nearer than all words compared so far. */
bool similar_is_nearer(struct similar_search *search, const char *word);

/* Returns the one of these words, a list that ends with NULL, that was probably meant by the
 * misspelt word `meant`; NULL if there is none. */
const char *similar_nearest(const char *const *words, const char *meant);

#endif
