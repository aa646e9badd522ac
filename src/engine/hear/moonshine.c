/*
 * moonshine.c: Moonshine's models as recognizers (see recognizer.h).
 *
 * The encoder reads the samples themselves, of any length, so a short piece costs little: these models
 * are fast enough for partial results. The decoder then says one token after the other, always the
 * likeliest.
 *
 * A model is for one language, and its files do not say for which: it is English, unless the folder's
 * name ends with another code ("moonshine-tiny-ja").
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "engine/hear/align.h"
#include "engine/hear/bpe.h"
#include "engine/hear/decoder.h"
#include "engine/hear/recognizer.h"
#include "engine/hear/repeat.h"
#include "engine/hear/token_words.h"
#include "engine/neural/mapping.h"
#include "workers/message.h"

enum { TOKEN_START = 1, TOKEN_END = 2 };

/* Models were trained on pieces up to this length, in seconds. */
#define LONGEST_S 30u

/* A shorter piece is followed by silence: the encoder has no output for a very short one, and the
 * decoder would invent words. */
#define SHORTEST 8000u

/* Nobody speaks faster. A model that invents text is stopped here. */
#define TOKENS_PER_SECOND 12u
#define TOKENS_MIN 16u
#define TOKENS_MAX (TOKENS_MIN + LONGEST_S * TOKENS_PER_SECOND)

/* Samples of a frame of the encoder's output. */
#define FRAME 384u

/* How much later something is said than the beginning of the frame that the decoder begins to attend
 * to: half of the samples that the encoder's convolutions read for a frame (895), and half a frame.
 * Words of our own voices, which know when they say them, are then found with a median error of 20 to
 * 45 ms at either end. */
#define DELAY 640u

struct moonshine {
	struct recognizer recognizer;
	struct network *encoder;
	struct decoder *decoder;
	struct bpe *tokens;
	char title[64];
	char language[RECOGNIZER_LANGUAGE_SIZE];
};

static const char *const moonshine_files[] = {"encoder_model.onnx", "decoder_model_merged.onnx",
					      NULL};

static void moonshine_destroy(void *object)
{
	struct moonshine *model = object;

	mem_deref(model->encoder);
	mem_deref(model->decoder);
	mem_deref(model->tokens);
}

static int moonshine_open_encoder(struct moonshine *model, struct runtime *runtime,
				  const struct mapping *file, char why[RUNTIME_WHY_SIZE])
{
	return network_open(&model->encoder, runtime, file->bytes, file->len, why);
}

static int moonshine_open_decoder(struct moonshine *model, struct runtime *runtime,
				  const struct mapping *file, char why[RUNTIME_WHY_SIZE])
{
	return decoder_open(&model->decoder, runtime, file->bytes, file->len, why);
}

static int moonshine_open_lines(struct moonshine *model, struct runtime *runtime,
				const struct mapping *file, char why[RUNTIME_WHY_SIZE])
{
	(void)runtime;
	return bpe_parse_lines(&model->tokens, file->bytes, file->len, why, RUNTIME_WHY_SIZE);
}

/* The parser changes the text. */
static int moonshine_open_json(struct moonshine *model, struct runtime *runtime,
			       const struct mapping *file, char why[RUNTIME_WHY_SIZE])
{
	char *copy;
	int err;

	(void)runtime;
	if (file->len > BPE_FILE_MAX) {
		snprintf(why, RUNTIME_WHY_SIZE, "is too large");
		return EFBIG;
	}
	copy = malloc(file->len + 1);
	if (!copy)
		return ENOMEM;
	memcpy(copy, file->bytes, file->len);
	copy[file->len] = '\0';
	err = bpe_parse(&model->tokens, BPE_BLANKS, copy, file->len, why, RUNTIME_WHY_SIZE);
	free(copy);
	return err;
}

typedef int(moonshine_open_h)(struct moonshine *model, struct runtime *runtime,
			      const struct mapping *file, char why[RUNTIME_WHY_SIZE]);

static int moonshine_open_file(struct moonshine *model, struct runtime *runtime, const char *folder,
			       const char *name, moonshine_open_h *open_file,
			       char why[RUNTIME_WHY_SIZE])
{
	char reason[RUNTIME_WHY_SIZE] = "";
	char path[4096];
	struct mapping file;
	int err;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	err = mapping_open(&file, path, reason);
	if (!err) {
		err = open_file(model, runtime, &file, reason);
		mapping_close(&file);
	}
	if (err)
		snprintf(why, RUNTIME_WHY_SIZE, "%s: %.200s", name,
			 reason[0] ? reason : strerror(err));
	return err;
}

static const char *moonshine_name(const char *folder)
{
	const char *slash = strrchr(folder, '/');

	return slash ? slash + 1 : folder;
}

/* The code at the end of a name: "ja" of "moonshine-tiny-ja"; NULL if there is none. */
static const char *moonshine_find_language(const char *name)
{
	const char *dash = strrchr(name, '-');
	size_t len = dash ? strspn(dash + 1, "abcdefghijklmnopqrstuvwxyz") : 0;

	return dash && (len == 2 || len == 3) && dash[1 + len] == '\0' ? dash + 1 : NULL;
}

