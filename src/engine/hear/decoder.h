/*
 * decoder.h: the decoder of a recognizer, token after token.
 *
 * Exporters write such a decoder as one "merged" graph: an If chooses between a graph for the first
 * token, which also turns the encoder's output into keys and values, and one for all later tokens,
 * which is given these and those of the tokens before. When it is opened, it is cut into
 *
 *     cross     the encoder's output → its keys and values, for each layer
 *     step      a token, and all keys and values → the scores of the next token, the keys and values
 *               of this one, and what it paid attention to
 *
 * so that no weight is loaded twice. The scores are computed outside the graph (see embedding.h), if
 * it writes that as exporters of 8-bit weights do. Values are found by the names that exporters agree on:
 * input_ids, encoder_hidden_states, past_key_values.N.{encoder,decoder}.{key,value}, present.N....,
 * logits.
 *
 * A decoder never changes after it was opened: any thread may use it. A decoding belongs to one
 * thread at a time.
 */
#ifndef ENGINE_HEAR_DECODER_H
#define ENGINE_HEAR_DECODER_H

#include "engine/neural/runtime.h"

/* The most layers of a decoder. */
#define DECODER_LAYERS_MAX 32u

struct decoder;
struct decoding;

/* An object of base/mem.h, from the bytes of a model, which are not needed afterwards. EINVAL: it is
 * not such a graph, or the runtime refuses it; `why` is a reason for people. ENOMEM. */
int decoder_open(struct decoder **decoderp, struct runtime *runtime, const void *bytes, size_t len,
		 char why[RUNTIME_WHY_SIZE]);

/* Begins to decode the output of an encoder, [1, frames, width], which is not needed afterwards. An
 * object of base/mem.h, which the decoder outlives: references are not counted across threads. */
int decoding_alloc(struct decoding **decodingp, const struct decoder *decoder,
		   const struct tensor *heard, char why[RUNTIME_WHY_SIZE]);

/* What a step found out. It is valid until the next step, or the end of the decoding. */
struct decoding_step {
	const float *scores; /* of each token of the vocabulary, as logits */
	size_t score_count;
	/* How much each head of each layer attended to each frame: `heads` rows of `frames` for
	 * each layer. They are NULL if they were not wanted. */
	const float *attention[DECODER_LAYERS_MAX];
	size_t layers, heads, frames;
};

/* Reads a token, and finds the scores of the one after it. */
int decoding_next(struct decoding *decoding, struct decoding_step *step, int64_t token,
		  bool want_attention, char why[RUNTIME_WHY_SIZE]);

#endif
