/* Looking into a model and taking pieces out of it; files that are no models. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/mem.h"
#include "engine/neural/onnx.h"
#include "mem_fail.h"
#include "model_text.h"
#include "voice_files.h"

#define FILE_MAX (1 << 20)
#define WHY_SIZE 128

/* A model together with its file. */
struct model {
	struct buf file;
	struct onnx *onnx;
	char why[WHY_SIZE];
	int err;
};

static void test_onnx_parse(struct model *model)
{
	model->onnx = NULL;
	model->err = onnx_parse(&model->onnx, model->file.bytes, model->file.len, model->why,
				sizeof(model->why));
}

static void test_onnx_model_open(struct model *model, const char *text)
{
	buf_init(&model->file, FILE_MAX);
	model_text_write(&model->file, text);
	test_onnx_parse(model);
}

static void test_onnx_model_close(struct model *model)
{
	mem_deref(model->onnx);
	buf_reset(&model->file);
}

static struct onnx_str test_onnx_str(const char *name)
{
	return (struct onnx_str){.bytes = name, .len = strlen(name)};
}

static struct onnx_port test_onnx_port(const char *name)
{
	return (struct onnx_port){.name = test_onnx_str(name), .elem_type = ONNX_FLOAT, .rank = 3};
}

/* The piece from `from` (or from the model's inputs) to `to`. */
static int test_onnx_extract(struct model *piece, const struct model *model, const char *from,
			     const char *to)
{
	struct onnx_port takes = from ? test_onnx_port(from) : (struct onnx_port){0};
	struct onnx_port gives = test_onnx_port(to);
	char *bytes;
	size_t len;
	int err = onnx_extract(model->onnx, &takes, from ? 1 : 0, &gives, 1, &bytes, &len);

	if (err)
		return err;
	buf_init(&piece->file, FILE_MAX);
	assert_int_equal(buf_append(&piece->file, bytes, len), 0);
	free(bytes);
	test_onnx_parse(piece);
	assert_int_equal(piece->err, 0);
	return 0;
}

static void test_onnx_assert_refused(const char *text, const char *why)
{
	struct model model;

	test_onnx_model_open(&model, text);
	assert_int_equal(model.err, EINVAL);
	assert_null(model.onnx);
	if (!strstr(model.why, why))
		fail_msg("\"%s\" instead of \"%s\"", model.why, why);
	test_onnx_model_close(&model);
}

/* clang-format off */
static const char chain[] =
	"input x\n"
	"input y\n"
	"weight w1\n"
	"weight w2\n"
	"Constant -> c\n"
	"Mul x w1 -> a\n"
	"Add a c -> b\n"
	"Mul b w2 -> d\n"
	"Add d c -> e\n"
	"Mul e y -> f\n"
	"output f\n"
	"value d 1\n"
	"value e 7\n";
/* clang-format on */

static void test_onnx_a_model_is_indexed(void **state)
{
	struct model model;

	(void)state;
	test_onnx_model_open(&model, chain);
	assert_int_equal(model.err, 0);
	assert_int_equal(onnx_node_count(model.onnx), 6);
	assert_int_equal(onnx_input_count(model.onnx), 2);
	assert_true(onnx_str_is(onnx_input_at(model.onnx, 1), "y"));
	assert_int_equal(onnx_output_count(model.onnx), 1);
	assert_true(onnx_str_is(onnx_output_at(model.onnx, 0), "f"));
	assert_ptr_equal(onnx_maker(model.onnx, test_onnx_str("b")), onnx_node_at(model.onnx, 2));
	assert_int_equal(onnx_node_at(model.onnx, 3)->makers[0], 2);
	assert_int_equal(onnx_node_at(model.onnx, 3)->makers[1], ONNX_NO_NODE);
	assert_null(onnx_maker(model.onnx, test_onnx_str("x")));
	assert_null(onnx_maker(model.onnx, test_onnx_str("")));
	assert_true(onnx_is_input(model.onnx, test_onnx_str("x")));
	assert_false(onnx_is_input(model.onnx, test_onnx_str("w1")));
	assert_true(onnx_is_weight(model.onnx, test_onnx_str("w1")));
	assert_false(onnx_is_weight(model.onnx, test_onnx_str("nothing")));
	test_onnx_model_close(&model);
}

