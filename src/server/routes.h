/*
 * routes.h: what there is to know of the routes outside of the server.
 */
#ifndef SERVER_ROUTES_H
#define SERVER_ROUTES_H

/* The door that a path leads to, if it is one to speak through: its pattern, the same
 * with and without /11labs, and the same for both of ElevenLabs' sockets, whose
 * clients get one kind of token for them.  NULL: it is none.  Static. */
const char *routes_door(const char *path);

/* The pattern of the route that a GET of the path comes to; NULL: there is none.  Static. */
const char *routes_pattern(const char *path);

#endif
