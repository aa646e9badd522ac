/*
 * whisper_decode.c: a piece of audio to tokens, with a Whisper model (see whisper_decode.h).
 */
#include "engine/hear/whisper_decode.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/hear/align.h"
#include "engine/hear/repeat.h"

/* Tokens that precede the text, in a model with languages and in one without. */
#define PREFIX_MAX 4
#define PREFIX_MIN 2

/* A model that repeats itself or invents text is stopped here.  The languages with the most tokens
 * need 20 in a second. */
#define TOKENS_PER_SECOND 25
#define TOKENS_MIN 24

/* Samples of a column of the encoder's output. */
#define FRAME (2 * MEL_HOP)

/* A piece on its way through the model. */
struct whisper_decoding {
	const struct whisper_model *model;
	const struct recognizer_piece *piece;
	struct whisper_tokens *tokens;
	struct decoding *decoding;
	struct decoding_step step; /* the last one */
	struct align_weights attention; /* rows of what has been read */
	size_t attention_rows_max;
};

static int whisper_decode_encode(struct whisper_decoding *work, char why[RUNTIME_WHY_SIZE])
{
	const struct whisper_model *model = work->model;
	const struct whisper_settings *settings = &model->settings;
	size_t frames = (size_t)settings->positions * 2;
	float *features = malloc(frames * settings->bins * sizeof(*features));
	struct tensor input = {.name = "input_features",
			       .type = TENSOR_F32,
			       .rank = 3,
			       .dims = {1, settings->bins, (int64_t)frames},
			       .f32 = features};
	struct tensor heard = {.name = "last_hidden_state"};
	int err;

	if (!features)
		return ENOMEM;
	mel_compute(model->mel, features, frames, work->piece->samples, work->piece->count);
	err = network_run(model->encoder, &input, 1, &heard, 1, why);
	free(features);
	if (err)
		return err;
	err = decoding_alloc(&work->decoding, model->decoder, &heard, why);
	tensor_release(&heard);
	return err;
}

/* Appends what the chosen heads looked at in the last step. */
static int whisper_decode_add_attention(struct whisper_decoding *work)
{
	const struct whisper_settings *settings = &work->model->settings;
	struct align_weights *attention = &work->attention;
	size_t row_len = attention->heads * attention->frames;
	float *out;

	if (attention->rows == work->attention_rows_max) {
		size_t max = attention->rows ? attention->rows * 2 : 32;

		out = realloc(attention->weights, max * row_len * sizeof(*out));
		if (!out)
			return ENOMEM;
		attention->weights = out;
		work->attention_rows_max = max;
	}
	out = attention->weights + attention->rows++ * row_len;
	for (size_t i = 0; i < attention->heads; ++i) {
		const struct whisper_head *head = &settings->aligned[i];

		memcpy(out + i * attention->frames,
		       work->step.attention[head->layer] + head->head * work->step.frames,
		       attention->frames * sizeof(*out));
	}
	return 0;
}

/* Reads a token.  Then the last step has the scores of what follows it. */
static int whisper_decode_read(struct whisper_decoding *work, int64_t token,
			       char why[RUNTIME_WHY_SIZE])
{
	const struct recognizer_piece *piece = work->piece;
	const struct whisper_settings *settings = &work->model->settings;
	int err;

	if (piece->is_cancelled && piece->is_cancelled(piece->arg))
		return ECANCELED;
	err = decoding_next(work->decoding, &work->step, token, piece->want_times, why);
	if (err)
		return err;
	if (work->step.score_count != settings->vocabulary ||
	    work->step.layers != settings->layers || work->step.heads != settings->heads ||
	    work->step.frames != settings->positions) {
		snprintf(why, RUNTIME_WHY_SIZE, "the decoder does not agree with config.json");
		return EINVAL;
	}
	return piece->want_times ? whisper_decode_add_attention(work) : 0;
}

/* The likelihood of one id, from the scores of all. */
static float whisper_decode_likelihood(const float *scores, size_t count, size_t id)
{
	double sum = 0;

	for (size_t i = 0; i < count; ++i)
		sum += exp((double)scores[i] - (double)scores[id]);
	return (float)(1 / sum);
}

/* The likeliest language by the scores of what follows the start. */
static const struct whisper_language *whisper_decode_detect(struct whisper_decoding *work)
{
	const struct whisper_model *model = work->model;
	float scores[WHISPER_LANGUAGES_MAX];
	size_t best = 0;

	for (size_t i = 0; i < model->language_count; ++i) {
		scores[i] = work->step.scores[model->languages[i].mark];
		if (scores[i] > scores[best])
			best = i;
	}
	work->tokens->language_probability =
		whisper_decode_likelihood(scores, model->language_count, best);
	return &model->languages[best];
}

/* Reads what precedes the text: the start, the language and the task of a model with several
 * languages, and that no times are wanted. */
