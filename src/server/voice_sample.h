/*
 * voice_sample.h: samples of derived voices, which are stored as files.
 */
#ifndef SERVER_VOICE_SAMPLE_H
#define SERVER_VOICE_SAMPLE_H

#include "server/server_private.h"

/* On the store's thread (see store_request.h): deletes the file of a voice, if there is one. */
void voice_sample_remove(const struct server *server, int64_t id);

#endif
