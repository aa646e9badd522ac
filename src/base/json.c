/*
 * json.c: a strict RFC 8259 scanner over one message in memory (see json.h).
 */
#include "base/json.h"

#include <assert.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define ONES UINT64_C(0x0101010101010101)
#define HIGHS (0x80 * ONES)

#define REPLACEMENT 0xfffdu

/* Longest number that is turned into a double: 17 digits say everything, and
 * no encoder writes more than a third of this. */
#define NUMBER_MAX 64u

/* An exponent past this is past every number; it also bounds the sum of an
 * exponent and the digits of any message that fits in memory. */
#define EXPONENT_MAX (INT64_C(1) << 40)

void json_open(struct json *json, char *text, size_t len)
{
	*json = (struct json){.start = text, .at = text, .end = text + len};
}

static int fault_at(struct json *json, const char *at, const char *reason)
{
	if (!json->reason) {
		json->reason = reason;
		json->fault_at = (size_t)(at - json->start);
	}
	return EINVAL;
}

static int fault(struct json *json, const char *reason)
{
	return fault_at(json, json->at, reason);
}

/* Moves to the next byte that is no blank; false when there is none. */
static bool next_byte(struct json *json)
{
	while (json->at < json->end) {
		char c = *json->at;

		if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
			return true;
		++json->at;
	}
	return false;
}

static bool is_plain(uint8_t c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* High bits set where a byte of the eight is zero; bytes above the first zero
 * may be marked too, which only costs a second look. */
static uint64_t zeros(uint64_t eight)
{
	return (eight - ONES) & ~eight & HIGHS;
}

/* The end of the run of bytes that stand for themselves in a string. */
static char *plain_end(char *p, const char *end)
{
	while (end - p >= 8) {
		uint64_t eight;

		memcpy(&eight, p, 8);
		if ((eight & HIGHS) || ((eight - 0x20 * ONES) & ~eight & HIGHS) ||
		    zeros(eight ^ '"' * ONES) || zeros(eight ^ '\\' * ONES))
			break;
		p += 8;
	}
	while (p < end && is_plain((uint8_t)*p))
		++p;
	return p;
}

/* Four hex digits at p; UINT32_MAX for anything else. */
static uint32_t hex4(const char *p, const char *end)
{
	uint32_t unit = 0;

	if (end - p < 4)
		return UINT32_MAX;
	for (int i = 0; i < 4; ++i) {
		uint32_t c = (uint8_t)p[i];

		if (c >= '0' && c <= '9')
			c -= '0';
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			c = (c | 0x20) - 'a' + 10;
		else
			return UINT32_MAX;
		unit = unit << 4 | c;
	}
	return unit;
}

/* The low half that an escape at p stands for; 0 when none does. */
static uint32_t low_half(const char *p, const char *end)
{
	uint32_t unit;

	if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
		return 0;
	unit = hex4(p + 2, end);
	return unit >= 0xdc00 && unit <= 0xdfff ? unit : 0;
}

static int read_unicode_escape(struct json *json, struct json_value *value, char **out)
{
	uint32_t unit = hex4(json->at + 2, json->end);
	uint32_t low;

	if (unit == UINT32_MAX)
		return fault(json, "\\u without four hex digits");
	json->at += 6;
	if (unit >= 0xd800 && unit <= 0xdbff) {
		low = low_half(json->at, json->end);
		if (low) {
			json->at += 6;
			unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
		} else if (json->at < json->end && *json->at == '"') {
			value->tail_high = (uint16_t)unit;
		}
	} else if (unit >= 0xdc00 && unit <= 0xdfff && *out == value->text) {
		value->lead_low = (uint16_t)unit;
	}
	/* A half that is alone is made U+FFFD by utf8_encode. */
	*out += utf8_encode(*out, unit ? unit : REPLACEMENT);
	return 0;
}

static int read_escape(struct json *json, struct json_value *value, char **out)
{
	static const char names[] = "\"\\/bfnrt";
	static const char bytes[] = "\"\\/\b\f\n\r\t";
	const char *name;

	if (json->end - json->at < 2)
		return fault(json, "unterminated string");
	if (json->at[1] == 'u')
		return read_unicode_escape(json, value, out);
	name = memchr(names, json->at[1], sizeof(names) - 1);
	if (!name)
		return fault(json, "unknown escape in a string");
	*(*out)++ = bytes[name - names];
	json->at += 2;
	return 0;
}

/* A run of characters past ASCII. */
static int read_characters(struct json *json, char **out)
{
	while (json->at < json->end && (uint8_t)*json->at >= 0x80) {
		uint32_t code_point;
		size_t n = utf8_decode(&code_point, json->at, (size_t)(json->end - json->at));

		if (n == 1)
			return fault(json, "invalid UTF-8");
		if (*out != json->at)
			memmove(*out, json->at, n);
		*out += n;
		json->at += n;
	}
	return 0;
}

static int read_string(struct json *json, struct json_value *value)
{
	const char *quote = json->at;
	char *out = ++json->at;
	int err = 0;

	value->kind = JSON_KIND_STRING;
	value->text = out;
	while (!err) {
		char *run = json->at;
		size_t n;

		json->at = plain_end(run, json->end);
		n = (size_t)(json->at - run);
		if (out != run)
			memmove(out, run, n);
		out += n;
		if (json->at == json->end)
			return fault_at(json, quote, "unterminated string");
		if (*json->at == '"')
			break;
		if (*json->at == '\\')
			err = read_escape(json, value, &out);
		else if ((uint8_t)*json->at < 0x20)
			err = fault(json, "control character in a string");
		else
			err = read_characters(json, &out);
	}
	++json->at;
	value->len = (size_t)(out - value->text);
	return err;
}

static bool skip_digits(struct json *json)
{
	char *first = json->at;

	while (json->at < json->end && *json->at >= '0' && *json->at <= '9')
		++json->at;
	return json->at > first;
}

static bool skip_one_of(struct json *json, char a, char b)
{
	if (json->at == json->end || (*json->at != a && *json->at != b))
		return false;
	++json->at;
	return true;
}

static int read_number(struct json *json, struct json_value *value)
{
	value->kind = JSON_KIND_NUMBER;
	value->text = json->at;
	skip_one_of(json, '-', '-');
	if (!skip_one_of(json, '0', '0') && !skip_digits(json))
		return fault(json, "expected a digit");
	if (skip_one_of(json, '.', '.') && !skip_digits(json))
		return fault(json, "expected a digit after the point");
	if (skip_one_of(json, 'e', 'E')) {
		skip_one_of(json, '+', '-');
		if (!skip_digits(json))
			return fault(json, "expected a digit in the exponent");
	}
	value->len = (size_t)(json->at - value->text);
	return 0;
}

static int read_word(struct json *json, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(json->end - json->at) < len || memcmp(json->at, word, len) != 0)
		return fault(json, "expected a value");
	json->at += len;
	return 0;
}

