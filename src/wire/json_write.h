/*
 * json_write.h: writes JSON objects directly into a buffer.
 *
 * There is one call per member, in the order of output; the writer adds the commas.  After the
 * first error all further calls do nothing, and json_write_close removes everything that was
 * written, so that the buffer only ever contains complete objects.  Numbers are written the same in
 * every locale.
 *
 *	json_write_open(&json, out);
 *	json_write_bool(&json, "final", true);
 *	return json_write_close(&json);
 */
#ifndef WIRE_JSON_WRITE_H
#define WIRE_JSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct json_write {
	struct buf *out;
	size_t start; /* the buffer's length when the object was opened */
	bool fresh; /* the innermost container is empty so far */
	int err;
};

/* Begin and end the outermost object. */
void json_write_open(struct json_write *json, struct buf *out);
int json_write_close(struct json_write *json);

/* Inside a list, `key` is NULL in all functions below. */
void json_write_object(struct json_write *json, const char *key);
void json_write_object_end(struct json_write *json);
void json_write_list(struct json_write *json, const char *key);
void json_write_list_end(struct json_write *json);

void json_write_null(struct json_write *json, const char *key);
void json_write_bool(struct json_write *json, const char *key, bool truth);
void json_write_unsigned(struct json_write *json, const char *key, uint64_t number);
void json_write_signed(struct json_write *json, const char *key, int64_t number);

/* Writes at most `decimals` decimals (9 or fewer), without trailing zeros: 5.4, 0.49, 0.  Writes
 * null for values that JSON cannot represent and for those that exceed 64 bits. */
void json_write_double(struct json_write *json, const char *key, double number, unsigned decimals);

/* Writes units × 10^-decimals, exactly. */
void json_write_decimal(struct json_write *json, const char *key, int64_t units, unsigned decimals);

/* Bytes that are not valid UTF-8 become U+FFFD. */
void json_write_string(struct json_write *json, const char *key, const char *text, size_t len);

/* Writes a string that ends with a NUL; NULL becomes null. */
void json_write_text(struct json_write *json, const char *key, const char *text);

/* Writes a value that is already JSON. */
void json_write_raw(struct json_write *json, const char *key, const char *value);

/* Writes a key that may need escapes; a value without a key must follow. */
void json_write_name(struct json_write *json, const char *key, size_t len);

/* Formats units × 10^-decimals as text, also for messages to people.  Returns the length; there is
 * no NUL. */
#define JSON_DECIMAL_MAX 32
size_t json_format_decimal(char text[JSON_DECIMAL_MAX], int64_t units, unsigned decimals);

#endif