static void test_onnx_types_are_what_the_file_says(void **state)
{
	struct model model;

	(void)state;
	test_onnx_model_open(&model, chain);
	assert_int_equal(onnx_type_of(model.onnx, test_onnx_str("d")).elem_type, ONNX_FLOAT);
	assert_int_equal(onnx_type_of(model.onnx, test_onnx_str("d")).rank, 3);
	assert_int_equal(onnx_type_of(model.onnx, test_onnx_str("e")).elem_type, ONNX_INT64);
	assert_int_equal(onnx_type_of(model.onnx, test_onnx_str("w1")).elem_type, ONNX_FLOAT);
	assert_int_equal(onnx_type_of(model.onnx, test_onnx_str("x")).elem_type, ONNX_FLOAT);
	assert_int_equal(onnx_type_of(model.onnx, test_onnx_str("f")).elem_type, ONNX_FLOAT);
	assert_int_equal(onnx_type_of(model.onnx, test_onnx_str("a")).elem_type, ONNX_UNKNOWN);
	assert_int_equal(onnx_type_of(model.onnx, test_onnx_str("a")).rank, ONNX_ANY_RANK);
	test_onnx_model_close(&model);
}

static void test_onnx_attributes_are_read(void **state)
{
	struct model model;
	const struct onnx_node *node;

	(void)state;
	test_onnx_model_open(&model, "input x\nCast x -> y @to=7 @scale=0.25\n");
	assert_int_equal(model.err, 0);
	node = onnx_node_at(model.onnx, 0);
	assert_int_equal(onnx_node_int(node, "to", 1), 7);
	assert_int_equal(onnx_node_int(node, "axis", -2), -2);
	assert_float_equal(onnx_node_float(node, "scale", 1), 0.25F, 0);
	assert_float_equal(onnx_node_float(node, "mean", 3), 3, 0);
	test_onnx_model_close(&model);
}

static void test_onnx_a_piece_has_what_it_needs_and_no_more(void **state)
{
	struct model model;
	struct model piece = {0};

	(void)state;
	test_onnx_model_open(&model, chain);
	assert_int_equal(test_onnx_extract(&piece, &model, "b", "e"), 0);
	assert_int_equal(onnx_node_count(piece.onnx), 3); /* with the constant */
	assert_int_equal(onnx_input_count(piece.onnx), 1);
	assert_true(onnx_str_is(onnx_input_at(piece.onnx, 0), "b"));
	assert_true(onnx_str_is(onnx_output_at(piece.onnx, 0), "e"));
	assert_true(onnx_is_weight(piece.onnx, test_onnx_str("w2")));
	assert_false(onnx_is_weight(piece.onnx, test_onnx_str("w1")));
	assert_int_equal(onnx_type_of(piece.onnx, test_onnx_str("b")).elem_type, ONNX_FLOAT);
	assert_int_equal(onnx_type_of(piece.onnx, test_onnx_str("b")).rank, 3);
	test_onnx_model_close(&piece);
	test_onnx_model_close(&model);
}

static void test_onnx_constants_are_in_every_piece(void **state)
{
	struct model model;
	struct model piece = {0};

	(void)state;
	test_onnx_model_open(&model, chain);
	assert_int_equal(test_onnx_extract(&piece, &model, NULL, "b"), 0);
	assert_non_null(onnx_maker(piece.onnx, test_onnx_str("c")));
	test_onnx_model_close(&piece);
	assert_int_equal(test_onnx_extract(&piece, &model, "d", "e"), 0);
	assert_non_null(onnx_maker(piece.onnx, test_onnx_str("c")));
	test_onnx_model_close(&piece);
	test_onnx_model_close(&model);
}

