/*
 * fault.c: why a request or message was refused (see fault.h).
 */
#include "wire/fault.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "wire/json_write.h"

/* How much of an invalid value is quoted: enough for its author to recognize it. */
#define GOT_MAX 24

int fault_set(struct stream_fault *fault, enum wire_error_id id, const char *format, ...)
{
	va_list args;

	fault->id = id;
	fault->retry_s = wire_error_retry_s(id);
	fault->field = NULL;
	va_start(args, format);
	vsnprintf(fault->detail, sizeof(fault->detail), format, args);
	va_end(args);
	return EINVAL;
}

int fault_of(struct stream_fault *fault, const char *field)
{
	fault->field = field;
	return EINVAL;
}

/* Returns how many bytes of a text fit in `max` without splitting a character. */
static int fault_cut_len(const char *text, size_t len, size_t max)
{
	if (len <= max)
		return (int)len;
	while (max > 0 && ((uint8_t)text[max] & 0xc0) == 0x80)
		--max;
	return (int)max;
}

static void fault_describe_value(char *out, size_t size, const struct json_value *value)
{
	const char *dots = value->len > GOT_MAX ? "…" : "";
	int len = value->text ? fault_cut_len(value->text, value->len, GOT_MAX) : 0;

	switch (value->kind) {
	case JSON_KIND_NULL:
		snprintf(out, size, "null");
		break;
	case JSON_KIND_BOOL:
		snprintf(out, size, "%s", value->truth ? "true" : "false");
		break;
	case JSON_KIND_NUMBER:
		snprintf(out, size, "%.*s%s", len, value->text, dots);
		break;
	case JSON_KIND_STRING:
		snprintf(out, size, "\"%.*s%s\"", len, value->text, dots);
		break;
	case JSON_KIND_ARRAY:
		snprintf(out, size, "a list");
		break;
	case JSON_KIND_OBJECT:
		snprintf(out, size, "an object");
		break;
	}
}

int fault_value(struct stream_fault *fault, const char *name, const char *must,
		const struct json_value *got)
{
	char what[GOT_MAX + 8];

	fault_describe_value(what, sizeof(what), got);
	fault_set(fault, WIRE_ERROR_INVALID_REQUEST, "%s must be %s (got %s)", name, must, what);
	return fault_of(fault, name);
}

int fault_range(struct stream_fault *fault, const char *name, double min, double max,
		const struct json_value *got)
{
	char low[JSON_DECIMAL_MAX];
	char high[JSON_DECIMAL_MAX];
	size_t low_len = json_format_decimal(low, llround(min * 100), 2);
	size_t high_len = json_format_decimal(high, llround(max * 100), 2);
	char must[2 * JSON_DECIMAL_MAX + 16];

	snprintf(must, sizeof(must), "between %.*s and %.*s", (int)low_len, low, (int)high_len,
		 high);
	return fault_value(fault, name, must, got);
}

int fault_choice(struct stream_fault *fault, const char *name, const char *const *choices,
		 size_t count, const struct json_value *got)
{
	char must[sizeof(fault->detail)];
	size_t len = 0;

	for (size_t i = 0; i < count && len < sizeof(must); ++i) {
		int n = snprintf(must + len, sizeof(must) - len, "%s%s", i ? ", " : "one of ",
				 choices[i]);

		len += n > 0 ? (size_t)n : 0;
	}
	return fault_value(fault, name, must, got);
}

int fault_json(struct stream_fault *fault, const struct json *json)
{
	return fault_set(fault, WIRE_ERROR_INVALID_REQUEST, "malformed JSON at byte %zu: %s",
			 json->fault_at, json->reason);
}
