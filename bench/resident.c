/*
 * resident.c: the memory of a process (see resident.h).
 */
#include "bench/resident.h"

#include <stdio.h>
#include <unistd.h>

size_t resident_bytes(pid_t pid)
{
	char path[64];
	unsigned long pages = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%*u %lu", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}
