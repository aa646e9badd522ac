/*
 * error.c: the table of errors that a client can read (see error.h).
 */
#include "wire/error.h"

#include <assert.h>
#include <stddef.h>

#include "base/count.h"

static const struct wire_error errors[] = {[WIRE_ERROR_NONE] = {0},
#define X(name, number, code, text) [WIRE_ERROR_##name] = {number, code, text},
					   WIRE_ERRORS(X)
#undef X
};

const struct wire_error *wire_error_get(enum wire_error_id id)
{
	assert(id > WIRE_ERROR_NONE && id < COUNT(errors));
	return &errors[id];
}
