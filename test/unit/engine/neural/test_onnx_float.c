/* Quantised convolutions become ones of floats, and nothing else does. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/mem.h"
#include "engine/neural/onnx_float.h"
#include "model_text.h"

#define FILE_MAX (1 << 20)
#define WHY_SIZE 128

/* As exporters write it.  Tests change single lines. */
static const char *const lines[] = {
	"input x",
	"weight w 4",
	"weight w_scale",
	"weight w_zero",
	"weight bias 2",
	"weight shape 3",
	"output y",
	"DynamicQuantizeLinear x -> x_q x_scale x_zero",
	"Mul x_scale w_scale -> scale",
	"Div bias scale -> b1",
	"Floor b1 -> b2",
	"Cast b2 -> b3 @to=6",
	"Reshape b3 shape -> b4",
	"ConvInteger x_q w x_zero w_zero -> y1 @group=2",
	"Add y1 b4 -> y2",
	"Cast y2 -> y3 @to=1",
	"Mul y3 scale -> y",
};

struct change {
	const char *line;
	const char *instead;
};

struct rewritten {
	struct buf file;
	struct onnx *before;
	struct onnx *after; /* NULL: nothing was changed */
	char *bytes;
};

/* Without what nothing needs any more. */
static struct onnx *test_onnx_float_extract(const struct onnx *onnx, char **bytesp)
{
	static const struct onnx_port y = {.name = {"y", 1}, .elem_type = 1, .rank = 3};
	struct onnx *extracted = NULL;
	char why[WHY_SIZE];
	size_t len;

	assert_int_equal(onnx_extract(onnx, NULL, 0, &y, 1, bytesp, &len), 0);
	assert_int_equal(onnx_parse(&extracted, *bytesp, len, why, sizeof(why)), 0);
	return extracted;
}

static void test_onnx_float_rewrite(struct rewritten *model, const struct change *changes,
				    size_t change_count)
{
	char why[WHY_SIZE] = "";
	struct onnx *whole = NULL;
	char *bytes = NULL;
	struct buf text;
	size_t count, len;

	*model = (struct rewritten){0};
	buf_init(&text, FILE_MAX);
	for (size_t i = 0; i < COUNT(lines); ++i) {
		const char *line = lines[i];

		for (size_t k = 0; k < change_count; ++k)
			if (strcmp(changes[k].line, line) == 0)
				line = changes[k].instead;
		buf_printf(&text, "%s\n", line);
	}
	buf_append(&text, "", 1);
	buf_init(&model->file, FILE_MAX);
	model_text_write(&model->file, text.bytes);
	buf_reset(&text);
	if (onnx_parse(&model->before, model->file.bytes, model->file.len, why, sizeof(why)))
		fail_msg("%s", why);
	assert_int_equal(onnx_float_convolutions(model->before, &bytes, &len, &count), 0);
	assert_int_equal(bytes != NULL, count == 1);
	if (!bytes)
		return;
	if (onnx_parse(&whole, bytes, len, why, sizeof(why)))
		fail_msg("%s", why);
	model->after = test_onnx_float_extract(whole, &model->bytes);
	mem_deref(whole);
	free(bytes);
}

static void test_onnx_float_drop(struct rewritten *model)
{
	mem_deref(model->after);
	mem_deref(model->before);
	free(model->bytes);
	buf_reset(&model->file);
}

static void test_onnx_float_assert_input(const struct onnx_node *node, size_t i, const char *name)
{
	assert_true(i < node->input_count);
	assert_true(onnx_str_is(node->inputs[i], name));
}

static void test_onnx_float_assert_conv(const struct rewritten *model, bool has_bias)
{
	const struct onnx_node *weight, *conv;

	assert_non_null(model->after);
	assert_int_equal(onnx_node_count(model->after), 2);
	weight = onnx_node_at(model->after, 0);
	conv = onnx_node_at(model->after, 1);
	assert_true(onnx_str_is(weight->op, "DequantizeLinear"));
	test_onnx_float_assert_input(weight, 0, "w");
	test_onnx_float_assert_input(weight, 1, "w_scale");
	assert_true(onnx_str_is(conv->op, "Conv"));
	test_onnx_float_assert_input(conv, 0, "x");
	assert_true(onnx_str_equal(conv->inputs[1], weight->outputs[0]));
	assert_int_equal(conv->input_count, has_bias ? 3 : 2);
	if (has_bias)
		test_onnx_float_assert_input(conv, 2, "bias");
	assert_true(onnx_str_is(conv->outputs[0], "y"));
	assert_int_equal(onnx_node_int(conv, "group", 1), 2); /* the attributes are kept */
}

