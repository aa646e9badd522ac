/*
 * search.h: the form in which words are compared when someone searches for one.
 *
 * SQLite folds only ASCII letters, so the store keeps each word a second time, folded.
 */
#ifndef STORE_SEARCH_H
#define STORE_SEARCH_H

/* Returns the folded word, which the caller frees; NULL if there is no memory. */
char *search_fold(const char *word);

#endif
