/*
 * store.c: picks a backend by its address (see store.h).
 */
#include "store/store.h"

#include <errno.h>
#include <string.h>

int store_open(struct store **storep, const char *address)
{
	static const char sqlite[] = "sqlite:";
	const char *path = address + sizeof(sqlite) - 1;

	if (strncmp(address, sqlite, sizeof(sqlite) - 1) == 0 && path[0] != '\0')
		return store_open_sqlite(storep, path);
	if (strcmp(address, "memory:") == 0)
		return store_open_memory(storep);
	return EINVAL;
}
