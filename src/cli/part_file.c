/*
 * part_file.c: a copy of a store that is still incomplete (see part_file.h).
 */
#include "cli/part_file.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/interrupt.h"

const char *const part_file_suffixes[PART_FILE_FILES] = {"", "-wal", "-shm", "-journal"};

int part_file_begin(struct part_file *part, const char *beside)
{
	for (size_t i = 0; i < PART_FILE_FILES; ++i) {
		int n = snprintf(part->paths[i], sizeof(part->paths[i]), "%s.%ld.part%s", beside,
				 (long)getpid(), part_file_suffixes[i]);

		if (n < 0 || (size_t)n >= sizeof(part->paths[i]))
			return ENAMETOOLONG;
		part->list[i] = part->paths[i];
	}
	part->list[PART_FILE_FILES] = NULL;
	snprintf(part->address, sizeof(part->address), "sqlite:%s", part->paths[0]);
	interrupt_remove_files(part->list);
	return 0;
}

void part_file_defer_signals(void)
{
	interrupt_watch();
}

void part_file_end(const struct part_file *part)
{
	for (size_t i = 0; i < PART_FILE_FILES; ++i)
		unlink(part->paths[i]);
}
