/*
 * voice_sample.h: what a derived voice sounds like, kept as a file.
 */
#ifndef SERVER_VOICE_SAMPLE_H
#define SERVER_VOICE_SAMPLE_H

#include "server/server_private.h"

/* On the store's thread: the file of a voice goes, if there is one. */
void voice_sample_remove(const struct server *server, int64_t id);

#endif
