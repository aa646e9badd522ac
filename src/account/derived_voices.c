/*
 * derived_voices.c: the voices that projects have derived from others, in memory (see
 * derived_voices.h).
 *
 * A refresh reads all rows on the store's thread and replaces the whole catalogue, which takes the
 * loop a millisecond for a thousand voices.  So only changes of voices cause one, and all requests
 * that arrive during a refresh share the next one.
 */
#include "account/derived_voices.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/waiters.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "store/voice_row.h"

#define POLL_US UINT64_C(1000000) /* how often to look for changes by other processes */

struct derived_voices_rows {
	struct store_voice *list; /* sorted by id */
	size_t count, size;
	int err;
};

struct derived_voices {
	struct loop *loop;
	struct async_store *async; /* NULL: the store is not polled yet */
	struct derived_voices_rows rows;
	derived_voices_put_h *put;
	void *arg;
	struct derived_voices_refresh *refresh; /* in progress, or NULL */
	struct list served; /* struct waiter: they wait for the refresh in progress */
	struct list waiting; /* struct waiter: they wait for the next refresh */
	struct timer poll_timer;
	int64_t version; /* the store's version at the last poll */
	/* A copy of is_stale for the thread.  If it is set, the voices are read in any case, so the
	 * thread does not look for changes. */
	bool reads_anyway;
	int64_t seen; /* the store's version as the thread found it */
	bool has_changes; /* voices were among the changes that the thread found */
	bool is_stale; /* a refresh failed, or no version is known */
};

struct derived_voices_refresh {
	struct derived_voices *voices;
	struct derived_voices_rows rows;
	struct voice *list; /* the rows in the catalogue's form */
};

static void derived_voices_free_rows(struct derived_voices_rows *rows)
{
	for (size_t i = 0; i < rows->count; ++i)
		voice_row_free(&rows->list[i]);
	free(rows->list);
	*rows = (struct derived_voices_rows){0};
}

static bool derived_voices_collect(const struct store_voice *row, void *arg)
{
	struct derived_voices_rows *rows = arg;

	if (rows->count == rows->size) {
		size_t size = rows->size ? 2 * rows->size : 64;
		struct store_voice *list = reallocarray(rows->list, size, sizeof(*list));

		if (!list) {
			rows->err = ENOMEM;
			return false;
		}
		rows->list = list;
		rows->size = size;
	}
	rows->err = voice_row_copy(&rows->list[rows->count], row);
	rows->count += !rows->err;
	return !rows->err;
}

static int derived_voices_read_rows(struct derived_voices_rows *rows, struct store *store)
{
	int err = store->ops->voice_list(store, derived_voices_collect, rows);

	if (!err)
		err = rows->err;
	if (err)
		derived_voices_free_rows(rows);
	return err;
}

/* Copies as much of a string as fits, without splitting a character. */
static void derived_voices_copy_cut(char *to, size_t size, const char *from)
{
	size_t len = utf8_cut(from, strlen(from), size - 1);

	memcpy(to, from, len);
	to[len] = '\0';
}

static void derived_voices_from_row(struct voice *voice, const struct store_voice *row)
{
	*voice = (struct voice){
		.id = row->id,
		.base_id = row->base_id,
		.project_id = row->project_id,
		.is_public = row->is_public,
		.pitch = (float)row->pitch,
		.rate = (float)row->rate,
	};
	derived_voices_copy_cut(voice->name, sizeof(voice->name), row->name);
	derived_voices_copy_cut(voice->variant, sizeof(voice->variant),
				row->variant ? row->variant : "");
	if (row->languages) /* a voice reads in its first language by default */
		snprintf(voice->language, sizeof(voice->language), "%.*s",
			 (int)strcspn(row->languages, ","), row->languages);
}

/* Converts the rows into the catalogue's form; runs on the thread. */
static struct voice *derived_voices_list_voices(const struct derived_voices_rows *rows)
{
	struct voice *list = calloc(rows->count + 1, sizeof(*list));

	for (size_t i = 0; list && i < rows->count; ++i)
		derived_voices_from_row(&list[i], &rows->list[i]);
	return list;
}

/* Keeps the rows if the catalogue accepts them. */
static int derived_voices_replace(struct derived_voices *voices,
				  struct derived_voices_refresh *refresh)
{
	int err = voices->put(refresh->list, refresh->rows.count, voices->arg);

	if (err)
		return err;
	derived_voices_free_rows(&voices->rows);
	voices->rows = refresh->rows;
	refresh->rows = (struct derived_voices_rows){0};
	return 0;
}

static void derived_voices_refresh_destroy(void *object)
{
	struct derived_voices_refresh *refresh = object;

	derived_voices_free_rows(&refresh->rows);
	free(refresh->list);
}

/* Runs on the thread. */
static int derived_voices_refresh_work(struct store *store, void *arg)
{
	struct derived_voices_refresh *refresh = arg;
	int err = derived_voices_read_rows(&refresh->rows, store);

	if (!err)
		refresh->list = derived_voices_list_voices(&refresh->rows);
	return !err && !refresh->list ? ENOMEM : err;
}

static int derived_voices_start_refresh(struct derived_voices *voices);