static void test_onnx_inputs_of_the_whole_stay_inputs_where_they_are_needed(void **state)
{
	struct model model;
	struct model piece = {0};

	(void)state;
	test_onnx_model_open(&model, chain);
	assert_int_equal(test_onnx_extract(&piece, &model, "b", "f"), 0);
	assert_int_equal(onnx_input_count(piece.onnx), 2);
	assert_true(onnx_is_input(piece.onnx, test_onnx_str("y")));
	assert_true(onnx_is_input(piece.onnx, test_onnx_str("b")));
	assert_false(onnx_is_input(piece.onnx, test_onnx_str("x")));
	test_onnx_model_close(&piece);
	test_onnx_model_close(&model);
}

static void test_onnx_a_given_value_that_no_node_needs_is_left_out(void **state)
{
	struct model model;
	struct model piece = {0};

	(void)state;
	test_onnx_model_open(&model, chain);
	assert_int_equal(test_onnx_extract(&piece, &model, "e", "b"), 0);
	assert_int_equal(onnx_input_count(piece.onnx), 1);
	assert_true(onnx_is_input(piece.onnx, test_onnx_str("x")));
	test_onnx_model_close(&piece);
	test_onnx_model_close(&model);
}

static void test_onnx_an_output_that_is_not_computed_is_told(void **state)
{
	struct model model;
	struct model piece = {0};

	(void)state;
	test_onnx_model_open(&model, chain);
	assert_int_equal(test_onnx_extract(&piece, &model, "b", "nothing"), ENOENT);
	assert_int_equal(test_onnx_extract(&piece, &model, "b", "b"), ENOENT);
	assert_int_equal(test_onnx_extract(&piece, &model, "b", "x"), ENOENT);
	assert_int_equal(test_onnx_extract(&piece, &model, "b", "w1"), ENOENT);
	test_onnx_model_close(&model);
}

static void test_onnx_a_value_is_not_both_given_and_made(void **state)
{
	struct model model;
	struct model piece = {0};

	(void)state;
	test_onnx_model_open(&model, "input x\nSplit x -> a b\nAdd a b -> c\noutput c\n");
	assert_int_equal(model.err, 0);
	assert_int_equal(test_onnx_extract(&piece, &model, "a", "c"), EINVAL);
	test_onnx_model_close(&model);
}

static void test_onnx_values_that_are_left_out_are_no_values(void **state)
{
	struct model model;
	struct model piece = {0};

	(void)state;
	test_onnx_model_open(&model, "input x\nDropout x _ -> y _\nClip y _ x -> z _\noutput z\n");
	assert_int_equal(model.err, 0);
	assert_int_equal(test_onnx_extract(&piece, &model, NULL, "z"), 0);
	assert_int_equal(onnx_node_count(piece.onnx), 2);
	test_onnx_model_close(&piece);
	test_onnx_model_close(&model);
}

static void test_onnx_a_weight_among_the_inputs_is_a_weight(void **state)
{
	struct model model;
	struct model piece = {0};

	(void)state;
	test_onnx_model_open(&model, "input w\ninput x\nweight w\nMul x w -> y\noutput y\n");
	assert_int_equal(model.err, 0);
	assert_int_equal(onnx_input_count(model.onnx), 1);
	assert_true(onnx_str_is(onnx_input_at(model.onnx, 0), "x"));
	assert_false(onnx_is_input(model.onnx, test_onnx_str("w")));
	assert_int_equal(test_onnx_extract(&piece, &model, NULL, "y"), 0);
	assert_true(onnx_is_weight(piece.onnx, test_onnx_str("w")));
	assert_true(onnx_is_input(piece.onnx, test_onnx_str("x")));
	assert_int_equal(onnx_input_count(piece.onnx), 1);
	test_onnx_model_close(&piece);
	test_onnx_model_close(&model);
}

