/*
 * pronunciation_form.h: the form with which ElevenLabs' clients send a dictionary as a file.
 */
#ifndef SERVER_PRONUNCIATION_FORM_H
#define SERVER_PRONUNCIATION_FORM_H

#include "server/dictionary_errand.h"

/* Slices of the request's body, in which the texts are given their NULs. */
struct pronunciation_form {
	const char *name, *description; /* NULL: none; there always is a name */
	char *file; /* NULL: none */
	size_t file_len;
};

/* From the errand's request.  EINVAL with the errand's fault filled in. */
int pronunciation_form_read(struct pronunciation_form *form, struct dictionary_errand *errand);

#endif
