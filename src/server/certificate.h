/*
 * certificate.h: the server's certificate and private key, at the start and anew.
 *
 * On the loop.  A connection keeps the certificate that it began with.
 */
#ifndef SERVER_CERTIFICATE_H
#define SERVER_CERTIFICATE_H

#include "server/config.h"

struct server;

/* Reads the files of the configuration, if it has any.  What is wrong is logged. */
int certificate_open(struct server *server);

/* Reads the files that the new configuration names; connections that are accepted from now on
 * use them.  If they cannot be used, what is wrong is logged and the certificate stays the one
 * it was.  In *fresh the names become those of the running configuration, for nothing is left
 * to be done about them; whether there is TLS at all cannot change without a restart. */
void certificate_reload(struct server *server, struct config *fresh);

#endif
