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

/* The longest number that is converted to a double: 17 digits are enough for any double, and no
 * encoder writes more than a third of this. */
#define NUMBER_MAX 64u

/* No number has a larger exponent; the bound also keeps the sum of an exponent and the number of
 * digits of any message from overflowing. */
#define EXPONENT_MAX (INT64_C(1) << 40)

void json_open(struct json *json, char *text, size_t len)
{
	*json = (struct json){.start = text, .at = text, .end = text + len};
}

static int json_fault_at(struct json *json, const char *at, const char *reason)
{
	if (!json->reason) {
		json->reason = reason;
		json->fault_at = (size_t)(at - json->start);
	}
	return EINVAL;
}

static int json_fault(struct json *json, const char *reason)
{
	return json_fault_at(json, json->at, reason);
}

/* Moves to the next byte that is not a blank; returns false if there is none. */
static bool json_next_byte(struct json *json)
{
	while (json->at < json->end) {
		char c = *json->at;

		if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
			return true;
		++json->at;
	}
	return false;
}

static bool json_is_plain(uint8_t c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* Sets the high bit of each of the eight bytes that is zero.  Bytes above the first zero may be
 * marked too, which only means that they are checked again. */
static uint64_t json_zeros(uint64_t eight)
{
	return (eight - ONES) & ~eight & HIGHS;
}

/* Returns the end of the run of bytes that need no decoding in a string. */
static char *json_plain_end(char *p, const char *end)
{
	while (end - p >= 8) {
		uint64_t eight;

		memcpy(&eight, p, 8);
		if ((eight & HIGHS) || ((eight - 0x20 * ONES) & ~eight & HIGHS) ||
		    json_zeros(eight ^ '"' * ONES) || json_zeros(eight ^ '\\' * ONES))
			break;
		p += 8;
	}
	while (p < end && json_is_plain((uint8_t)*p))
		++p;
	return p;
}

/* Reads four hex digits at p; returns UINT32_MAX for anything else. */
static uint32_t json_hex4(const char *p, const char *end)
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

/* Returns the low surrogate that is escaped at p; 0 if there is none. */
static uint32_t json_low_half(const char *p, const char *end)
{
	uint32_t unit;

	if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
		return 0;
	unit = json_hex4(p + 2, end);
	return unit >= 0xdc00 && unit <= 0xdfff ? unit : 0;
}

static int json_read_unicode_escape(struct json *json, struct json_value *value, char **out)
{
	uint32_t unit = json_hex4(json->at + 2, json->end);
	uint32_t low;

	if (unit == UINT32_MAX)
		return json_fault(json, "\\u without four hex digits");
	json->at += 6;
	if (unit >= 0xd800 && unit <= 0xdbff) {
		low = json_low_half(json->at, json->end);
		if (low) {
			json->at += 6;
			unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
		} else if (json->at < json->end && *json->at == '"') {
			value->tail_high = (uint16_t)unit;
		}
	} else if (unit >= 0xdc00 && unit <= 0xdfff && *out == value->text) {
		value->lead_low = (uint16_t)unit;
	}
	/* utf8_encode turns a surrogate without its other half into U+FFFD. */
	*out += utf8_encode(*out, unit ? unit : REPLACEMENT);
	return 0;
}

static int json_read_escape(struct json *json, struct json_value *value, char **out)
{
	static const char names[] = "\"\\/bfnrt";
	static const char bytes[] = "\"\\/\b\f\n\r\t";
	const char *name;

	if (json->end - json->at < 2)
		return json_fault(json, "unterminated string");
	if (json->at[1] == 'u')
		return json_read_unicode_escape(json, value, out);
	name = memchr(names, json->at[1], sizeof(names) - 1);
	if (!name)
		return json_fault(json, "unknown escape in a string");
	*(*out)++ = bytes[name - names];
	json->at += 2;
	return 0;
}

/* Reads a run of characters beyond ASCII. */
static int json_read_characters(struct json *json, char **out)
{
	while (json->at < json->end && (uint8_t)*json->at >= 0x80) {
		uint32_t code_point;
		size_t n = utf8_decode(&code_point, json->at, (size_t)(json->end - json->at));

		if (n == 1)
			return json_fault(json, "invalid UTF-8");
		if (*out != json->at)
			memmove(*out, json->at, n);
		*out += n;
		json->at += n;
	}
	return 0;
}

static int json_read_string(struct json *json, struct json_value *value)
{
	const char *quote = json->at;
	char *out = ++json->at;
	int err = 0;

	value->kind = JSON_KIND_STRING;
	value->text = out;
	while (!err) {
		char *run = json->at;
		size_t n;

		json->at = json_plain_end(run, json->end);
		n = (size_t)(json->at - run);
		if (out != run)
			memmove(out, run, n);
		out += n;
		if (json->at == json->end)
			return json_fault_at(json, quote, "unterminated string");
		if (*json->at == '"')
			break;
		if (*json->at == '\\')
			err = json_read_escape(json, value, &out);
		else if ((uint8_t)*json->at < 0x20)
			err = json_fault(json, "control character in a string");
		else
			err = json_read_characters(json, &out);
	}
	++json->at;
	value->len = (size_t)(out - value->text);
	return err;
}

static bool json_skip_digits(struct json *json)
{
	char *first = json->at;

	while (json->at < json->end && *json->at >= '0' && *json->at <= '9')
		++json->at;
	return json->at > first;
}

static bool json_skip_one_of(struct json *json, char a, char b)
{
	if (json->at == json->end || (*json->at != a && *json->at != b))
		return false;
	++json->at;
	return true;
}

static int json_read_number(struct json *json, struct json_value *value)
{
	value->kind = JSON_KIND_NUMBER;
	value->text = json->at;
	json_skip_one_of(json, '-', '-');
	if (!json_skip_one_of(json, '0', '0') && !json_skip_digits(json))
		return json_fault(json, "expected a digit");
	if (json_skip_one_of(json, '.', '.') && !json_skip_digits(json))
		return json_fault(json, "expected a digit after the point");
	if (json_skip_one_of(json, 'e', 'E')) {
		json_skip_one_of(json, '+', '-');
		if (!json_skip_digits(json))
			return json_fault(json, "expected a digit in the exponent");
	}
	value->len = (size_t)(json->at - value->text);
	return 0;
}

static int json_read_word(struct json *json, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(json->end - json->at) < len || memcmp(json->at, word, len) != 0)
		return json_fault(json, "expected a value");
	json->at += len;
	return 0;
}

