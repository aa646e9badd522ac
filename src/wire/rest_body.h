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
#include <stdint.h>

#include "base/json.h"
#include "wire/fault.h"

struct rest_body {
	unsigned fields; /* bits of those that were given */
};

enum rest_field_kind {
	REST_FIELD_TEXT,
	REST_FIELD_BOOL,
	REST_FIELD_INTEGER,
	REST_FIELD_WORDS, /* a list of names */
	REST_FIELD_OBJECT,
};

/* What a list of names becomes: "one,two". */
#define REST_WORDS_SIZE 96
struct rest_words {
	char text[REST_WORDS_SIZE];
};

struct rest_field {
	const char *name;
	enum rest_field_kind kind;
	unsigned bit;
	/* Of the const char *, bool, int64_t or struct rest_words that it fills. */
	size_t offset;
	int64_t min, max; /* of an integer, or of a text's length */
	bool is_nullable; /* null is a value: none; else it is as absent */
	bool is_required; /* in a new object */
	int64_t none; /* what null makes of an integer */
	/* Of an object: its fields, whose bits and offsets are the whole body's. */
	const struct rest_field *inner;
	size_t inner_count;
};

/* The keys of a body, for descriptions of the API. */
struct rest_table {
	const struct rest_field *fields;
	size_t count;
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
