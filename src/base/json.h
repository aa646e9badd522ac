/*
 * json.h: a strict RFC 8259 scanner over one message in memory.
 *
 * The caller pulls: a value, the members of an object, the elements of a list.
 * Nothing is allocated and no tree is built; strings are decoded in place
 * (an escape is never shorter than what it stands for), so the text is
 * overwritten and the slices live as long as it does.
 *
 *	json_open(&json, text, len);
 *	json_value(&json, &value);            an object, say
 *	while (json_member(&json, &key)) {
 *		json_value(&json, &value);
 *		json_skip(&json, &value);     or use it
 *	}
 *	err = json_close(&json);              EINVAL if anything was wrong
 *
 * The first fault ends everything: each later call fails too, so that it is
 * enough to look once, at the end.  A key that comes twice is given twice:
 * whoever stores values as they come keeps the last.
 *
 * What clients do and the RFC leaves open: half a surrogate pair (JavaScript
 * cuts emoji in two when it streams) and U+0000 are read as U+FFFD, never
 * refused.  Invalid UTF-8 and more than JSON_DEPTH_MAX containers inside each
 * other are refused.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No message of ours nests deeper than 4; the rest is room for unknown keys. */
#define JSON_DEPTH_MAX 32u

enum json_kind {
	JSON_KIND_NULL,
	JSON_KIND_BOOL,
	JSON_KIND_NUMBER,
	JSON_KIND_STRING,
	JSON_KIND_ARRAY,
	JSON_KIND_OBJECT
};

struct json_value {
	enum json_kind kind;
	bool truth; /* of a JSON_KIND_BOOL */
	char *text; /* of a string: decoded; of a number: as it was written */
	size_t len;
	uint16_t lead_low; /* the string begins with this lone low half (text: U+FFFD) */
	uint16_t tail_high; /* the string ends in this lone high half (text: U+FFFD) */
};

struct json {
	char *start, *at, *end;
	unsigned depth;
	uint64_t objects; /* bit d: the container at depth d is an object */
	bool fresh; /* nothing of the innermost container was read yet */
	const char *reason; /* of the first fault; NULL: none */
	size_t fault_at; /* its offset in bytes */
};

void json_open(struct json *json, char *text, size_t len);

/* The next value: a scalar whole, of a list or object only its opening. */
int json_value(struct json *json, struct json_value *value);

/* The next member's key, its value to be read next; false at the object's end
 * (which is then behind us) and after a fault. */
bool json_member(struct json *json, struct json_value *key);

/* True when an element follows; false at the list's end and after a fault. */
bool json_element(struct json *json);

/* Passes over what is left of the list or object that `value` just opened; a
 * scalar is already behind us. */
int json_skip(struct json *json, const struct json_value *value);

/* Nothing but blanks may be left. */
int json_close(struct json *json);

/* Whether a key or a string is this text. */
bool json_is(const struct json_value *value, const char *text);

/* The exact integer that a number stands for ("1071", "1071.0" and "1e3" do):
 * EINVAL for a fraction or no number, ERANGE past 64 bits. */
int json_to_integer(int64_t *integer, const struct json_value *value);

/* The nearest double, whatever the locale.  EINVAL for no number, ERANGE for
 * one past the largest double or written with more than 64 characters. */
int json_to_double(double *number, const struct json_value *value);

#endif