/* Sizes have names, by which people know the models. */
static void moonshine_describe(struct moonshine *model, const char *folder)
{
	const char *name = moonshine_name(folder);
	const char *language = moonshine_find_language(name);
	bool is_tiny = strcmp(name, "moonshine-tiny") == 0;
	bool is_base = strcmp(name, "moonshine-base") == 0;

	snprintf(model->language, sizeof(model->language), "%s", language ? language : "en");
	snprintf(model->title, sizeof(model->title), "%s",
		 is_tiny   ? "Moonshine tiny"
		 : is_base ? "Moonshine base"
			   : name);
	model->recognizer = (struct recognizer){
		.family = &recognizer_moonshine,
		.title = model->title,
		.languages = model->language,
		.licence = is_tiny || is_base ? "MIT" : "",
		.capabilities =
			MESSAGE_MODEL_TIMES | MESSAGE_MODEL_PROBABILITIES | MESSAGE_MODEL_PARTIALS,
		.longest = LONGEST_S * RECOGNIZER_RATE,
	};
}

/* Half a second of silence: it shows whether the files fit together, and the first caller does not have
 * to wait for what the runtime does only once. */
static int moonshine_try(const struct moonshine *model, char why[RUNTIME_WHY_SIZE])
{
	static const float silence[SHORTEST];
	const struct recognizer_piece piece = {
		.samples = silence, .count = SHORTEST, .language = "", .prompt = ""};
	struct recognizer_result result;
	int err;

	recognizer_result_init(&result);
	err = recognizer_moonshine.recognize(&model->recognizer, &result, &piece, why);
	recognizer_result_reset(&result);
	return err;
}

static int moonshine_open(struct recognizer **recognizerp, struct runtime *runtime,
			  const char *folder, char why[RUNTIME_WHY_SIZE])
{
	struct moonshine *model = mem_zalloc(sizeof(*model), moonshine_destroy);
	int err;

	if (!model)
		return ENOMEM;
	moonshine_describe(model, folder);
	err = moonshine_open_file(model, runtime, folder, "vocabulary.txt", moonshine_open_lines,
				  why);
	if (err == ENOENT)
		err = moonshine_open_file(model, runtime, folder, "tokenizer.json",
					  moonshine_open_json, why);
	if (err == ENOENT)
		snprintf(why, RUNTIME_WHY_SIZE, "vocabulary.txt or tokenizer.json is missing");
	if (!err)
		err = moonshine_open_file(model, runtime, folder, moonshine_files[0],
					  moonshine_open_encoder, why);
	if (!err)
		err = moonshine_open_file(model, runtime, folder, moonshine_files[1],
					  moonshine_open_decoder, why);
	if (!err)
		err = moonshine_try(model, why);
	if (err) {
		mem_deref(model);
		return err;
	}
	*recognizerp = &model->recognizer;
	return 0;
}

/* A piece on its way through the model. Attention is the sum over heads, of one row for each token that
 * was chosen and one for the end. */
struct moonshine_work {
	const struct moonshine *model;
	const struct recognizer_piece *piece;
	struct decoding *decoding;
	int64_t tokens[TOKENS_MAX];
	float probabilities[TOKENS_MAX];
	size_t count;
	float *attention;
	size_t rows, frames;
};

static int moonshine_encode(struct moonshine_work *work, char why[RUNTIME_WHY_SIZE])
{
	const struct recognizer_piece *piece = work->piece;
	size_t count = piece->count < SHORTEST ? SHORTEST : piece->count;
	float *samples = calloc(count, sizeof(*samples));
	const struct tensor input = {.name = "input_values",
				     .type = TENSOR_F32,
				     .rank = 2,
				     .dims = {1, (int64_t)count},
				     .f32 = samples};
	struct tensor heard = {.name = "last_hidden_state"};
	int err;

	if (!samples)
		return ENOMEM;
	memcpy(samples, piece->samples, piece->count * sizeof(*samples));
	err = network_run(work->model->encoder, &input, 1, &heard, 1, why);
	free(samples);
	if (err)
		return err;
	if (heard.type == TENSOR_F32 && heard.rank == 3) {
		err = decoding_alloc(&work->decoding, work->model->decoder, &heard, why);
	} else {
		snprintf(why, RUNTIME_WHY_SIZE, "the encoder's output has %u dimensions",
			 heard.rank);
		err = EINVAL;
	}
	tensor_release(&heard);
	return err;
}

/* Heads of the upper half of the layers follow the audio, most of them well; the lower ones attend to
 * whatever else they need. */
static int moonshine_keep_attention(struct moonshine_work *work, const struct decoding_step *step)
{
	float *row;

	if (!work->attention) {
		work->frames = step->frames;
		work->attention = calloc((TOKENS_MAX + 1) * step->frames, sizeof(*work->attention));
		if (!work->attention)
			return ENOMEM;
	}
	row = work->attention + work->rows++ * work->frames;
	for (size_t layer = step->layers / 2; layer < step->layers; ++layer)
		for (size_t head = 0; head < step->heads; ++head)
			for (size_t i = 0; i < work->frames; ++i)
				row[i] += step->attention[layer][head * work->frames + i];
	return 0;
}

