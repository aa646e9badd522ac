/*
 * dictionary_cache.c: the dictionaries of projects, in memory (see dictionary_cache.h).
 *
 *   loop:   refresh → list ┐          ┌ those that changed, one by one ┐    swap, `ready`
 *   thread:                └ the rows ┘                                └ entries → compiled
 *
 * One refresh of a project runs at a time.  A request that arrives while it runs may be about a
 * change that the refresh does not see, so it waits for the next one, together with all others.
 * Each dictionary is a query of its own, so that other work of the lane does not wait for a whole
 * project.
 *
 * A project that is in use stays in memory: sessions expect its entries to be there.  Of the
 * others, the most recently used stay for a while, within a budget.
 */
#include "account/dictionary_cache.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "account/async_store.h"
#include "account/dictionary_read.h"
#include "account/waiters.h"
#include "base/log.h"
#include "base/mem.h"

#define POLL_US UINT64_C(1000000) /* how often to look for changes by other processes */

/* How often unused projects are checked, and how long they are kept: a client that calls every few
 * minutes need not wait for the store, and one that does not return costs nothing. */
#define SWEEP_US UINT64_C(10000000)
#define IDLE_US UINT64_C(600000000)

/* The most entries and projects that are kept without being in use.  An entry takes about 420 bytes
 * (30 dictionaries of 10,000 were measured at 127 MB), so this is about 200 MB; a project without
 * entries takes 5 KB. */
#define IDLE_ENTRIES_MAX 500000u
#define IDLE_PROJECTS_MAX 2000u

/* Hash chains stay short with up to a few thousand projects. */
#define CHAINS 1024u

/* How many changed projects a poll remembers.  If more have changed, every project in memory is
 * read again. */
#define CHANGES_MAX 1024u

/* Primary subtags have at most eight letters (RFC 5646, 2.1). */
#define SUBTAG_SIZE 9

struct cached_dictionary {
	int64_t id;
	int64_t revision;
	char language[SUBTAG_SIZE]; /* the primary subtag in lower case; "" matches all languages */
	bool is_active;
	size_t entries;
	struct dictionary *dictionary; /* NULL: not read yet */
};

struct project_cache {
	struct link link; /* in dictionary_cache.projects */
	struct link chain; /* in dictionary_cache.chains */
	uint64_t used_us;
	size_t entries; /* in all dictionaries of the list */
	unsigned used_sweep; /* the number of the last sweep that found it in use */
	struct dictionary_cache *owner;
	int64_t project_id;
	struct cached_dictionary *list; /* oldest first */
	size_t count;
	bool is_read; /* it was read at least once */
	bool is_stale; /* its last refresh failed */
	bool rereads_all; /* the next refresh also reads dictionaries that have not changed */
	struct dictionary_cache_refresh *refresh; /* in progress, or NULL */
	struct list served; /* struct waiter: they wait for the refresh in progress */
	struct list waiting; /* struct waiter: they wait for the next refresh */
};

struct dictionary_cache_refresh {
	struct project_cache *project;
	bool reads_all; /* also dictionaries that have not changed */
	struct cached_dictionary *list;
	size_t count;
	size_t reading; /* index of the dictionary that the thread reads */
};

struct dictionary_cache {
	struct loop *loop;
	struct async_store *async;
	struct list projects;
	struct list chains[CHAINS];
	struct timer poll_timer;
	int64_t version; /* the store's version at the last poll */
	bool knows_version;
	struct { /* the result of a poll; owned by the thread while the poll runs */
		int64_t version;
		int64_t projects[CHANGES_MAX];
		size_t count;
		bool is_more; /* more projects have changed than `projects` can hold */
	} changes;

	struct timer sweep_timer;
	unsigned sweeps;
	size_t idle_entries_max, idle_projects_max;
	dictionary_cache_users_h *users;
	void *users_arg;
};

static struct project_cache *dictionary_cache_project_at(struct link *link)
{
	return link ? LIST_OBJECT(link, struct project_cache, link) : NULL;
}

