/*
 * spool.h: rows of the ledger on the local disk, while the store is away.
 *
 * One file of fixed size, written in place and made whole beforehand, so that a
 * full disk cannot refuse it.  Rows are taken out in the order they came in.
 * Blocking: for the ledger's thread and for whoever starts or repairs.
 *
 *   header: magic, version, capacity, head, tail, twice, each copy with a checksum
 *   rows:   a ring of records (disk_record.h), each with its number
 *
 * A header is written in turn over the older copy, so that one is always whole; it
 * is written after the rows that it speaks of.
 */
#ifndef ACCOUNT_SPOOL_H
#define ACCOUNT_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

struct spool;

/* Opens the file, or makes it with room for `rows`.  With 0 it is not made: ENOENT.
 * EBUSY when another process has it (it is locked while it is open), EBADMSG when
 * it is damaged: nothing of it is guessed.  The reason is logged, but of ENOENT
 * and EBUSY. */
int spool_open(struct spool **spoolp, const char *path, size_t rows);

/* Durable when it returns 0; all or none.  ENOSPC when there is not enough room. */
int spool_put(struct spool *spool, const struct store_turn *turns, size_t count);
/* The oldest, which stay until they are removed, at most `max` of them.  EBADMSG. */
int spool_peek(struct spool *spool, struct store_turn *turns, size_t max, size_t *count);
int spool_remove(struct spool *spool, size_t count);

size_t spool_count(const struct spool *spool);
size_t spool_room(const struct spool *spool);

/* Of a damaged file: every row that is still whole, whether or not it was taken out
 * before.  An error of the handler ends it. */
typedef int(spool_h)(const struct store_turn *turn, void *arg);
int spool_rescue(const char *path, spool_h *each, void *arg);

/* The same for a file that another process may have open and write to: nothing is changed or
 * locked. */
int spool_look(const char *path, spool_h *each, void *arg);

#endif
