/*
 * moonshine.c: Moonshine's encoder, and its decoder token after token.
 *
 * The encoder reads the whole recording.  The decoder is given one token and
 * gives the next, always the likeliest; what its layers computed before (keys
 * and values, for the tokens and for the encoder's output) goes in again each
 * time instead of being computed anew.  Those for the encoder's output come
 * from the first step and stay.
 */
#include "moonshine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "file.h"

/* The model's shape. */
#define LAYERS 6
#define HEADS 8
#define HEAD_LEN 36
#define KEPT (LAYERS * 4) /* tokens' key and value, encoder's key and value */

enum token { TOKEN_START = 1, TOKEN_END = 2 };

/* Nobody speaks faster; a model that repeats itself is stopped here. */
#define TOKENS_PER_SECOND 12
#define TOKENS_MIN 16

/* Names of one kept value: what it goes in as, and what it comes out as. */
struct port {
	char past[40], present[40];
};

struct moonshine {
	struct network *encoder, *decoder;
	char *vocabulary; /* lines, each ended by a NUL */
	char **tokens; /* where they begin */
	size_t token_count;
	struct port ports[KEPT];
};

static void moonshine_destroy(void *object)
{
	struct moonshine *moonshine = object;

	mem_deref(moonshine->encoder);
	mem_deref(moonshine->decoder);
	free(moonshine->vocabulary);
	free(moonshine->tokens);
}

static int open_network(struct network **networkp, struct runtime *runtime, const char *folder,
			const char *name, char why[RUNTIME_WHY_SIZE])
{
	char path[4096];
	char *bytes;
	size_t len;
	int err;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	err = file_read(&bytes, &len, path);
	if (err) {
		snprintf(why, RUNTIME_WHY_SIZE, "%s: %s", name, strerror(err));
		return err;
	}
	err = network_open(networkp, runtime, bytes, len, why);
	free(bytes);
	return err;
}

static int read_vocabulary(struct moonshine *moonshine, const char *folder,
			   char why[RUNTIME_WHY_SIZE])
{
	char path[4096];
	char *line;
	size_t len;
	size_t lines = 0;
	int err;

	snprintf(path, sizeof(path), "%s/vocabulary.txt", folder);
	err = file_read(&moonshine->vocabulary, &len, path);
	if (err) {
		snprintf(why, RUNTIME_WHY_SIZE, "vocabulary.txt: %s", strerror(err));
		return err;
	}
	for (size_t i = 0; i < len; ++i)
		lines += moonshine->vocabulary[i] == '\n';
	moonshine->tokens = calloc(lines + 1, sizeof(*moonshine->tokens));
	if (!moonshine->tokens)
		return ENOMEM;
	line = moonshine->vocabulary;
	while (moonshine->token_count < lines) {
		moonshine->tokens[moonshine->token_count++] = line;
		line = strchr(line, '\n');
		*line++ = '\0';
	}
	return 0;
}

static void name_ports(struct moonshine *moonshine)
{
	static const char *const kinds[] = {"decoder.key", "decoder.value", "encoder.key",
					    "encoder.value"};

	for (size_t i = 0; i < KEPT; ++i) {
		struct port *port = &moonshine->ports[i];

		snprintf(port->past, sizeof(port->past), "past_key_values.%zu.%s", i / 4,
			 kinds[i % 4]);
		snprintf(port->present, sizeof(port->present), "present.%zu.%s", i / 4,
			 kinds[i % 4]);
	}
}

int moonshine_open(struct moonshine **moonshinep, struct runtime *runtime, const char *folder,
		   char why[RUNTIME_WHY_SIZE])
{
	struct moonshine *moonshine = mem_zalloc(sizeof(*moonshine), moonshine_destroy);
	int err;

	if (!moonshine)
		return ENOMEM;
	name_ports(moonshine);
	err = read_vocabulary(moonshine, folder, why);
	if (!err)
		err = open_network(&moonshine->encoder, runtime, folder, "encoder_model.onnx", why);
	if (!err)
		err = open_network(&moonshine->decoder, runtime, folder,
				   "decoder_model_merged.onnx", why);
	if (err) {
		mem_deref(moonshine);
		return err;
	}
	*moonshinep = moonshine;
	return 0;
}

static bool is_of_encoder(size_t i)
{
	return i % 4 >= 2;
}

/* One recording on its way through the decoder. */
struct decoding {
	struct moonshine *moonshine;
	struct tensor heard; /* the encoder's output */
	struct tensor kept[KEPT];
	float nothing; /* what empty tensors point to */
	bool is_begun;
};