static int enter(struct json *json, bool object)
{
	if (json->depth == JSON_DEPTH_MAX)
		return fault(json, "nested too deep");
	++json->at;
	++json->depth;
	json->objects &= ~(UINT64_C(1) << json->depth);
	json->objects |= (uint64_t)object << json->depth;
	json->fresh = true;
	return 0;
}

static void leave(struct json *json)
{
	++json->at;
	--json->depth;
	json->fresh = false; /* the container around holds at least this one */
}

static bool in_object(const struct json *json)
{
	return json->depth > 0 && (json->objects >> json->depth & 1);
}

int json_value(struct json *json, struct json_value *value)
{
	*value = (struct json_value){.kind = JSON_KIND_NULL};
	if (json->reason)
		return EINVAL;
	if (!next_byte(json))
		return fault(json, "expected a value");
	switch (*json->at) {
	case '"':
		return read_string(json, value);
	case '{':
		value->kind = JSON_KIND_OBJECT;
		return enter(json, true);
	case '[':
		value->kind = JSON_KIND_ARRAY;
		return enter(json, false);
	case 't':
		value->kind = JSON_KIND_BOOL;
		value->truth = true;
		return read_word(json, "true");
	case 'f':
		value->kind = JSON_KIND_BOOL;
		return read_word(json, "false");
	case 'n':
		return read_word(json, "null");
	default:
		if (*json->at != '-' && (*json->at < '0' || *json->at > '9'))
			return fault(json, "expected a value");
		return read_number(json, value);
	}
}

/* In a container: true when another entry follows, its comma behind us; at
 * the closing bracket leaves and is false. */
static bool next_entry(struct json *json, char closing, const char *expected)
{
	if (json->reason)
		return false;
	if (!next_byte(json)) {
		fault(json, "unexpected end");
		return false;
	}
	if (*json->at == closing) {
		leave(json);
		return false;
	}
	if (json->fresh) {
		json->fresh = false;
		return true;
	}
	if (*json->at != ',') {
		fault(json, expected);
		return false;
	}
	++json->at;
	return true;
}

bool json_member(struct json *json, struct json_value *key)
{
	assert(json->reason || in_object(json));
	*key = (struct json_value){.kind = JSON_KIND_NULL};
	if (!next_entry(json, '}', "expected ',' or '}'"))
		return false;
	if (!next_byte(json) || *json->at != '"') {
		fault(json, "expected a key");
		return false;
	}
	if (read_string(json, key))
		return false;
	if (!next_byte(json) || *json->at != ':') {
		fault(json, "expected ':'");
		return false;
	}
	++json->at;
	return true;
}

