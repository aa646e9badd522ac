/*
 * dictionary_message.h: reads the REST request bodies about dictionaries.
 *
 * Strings point into the body, which is overwritten, and end with a NUL.
 */
#ifndef WIRE_DICTIONARY_MESSAGE_H
#define WIRE_DICTIONARY_MESSAGE_H

#include "text/dictionary.h"
#include "wire/rest_body.h"

/* In code points. */
#define DICTIONARY_NAME_MAX 200
#define DICTIONARY_DESCRIPTION_MAX 2000
#define DICTIONARY_LANGUAGE_MAX 16
#define DICTIONARY_WORD_MAX 200
#define DICTIONARY_REPLACEMENT_MAX 1000
#define DICTIONARY_IPA_MAX 200

/* The bits of rest_body.fields, first those of a dictionary, then those of an entry. */
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
	const char *language; /* NULL: for all languages */
	bool is_active; /* true by default in a new dictionary */
};

struct dictionary_entry_message {
	struct rest_body body;
	struct dictionary_entry said;
};

struct dictionary_entries_message {
	struct dictionary_entry *entries;
	size_t count;
	size_t size; /* the number of entries that are allocated */
};

/* The keys of the bodies, which the descriptions of the API also use. */
extern const struct rest_form dictionary_message_table, dictionary_message_entry_table;

/* Read a body.  With is_new, the required keys must be present; otherwise it is a change.  Return
 * EINVAL with the fault filled in. */
int dictionary_message_parse(struct dictionary_message *message, struct stream_fault *fault,
			     char *text, size_t len, bool is_new);
int dictionary_message_parse_entry(struct dictionary_entry_message *message,
				   struct stream_fault *fault, char *text, size_t len, bool is_new);

/* Reads {"entries": […]} with at most `max` entries, no two with the same word.  On success the
 * message must be released by dictionary_message_reset_entries.  Also returns ENOMEM. */
int dictionary_message_parse_entries(struct dictionary_entries_message *message,
				     struct stream_fault *fault, char *text, size_t len,
				     size_t max);

/* Reads the elements of a list that has been opened, at most `max`, each by `read`.  Returns EINVAL
 * with the fault filled in (unless the JSON is broken), or ENOMEM. */
typedef int(dictionary_message_entry_h)(struct dictionary_entry *entry, struct json *json,
					struct stream_fault *fault);
int dictionary_message_read_list(struct dictionary_entries_message *message, struct json *json,
				 struct stream_fault *fault, const char *name, size_t max,
				 dictionary_message_entry_h *read);

/* Adds an entry, whose strings are not copied.  Returns 0 or ENOMEM. */
int dictionary_message_add_entry(struct dictionary_entries_message *message,
				 const struct dictionary_entry *entry);

/* Removes all but the first of the entries with the same word.  Returns 0 or ENOMEM. */
int dictionary_message_drop_twins(struct dictionary_entries_message *message);

/* Returns EINVAL with the fault filled in if one of the entry's strings is too long or too
 * short. */
int dictionary_message_check_entry(struct dictionary_entry *entry, struct stream_fault *fault);

void dictionary_message_reset_entries(struct dictionary_entries_message *message);

#endif
