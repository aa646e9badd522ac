/*
 * record.h: what a worker said of itself, kept for the next run of the server.
 */
#ifndef WORKERS_RECORD_H
#define WORKERS_RECORD_H

#include "base/buf.h"

/* ENOENT: there is none; other errors: it cannot be read. */
int record_load(struct buf *said, const char *dir, const char *name);
int record_save(const char *dir, const char *name, const struct buf *said);
void record_remove(const char *dir, const char *name);

#endif
