/*
 * error_shape.h: how an error looks in the body of an HTTP answer.
 *
 * Errors are one table (error.h).  Clients of a vendor's API read them in the vendor's shape, with
 * statuses that its libraries know: such a shape is a table of rows and the two functions below.
 */
#ifndef WIRE_ERROR_SHAPE_H
#define WIRE_ERROR_SHAPE_H

#include "base/buf.h"
#include "wire/error.h"
#include "wire/json_write.h"

struct error_shape {
	int (*status)(enum wire_error_id id);
	int (*write)(struct buf *out, const struct wire_notice *notice);
};

extern const struct error_shape error_shape_native;

/* An error as a vendor has it.  A table ends with a status of 0; errors that are not in it keep
 * their own status. */
struct error_row {
	enum wire_error_id id;
	int status;
	const char *name;
};

const struct error_row *error_shape_find(const struct error_row *rows, enum wire_error_id id);
int error_shape_status(const struct error_row *rows, enum wire_error_id id);

/* The member "message": the error's text, and its detail. */
void error_shape_write_message(struct json_write *json, const struct wire_notice *notice);

#endif
