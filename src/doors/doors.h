/*
 * doors.h: the vendors' APIs that Syrinx serves.
 */
#ifndef DOORS_DOORS_H
#define DOORS_DOORS_H

#include "server/door.h"

/* Up to a NULL.  Of the keys that a request carries, that of the first door counts, and a route
 * that two doors have is the first one's, unless a header says whose client it is. */
extern const struct door *const doors_all[];

#endif
