/*
 * postgres_values.c: parameters and results (see postgres_private.h).
 *
 * Single values are sent as text, which is exact for every type; arrays and bytes are sent in
 * binary form.
 */
#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "store/postgres_private.h"

/* The types of an array's elements: values of pg_type.oid, which never change. */
#define INT8_OID 20
#define TEXT_OID 25

/* Far more than all entries of the largest dictionary that the API accepts. */
#define ARRAY_MAX ((size_t)256 << 20)

static int postgres_values_next_place(struct postgres_values *values)
{
	assert(values->count < POSTGRES_VALUES_MAX);
	return values->count++;
}

void postgres_put_number(struct postgres_values *values, int64_t number)
{
	int at = postgres_values_next_place(values);

	snprintf(values->numbers[at], sizeof(values->numbers[at]), "%lld", (long long)number);
	values->values[at] = values->numbers[at];
}

void postgres_put_real(struct postgres_values *values, double number)
{
	int at = postgres_values_next_place(values);

	snprintf(values->numbers[at], sizeof(values->numbers[at]), "%.17g", number);
	values->values[at] = values->numbers[at];
}

void postgres_put_text(struct postgres_values *values, const char *text)
{
	values->values[postgres_values_next_place(values)] = text;
}

void postgres_put_bytes(struct postgres_values *values, const void *bytes, size_t len)
{
	int at = postgres_values_next_place(values);

	values->values[at] = bytes;
	values->lengths[at] = (int)len;
	values->formats[at] = 1;
}

static void postgres_values_append(struct postgres_array *array, const void *bytes, size_t len)
{
	if (!array->err)
		array->err = buf_append(&array->bytes, bytes, len);
}

static void postgres_values_append_word(struct postgres_array *array, uint32_t word)
{
	uint32_t big = htobe32(word);

	postgres_values_append(array, &big, sizeof(big));
}

static void postgres_values_begin_array(struct postgres_array *array, uint32_t type, size_t count)
{
	array->err = 0;
	buf_init(&array->bytes, ARRAY_MAX);
	postgres_values_append_word(array, count > 0); /* dimensions */
	postgres_values_append_word(array, 1); /* there may be NULLs */
	postgres_values_append_word(array, type);
	if (count > 0) {
		postgres_values_append_word(array, (uint32_t)count);
		postgres_values_append_word(array, 1); /* the first index */
	}
}

void postgres_array_numbers(struct postgres_array *array, size_t count)
{
	postgres_values_begin_array(array, INT8_OID, count);
}

void postgres_array_texts(struct postgres_array *array, size_t count)
{
	postgres_values_begin_array(array, TEXT_OID, count);
}

void postgres_array_number(struct postgres_array *array, int64_t number)
{
	uint64_t big = htobe64((uint64_t)number);

	postgres_values_append_word(array, sizeof(big));
	postgres_values_append(array, &big, sizeof(big));
}

void postgres_array_text(struct postgres_array *array, const char *text)
{
	if (!text) {
		postgres_values_append_word(array, UINT32_MAX);
		return;
	}
	postgres_values_append_word(array, (uint32_t)strlen(text));
	postgres_values_append(array, text, strlen(text));
}

int postgres_put_array(struct postgres_values *values, const struct postgres_array *array)
{
	if (array->err)
		return array->err;
	postgres_put_bytes(values, array->bytes.bytes, array->bytes.len);
	return 0;
}

void postgres_array_reset(struct postgres_array *array)
{
	buf_reset(&array->bytes);
}

int64_t postgres_number_at(const struct postgres_row *row, int column)
{
	return strtoll(PQgetvalue(row->result, row->number, column), NULL, 10);
}

double postgres_real_at(const struct postgres_row *row, int column)
{
	return strtod(PQgetvalue(row->result, row->number, column), NULL);
}

bool postgres_is_true_at(const struct postgres_row *row, int column)
{
	return PQgetvalue(row->result, row->number, column)[0] == 't';
}

const char *postgres_text_at(const struct postgres_row *row, int column)
{
	if (PQgetisnull(row->result, row->number, column))
		return NULL;
	return PQgetvalue(row->result, row->number, column);
}

bool postgres_copy_text(char *out, size_t size, const struct postgres_row *row, int column)
{
	const char *text = postgres_text_at(row, column);

	if (!text || strlen(text) >= size)
		return false;
	memcpy(out, text, strlen(text) + 1);
	return true;
}

bool postgres_copy_bytes(uint8_t *out, size_t size, const struct postgres_row *row, int column)
{
	const char *text = postgres_text_at(row, column);
	unsigned char *bytes;
	size_t len = 0;
	bool fits;

	if (!text)
		return false;
	bytes = PQunescapeBytea((const unsigned char *)text, &len);
	fits = bytes && len == size;
	if (fits)
		memcpy(out, bytes, size);
	PQfreemem(bytes);
	return fits;
}

int postgres_damaged(const char *table)
{
	log_error("store", "a row of %s cannot be read: was it changed by hand?", table);
	return EBADMSG;
}
