/*
 * record.h: what a worker said about itself, kept for the next run of the server.
 *
 * `dir` is the directory of all records, and `name` the fleet's name.
 */
#ifndef WORKERS_RECORD_H
#define WORKERS_RECORD_H

#include "base/buf.h"

/* ENOENT: there is no record; other errors: it cannot be read. */
int record_load(struct buf *said, const char *dir, const char *name);
/* Creates the directory if it is missing.  Writes nothing if the record has not changed. */
int record_save(const char *dir, const char *name, const struct buf *said);
void record_remove(const char *dir, const char *name);

#endif
