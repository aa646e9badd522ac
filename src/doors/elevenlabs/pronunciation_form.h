/*
 * pronunciation_form.h: the form in which ElevenLabs' clients upload a dictionary as a file.
 */
#ifndef DOORS_ELEVENLABS_PRONUNCIATION_FORM_H
#define DOORS_ELEVENLABS_PRONUNCIATION_FORM_H

#include "server/dictionary_rest.h"

/* Points into the request's body, where the strings are terminated in place. */
struct pronunciation_form {
	const char *name;
	const char *description; /* NULL: none */
	char *file; /* NULL: none */
	size_t file_len;
};

/* Reads the request's body.  EINVAL with the request's fault filled in. */
int pronunciation_form_read(struct pronunciation_form *form, struct store_request *request);

#endif
