/* An If gives way to one of its branches. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "engine/neural/onnx_branch.h"
#include "model_text.h"

#define WHY_SIZE 256
#define FILE_MAX (1 << 20)

static const char merged[] = "input x\n"
			     "input is_first\n"
			     "output y\n"
			     "weight shared\n"
			     "Neg x -> before\n"
			     "If is_first -> y\n"
			     "then weight first\n"
			     "then Mul before first -> a\n"
			     "then Mul a shared -> y\n"
			     "then output y\n"
			     "else Add before shared -> b\n"
			     "else output b\n";

struct flat {
	struct buf file;
	struct onnx *before;
	char *bytes;
	struct onnx *after;
};

static int test_onnx_branch_open(struct flat *flat, const char *text, const char *branch)
{
	char why[WHY_SIZE] = "";
	const struct onnx_node *node;
	size_t len;
	int err;

	*flat = (struct flat){0};
	buf_init(&flat->file, FILE_MAX);
	model_text_write(&flat->file, text);
	if (onnx_parse(&flat->before, flat->file.bytes, flat->file.len, why, sizeof(why)))
		fail_msg("%s", why);
	node = onnx_node_at(flat->before, onnx_node_count(flat->before) - 1);
	err = onnx_branch(flat->before, node, branch, &flat->bytes, &len);
	if (!err && onnx_parse(&flat->after, flat->bytes, len, why, sizeof(why)))
		fail_msg("%s", why);
	return err;
}

static void test_onnx_branch_close(struct flat *flat)
{
	mem_deref(flat->after);
	mem_deref(flat->before);
	free(flat->bytes);
	buf_reset(&flat->file);
}

static struct onnx_str test_onnx_branch_str(const char *name)
{
	return (struct onnx_str){.bytes = name, .len = strlen(name)};
}

static void test_onnx_branch_takes_the_place_of_the_if(void **state)
{
	const struct onnx_node *node;
	struct flat flat;

	(void)state;
	assert_int_equal(test_onnx_branch_open(&flat, merged, "then_branch"), 0);
	assert_int_equal(onnx_node_count(flat.after), 3);
	node = onnx_maker(flat.after, test_onnx_branch_str("y"));
	assert_non_null(node);
	assert_true(onnx_str_is(node->op, "Mul"));
	assert_true(onnx_is_weight(flat.after, test_onnx_branch_str("first")));
	assert_true(onnx_is_weight(flat.after, test_onnx_branch_str("shared")));
	assert_int_equal(node->makers[0], 1);
	test_onnx_branch_close(&flat);
}

static void test_onnx_branch_output_keeps_the_name_of_the_if(void **state)
{
	const struct onnx_node *node;
	struct flat flat;

	(void)state;
	assert_int_equal(test_onnx_branch_open(&flat, merged, "else_branch"), 0);
	node = onnx_maker(flat.after, test_onnx_branch_str("y"));
	assert_non_null(node);
	assert_true(onnx_str_is(node->op, "Identity"));
	assert_true(onnx_str_is(node->inputs[0], "b"));
	assert_false(onnx_is_weight(flat.after, test_onnx_branch_str("first")));
	test_onnx_branch_close(&flat);
}

static void test_onnx_branch_refuses_another_node(void **state)
{
	struct flat flat;

	(void)state;
	assert_int_equal(
		test_onnx_branch_open(&flat, "input x\noutput y\nNeg x -> y\n", "then_branch"),
		EINVAL);
	test_onnx_branch_close(&flat);
}

static void test_onnx_branch_refuses_a_branch_that_is_missing(void **state)
{
	struct flat flat;

	(void)state;
	assert_int_equal(test_onnx_branch_open(&flat,
					       "input x\noutput y\nIf x -> y\n"
					       "then Neg x -> y\nthen output y\n",
					       "else_branch"),
			 EINVAL);
	test_onnx_branch_close(&flat);
}

static void test_onnx_branch_refuses_another_number_of_outputs(void **state)
{
	struct flat flat;

	(void)state;
	assert_int_equal(test_onnx_branch_open(&flat,
					       "input x\noutput y\nIf x -> y z\n"
					       "then Neg x -> y\nthen output y\n",
					       "then_branch"),
			 EINVAL);
	test_onnx_branch_close(&flat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_onnx_branch_takes_the_place_of_the_if),
		cmocka_unit_test(test_onnx_branch_output_keeps_the_name_of_the_if),
		cmocka_unit_test(test_onnx_branch_refuses_another_node),
		cmocka_unit_test(test_onnx_branch_refuses_a_branch_that_is_missing),
		cmocka_unit_test(test_onnx_branch_refuses_another_number_of_outputs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
