/*
 * spool.h: rows of the ledger on the local disk, while the store is away.
 *
 * One file of fixed size, written in place and made whole beforehand, so that a
 * full disk cannot refuse it.  Rows are taken out in the order they came in.
 * Blocking: for the ledger's thread and for whoever starts or repairs.
 *
 *   header: magic, version, capacity, head, tail, each copy with a checksum
 *   rows:   a ring of records, each with its number and a checksum
 */
#ifndef ACCOUNT_SPOOL_H
#define ACCOUNT_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

struct spool;

/* Opens or makes the file with room for `rows`.  EBUSY when another process has
 * it (it is locked while it is open), EBADMSG when it is damaged: nothing of it is
 * guessed.  The reason is logged. */
int spool_open(struct spool **spoolp, const char *path, size_t rows);

/* Durable when it returns 0; all or none.  ENOSPC when there is not enough room. */
int spool_put(struct spool *spool, const struct store_turn *turns, size_t count);
/* The oldest, which stay until they are removed; returns how many. */
size_t spool_peek(struct spool *spool, struct store_turn *turns, size_t max);
int spool_remove(struct spool *spool, size_t count);

size_t spool_count(const struct spool *spool);
size_t spool_room(const struct spool *spool);

#endif