static void test_onnx_what_a_graph_inside_a_node_reads_is_carried_along(void **state)
{
	struct model model;
	struct model piece = {0};

	(void)state;
	test_onnx_model_open(&model, "input x\nweight w\nNeg x -> a\nAbs x -> b\n"
				     "If a -> c | b w its_own c\noutput c\n");
	assert_int_equal(model.err, 0);
	assert_int_equal(onnx_node_at(model.onnx, 2)->input_count, 1);
	assert_int_equal(onnx_node_at(model.onnx, 2)->captured_count, 4);
	assert_int_equal(test_onnx_extract(&piece, &model, "a", "c"), 0);
	assert_int_equal(onnx_node_count(piece.onnx), 2);
	assert_non_null(onnx_maker(piece.onnx, test_onnx_str("b")));
	assert_true(onnx_is_weight(piece.onnx, test_onnx_str("w")));
	test_onnx_model_close(&piece);
	assert_int_equal(test_onnx_extract(&piece, &model, "b", "c"), 0);
	assert_true(onnx_is_input(piece.onnx, test_onnx_str("b")));
	test_onnx_model_close(&piece);
	test_onnx_model_close(&model);
}

static void test_onnx_graphs_that_cannot_be_computed_are_refused(void **state)
{
	(void)state;
	test_onnx_assert_refused("input x\nNeg x -> a\nAbs x -> a\n",
				 "two things are called \"a\"");
	test_onnx_assert_refused("input x\nNeg x -> x\n", "two things are called \"x\"");
	test_onnx_assert_refused("weight w\nNeg w -> w\n", "two things are called \"w\"");
	test_onnx_assert_refused("weight w\nweight w\n", "two things are called \"w\"");
	test_onnx_assert_refused("input x\ninput x\n", "two things are called \"x\"");
	test_onnx_assert_refused("input x\nAdd x a -> b\nNeg b -> a\n", "not in order");
	test_onnx_assert_refused("Neg a -> a\n", "not in order");
	test_onnx_assert_refused("input x\nAdd x a -> b\n", "nothing makes \"a\"");
	test_onnx_assert_refused("Neg \x1b[2J -> b\n", "nothing makes \"?[2J\"");
}

/* A model with one more field in its graph. */
static void test_onnx_open_with(struct model *model, unsigned number, const struct buf *message)
{
	struct buf graph;

	buf_init(&graph, FILE_MAX);
	buf_init(&model->file, FILE_MAX);
	model_text_bytes(&graph, number, message->bytes, message->len);
	model_text_bytes(&model->file, 7, graph.bytes, graph.len);
	buf_reset(&graph);
	test_onnx_parse(model);
}

static void test_onnx_assert_field_refused(unsigned number, struct buf *message, const char *why)
{
	struct model model;

	test_onnx_open_with(&model, number, message);
	assert_int_equal(model.err, EINVAL);
	if (!strstr(model.why, why))
		fail_msg("\"%s\" instead of \"%s\"", model.why, why);
	test_onnx_model_close(&model);
	buf_reset(message);
}

/* Wraps the message into one that has it as a field. */
static void test_onnx_wrap(struct buf *message, unsigned number)
{
	struct buf outer;

	buf_init(&outer, FILE_MAX);
	model_text_bytes(&outer, number, message->bytes, message->len);
	buf_reset(message);
	*message = outer;
}

