/*
 * upload_form.h: reads a form with one large file as its bytes arrive.
 *
 * The bytes of the file are passed on and never kept.  All other parts are fields: short texts, which
 * are collected, and may come before or after the file.  The caller pulls, as with multipart.h:
 *
 *	while ((err = upload_form_read(&form, &bytes, &len, room, &file, &file_len)) == 0)
 *		…                             EAGAIN: all bytes were consumed; ENOENT: the form has ended
 */
#ifndef WIRE_UPLOAD_FORM_H
#define WIRE_UPLOAD_FORM_H

#include <stdbool.h>

#include "base/buf.h"
#include "wire/multipart.h"

/* The names and values of all fields together: far more than the longest prompt and list of words. */
#define UPLOAD_FORM_FIELDS_MAX 65536u

struct upload_form {
	struct multipart parts;
	struct buf fields; /* names and values in turn, each with a NUL */
	const char *file_name; /* the name of the part with the file; borrowed */
	size_t value_at; /* where the value of the field that is being read begins */
	bool is_in_file;
	bool has_file; /* a file was found, perhaps an empty one */
};

/* Returns EINVAL if the content type is not that of a form.  upload_form_reset is needed only after
 * success. */
int upload_form_open(struct upload_form *form, const char *content_type, const char *file_name);
void upload_form_reset(struct upload_form *form);

/* Returns 0 with at most `max` bytes of the file, valid until the next call, after advancing *bytes
 * and *len.  Otherwise what multipart_read returns; EINVAL also for a second file and for a field that
 * is not UTF-8 or contains a NUL; E2BIG if the fields are too long; ENOMEM. */
int upload_form_read(struct upload_form *form, const char **bytes, size_t *len, size_t max,
		     const char **file, size_t *file_len);

/* Returns the value of the nth field (from 0) of this name that is complete, or NULL. */
const char *upload_form_field(const struct upload_form *form, const char *name, unsigned nth);

#endif
