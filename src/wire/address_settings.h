/*
 * address_settings.h: settings in the URL of a WebSocket, read by a table of parameter names.
 */
#ifndef WIRE_ADDRESS_SETTINGS_H
#define WIRE_ADDRESS_SETTINGS_H

#include "wire/fault.h"
#include "wire/settings.h"

struct address_settings {
	/* The settings of everything on the connection, without a voice. */
	struct settings settings;
	unsigned idle_ms; /* the time without input after which a stream or a context ends */
};

struct address_field {
	const char *name; /* of a query parameter */
	/* Applies a value that is not empty.  Returns 0, or EINVAL with the fault filled in. */
	int (*set)(struct address_settings *address, struct stream_fault *fault, const char *value);
};

#endif
