/*
 * dictionary_message.h: what a client may say of dictionaries over REST.
 *
 * Strings point into the body, which is overwritten, and end with a NUL.
 */
#ifndef WIRE_DICTIONARY_MESSAGE_H
#define WIRE_DICTIONARY_MESSAGE_H

#include "text/dictionary.h"
#include "wire/rest_body.h"

/* Code points. */
#define DICTIONARY_NAME_MAX 200
#define DICTIONARY_DESCRIPTION_MAX 2000
#define DICTIONARY_LANGUAGE_MAX 16
#define DICTIONARY_WORD_MAX 200
#define DICTIONARY_REPLACEMENT_MAX 1000
#define DICTIONARY_IPA_MAX 200

enum {
	DICTIONARY_MESSAGE_NAME = 1 << 0,
	DICTIONARY_MESSAGE_DESCRIPTION = 1 << 1,
	DICTIONARY_MESSAGE_LANGUAGE = 1 << 2,
	DICTIONARY_MESSAGE_ACTIVE = 1 << 3,

	DICTIONARY_MESSAGE_WORD = 1 << 0,
	DICTIONARY_MESSAGE_REPLACEMENT = 1 << 1,
	DICTIONARY_MESSAGE_IPA = 1 << 2,
	DICTIONARY_MESSAGE_CASE = 1 << 3,
};

struct dictionary_message {
	struct rest_body body;
	const char *name;
	const char *description; /* NULL: none */
	const char *language; /* NULL: fits all */
	bool is_active; /* of a new one: true */
};

struct dictionary_entry_message {
	struct rest_body body;
	struct dictionary_entry said;
};

struct dictionary_entries_message {
	struct dictionary_entry *entries;
	size_t count;
	size_t size; /* entries that there is room for */
};

extern const struct rest_table dictionary_message_table, dictionary_message_entry_table;

/* A new one, with all that is required, or a change.  EINVAL with the fault
 * filled in. */
int dictionary_message_parse(struct dictionary_message *message, struct stream_fault *fault,
			     char *text, size_t len, bool is_new);
int dictionary_message_parse_entry(struct dictionary_entry_message *message,
				   struct stream_fault *fault, char *text, size_t len, bool is_new);

/* {"entries": […]} with at most `max` of them, no two with the same word.  What
 * was taken is ended by dictionary_message_reset_entries.  Also ENOMEM. */
int dictionary_message_parse_entries(struct dictionary_entries_message *message,
				     struct stream_fault *fault, char *text, size_t len,
				     size_t max);

/* One more entry, whose strings are not copied.  ENOMEM. */
int dictionary_message_add_entry(struct dictionary_entries_message *message,
				 const struct dictionary_entry *entry);

/* Of entries with the same word the first stays.  ENOMEM. */
int dictionary_message_drop_twins(struct dictionary_entries_message *message);

/* EINVAL with the fault filled in for an entry whose texts are too long or too short. */
int dictionary_message_check_entry(struct dictionary_entry *entry, struct stream_fault *fault);

void dictionary_message_reset_entries(struct dictionary_entries_message *message);

#endif
