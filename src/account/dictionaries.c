/*
 * dictionaries.c: the dictionaries of projects, in memory (see dictionaries.h).
 *
 *   loop:   refresh → list ┐          ┌ those that changed, one by one ┐    swap, `ready`
 *   thread:                └ the rows ┘                                └ entries → compiled
 *
 * One refresh of a project runs at a time.  Whoever asks while it runs may mean a
 * change that it has not seen, and waits for the next one; all who wait
 * together are served together.  Each dictionary is a question of its own to the
 * store's thread, so that nobody else waits for a whole project.
 */
#include "account/dictionaries.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

#define LOOK_US UINT64_C(1000000) /* for other processes' changes */

/* Primary subtags have at most eight letters (RFC 5646, 2.1). */
#define SUBTAG_SIZE 9

/* One dictionary. */
struct volume {
	int64_t id;
	int64_t revision;
	char language[SUBTAG_SIZE]; /* the primary subtag in small letters; "" fits all */
	bool is_active;
	struct dictionary *dictionary; /* NULL: to be read */
};

struct shelf {
	struct link link;
	struct dictionaries *owner;
	int64_t project_id;
	struct volume *volumes; /* oldest first */
	size_t count;
	bool is_read; /* once */
	bool distrusts; /* the next refresh reads all */
	struct refresh *refresh; /* that is under way, or NULL */
	struct list served; /* struct waiter: by it … */
	struct list waiting; /* … and by the next */
};

struct waiter {
	struct link link;
	dictionaries_ready_h *ready;
	void *arg;
};

struct refresh {
	struct shelf *shelf;
	bool reads_all;
	struct volume *volumes;
	size_t count;
	size_t reading; /* the volume that the thread is at */
};

struct dictionaries {
	struct loop *loop;
	struct account *account;
	struct list shelves;
	struct timer look;
	int64_t version; /* of the store, when last looked at */
	int64_t seen; /* what the thread found */
	bool is_behind; /* a refresh failed, or no version is known */
};

static struct shelf *shelf_at(struct link *link)
{
	return link ? LIST_OBJECT(link, struct shelf, link) : NULL;
}

static struct shelf *find_shelf(const struct dictionaries *dictionaries, int64_t project_id)
{
	const struct list *shelves = &dictionaries->shelves;

	for (struct link *l = list_first(shelves); l; l = list_next(shelves, l)) {
		if (shelf_at(l)->project_id == project_id)
			return shelf_at(l);
	}
	return NULL;
}

static void free_volumes(struct volume *volumes, size_t count)
{
	for (size_t i = 0; i < count; ++i)
		mem_deref(volumes[i].dictionary);
	free(volumes);
}

static void refresh_destroy(void *object)
{
	struct refresh *refresh = object;

	free_volumes(refresh->volumes, refresh->count);
}

/* "de-AT", "DE_at" and "de" are "de". */
static void take_language(char out[SUBTAG_SIZE], const char *language)
{
	size_t len = language ? strcspn(language, "-_") : 0;

	if (len >= SUBTAG_SIZE)
		len = SUBTAG_SIZE - 1; /* no language has so long a name: it fits none */
	for (size_t i = 0; i < len; ++i) {
		char c = language[i];

		out[i] = c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
	}
	out[len] = '\0';
}

/* On the thread. */
static bool list_volume(const struct store_dictionary *row, void *arg)
{
	struct refresh *refresh = arg;
	struct volume *volume;

	if (refresh->count == STORE_DICTIONARIES_MAX)
		return false;
	volume = &refresh->volumes[refresh->count++];
	volume->id = row->id;
	volume->revision = row->revision;
	volume->is_active = row->is_active;
	take_language(volume->language, row->language);
	return true;
}

static int list_volumes(struct store *store, void *arg)
{
	struct refresh *refresh = arg;

	return store->ops->dictionary_list(store, refresh->shelf->project_id, list_volume, refresh);
}

/* The entries of a dictionary on their way into it, on the thread. */
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

/* On the thread; the compiled dictionary then goes to the loop for good. */
static int read_volume(struct store *store, void *arg)
{
	static const struct store_page all = {.limit = -1};
	struct refresh *refresh = arg;
	struct volume *volume = &refresh->volumes[refresh->reading];
	struct collection collection = {0};
	int err = store->ops->entry_list(store, volume->id, &all, collect, &collection);

	if (!err)
		err = collection.err;
	if (!err)
		err = dictionary_alloc(&volume->dictionary, collection.entries, collection.count);
	free_collection(&collection);
	return err;
}

static void move_all(struct list *to, struct list *from)
{
	struct link *link;

	while ((link = list_first(from))) {
		list_remove(from, link);
		list_append(to, link);
	}
}

/* Who asks again from inside is not among them. */
static void serve(struct shelf *shelf, int err)
{
	struct list waiters;
	struct link *link;

	list_init(&waiters);
	move_all(&waiters, &shelf->served);
	while ((link = list_first(&waiters))) {
		struct waiter *waiter = LIST_OBJECT(link, struct waiter, link);

		list_remove(&waiters, link);
		if (waiter->ready)
			waiter->ready(err, waiter->arg);
		mem_deref(waiter);
	}
}

