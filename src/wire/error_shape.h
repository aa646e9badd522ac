/*
 * error_shape.h: how an error looks in the body of an HTTP answer.
 *
 * Errors are one table (error.h); clients of other vendors read them in their
 * vendor's shape, under statuses that their libraries know.
 */
#ifndef WIRE_ERROR_SHAPE_H
#define WIRE_ERROR_SHAPE_H

#include "base/buf.h"
#include "wire/error.h"

struct error_shape {
	int (*status)(enum wire_error_id id);
	int (*write)(struct buf *out, const struct wire_notice *notice);
};

extern const struct error_shape error_shape_native;

/* {"detail":{"status":"voice_not_found","message":"…"}} */
extern const struct error_shape error_shape_elevenlabs;

/* {"error":{"message":"…","type":"invalid_request_error","param":"speed","code":null}} */
extern const struct error_shape error_shape_openai;

/* Whose client it is, where that can be known: the carrier of the key tells. */
enum error_client { ERROR_CLIENT_ANY, ERROR_CLIENT_ELEVENLABS, ERROR_CLIENT_KUGELAUDIO };

/* The shape that clients of a path read; vendors share some paths. */
const struct error_shape *error_shape_of(const char *path, enum error_client client);

#endif
