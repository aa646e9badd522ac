/*
 * local_speech.h: runs engines without a server, for commands that speak or list voices on their
 * own.
 */
#ifndef CLI_LOCAL_SPEECH_H
#define CLI_LOCAL_SPEECH_H

#include "loop/loop.h"
#include "server/config.h"
#include "server/engines.h"
#include "speech/pool.h"

struct local_speech {
	struct loop *loop;
	struct pool *pool;
};

/* Starts the engines and waits until they are ready. Errors are printed. */
int local_speech_open(struct local_speech *speech, const struct config *config);

/* Starts only some of the engines, and prints nothing. ENOENT if none of them is installed. */
int local_speech_open_some(struct local_speech *speech, const struct config *config,
			   const struct engines_choice *choice);
void local_speech_close(struct local_speech *speech);

#endif
