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
 *
 * A project that is in use stays in memory: sessions expect its entries to be at hand.  Of
 * the others, the most recently used stay for a while, within a budget.
 */
#include "account/dictionaries.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "account/account.h"
#include "account/dictionary_read.h"
#include "account/waiters.h"
#include "base/log.h"
#include "base/mem.h"

#define LOOK_US UINT64_C(1000000) /* for other processes' changes */

/* How often unused projects are checked, and how long they are kept: a client that calls
 * every few minutes need not wait for the store, and one that has gone costs nothing. */
#define SWEEP_US UINT64_C(10000000)
#define IDLE_US UINT64_C(600000000)

/* All idle projects together: an entry takes some 420 bytes (30 dictionaries of 10,000 were
 * measured at 127 MB), so this is about 200 MB; and a project without entries takes 5 KB. */
#define IDLE_ENTRIES_MAX 500000u
#define IDLE_PROJECTS_MAX 2000u

/* Hash chains stay short up to some thousand projects. */
#define CHAINS 1024u

/* How many changed projects are noted at once; if there are more, all that are in memory are
 * read again. */
#define NEWS_MAX 1024u

/* Primary subtags have at most eight letters (RFC 5646, 2.1). */
#define SUBTAG_SIZE 9

/* One dictionary. */
struct volume {
	int64_t id;
	int64_t revision;
	char language[SUBTAG_SIZE]; /* the primary subtag in small letters; "" fits all */
	bool is_active;
	size_t entries;
	struct dictionary *dictionary; /* NULL: to be read */
};

struct shelf {
	struct link link; /* among all, the longest unused first */
	struct link chain; /* of projects with the same hash */
	uint64_t used_us;
	size_t entries; /* of all volumes */
	unsigned sweep; /* the last sweep in which it was in use */
	struct dictionaries *owner;
	int64_t project_id;
	struct volume *volumes; /* oldest first */
	size_t count;
	bool is_read; /* once */
	bool is_behind; /* its last refresh failed */
	bool distrusts; /* the next refresh reads all */
	struct refresh *refresh; /* that is under way, or NULL */
	struct list served; /* struct waiter: for the refresh that is under way */
	struct list waiting; /* struct waiter: for the next refresh */
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
	struct list chains[CHAINS];
	struct timer look;
	int64_t version; /* of the store, when last looked at */
	bool knows_version;
	struct { /* owned by the thread while it runs */
		int64_t version;
		int64_t projects[NEWS_MAX];
		size_t count;
		bool is_more; /* more than fit */
	} news;

	struct timer sweep;
	unsigned sweeps;
	size_t idle_entries_max, idle_projects_max;
	dictionaries_users_h *users;
	void *users_arg;
};

static struct shelf *shelf_at(struct link *link)
{
	return link ? LIST_OBJECT(link, struct shelf, link) : NULL;
}

static struct shelf *find_shelf(const struct dictionaries *dictionaries, int64_t project_id)
{
	const struct list *chain = &dictionaries->chains[(uint64_t)project_id % CHAINS];

	for (struct link *l = list_first(chain); l; l = list_next(chain, l)) {
		struct shelf *shelf = LIST_OBJECT(l, struct shelf, chain);

		if (shelf->project_id == project_id)
			return shelf;
	}
	return NULL;
}

