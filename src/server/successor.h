/*
 * successor.h: replaces this server by a newer one without interrupting service.
 *
 * SIGUSR2 starts the program again with the same arguments, from the current contents of its file.
 * When the new process has loaded its voices, it is handed the listening socket and asks the old
 * process to end, which finishes its turns.  A successor that fails to start changes nothing.
 */
#ifndef SERVER_SUCCESSOR_H
#define SERVER_SUCCESSOR_H

#include <stdbool.h>

#include "loop/loop.h"

struct successor;

/* Reads from /proc how this process was started; EIO if that is not possible.  *is_draining is read
 * when the successor ends. */
int successor_alloc(struct successor **successorp, struct loop *loop, const bool *is_draining);

/* Starts the successor.  Its pid, its end, and why it could not be started are logged later.
 * Returns EALREADY while another one is loading. */
int successor_start(struct successor *successor);

/* Whether this process was started by successor_start and has not taken over yet. */
bool successor_has_predecessor(void);

/* Logs which process the listening socket was received from, and what follows from that. */
void successor_log_taken(const char *address, long pid, bool is_draining);

/* To be called in the new process when it is ready: asks the old process to end, unless that is
 * ending already, in which case a second signal would cut off its turns. */
void successor_take_over(bool is_serving);

#endif