static void begin_refresh(struct shelf *shelf);
static void look_later(struct dictionaries *dictionaries);

static void end_refresh(struct refresh *refresh, int err)
{
	struct shelf *shelf = refresh->shelf;

	if (err && err != ECANCELED) {
		log_error("dictionaries", "those of project %lld cannot be read: %s",
			  (long long)shelf->project_id, strerror(err));
		shelf->owner->is_behind = true;
		shelf->distrusts |= refresh->reads_all;
	}
	if (!err) {
		free_volumes(shelf->volumes, shelf->count);
		shelf->volumes = refresh->volumes;
		shelf->count = refresh->count;
		refresh->volumes = NULL;
		refresh->count = 0;
		shelf->is_read = true;
		look_later(shelf->owner);
	}
	shelf->refresh = mem_deref(refresh);
	serve(shelf, err);
	if (shelf->waiting.count > 0 && !shelf->refresh)
		begin_refresh(shelf);
}

static void on_volume_read(int err, void *arg);

/* The next one that is not in memory. */
static void read_next(struct refresh *refresh)
{
	struct account *account = refresh->shelf->owner->account;
	int err = 0;

	while (refresh->reading < refresh->count && refresh->volumes[refresh->reading].dictionary)
		++refresh->reading;
	if (refresh->reading < refresh->count) {
		err = account_ask(account, ACCOUNT_QUESTIONS, read_volume, on_volume_read, refresh);
		if (!err)
			return;
	}
	end_refresh(refresh, err);
}

static void on_volume_read(int err, void *arg)
{
	if (err)
		end_refresh(arg, err);
	else
		read_next(arg);
}

/* What has not changed is taken from the shelf. */
static void take_over(struct refresh *refresh)
{
	const struct shelf *shelf = refresh->shelf;

	for (size_t i = 0; i < refresh->count; ++i) {
		struct volume *volume = &refresh->volumes[i];

		for (size_t j = 0; j < shelf->count && !volume->dictionary; ++j) {
			if (shelf->volumes[j].id == volume->id &&
			    shelf->volumes[j].revision == volume->revision)
				volume->dictionary = mem_ref(shelf->volumes[j].dictionary);
		}
	}
}

static void on_volumes_listed(int err, void *arg)
{
	struct refresh *refresh = arg;

	if (err) {
		end_refresh(refresh, err);
		return;
	}
	if (!refresh->reads_all)
		take_over(refresh);
	read_next(refresh);
}

static int start(struct refresh **refreshp, struct shelf *shelf)
{
	struct refresh *refresh = mem_zalloc(sizeof(*refresh), refresh_destroy);
	int err = ENOMEM;

	if (!refresh)
		return ENOMEM;
	refresh->shelf = shelf;
	refresh->reads_all = shelf->distrusts;
	refresh->volumes = calloc(STORE_DICTIONARIES_MAX, sizeof(*refresh->volumes));
	if (refresh->volumes)
		err = account_ask(shelf->owner->account, ACCOUNT_QUESTIONS, list_volumes,
				  on_volumes_listed, refresh);
	if (err) {
		mem_deref(refresh);
		return err;
	}
	*refreshp = refresh;
	return 0;
}

static void begin_refresh(struct shelf *shelf)
{
	int err;

	assert(!shelf->refresh);
	move_all(&shelf->served, &shelf->waiting);
	err = start(&shelf->refresh, shelf);
	if (err)
		serve(shelf, err);
	else
		shelf->distrusts = false;
}

static void shelf_destroy(void *object)
{
	struct shelf *shelf = object;

	free_volumes(shelf->volumes, shelf->count);
}

static struct shelf *make_shelf(struct dictionaries *dictionaries, int64_t project_id)
{
	struct shelf *shelf = mem_zalloc(sizeof(*shelf), shelf_destroy);

	if (!shelf)
		return NULL;
	shelf->owner = dictionaries;
	shelf->project_id = project_id;
	list_init(&shelf->served);
	list_init(&shelf->waiting);
	list_append(&dictionaries->shelves, &shelf->link);
	return shelf;
}

static int refresh_shelf(struct dictionaries *dictionaries, int64_t project_id, bool distrusts,
			 dictionaries_ready_h *ready, void *arg)
{
	struct shelf *shelf = find_shelf(dictionaries, project_id);
	struct waiter *waiter;

	if (!shelf)
		shelf = make_shelf(dictionaries, project_id);
	waiter = shelf ? mem_zalloc(sizeof(*waiter), NULL) : NULL;
	if (!waiter)
		return ENOMEM;
	waiter->ready = ready;
	waiter->arg = arg;
	shelf->distrusts |= distrusts;
	if (!shelf->refresh) { /* the one that begins now serves whoever asks now */
		int err = start(&shelf->refresh, shelf);

		if (err) {
			mem_deref(waiter);
			return err;
		}
		shelf->distrusts = false;
		list_append(&shelf->served, &waiter->link);
		return 0;
	}
	list_append(&shelf->waiting, &waiter->link);
	return 0;
}

