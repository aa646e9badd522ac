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

struct successor;

/* How this process was started, from /proc.  EIO when that cannot be told. */
int successor_alloc(struct successor **successorp);

/* Starts it; its end is told in the log.  EALREADY while one is on its way. */
int successor_start(struct successor *successor);

/* Whether this process is one that was started so and has not taken over yet. */
bool successor_has_predecessor(void);

/* Logs from whom it has the listening socket, and what follows from that. */
void successor_tell_taken(const char *address, long pid, bool is_draining);

/* In the new one, when it is ready: asks the old one to end, unless it is ending already, where a
 * second signal would cut its turns. */
void successor_take_over(bool is_serving);

/* A child has ended: was it this one?  While we drain it was ready, and had taken our place. */
void successor_reap(struct successor *successor, bool is_draining);

#endif
