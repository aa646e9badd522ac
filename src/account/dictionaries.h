/*
 * dictionaries.h: the dictionaries of projects, in memory and ready to be used.
 *
 * What a project has in the store is read and compiled on the store's thread
 * and then kept, so that a turn gets its words without waiting.  A project is
 * replaced whole: turns that have begun keep what they began with.  Changes by
 * other processes on the same store are looked for once a second, and only what has
 * changed is read again.  Projects that nobody speaks with are forgotten after a while.
 *
 * Lives on the loop.  The account is asked, not kept: it ends first.
 */
#ifndef ACCOUNT_DICTIONARIES_H
#define ACCOUNT_DICTIONARIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/dictionary.h"

struct account;
struct loop;

struct dictionaries;

int dictionaries_alloc(struct dictionaries **dictionariesp, struct loop *loop,
		       struct account *account);

/* Sets how to list the projects that are in use, by calling `mark` for each; these are not
 * dropped from memory.  Until this is set, no project is in use. */
typedef void(dictionaries_mark_h)(int64_t project_id, void *mark_arg);
typedef void(dictionaries_users_h)(void *arg, dictionaries_mark_h *mark, void *mark_arg);
void dictionaries_set_users(struct dictionaries *dictionaries, dictionaries_users_h *users,
			    void *arg);

/* How much is kept of projects that are not in use, for tests; the default is a few hundred
 * megabytes. */
void dictionaries_set_budget(struct dictionaries *dictionaries, size_t entries, size_t projects);

/* The project was read: dictionaries_lexicon will answer as long as the project is in use. */
bool dictionaries_has(const struct dictionaries *dictionaries, int64_t project_id);

/* The project was read or is being read, so changes to it must be read too. */
bool dictionaries_cares(const struct dictionaries *dictionaries, int64_t project_id);

/* Reads what has changed of a project, or all of it for the first time.  `ready`
 * (may be NULL) is called later, never from inside: 0 when what is in memory is as
 * new as the store was at this moment.  ESHUTDOWN, ENOMEM: it is not called. */
typedef void(dictionaries_ready_h)(int err, void *arg);
int dictionaries_refresh(struct dictionaries *dictionaries, int64_t project_id,
			 dictionaries_ready_h *ready, void *arg);

/* The same, but nothing that is in memory is taken to be good. */
int dictionaries_reload(struct dictionaries *dictionaries, int64_t project_id,
			dictionaries_ready_h *ready, void *arg);

/* The dictionaries that apply: those named by the ids, in that order and active
 * or not; or with ids NULL all active ones of the language (by its primary
 * subtag; one without a language fits all), oldest first.  The lexicon is the
 * caller's; NULL when none applies.  ENOENT with *unknown for an id that the
 * project does not have, EAGAIN for a project that was never read, ENOMEM. */
int dictionaries_lexicon(struct lexicon **lexiconp, int64_t *unknown,
			 const struct dictionaries *dictionaries, int64_t project_id,
			 const char *language, const int64_t *ids, size_t ids_len);

#endif
