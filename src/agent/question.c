/*
 * question.c: writes what an answerer is asked (see question.h).
 */
#include "agent/question.h"

#include <errno.h>
#include <stdlib.h>

#include "wire/engine_reply.h"

int question_write(struct buf *out, int64_t event_id, const struct answerer_said *said,
		   size_t count)
{
	struct llm_turn *turns;
	size_t left = ANSWERER_SAID_MAX;
	int err = 0;

	if (count > ANSWERER_ENTRIES_MAX)
		return ENOBUFS;
	turns = calloc(count ? count : 1, sizeof(*turns));
	if (!turns)
		return ENOMEM;
	for (size_t i = 0; i < count && !err; ++i) {
		if (said[i].len > left)
			err = ENOBUFS;
		else
			left -= said[i].len;
		turns[i] = (struct llm_turn){said[i].by_agent ? LLM_AGENT : LLM_USER, said[i].text,
					     said[i].len};
	}
	if (!err)
		err = engine_say_transcript(out, turns, count, event_id);
	free(turns);
	return err;
}
