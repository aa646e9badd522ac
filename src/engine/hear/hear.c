/*
 * hear.c: an engine that listens, with models that were installed: Silero's detector of voice
 * activity, Moonshine, Whisper.
 *
 * Many streams share one copy of the weights. The models are in the folder SYRINX_MODELS.
 */
#include "base/mem.h"
#include "engine/hear/hear_models.h"
#include "engine/listener.h"

/* Streams at once: what thirty cores hear. */
#define JOBS_MAX 256

static int hear_open(void **statep, const struct engine_options *options)
{
	struct hear_models *models;
	int err = hear_models_read(&models, options);

	if (!err)
		*statep = models;
	return err;
}

static int hear_list_models(void *state, listener_model_h *each, void *arg)
{
	const struct hear_models *models = state;
	int err = 0;

	for (size_t i = 0; i < models->model_count && !err; ++i) {
		const struct listener_model model = {models->models[i].name,
						     models->models[i].recognizer};

		err = each(&model, arg);
	}
	return err;
}

static int hear_list_notes(void *state, engine_note_h *each, void *arg)
{
	const struct hear_models *models = state;
	int err = 0;

	for (size_t i = 0; i < models->note_count && !err; ++i) {
		const struct engine_note note = {models->notes[i].about, models->notes[i].text};

		err = each(&note, arg);
	}
	return err;
}

static int hear_score(void *state, struct vad_frame *frames, size_t count,
		      char why[RUNTIME_WHY_SIZE])
{
	const struct hear_models *models = state;

	return vad_score(models->vad, frames, count, why);
}

static void hear_close(void *state)
{
	mem_deref(state);
}

static const struct listener hear_listener = {
	.name = "hear",
	.jobs_max = JOBS_MAX,
	.open = hear_open,
	.models = hear_list_models,
	.notes = hear_list_notes,
	.score = hear_score,
	.close = hear_close,
};

const struct listener *const listener_main = &hear_listener;
