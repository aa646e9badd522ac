/*
 * call_variables.h: values that belong to one call, and texts in which they are inserted.
 *
 * A client gives them names when a call begins.  `{{name}}` in the agent's first message, or in a header
 * of the requests to whoever answers, stands for the value.  Pure; usable on any thread.
 */
#ifndef CALL_CALL_VARIABLES_H
#define CALL_CALL_VARIABLES_H

#include <stddef.h>

#include "base/buf.h"
#include "wire/fault.h"

#define CALL_VARIABLES_SIZE 8192 /* all names and values, each with its NUL */
#define CALL_VARIABLES_NAME_MAX 64
#define CALL_VARIABLES_FIELD "variables" /* of a fault: one of them is missing */

/* Only the first `len` bytes are initialized. */
struct call_variables {
	size_t len;
	char bytes[CALL_VARIABLES_SIZE]; /* name, value, name, value, … */
};

/* Adds a variable, or replaces its value.  EINVAL: no text can contain the name, or there is a NUL.
 * ENOBUFS: there is no room; nothing was changed. */
int call_variables_set(struct call_variables *variables, const char *name, size_t name_len,
		       const char *value, size_t value_len);

/* NULL: there is none of this name. */
const char *call_variables_get(const struct call_variables *variables, const char *name,
			       size_t name_len);

/* In a header, control characters of a value become spaces, so that a value cannot add headers. */
enum call_variables_place { CALL_VARIABLES_IN_TEXT, CALL_VARIABLES_IN_HEADER };

struct call_variables_name {
	const char *text; /* in the text that was searched */
	size_t len;
};

/* Appends a text with its variables replaced.  Blanks around a name are allowed; braces around anything
 * that cannot be a name remain as they are, and values are not searched again.  ENOENT: a variable does
 * not exist, and `missing` says which.  Other errors are those of buf_append.  After an error nothing was
 * appended. */
int call_variables_insert(struct buf *out, const struct call_variables *variables,
			  enum call_variables_place place, struct call_variables_name *missing,
			  const char *text, size_t len);

struct call_settings;

/* Sets the variables of a call, and a first message in which they are inserted.  EINVAL with the fault:
 * the settings are unchanged. */
int call_variables_apply(struct call_settings *settings, struct stream_fault *fault,
			 const struct call_variables *variables, const char *first_message);

#endif
