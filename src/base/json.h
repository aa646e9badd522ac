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
 * After the first fault every later call fails too, so it is enough to check once, at the end.  A
 * key that occurs twice is reported twice, so a caller that stores values as they come keeps the
 * last.
 *
 * Two cases that the RFC leaves open and clients depend on: half a surrogate pair (JavaScript cuts
 * emoji in two when it streams) and U+0000 are read as U+FFFD and not refused.  Invalid UTF-8 and
 * more than JSON_DEPTH_MAX nested containers are refused.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* None of our messages nests deeper than 4; the rest is for unknown keys. */
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
	bool truth; /* the value of a JSON_KIND_BOOL */
	char *text; /* a string, decoded; or a number as it was written */
	size_t len;
	uint16_t
		lead_low; /* the string begins with this low surrogate without its high half (U+FFFD in text) */
	uint16_t
		tail_high; /* the string ends with this high surrogate without its low half (U+FFFD in text) */
};

struct json {
	char *start, *at, *end;
	unsigned depth;
	uint64_t objects; /* bit d is set if the container at depth d is an object */
	bool fresh; /* nothing of the innermost container has been read yet */
	const char *reason; /* describes the first fault; NULL if there was none */
	size_t fault_at; /* where it is, in bytes */
};

void json_open(struct json *json, char *text, size_t len);

/* Reads the next value: a scalar completely, but only the opening of a list or object. */
int json_value(struct json *json, struct json_value *value);

/* Reads the key of the next member, whose value is to be read next.  Returns false at the end of
 * the object, which is then read, and after a fault. */
bool json_member(struct json *json, struct json_value *key);

/* Returns true if an element follows; false at the end of the list and after a fault. */
bool json_element(struct json *json);

/* Skips the rest of the list or object that `value` has just opened.  Does nothing for a scalar,
 * which is already read. */
int json_skip(struct json *json, const struct json_value *value);

/* Checks that only blanks are left. */
int json_close(struct json *json);

/* Returns whether a key or string is equal to this text. */
bool json_is(const struct json_value *value, const char *text);

/* Converts a number to an exact integer ("1071", "1071.0" and "1e3" are ones).  EINVAL for a
 * fraction or another kind of value, ERANGE beyond 64 bits. */
int json_to_integer(int64_t *integer, const struct json_value *value);

/* Converts a number to the nearest double, whatever the locale.  EINVAL for another kind of value,
 * ERANGE for a number beyond the largest double or with more than 64 characters. */
int json_to_double(double *number, const struct json_value *value);

#endif
