/*
 * json_write.c: writes JSON objects directly into a buffer (see json_write.h).
 */
#include "wire/json_write.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

static void json_write_append(struct json_write *json, const void *bytes, size_t n)
{
	if (!json->err)
		json->err = buf_append(json->out, bytes, n);
}

static void json_write_append_str(struct json_write *json, const char *str)
{
	json_write_append(json, str, strlen(str));
}

/* Writes the comma and the key.  Keys are chosen by callers so that they need no escapes. */
static void json_write_begin_value(struct json_write *json, const char *key)
{
	if (!json->fresh)
		json_write_append(json, ",", 1);
	json->fresh = false;
	if (key) {
		json_write_append(json, "\"", 1);
		json_write_append_str(json, key);
		json_write_append(json, "\":", 2);
	}
}

void json_write_open(struct json_write *json, struct buf *out)
{
	*json = (struct json_write){.out = out, .start = out->len, .fresh = true};
	json_write_append(json, "{", 1);
}

int json_write_close(struct json_write *json)
{
	json_write_append(json, "}", 1);
	if (json->err)
		json->out->len = json->start;
	return json->err;
}

static void json_write_open_container(struct json_write *json, const char *key, const char *bracket)
{
	json_write_begin_value(json, key);
	json_write_append(json, bracket, 1);
	json->fresh = true;
}

static void json_write_close_container(struct json_write *json, const char *bracket)
{
	json_write_append(json, bracket, 1);
	json->fresh = false;
}

void json_write_object(struct json_write *json, const char *key)
{
	json_write_open_container(json, key, "{");
}

void json_write_object_end(struct json_write *json)
{
	json_write_close_container(json, "}");
}

void json_write_list(struct json_write *json, const char *key)
{
	json_write_open_container(json, key, "[");
}

void json_write_list_end(struct json_write *json)
{
	json_write_close_container(json, "]");
}

void json_write_raw(struct json_write *json, const char *key, const char *value)
{
	json_write_begin_value(json, key);
	json_write_append_str(json, value);
}

void json_write_null(struct json_write *json, const char *key)
{
	json_write_raw(json, key, "null");
}

void json_write_bool(struct json_write *json, const char *key, bool truth)
{
	json_write_raw(json, key, truth ? "true" : "false");
}

/* Writes the digits backwards so that the last one is just before `end`.  Returns the first
 * digit. */
static char *json_write_format_unsigned(char *end, uint64_t number)
{
	do {
		*--end = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	return end;
}

void json_write_unsigned(struct json_write *json, const char *key, uint64_t number)
{
	char digits[20];
	char *first = json_write_format_unsigned(digits + sizeof(digits), number);

	json_write_begin_value(json, key);
	json_write_append(json, first, (size_t)(digits + sizeof(digits) - first));
}

void json_write_signed(struct json_write *json, const char *key, int64_t number)
{
	json_write_decimal(json, key, number, 0);
}

size_t json_format_decimal(char text[JSON_DECIMAL_MAX], int64_t units, unsigned decimals)
{
	char digits[JSON_DECIMAL_MAX];
	char *end = digits + sizeof(digits);
	char *p = end;
	uint64_t left = units < 0 ? 0 - (uint64_t)units : (uint64_t)units;

	for (; decimals > 0 && left % 10 == 0; --decimals)
		left /= 10;
	for (unsigned i = 0; i < decimals; ++i, left /= 10)
		*--p = (char)('0' + left % 10);
	if (decimals > 0)
		*--p = '.';
	p = json_write_format_unsigned(p, left);
	if (units < 0)
		*--p = '-';
	memcpy(text, p, (size_t)(end - p));
	return (size_t)(end - p);
}

void json_write_decimal(struct json_write *json, const char *key, int64_t units, unsigned decimals)
{
	char text[JSON_DECIMAL_MAX];
	size_t len = json_format_decimal(text, units, decimals);

	json_write_begin_value(json, key);
	json_write_append(json, text, len);
}

void json_write_double(struct json_write *json, const char *key, double number, unsigned decimals)
{
	double units = number;

	for (unsigned i = 0; i < decimals; ++i)
		units *= 10;
	if (!(fabs(units) < 9e18)) { /* also true for NaN */
		json_write_null(json, key);
		return;
	}
	json_write_decimal(json, key, llround(units), decimals);
}

static void json_write_append_escape(struct json_write *json, uint8_t c)
{
	static const char hex[] = "0123456789abcdef";
	char escape[6] = {'\\', 'u', '0', '0', hex[c >> 4 & 0xf], hex[c & 0xf]};
	static const char names[] = "\"\\bfnrt";
	static const char bytes[] = "\"\\\b\f\n\r\t";
	const char *known = memchr(bytes, c, sizeof(bytes) - 1);

	if (!known) {
		json_write_append(json, escape, sizeof(escape));
		return;
	}
	escape[1] = names[known - bytes];
	json_write_append(json, escape, 2);
}

/* Returns the length of the prefix that can be copied as it is: valid UTF-8 without characters that
 * need escapes. */
static size_t json_write_plain_len(const char *text, size_t len)
{
	size_t at = 0;

	while (at < len) {
		uint8_t c = (uint8_t)text[at];
		uint32_t code_point;
		size_t n = 1;

		if (c < 0x20 || c == '"' || c == '\\')
			break;
		if (c >= 0x80) {
			n = utf8_decode(&code_point, text + at, len - at);
			if (n == 1)
				break;
		}
		at += n;
	}
	return at;
}

void json_write_string(struct json_write *json, const char *key, const char *text, size_t len)
{
	json_write_begin_value(json, key);
	json_write_append(json, "\"", 1);
	while (len > 0) {
		size_t n = json_write_plain_len(text, len);

		json_write_append(json, text, n);
		text += n;
		len -= n;
		if (len == 0)
			break;
		if ((uint8_t)*text < 0x80)
			json_write_append_escape(json, (uint8_t)*text);
		else
			json_write_append(json, "\xef\xbf\xbd", 3); /* U+FFFD for an invalid byte */
		++text;
		--len;
	}
	json_write_append(json, "\"", 1);
}

void json_write_name(struct json_write *json, const char *key, size_t len)
{
	json_write_string(json, NULL, key, len);
	json_write_append(json, ":", 1);
	json->fresh = true; /* no comma before the value */
}

void json_write_text(struct json_write *json, const char *key, const char *text)
{
	if (text)
		json_write_string(json, key, text, strlen(text));
	else
		json_write_null(json, key);
}