static int whisper_decode_read_prefix(struct whisper_decoding *work, char why[RUNTIME_WHY_SIZE])
{
	const struct whisper_model *model = work->model;
	struct whisper_tokens *tokens = work->tokens;
	const struct whisper_language *language = tokens->language;
	int err = whisper_decode_read(work, model->start, why);

	if (err)
		return err;
	tokens->language_probability = 1;
	if (model->no_speech != WHISPER_NO_MARK)
		tokens->no_speech = whisper_decode_likelihood(
			work->step.scores, work->step.score_count, model->no_speech);
	if (model->language_count > 0) {
		if (!language)
			language = whisper_decode_detect(work);
		tokens->language = language;
		err = whisper_decode_read(work, language->mark, why);
		if (!err)
			err = whisper_decode_read(work, model->transcribe, why);
	}
	return err ? err : whisper_decode_read(work, model->no_times, why);
}

/* The most tokens for a piece of this length. */
static size_t whisper_decode_limit(const struct whisper_decoding *work)
{
	size_t for_length = TOKENS_MIN + work->piece->count * TOKENS_PER_SECOND / RECOGNIZER_RATE;
	size_t for_model = work->model->settings.tokens_max;

	for_model -= for_model < PREFIX_MAX ? for_model : PREFIX_MAX;
	return for_model < for_length ? for_model : for_length;
}

/* Whether a token cannot be the first.  The models' files also suppress the end there, so that
 * silence becomes words; here it remains possible. */
static bool whisper_decode_is_refused_first(const struct whisper_model *model, size_t id)
{
	const struct whisper_ids *ids = &model->settings.begin_suppressed;

	for (size_t i = 0; i < ids->count; ++i)
		if (ids->ids[i] == id && id != model->end)
			return true;
	return false;
}

/* The likeliest token, and its likelihood among those that may be chosen. */
static size_t whisper_decode_choose(const struct whisper_decoding *work, float *likelihood)
{
	const struct whisper_model *model = work->model;
	const float *scores = work->step.scores;
	bool is_first = work->tokens->count == 0;
	size_t best = model->end;
	double sum = 0;

	for (size_t i = 0; i < work->step.score_count; ++i)
		if (!model->is_refused[i] && scores[i] > scores[best] &&
		    !(is_first && whisper_decode_is_refused_first(model, i)))
			best = i;
	for (size_t i = 0; i < work->step.score_count; ++i)
		if (!model->is_refused[i] &&
		    !(is_first && whisper_decode_is_refused_first(model, i)))
			sum += (double)expf(scores[i] - scores[best]);
	*likelihood = (float)(1 / sum);
	return best;
}

/* One token after the other, each the likeliest after those before it. */
static int whisper_decode_read_text(struct whisper_decoding *work, char why[RUNTIME_WHY_SIZE])
{
	struct whisper_tokens *tokens = work->tokens;
	size_t limit = whisper_decode_limit(work);
	double sum_log = 0;
	size_t chosen = 0;
	int err = 0;

	while (!err && tokens->count < limit) {
		float likelihood;
		size_t id = whisper_decode_choose(work, &likelihood);

		sum_log += log((double)likelihood);
		++chosen;
		if (id == work->model->end)
			break;
		tokens->ids[tokens->count] = (int64_t)id;
		tokens->probabilities[tokens->count++] = likelihood;
		if (repeat_cut(tokens->ids, tokens->count) < tokens->count)
			break;
		err = whisper_decode_read(work, (int64_t)id, why);
	}
	tokens->mean_log = chosen > 0 ? (float)(sum_log / (double)chosen) : 0;
	return err;
}

/* A token was chosen when the token before it was read, so that row's weights tell when it was said:
 * the last row of the prefix is that of the first token, and the last row that of the end. */
static int whisper_decode_find_starts(struct whisper_decoding *work)
{
	struct whisper_tokens *tokens = work->tokens;
	struct align_weights *attention = &work->attention;
	size_t prefix = work->model->language_count > 0 ? PREFIX_MAX : PREFIX_MIN;
	size_t rows = attention->rows - (prefix - 1);
	int err;

	if (!work->piece->want_times)
		return 0;
	err = align_find_starts(tokens->starts, attention, prefix - 1);
	if (err)
		return err;
	while (rows <= tokens->count) /* it did not come to the end */
		tokens->starts[rows++] = attention->frames;
	tokens->has_starts = true;
	return 0;
}

int whisper_decode(struct whisper_tokens *tokens, const struct whisper_model *model,
		   const struct recognizer_piece *piece, char why[RUNTIME_WHY_SIZE])
{
	struct whisper_decoding work = {.model = model, .piece = piece, .tokens = tokens};
	int err;

	tokens->count = 0;
	work.attention.heads = model->settings.aligned_count;
	work.attention.frames = (piece->count + FRAME - 1) / FRAME;
	if (work.attention.frames > model->settings.positions)
		work.attention.frames = model->settings.positions;
	snprintf(why, RUNTIME_WHY_SIZE, "%s", strerror(ENOMEM)); /* unless there is another one */
	err = whisper_decode_encode(&work, why);
	if (!err)
		err = whisper_decode_read_prefix(&work, why);
	if (!err)
		err = whisper_decode_read_text(&work, why);
	if (!err)
		err = whisper_decode_find_starts(&work);
	if (!err)
		tokens->count = repeat_cut(tokens->ids, tokens->count);
	mem_deref(work.decoding);
	free(work.attention.weights);
	return err;
}
