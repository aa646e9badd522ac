/*
 * turn_lexicon.h: finds the dictionaries that apply to a turn.
 *
 * They are dictionaries of the API key's project: without dictionary_ids those that are active and
 * have the turn's language, with an empty list none, with ids exactly those.  A client that names
 * another project gets none, and an error only if it also names dictionaries.  Runs on the loop's
 * thread.
 */
#ifndef SESSION_TURN_LEXICON_H
#define SESSION_TURN_LEXICON_H

#include "session/services.h"
#include "wire/fault.h"
#include "wire/settings.h"

/* *lexiconp becomes a reference, or NULL when no dictionary applies.  EINVAL with the fault filled
 * in. */
int turn_lexicon_find(struct lexicon **lexiconp, struct stream_fault *fault,
		      const struct session_services *services, int64_t project_id,
		      const struct settings *settings, const char *language);

#endif
