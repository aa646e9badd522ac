/*
 * refusal.h: why a server refused a connection, in words.
 */
#ifndef CLI_REFUSAL_H
#define CLI_REFUSAL_H

/* Of "HTTP 403: {"error":"Forbidden",…}", as ws_client_open says it, leaves "HTTP 403:
 * Forbidden"; anything else stays as it is.  The JSON may have been cut. */
void refusal_shorten(char *why);

#endif
