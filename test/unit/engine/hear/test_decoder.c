/* A merged decoder, cut into what is computed once and what is computed for each token, gives what the
 * whole one gives. Runs on the tiny model, and on Moonshine if it is installed. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "ears.h"
#include "engine/hear/decoder.h"
#include "engine/hear/decoder_cut.h"
#include "model_text.h"

#define STEPS 6
#define KEPT_MAX 64
#define FILE_MAX (1 << 20)

static struct runtime *runtime;

/* A model, whole and cut. */
struct pair {
	struct network *encoder, *whole;
	struct decoder *decoder;
	size_t layers, heads, width; /* the width of a head */
};

static struct network *test_decoder_open_network(const char *folder, const char *name)
{
	char why[RUNTIME_WHY_SIZE] = "";
	struct network *network = NULL;
	char path[PATH_MAX];
	char *bytes;
	size_t len;

	snprintf(path, sizeof(path), "%.4000s/%s", folder, name);
	bytes = ears_read(path, &len);
	if (network_open(&network, runtime, bytes, len, why) != 0)
		fail_msg("%s: %s", path, why);
	free(bytes);
	return network;
}

static void test_decoder_open(struct pair *pair, const char *folder)
{
	char why[RUNTIME_WHY_SIZE] = "";
	char path[PATH_MAX];
	char *bytes;
	size_t len;

	pair->encoder = test_decoder_open_network(folder, "encoder_model.onnx");
	pair->whole = test_decoder_open_network(folder, "decoder_model_merged.onnx");
	snprintf(path, sizeof(path), "%.4000s/decoder_model_merged.onnx", folder);
	bytes = ears_read(path, &len);
	if (decoder_open(&pair->decoder, runtime, bytes, len, why) != 0)
		fail_msg("%s: %s", path, why);
	free(bytes);
}

static void test_decoder_close(struct pair *pair)
{
	mem_deref(pair->encoder);
	mem_deref(pair->whole);
	mem_deref(pair->decoder);
}

static void test_decoder_encode(const struct pair *pair, struct tensor *heard)
{
	const unsigned tokens[] = {4, 5, 6, 7, 8, 9, 10, 11, 12, 2, 0,
				   0, 0, 0, 0, 0, 0, 0,  0,  0,  0, 0};
	size_t count = sizeof(tokens) / sizeof(*tokens);
	float *samples = ears_speak(tokens, count);
	struct tensor input = {.name = "input_values",
			       .type = TENSOR_F32,
			       .rank = 2,
			       .dims = {1, (int64_t)(count * EARS_FRAME)},
			       .f32 = samples};
	char why[RUNTIME_WHY_SIZE] = "";

	*heard = (struct tensor){.name = "last_hidden_state"};
	if (network_run(pair->encoder, &input, 1, heard, 1, why) != 0)
		fail_msg("%s", why);
	free(samples);
}

/* The whole model, as its package runs it. */
struct whole {
	const struct pair *pair;
	struct tensor heard;
	struct tensor kept[KEPT_MAX];
	char past[KEPT_MAX][64], present[KEPT_MAX][64];
	size_t kept_count;
	float nothing;
	bool is_begun;
};

static void test_decoder_whole_init(struct whole *whole, const struct pair *pair,
				    const struct tensor *heard)
{
	static const char *const kinds[] = {"decoder.key", "decoder.value", "encoder.key",
					    "encoder.value"};

	*whole = (struct whole){.pair = pair, .heard = *heard, .kept_count = 4 * pair->layers};
	whole->heard.name = "encoder_hidden_states";
	for (size_t i = 0; i < whole->kept_count; ++i) {
		whole->kept[i] =
			(struct tensor){.type = TENSOR_F32,
					.rank = 4,
					.dims = {0, (int64_t)pair->heads, 1, (int64_t)pair->width},
					.f32 = &whole->nothing};
		snprintf(whole->past[i], 64, "past_key_values.%zu.%s", i / 4, kinds[i % 4]);
		snprintf(whole->present[i], 64, "present.%zu.%s", i / 4, kinds[i % 4]);
	}
}

