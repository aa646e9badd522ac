/*
 * error_shape.h: the format of errors in the body of an HTTP answer.
 *
 * All errors are in one table (error.h).  Clients of a vendor's API expect them in the vendor's
 * format, with the statuses that its libraries know: such a format is a table of rows and the two
 * functions below.
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

/* A vendor's version of an error.  A table ends with status 0; errors that are not in it keep their
 * own status. */
struct error_row {
	enum wire_error_id id;
	int status;
	const char *name;
};

/* Returns the row of an error, or NULL if it is not in the table. */
const struct error_row *error_shape_find(const struct error_row *rows, enum wire_error_id id);
int error_shape_status(const struct error_row *rows, enum wire_error_id id);

/* Writes the member "message": the error's text and detail. */
void error_shape_write_message(struct json_write *json, const struct wire_notice *notice);

#endif
