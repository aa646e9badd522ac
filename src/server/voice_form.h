/*
 * voice_form.h: reads the request bodies that create or change a derived voice into a row of the
 * store.
 *
 * Strings point into the body, which is overwritten, and end with a NUL.
 */
#ifndef SERVER_VOICE_FORM_H
#define SERVER_VOICE_FORM_H

#include "store/store.h"
#include "wire/rest_body.h"

/* In code points. */
#define VOICE_FORM_NAME_MAX 200
#define VOICE_FORM_TEXT_MAX 2000

/* Enough for all language codes, separated by commas. */
#define VOICE_FORM_LANGUAGES_SIZE 192

struct voice_form {
	struct rest_body body; /* the bits are enum store_voice_field */
	struct store_voice row; /* base_id 0: the base is named by base_handle */
	const char *base_handle;
	/* The row's languages as "de,en"; "" means those of the base. */
	char languages[VOICE_FORM_LANGUAGES_SIZE];
};

/* The keys of the body, which the descriptions of the API also use. */
extern const struct rest_form voice_form_table;

/* Reads the whole body of a new voice, or of a change.  Returns EINVAL with the fault filled in. */
int voice_form_read(struct voice_form *form, struct stream_fault *fault, char *text, size_t len,
		    bool is_new);

/* Reads the body of a change with other keys, whose fields fill a struct voice_form. */
int voice_form_read_as(struct voice_form *form, struct stream_fault *fault, char *text, size_t len,
		       const struct rest_form *table);

bool voice_form_has_category(const char *category);

#endif
