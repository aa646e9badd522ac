/*
 * similar.h: finds the word that a misspelt one was meant to be.
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

/* Whether a word with this many edits was probably meant: at most a third of it may differ. */
bool similar_is_near(const char *word, size_t edits);

/* A search among words that are compared one by one. */
struct similar_search {
	const char *meant;
	size_t least; /* edits to the nearest word so far; SIMILAR_MAX at first */
};

/* Whether the word was probably meant and is nearer than all before it. */
bool similar_is_nearer(struct similar_search *search, const char *word);

/* Returns the nearest of these words, a list that ends with NULL, that was probably meant; NULL if
 * there is none. */
const char *similar_nearest(const char *const *words, const char *meant);

#endif