static void decoding_open(struct decoding *decoding, struct moonshine *moonshine)
{
	decoding->moonshine = moonshine;
	for (size_t i = 0; i < KEPT; ++i) {
		decoding->kept[i] = (struct tensor){
			.type = TENSOR_F32,
			.rank = 4,
			.dims = {0, HEADS, 1, HEAD_LEN},
			.f32 = &decoding->nothing,
		};
	}
}

static void decoding_close(struct decoding *decoding)
{
	for (size_t i = 0; i < KEPT; ++i)
		tensor_release(&decoding->kept[i]);
	tensor_release(&decoding->heard);
}

/* Takes what this step computed for the next one. */
static void keep(struct decoding *decoding, struct tensor *presents)
{
	for (size_t i = 0; i < KEPT; ++i) {
		if (decoding->is_begun && is_of_encoder(i)) {
			tensor_release(&presents[i]);
			continue;
		}
		tensor_release(&decoding->kept[i]);
		decoding->kept[i] = presents[i];
	}
	decoding->is_begun = true;
}

static int64_t likeliest(const struct tensor *scores)
{
	size_t best = 0;

	for (size_t i = 1; i < tensor_count(scores); ++i) {
		if (scores->f32[i] > scores->f32[best])
			best = i;
	}
	return (int64_t)best;
}

/* The token after this one. */
static int step(struct decoding *decoding, int64_t *token, char why[RUNTIME_WHY_SIZE])
{
	const struct port *ports = decoding->moonshine->ports;
	struct tensor inputs[KEPT + 3];
	struct tensor outputs[KEPT + 1] = {{.name = "logits"}};
	int err;

	for (size_t i = 0; i < KEPT; ++i) {
		inputs[i] = decoding->kept[i];
		inputs[i].name = ports[i].past;
		outputs[i + 1].name = ports[i].present;
	}
	inputs[KEPT] = decoding->heard;
	inputs[KEPT].name = "encoder_hidden_states";
	inputs[KEPT + 1] = (struct tensor){
		.name = "input_ids", .type = TENSOR_I64, .rank = 2, .dims = {1, 1}, .i64 = token};
	inputs[KEPT + 2] = (struct tensor){.name = "use_cache_branch",
					   .type = TENSOR_BOOL,
					   .rank = 1,
					   .dims = {1},
					   .truth = &decoding->is_begun};
	err = network_run(decoding->moonshine->decoder, inputs, COUNT(inputs), outputs,
			  COUNT(outputs), why);
	if (err)
		return err;
	*token = likeliest(&outputs[0]);
	tensor_release(&outputs[0]);
	keep(decoding, outputs + 1);
	return 0;
}

#define BLANK "\xe2\x96\x81" /* how the vocabulary writes a blank: U+2581 */

/* Tokens past the vocabulary are the model's own marks, not text. */
static int append_token(const struct moonshine *moonshine, struct buf *text, int64_t token)
{
	const char *spelling;
	unsigned byte;
	int err = 0;

	if (token < 0 || (size_t)token >= moonshine->token_count)
		return 0;
	spelling = moonshine->tokens[token];
	if (sscanf(spelling, "<0x%2X>", &byte) == 1) {
		char single = (char)byte;

		return buf_append(text, &single, 1);
	}
	while (!err && *spelling) {
		if (strncmp(spelling, BLANK, strlen(BLANK)) == 0) {
			if (text->len > 0)
				err = buf_append(text, " ", 1);
			spelling += strlen(BLANK);
		} else {
			err = buf_append(text, spelling++, 1);
		}
	}
	return err;
}

static int encode(struct decoding *decoding, float *samples, size_t count,
		  char why[RUNTIME_WHY_SIZE])
{
	struct tensor input = {.name = "input_values",
			       .type = TENSOR_F32,
			       .rank = 2,
			       .dims = {1, (int64_t)count},
			       .f32 = samples};

	decoding->heard.name = "last_hidden_state";
	return network_run(decoding->moonshine->encoder, &input, 1, &decoding->heard, 1, why);
}

int moonshine_listen(struct moonshine *moonshine, struct buf *text, float *samples, size_t count,
		     char why[RUNTIME_WHY_SIZE])
{
	size_t tokens_max = TOKENS_MIN + count * TOKENS_PER_SECOND / MOONSHINE_RATE;
	struct decoding decoding = {0};
	int64_t token = TOKEN_START;
	int err;

	decoding_open(&decoding, moonshine);
	err = encode(&decoding, samples, count, why);
	for (size_t i = 0; !err && i < tokens_max; ++i) {
		err = step(&decoding, &token, why);
		if (!err && token == TOKEN_END)
			break;
		if (!err)
			err = append_token(moonshine, text, token);
	}
	decoding_close(&decoding);
	return err;
}
