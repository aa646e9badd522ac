/*
 * model_dir.h: loads the models of the voices directory.
 *
 * The directory is read once, when the process starts; after a change, the server starts a
 * new process. For a file that is not usable as a voice there is a note with the reason, and
 * the other voices are unaffected.
 */
#ifndef ENGINE_VITS_MODEL_DIR_H
#define ENGINE_VITS_MODEL_DIR_H

#include "engine/engine.h"
#include "engine/vits/model.h"
#include "engine/vits/pace.h"

/* The maximum number of *.onnx files that are loaded: each takes 100 MB or more. */
#define MODEL_DIR_MODELS_MAX 64

struct loaded_model {
	struct model_file *file;
	struct model *model;
	struct pace pace;
};

struct model_dir_note {
	char *about;
	char *text;
};

struct model_dir {
	struct runtime *runtime; /* NULL: there is none */
	struct loaded_model *models;
	size_t model_count;
	struct model_dir_note *notes;
	size_t note_count;
};

/* Makes an object of base/mem.h, which never changes. A directory that is NULL or missing is
 * treated as empty; for one that cannot be read there is a note. ENOMEM, or another error that
 * does not concern a single file. */
int model_dir_read(struct model_dir **dirp, const char *directory);

/* Finds the model and the speaker of a voice by its name; both belong to `dir`. ENOENT. */
int model_dir_find(const struct model_dir *dir, const char *voice,
		   const struct loaded_model **modelp, const struct model_speaker **speakerp);

#endif
