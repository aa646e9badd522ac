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

/* The server retries an unreachable store at intervals of at most ten seconds.  A voice is
 * unavailable while its engine loads or is replaced, which takes a few seconds. */
unsigned wire_error_retry_s(enum wire_error_id id)
{
	static const uint8_t seconds[] = {
		[WIRE_ERROR_NO_KEYS] = 5,         [WIRE_ERROR_NO_LEDGER] = 5,
		[WIRE_ERROR_NO_STORE] = 5,        [WIRE_ERROR_NO_VOICES] = 5,
		[WIRE_ERROR_NO_DICTIONARIES] = 5, [WIRE_ERROR_UNAVAILABLE] = 2,
	};

	return id < COUNT(seconds) ? seconds[id] : 0;
}

uint16_t wire_error_close_code(enum wire_error_id id)
{
	static const uint16_t codes[] = {
		[WIRE_ERROR_KEY_ENDED] = 4001,
		[WIRE_ERROR_NO_CREDIT] = 4003,
		[WIRE_ERROR_RATE_LIMITED] = 4029,
	};

	return id < COUNT(codes) ? codes[id] : 0;
}
