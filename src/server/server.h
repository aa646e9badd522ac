/*
 * server.h: the server process, whole.
 */
#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include "server/config.h"

/* Serves until a signal ends it.  What went wrong before that was logged; the
 * caller has opened nothing that this needs. */
int server_main(const struct config *config);

#endif