static void test_onnx_weights_elsewhere_are_refused(void **state)
{
	struct buf message;

	(void)state;
	buf_init(&message, FILE_MAX);
	model_text_number(&message, 14, 1); /* data_location */
	test_onnx_assert_field_refused(5, &message, "another file");
	model_text_bytes(&message, 13, "", 0); /* external_data */
	test_onnx_assert_field_refused(5, &message, "another file");
	model_text_number(&message, 14, 1);
	test_onnx_wrap(&message, 5); /* an attribute's tensor, */
	test_onnx_wrap(&message, 5); /* a node's attribute */
	test_onnx_assert_field_refused(1, &message, "another file");
	model_text_bytes(&message, 1, "", 0);
	test_onnx_assert_field_refused(15, &message, "sparse");
	model_text_bytes(&message, 22, "", 0);
	test_onnx_wrap(&message, 5);
	test_onnx_assert_field_refused(1, &message, "sparse");
}

static void test_onnx_graphs_nested_without_end_are_refused(void **state)
{
	struct model model;
	struct buf message;

	(void)state;
	buf_init(&message, FILE_MAX);
	for (int depth = 0; depth < 8; ++depth) {
		test_onnx_wrap(&message, 1); /* a graph's node, */
		test_onnx_wrap(&message, 6); /* an attribute's graph, */
		test_onnx_wrap(&message, 5); /* a node's attribute */
	}
	test_onnx_open_with(&model, 1, &message);
	assert_int_equal(model.err, 0);
	test_onnx_model_close(&model);
	for (int depth = 0; depth < 1000; ++depth) {
		test_onnx_wrap(&message, 1);
		test_onnx_wrap(&message, 6);
		test_onnx_wrap(&message, 5);
	}
	test_onnx_assert_field_refused(1, &message, "nested");
}

static void test_onnx_an_index_has_a_largest_size(void **state)
{
	struct model model;
	struct buf message;

	(void)state;
	buf_init(&message, 8 << 20);
	for (uint32_t i = 0; i <= ONNX_PARTS_MAX; ++i)
		model_text_bytes(&message, 1, "", 0);
	buf_init(&model.file, 8 << 20);
	model_text_bytes(&model.file, 7, message.bytes, message.len);
	test_onnx_parse(&model);
	assert_int_equal(model.err, EINVAL);
	assert_non_null(strstr(model.why, "too many"));
	buf_reset(&message);
	test_onnx_model_close(&model);
}

static void test_onnx_what_is_no_model_is_refused(void **state)
{
	static const char *const files[] = {"",         "\x08\x08", "RIFF....WAVE", "{\"json\": 1}",
					    ":\005abc", "\x38\x01"};
	char why[WHY_SIZE];

	(void)state;
	for (size_t i = 0; i < COUNT(files); ++i) {
		struct onnx *onnx = NULL;

		assert_int_equal(onnx_parse(&onnx, files[i], strlen(files[i]), why, sizeof(why)),
				 EINVAL);
		assert_string_equal(why, "it is damaged or no ONNX model");
	}
}

static void test_onnx_read_tiny(struct model *model)
{
	char path[PATH_MAX];
	size_t len;
	char *bytes;

	voice_files_tiny(path, "tiny.onnx");
	bytes = voice_files_read(path, &len);
	buf_init(&model->file, FILE_MAX);
	assert_int_equal(buf_append(&model->file, bytes, len), 0);
	free(bytes);
}

static void test_onnx_notes_are_found(void **state)
{
	struct model model;
	struct model piece = {0};

	(void)state;
	test_onnx_read_tiny(&model);
	test_onnx_parse(&model);
	assert_int_equal(model.err, 0);
	assert_true(onnx_str_is(onnx_note(model.onnx, "model_type"), "vits"));
	assert_true(onnx_str_is(onnx_note(model.onnx, "sample_rate"), "22050"));
	assert_null(onnx_note(model.onnx, "nobody wrote this").bytes);
	assert_int_equal(test_onnx_extract(&piece, &model, NULL, "output"), 0);
	assert_true(onnx_str_is(onnx_note(piece.onnx, "model_type"), "vits"));
	test_onnx_model_close(&piece);
	test_onnx_model_close(&model);
}

