/*
 * dictionary_cache.h: the dictionaries of projects, compiled and in memory.
 *
 * A project's dictionaries are read and compiled on the store's thread and then kept, so that a
 * turn gets its entries without waiting.  A project is replaced as a whole: turns that have begun
 * keep what they began with.  The store is polled once a second for changes by other processes,
 * and only what has changed is read again.  Projects that are not in use are dropped after a
 * while.
 *
 * Runs on the loop's thread.  The async_store is not owned and must be freed before this object,
 * because its handlers refer to it.
 */
#ifndef ACCOUNT_DICTIONARY_CACHE_H
#define ACCOUNT_DICTIONARY_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/dictionary.h"

struct async_store;
struct loop;

struct dictionary_cache;

int dictionary_cache_alloc(struct dictionary_cache **dictionariesp, struct loop *loop,
			   struct async_store *async);

/* Sets how to list the projects that are in use, by calling `mark` for each; these are not
 * dropped from memory.  Until this is set, no project is in use. */
typedef void(dictionary_cache_mark_h)(int64_t project_id, void *mark_arg);
typedef void(dictionary_cache_users_h)(void *arg, dictionary_cache_mark_h *mark, void *mark_arg);
void dictionary_cache_set_users(struct dictionary_cache *dictionaries,
				dictionary_cache_users_h *users, void *arg);

/* How much is kept of projects that are not in use, for tests; the default is a few hundred
 * megabytes. */
void dictionary_cache_set_budget(struct dictionary_cache *dictionaries, size_t entries,
				 size_t projects);

/* Whether the project was read: dictionary_cache_lexicon works as long as the project is in use. */
bool dictionary_cache_has(const struct dictionary_cache *dictionaries, int64_t project_id);

/* Whether the project was read or is being read, so that changes to it must be read too. */
bool dictionary_cache_covers(const struct dictionary_cache *dictionaries, int64_t project_id);

/* Reads the changes of a project, or all of it the first time.  `ready` (may be NULL) is called
 * later, never from inside this call: with 0 when memory is as new as the store was at the time of
 * this call, or with an errno.  ESHUTDOWN, ENOMEM: it is not called. */
typedef void(dictionary_cache_ready_h)(int err, void *arg);
int dictionary_cache_refresh(struct dictionary_cache *dictionaries, int64_t project_id,
			     dictionary_cache_ready_h *ready, void *arg);

/* The same, but reads everything again. */
int dictionary_cache_reload(struct dictionary_cache *dictionaries, int64_t project_id,
			    dictionary_cache_ready_h *ready, void *arg);

/* Finds the dictionaries that apply: those with the ids, in that order, active or not; or, if `ids`
 * is NULL, all active ones of the language, oldest first.  Languages are compared by their primary
 * subtag; a dictionary without a language applies to all.  *lexiconp becomes a reference, or NULL
 * when no dictionary applies.  ENOENT with *unknown for an id that the project does not have, EAGAIN
 * for a project that was never read, ENOMEM. */
int dictionary_cache_lexicon(struct lexicon **lexiconp, int64_t *unknown,
			     const struct dictionary_cache *dictionaries, int64_t project_id,
			     const char *language, const int64_t *ids, size_t ids_len);

#endif
