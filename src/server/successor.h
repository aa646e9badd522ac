/*
 * successor.h: a server that puts a newer one in its place, without a pause.
 *
 * SIGUSR2 starts the program anew, as it was started, from the file that stands
 * there now.  When the new one has its voices it is handed the listening socket
 * and asks the old one to end, which finishes its turns.  A successor that does not
 * come up changes nothing.
 */
#ifndef SERVER_SUCCESSOR_H
#define SERVER_SUCCESSOR_H

#include <stdbool.h>

#include "loop/loop.h"

struct successor;

/* Reads from /proc how this process was started; EIO if that is not possible.  *is_draining is read
 * when the successor ends. */
int successor_alloc(struct successor **successorp, struct loop *loop, const bool *is_draining);

/* Starts it.  Its pid, its end, and why it could not be started are logged later.  EALREADY while
 * another one is loading. */
int successor_start(struct successor *successor);

/* Whether this process is one that was started so and has not taken over yet. */
bool successor_has_predecessor(void);

/* Logs from whom it has the listening socket, and what follows from that. */
void successor_tell_taken(const char *address, long pid, bool is_draining);

/* In the new one, when it is ready: asks the old one to end, unless it is ending already, where a
 * second signal would cut its turns. */
void successor_take_over(bool is_serving);

#endif