/* Marks it as the most recently used. */
static void shelf_touch(struct shelf *shelf)
{
	shelf->used_us = loop_now_us(shelf->owner->loop);
	list_remove(&shelf->owner->shelves, &shelf->link);
	list_append(&shelf->owner->shelves, &shelf->link);
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

/* On the thread; the compiled dictionary then goes to the loop for good. */
static int read_volume(struct store *store, void *arg)
{
	struct refresh *refresh = arg;
	struct volume *volume = &refresh->volumes[refresh->reading];

	return dictionary_read(&volume->dictionary, &volume->entries, store, volume->id);
}

static void begin_refresh(struct shelf *shelf);
static void look_later(struct dictionaries *dictionaries);
static void sweep_later(struct dictionaries *dictionaries);

static void end_refresh(struct refresh *refresh, int err)
{
	struct shelf *shelf = refresh->shelf;

	if (err && err != ECANCELED) {
		log_error("dictionaries", "those of project %lld cannot be read: %s",
			  (long long)shelf->project_id, strerror(err));
		shelf->is_behind = true;
		shelf->distrusts |= refresh->reads_all;
	}
	if (!err) {
		free_volumes(shelf->volumes, shelf->count);
		shelf->volumes = refresh->volumes;
		shelf->count = refresh->count;
		refresh->volumes = NULL;
		refresh->count = 0;
		shelf->entries = 0;
		for (size_t i = 0; i < shelf->count; ++i)
			shelf->entries += shelf->volumes[i].entries;
		shelf->is_read = true;
		shelf->is_behind = false;
	}
	look_later(shelf->owner);
	sweep_later(shelf->owner);
	shelf->refresh = mem_deref(refresh);
	waiters_tell(&shelf->served, err);
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
			const struct volume *known = &shelf->volumes[j];

			if (known->id != volume->id || known->revision != volume->revision)
				continue;
			volume->dictionary = mem_ref(known->dictionary);
			volume->entries = known->entries;
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
	list_append_all(&shelf->served, &shelf->waiting);
	err = start(&shelf->refresh, shelf);
	if (err)
		waiters_tell(&shelf->served, err);
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
	list_append(&dictionaries->chains[(uint64_t)project_id % CHAINS], &shelf->chain);
	return shelf;
}

static void shelf_remove(struct shelf *shelf)
{
	struct dictionaries *dictionaries = shelf->owner;

	list_remove(&dictionaries->shelves, &shelf->link);
	list_remove(&dictionaries->chains[(uint64_t)shelf->project_id % CHAINS], &shelf->chain);
	mem_deref(shelf);
}

static int refresh_shelf(struct dictionaries *dictionaries, int64_t project_id, bool distrusts,
			 dictionaries_ready_h *ready, void *arg)
{
	struct shelf *shelf = find_shelf(dictionaries, project_id);
	struct waiter *waiter;

	if (!shelf)
		shelf = make_shelf(dictionaries, project_id);
	waiter = shelf ? waiters_make(ready, arg) : NULL;
	if (!waiter)
		return ENOMEM;
	if (ready)
		shelf_touch(shelf);
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

/* Changes in the store */

/* On the thread. */
static bool note_news(const struct store_change *change, void *arg)
{
	struct dictionaries *dictionaries = arg;

	if (change->kind != STORE_CHANGE_DICTIONARY)
		return true;
	dictionaries->news.is_more = dictionaries->news.count == NEWS_MAX;
	if (!dictionaries->news.is_more)
		dictionaries->news.projects[dictionaries->news.count++] = change->project_id;
	return !dictionaries->news.is_more;
}

static int read_news(struct store *store, void *arg)
{
	struct dictionaries *dictionaries = arg;
	int err = store->ops->version(store, &dictionaries->news.version);

	dictionaries->news.count = 0;
	dictionaries->news.is_more = false;
	if (err || !dictionaries->knows_version ||
	    dictionaries->news.version == dictionaries->version)
		return err;
	return store->ops->changes(store, dictionaries->version, note_news, dictionaries);
}

static void refresh_here(struct shelf *shelf)
{
	(void)dictionaries_refresh(shelf->owner, shelf->project_id, NULL, NULL);
}

/* Projects that have changed, and those that could not be read before. */
static void apply_news(struct dictionaries *dictionaries)
{
	bool reads_all = !dictionaries->knows_version || dictionaries->news.is_more;

	for (struct link *l = list_first(&dictionaries->shelves); l;
	     l = list_next(&dictionaries->shelves, l)) {
		if (reads_all || shelf_at(l)->is_behind)
			refresh_here(shelf_at(l));
	}
	for (size_t i = 0; !reads_all && i < dictionaries->news.count; ++i) {
		struct shelf *shelf = find_shelf(dictionaries, dictionaries->news.projects[i]);

		if (shelf && !shelf->is_behind)
			refresh_here(shelf);
	}
}

static void on_news(int err, void *arg)
{
	struct dictionaries *dictionaries = arg;

	if (err == ECANCELED)
		return;
	if (!err) {
		apply_news(dictionaries);
		dictionaries->version = dictionaries->news.version;
		dictionaries->knows_version = true;
	}
	look_later(dictionaries);
}

static void look(void *arg)
{
	struct dictionaries *dictionaries = arg;

	if (account_ask(dictionaries->account, ACCOUNT_QUESTIONS, read_news, on_news,
			dictionaries) != 0)
		look_later(dictionaries); /* unless it is the end */
}

static void look_later(struct dictionaries *dictionaries)
{
	struct timers *timers = &dictionaries->loop->timers;

	if (!timer_is_set(&dictionaries->look))
		timer_set(timers, &dictionaries->look, LOOK_US, look, dictionaries);
}

/* Projects that are not in use */

static void mark_used(int64_t project_id, void *arg)
{
	struct dictionaries *dictionaries = arg;
	struct shelf *shelf = find_shelf(dictionaries, project_id);

	if (!shelf || shelf->sweep == dictionaries->sweeps)
		return;
	shelf->sweep = dictionaries->sweeps;
	shelf_touch(shelf);
}

static bool is_idle(const struct shelf *shelf)
{
	return shelf->sweep != shelf->owner->sweeps && !shelf->refresh && shelf->waiting.count == 0;
}

/* Drops the longest unused first, until the rest fits and is recent enough. */
static void sweep(void *arg)
{
	struct dictionaries *dictionaries = arg;
	uint64_t now_us = loop_now_us(dictionaries->loop);
	size_t entries = 0;
	size_t shelves = 0;
	struct link *next;

	++dictionaries->sweeps;
	if (dictionaries->users)
		dictionaries->users(dictionaries->users_arg, mark_used, dictionaries);
	for (struct link *l = list_first(&dictionaries->shelves); l;
	     l = list_next(&dictionaries->shelves, l)) {
		entries += is_idle(shelf_at(l)) ? shelf_at(l)->entries : 0;
		shelves += is_idle(shelf_at(l));
	}
	for (struct link *l = list_first(&dictionaries->shelves); l; l = next) {
		struct shelf *shelf = shelf_at(l);

		next = list_next(&dictionaries->shelves, l);
		if (!is_idle(shelf))
			continue;
		if (entries <= dictionaries->idle_entries_max &&
		    shelves <= dictionaries->idle_projects_max && now_us - shelf->used_us < IDLE_US)
			break;
		entries -= shelf->entries;
		--shelves;
		shelf_remove(shelf);
	}
	sweep_later(dictionaries);
}

static void sweep_later(struct dictionaries *dictionaries)
{
	if (dictionaries->shelves.count > 0 && !timer_is_set(&dictionaries->sweep))
		timer_set(&dictionaries->loop->timers, &dictionaries->sweep, SWEEP_US, sweep,
			  dictionaries);
}

void dictionaries_set_budget(struct dictionaries *dictionaries, size_t entries, size_t projects)
{
	dictionaries->idle_entries_max = entries;
	dictionaries->idle_projects_max = projects;
}

void dictionaries_set_users(struct dictionaries *dictionaries, dictionaries_users_h *users,
			    void *arg)
{
	dictionaries->users = users;
	dictionaries->users_arg = arg;
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
	struct shelf *shelf = find_shelf(dictionaries, project_id);

	if (!shelf || !shelf->is_read)
		return false;
	shelf_touch(shelf); /* the caller is about to use it */
	return true;
}

bool dictionaries_cares(const struct dictionaries *dictionaries, int64_t project_id)
{
	return find_shelf(dictionaries, project_id) != NULL;
}

int dictionaries_lexicon(struct lexicon **lexiconp, int64_t *unknown,
			 const struct dictionaries *dictionaries, int64_t project_id,
			 const char *language, const int64_t *ids, size_t ids_len)
{
	struct dictionary *picked[STORE_DICTIONARIES_MAX];
	struct shelf *shelf = find_shelf(dictionaries, project_id);
	size_t count;

	assert(ids_len <= STORE_DICTIONARIES_MAX);
	if (!shelf || !shelf->is_read)
		return EAGAIN;
	shelf_touch(shelf);
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
	timer_clear(&dictionaries->loop->timers, &dictionaries->sweep);
	while ((link = list_first(&dictionaries->shelves))) {
		assert(!shelf_at(link)->refresh); /* the account has ended */
		shelf_remove(shelf_at(link));
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
	dictionaries_set_budget(dictionaries, IDLE_ENTRIES_MAX, IDLE_PROJECTS_MAX);
	list_init(&dictionaries->shelves);
	for (size_t i = 0; i < CHAINS; ++i)
		list_init(&dictionaries->chains[i]);
	mem_set_destructor(dictionaries, dictionaries_destroy);
	*dictionariesp = dictionaries;
	return 0;
}
