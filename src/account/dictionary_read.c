/*
 * dictionary_read.c: reads a dictionary from the store and compiles it (see dictionary_read.h).
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

static const char *dictionary_read_copy_string(struct collection *collection, const char *string)
{
	char *copy = string ? strdup(string) : NULL;

	if (string && !copy)
		collection->err = ENOMEM;
	return copy;
}

static bool dictionary_read_collect(const struct store_entry *row, void *arg)
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
	entry->word = dictionary_read_copy_string(collection, row->said.word);
	entry->replacement = dictionary_read_copy_string(collection, row->said.replacement);
	entry->ipa = dictionary_read_copy_string(collection, row->said.ipa);
	entry->case_sensitive = row->said.case_sensitive;
	return collection->err == 0;
}

static void dictionary_read_free_string(const char *string)
{
	free((char *)(uintptr_t)string);
}

static void dictionary_read_free(struct collection *collection)
{
	for (size_t i = 0; i < collection->count; ++i) {
		dictionary_read_free_string(collection->entries[i].word);
		dictionary_read_free_string(collection->entries[i].replacement);
		dictionary_read_free_string(collection->entries[i].ipa);
	}
	free(collection->entries);
}

int dictionary_read(struct dictionary **dictionaryp, size_t *entries, struct store *store,
		    int64_t id)
{
	static const struct store_page all = {.limit = -1};
	struct collection collection = {0};
	int err = store->ops->entry_list(store, id, &all, dictionary_read_collect, &collection);

	if (!err)
		err = collection.err;
	if (!err)
		err = dictionary_alloc(dictionaryp, collection.entries, collection.count);
	*entries = collection.count;
	dictionary_read_free(&collection);
	return err;
}
