/*
 * local_speech.h: the engines without a server, for commands that speak or
 * list voices by themselves.
 */
#ifndef CLI_LOCAL_SPEECH_H
#define CLI_LOCAL_SPEECH_H

#include "loop/loop.h"
#include "server/config.h"
#include "synth/pool.h"

struct local_speech {
	struct loop *loop;
	struct pool *pool;
};

/* Starts the engines and waits until they have answered.  What went wrong was
 * printed. */
int local_speech_open(struct local_speech *speech, const struct config *config);
void local_speech_close(struct local_speech *speech);

#endif
