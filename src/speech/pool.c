/*
 * pool.c: the engines, and what is known of all of them together (see pool.h).
 *
 * Runs on the loop's thread.  The pool owns the synthesizers (synthesizer.c) and,
 * through them, the worker processes; which job is spoken when is decided in
 * scheduler.c.
 */
#include "speech/pool.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "speech/pool_private.h"

#define POOL_ENGINE_PREFIX "syrinx-"

struct synthesizer *pool_first(const struct pool *pool)
{
	struct link *link = list_first(&pool->synthesizers);

	return link ? LIST_OBJECT(link, struct synthesizer, link) : NULL;
}

struct synthesizer *pool_next(const struct pool *pool, const struct synthesizer *synthesizer)
{
	struct link *link = list_next(&pool->synthesizers, &synthesizer->link);

	return link ? LIST_OBJECT(link, struct synthesizer, link) : NULL;
}

struct synthesizer *pool_find(const struct pool *pool, const char *engine)
{
	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s)) {
		if (strcmp(s->name, engine) == 0)
			return s;
	}
	return NULL;
}

static void pool_free_words(char **words)
{
	for (char **word = words; word && *word; ++word)
		free(*word);
	free(words);
}

static int pool_copy_words(char ***copyp, const char *const *words)
{
	size_t n = 0;
	char **copy;

	while (words && words[n])
		++n;
	copy = calloc(n + 1, sizeof(*copy));
	for (size_t i = 0; copy && i < n; ++i) {
		copy[i] = strdup(words[i]);
		if (!copy[i]) {
			pool_free_words(copy);
			return ENOMEM;
		}
	}
	*copyp = copy;
	return copy ? 0 : ENOMEM;
}

static void pool_destroy(void *object)
{
	struct pool *pool = object;

	while (pool_first(pool))
		mem_deref(pool_first(pool));
	scheduler_stop(pool); /* last: jobs of workers that end are queued again */
	pool_free_words(pool->launcher);
	pool_free_words(pool->environment);
	mem_deref(pool->voices);
}

#define POOL_ENGINE_PATH_SIZE 4096

static bool pool_wants(const struct pool_options *options, const char *engine)
{
	return (!options->only_engine || strcmp(options->only_engine, engine) == 0) &&
	       (!options->but_engine || strcmp(options->but_engine, engine) != 0);
}

/* Whether a file of the engines' directory is an engine: a program called syrinx-NAME.  The benchmark
 * is installed there too, and its name is like an engine's. */
static bool pool_is_engine(char path[POOL_ENGINE_PATH_SIZE], const char *dir, const char *file)
{
	const char *name = file + strlen(POOL_ENGINE_PREFIX);

	if (strncmp(file, POOL_ENGINE_PREFIX, strlen(POOL_ENGINE_PREFIX)) != 0 || *name == '\0' ||
	    strcmp(name, "bench") == 0 || strlen(name) >= VOICE_ENGINE_MAX || strchr(name, '.'))
		return false;
	snprintf(path, POOL_ENGINE_PATH_SIZE, "%s/%s", dir, file);
	return access(path, X_OK) == 0;
}

int pool_each_engine(const char *engines_dir, pool_engine_h *handler, void *arg)
{
	DIR *dir = opendir(engines_dir);
	char path[POOL_ENGINE_PATH_SIZE];
	const struct dirent *entry;
	int err = 0;

	if (!dir)
		return errno;
	while (!err && (entry = readdir(dir))) {
		if (pool_is_engine(path, engines_dir, entry->d_name))
			err = handler(entry->d_name + strlen(POOL_ENGINE_PREFIX), path, arg);
	}
	closedir(dir);
	return err;
}

static int pool_note_engine(const char *name, const char *path, void *arg)
{
	bool *found = arg;

	(void)name;
	(void)path;
	*found = true;
	return 0;
}

int pool_look(const char *engines_dir)
{
	bool found = false;
	int err = pool_each_engine(engines_dir, pool_note_engine, &found);

	return err || found ? err : ENOENT;
}

static int pool_add_engine(const char *name, const char *path, void *arg)
{
	struct pool *pool = arg;
	struct synthesizer *synthesizer;
	int err;

	if (!pool_wants(&pool->options, name))
		return 0;
	err = synthesizer_alloc(&synthesizer, pool, name, path);
	if (err)
		return err;
	list_append(&pool->synthesizers, &synthesizer->link);
	return 0;
}

