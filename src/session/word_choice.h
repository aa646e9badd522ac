/*
 * word_choice.h: which dictionaries a turn reads with.
 *
 * Those of the key's project are the default: without dictionary_ids its active
 * ones of the turn's language, with the empty list none, with ids exactly
 * those.  Whoever names another project gets none, and an error only when it
 * names dictionaries too.
 */
#ifndef SESSION_WORD_CHOICE_H
#define SESSION_WORD_CHOICE_H

#include "session/services.h"
#include "wire/fault.h"
#include "wire/settings.h"

/* The lexicon is the caller's; NULL when none applies.  EINVAL with the fault
 * filled in. */
int word_choice_lexicon(struct lexicon **lexiconp, struct stream_fault *fault,
			const struct session_services *services, int64_t project_id,
			const struct settings *settings, const char *language);

#endif