static struct tensor test_decoder_whole_step(struct whole *whole, int64_t token)
{
	struct tensor inputs[KEPT_MAX + 3];
	struct tensor outputs[KEPT_MAX + 1] = {{.name = "logits"}};
	size_t n = whole->kept_count;
	char why[RUNTIME_WHY_SIZE] = "";

	for (size_t i = 0; i < n; ++i) {
		inputs[i] = whole->kept[i];
		inputs[i].name = whole->past[i];
		outputs[i + 1].name = whole->present[i];
	}
	inputs[n] = whole->heard;
	inputs[n + 1] = (struct tensor){
		.name = "input_ids", .type = TENSOR_I64, .rank = 2, .dims = {1, 1}, .i64 = &token};
	inputs[n + 2] = (struct tensor){.name = "use_cache_branch",
					.type = TENSOR_BOOL,
					.rank = 1,
					.dims = {1},
					.truth = &whole->is_begun};
	if (network_run(whole->pair->whole, inputs, n + 3, outputs, n + 1, why) != 0)
		fail_msg("%s", why);
	for (size_t i = 0; i < n; ++i) {
		if (whole->is_begun && i % 4 >= 2) {
			tensor_release(&outputs[i + 1]);
			continue;
		}
		tensor_release(&whole->kept[i]);
		whole->kept[i] = outputs[i + 1];
	}
	whole->is_begun = true;
	return outputs[0];
}

static void test_decoder_whole_reset(struct whole *whole)
{
	for (size_t i = 0; i < whole->kept_count; ++i)
		tensor_release(&whole->kept[i]);
}

static size_t test_decoder_best(const float *scores, size_t count)
{
	size_t best = 0;

	for (size_t i = 1; i < count; ++i)
		if (scores[i] > scores[best])
			best = i;
	return best;
}

static void test_decoder_assert_same(const struct decoding_step *step, const struct tensor *want,
				     float tolerance)
{
	assert_int_equal(step->score_count, tensor_count(want));
	for (size_t i = 0; i < step->score_count; ++i)
		if (fabsf(step->scores[i] - want->f32[i]) > tolerance)
			fail_msg("score %zu: %f instead of %f", i, (double)step->scores[i],
				 (double)want->f32[i]);
}

static void test_decoder_assert_attention(const struct decoding_step *step)
{
	for (size_t layer = 0; layer < step->layers; ++layer)
		for (size_t head = 0; head < step->heads; ++head) {
			float sum = 0;

			for (size_t i = 0; i < step->frames; ++i)
				sum += step->attention[layer][head * step->frames + i];
			assert_true(fabsf(sum - 1) < 1e-3f);
		}
}

static void test_decoder_compare(struct pair *pair, float tolerance)
{
	char why[RUNTIME_WHY_SIZE] = "";
	struct decoding *decoding;
	struct decoding_step step;
	struct tensor heard;
	struct whole whole;
	int64_t token = 1;

	test_decoder_encode(pair, &heard);
	test_decoder_whole_init(&whole, pair, &heard);
	if (decoding_alloc(&decoding, pair->decoder, &heard, why) != 0)
		fail_msg("%s", why);
	for (size_t i = 0; i < STEPS; ++i) {
		struct tensor want = test_decoder_whole_step(&whole, token);

		if (decoding_next(decoding, &step, token, i % 2 == 0, why) != 0)
			fail_msg("%s", why);
		assert_int_equal(step.layers, pair->layers);
		assert_int_equal(step.heads, pair->heads);
		assert_int_equal(step.frames, heard.dims[1]);
		test_decoder_assert_same(&step, &want, tolerance);
		if (i % 2 == 0)
			test_decoder_assert_attention(&step);
		else
			assert_null(step.attention[0]);
		token = (int64_t)test_decoder_best(want.f32, tensor_count(&want));
		tensor_release(&want);
	}
	test_decoder_whole_reset(&whole);
	mem_deref(decoding);
	tensor_release(&heard);
}