static int pool_find_engines(struct pool *pool)
{
	int err = pool_each_engine(pool->options.engines_dir, pool_add_engine, pool);

	return err || pool->synthesizers.count > 0 ? err : ENOENT;
}

int pool_alloc(struct pool **poolp, struct loop *loop, const struct pool_options *options)
{
	struct pool *pool = mem_zalloc(sizeof(*pool), NULL);
	int err;

	if (!pool)
		return ENOMEM;
	pool->speech.ops = &scheduler_speech_ops;
	pool->loop = loop;
	pool->options = *options;
	list_init(&pool->synthesizers);
	mem_set_destructor(pool, pool_destroy);
	err = voices_alloc(&pool->voices, !options->no_fallback);
	if (!err) {
		voices_set_complete(pool->voices, false);
		err = pool_copy_words(&pool->launcher, options->launcher);
	}
	if (!err)
		err = pool_copy_words(&pool->environment, options->environment);
	if (!err)
		err = pool_find_engines(pool);
	if (err) {
		mem_deref(pool);
		return err;
	}
	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s)) {
		expect_voices(s);
		fleet_staff(s->fleet);
	}
	scheduler_start(pool);
	*poolp = pool;
	return 0;
}

struct speech *pool_speech(struct pool *pool)
{
	return &pool->speech;
}

const struct voices *pool_voices(const struct pool *pool)
{
	return pool->voices;
}

int pool_set_derived(struct pool *pool, const struct voice *derived, size_t count)
{
	return voices_set_derived(pool->voices, derived, count);
}

void pool_on_ready(struct pool *pool, void (*handler)(void *arg), void *arg)
{
	pool->ready_handler = handler;
	pool->ready_arg = arg;
	pool_check_ready(pool);
}

int pool_renew(struct pool *pool, const char *engine)
{
	struct synthesizer *synthesizer = pool_find(pool, engine);

	if (!synthesizer)
		return ENOENT;
	fleet_renew(synthesizer->fleet);
	return 0;
}

int pool_note_at(struct pool_note *note, const struct pool *pool, size_t i)
{
	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s)) {
		const struct greeting *greeting = &s->greeting;

		if (i < greeting->note_count) {
			*note = (struct pool_note){s->name, greeting->notes[i].about,
						   greeting->notes[i].text};
			return 0;
		}
		i -= greeting->note_count;
	}
	return ENOENT;
}

const char *pool_loading(const struct pool *pool)
{
	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s)) {
		if (!fleet_has_answered(s->fleet))
			return s->name;
	}
	return NULL;
}

const char *pool_lost(const struct pool *pool)
{
	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s)) {
		if (fleet_is_given_up(s->fleet) && s->worked_before)
			return s->name;
	}
	return NULL;
}

void pool_keep_records(struct pool *pool)
{
	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s))
		fleet_keep_record(s->fleet);
}

/* Until every engine has answered each has one worker: the others would only
 * keep the slowest engine from the processor. */
static void pool_staff_all(struct pool *pool)
{
	pool->all_answered = true;
	voices_set_complete(pool->voices, true);
	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s))
		fleet_staff(s->fleet);
}

void pool_check_ready(struct pool *pool)
{
	if (!pool->all_answered && !pool_loading(pool))
		pool_staff_all(pool);
	if (!pool->all_answered || !pool->ready_handler || pool->ready_told)
		return;
	pool->ready_told = true;
	pool->ready_handler(pool->ready_arg);
}

void pool_stats(const struct pool *pool, struct pool_stats *stats)
{
	struct fleet_stats fleets = {0};

	*stats = (struct pool_stats){.retries = pool->retries, .taken_back = pool->taken_back};
	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s)) {
		fleet_add_stats(s->fleet, &fleets);
		stats->jobs_queued += (unsigned)(s->queued.jobs.count + s->again.jobs.count);
		stats->jobs_running += (unsigned)s->running.count;
		stats->jobs_parked += (unsigned)s->parked.jobs.count;
		stats->jobs_held += (unsigned)(s->held.count + s->aside.count);
	}
	stats->workers = fleets.workers;
	stats->starting = fleets.starting;
	stats->seats_taken = fleets.seats_taken;
	stats->worker_deaths = fleets.deaths;
}
