/*
 * turn_lexicon.c: finds the dictionaries that apply to a turn (see turn_lexicon.h).
 */
#include "session/turn_lexicon.h"

#include <errno.h>
#include <stdbool.h>

static int turn_lexicon_refuse(struct stream_fault *fault, int err, int64_t unknown)
{
	switch (err) {
	case ENOENT:
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "dictionary_ids: the project has no dictionary %lld",
				 (long long)unknown);
	case EAGAIN:
		return fault_set(fault, WIRE_ERROR_NO_DICTIONARIES, "%s", "");
	default:
		return fault_set(fault, WIRE_ERROR_INTERNAL, "%s", "");
	}
}

int turn_lexicon_find(struct lexicon **lexiconp, struct stream_fault *fault,
		      const struct session_services *services, int64_t project_id,
		      const struct settings *settings, const char *language)
{
	const struct settings_ids *ids = settings->dictionary_ids;
	int64_t unknown = ids ? ids->ids[0] : 0;
	int err;

	*lexiconp = NULL;
	if (settings->set & SETTING_DICTIONARY_IDS && !ids)
		return 0;
	if (settings->set & SETTING_PROJECT_ID && settings->project_id != project_id) {
		if (!ids)
			return 0;
		return fault_set(fault, WIRE_ERROR_FORBIDDEN, "project_id %lld is not the key's",
				 (long long)settings->project_id);
	}
	if (!services->dictionaries) /* there is no store with dictionaries */
		return ids ? turn_lexicon_refuse(fault, ENOENT, unknown) : 0;
	err = dictionary_cache_lexicon(lexiconp, &unknown, services->dictionaries, project_id,
				       language, ids ? ids->ids : NULL, ids ? ids->count : 0);
	return err ? turn_lexicon_refuse(fault, err, unknown) : 0;
}
