/*
 * local_voice.h: engines for one voice, without a server.
 */
#ifndef CLI_LOCAL_VOICE_H
#define CLI_LOCAL_VOICE_H

#include <stdint.h>

#include "cli/local_speech.h"

/* Starts the engine that speaks the voice, which is named as for voice_list_find, and no other
 * where that is possible: loading the neural model takes seconds.  An id that no engine knows
 * starts them all and is left for the session to refuse.  What went wrong was printed. */
int local_voice_open(struct local_speech *speech, int64_t *id, const struct config *config,
		     const char *name);

#endif
