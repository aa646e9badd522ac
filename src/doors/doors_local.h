/*
 * doors_local.h: what programs use of vendors' APIs without serving them.
 */
#ifndef DOORS_DOORS_LOCAL_H
#define DOORS_DOORS_LOCAL_H

#include "account/engine_token.h"
#include "session/socket_api.h"

/* The native stream, which a program can speak through by itself. */
extern const struct socket_api *const doors_local_stream;

/* The tokens that speech engines connect with. */
extern const struct engine_token_rules *const doors_local_engine_tokens;

/* The ids of voices like the one that a vendor calls by this name, the best first and up to a 0;
 * NULL when no vendor has such a voice.  Case does not matter. */
const int64_t *doors_local_voice(const char *name, size_t len);

#endif