int dictionaries_refresh(struct dictionaries *dictionaries, int64_t project_id,
			 dictionaries_ready_h *ready, void *arg)
{
	return refresh_shelf(dictionaries, project_id, false, ready, arg);
}

int dictionaries_reload(struct dictionaries *dictionaries, int64_t project_id,
			dictionaries_ready_h *ready, void *arg)
{
	return refresh_shelf(dictionaries, project_id, true, ready, arg);
}

/* On the thread. */
static int read_version(struct store *store, void *arg)
{
	struct dictionaries *dictionaries = arg;

	return store->ops->version(store, &dictionaries->seen);
}

static void on_version(int err, void *arg)
{
	struct dictionaries *dictionaries = arg;
	struct list *shelves = &dictionaries->shelves;

	if (err == ECANCELED)
		return;
	if (!err && (dictionaries->is_behind || dictionaries->seen != dictionaries->version)) {
		dictionaries->version = dictionaries->seen;
		dictionaries->is_behind = false;
		for (struct link *l = list_first(shelves); l; l = list_next(shelves, l))
			(void)dictionaries_refresh(dictionaries, shelf_at(l)->project_id, NULL,
						   NULL);
	}
	look_later(dictionaries);
}

static void look(void *arg)
{
	struct dictionaries *dictionaries = arg;

	if (account_ask(dictionaries->account, ACCOUNT_QUESTIONS, read_version, on_version,
			dictionaries) != 0)
		look_later(dictionaries); /* unless it is the end */
}

static void look_later(struct dictionaries *dictionaries)
{
	struct timers *timers = &dictionaries->loop->timers;

	if (!timer_is_set(&dictionaries->look))
		timer_set(timers, &dictionaries->look, LOOK_US, look, dictionaries);
}

static struct volume *find_volume(const struct shelf *shelf, int64_t id)
{
	for (size_t i = 0; i < shelf->count; ++i) {
		if (shelf->volumes[i].id == id)
			return &shelf->volumes[i];
	}
	return NULL;
}

/* Both give how many they found. */
static size_t pick_by_id(struct dictionary **picked, int64_t *unknown, const struct shelf *shelf,
			 const int64_t *ids, size_t ids_len)
{
	for (size_t i = 0; i < ids_len; ++i) {
		const struct volume *volume = find_volume(shelf, ids[i]);

		if (!volume) {
			*unknown = ids[i];
			return i;
		}
		picked[i] = volume->dictionary;
	}
	return ids_len;
}

static size_t pick_active(struct dictionary **picked, const struct shelf *shelf,
			  const char *language)
{
	char subtag[SUBTAG_SIZE];
	size_t count = 0;

	take_language(subtag, language);
	for (size_t i = 0; i < shelf->count; ++i) {
		const struct volume *volume = &shelf->volumes[i];

		if (volume->is_active &&
		    (volume->language[0] == '\0' || strcmp(volume->language, subtag) == 0))
			picked[count++] = volume->dictionary;
	}
	return count;
}

bool dictionaries_has(const struct dictionaries *dictionaries, int64_t project_id)
{
	const struct shelf *shelf = find_shelf(dictionaries, project_id);

	return shelf && shelf->is_read;
}

int dictionaries_lexicon(struct lexicon **lexiconp, int64_t *unknown,
			 const struct dictionaries *dictionaries, int64_t project_id,
			 const char *language, const int64_t *ids, size_t ids_len)
{
	struct dictionary *picked[STORE_DICTIONARIES_MAX];
	const struct shelf *shelf = find_shelf(dictionaries, project_id);
	size_t count;

	assert(ids_len <= STORE_DICTIONARIES_MAX);
	if (!shelf || !shelf->is_read)
		return EAGAIN;
	count = ids ? pick_by_id(picked, unknown, shelf, ids, ids_len)
		    : pick_active(picked, shelf, language);
	if (ids && count < ids_len)
		return ENOENT;
	if (count > 0)
		return lexicon_alloc(lexiconp, picked, count);
	*lexiconp = NULL;
	return 0;
}

static void dictionaries_destroy(void *object)
{
	struct dictionaries *dictionaries = object;
	struct link *link;

	timer_clear(&dictionaries->loop->timers, &dictionaries->look);
	while ((link = list_first(&dictionaries->shelves))) {
		struct shelf *shelf = shelf_at(link);

		assert(!shelf->refresh); /* the account has ended */
		list_remove(&dictionaries->shelves, link);
		mem_deref(shelf);
	}
}

int dictionaries_alloc(struct dictionaries **dictionariesp, struct loop *loop,
		       struct account *account)
{
	struct dictionaries *dictionaries = mem_zalloc(sizeof(*dictionaries), NULL);

	if (!dictionaries)
		return ENOMEM;
	dictionaries->loop = loop;
	dictionaries->account = account;
	dictionaries->is_behind = true;
	list_init(&dictionaries->shelves);
	mem_set_destructor(dictionaries, dictionaries_destroy);
	*dictionariesp = dictionaries;
	return 0;
}
