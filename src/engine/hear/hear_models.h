/*
 * hear_models.h: the models in the folder of models.
 *
 * Each is a folder of its own, and its files decide what it is: `model.onnx` alone is a detector of
 * voice activity, and a family of recognizers has files of its own (recognizer.h). The folder's name is
 * the model's name. For what cannot be used there is a note with the reason, and the other models are
 * unaffected. The folder is read once, when the process starts; after a change, the server starts a new
 * process.
 */
#ifndef ENGINE_HEAR_HEAR_MODELS_H
#define ENGINE_HEAR_HEAR_MODELS_H

#include "engine/engine.h"
#include "engine/hear/recognizer.h"
#include "engine/hear/vad.h"
#include "engine/listener.h"

struct hear_note {
	char *about;
	char *text;
};

struct hear_model {
	char *name;
	struct recognizer *recognizer;
	size_t rank; /* of its family */
	uint64_t size; /* of its files */
};

struct hear_models {
	struct runtime *runtime; /* NULL: there is none */
	struct vad *vad; /* NULL: there is none, and no model */
	struct hear_model *models; /* the default one first */
	size_t model_count;
	struct hear_note *notes;
	size_t note_count;
};

/* Makes an object of base/mem.h, which never changes. A folder that is NULL or missing is treated as
 * empty. The runtime is looked for there, then in the folder of voices. ENOMEM, or another error that
 * does not concern a single model. */
int hear_models_read(struct hear_models **modelsp, const struct engine_options *options);

#endif
