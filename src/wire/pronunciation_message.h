/*
 * pronunciation_message.h: what ElevenLabs' clients may say of pronunciation dictionaries.
 *
 * A rule becomes an entry: an alias its replacement, a phoneme its pronunciation, with the word
 * itself for engines that read none.  Keys that change nothing here (workspace_access …) and
 * unknown ones are ignored.  Strings point into the body, which is overwritten, and end with a
 * NUL.
 */
#ifndef WIRE_PRONUNCIATION_MESSAGE_H
#define WIRE_PRONUNCIATION_MESSAGE_H

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
	size_t max; /* of rules, and of rule_strings */
	unsigned fields; /* bits of those that were given */
	const char *name, *description;
	bool archived;
	struct dictionary_entries_message rules; /* of a word that comes again the first counts */
	struct dictionary_entries_message rule_strings; /* their words alone count */
};

/* Any body of theirs, which must have the fields of `required` and may have `max` rules.  EINVAL
 * with the fault filled in, ENOMEM; what was taken is ended by pronunciation_message_reset. */
int pronunciation_message_parse(struct pronunciation_message *message, struct stream_fault *fault,
				unsigned required, char *text, size_t len, size_t max);
void pronunciation_message_reset(struct pronunciation_message *message);

/* The value of pronunciation_dictionary_locators: these dictionaries and no others, whatever
 * version they name.  EINVAL with the fault filled in. */
int pronunciation_message_locators(struct settings *settings, struct json *json,
				   struct stream_fault *fault, const struct json_value *value);

#endif
