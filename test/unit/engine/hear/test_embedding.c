/* The table of a decoder's tokens. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/count.h"
#include "base/mem.h"
#include "engine/hear/embedding.h"
#include "mem_fail.h"
#include "model_text.h"

#define TOKENS 20
#define WIDTH 32

#define GRAPH(type)                                                                                \
	"input ids\n"                                                                              \
	"output logits\n"                                                                          \
	"table table " type " 20 32\n"                                                             \
	"weight scale\n"                                                                           \
	"table zero " type " 1 1\n"                                                                \
	"Gather table ids -> picked\n"                                                             \
	"DequantizeLinear picked scale zero -> column\n"                                           \
	"Neg column -> hidden\n"                                                                   \
	"Transpose table -> turned\n"                                                              \
	"DequantizeLinear turned scale zero -> floats\n"                                           \
	"MatMul hidden floats -> logits\n"

struct found {
	struct buf file;
	struct onnx *onnx;
	struct embedding *embedding;
	struct onnx_str output, column;
};

static int test_embedding_find(struct found *found, const char *text)
{
	char why[128] = "";

	*found = (struct found){0};
	buf_init(&found->file, 1 << 16);
	model_text_write(&found->file, text);
	if (onnx_parse(&found->onnx, found->file.bytes, found->file.len, why, sizeof(why)))
		fail_msg("%s", why);
	return embedding_find(&found->embedding, found->onnx, &found->output, &found->column);
}

static void test_embedding_close(struct found *found)
{
	mem_deref(found->embedding);
	mem_deref(found->onnx);
	buf_reset(&found->file);
}

/* The numbers of a table (see model_text.h) with a zero point of 1 and a scale of 1. */
static float test_embedding_number(size_t token, size_t at, bool is_signed)
{
	int number = 1 + (int)((token * WIDTH + at) % 251);

	return (float)((is_signed ? (int8_t)number : number) - 1);
}

static void test_embedding_check(const char *text, bool is_signed)
{
	struct found found;
	float output[WIDTH];
	float column[WIDTH];
	float scores[TOKENS];

	assert_int_equal(test_embedding_find(&found, text), 0);
	assert_true(onnx_str_is(found.output, "hidden"));
	assert_true(onnx_str_is(found.column, "column"));
	assert_int_equal(embedding_count(found.embedding), TOKENS);
	assert_int_equal(embedding_width(found.embedding), WIDTH);
	for (size_t i = 0; i < WIDTH; ++i)
		output[i] = (float)i / 8 - 1;
	embedding_score(found.embedding, scores, output);
	for (size_t token = 0; token < TOKENS; ++token) {
		float score = 0;

		embedding_column(found.embedding, column, token);
		for (size_t i = 0; i < WIDTH; ++i) {
			float number = test_embedding_number(token, i, is_signed);

			assert_float_equal(column[i], number, 0);
			score += number * output[i];
		}
		assert_float_equal(scores[token], score, 1e-2f);
	}
	test_embedding_close(&found);
}

static void test_embedding_scores_are_products(void **state)
{
	(void)state;
	test_embedding_check(GRAPH("2"), false);
	test_embedding_check(GRAPH("3"), true);
}

static void test_embedding_without_columns_gives_scores(void **state)
{
	static const char text[] = "input hidden\n"
				   "output logits\n"
				   "table table 2 20 32\n"
				   "weight scale\n"
				   "table zero 2 1 1\n"
				   "Transpose table -> turned\n"
				   "DequantizeLinear turned scale zero -> floats\n"
				   "MatMul hidden floats -> product\n"
				   "Identity product -> logits\n";
	struct found found;

	(void)state;
	assert_int_equal(test_embedding_find(&found, text), 0);
	assert_true(onnx_str_is(found.output, "hidden"));
	assert_int_equal(found.column.len, 0);
	test_embedding_close(&found);
}

static void test_embedding_of_other_graphs_is_not_found(void **state)
{
	static const char *const texts[] = {
		"input x\noutput y\nNeg x -> y\n",
		"input x\noutput logits\nNeg x -> logits\n",
		"input x\noutput logits\nweight w\nMatMul x w -> logits\n",
		/* a width that is no multiple of 16 */
		"input x\noutput logits\ntable t 2 20 33\nweight s\nweight z\nTranspose t -> u\n"
		"DequantizeLinear u s z -> f\nMatMul x f -> logits\n",
		/* no zero point */
		"input x\noutput logits\ntable t 2 20 32\nweight s\nTranspose t -> u\n"
		"DequantizeLinear u s -> f\nMatMul x f -> logits\n",
		/* a table that is no weight */
		"input x\ninput t\noutput logits\nweight s\nweight z\nTranspose t -> u\n"
		"DequantizeLinear u s z -> f\nMatMul x f -> logits\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); ++i) {
		struct found found;

		assert_int_equal(test_embedding_find(&found, texts[i]), ENOTSUP);
		test_embedding_close(&found);
	}
}

static void test_embedding_survives_a_lack_of_memory(void **state)
{
	struct found found;
	struct embedding *embedding = NULL;

	(void)state;
	assert_int_equal(test_embedding_find(&found, GRAPH("2")), 0);
	mem_fail_after(1);
	assert_int_equal(embedding_find(&embedding, found.onnx, &found.output, &found.column),
			 ENOMEM);
	mem_fail_after(0);
	assert_null(embedding);
	test_embedding_close(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_embedding_scores_are_products),
		cmocka_unit_test(test_embedding_without_columns_gives_scores),
		cmocka_unit_test(test_embedding_of_other_graphs_is_not_found),
		cmocka_unit_test(test_embedding_survives_a_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
