/*
 * rest_body.h: reads the body of a REST request by a table of its keys.
 *
 * The struct that a body fills begins with a struct rest_body.  Strings are decoded in place and
 * end with a NUL; lengths are in code points.  Pure, for any thread.
 */
#ifndef WIRE_REST_BODY_H
#define WIRE_REST_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/count.h"
#include "base/json.h"
#include "wire/fault.h"

struct rest_body {
	unsigned fields; /* the bits of the fields that were given */
};

enum rest_field_kind {
	REST_FIELD_TEXT, /* const char * */
	REST_FIELD_CHOICE, /* const char *: one of `words` */
	REST_FIELD_BOOL,
	REST_FIELD_INTEGER, /* int64_t */
	REST_FIELD_NUMBER, /* double */
	REST_FIELD_WORDS, /* struct rest_words: a list of names */
	REST_FIELD_OBJECT,
	REST_FIELD_OTHER, /* read by `read` */
};

/* A list of names as text: "one,two". */
#define REST_WORDS_SIZE 96
struct rest_words {
	char text[REST_WORDS_SIZE];
};

struct rest_field;

/* The keys of an object. */
struct rest_form {
	const struct rest_field *fields;
	size_t count;
	/* Unknown keys are ignored, as other vendors' clients expect.  In our own messages an
	 * unknown key is an error, because its author wants to know about it. */
	bool ignores_others;
	/* The error for a text of the wrong length; NONE: INVALID_REQUEST. */
	enum wire_error_id bad_length;
};

#define REST_FORM(table) .fields = (table), .count = COUNT(table)

struct rest_reader {
	struct rest_body *body;
	struct json *json;
	struct stream_fault *fault;
	const struct rest_form *form;
};

/* Reads a value that is not null.  Returns EINVAL, with the fault filled in unless the JSON is
 * broken. */
typedef int(rest_field_h)(struct rest_reader *reader, const struct rest_field *field,
			  const struct json_value *value);

struct rest_field {
	const char *name;
	enum rest_field_kind kind;
	unsigned bit;
	size_t offset; /* of the member that it fills */
	int64_t min, max; /* the range of an integer, or of a text's length */
	double low, high; /* the range of a number */
	bool is_nullable; /* null is a value that means "none"; otherwise it means absent */
	bool is_required; /* in a new object */
	int64_t none; /* the value that null sets an integer or a number to */
	/* The description of a valid text in errors, if it is not "a string" or "a string or
	 * null". */
	const char *must;
	const char *const *words; /* the values of a choice, terminated by NULL */
	rest_field_h *read; /* for REST_FIELD_OTHER */
	/* For REST_FIELD_OBJECT: its fields, whose bits and offsets are relative to the whole
	 * body. */
	const struct rest_form *inner;
};

/* Reads the next object in `json`.  Returns EINVAL with the fault filled in unless the JSON is
 * broken (see rest_body_end), or other errors of `read`. */
int rest_body_read(struct rest_body *body, struct json *json, struct stream_fault *fault,
		   const struct rest_form *form, bool is_new);

/* Reads a complete body, which is one such object. */
int rest_body_parse(struct rest_body *body, struct stream_fault *fault, char *text, size_t len,
		    const struct rest_form *form, bool is_new);

/* Reads the members of an object whose beginning has been read. */
int rest_body_members(struct rest_reader *reader);

/* Returns a pointer to the member that a field fills. */
void *rest_body_member(const struct rest_reader *reader, const struct rest_field *field);

/* For `read` functions: reports an unknown key. */
int rest_body_refuse_key(struct stream_fault *fault, const struct json_value *key);

/* Prefixes the fault's detail with its place: "limits: …", or "entries[3]: …" with an index. */
#define REST_BODY_NO_INDEX SIZE_MAX
int rest_body_place_fault(struct stream_fault *fault, const char *name, size_t index);

/* To be called after reading ended with err: checks that nothing follows, and describes what is
 * wrong with broken JSON in the fault. */
int rest_body_end(struct json *json, struct stream_fault *fault, int err);

#endif
