/*
 * dictionary_read.c: a dictionary of the store, compiled (see dictionary_read.h).
 */
#include "account/dictionary_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The entries of a dictionary while it is being read. */
struct collection {
	struct dictionary_entry *entries;
	size_t count;
	size_t size;
	int err;
};

static const char *copy_string(struct collection *collection, const char *string)
{
	char *copy = string ? strdup(string) : NULL;

	if (string && !copy)
		collection->err = ENOMEM;
	return copy;
}

static bool collect(const struct store_entry *row, void *arg)
{
	struct collection *collection = arg;
	struct dictionary_entry *entry;

	if (collection->count == collection->size) {
		size_t size = collection->size ? 2 * collection->size : 64;

		entry = reallocarray(collection->entries, size, sizeof(*entry));
		if (!entry) {
			collection->err = ENOMEM;
			return false;
		}
		collection->entries = entry;
		collection->size = size;
	}
	entry = &collection->entries[collection->count++];
	entry->word = copy_string(collection, row->said.word);
	entry->replacement = copy_string(collection, row->said.replacement);
	entry->ipa = copy_string(collection, row->said.ipa);
	entry->case_sensitive = row->said.case_sensitive;
	return collection->err == 0;
}

static void drop(const char *string)
{
	free((char *)(uintptr_t)string);
}

static void free_collection(struct collection *collection)
{
	for (size_t i = 0; i < collection->count; ++i) {
		drop(collection->entries[i].word);
		drop(collection->entries[i].replacement);
		drop(collection->entries[i].ipa);
	}
	free(collection->entries);
}

int dictionary_read(struct dictionary **dictionaryp, size_t *entries, struct store *store,
		    int64_t id)
{
	static const struct store_page all = {.limit = -1};
	struct collection collection = {0};
	int err = store->ops->entry_list(store, id, &all, collect, &collection);

	if (!err)
		err = collection.err;
	if (!err)
		err = dictionary_alloc(dictionaryp, collection.entries, collection.count);
	*entries = collection.count;
	free_collection(&collection);
	return err;
}
