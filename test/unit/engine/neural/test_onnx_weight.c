/* The numbers of a model's weights, in each of the ways in which files have them. */
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
#include "engine/neural/onnx_weight.h"
#include "model_text.h"

#define FILE_MAX (1 << 16)

/* A tensor's fields: dimensions, type, and the numbers as bytes of that field. */
struct tensor_text {
	unsigned dims[5];
	unsigned rank, elem_type, field;
	const char *bytes;
	size_t len;
};

/* The index of a model with this weight, called "w". */
static struct onnx *test_onnx_weight_open(struct buf *file, const struct tensor_text *text)
{
	struct buf tensor;
	struct buf graph;
	struct onnx *onnx = NULL;
	char why[128] = "";

	buf_init(&tensor, FILE_MAX);
	buf_init(&graph, FILE_MAX);
	buf_init(file, FILE_MAX);
	for (unsigned i = 0; i < text->rank; ++i)
		model_text_number(&tensor, 1, text->dims[i]);
	model_text_number(&tensor, 2, text->elem_type);
	model_text_bytes(&tensor, 8, "w", 1);
	if (text->bytes)
		model_text_bytes(&tensor, text->field, text->bytes, text->len);
	model_text_bytes(&graph, 5, tensor.bytes, tensor.len);
	model_text_bytes(file, 7, graph.bytes, graph.len);
	if (onnx_parse(&onnx, file->bytes, file->len, why, sizeof(why)))
		fail_msg("%s", why);
	buf_reset(&tensor);
	buf_reset(&graph);
	return onnx;
}

static const struct onnx_str w = {"w", 1};

static void test_onnx_weight_tables_are_found(void **state)
{
	static const struct tensor_text text = {{2, 3}, 2, ONNX_UINT8, 9, "abcdef", 6};
	struct onnx_weight weight;
	struct buf file;
	struct onnx *onnx = test_onnx_weight_open(&file, &text);

	(void)state;
	assert_int_equal(onnx_weight_find(&weight, onnx, w), 0);
	assert_int_equal(weight.elem_type, ONNX_UINT8);
	assert_int_equal(weight.rank, 2);
	assert_int_equal(weight.dims[0], 2);
	assert_int_equal(weight.dims[1], 3);
	assert_memory_equal(weight.raw.bytes, "abcdef", 6);
	assert_int_equal(onnx_weight_find(&weight, onnx, (struct onnx_str){"v", 1}), ENOENT);
	mem_deref(onnx);
	buf_reset(&file);
}

static void test_onnx_weight_tables_of_another_size_are_refused(void **state)
{
	static const struct tensor_text texts[] = {
		{{2, 3}, 2, ONNX_UINT8, 9, "abcde", 5},
		{{2, 3}, 2, ONNX_FLOAT, 9, "abcdef", 6},
		{{2, 3}, 2, ONNX_INT64, 9, "abcdef", 6},
		{{2, 3}, 2, ONNX_UINT8, 5, "abcdef", 6},
		{{1, 1, 1, 1, 6}, 5, ONNX_UINT8, 9, "abcdef", 6},
		{{0xffffffff, 6}, 2, ONNX_UINT8, 9, "abcdef", 6},
		{{1u << 31, 1u << 31, 1u << 31}, 3, ONNX_UINT8, 9, "", 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); ++i) {
		struct onnx_weight weight;
		struct buf file;
		struct onnx *onnx = test_onnx_weight_open(&file, &texts[i]);

		assert_int_equal(onnx_weight_find(&weight, onnx, w), EINVAL);
		mem_deref(onnx);
		buf_reset(&file);
	}
}

static void test_onnx_weight_numbers_are_found(void **state)
{
	static const struct {
		struct tensor_text text;
		float number;
	} rows[] = {
		{{{0}, 0, ONNX_FLOAT, 9, "\0\0\x80\x3f", 4}, 1},
		{{{0}, 0, ONNX_FLOAT, 4, "\0\0\x80\x3f", 4}, 1},
		{{{1}, 1, ONNX_UINT8, 9, "\xff", 1}, 255},
		{{{1}, 1, ONNX_INT8, 9, "\xff", 1}, -1},
		{{{0}, 0, ONNX_UINT8, 5, "\x80\x01", 2}, 128},
		{{{0}, 0, ONNX_INT8, 5, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10}, -1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct buf file;
		struct onnx *onnx = test_onnx_weight_open(&file, &rows[i].text);
		float number = 0;

		assert_int_equal(onnx_weight_find_number(&number, onnx, w), 0);
		assert_float_equal(number, rows[i].number, 0);
		mem_deref(onnx);
		buf_reset(&file);
	}
}

static void test_onnx_weight_that_is_no_number_is_refused(void **state)
{
	static const struct tensor_text texts[] = {
		{{2}, 1, ONNX_FLOAT, 9, "\0\0\x80\x3f\0\0\x80\x3f", 8},
		{{0}, 0, ONNX_FLOAT, 5, "\1", 1},
		{{0}, 0, ONNX_FLOAT, 4, "\0\0\x80", 3},
		{{0}, 0, ONNX_UINT8, 5, "\1\2", 2},
		{{0}, 0, ONNX_UINT8, 5, "\x80", 1},
		{{0}, 0, ONNX_INT64, 9, "\0\0\0\0\0\0\0\0", 8},
		{{0}, 0, ONNX_UINT8, 9, NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); ++i) {
		struct buf file;
		struct onnx *onnx = test_onnx_weight_open(&file, &texts[i]);
		float number;

		assert_int_equal(onnx_weight_find_number(&number, onnx, w), EINVAL);
		mem_deref(onnx);
		buf_reset(&file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_onnx_weight_tables_are_found),
		cmocka_unit_test(test_onnx_weight_tables_of_another_size_are_refused),
		cmocka_unit_test(test_onnx_weight_numbers_are_found),
		cmocka_unit_test(test_onnx_weight_that_is_no_number_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
