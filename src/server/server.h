/*
 * server.h: the server process, whole.
 */
#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include "server/config.h"

/* Callers can come: HOST:PORT, with the port that the kernel chose for 0. */
typedef void(server_listening_h)(const char *address, void *arg);

/* Serves until a signal ends it.  What went wrong before that was logged; the
 * caller has opened nothing that this needs.  `listening` may be NULL. */
int server_main(const struct config *config, server_listening_h *listening, void *arg);

#endif
