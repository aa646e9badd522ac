/*
 * search.h: words as they are compared when someone looks for one.
 *
 * SQLite knows the case of ASCII letters alone, so the store keeps each word a
 * second time, folded.
 */
#ifndef STORE_SEARCH_H
#define STORE_SEARCH_H

/* The word with its letters folded, from malloc; NULL when memory is out. */
char *search_fold(const char *word);

#endif