static struct project_cache *dictionary_cache_find(const struct dictionary_cache *dictionaries,
						   int64_t project_id)
{
	const struct list *chain = &dictionaries->chains[(uint64_t)project_id % CHAINS];

	for (struct link *l = list_first(chain); l; l = list_next(chain, l)) {
		struct project_cache *project = LIST_OBJECT(l, struct project_cache, chain);

		if (project->project_id == project_id)
			return project;
	}
	return NULL;
}

/* Marks the project as the most recently used one. */
static void dictionary_cache_touch(struct project_cache *project)
{
	project->used_us = loop_now_us(project->owner->loop);
	list_remove(&project->owner->projects, &project->link);
	list_append(&project->owner->projects, &project->link);
}

static void dictionary_cache_free_list(struct cached_dictionary *list, size_t count)
{
	for (size_t i = 0; i < count; ++i)
		mem_deref(list[i].dictionary);
	free(list);
}

static void dictionary_cache_refresh_destroy(void *object)
{
	struct dictionary_cache_refresh *refresh = object;

	dictionary_cache_free_list(refresh->list, refresh->count);
}

/* "de-AT", "DE_at" and "de" all become "de". */
static void dictionary_cache_subtag(char out[SUBTAG_SIZE], const char *language)
{
	size_t len = language ? strcspn(language, "-_") : 0;

	if (len >= SUBTAG_SIZE)
		len = SUBTAG_SIZE - 1; /* no subtag is this long, so it matches nothing */
	for (size_t i = 0; i < len; ++i) {
		char c = language[i];

		out[i] = c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
	}
	out[len] = '\0';
}

/* Runs on the thread. */
static bool dictionary_cache_on_row(const struct store_dictionary *row, void *arg)
{
	struct dictionary_cache_refresh *refresh = arg;
	struct cached_dictionary *item;

	if (refresh->count == STORE_DICTIONARIES_MAX)
		return false;
	item = &refresh->list[refresh->count++];
	item->id = row->id;
	item->revision = row->revision;
	item->is_active = row->is_active;
	dictionary_cache_subtag(item->language, row->language);
	return true;
}

static int dictionary_cache_list_work(struct store *store, void *arg)
{
	struct dictionary_cache_refresh *refresh = arg;

	return store->ops->dictionary_list(store, refresh->project->project_id,
					   dictionary_cache_on_row, refresh);
}

/* Runs on the thread; the compiled dictionary then belongs to the loop. */
static int dictionary_cache_read_work(struct store *store, void *arg)
{
	struct dictionary_cache_refresh *refresh = arg;
	struct cached_dictionary *item = &refresh->list[refresh->reading];

	return dictionary_read(&item->dictionary, &item->entries, store, item->id);
}

static void dictionary_cache_refresh_waiting(struct project_cache *project);
static void dictionary_cache_poll_later(struct dictionary_cache *dictionaries);
static void dictionary_cache_sweep_later(struct dictionary_cache *dictionaries);

static void dictionary_cache_end_refresh(struct dictionary_cache_refresh *refresh, int err)
{
	struct project_cache *project = refresh->project;

	if (err && err != ECANCELED) {
		log_error("dictionaries", "those of project %lld cannot be read: %s",
			  (long long)project->project_id, strerror(err));
		project->is_stale = true;
		project->rereads_all |= refresh->reads_all;
	}
	if (!err) {
		dictionary_cache_free_list(project->list, project->count);
		project->list = refresh->list;
		project->count = refresh->count;
		refresh->list = NULL;
		refresh->count = 0;
		project->entries = 0;
		for (size_t i = 0; i < project->count; ++i)
			project->entries += project->list[i].entries;
		project->is_read = true;
		project->is_stale = false;
	}
	dictionary_cache_poll_later(project->owner);
	dictionary_cache_sweep_later(project->owner);
	project->refresh = mem_deref(refresh);
	waiters_notify(&project->served, err);
	if (project->waiting.count > 0 && !project->refresh)
		dictionary_cache_refresh_waiting(project);
}

