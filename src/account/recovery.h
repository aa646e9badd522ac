/*
 * recovery.h: books what processes left on the disk when they died, or when they ended while the
 * store was unreachable.
 *
 * Spooled rows are delivered.  Turns that were being spoken are booked as lost, with the figures
 * of their last mark, and cost nothing.  Blocking.
 */
#ifndef ACCOUNT_RECOVERY_H
#define ACCOUNT_RECOVERY_H

#include "store/store.h"

/* How often to look again, for files of processes that were still alive at the last time. */
#define RECOVERY_INTERVAL_US UINT64_C(30000000)

/* `dir` is the directory of spools and marks (DATA/spool).  Files of live processes are left alone.
 * If the store fails, all files are kept and its errno is returned.  Damaged files are renamed, and
 * the complete records in them are booked. */
int recovery_run(struct store *store, const char *dir);

#endif