static int json_enter(struct json *json, bool object)
{
	if (json->depth == JSON_DEPTH_MAX)
		return json_fault(json, "nested too deep");
	++json->at;
	++json->depth;
	json->objects &= ~(UINT64_C(1) << json->depth);
	json->objects |= (uint64_t)object << json->depth;
	json->fresh = true;
	return 0;
}

static void json_leave(struct json *json)
{
	++json->at;
	--json->depth;
	json->fresh = false; /* the enclosing container has at least one entry */
}

static bool json_in_object(const struct json *json)
{
	return json->depth > 0 && (json->objects >> json->depth & 1);
}

int json_value(struct json *json, struct json_value *value)
{
	*value = (struct json_value){.kind = JSON_KIND_NULL};
	if (json->reason)
		return EINVAL;
	if (!json_next_byte(json))
		return json_fault(json, "expected a value");
	switch (*json->at) {
	case '"':
		return json_read_string(json, value);
	case '{':
		value->kind = JSON_KIND_OBJECT;
		return json_enter(json, true);
	case '[':
		value->kind = JSON_KIND_ARRAY;
		return json_enter(json, false);
	case 't':
		value->kind = JSON_KIND_BOOL;
		value->truth = true;
		return json_read_word(json, "true");
	case 'f':
		value->kind = JSON_KIND_BOOL;
		return json_read_word(json, "false");
	case 'n':
		return json_read_word(json, "null");
	default:
		if (*json->at != '-' && (*json->at < '0' || *json->at > '9'))
			return json_fault(json, "expected a value");
		return json_read_number(json, value);
	}
}

