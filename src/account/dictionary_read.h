/*
 * dictionary_read.h: reads a dictionary from the store and compiles it.
 */
#ifndef ACCOUNT_DICTIONARY_READ_H
#define ACCOUNT_DICTIONARY_READ_H

#include "store/store.h"
#include "text/dictionary.h"

/* Reads the dictionary with this id; *entries becomes the number of its entries.  Blocking: runs on
 * a thread of the async_store.  The result, a reference, may be passed to another thread.  ENOMEM,
 * or an error of the store. */
int dictionary_read(struct dictionary **dictionaryp, size_t *entries, struct store *store,
		    int64_t id);

#endif