bool json_element(struct json *json)
{
	assert(json->reason || (json->depth > 0 && !in_object(json)));
	return next_entry(json, ']', "expected ',' or ']'");
}

int json_skip(struct json *json, const struct json_value *value)
{
	struct json_value entry;
	unsigned outside = json->depth - 1;

	if (json->reason)
		return EINVAL;
	if (value->kind != JSON_KIND_OBJECT && value->kind != JSON_KIND_ARRAY)
		return 0;
	while (json->depth != outside && !json->reason) {
		if (in_object(json) ? json_member(json, &entry) : json_element(json))
			json_value(json, &entry);
	}
	return json->reason ? EINVAL : 0;
}

int json_close(struct json *json)
{
	if (json->reason)
		return EINVAL;
	assert(json->depth == 0);
	return next_byte(json) ? fault(json, "more after the end") : 0;
}

/* A number as digits × 10^exponent, the digits without zeros at their end. */
struct decimal {
	bool negative;
	bool too_long; /* the digits do not fit */
	uint64_t digits;
	int64_t exponent;
};

/* Appends a digit; zeros wait in the exponent until a digit follows them. */
static void decimal_digit(struct decimal *d, unsigned digit)
{
	++d->exponent;
	if (digit == 0)
		return;
	if (d->digits == 0)
		d->exponent = 1; /* zeros in front */
	for (; d->exponent > 0; --d->exponent) {
		if (__builtin_mul_overflow(d->digits, 10u, &d->digits)) {
			d->too_long = true;
			return;
		}
	}
	d->too_long |= __builtin_add_overflow(d->digits, digit, &d->digits);
}

static int64_t read_exponent(const char *p, const char *end)
{
	bool negative = *p == '-';
	int64_t exponent = 0;

	if (*p == '-' || *p == '+')
		++p;
	for (; p < end; ++p) {
		if (exponent < EXPONENT_MAX)
			exponent = exponent * 10 + (*p - '0');
	}
	return negative ? -exponent : exponent;
}

static struct decimal read_decimal(const struct json_value *value)
{
	struct decimal d = {0};
	const char *end = value->text + value->len;
	const char *p = value->text;
	int64_t shift = 0;
	bool fraction = false;

	if (*p == '-') {
		d.negative = true;
		++p;
	}
	for (; p < end && !d.too_long; ++p) {
		if (*p == '.') {
			fraction = true;
		} else if ((*p | 0x20) == 'e') {
			shift += read_exponent(p + 1, end);
			break;
		} else {
			decimal_digit(&d, (unsigned)(*p - '0'));
			shift -= fraction;
		}
	}
	d.exponent = d.digits ? d.exponent + shift : 0;
	return d;
}

bool json_is(const struct json_value *value, const char *text)
{
	return value->len == strlen(text) && memcmp(value->text, text, value->len) == 0;
}

int json_to_integer(int64_t *integer, const struct json_value *value)
{
	uint64_t limit = INT64_MAX;
	struct decimal d;

	if (value->kind != JSON_KIND_NUMBER)
		return EINVAL;
	d = read_decimal(value);
	/* Too many digits are too large a number or, with their last one not
	 * 0, a fraction. */
	if (d.too_long)
		return ERANGE;
	if (d.exponent < 0)
		return EINVAL;
	for (; d.exponent > 0; --d.exponent) {
		if (__builtin_mul_overflow(d.digits, 10u, &d.digits))
			return ERANGE;
	}
	if (d.digits > limit + d.negative)
		return ERANGE;
	*integer = d.negative ? (int64_t)(0 - d.digits) : (int64_t)d.digits;
	return 0;
}

/* The general case: the C library, in the locale that JSON is written in.
 * glibc's "C" locale is a constant: no allocation, nothing to free. */
static int slow_double(double *number, const struct json_value *value)
{
	char copy[NUMBER_MAX + 1];
	locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	double result;

	if (!c_locale)
		return ERANGE;
	memcpy(copy, value->text, value->len);
	copy[value->len] = '\0';
	result = strtod_l(copy, NULL, c_locale);
	freelocale(c_locale);
	if (isinf(result))
		return ERANGE;
	*number = result;
	return 0;
}

int json_to_double(double *number, const struct json_value *value)
{
	static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
					1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
					1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	struct decimal d;
	double result;

	if (value->kind != JSON_KIND_NUMBER)
		return EINVAL;
	if (value->len > NUMBER_MAX)
		return ERANGE;
	d = read_decimal(value);
	/* Both factors are exact doubles, so that one rounding gives the
	 * nearest (Clinger 1990). */
	if (d.too_long || d.digits > UINT64_C(1) << 53 || d.exponent < -22 || d.exponent > 22)
		return slow_double(number, value);
	result = (double)d.digits;
	result = d.exponent < 0 ? result / powers[-d.exponent] : result * powers[d.exponent];
	*number = d.negative ? -result : result;
	return 0;
}
