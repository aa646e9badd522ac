/*
 * json.h: a strict RFC 8259 scanner over one message in memory.
 *
 * This is a pull parser: the caller asks for a value, the members of an object, or the elements of
 * an array.  Nothing is allocated and no tree is built.  Strings are decoded in place (an escape is
 * never shorter than the character it represents), so the text is overwritten, and the values point
 * into it and are valid as long as it is.
 *
 *	json_open(&json, text, len);
 *	json_value(&json, &value);            an object, say
 *	while (json_member(&json, &key)) {
 *		json_value(&json, &value);
 *		json_skip(&json, &value);     or use it
 *	}
 *	err = json_close(&json);              EINVAL if anything was wrong
 *
 * After the first error every later call fails too, so it is enough to check once, at the end.  A
 * key that occurs twice is reported twice, so a caller that stores each value keeps the last.
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
	/* A string, decoded, or a number as it was written; neither ends with a NUL.  After a
	 * string, the byte at text[len] is not needed any more and may be set to NUL. */
	char *text;
	size_t len;
	/* If the string begins with a low surrogate without its high half, or ends with a high one
	 * without its low half, that surrogate, which is U+FFFD in `text`; otherwise 0. */
	uint16_t lead_low, tail_high;
};

struct json {
	char *start, *at, *end;
	unsigned depth;
	uint64_t objects; /* bit d is set if the container at depth d is an object */
	bool fresh; /* nothing of the innermost container has been read yet */
	const char *reason; /* describes the first error; NULL if there was none */
	size_t fault_at; /* its offset in bytes */
};

void json_open(struct json *json, char *text, size_t len);

/* Reads the next value: a scalar completely, but only the opening bracket of an array or object. */
int json_value(struct json *json, struct json_value *value);

/* Reads the key of the next member; its value must be read next.  Returns false at the end of the
 * object, whose closing bracket it reads, and after an error. */
bool json_member(struct json *json, struct json_value *key);

/* Returns true if an element follows, which must be read next.  Returns false at the end of the
 * array, whose closing bracket it reads, and after an error. */
bool json_element(struct json *json);

/* Skips the rest of the array or object that `value` has just opened.  Does nothing for a scalar,
 * which has already been read. */
int json_skip(struct json *json, const struct json_value *value);

/* Checks that only white space is left.  Unless there was an error, every array and object that was
 * opened must have been read to its end or skipped. */
int json_close(struct json *json);

/* Returns whether a key or string is equal to this text. */
bool json_is(const struct json_value *value, const char *text);

/* Converts a number to an integer if it is exact, like "1071", "1071.0" and "1e3".  EINVAL for a
 * fraction or another kind of value, ERANGE beyond 64 bits or for more digits than 64 bits hold. */
int json_to_integer(int64_t *integer, const struct json_value *value);

/* Converts a number to the nearest double, whatever the locale.  EINVAL for another kind of value,
 * ERANGE for a number beyond the largest double or with more than 64 characters. */
int json_to_double(double *number, const struct json_value *value);

#endif
