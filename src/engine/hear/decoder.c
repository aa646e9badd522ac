/*
 * decoder.c: the decoder of a recognizer (see decoder.h).
 *
 * Keys and values of tokens grow by one row in each step. The runtime gives them as new tensors, which
 * go into the next step; copying them costs little compared with the weights that a step reads.
 */
#include "engine/hear/decoder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "engine/hear/decoder_cut.h"

/* Keys and values of one side. */
#define KEPT_MAX (2 * DECODER_LAYERS_MAX)

struct decoder_names {
	char past[DECODER_NAME_SIZE], present[DECODER_NAME_SIZE];
};

struct decoder {
	struct network *cross, *step;
	struct decoder_cut *cut; /* the names; its bytes were freed */
	size_t kept; /* keys and values of one side */
	struct decoder_names of_encoder[KEPT_MAX], of_tokens[KEPT_MAX];
};

struct decoding {
	const struct decoder *decoder;
	struct tensor of_encoder[KEPT_MAX], of_tokens[KEPT_MAX];
	struct tensor output; /* the scores, or what the table gives them for */
	struct tensor attention[DECODER_LAYERS_MAX];
	float *scores; /* those that the table gave; NULL if the step gives them */
	float *column; /* of the token in the table */
	float nothing; /* what empty tensors point to */
};

static void decoder_name(struct decoder_names *names, size_t layer, const char *side, bool is_key)
{
	const char *kind = is_key ? "key" : "value";

	snprintf(names->past, sizeof(names->past), "past_key_values.%zu.%s.%s", layer, side, kind);
	snprintf(names->present, sizeof(names->present), "present.%zu.%s.%s", layer, side, kind);
}

static void decoder_destroy(void *object)
{
	struct decoder *decoder = object;

	mem_deref(decoder->cross);
	mem_deref(decoder->step);
	mem_deref(decoder->cut);
}

static int decoder_load(struct decoder *decoder, struct runtime *runtime,
			char why[RUNTIME_WHY_SIZE])
{
	struct decoder_cut *cut = decoder->cut;
	int err = network_open(&decoder->cross, runtime, cut->cross, cut->cross_len, why);

	if (!err)
		err = network_open(&decoder->step, runtime, cut->step, cut->step_len, why);
	decoder_cut_drop_bytes(cut);
	decoder->kept = 2 * cut->layers;
	for (size_t i = 0; i < decoder->kept; ++i) {
		decoder_name(&decoder->of_encoder[i], i / 2, "encoder", i % 2 == 0);
		decoder_name(&decoder->of_tokens[i], i / 2, "decoder", i % 2 == 0);
	}
	return err;
}

int decoder_open(struct decoder **decoderp, struct runtime *runtime, const void *bytes, size_t len,
		 char why[RUNTIME_WHY_SIZE])
{
	struct decoder *decoder = mem_zalloc(sizeof(*decoder), decoder_destroy);
	struct onnx *onnx = NULL;
	int err;

	if (!decoder)
		return ENOMEM;
	err = onnx_parse(&onnx, bytes, len, why, RUNTIME_WHY_SIZE);
	if (!err)
		err = decoder_cut(&decoder->cut, onnx, why);
	mem_deref(onnx);
	if (!err)
		err = decoder_load(decoder, runtime, why);
	if (err) {
		mem_deref(decoder);
		return err == ENOTSUP ? EINVAL : err;
	}
	*decoderp = decoder;
	return 0;
}

static void decoder_drop_step(struct decoding *decoding)
{
	tensor_release(&decoding->output);
	for (size_t i = 0; i < DECODER_LAYERS_MAX; ++i)
		tensor_release(&decoding->attention[i]);
}

static void decoder_decoding_destroy(void *object)
{
	struct decoding *decoding = object;

	decoder_drop_step(decoding);
	for (size_t i = 0; i < KEPT_MAX; ++i) {
		tensor_release(&decoding->of_encoder[i]);
		tensor_release(&decoding->of_tokens[i]);
	}
	mem_deref(decoding->scores);
	mem_deref(decoding->column);
}

/* The shapes are those of one sequence with one token. */
static int decoder_hear(struct decoding *decoding, const struct tensor *heard,
			char why[RUNTIME_WHY_SIZE])
{
	const struct decoder *decoder = decoding->decoder;
	const struct decoder_cut *cut = decoder->cut;
	struct tensor inputs[2 + DECODER_SHAPES_MAX] = {*heard};
	int64_t shape[3] = {1, 1, heard->dims[2]};
	int64_t token = 0;
	size_t count = 1;

	inputs[0].name = "encoder_hidden_states";
	for (size_t i = 0; i < cut->shape_count; ++i)
		inputs[count++] = (struct tensor){.name = cut->shapes[i],
						  .type = TENSOR_I64,
						  .rank = 1,
						  .dims = {3},
						  .i64 = shape};
	if (cut->cross_takes_tokens)
		inputs[count++] = (struct tensor){.name = "input_ids",
						  .type = TENSOR_I64,
						  .rank = 2,
						  .dims = {1, 1},
						  .i64 = &token};
	for (size_t i = 0; i < decoder->kept; ++i)
		decoding->of_encoder[i].name = decoder->of_encoder[i].present;
	return network_run(decoder->cross, inputs, count, decoding->of_encoder, decoder->kept, why);
}

/* Room for the scores and the column of a table. */
static int decoder_make_room(struct decoding *decoding)
{
	const struct embedding *table = decoding->decoder->cut->table;

	if (!table)
		return 0;
	decoding->scores = mem_zalloc(embedding_count(table) * sizeof(*decoding->scores), NULL);
	decoding->column = mem_zalloc(embedding_width(table) * sizeof(*decoding->column), NULL);
	return decoding->scores && decoding->column ? 0 : ENOMEM;
}

