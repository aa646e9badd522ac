/*
 * derived_voices.h: the voices that projects have derived from others, in memory.
 *
 * All that the store has is kept, so that a list of voices and a turn's voice
 * need not wait for it.  What speakers need of each is handed on to the catalogue
 * whenever it changes.  Changes by other processes on the same store are looked
 * for once a second.
 *
 * Lives on the loop.  The account is asked, not kept: it ends first.
 */
#ifndef ACCOUNT_DERIVED_VOICES_H
#define ACCOUNT_DERIVED_VOICES_H

#include "account/account.h"
#include "speech/voice.h"

struct derived_voices;

/* Told all of them, at the first reading and after each change.  ECANCELED when
 * nobody wants to hear of it any more; other errors are logged. */
typedef int(derived_voices_put_h)(const struct voice *derived, size_t count, void *arg);

/* Reads the store, which nobody else uses yet. */
int derived_voices_alloc(struct derived_voices **voicesp, struct loop *loop, struct store *store,
			 derived_voices_put_h *put, void *arg);

/* From now on they are kept up to date. */
void derived_voices_follow(struct derived_voices *voices, struct account *account);

/* `ready` (may be NULL) is called later, never from inside: 0 when what is in memory
 * is as new as the store was at this moment.  ESHUTDOWN, ENOMEM: it is not called. */
typedef void(derived_voices_ready_h)(int err, void *arg);
int derived_voices_refresh(struct derived_voices *voices, derived_voices_ready_h *ready, void *arg);

/* The row of an id, or NULL; lent until the loop runs on. */
const struct store_voice *derived_voices_find(const struct derived_voices *voices, int64_t id);

#endif
