/*
 * model_kokoro.c: Kokoro models (see model.h).
 *
 * Their decoder normalises over the whole utterance, so it cannot be run in
 * windows: the utterance, which script.c keeps to a clause here, is made at
 * once, and the windows are pieces of it.  A speaker is a file of vectors, one
 * for each length of text.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/vits/model_private.h"

#define STYLE_LEN 256 /* numbers of one vector */

/* Windows are asked for in frames; here a frame is just a round number. */
#define FRAME_LEN 256

struct style {
	const struct model_speaker *speaker;
	float *vectors;
	size_t count;
};

struct model_of_kokoro {
	struct model model;
	struct network *network;
	struct style *styles;
	size_t style_count;
};

struct take_of_kokoro {
	struct take take;
	float *samples;
};

static void model_destroy(void *object)
{
	struct model_of_kokoro *model = object;

	for (size_t i = 0; i < model->style_count; ++i)
		free(model->styles[i].vectors);
	free(model->styles);
	mem_deref(model->network);
}

static void take_destroy(void *object)
{
	struct take_of_kokoro *take = object;

	free(take->samples);
}

static int no_memory(char why[RUNTIME_WHY_SIZE])
{
	snprintf(why, RUNTIME_WHY_SIZE, "%s", strerror(ENOMEM));
	return ENOMEM;
}
