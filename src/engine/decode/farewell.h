/*
 * farewell.h: the last message of a process that a library ends.
 *
 * Not every decoder survives a file that asks for more memory than there is, and one may compute for
 * ever. The process must end then, but it can still say why: a signal handler sends the DONE of the
 * job, which was encoded before.
 */
#ifndef ENGINE_DECODE_FAREWELL_H
#define ENGINE_DECODE_FAREWELL_H

#include <stdint.h>

/* Handles the signals of crashes and of the limit on CPU time from now on. Does nothing in a build with
 * a sanitizer, which reports crashes itself. */
int farewell_install(int fd);

/* Encodes what would be sent for this job. ENOMEM. */
int farewell_prepare(uint32_t job);

/* While a library is called: a signal then sends the message. Nothing that was encoded earlier may be
 * unsent, because the message would be put into the middle of it. `samples` were sent so far. */
void farewell_arm(uint64_t samples);
void farewell_disarm(void);

#endif
