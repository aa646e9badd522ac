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

const char *denial_code(enum denial why); /* of the error */

void denial_describe(struct stream_fault *fault, const struct denied *denied);

#endif