static void dictionary_cache_on_read(int err, void *arg);

/* Reads the next dictionary that is not in memory. */
static void dictionary_cache_read_next(struct dictionary_cache_refresh *refresh)
{
	struct async_store *async = refresh->project->owner->async;
	int err = 0;

	while (refresh->reading < refresh->count && refresh->list[refresh->reading].dictionary)
		++refresh->reading;
	if (refresh->reading < refresh->count) {
		err = async_store_run(async, ASYNC_STORE_QUERIES, dictionary_cache_read_work,
				      dictionary_cache_on_read, refresh);
		if (!err)
			return;
	}
	dictionary_cache_end_refresh(refresh, err);
}

static void dictionary_cache_on_read(int err, void *arg)
{
	if (err)
		dictionary_cache_end_refresh(arg, err);
	else
		dictionary_cache_read_next(arg);
}

/* Reuses the dictionaries that have not changed. */
static void dictionary_cache_reuse(struct dictionary_cache_refresh *refresh)
{
	const struct project_cache *project = refresh->project;

	for (size_t i = 0; i < refresh->count; ++i) {
		struct cached_dictionary *item = &refresh->list[i];

		for (size_t j = 0; j < project->count && !item->dictionary; ++j) {
			const struct cached_dictionary *known = &project->list[j];

			if (known->id != item->id || known->revision != item->revision)
				continue;
			item->dictionary = mem_ref(known->dictionary);
			item->entries = known->entries;
		}
	}
}

static void dictionary_cache_on_listed(int err, void *arg)
{
	struct dictionary_cache_refresh *refresh = arg;

	if (err) {
		dictionary_cache_end_refresh(refresh, err);
		return;
	}
	if (!refresh->reads_all)
		dictionary_cache_reuse(refresh);
	dictionary_cache_read_next(refresh);
}

static int dictionary_cache_start_refresh(struct dictionary_cache_refresh **refreshp,
					  struct project_cache *project)
{
	struct dictionary_cache_refresh *refresh =
		mem_zalloc(sizeof(*refresh), dictionary_cache_refresh_destroy);
	int err = ENOMEM;

	if (!refresh)
		return ENOMEM;
	refresh->project = project;
	refresh->reads_all = project->rereads_all;
	refresh->list = calloc(STORE_DICTIONARIES_MAX, sizeof(*refresh->list));
	if (refresh->list)
		err = async_store_run(project->owner->async, ASYNC_STORE_QUERIES,
				      dictionary_cache_list_work, dictionary_cache_on_listed,
				      refresh);
	if (err) {
		mem_deref(refresh);
		return err;
	}
	*refreshp = refresh;
	return 0;
}

static void dictionary_cache_refresh_waiting(struct project_cache *project)
{
	int err;

	assert(!project->refresh);
	list_append_all(&project->served, &project->waiting);
	err = dictionary_cache_start_refresh(&project->refresh, project);
	if (err)
		waiters_notify(&project->served, err);
	else
		project->rereads_all = false;
}

static void dictionary_cache_project_destroy(void *object)
{
	struct project_cache *project = object;

	dictionary_cache_free_list(project->list, project->count);
}

static struct project_cache *dictionary_cache_add(struct dictionary_cache *dictionaries,
						  int64_t project_id)
{
	struct project_cache *project =
		mem_zalloc(sizeof(*project), dictionary_cache_project_destroy);

	if (!project)
		return NULL;
	project->owner = dictionaries;
	project->project_id = project_id;
	list_init(&project->served);
	list_init(&project->waiting);
	list_append(&dictionaries->projects, &project->link);
	list_append(&dictionaries->chains[(uint64_t)project_id % CHAINS], &project->chain);
	return project;
}

