/*
 * upload.h: sends a file to an HTTP server as a form (multipart/form-data, RFC 7578).
 *
 * Blocking. The file is sent as it is read, so it may be longer than memory, or a pipe. The server is
 * asked first whether it wants the file (RFC 9110, section 10.1.1), so that a refusal arrives before
 * megabytes are sent in vain.
 */
#ifndef CLI_UPLOAD_H
#define CLI_UPLOAD_H

#include <stddef.h>

#include "base/buf.h"

#define UPLOAD_WHY_SIZE 700

struct upload_field {
	const char *name;
	const char *value; /* NULL: the field is not sent */
};

struct upload {
	const char *base; /* http(s)://HOST:PORT */
	const char *path; /* is appended to the base */
	const char *key; /* an API key */
	const char *ca_file; /* NULL: the system's certificate authorities */
	int fd; /* the file, read from where it is to its end */
	const char *file_name; /* what the server is told it is called */
	const struct upload_field *fields;
	size_t field_count;
};

/* Sends the form and appends the body of the answer to `answer`. Returns 0 if there is an answer, with
 * its status in *status; otherwise an errno with the reason in `why`. */
int upload_run(const struct upload *upload, unsigned *status, struct buf *answer,
	       char why[UPLOAD_WHY_SIZE]);

#endif