static size_t moonshine_choose(const struct decoding_step *step, float *probability)
{
	size_t best = 0;
	double sum = 0;

	for (size_t i = 1; i < step->score_count; ++i)
		if (step->scores[i] > step->scores[best])
			best = i;
	for (size_t i = 0; i < step->score_count; ++i)
		sum += (double)expf(step->scores[i] - step->scores[best]);
	*probability = (float)(1 / sum);
	return best;
}

static int moonshine_decode(struct moonshine_work *work, char why[RUNTIME_WHY_SIZE])
{
	const struct recognizer_piece *piece = work->piece;
	size_t limit = TOKENS_MIN + piece->count * TOKENS_PER_SECOND / RECOGNIZER_RATE;
	int64_t token = TOKEN_START;
	int err = 0;

	if (limit > TOKENS_MAX)
		limit = TOKENS_MAX;
	while (!err && work->count < limit) {
		struct decoding_step step;

		if (piece->is_cancelled && piece->is_cancelled(piece->arg))
			return ECANCELED;
		err = decoding_next(work->decoding, &step, token, piece->want_times, why);
		if (!err && piece->want_times)
			err = moonshine_keep_attention(work, &step);
		if (err)
			break;
		token = (int64_t)moonshine_choose(&step, &work->probabilities[work->count]);
		if (token == TOKEN_END)
			break;
		work->tokens[work->count++] = token;
		if (repeat_cut(work->tokens, work->count) < work->count)
			break;
	}
	return err;
}

/* Frames that all tokens attend to tell nothing, so only what exceeds the mean counts. starts[i] is the
 * sample in which token i begins, and that of the last one where the text ends. */
static int moonshine_find_starts(const struct moonshine_work *work, size_t *starts)
{
	size_t rows = work->rows;
	size_t frames = work->frames;
	int err;

	for (size_t i = 0; i < frames; ++i) {
		float sum = 0;

		for (size_t row = 0; row < rows; ++row)
			sum += work->attention[row * frames + i];
		for (size_t row = 0; row < rows; ++row)
			work->attention[row * frames + i] -= sum / (float)rows;
	}
	err = align_warp(starts, work->attention, rows, frames);
	for (size_t i = 0; i < rows && !err; ++i) {
		starts[i] = starts[i] > 0 ? starts[i] * FRAME + DELAY : 0;
		if (starts[i] > work->piece->count)
			starts[i] = work->piece->count;
	}
	for (size_t i = rows; i <= work->count; ++i) /* it did not come to the end */
		starts[i] = work->piece->count;
	return err;
}

static int moonshine_write(struct recognizer_result *result, const struct moonshine_work *work,
			   const size_t *starts)
{
	struct token_words_token spelled[TOKENS_MAX];
	struct token_words words;
	size_t count = repeat_cut(work->tokens, work->count);
	int err;

	for (size_t i = 0; i < count; ++i) {
		struct bpe_token token = bpe_token(work->model->tokens, (size_t)work->tokens[i]);

		spelled[i] = (struct token_words_token){token.bytes, token.is_mark ? 0 : token.len,
							work->probabilities[i]};
	}
	err = token_words_split(&words, &result->text, spelled, count);
	if (err)
		return err;
	for (size_t i = 0; i < words.count && !err; ++i) {
		const struct token_word *word = &words.words[i];

		err = recognizer_result_add(
			result, &(struct recognizer_word){
					.byte_start = word->byte_start,
					.byte_end = word->byte_end,
					.sample_start = starts ? starts[word->first_token] : 0,
					.sample_end = starts ? starts[word->end_token] : 0,
					.probability = word->probability,
				});
	}
	free(words.words);
	return err;
}

static int moonshine_recognize(const struct recognizer *recognizer,
			       struct recognizer_result *result,
			       const struct recognizer_piece *piece, char why[RUNTIME_WHY_SIZE])
{
	const struct moonshine *model = (const struct moonshine *)recognizer;
	struct moonshine_work work = {.model = model, .piece = piece};
	size_t starts[TOKENS_MAX + 1];
	int err = moonshine_encode(&work, why);

	if (!err)
		err = moonshine_decode(&work, why);
	if (!err && piece->want_times && work.rows > 0)
		err = moonshine_find_starts(&work, starts);
	if (!err)
		err = moonshine_write(result, &work, piece->want_times ? starts : NULL);
	snprintf(result->language, sizeof(result->language), "%s", model->language);
	result->language_probability = 1;
	mem_deref(work.decoding);
	free(work.attention);
	return err;
}

const struct recognizer_family recognizer_moonshine = {
	.name = "moonshine",
	.files = moonshine_files,
	.open = moonshine_open,
	.recognize = moonshine_recognize,
};