int decoding_alloc(struct decoding **decodingp, const struct decoder *decoder,
		   const struct tensor *heard, char why[RUNTIME_WHY_SIZE])
{
	struct decoding *decoding = mem_zalloc(sizeof(*decoding), decoder_decoding_destroy);
	int err;

	if (!decoding)
		return ENOMEM;
	decoding->decoder = decoder;
	err = decoder_make_room(decoding);
	if (!err)
		err = decoder_hear(decoding, heard, why);
	for (size_t i = 0; i < decoder->kept && !err; ++i) {
		const struct tensor *key = &decoding->of_encoder[i];

		if (key->type != TENSOR_F32 || key->rank != 4) {
			snprintf(why, RUNTIME_WHY_SIZE, "its keys have %u dimensions", key->rank);
			err = EINVAL;
		}
		/* There are no tokens yet. */
		decoding->of_tokens[i] = *key;
		decoding->of_tokens[i].value = NULL;
		decoding->of_tokens[i].dims[2] = 0;
		decoding->of_tokens[i].f32 = &decoding->nothing;
	}
	if (err) {
		mem_deref(decoding);
		return err;
	}
	*decodingp = decoding;
	return 0;
}

/* The scores of all tokens. */
static int decoder_score(struct decoding *decoding, struct decoding_step *step,
			 char why[RUNTIME_WHY_SIZE])
{
	const struct embedding *table = decoding->decoder->cut->table;
	const struct tensor *output = &decoding->output;
	size_t count = tensor_count(output);

	if (output->type != TENSOR_F32 || count == 0 ||
	    (table && count != embedding_width(table))) {
		snprintf(why, RUNTIME_WHY_SIZE, "it gives no scores of tokens");
		return EINVAL;
	}
	if (table)
		embedding_score(table, decoding->scores, output->f32);
	step->scores = table ? decoding->scores : output->f32;
	step->score_count = table ? embedding_count(table) : count;
	return 0;
}

static int decoder_read_step(struct decoding *decoding, struct decoding_step *step,
			     bool want_attention, char why[RUNTIME_WHY_SIZE])
{
	const struct tensor *key = &decoding->of_encoder[0];
	int err;

	*step = (struct decoding_step){.layers = decoding->decoder->cut->layers,
				       .heads = (size_t)key->dims[1],
				       .frames = (size_t)key->dims[2]};
	err = decoder_score(decoding, step, why);
	if (err)
		return err;
	for (size_t i = 0; i < step->layers && want_attention; ++i) {
		const struct tensor *attention = &decoding->attention[i];

		if (attention->type != TENSOR_F32 ||
		    tensor_count(attention) != step->heads * step->frames) {
			snprintf(why, RUNTIME_WHY_SIZE, "its attention has another shape");
			return EINVAL;
		}
		step->attention[i] = attention->f32;
	}
	return 0;
}

/* The token itself, and its column of the table. */
static int decoder_add_token(struct decoding *decoding, struct tensor *inputs, size_t *count,
			     int64_t *token, char why[RUNTIME_WHY_SIZE])
{
	const struct decoder_cut *cut = decoding->decoder->cut;

	if (cut->step_takes_tokens)
		inputs[(*count)++] = (struct tensor){.name = "input_ids",
						     .type = TENSOR_I64,
						     .rank = 2,
						     .dims = {1, 1},
						     .i64 = token};
	if (!cut->column)
		return 0;
	if (*token < 0 || (uint64_t)*token >= embedding_count(cut->table)) {
		snprintf(why, RUNTIME_WHY_SIZE, "there is no token %lld", (long long)*token);
		return EINVAL;
	}
	embedding_column(cut->table, decoding->column, (size_t)*token);
	inputs[(*count)++] = (struct tensor){.name = cut->column,
					     .type = TENSOR_F32,
					     .rank = 3,
					     .dims = {1, 1, (int64_t)embedding_width(cut->table)},
					     .f32 = decoding->column};
	return 0;
}

int decoding_next(struct decoding *decoding, struct decoding_step *step, int64_t token,
		  bool want_attention, char why[RUNTIME_WHY_SIZE])
{
	const struct decoder *decoder = decoding->decoder;
	struct tensor inputs[2 + 2 * KEPT_MAX];
	struct tensor outputs[1 + KEPT_MAX + DECODER_LAYERS_MAX] = {{.name = decoder->cut->output}};
	size_t kept = decoder->kept;
	size_t input_count = 0;
	size_t output_count = 1 + kept;
	int err;

	decoder_drop_step(decoding);
	err = decoder_add_token(decoding, inputs, &input_count, &token, why);
	if (err)
		return err;
	for (size_t i = 0; i < kept; ++i) {
		inputs[input_count] = decoding->of_encoder[i];
		inputs[input_count++].name = decoder->of_encoder[i].past;
		inputs[input_count] = decoding->of_tokens[i];
		inputs[input_count++].name = decoder->of_tokens[i].past;
		outputs[1 + i].name = decoder->of_tokens[i].present;
	}
	for (size_t i = 0; i < decoder->cut->layers && want_attention; ++i)
		outputs[output_count++].name = decoder->cut->attention[i];
	err = network_run(decoder->step, inputs, input_count, outputs, output_count, why);
	if (err)
		return err;
	decoding->output = outputs[0];
	for (size_t i = 0; i < kept; ++i) {
		tensor_release(&decoding->of_tokens[i]);
		decoding->of_tokens[i] = outputs[1 + i];
	}
	for (size_t i = 1 + kept; i < output_count; ++i)
		decoding->attention[i - 1 - kept] = outputs[i];
	return decoder_read_step(decoding, step, want_attention, why);
}
