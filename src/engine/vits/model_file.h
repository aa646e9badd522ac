/*
 * model_file.h: what a model file's companions say about it.
 *
 * NAME.onnx has NAME.onnx.json beside it, in Piper's form, or NAME.tokens.txt
 * (lines of a symbol and its id) and notes inside the model (sherpa-onnx's
 * exports).  A member
 * "syrinx" of the JSON, which our own install step writes and a user may, adds
 * what Piper has no place for:
 *
 *   "syrinx": {
 *     "family": "vits",             or "kokoro"
 *     "licence": "CC BY 4.0 …",
 *     "speakers": [ {"name": "clara", "title": "Clara", "speaker": 12,
 *                    "sex": "female", "gain_db": -2.5}, … ]
 *   }
 *
 * A speaker of a Kokoro model has "style_file" besides, a file in the model's
 * folder, and may have "espeak_voice" and "language" of its own.
 *
 * Without "speakers" a model with one speaker is one voice, called NAME; of a
 * model with more, the first MODEL_FILE_SPEAKERS_MAX are voices.
 */
#ifndef ENGINE_VITS_MODEL_FILE_H
#define ENGINE_VITS_MODEL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/engine.h"
#include "engine/vits/onnx.h"

/* Voices of one model in the catalogue: a list that people can still read. */
#define MODEL_FILE_SPEAKERS_MAX 64

/* Names of voices are shorter: the server's catalogue has no room for more. */
#define MODEL_FILE_NAME_MAX 48

/* Bytes of a companion.  The largest that is known, of a model with thousands
 * of speakers, has 100 KiB; more than this is no companion but a mistake. */
#define MODEL_FILE_SIZE_MAX (4u << 20)

enum model_family { MODEL_VITS, MODEL_KOKORO };

struct model_speaker {
	char *name; /* unique in the engine: "NAME" or "NAME:speaker" */
	char *title;
	char *style_file; /* Kokoro's vectors of this speaker: a name in the folder; or NULL */
	char *espeak_voice; /* NULL: the model's */
	char language[8]; /* "": the model's */
	int64_t speaker; /* the model's `sid` */
	enum engine_sex sex;
	bool has_gain; /* else it is measured when the model is loaded */
	float gain_db;
};

/* Ids of one phoneme (a code point); sorted by it. */
struct model_symbol {
	uint32_t code_point;
	int64_t id;
};

struct model_file {
	enum model_family family;
	char *path; /* of the .onnx */
	char *name; /* NAME */
	char *licence; /* "" when nobody said */
	char *espeak_voice; /* "en-us" */
	char language[8]; /* "en" */
	uint32_t sample_rate;
	enum engine_quality quality;
	float noise_scale, length_scale, noise_w; /* the model's own defaults */
	int64_t speaker_count; /* 1: the graph may have no `sid` */
	struct model_symbol *symbols;
	size_t symbol_count;
	size_t symbols_ignored; /* entries of several code points: phonemes are single ones */
	struct model_speaker *speakers;
	size_t speaker_count_listed;
};

/* `onnx` is the parsed model, for its notes; NULL: it has none.  EINVAL: a
 * companion is missing, is no JSON, or lacks what the engine cannot guess (`why`
 * names the line or the member).  A model whose text is not phonemes of eSpeak NG
 * ("phoneme_type": "text") is refused, too.  ENOMEM, or why a file that is there
 * cannot be read.  An object of base/mem.h. */
int model_file_read(struct model_file **filep, const char *path, const struct onnx *onnx, char *why,
		    size_t why_size);

/* A companion for reading.  EINVAL: it is no file; a pipe would be waited for for
 * ever. */
int model_file_open(FILE **streamp, const char *path);

/* The id of a phoneme, or -1. */
int64_t model_file_id(const struct model_file *file, uint32_t code_point);

#endif