static void dictionary_cache_remove(struct project_cache *project)
{
	struct dictionary_cache *dictionaries = project->owner;

	list_remove(&dictionaries->projects, &project->link);
	list_remove(&dictionaries->chains[(uint64_t)project->project_id % CHAINS], &project->chain);
	mem_deref(project);
}

static int dictionary_cache_request(struct dictionary_cache *dictionaries, int64_t project_id,
				    bool rereads_all, dictionary_cache_ready_h *ready, void *arg)
{
	struct project_cache *project = dictionary_cache_find(dictionaries, project_id);
	struct waiter *waiter;

	if (!project)
		project = dictionary_cache_add(dictionaries, project_id);
	waiter = project ? waiters_make(ready, arg) : NULL;
	if (!waiter)
		return ENOMEM;
	if (ready)
		dictionary_cache_touch(project);
	project->rereads_all |= rereads_all;
	/* A refresh that begins after this request includes the change that it is about. */
	if (!project->refresh) {
		int err = dictionary_cache_start_refresh(&project->refresh, project);

		if (err) {
			mem_deref(waiter);
			return err;
		}
		project->rereads_all = false;
		list_append(&project->served, &waiter->link);
		return 0;
	}
	list_append(&project->waiting, &waiter->link);
	return 0;
}

int dictionary_cache_refresh(struct dictionary_cache *dictionaries, int64_t project_id,
			     dictionary_cache_ready_h *ready, void *arg)
{
	return dictionary_cache_request(dictionaries, project_id, false, ready, arg);
}

int dictionary_cache_reload(struct dictionary_cache *dictionaries, int64_t project_id,
			    dictionary_cache_ready_h *ready, void *arg)
{
	return dictionary_cache_request(dictionaries, project_id, true, ready, arg);
}

/* Changes in the store */

/* Runs on the thread. */
static bool dictionary_cache_on_change(const struct store_change *change, void *arg)
{
	struct dictionary_cache *dictionaries = arg;

	if (change->kind != STORE_CHANGE_DICTIONARY)
		return true;
	dictionaries->changes.is_more = dictionaries->changes.count == CHANGES_MAX;
	if (!dictionaries->changes.is_more)
		dictionaries->changes.projects[dictionaries->changes.count++] = change->project_id;
	return !dictionaries->changes.is_more;
}

static int dictionary_cache_poll_work(struct store *store, void *arg)
{
	struct dictionary_cache *dictionaries = arg;
	int err = store->ops->version(store, &dictionaries->changes.version);

	dictionaries->changes.count = 0;
	dictionaries->changes.is_more = false;
	if (err || !dictionaries->knows_version ||
	    dictionaries->changes.version == dictionaries->version)
		return err;
	return store->ops->changes(store, dictionaries->version, dictionary_cache_on_change,
				   dictionaries);
}

static void dictionary_cache_refresh_known(struct project_cache *project)
{
	(void)dictionary_cache_refresh(project->owner, project->project_id, NULL, NULL);
}

/* Refreshes projects that have changed, and those whose last refresh failed. */
static void dictionary_cache_apply_changes(struct dictionary_cache *dictionaries)
{
	bool reads_all = !dictionaries->knows_version || dictionaries->changes.is_more;

	for (struct link *l = list_first(&dictionaries->projects); l;
	     l = list_next(&dictionaries->projects, l)) {
		if (reads_all || dictionary_cache_project_at(l)->is_stale)
			dictionary_cache_refresh_known(dictionary_cache_project_at(l));
	}
	for (size_t i = 0; !reads_all && i < dictionaries->changes.count; ++i) {
		struct project_cache *project =
			dictionary_cache_find(dictionaries, dictionaries->changes.projects[i]);

		if (project && !project->is_stale)
			dictionary_cache_refresh_known(project);
	}
}

