/*
 * similar.h: which known word a misspelt one was meant to be.
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

/* Whether a word with so many edits can have been meant: at most a third of it may differ. */
bool similar_is_near(const char *word, size_t edits);

/* A search among words that come one by one. */
struct similar_search {
	const char *meant;
	size_t least; /* edits to the nearest word so far; SIMILAR_MAX at first */
};

/* Whether the word can have been meant and is nearer than all before it. */
bool similar_is_nearer(struct similar_search *search, const char *word);

/* The nearest of these words, which end with NULL, that can have been meant; NULL: none. */
const char *similar_nearest(const char *const *words, const char *meant);

#endif
