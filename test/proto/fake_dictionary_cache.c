/*
 * fake_dictionary_cache.c: the dictionaries of one project, without a store (see
 * fake_dictionary_cache.h).
 */
#include "fake_dictionary_cache.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"

static const struct {
	int64_t id;
	const char *language; /* NULL: every language */
	bool is_active;
	const char *replacement;
} rows[FAKE_DICTIONARIES] = {
	{11, NULL, true, "sequel"},
	{12, NULL, false, "squeal"},
	{13, "de", true, "Essquell"},
};

static int fake_dictionary_cache_make(struct dictionary **dictionaryp, const char *replacement)
{
	const struct dictionary_entry entry = {.word = "SQL", .replacement = replacement};

	return dictionary_alloc(dictionaryp, &entry, 1);
}

int fake_dictionary_cache_open(struct fake_dictionary_cache *fake, int64_t project_id)
{
	int err = 0;

	fake->project_id = project_id;
	for (size_t i = 0; !err && i < FAKE_DICTIONARIES; ++i)
		err = fake_dictionary_cache_make(&fake->all[i], rows[i].replacement);
	return err;
}

void fake_dictionary_cache_close(struct fake_dictionary_cache *fake)
{
	for (size_t i = 0; i < FAKE_DICTIONARIES; ++i)
		fake->all[i] = mem_deref(fake->all[i]);
}

int fake_dictionary_cache_change(struct fake_dictionary_cache *fake, const char *replacement)
{
	fake->all[0] = mem_deref(fake->all[0]);
	return fake_dictionary_cache_make(&fake->all[0], replacement);
}

static bool fake_dictionary_cache_is_wanted(size_t row, const char *language, const int64_t *ids,
					    size_t ids_len)
{
	for (size_t i = 0; i < ids_len; ++i) {
		if (ids[i] == rows[row].id)
			return true;
	}
	return !ids && rows[row].is_active &&
	       (!rows[row].language || strcmp(rows[row].language, language) == 0);
}

int __wrap_dictionary_cache_lexicon(struct lexicon **lexiconp, int64_t *unknown,
				    const struct dictionary_cache *dictionaries, int64_t project_id,
				    const char *language, const int64_t *ids, size_t ids_len);

int __wrap_dictionary_cache_lexicon(struct lexicon **lexiconp, int64_t *unknown,
				    const struct dictionary_cache *dictionaries, int64_t project_id,
				    const char *language, const int64_t *ids, size_t ids_len)
{
	const struct fake_dictionary_cache *fake =
		(const struct fake_dictionary_cache *)(const void *)dictionaries;
	struct dictionary *picked[FAKE_DICTIONARIES];
	size_t count = 0;

	if (fake->is_away || project_id != fake->project_id)
		return EAGAIN;
	for (size_t i = 0; i < ids_len; ++i) {
		if (ids[i] < rows[0].id || ids[i] > rows[FAKE_DICTIONARIES - 1].id) {
			*unknown = ids[i];
			return ENOENT;
		}
	}
	for (size_t i = FAKE_DICTIONARIES; i-- > 0;) { /* the German one is first */
		if (fake_dictionary_cache_is_wanted(i, language, ids, ids_len))
			picked[count++] = fake->all[i];
	}
	return count > 0 ? lexicon_alloc(lexiconp, picked, count) : 0;
}

const struct dictionary_cache *fake_dictionary_cache_get(const struct fake_dictionary_cache *fake)
{
	return (const struct dictionary_cache *)(const void *)fake;
}
