/*
 * address_settings.h: settings in the address of a WebSocket, by a table of their names.
 */
#ifndef WIRE_ADDRESS_SETTINGS_H
#define WIRE_ADDRESS_SETTINGS_H

#include "wire/fault.h"
#include "wire/settings.h"

struct address_settings {
	struct settings settings; /* of all that is said on the connection; without a voice */
	unsigned idle_ms; /* silence after which a stream or a context ends */
};

struct address_field {
	const char *name; /* of a parameter of the query */
	/* Takes a value that is not empty: 0, or EINVAL with the fault filled in. */
	int (*set)(struct address_settings *address, struct stream_fault *fault, const char *value);
};

#endif