static void derived_voices_on_refreshed(int err, void *arg)
{
	struct derived_voices_refresh *refresh = arg;
	struct derived_voices *voices = refresh->voices;

	if (!err)
		err = derived_voices_replace(voices, refresh);
	if (err && err != ECANCELED) {
		log_error("voices", "derived voices cannot be read: %s", strerror(err));
		voices->is_stale = true;
	}
	voices->refresh = mem_deref(refresh);
	waiters_notify(&voices->served, err);
	if (voices->waiting.count > 0 && !voices->refresh) {
		list_append_all(&voices->served, &voices->waiting);
		err = derived_voices_start_refresh(voices);
		if (err)
			waiters_notify(&voices->served, err);
	}
}

static int derived_voices_start_refresh(struct derived_voices *voices)
{
	struct derived_voices_refresh *refresh =
		mem_zalloc(sizeof(*refresh), derived_voices_refresh_destroy);
	int err;

	if (!refresh)
		return ENOMEM;
	refresh->voices = voices;
	err = async_store_run(voices->async, ASYNC_STORE_QUERIES, derived_voices_refresh_work,
			      derived_voices_on_refreshed, refresh);
	if (err)
		mem_deref(refresh);
	else
		voices->refresh = refresh;
	return err;
}

int derived_voices_refresh(struct derived_voices *voices, derived_voices_ready_h *ready, void *arg)
{
	struct waiter *waiter = waiters_make(ready, arg);
	int err = 0;

	if (!waiter)
		return ENOMEM;
	/* The refresh in progress may not include the change that this request is about. */
	if (voices->refresh) {
		list_append(&voices->waiting, &waiter->link);
		return 0;
	}
	err = derived_voices_start_refresh(voices);
	if (err)
		mem_deref(waiter);
	else
		list_append(&voices->served, &waiter->link);
	return err;
}

/* Runs on the thread. */
static bool derived_voices_on_change(const struct store_change *change, void *arg)
{
	struct derived_voices *voices = arg;

	voices->has_changes = change->kind == STORE_CHANGE_VOICE;
	return !voices->has_changes;
}

static int derived_voices_poll_work(struct store *store, void *arg)
{
	struct derived_voices *voices = arg;
	int err = store->ops->version(store, &voices->seen);

	voices->has_changes = false;
	if (err || voices->reads_anyway || voices->seen == voices->version)
		return err;
	return store->ops->changes(store, voices->version, derived_voices_on_change, voices);
}

static void derived_voices_poll_later(struct derived_voices *voices);

static void derived_voices_on_polled(int err, void *arg)
{
	struct derived_voices *voices = arg;

	if (err == ECANCELED) /* the async_store is being freed: no more polls */
		return;
	if (!err) {
		bool must_read = voices->is_stale || voices->has_changes;

		voices->version = voices->seen;
		voices->is_stale = must_read && derived_voices_refresh(voices, NULL, NULL) != 0;
	}
	derived_voices_poll_later(voices);
}

static void derived_voices_poll(void *arg)
{
	struct derived_voices *voices = arg;

	voices->reads_anyway = voices->is_stale;
	if (async_store_run(voices->async, ASYNC_STORE_QUERIES, derived_voices_poll_work,
			    derived_voices_on_polled, voices) != 0)
		derived_voices_poll_later(voices); /* without memory, the poll waits */
}

static void derived_voices_poll_later(struct derived_voices *voices)
{
	timer_set(&voices->loop->timers, &voices->poll_timer, POLL_US, derived_voices_poll, voices);
}

void derived_voices_follow(struct derived_voices *voices, struct async_store *async)
{
	voices->async = async;
	derived_voices_poll_later(voices);
}

const struct store_voice *derived_voices_find(const struct derived_voices *voices, int64_t id)
{
	size_t low = 0;
	size_t high = voices->rows.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (voices->rows.list[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < voices->rows.count && voices->rows.list[low].id == id ? &voices->rows.list[low]
									   : NULL;
}

static void derived_voices_destroy(void *object)
{
	struct derived_voices *voices = object;

	timer_clear(&voices->loop->timers, &voices->poll_timer);
	derived_voices_free_rows(&voices->rows);
}

int derived_voices_alloc(struct derived_voices **voicesp, struct loop *loop, struct store *store,
			 derived_voices_put_h *put, void *arg)
{
	struct derived_voices *voices = mem_zalloc(sizeof(*voices), NULL);
	struct derived_voices_refresh *first =
		mem_zalloc(sizeof(*first), derived_voices_refresh_destroy);
	int err;

	if (!voices || !first) {
		mem_deref(first);
		mem_deref(voices);
		return ENOMEM;
	}
	list_init(&voices->served);
	list_init(&voices->waiting);
	voices->loop = loop;
	voices->put = put;
	voices->arg = arg;
	voices->is_stale = true;
	mem_set_destructor(voices, derived_voices_destroy);
	err = derived_voices_refresh_work(store, first);
	if (!err)
		err = derived_voices_replace(voices, first);
	else if (err == EIO)
		err = 0; /* is_stale is set, so they are read when the store is reachable */
	mem_deref(first);
	if (err)
		mem_deref(voices);
	else
		*voicesp = voices;
	return err;
}
