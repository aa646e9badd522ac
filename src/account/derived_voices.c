/*
 * derived_voices.c: the voices that projects have derived from others, in memory
 * (see derived_voices.h).
 *
 * A refresh reads all rows on the store's thread and takes the place of what was
 * there, which costs the loop a millisecond for a thousand voices: the catalogue is made
 * anew.  So only changes of voices count, and whoever asks while a refresh is under way
 * shares the next one with all others who do.
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

#define LOOK_US UINT64_C(1000000) /* for other processes' changes */

struct rows {
	struct store_voice *list; /* by id */
	size_t count, size;
	int err;
};

struct derived_voices {
	struct loop *loop;
	struct account *account; /* NULL: nobody is followed yet */
	struct rows rows;
	derived_voices_put_h *put;
	void *arg;
	struct refresh *refresh; /* that is under way, or NULL */
	struct list served; /* struct waiter: for the refresh that is under way */
	struct list waiting; /* struct waiter: for the next refresh */
	struct timer look;
	int64_t version; /* of the store, when last looked at */
	bool reads_anyway; /* the thread need not look for more: is_behind, when it was asked */
	int64_t seen; /* what the thread found */
	bool has_news; /* and whether voices are among what has changed since */
	bool is_behind; /* a refresh failed, or no version is known */
};

struct refresh {
	struct derived_voices *voices;
	struct rows rows;
	struct voice *list; /* the same for the catalogue */
};

static void free_rows(struct rows *rows)
{
	for (size_t i = 0; i < rows->count; ++i)
		voice_row_free(&rows->list[i]);
	free(rows->list);
	*rows = (struct rows){0};
}

static bool collect(const struct store_voice *row, void *arg)
{
	struct rows *rows = arg;

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

static int read_rows(struct rows *rows, struct store *store)
{
	int err = store->ops->voice_list(store, collect, rows);

	if (!err)
		err = rows->err;
	if (err)
		free_rows(rows);
	return err;
}

/* What fits of a text, up to its last whole character. */
static void copy_cut(char *to, size_t size, const char *from)
{
	size_t len = utf8_cut(from, strlen(from), size - 1);

	memcpy(to, from, len);
	to[len] = '\0';
}

static void to_voice(struct voice *voice, const struct store_voice *row)
{
	*voice = (struct voice){
		.id = row->id,
		.base_id = row->base_id,
		.project_id = row->project_id,
		.is_public = row->is_public,
		.pitch = (float)row->pitch,
		.rate = (float)row->rate,
	};
	copy_cut(voice->name, sizeof(voice->name), row->name);
	copy_cut(voice->variant, sizeof(voice->variant), row->variant ? row->variant : "");
	if (row->languages) /* the first of them is what it reads as, unless it is told */
		snprintf(voice->language, sizeof(voice->language), "%.*s",
			 (int)strcspn(row->languages, ","), row->languages);
}

/* On the thread: what the catalogue is given. */
static struct voice *list_voices(const struct rows *rows)
{
	struct voice *list = calloc(rows->count + 1, sizeof(*list));

	for (size_t i = 0; list && i < rows->count; ++i)
		to_voice(&list[i], &rows->list[i]);
	return list;
}

/* Takes the rows over when the catalogue has them. */
static int take_over(struct derived_voices *voices, struct refresh *refresh)
{
	int err = voices->put(refresh->list, refresh->rows.count, voices->arg);

	if (err)
		return err;
	free_rows(&voices->rows);
	voices->rows = refresh->rows;
	refresh->rows = (struct rows){0};
	return 0;
}

static void refresh_destroy(void *object)
{
	struct refresh *refresh = object;

	free_rows(&refresh->rows);
	free(refresh->list);
}

/* On the thread. */
static int refresh_work(struct store *store, void *arg)
{
	struct refresh *refresh = arg;
	int err = read_rows(&refresh->rows, store);

	if (!err)
		refresh->list = list_voices(&refresh->rows);
	return !err && !refresh->list ? ENOMEM : err;
}

static int begin_refresh(struct derived_voices *voices);

static void on_refreshed(int err, void *arg)
{
	struct refresh *refresh = arg;
	struct derived_voices *voices = refresh->voices;

	if (!err)
		err = take_over(voices, refresh);
	if (err && err != ECANCELED) {
		log_error("voices", "derived voices cannot be read: %s", strerror(err));
		voices->is_behind = true;
	}
	voices->refresh = mem_deref(refresh);
	waiters_tell(&voices->served, err);
	if (voices->waiting.count > 0 && !voices->refresh) {
		list_append_all(&voices->served, &voices->waiting);
		err = begin_refresh(voices);
		if (err)
			waiters_tell(&voices->served, err);
	}
}

static int begin_refresh(struct derived_voices *voices)
{
	struct refresh *refresh = mem_zalloc(sizeof(*refresh), refresh_destroy);
	int err;

	if (!refresh)
		return ENOMEM;
	refresh->voices = voices;
	err = account_ask(voices->account, ACCOUNT_QUESTIONS, refresh_work, on_refreshed, refresh);
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
	if (voices->refresh) { /* it may not have seen what this one is about */
		list_append(&voices->waiting, &waiter->link);
		return 0;
	}
	err = begin_refresh(voices);
	if (err)
		mem_deref(waiter);
	else
		list_append(&voices->served, &waiter->link);
	return err;
}

/* On the thread. */
static bool note_news(const struct store_change *change, void *arg)
{
	struct derived_voices *voices = arg;

	voices->has_news = change->kind == STORE_CHANGE_VOICE;
	return !voices->has_news;
}

static int read_news(struct store *store, void *arg)
{
	struct derived_voices *voices = arg;
	int err = store->ops->version(store, &voices->seen);

	voices->has_news = false;
	if (err || voices->reads_anyway || voices->seen == voices->version)
		return err;
	return store->ops->changes(store, voices->version, note_news, voices);
}

static void look_later(struct derived_voices *voices);

static void on_news(int err, void *arg)
{
	struct derived_voices *voices = arg;

	if (err == ECANCELED)
		return;
	if (!err) {
		bool must_read = voices->is_behind || voices->has_news;

		voices->version = voices->seen;
		voices->is_behind = must_read && derived_voices_refresh(voices, NULL, NULL) != 0;
	}
	look_later(voices);
}

static void look(void *arg)
{
	struct derived_voices *voices = arg;

	voices->reads_anyway = voices->is_behind;
	if (account_ask(voices->account, ACCOUNT_QUESTIONS, read_news, on_news, voices) != 0)
		look_later(voices); /* unless it is the end */
}

static void look_later(struct derived_voices *voices)
{
	timer_set(&voices->loop->timers, &voices->look, LOOK_US, look, voices);
}

void derived_voices_follow(struct derived_voices *voices, struct account *account)
{
	voices->account = account;
	look_later(voices);
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

	timer_clear(&voices->loop->timers, &voices->look);
	free_rows(&voices->rows);
}

int derived_voices_alloc(struct derived_voices **voicesp, struct loop *loop, struct store *store,
			 derived_voices_put_h *put, void *arg)
{
	struct derived_voices *voices = mem_zalloc(sizeof(*voices), NULL);
	struct refresh *first = mem_zalloc(sizeof(*first), refresh_destroy);
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
	voices->is_behind = true;
	mem_set_destructor(voices, derived_voices_destroy);
	err = refresh_work(store, first);
	if (!err)
		err = take_over(voices, first);
	else if (err == EIO)
		err = 0; /* `is_behind`: they are read when the store is there */
	mem_deref(first);
	if (err)
		mem_deref(voices);
	else
		*voicesp = voices;
	return err;
}
