/*
 * pronunciation_message.h: the bodies of ElevenLabs' requests about pronunciation dictionaries.
 *
 * A rule becomes an entry.  An alias is its replacement; a phoneme is its pronunciation, and the
 * word itself is its replacement, for engines that cannot read phonemes.  Keys that have no effect
 * here (for example workspace_access) and unknown keys are ignored.  Strings are NUL-terminated and
 * point into the body, which is overwritten.
 */
#ifndef DOORS_ELEVENLABS_PRONUNCIATION_MESSAGE_H
#define DOORS_ELEVENLABS_PRONUNCIATION_MESSAGE_H

#include "wire/dictionary_message.h"
#include "wire/settings.h"

enum {
	PRONUNCIATION_NAME = 1 << 0,
	PRONUNCIATION_DESCRIPTION = 1 << 1,
	PRONUNCIATION_ARCHIVED = 1 << 2,
	PRONUNCIATION_RULES = 1 << 3,
	PRONUNCIATION_RULE_STRINGS = 1 << 4,
};

struct pronunciation_message {
	struct rest_body body;
	size_t max; /* the most elements that `rules` and `rule_strings` may each have */
	const char *name, *description;
	bool archived;
	struct dictionary_entries_message rules; /* the first of several for the same word */
	struct dictionary_entries_message rule_strings; /* only the words are set */
};

/* Parses a body, which must have the fields in `required` and may have at most `max` rules.  EINVAL
 * with the fault filled in, or ENOMEM.  Release it with pronunciation_message_reset. */
int pronunciation_message_parse(struct pronunciation_message *message, struct stream_fault *fault,
				unsigned required, char *text, size_t len, size_t max);
void pronunciation_message_reset(struct pronunciation_message *message);

/* Parses the value of pronunciation_dictionary_locators: only these dictionaries are used.  The
 * versions that it names are ignored.  EINVAL with the fault filled in. */
int pronunciation_message_locators(struct settings *settings, struct json *json,
				   struct stream_fault *fault, const struct json_value *value);

#endif
