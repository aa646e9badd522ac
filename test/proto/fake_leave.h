/*
 * fake_leave.h: leave to speak that comes later, as where servers share limits.
 *
 * run_script is linked so that permit_ask and permit_advance lead here first (--wrap).
 */
#ifndef PROTO_FAKE_LEAVE_H
#define PROTO_FAKE_LEAVE_H

#include "account/member.h"

/* From now on who asks must wait, or need not. */
void fake_leave_wait(bool waits);

/* The answers to all who wait: leave, or the denial. */
void fake_leave_answer(const struct denied *denied);

/* From now on no frame may leave, as of an account that is a lease overdrawn; or any. */
void fake_leave_end(bool ends);

/* Those who wait have gone: nobody is answered. */
void fake_leave_forget(void);

#endif
