/*
 * model_file.h: the metadata files that accompany a model.
 *
 * Beside NAME.onnx there is NAME.onnx.json, in Piper's format, or NAME.tokens.txt (lines of
 * a symbol and its id) with metadata inside the model (sherpa-onnx's exports). A member
 * "syrinx" of the JSON, written by our installer or by a user, adds what Piper's format
 * lacks:
 *
 *     "syrinx": {
 *       "family": "vits",             or "kokoro"
 *       "licence": "CC BY 4.0 …",
 *       "speakers": [ {"name": "clara", "title": "Clara", "speaker": 12,
 *                      "sex": "female", "gain_db": -2.5}, … ]
 *     }
 *
 * A speaker of a Kokoro model also has "style_file", a file in the model's directory, and
 * may have its own "espeak_voice" and "language".
 *
 * Without "speakers", a model with one speaker is one voice, called NAME; of a model with
 * more, the first MODEL_FILE_SPEAKERS_MAX are voices.
 */
#ifndef ENGINE_VITS_MODEL_FILE_H
#define ENGINE_VITS_MODEL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/engine.h"
#include "engine/neural/onnx.h"

/* The maximum number of voices of one model, so that the catalogue stays readable. */
#define MODEL_FILE_SPEAKERS_MAX 64

/* The maximum length of a voice's name, which the server's catalogue limits. */
#define MODEL_FILE_NAME_MAX 48

/* The maximum size of a metadata file. The largest known, of a model with thousands of
 * speakers, has 100 KiB; a larger file than this is a mistake. */
#define MODEL_FILE_SIZE_MAX (4u << 20)

enum model_family { MODEL_VITS, MODEL_KOKORO };

struct model_speaker {
	char *name; /* unique in the engine: "NAME" or "NAME:speaker" */
	char *title;
	/* the file of a Kokoro speaker's style vectors, in the model's directory; or NULL */
	char *style_file;
	char *espeak_voice; /* NULL: the model's */
	char language[8]; /* "": the model's */
	int64_t speaker; /* the model's `sid` */
	enum engine_sex sex;
	bool has_gain; /* when false, it is measured when the model is loaded */
	float gain_db;
};

/* A phoneme (a code point) and its id. Arrays are sorted by code point. */
struct model_symbol {
	uint32_t code_point;
	int64_t id;
};

struct model_file {
	enum model_family family;
	char *path; /* of the .onnx file */
	char *name; /* NAME */
	char *licence; /* "" when it is not known */
	char *espeak_voice; /* "en-us" */
	char language[8]; /* "en" */
	uint32_t sample_rate;
	enum engine_quality quality;
	float noise_scale, length_scale, noise_w; /* the model's own defaults */
	int64_t speaker_count; /* with 1 the graph may lack `sid` */
	struct model_symbol *symbols;
	size_t symbol_count;
	size_t symbols_ignored; /* entries of several code points, which phonemes never have */
	struct model_speaker *speakers;
	size_t speaker_count_listed;
};

/* Reads the metadata of the model at `path`, NAME.onnx. `onnx` is the parsed model, for the
 * metadata inside it; it is needed only during the call and may be NULL. EINVAL: a metadata file is
 * missing, is not JSON, or lacks what the engine cannot guess (`why` names the line or the
 * member). A model whose input is not phonemes of eSpeak NG ("phoneme_type": "text") is also
 * refused. ENOMEM, or the error of reading an existing file. An object of base/mem.h. */
int model_file_read(struct model_file **filep, const char *path, const struct onnx *onnx, char *why,
		    size_t why_size);

/* Opens a metadata file for reading. EINVAL: it is not a regular file; a pipe would block for
 * ever. */
int model_file_open(FILE **streamp, const char *path);

/* The id of a phoneme, or -1. */
int64_t model_file_id(const struct model_file *file, uint32_t code_point);

#endif
