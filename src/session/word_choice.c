/*
 * word_choice.c: which dictionaries a turn reads with (see word_choice.h).
 */
#include "session/word_choice.h"

#include <errno.h>
#include <stdbool.h>

static bool word_choice_names_another_project(const struct settings *settings, int64_t project_id)
{
	return settings->set & SETTING_PROJECT_ID && settings->project_id != project_id;
}

static int word_choice_refuse(struct stream_fault *fault, int err, int64_t unknown)
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

int word_choice_lexicon(struct lexicon **lexiconp, struct stream_fault *fault,
			const struct session_services *services, int64_t project_id,
			const struct settings *settings, const char *language)
{
	const struct settings_ids *ids = settings->dictionary_ids;
	int64_t unknown = ids ? ids->ids[0] : 0;
	int err;

	*lexiconp = NULL;
	if (settings->set & SETTING_DICTIONARY_IDS && !ids)
		return 0;
	if (word_choice_names_another_project(settings, project_id)) {
		if (!ids)
			return 0;
		return fault_set(fault, WIRE_ERROR_FORBIDDEN, "project_id %lld is not the key's",
				 (long long)settings->project_id);
	}
	if (!services->dictionaries) /* there is no store */
		return ids ? word_choice_refuse(fault, ENOENT, unknown) : 0;
	err = dictionaries_lexicon(lexiconp, &unknown, services->dictionaries, project_id, language,
				   ids ? ids->ids : NULL, ids ? ids->count : 0);
	return err ? word_choice_refuse(fault, err, unknown) : 0;
}