/* Lengths are copied, so that a read beyond the end is seen. */
static void test_onnx_a_truncated_file_is_refused_at_every_length(void **state)
{
	struct model model;
	size_t graph_end;

	(void)state;
	test_onnx_read_tiny(&model);
	test_onnx_parse(&model);
	assert_int_equal(model.err, 0);
	graph_end = model.file.len - 400; /* metadata follows it */
	mem_deref(model.onnx);
	for (size_t len = 0; len < graph_end; len += len < 2000 ? 1 : 509) {
		char why[WHY_SIZE];
		char *copy = malloc(len + 1);
		struct onnx *onnx = NULL;

		assert_non_null(copy);
		memmove(copy, model.file.bytes, len);
		assert_int_equal(onnx_parse(&onnx, copy, len, why, sizeof(why)), EINVAL);
		free(copy);
	}
	buf_reset(&model.file);
}

static void test_onnx_a_damaged_file_never_does_harm(void **state)
{
	struct model model;
	size_t refused = 0;
	size_t count = 0;

	(void)state;
	test_onnx_read_tiny(&model);
	for (size_t at = 0; at < model.file.len; at += at < 40000 ? 13 : 997) {
		char bit = (char)(1 << (at % 8));

		model.file.bytes[at] ^= bit;
		test_onnx_parse(&model);
		assert_true(model.err == 0 || model.err == EINVAL);
		refused += model.err != 0;
		++count;
		mem_deref(model.onnx);
		model.file.bytes[at] ^= bit;
	}
	assert_true(refused > count / 10); /* the damage was seen */
	test_onnx_parse(&model);
	assert_int_equal(model.err, 0);
	test_onnx_model_close(&model);
}

static void test_onnx_no_memory_is_told_and_nothing_is_lost(void **state)
{
	struct model model;
	size_t live = mem_live();
	size_t n = 0;

	(void)state;
	do {
		mem_fail_after(++n);
		test_onnx_model_open(&model, chain);
		mem_fail_after(0);
		assert_true(model.err == 0 || model.err == ENOMEM);
		test_onnx_model_close(&model);
		assert_int_equal(mem_live(), live);
	} while (model.err);
	assert_true(n > 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_onnx_a_model_is_indexed),
		cmocka_unit_test(test_onnx_types_are_what_the_file_says),
		cmocka_unit_test(test_onnx_attributes_are_read),
		cmocka_unit_test(test_onnx_a_piece_has_what_it_needs_and_no_more),
		cmocka_unit_test(test_onnx_constants_are_in_every_piece),
		cmocka_unit_test(test_onnx_inputs_of_the_whole_stay_inputs_where_they_are_needed),
		cmocka_unit_test(test_onnx_a_given_value_that_no_node_needs_is_left_out),
		cmocka_unit_test(test_onnx_an_output_that_is_not_computed_is_told),
		cmocka_unit_test(test_onnx_a_value_is_not_both_given_and_made),
		cmocka_unit_test(test_onnx_values_that_are_left_out_are_no_values),
		cmocka_unit_test(test_onnx_a_weight_among_the_inputs_is_a_weight),
		cmocka_unit_test(test_onnx_what_a_graph_inside_a_node_reads_is_carried_along),
		cmocka_unit_test(test_onnx_graphs_that_cannot_be_computed_are_refused),
		cmocka_unit_test(test_onnx_weights_elsewhere_are_refused),
		cmocka_unit_test(test_onnx_graphs_nested_without_end_are_refused),
		cmocka_unit_test(test_onnx_an_index_has_a_largest_size),
		cmocka_unit_test(test_onnx_what_is_no_model_is_refused),
		cmocka_unit_test(test_onnx_notes_are_found),
		cmocka_unit_test(test_onnx_a_truncated_file_is_refused_at_every_length),
		cmocka_unit_test(test_onnx_a_damaged_file_never_does_harm),
		cmocka_unit_test(test_onnx_no_memory_is_told_and_nothing_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
