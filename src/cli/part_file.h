/*
 * part_file.h: a copy of a store that is still incomplete, under a temporary name.
 *
 * It contains hashes of keys, so no part of it may remain: a signal that ends the process
 * removes it and the files that SQLite keeps next to it.
 */
#ifndef CLI_PART_FILE_H
#define CLI_PART_FILE_H

#include "base/params.h"

#define PART_FILE_FILES 4
#define PART_FILE_PATH_SIZE (PARAM_STRING_SIZE + 64)

/* The suffixes of the files of a SQLite database: "" for the database itself, and those that
 * SQLite keeps next to it. */
extern const char *const part_file_suffixes[PART_FILE_FILES];

struct part_file {
	char paths[PART_FILE_FILES][PART_FILE_PATH_SIZE];
	const char *list[PART_FILE_FILES + 1];
	char address[PART_FILE_PATH_SIZE + 8]; /* the store address of the copy */
};

/* Chooses the name BESIDE.PID.part; from here on, signals remove the file and end the process.
 * There can be only one part file at a time, and the struct must not move. ENAMETOOLONG. */
int part_file_begin(struct part_file *part, const char *beside);

static inline const char *part_file_path(const struct part_file *part)
{
	return part->paths[0];
}

/* Defers signals until interrupt_raise_again, because what follows must be completed. */
void part_file_defer_signals(void);

/* Removes the remaining files. */
void part_file_end(const struct part_file *part);

#endif
