/*
 * shelf.h: the models in the voices folder, loaded.
 *
 * Read once, when the process starts; a folder that has changed is read by a
 * new process.  A file that is no voice is a note with the reason, and costs
 * the others nothing.
 */
#ifndef ENGINE_VITS_SHELF_H
#define ENGINE_VITS_SHELF_H

#include "engine/engine.h"
#include "engine/vits/model.h"
#include "engine/vits/pace.h"

/* Files called *.onnx that are looked at: each takes 100 MB and more. */
#define SHELF_MODELS_MAX 64

/* The runtime's name in the folder. */
#define SHELF_RUNTIME "libonnxruntime.so"

/* In the environment: the path of another one, a distribution's own perhaps. */
#define SHELF_RUNTIME_VARIABLE "SYRINX_ENGINE_RUNTIME"

struct shelf_model {
	struct model_file *file;
	struct model *model;
	struct pace pace;
};

struct shelf_note {
	char *about;
	char *text;
};

struct shelf {
	struct runtime *runtime; /* NULL: there is none */
	struct shelf_model *models;
	size_t model_count;
	struct shelf_note *notes;
	size_t note_count;
};

/* ENOMEM, or an error that is nobody's file's.  A folder that is not there is
 * an empty shelf. */
int shelf_read(struct shelf **shelfp, const char *directory);

/* The model and the speaker of a voice that was listed; ENOENT. */
int shelf_find(const struct shelf *shelf, const char *voice, const struct shelf_model **modelp,
	       const struct model_speaker **speakerp);

#endif
