/*
 * denial.h: why an account is refused, as an error for its client.
 */
#ifndef SESSION_DENIAL_H
#define SESSION_DENIAL_H

#include "account/caller.h"
#include "wire/fault.h"

/* It is unknown when a slot becomes free.  One attempt a second is soon enough for a client and
 * cheap for the server. */
#define DENIAL_SLOT_RETRY_S 1

/* The code of the error. */
const char *denial_code(enum denial why);

/* Fills in the error, and counts the denial in the metrics. */
void denial_describe(struct stream_fault *fault, const struct denied *denied);

#endif
