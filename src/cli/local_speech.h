/*
 * local_speech.h: the engines without a server, for commands that speak or
 * list voices by themselves.
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

/* Starts the engines and waits until they have answered.  What went wrong was
 * printed. */
int local_speech_open(struct local_speech *speech, const struct config *config);

/* The same with some of the engines; says nothing.  ENOENT: none of them is there. */
int local_speech_open_some(struct local_speech *speech, const struct config *config,
			   const struct engines_choice *choice);
void local_speech_close(struct local_speech *speech);

#endif
