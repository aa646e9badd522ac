/*
 * fake_listener.c: an engine that listens and does what the audio tells it, for tests of the runner.
 *
 * The first sample of a frame, in thousandths, is its probability of speech. The last sample of a piece is
 * what its recognizer does: 1 hears "word", 2 fails, 3 computes for ever, 4 ends the process, 5 waits
 * until it is cancelled; anything else hears nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/listener.h"
#include "workers/message.h"

enum { DO_WORD = 1, DO_FAIL, DO_HANG, DO_CRASH, DO_WAIT };

static int fake_listener_recognize(const struct recognizer *recognizer,
				   struct recognizer_result *result,
				   const struct recognizer_piece *piece, char why[RUNTIME_WHY_SIZE])
{
	const struct recognizer_word word = {
		.byte_end = 4, .sample_end = piece->count, .probability = 0.5f};
	volatile bool goes_on = true;

	(void)recognizer;
	switch ((int)(piece->samples[piece->count - 1] * 32768)) {
	case DO_WORD:
		return buf_append_str(&result->text, "word") || recognizer_result_add(result, &word)
			       ? ENOMEM
			       : 0;
	case DO_FAIL:
		snprintf(why, RUNTIME_WHY_SIZE, "it was told to fail");
		return EINVAL;
	case DO_HANG:
		while (goes_on)
			;
		return 0;
	case DO_CRASH:
		abort();
	case DO_WAIT:
		while (!piece->is_cancelled(piece->arg))
			;
		return ECANCELED;
	default:
		return 0;
	}
}

static const struct recognizer_family fake_listener_family = {.name = "fake",
							      .recognize = fake_listener_recognize};

static const struct recognizer fake_listener_recognizer = {
	.family = &fake_listener_family,
	.title = "Fake",
	.languages = "en de",
	.licence = "",
	.capabilities = MESSAGE_MODEL_TIMES | MESSAGE_MODEL_PARTIALS,
	.longest = 160000,
};

static int fake_listener_open(void **statep, const struct engine_options *options)
{
	(void)options;
	*statep = NULL;
	return 0;
}

static int fake_listener_models(void *state, listener_model_h *each, void *arg)
{
	(void)state;
	return each(&(struct listener_model){"fake", &fake_listener_recognizer}, arg);
}

static int fake_listener_notes(void *state, engine_note_h *each, void *arg)
{
	(void)state;
	return each(&(struct engine_note){"about", "a note"}, arg);
}

static int fake_listener_score(void *state, struct vad_frame *frames, size_t count,
			       char why[RUNTIME_WHY_SIZE])
{
	(void)state;
	(void)why;
	for (size_t i = 0; i < count; ++i)
		frames[i].probability = (float)frames[i].samples[0] / 1000;
	return 0;
}

static void fake_listener_close(void *state)
{
	(void)state;
}

static const struct listener fake_listener = {
	.name = "fake",
	.jobs_max = 8,
	.open = fake_listener_open,
	.models = fake_listener_models,
	.notes = fake_listener_notes,
	.score = fake_listener_score,
	.close = fake_listener_close,
};

const struct listener *const listener_main = &fake_listener;