static void test_onnx_float_a_quantised_convolution_becomes_one_of_floats(void **state)
{
	struct rewritten model;

	(void)state;
	test_onnx_float_rewrite(&model, NULL, 0);
	test_onnx_float_assert_conv(&model, true);
	test_onnx_float_assert_input(onnx_node_at(model.after, 0), 2, "w_zero");
	test_onnx_float_drop(&model);
}

static void test_onnx_float_a_bias_and_a_zero_point_may_be_missing(void **state)
{
	static const struct change no_bias[] = {{"Add y1 b4 -> y2", "Identity b4 -> unused"},
						{"Cast y2 -> y3 @to=1", "Cast y1 -> y3 @to=1"}};
	static const struct change no_zero[] = {{"ConvInteger x_q w x_zero w_zero -> y1 @group=2",
						 "ConvInteger x_q w x_zero -> y1 @group=2"}};
	struct rewritten model;

	(void)state;
	test_onnx_float_rewrite(&model, no_bias, COUNT(no_bias));
	test_onnx_float_assert_conv(&model, false);
	test_onnx_float_drop(&model);
	test_onnx_float_rewrite(&model, no_zero, COUNT(no_zero));
	test_onnx_float_assert_conv(&model, true);
	assert_int_equal(onnx_node_at(model.after, 0)->input_count, 2);
	test_onnx_float_drop(&model);
}

static void test_onnx_float_operands_may_come_in_either_order(void **state)
{
	static const struct change changes[] = {
		{"Mul x_scale w_scale -> scale", "Mul w_scale x_scale -> scale"},
		{"Add y1 b4 -> y2", "Add b4 y1 -> y2"},
		{"Mul y3 scale -> y", "Mul scale y3 -> y"},
	};
	struct rewritten model;

	(void)state;
	for (size_t i = 0; i < COUNT(changes); ++i) {
		test_onnx_float_rewrite(&model, &changes[i], 1);
		test_onnx_float_assert_conv(&model, true);
		test_onnx_float_drop(&model);
	}
}

/* What looks alike and means something else stays as it is. */
static void test_onnx_float_other_sums_are_left_alone(void **state)
{
	static const struct change changes[] = {
		{"weight w_scale", "weight w_scale 4"}, /* one for each channel */
		{"weight w_zero", "weight w_zero 4"},
		{"weight bias 2", "weight bias"},
		{"weight w 4", "input w"},
		{"Floor b1 -> b2", "Neg b1 -> b2"},
		{"Div bias scale -> b1", "Div bias x_scale -> b1"},
		{"Mul x_scale w_scale -> scale", "Mul w_scale w_scale -> scale"},
		{"ConvInteger x_q w x_zero w_zero -> y1 @group=2",
		 "ConvInteger x_q w w_zero w_zero -> y1 @group=2"},
		{"ConvInteger x_q w x_zero w_zero -> y1 @group=2",
		 "MatMulInteger x_q w x_zero w_zero -> y1 @group=2"},
		{"Mul y3 scale -> y", "Div y3 scale -> y"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(changes); ++i) {
		struct rewritten model;

		test_onnx_float_rewrite(&model, &changes[i], 1);
		if (model.after)
			fail_msg("replaced with \"%s\"", changes[i].instead);
		test_onnx_float_drop(&model);
	}
}

static int test_onnx_float_nothing_is_left(void **state)
{
	(void)state;
	return mem_live() == 0 ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_onnx_float_a_quantised_convolution_becomes_one_of_floats),
		cmocka_unit_test(test_onnx_float_a_bias_and_a_zero_point_may_be_missing),
		cmocka_unit_test(test_onnx_float_operands_may_come_in_either_order),
		cmocka_unit_test(test_onnx_float_other_sums_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, test_onnx_float_nothing_is_left);
}
