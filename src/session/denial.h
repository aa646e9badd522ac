/*
 * denial.h: why an account may not, in words for its client.
 */
#ifndef SESSION_DENIAL_H
#define SESSION_DENIAL_H

#include "account/member.h"
#include "wire/fault.h"

/* When a slot is free nobody knows: asking once a second is soon enough for a
 * client, and cheap for us. */
#define DENIAL_SLOT_RETRY_S 1

/* A store that is away is tried again every few seconds (store/postgres_connection.c). */
#define DENIAL_STORE_RETRY_S 5

const char *denial_code(enum denial why); /* of the error */

void denial_describe(struct stream_fault *fault, const struct denied *denied);

#endif
