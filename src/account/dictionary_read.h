/*
 * dictionary_read.h: a dictionary of the store, compiled.
 */
#ifndef ACCOUNT_DICTIONARY_READ_H
#define ACCOUNT_DICTIONARY_READ_H

#include "store/store.h"
#include "text/dictionary.h"

/* Also gives the number of entries.  Runs on the store's thread; the result may be handed to
 * another. */
int dictionary_read(struct dictionary **dictionaryp, size_t *entries, struct store *store,
		    int64_t id);

#endif
