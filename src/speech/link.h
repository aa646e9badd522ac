/*
 * link.h: the server's end of a connection to a worker.
 *
 * Frames and unframes messages on a stream socket: a socketpair to a child
 * here, a TCP connection elsewhere; the bytes are the same.  Messages arrive
 * in order; what is sent while the socket is full waits in a bounded buffer.
 */
#ifndef SPEECH_LINK_H
#define SPEECH_LINK_H

#include "loop/loop.h"
#include "workers/message.h"

struct link_to_worker;

/* The message's strings and samples are valid during the call. */
typedef void(link_message_h)(const struct message *message, void *arg);
/* The other side is gone, or spoke nonsense (EPROTO); nothing more is heard. */
typedef void(link_lost_h)(int err, void *arg);

/* Takes the descriptor over. */
int link_open(struct link_to_worker **linkp, struct loop *loop, int fd,
	      link_message_h *message_handler, link_lost_h *lost_handler, void *arg);

/* Ends it; allowed inside its handlers.  No handler is called any more, and the
 * memory goes by itself when the loop has let go of the descriptor. */
void link_close(struct link_to_worker *link);

/* ENOBUFS when the worker has not been reading for long. */
int link_send(struct link_to_worker *link, const struct message *message);

#endif
