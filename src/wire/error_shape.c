/*
 * error_shape.c: the format of errors in the body of an HTTP answer (see error_shape.h).
 */
#include "wire/error_shape.h"

#include <stdio.h>
#include <string.h>

#include "wire/json_write.h"
#include "wire/reply.h"

#define MESSAGE_SIZE 384 /* longer messages are truncated */

static int error_shape_native_status(enum wire_error_id id)
{
	return wire_error_get(id)->number;
}

static int error_shape_native_write(struct buf *out, const struct wire_notice *notice)
{
	return reply_error(out, NULL, notice);
}

const struct error_shape error_shape_native = {error_shape_native_status, error_shape_native_write};

const struct error_row *error_shape_find(const struct error_row *rows, enum wire_error_id id)
{
	for (; rows->status; ++rows) {
		if (rows->id == id)
			return rows;
	}
	return NULL;
}

int error_shape_status(const struct error_row *rows, enum wire_error_id id)
{
	const struct error_row *row = error_shape_find(rows, id);

	return row ? row->status : wire_error_get(id)->number;
}

void error_shape_write_message(struct json_write *json, const struct wire_notice *notice)
{
	bool has_detail = notice->detail && notice->detail[0];
	char text[MESSAGE_SIZE];

	snprintf(text, sizeof(text), "%s%s%s", wire_error_get(notice->id)->text,
		 has_detail ? ": " : "", has_detail ? notice->detail : "");
	json_write_string(json, "message", text, strlen(text));
}
