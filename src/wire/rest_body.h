/*
 * rest_body.h: reading the body of a REST request by a table of its keys.
 *
 * A JSON object whose keys are all known: an unknown one is a mistake that its
 * author wants to hear of.  The struct that a body fills begins with a struct
 * rest_body.  Strings are decoded in place and end with a NUL; lengths are in
 * code points.
 */
#ifndef WIRE_REST_BODY_H
#define WIRE_REST_BODY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "wire/fault.h"

struct rest_body {
	unsigned fields; /* bits of those that were given */
};

enum rest_field_kind { REST_FIELD_TEXT, REST_FIELD_BOOL };

struct rest_field {
	const char *name;
	enum rest_field_kind kind;
	unsigned bit;
	size_t offset; /* of the const char * or the bool that it fills */
	size_t min, max; /* of a text */
	bool is_nullable; /* null is a value: none (NULL); else it is as absent */
	bool is_required; /* in a new object */
};

/* The object that `json` comes to next.  EINVAL with the fault filled in, unless
 * it is the JSON that is broken (see rest_body_end). */
int rest_body_read(struct rest_body *body, struct json *json, struct stream_fault *fault,
		   const struct rest_field *fields, size_t count, bool is_new);

/* A whole body: one such object. */
int rest_body_parse(struct rest_body *body, struct stream_fault *fault, char *text, size_t len,
		    const struct rest_field *fields, size_t count, bool is_new);

/* For bodies of another shape: a key that is none of theirs. */
int rest_body_refuse_key(struct stream_fault *fault, const struct json_value *key);

/* After what was read with err: nothing may follow, and what was wrong with the
 * JSON is told. */
int rest_body_end(struct json *json, struct stream_fault *fault, int err);

#endif
