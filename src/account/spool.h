/*
 * spool.h: rows of the ledger on the local disk, while the store is unreachable.
 *
 * One file of fixed size that is written in place and allocated in advance, so that a full disk
 * cannot refuse it.  Rows are removed in the order in which they were added.  Blocking: for the
 * disk's thread, for recovery and for tools.
 *
 *   header: magic, version, capacity, head, tail; two copies, each with a checksum
 *   rows:   a ring of records (disk_record.h), each with its number
 *
 * A new header overwrites the older copy, so that one copy is always complete; it is written after
 * the rows that it refers to.
 */
#ifndef ACCOUNT_SPOOL_H
#define ACCOUNT_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

struct spool;

/* Opens the file, or creates it with room for `rows`.  With 0 it is not created: ENOENT. EBUSY when
 * another process uses it (it is locked while it is open), EBADMSG when it is damaged.  The reason
 * is logged, except for ENOENT and EBUSY.  mem_deref closes the file and keeps it. */
int spool_open(struct spool **spoolp, const char *path, size_t rows);

/* Adds all rows or none; they are durable when it returns 0.  ENOSPC when there is not enough
 * room. */
int spool_put(struct spool *spool, const struct store_turn *turns, size_t count);
/* Reads the oldest rows, at most `max`, which stay until they are removed.  EBADMSG. */
int spool_peek(struct spool *spool, struct store_turn *turns, size_t max, size_t *count);
int spool_remove(struct spool *spool, size_t count);

size_t spool_count(const struct spool *spool);
size_t spool_room(const struct spool *spool);

/* Reads every complete row of a damaged file, even if it was removed from the ring before.  An
 * error of the handler ends the reading and is returned. */
typedef int(spool_h)(const struct store_turn *turn, void *arg);
int spool_rescue(const char *path, spool_h *each, void *arg);

/* The same for a file that another process may be using: nothing is changed or locked. */
int spool_look(const char *path, spool_h *each, void *arg);

#endif
