/*
 * derived_voices.h: the voices that projects have derived from others, in memory.
 *
 * All rows of the store are kept, so that neither a list of voices nor a turn has to wait for the
 * store.  They are passed to the catalogue of voices whenever they change.  The store is polled once
 * a second for changes by other processes.
 *
 * Runs on the loop's thread.  The async_store is not owned and must be freed before this object,
 * because its handlers refer to it.
 */
#ifndef ACCOUNT_DERIVED_VOICES_H
#define ACCOUNT_DERIVED_VOICES_H

#include "account/async_store.h"
#include "speech/voice.h"

struct derived_voices;

/* Receives all voices, when they were first read (from inside derived_voices_alloc, if the store is
 * reachable) and after each change.  It returns ECANCELED if its owner does not need them any more;
 * other errors are logged. */
typedef int(derived_voices_put_h)(const struct voice *derived, size_t count, void *arg);

/* Reads the store directly, before any thread uses it.  If the store is unreachable, this succeeds
 * without voices; they are read later (derived_voices_follow). */
int derived_voices_alloc(struct derived_voices **voicesp, struct loop *loop, struct store *store,
			 derived_voices_put_h *put, void *arg);

/* Starts to poll the store for changes. */
void derived_voices_follow(struct derived_voices *voices, struct async_store *async);

/* Reads the store again.  `ready` (may be NULL) is called later, never from inside this call: with 0
 * when memory is as new as the store was at the time of this call, or with an errno.  ESHUTDOWN,
 * ENOMEM: it is not called. */
typedef void(derived_voices_ready_h)(int err, void *arg);
int derived_voices_refresh(struct derived_voices *voices, derived_voices_ready_h *ready, void *arg);

/* The row with this id, or NULL; valid until control returns to the loop. */
const struct store_voice *derived_voices_find(const struct derived_voices *voices, int64_t id);

#endif
