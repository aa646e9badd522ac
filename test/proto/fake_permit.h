/*
 * fake_permit.h: permission to speak that is given later, as if servers shared the limits.
 *
 * run_script is linked so that permit_ask and permit_advance are replaced by functions of this file
 * (--wrap), which call the real ones.
 */
#ifndef PROTO_FAKE_PERMIT_H
#define PROTO_FAKE_PERMIT_H

#include "account/caller.h"

/* Sets whether later requests have to wait. */
void fake_permit_wait(bool waits);

/* Answers all requests that wait: with permission, or with the denial. */
void fake_permit_answer(const struct denied *denied);

/* Sets whether all later frames are refused, as if the account were overdrawn by a lease. */
void fake_permit_end(bool ends);

/* Drops all requests that wait, because their turns do not exist any more. */
void fake_permit_forget(void);

#endif
