/*
 * part_file.h: a copy of a store until it is whole, under a name of its own.
 *
 * It has hashes of keys, so no part of it may remain: a signal that ends the process
 * removes it, with the files that SQLite keeps next to it.
 */
#ifndef CLI_PART_FILE_H
#define CLI_PART_FILE_H

#include "base/params.h"

#define PART_FILE_FILES 4
#define PART_FILE_PATH_SIZE (PARAM_STRING_SIZE + 64)

/* What SQLite keeps next to a database, and the database itself: "". */
extern const char *const part_file_suffixes[PART_FILE_FILES];

struct part_file {
	char paths[PART_FILE_FILES][PART_FILE_PATH_SIZE];
	const char *list[PART_FILE_FILES + 1];
	char address[PART_FILE_PATH_SIZE + 8]; /* of the store in it */
};

/* Names BESIDE.PID.part, and removes it and ends the process when a signal comes.  There must be no
 * other, and it stays where it is. */
int part_file_begin(struct part_file *part, const char *beside);

static inline const char *part_file_path(const struct part_file *part)
{
	return part->paths[0];
}

/* From here on signals wait until interrupt_pass_on: what follows must not be done by half. */
void part_file_keep(void);

/* Removes what is left of it. */
void part_file_end(const struct part_file *part);

#endif