static void dictionary_cache_on_polled(int err, void *arg)
{
	struct dictionary_cache *dictionaries = arg;

	if (err == ECANCELED) /* the async_store is being freed: no more polls */
		return;
	if (!err) {
		dictionary_cache_apply_changes(dictionaries);
		dictionaries->version = dictionaries->changes.version;
		dictionaries->knows_version = true;
	}
	dictionary_cache_poll_later(dictionaries);
}

static void dictionary_cache_poll(void *arg)
{
	struct dictionary_cache *dictionaries = arg;

	if (async_store_run(dictionaries->async, ASYNC_STORE_QUERIES, dictionary_cache_poll_work,
			    dictionary_cache_on_polled, dictionaries) != 0)
		dictionary_cache_poll_later(dictionaries); /* without memory, the poll waits */
}

static void dictionary_cache_poll_later(struct dictionary_cache *dictionaries)
{
	struct timers *timers = &dictionaries->loop->timers;

	if (!timer_is_set(&dictionaries->poll_timer))
		timer_set(timers, &dictionaries->poll_timer, POLL_US, dictionary_cache_poll,
			  dictionaries);
}

/* Projects that are not in use */

static void dictionary_cache_mark_used(int64_t project_id, void *arg)
{
	struct dictionary_cache *dictionaries = arg;
	struct project_cache *project = dictionary_cache_find(dictionaries, project_id);

	if (!project || project->used_sweep == dictionaries->sweeps)
		return;
	project->used_sweep = dictionaries->sweeps;
	dictionary_cache_touch(project);
}

static bool dictionary_cache_is_idle(const struct project_cache *project)
{
	return project->used_sweep != project->owner->sweeps && !project->refresh &&
	       project->waiting.count == 0;
}

/* Drops projects that are not in use, the longest unused first, until the rest is within the budget
 * and recent enough. */
static void dictionary_cache_sweep(void *arg)
{
	struct dictionary_cache *dictionaries = arg;
	uint64_t now_us = loop_now_us(dictionaries->loop);
	size_t entries = 0;
	size_t projects = 0;
	struct link *next;

	++dictionaries->sweeps;
	if (dictionaries->users)
		dictionaries->users(dictionaries->users_arg, dictionary_cache_mark_used,
				    dictionaries);
	for (struct link *l = list_first(&dictionaries->projects); l;
	     l = list_next(&dictionaries->projects, l)) {
		entries += dictionary_cache_is_idle(dictionary_cache_project_at(l))
				   ? dictionary_cache_project_at(l)->entries
				   : 0;
		projects += dictionary_cache_is_idle(dictionary_cache_project_at(l));
	}
	for (struct link *l = list_first(&dictionaries->projects); l; l = next) {
		struct project_cache *project = dictionary_cache_project_at(l);

		next = list_next(&dictionaries->projects, l);
		if (!dictionary_cache_is_idle(project))
			continue;
		if (entries <= dictionaries->idle_entries_max &&
		    projects <= dictionaries->idle_projects_max &&
		    now_us - project->used_us < IDLE_US)
			break;
		entries -= project->entries;
		--projects;
		dictionary_cache_remove(project);
	}
	dictionary_cache_sweep_later(dictionaries);
}

static void dictionary_cache_sweep_later(struct dictionary_cache *dictionaries)
{
	if (dictionaries->projects.count > 0 && !timer_is_set(&dictionaries->sweep_timer))
		timer_set(&dictionaries->loop->timers, &dictionaries->sweep_timer, SWEEP_US,
			  dictionary_cache_sweep, dictionaries);
}

void dictionary_cache_set_budget(struct dictionary_cache *dictionaries, size_t entries,
				 size_t projects)
{
	dictionaries->idle_entries_max = entries;
	dictionaries->idle_projects_max = projects;
}

void dictionary_cache_set_users(struct dictionary_cache *dictionaries,
				dictionary_cache_users_h *users, void *arg)
{
	dictionaries->users = users;
	dictionaries->users_arg = arg;
}

static struct cached_dictionary *dictionary_cache_find_by_id(const struct project_cache *project,
							     int64_t id)
{
	for (size_t i = 0; i < project->count; ++i) {
		if (project->list[i].id == id)
			return &project->list[i];
	}
	return NULL;
}

