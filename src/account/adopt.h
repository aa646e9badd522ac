/*
 * adopt.h: what a process left behind when it died, or ended while the store was away.
 *
 * Rows that waited for the store are delivered; turns that were being spoken are
 * booked as lost, with what they had said at their last mark, and cost nothing.
 * Blocking.
 */
#ifndef ACCOUNT_ADOPT_H
#define ACCOUNT_ADOPT_H

#include "store/store.h"

/* After a process that outlived its successor's start has ended too. */
#define ADOPT_AGAIN_US UINT64_C(30000000)

/* Files of processes that live are left alone, and so are all when the store fails:
 * its errno.  Damaged files are renamed, and what is whole in them is booked. */
int adopt_left(struct store *store, const char *dir);

#endif
