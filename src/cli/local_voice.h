/*
 * local_voice.h: starts the engine of one voice, without a server.
 */
#ifndef CLI_LOCAL_VOICE_H
#define CLI_LOCAL_VOICE_H

#include <stdint.h>

#include "cli/local_speech.h"

/* Starts the engine that speaks the voice, which is named as for voice_list_find, and if possible
 * no other, because loading the neural model takes seconds. For an id that is not known, all
 * engines are started, and it is left to the session to refuse it. Errors are printed. */
int local_voice_open(struct local_speech *speech, int64_t *id, const struct config *config,
		     const char *name);

#endif
