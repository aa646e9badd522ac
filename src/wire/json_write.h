/*
 * json_write.h: JSON objects, written straight into a buffer.
 *
 * One call per member, in the order of the wire; the writer puts the commas.
 * The first error sticks and json_write_close then takes back all that was
 * written, so that the buffer holds whole objects only.  Numbers are written
 * the same in every locale.
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
	size_t start; /* the buffer's length before us */
	bool fresh; /* nothing in the innermost container yet */
	int err;
};

/* The outermost object. */
void json_write_open(struct json_write *json, struct buf *out);
int json_write_close(struct json_write *json);

/* In lists the key is NULL. */
void json_write_object(struct json_write *json, const char *key);
void json_write_object_end(struct json_write *json);
void json_write_list(struct json_write *json, const char *key);
void json_write_list_end(struct json_write *json);

void json_write_null(struct json_write *json, const char *key);
void json_write_bool(struct json_write *json, const char *key, bool truth);
void json_write_unsigned(struct json_write *json, const char *key, uint64_t number);
void json_write_signed(struct json_write *json, const char *key, int64_t number);

/* At most so many decimals (9 or fewer), no zeros at the end: 5.4, 0.49, 0.
 * null for what JSON cannot say and for values past 64 bits. */
void json_write_double(struct json_write *json, const char *key, double number, unsigned decimals);

/* units × 10^-decimals, exactly. */
void json_write_decimal(struct json_write *json, const char *key, int64_t units, unsigned decimals);

/* Bytes that are no UTF-8 become U+FFFD. */
void json_write_string(struct json_write *json, const char *key, const char *text, size_t len);

/* A string that ends with a NUL; NULL is null. */
void json_write_text(struct json_write *json, const char *key, const char *text);

/* A value that is JSON already. */
void json_write_raw(struct json_write *json, const char *key, const char *value);

/* units × 10^-decimals as text, for messages to people too; gives its length
 * (no NUL). */
#define JSON_DECIMAL_MAX 32
size_t json_format_decimal(char text[JSON_DECIMAL_MAX], int64_t units, unsigned decimals);

#endif
