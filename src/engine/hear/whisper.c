/*
 * whisper.c: Whisper's models as recognizers (see recognizer.h).
 *
 * Their window is always 30 seconds, however short the piece is, so they are too slow for partial
 * results: they recognize whole utterances.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "engine/hear/token_words.h"
#include "engine/hear/whisper_decode.h"
#include "engine/hear/whisper_model.h"

/* Samples of one of the tokens' frames. */
#define FRAME (2 * MEL_HOP)

static const char *const whisper_files[] = {
	"config.json",
	"tokenizer.json",
	"onnx/encoder_model_quantized.onnx",
	"onnx/decoder_model_merged_quantized.onnx",
	NULL,
};

/* Whisper says "you" or "Thank you." when nobody speaks.  A piece is silence, whatever the words are,
 * if the model thinks so and has too little confidence in its words; the surer it is, the more
 * confidence is needed.  With the tiny model noise, tones, clicks and nothing at all had a probability
 * of silence of 0.6 to 0.97 and a mean logarithm below -0.45.  Of 145 recordings of words, digits and
 * letters two had more than 0.45, both of them single letters that it did not understand. */
static bool whisper_is_silence(const struct whisper_tokens *tokens)
{
	static const struct {
		float no_speech, mean_log;
	} limits[] = {{0.98f, 1}, {0.8f, -0.25f}, {0.6f, -0.7f}, {0.3f, -1.5f}};

	for (size_t i = 0; i < COUNT(limits); ++i)
		if (tokens->no_speech > limits[i].no_speech &&
		    tokens->mean_log < limits[i].mean_log)
			return true;
	return false;
}

/* The sample in which a token begins, from the frame in which the decoder begins to attend to it. */
static size_t whisper_sample(const struct whisper_model *model, size_t frame, size_t samples)
{
	ptrdiff_t sample = (ptrdiff_t)(frame * FRAME) + model->delay;

	if (frame == 0 || sample < 0)
		return 0;
	return (size_t)sample < samples ? (size_t)sample : samples;
}

static int whisper_add_words(struct recognizer_result *result, const struct whisper_model *model,
			     const struct token_words *words, const struct whisper_tokens *tokens,
			     size_t samples)
{
	const size_t *starts = tokens->starts;
	int err = 0;

	for (size_t i = 0; i < words->count && !err; ++i) {
		const struct token_word *from = &words->words[i];
		struct recognizer_word word = {
			.byte_start = from->byte_start,
			.byte_end = from->byte_end,
			.probability = from->probability,
		};

		if (tokens->has_starts) {
			word.sample_start =
				whisper_sample(model, starts[from->first_token], samples);
			word.sample_end = whisper_sample(model, starts[from->end_token], samples);
		}
		err = recognizer_result_add(result, &word);
	}
	return err;
}

static int whisper_write(struct recognizer_result *result, const struct whisper_model *model,
			 const struct whisper_tokens *tokens, size_t samples)
{
	struct token_words_token spelled[WHISPER_TOKENS_MAX];
	struct token_words words;
	int err;

	for (size_t i = 0; i < tokens->count; ++i) {
		struct bpe_token token = bpe_token(model->bpe, (size_t)tokens->ids[i]);

		spelled[i] = (struct token_words_token){token.bytes, token.len,
							tokens->probabilities[i]};
	}
	err = token_words_split(&words, &result->text, spelled, tokens->count);
	if (!err)
		err = whisper_add_words(result, model, &words, tokens, samples);
	free(words.words);
	return err;
}

static int whisper_recognize(const struct recognizer *recognizer, struct recognizer_result *result,
			     const struct recognizer_piece *piece, char why[RUNTIME_WHY_SIZE])
{
	const struct whisper_model *model = (const struct whisper_model *)recognizer;
	struct whisper_tokens tokens = {
		.language = whisper_model_find_language(model, piece->language)};
	int err = whisper_decode(&tokens, model, piece, why);

	if (err)
		return err;
	snprintf(result->language, sizeof(result->language), "%s",
		 tokens.language ? tokens.language->code : "en");
	result->language_probability = tokens.language_probability;
	return whisper_is_silence(&tokens) ? 0
					   : whisper_write(result, model, &tokens, piece->count);
}

/* A moment of silence: it shows whether the files fit together, and the first caller does not have to
 * wait for what the runtime does only once. */
static int whisper_try(const struct whisper_model *model, char why[RUNTIME_WHY_SIZE])
{
	static const float silence[FRAME];
	const struct recognizer_piece piece = {.samples = silence,
					       .count = FRAME,
					       .language = "",
					       .prompt = "",
					       .want_times = true};
	struct whisper_tokens tokens = {0};

	return whisper_decode(&tokens, model, &piece, why);
}

static int whisper_open(struct recognizer **recognizerp, struct runtime *runtime,
			const char *folder, char why[RUNTIME_WHY_SIZE])
{
	struct whisper_model *model;
	int err = whisper_model_open(&model, runtime, folder, why);

	if (err)
		return err;
	err = whisper_try(model, why);
	if (err)
		mem_deref(model);
	else
		*recognizerp = &model->recognizer;
	return err;
}

const struct recognizer_family recognizer_whisper = {
	.name = "whisper",
	.files = whisper_files,
	.open = whisper_open,
	.recognize = whisper_recognize,
};