/* Both return how many dictionaries they found. */
static size_t dictionary_cache_pick_by_id(struct dictionary **picked, int64_t *unknown,
					  const struct project_cache *project, const int64_t *ids,
					  size_t ids_len)
{
	for (size_t i = 0; i < ids_len; ++i) {
		const struct cached_dictionary *item = dictionary_cache_find_by_id(project, ids[i]);

		if (!item) {
			*unknown = ids[i];
			return i;
		}
		picked[i] = item->dictionary;
	}
	return ids_len;
}

static size_t dictionary_cache_pick_active(struct dictionary **picked,
					   const struct project_cache *project,
					   const char *language)
{
	char subtag[SUBTAG_SIZE];
	size_t count = 0;

	dictionary_cache_subtag(subtag, language);
	for (size_t i = 0; i < project->count; ++i) {
		const struct cached_dictionary *item = &project->list[i];

		if (item->is_active &&
		    (item->language[0] == '\0' || strcmp(item->language, subtag) == 0))
			picked[count++] = item->dictionary;
	}
	return count;
}

bool dictionary_cache_has(const struct dictionary_cache *dictionaries, int64_t project_id)
{
	struct project_cache *project = dictionary_cache_find(dictionaries, project_id);

	if (!project || !project->is_read)
		return false;
	dictionary_cache_touch(project); /* the caller is about to use it */
	return true;
}

bool dictionary_cache_covers(const struct dictionary_cache *dictionaries, int64_t project_id)
{
	return dictionary_cache_find(dictionaries, project_id) != NULL;
}

int dictionary_cache_lexicon(struct lexicon **lexiconp, int64_t *unknown,
			     const struct dictionary_cache *dictionaries, int64_t project_id,
			     const char *language, const int64_t *ids, size_t ids_len)
{
	struct dictionary *picked[STORE_DICTIONARIES_MAX];
	struct project_cache *project = dictionary_cache_find(dictionaries, project_id);
	size_t count;

	assert(ids_len <= STORE_DICTIONARIES_MAX);
	if (!project || !project->is_read)
		return EAGAIN;
	dictionary_cache_touch(project);
	count = ids ? dictionary_cache_pick_by_id(picked, unknown, project, ids, ids_len)
		    : dictionary_cache_pick_active(picked, project, language);
	if (ids && count < ids_len)
		return ENOENT;
	if (count > 0)
		return lexicon_alloc(lexiconp, picked, count);
	*lexiconp = NULL;
	return 0;
}

static void dictionary_cache_destroy(void *object)
{
	struct dictionary_cache *dictionaries = object;
	struct link *link;

	timer_clear(&dictionaries->loop->timers, &dictionaries->poll_timer);
	timer_clear(&dictionaries->loop->timers, &dictionaries->sweep_timer);
	while ((link = list_first(&dictionaries->projects))) {
		/* The async_store was freed first, and that ended all refreshes. */
		assert(!dictionary_cache_project_at(link)->refresh);
		dictionary_cache_remove(dictionary_cache_project_at(link));
	}
}

int dictionary_cache_alloc(struct dictionary_cache **dictionariesp, struct loop *loop,
			   struct async_store *async)
{
	struct dictionary_cache *dictionaries = mem_zalloc(sizeof(*dictionaries), NULL);

	if (!dictionaries)
		return ENOMEM;
	dictionaries->loop = loop;
	dictionaries->async = async;
	dictionary_cache_set_budget(dictionaries, IDLE_ENTRIES_MAX, IDLE_PROJECTS_MAX);
	list_init(&dictionaries->projects);
	for (size_t i = 0; i < CHAINS; ++i)
		list_init(&dictionaries->chains[i]);
	mem_set_destructor(dictionaries, dictionary_cache_destroy);
	*dictionariesp = dictionaries;
	return 0;
}
