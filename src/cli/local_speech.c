/*
 * local_speech.c: runs engines without a server (see local_speech.h).
 */
#include "cli/local_speech.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

static void local_speech_on_ready(void *arg)
{
	loop_stop(arg);
}

int local_speech_open_some(struct local_speech *speech, const struct config *config,
			   const struct engines_choice *choice)
{
	int err = loop_alloc(&speech->loop);

	if (!err)
		err = engines_open_some(&speech->pool, speech->loop, config, choice);
	if (err) {
		local_speech_close(speech);
		return err;
	}
	pool_on_ready(speech->pool, local_speech_on_ready, speech->loop);
	loop_run(speech->loop);
	return 0;
}

int local_speech_open(struct local_speech *speech, const struct config *config)
{
	static const struct engines_choice all;
	int err = local_speech_open_some(speech, config, &all);

	if (err)
		fprintf(stderr, "syrinx: no engine could be started from %s: %s\n",
			config->engines_dir, strerror(err));
	return err;
}

void local_speech_close(struct local_speech *speech)
{
	speech->pool = mem_deref(speech->pool);
	speech->loop = mem_deref(speech->loop);
}