/* Returns true if the container has another entry, and moves past its comma; at the closing bracket
 * it leaves the container and returns false. */
static bool json_next_entry(struct json *json, char closing, const char *expected)
{
	if (json->reason)
		return false;
	if (!json_next_byte(json)) {
		json_fault(json, "unexpected end");
		return false;
	}
	if (*json->at == closing) {
		json_leave(json);
		return false;
	}
	if (json->fresh) {
		json->fresh = false;
		return true;
	}
	if (*json->at != ',') {
		json_fault(json, expected);
		return false;
	}
	++json->at;
	return true;
}

bool json_member(struct json *json, struct json_value *key)
{
	assert(json->reason || json_in_object(json));
	*key = (struct json_value){.kind = JSON_KIND_NULL};
	if (!json_next_entry(json, '}', "expected ',' or '}'"))
		return false;
	if (!json_next_byte(json) || *json->at != '"') {
		json_fault(json, "expected a key");
		return false;
	}
	if (json_read_string(json, key))
		return false;
	if (!json_next_byte(json) || *json->at != ':') {
		json_fault(json, "expected ':'");
		return false;
	}
	++json->at;
	return true;
}

bool json_element(struct json *json)
{
	assert(json->reason || (json->depth > 0 && !json_in_object(json)));
	return json_next_entry(json, ']', "expected ',' or ']'");
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
		if (json_in_object(json) ? json_member(json, &entry) : json_element(json))
			json_value(json, &entry);
	}
	return json->reason ? EINVAL : 0;
}

int json_close(struct json *json)
{
	if (json->reason)
		return EINVAL;
	assert(json->depth == 0);
	return json_next_byte(json) ? json_fault(json, "more after the end") : 0;
}

/* A number as digits × 10^exponent, where the digits do not end with a zero. */
struct json_decimal {
	bool negative;
	bool too_long; /* there are too many digits */
	uint64_t digits;
	int64_t exponent;
};

/* Appends a digit.  Zeros are counted in the exponent until another digit follows them. */
static void json_decimal_digit(struct json_decimal *d, unsigned digit)
{
	++d->exponent;
	if (digit == 0)
		return;
	if (d->digits == 0)
		d->exponent = 1; /* leading zeros */
	for (; d->exponent > 0; --d->exponent) {
		if (__builtin_mul_overflow(d->digits, 10u, &d->digits)) {
			d->too_long = true;
			return;
		}
	}
	d->too_long |= __builtin_add_overflow(d->digits, digit, &d->digits);
}

static int64_t json_read_exponent(const char *p, const char *end)
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

static struct json_decimal json_read_decimal(const struct json_value *value)
{
	struct json_decimal d = {0};
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
			shift += json_read_exponent(p + 1, end);
			break;
		} else {
			json_decimal_digit(&d, (unsigned)(*p - '0'));
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
	struct json_decimal d;

	if (value->kind != JSON_KIND_NUMBER)
		return EINVAL;
	d = json_read_decimal(value);
	/* Too many digits mean a number that is too large or, if the last one is not 0, a
	 * fraction. */
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

/* Converts any number with the C library, in the "C" locale, whose decimal point is that of JSON.
 * In glibc this locale is a constant, so nothing is allocated and nothing must be freed. */
static int json_slow_double(double *number, const struct json_value *value)
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
	struct json_decimal d;
	double result;

	if (value->kind != JSON_KIND_NUMBER)
		return EINVAL;
	if (value->len > NUMBER_MAX)
		return ERANGE;
	d = json_read_decimal(value);
	/* Both factors are exact doubles, so a single rounding gives the nearest double (Clinger
	 * 1990). */
	if (d.too_long || d.digits > UINT64_C(1) << 53 || d.exponent < -22 || d.exponent > 22)
		return json_slow_double(number, value);
	result = (double)d.digits;
	result = d.exponent < 0 ? result / powers[-d.exponent] : result * powers[d.exponent];
	*number = d.negative ? -result : result;
	return 0;
}
