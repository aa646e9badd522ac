/*
 * fault.h: why a request or message was refused, in words for its author.
 *
 * The id selects the row of the error table.  The detail names the field, which values are allowed
 * and what it was, or the position at which the JSON is broken.
 */
#ifndef WIRE_FAULT_H
#define WIRE_FAULT_H

#include <stddef.h>

#include "base/json.h"
#include "wire/error.h"

struct stream_fault {
	enum wire_error_id id;
	unsigned retry_s; /* after how many seconds to retry; 0: not known */
	const char *field; /* the field that caused it, a static string; NULL: none in particular */
	char detail[160];
};

/* All of these return EINVAL, for `return fault_…`. */
int fault_set(struct stream_fault *fault, enum wire_error_id id, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Sets the field that caused the fault. */
int fault_of(struct stream_fault *fault, const char *field);

/* "NAME must be MUST (got VALUE)" */
int fault_value(struct stream_fault *fault, const char *name, const char *must,
		const struct json_value *got);

/* "speed must be between 0.8 and 1.2 (got 3)" */
int fault_range(struct stream_fault *fault, const char *name, double min, double max,
		const struct json_value *got);

/* "NAME must be one of A, B, C (got VALUE)" */
int fault_choice(struct stream_fault *fault, const char *name, const char *const *choices,
		 size_t count, const struct json_value *got);

/* Reports the scanner's error and its position. */
int fault_json(struct stream_fault *fault, const struct json *json);

#endif
