/*
 * fault.h: why a message was refused, in words for its author.
 *
 * The id picks the row of the error table; the detail names the field, what
 * it may be and what it was, or the place where the JSON broke.
 */
#ifndef WIRE_FAULT_H
#define WIRE_FAULT_H

#include <stddef.h>

#include "base/json.h"
#include "wire/error.h"

struct stream_fault {
	enum wire_error_id id;
	unsigned retry_s; /* when it may be otherwise; 0: nobody knows */
	const char *field; /* whose fault it is, of a table; NULL: nobody's in particular */
	char detail[160];
};

/* All return EINVAL, for `return fault_…`. */
int fault_set(struct stream_fault *fault, enum wire_error_id id, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Says whose fault the one that was set is. */
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

/* The scanner's own complaint, with its place. */
int fault_json(struct stream_fault *fault, const struct json *json);

#endif