static void test_decoder_pieces_give_what_the_whole_gives(void **state)
{
	struct pair pair = {.layers = 2, .heads = 1, .width = 4};
	char folder[PATH_MAX];

	(void)state;
	if (!runtime)
		skip();
	ears_tiny(folder, "moonshine-tiny");
	test_decoder_open(&pair, folder);
	test_decoder_compare(&pair, 1e-3f);
	test_decoder_close(&pair);
}

/* Scores are up to 30; the quantization of what is computed together differs slightly. */
static void test_decoder_pieces_of_moonshine_give_what_the_whole_gives(void **state)
{
	struct pair pair = {.layers = 6, .heads = 8, .width = 36};
	char folder[PATH_MAX];

	(void)state;
	if (!runtime || !ears_installed(folder, "moonshine-tiny"))
		skip();
	test_decoder_open(&pair, folder);
	test_decoder_compare(&pair, 0.05f);
	test_decoder_close(&pair);
}

/* The tiny decoder attends to the frame that has the number of the token. */
static void test_decoder_attention_is_that_of_each_step(void **state)
{
	struct pair pair = {.layers = 2, .heads = 1, .width = 4};
	char why[RUNTIME_WHY_SIZE] = "";
	struct decoding *decoding;
	struct decoding_step step;
	struct tensor heard;
	char folder[PATH_MAX];

	(void)state;
	if (!runtime)
		skip();
	ears_tiny(folder, "moonshine-tiny");
	test_decoder_open(&pair, folder);
	test_decoder_encode(&pair, &heard);
	assert_int_equal(decoding_alloc(&decoding, pair.decoder, &heard, why), 0);
	for (size_t i = 0; i < STEPS; ++i) {
		assert_int_equal(decoding_next(decoding, &step, 1, true, why), 0);
		assert_int_equal(test_decoder_best(step.attention[1], step.frames), i);
		assert_int_equal(test_decoder_best(step.scores, step.score_count), i + 4);
	}
	mem_deref(decoding);
	tensor_release(&heard);
	test_decoder_close(&pair);
}

static void test_decoder_refuses(const char *text, const char *reason)
{
	char why[RUNTIME_WHY_SIZE] = "";
	struct decoder_cut *cut = NULL;
	struct onnx *onnx = NULL;
	struct buf file;

	buf_init(&file, FILE_MAX);
	model_text_write(&file, text);
	if (onnx_parse(&onnx, file.bytes, file.len, why, sizeof(why)))
		fail_msg("%s", why);
	assert_int_equal(decoder_cut(&cut, onnx, why), ENOTSUP);
	if (!strstr(why, reason))
		fail_msg("\"%s\" does not say \"%s\"", why, reason);
	mem_deref(onnx);
	buf_reset(&file);
}

static void test_decoder_other_graphs_are_refused(void **state)
{
	(void)state;
	test_decoder_refuses("input input_ids\noutput logits\nNeg input_ids -> logits\n",
			     "takes no keys");
	test_decoder_refuses("input past_key_values.0.decoder.key\noutput other\n"
			     "Neg past_key_values.0.decoder.key -> other\n",
			     "no scores");
	test_decoder_refuses("input past_key_values.0.decoder.key\noutput logits\n"
			     "Neg past_key_values.0.decoder.key -> logits\n",
			     "no merged decoder");
	test_decoder_refuses("input past_key_values.0.decoder.key\ninput x\noutput logits\n"
			     "If x -> logits\nthen Neg x -> logits\nthen output logits\n"
			     "else Neg x -> logits\nelse output logits\n",
			     "were not found");
}

static int test_decoder_set_up(void **state)
{
	(void)state;
	runtime = ears_open_runtime();
	return 0;
}

static int test_decoder_tear_down(void **state)
{
	(void)state;
	runtime = mem_deref(runtime);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decoder_pieces_give_what_the_whole_gives),
		cmocka_unit_test(test_decoder_pieces_of_moonshine_give_what_the_whole_gives),
		cmocka_unit_test(test_decoder_attention_is_that_of_each_step),
		cmocka_unit_test(test_decoder_other_graphs_are_refused),
	};

	return cmocka_run_group_tests(tests, test_decoder_set_up, test_decoder_tear_down);
}
