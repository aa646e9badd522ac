/*
 * whisper_model.h: a Whisper model that was read from its folder.
 *
 * The layout is that of the models for transformers.js:
 *
 *     config.json  tokenizer.json  generation_config.json (may be missing)
 *     onnx/encoder_model_quantized.onnx  onnx/decoder_model_merged_quantized.onnx
 *
 * It never changes after it was opened, so any number of threads may use it.
 */
#ifndef ENGINE_HEAR_WHISPER_MODEL_H
#define ENGINE_HEAR_WHISPER_MODEL_H

#include "engine/hear/bpe.h"
#include "engine/hear/decoder.h"
#include "engine/hear/mel.h"
#include "engine/hear/recognizer.h"
#include "engine/hear/whisper_settings.h"
#include "engine/neural/runtime.h"

/* Whisper has 99 languages, its third version 100. */
#define WHISPER_LANGUAGES_MAX 128
#define WHISPER_CODE_SIZE 4 /* "yue" and a NUL */

struct whisper_language {
	uint32_t mark;
	char code[WHISPER_CODE_SIZE];
};

struct whisper_model {
	struct recognizer recognizer;
	struct whisper_settings settings;
	struct mel *mel;
	struct bpe *bpe;
	struct network *encoder;
	struct decoder *decoder;
	/* The marks that every model has, and one for silence that is WHISPER_NO_MARK if it is not
	 * in the vocabulary. */
	uint32_t start, end, transcribe, no_times, no_speech;
	struct whisper_language languages[WHISPER_LANGUAGES_MAX];
	size_t language_count; /* 0: the model knows only English */
	/* For each token whether it is never chosen: marks and suppressed tokens. */
	bool *is_refused;
	/* How many samples later a token is said than the frame in which the decoder begins to attend
	 * to it; negative if earlier. */
	int delay;
	char title[64];
	char codes[WHISPER_LANGUAGES_MAX * WHISPER_CODE_SIZE];
};

#define WHISPER_NO_MARK UINT32_MAX

/* Opens the model in a folder, an object of base/mem.h.  ENOENT and other errors of the file system,
 * EINVAL when a file is not what it should be, ENOMEM; `why` is a reason for people. */
int whisper_model_open(struct whisper_model **modelp, struct runtime *runtime, const char *folder,
		       char why[RUNTIME_WHY_SIZE]);

/* The language of a code, of which only the part before a hyphen counts; NULL if the model does not
 * know it. */
const struct whisper_language *whisper_model_find_language(const struct whisper_model *model,
							   const char *code);

#endif
