/*
 * certificate.h: loads the server's TLS certificate and private key, at start and on reload.
 *
 * Runs on the loop's thread.  A connection keeps the certificate that it began with.
 */
#ifndef SERVER_CERTIFICATE_H
#define SERVER_CERTIFICATE_H

#include "server/config.h"

struct server;

/* Reads the files that the configuration names, if any.  Errors are logged. */
int certificate_open(struct server *server);

/* Reads the files that the new configuration names; connections accepted afterwards use them.  If
 * they cannot be used, the error is logged and the current certificate stays in use.  In either
 * case the file names in *fresh are set to those of the running configuration, so that they are not
 * reported as needing a restart.  Whether there is TLS at all cannot change without a restart. */
void certificate_reload(struct server *server, struct config *fresh);

#endif
