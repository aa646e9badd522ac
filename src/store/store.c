/*
 * store.c: picks a backend by its address (see store.h).
 */
#include "store/store.h"

#include <errno.h>
#include <string.h>

static bool begins_with(const char *address, const char *scheme)
{
	size_t len = strlen(scheme);

	return strncmp(address, scheme, len) == 0 && address[len] != '\0';
}

int store_open(struct store **storep, const char *address)
{
	if (begins_with(address, "sqlite:"))
		return store_open_sqlite(storep, address + strlen("sqlite:"));
	if (begins_with(address, "postgresql://") || begins_with(address, "postgres://"))
		return store_open_postgres(storep, address);
	if (strcmp(address, "memory:") == 0)
		return store_open_memory(storep);
	return EINVAL;
}
