/* Where VITS graphs are cut, and graphs that are not cut. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/mem.h"
#include "engine/vits/cut.h"
#include "mem_fail.h"
#include "model_text.h"
#include "voice_files.h"

#define FILE_MAX (1 << 20)
#define WHY_SIZE 128

/* The shape of a VITS model in as few nodes as it has parts.  Tests change
 * single lines of it. */
static const char *const lines[] = {
	"input input",
	"input input_lengths",
	"input scales",
	"input sid",
	"weight emb",
	"weight flow_w",
	"weight dec_w",
	"weight tail_w",
	"Gather emb sid -> speaker",
	"Gather emb input -> x",
	"Mul x input_lengths -> h",
	"Add h speaker -> h2",
	"Shape h -> dp_shape",
	"RandomNormalLike dp_shape -> dp_noise",
	"Mul dp_noise scales -> dp",
	"Add dp h2 -> logw",
	"Ceil logw -> w",
	"MatMul h w -> m",
	"Less m w -> inside",
	"Cast inside -> mask @to=1",
	"Exp m -> dev",
	"RandomNormalLike m -> z_noise",
	"Mul z_noise dev -> z1",
	"Gather scales emb -> noise_scale",
	"Mul z1 noise_scale -> z2",
	"Add m z2 -> z",
	"Conv z flow_w -> f1",
	"Conv speaker flow_w -> f_cond",
	"Add f1 f_cond -> f2",
	"Mul f2 mask -> f",
	"Conv f dec_w -> d1",
	"Conv speaker dec_w -> d_cond",
	"Add d1 d_cond -> d2",
	"ConvTranspose d2 dec_w -> d3",
	"LeakyRelu d3 -> d4",
	"ConvTranspose d4 tail_w -> d5",
	"Tanh d5 -> output",
	"output output",
};

struct model {
	struct buf file;
	struct onnx *onnx;
	struct cut *cut;
	char why[WHY_SIZE];
	int err;
};

static void test_cut_model_cut(struct model *model)
{
	model->onnx = NULL;
	model->cut = NULL;
	model->why[0] = '\0';
	model->err = onnx_parse(&model->onnx, model->file.bytes, model->file.len, model->why,
				sizeof(model->why));
	if (model->err == 0)
		model->err = cut_vits(&model->cut, model->onnx, model->why, sizeof(model->why));
}

/* The model above; a line that makes or declares `name` is another one. */
struct change {
	const char *line;
	const char *instead;
};

static void test_cut_open_changed(struct model *model, const struct change *changes, size_t count)
{
	size_t used = 0;
	struct buf text;

	buf_init(&text, FILE_MAX);
	for (size_t i = 0; i < COUNT(lines); ++i) {
		const char *line = lines[i];

		for (size_t k = 0; k < count; ++k)
			if (strcmp(line, changes[k].line) == 0) {
				line = changes[k].instead;
				++used;
				break;
			}
		assert_int_equal(buf_printf(&text, "%s\n", line), 0);
	}
	assert_int_equal(used, count);
	assert_int_equal(buf_append(&text, "", 1), 0);
	buf_init(&model->file, FILE_MAX);
	model_text_write(&model->file, text.bytes);
	buf_reset(&text);
	test_cut_model_cut(model);
}

static void test_cut_open_tiny(struct model *model, const char *name)
{
	char path[PATH_MAX];
	size_t len;
	char *bytes;

	voice_files_tiny(path, name);
	bytes = voice_files_read(path, &len);
	buf_init(&model->file, FILE_MAX);
	assert_int_equal(buf_append(&model->file, bytes, len), 0);
	free(bytes);
	test_cut_model_cut(model);
}

static void test_cut_model_close(struct model *model)
{
	mem_deref(model->cut);
	mem_deref(model->onnx);
	buf_reset(&model->file);
}

static void test_cut_assert(const struct model *model)
{
	if (model->err)
		fail_msg("not cut: %d, %s", model->err, model->why);
}

static void test_cut_assert_shared(const struct cut_piece *piece, const char *const *names,
				   size_t count)
{
	assert_int_equal(piece->shared_count, count);
	for (size_t i = 0; i < count; ++i)
		assert_string_equal(piece->shared[i], names[i]);
}

#define ASSERT_SHARED(piece, ...)                                                                  \
	do {                                                                                       \
		static const char *const names_[] = {__VA_ARGS__};                                 \
		test_cut_assert_shared(piece, names_, COUNT(names_));                              \
	} while (0)

/* A piece of a model, read again. */
static struct onnx *test_cut_open_piece(const struct cut_piece *piece)
{
	struct onnx *onnx = NULL;
	char why[WHY_SIZE];

	if (onnx_parse(&onnx, piece->bytes, piece->len, why, sizeof(why)))
		fail_msg("the piece is no model: %s", why);
	return onnx;
}

static void test_cut_assert_pieces_are_models(const struct cut *cut)
{
	mem_deref(test_cut_open_piece(&cut->text));
	mem_deref(test_cut_open_piece(&cut->flow));
	mem_deref(test_cut_open_piece(&cut->head));
	mem_deref(test_cut_open_piece(&cut->tail));
}

static bool test_cut_takes(const struct onnx *onnx, const char *name)
{
	return onnx_is_input(onnx, (struct onnx_str){.bytes = name, .len = strlen(name)});
}

static bool test_cut_has_weight(const struct onnx *onnx, const char *name)
{
	return onnx_is_weight(onnx, (struct onnx_str){.bytes = name, .len = strlen(name)});
}

static void test_cut_assert_outputs(const struct onnx *onnx, const char *const *names, size_t count)
{
	assert_int_equal(onnx_output_count(onnx), count);
	for (size_t i = 0; i < count; ++i)
		assert_true(onnx_str_is(onnx_output_at(onnx, i), names[i]));
}

static void test_cut_the_joints_are_found_by_what_nodes_do(void **state)
{
	struct model model;

	(void)state;
	test_cut_open_changed(&model, NULL, 0);
	test_cut_assert(&model);
	assert_string_equal(model.cut->duration_noise, "dp_noise");
	assert_string_equal(model.cut->durations, "w");
	assert_string_equal(model.cut->mean, "m");
	assert_string_equal(model.cut->deviation, "dev");
	assert_string_equal(model.cut->latent_noise, "z_noise");
	assert_string_equal(model.cut->latent, "z");
	assert_string_equal(model.cut->features, "f");
	assert_string_equal(model.cut->hidden, "d4");
	assert_string_equal(model.cut->output, "output");
	assert_true(model.cut->has_speakers);
	test_cut_model_close(&model);
}

static void test_cut_pieces_join(void **state)
{
	struct model model;
	struct onnx *piece;

	(void)state;
	test_cut_open_changed(&model, NULL, 0);
	test_cut_assert(&model);
	ASSERT_SHARED(&model.cut->text, "speaker", "mask");
	ASSERT_SHARED(&model.cut->flow, "speaker", "mask");
	ASSERT_SHARED(&model.cut->head, "speaker");
	assert_int_equal(model.cut->tail.shared_count, 0);
	piece = test_cut_open_piece(&model.cut->text);
	assert_true(test_cut_takes(piece, "input") && test_cut_takes(piece, "sid") &&
		    test_cut_takes(piece, "dp_noise"));
	test_cut_assert_outputs(piece, (const char *[]){"w", "m", "dev", "speaker", "mask"}, 5);
	assert_false(test_cut_has_weight(piece, "flow_w") || test_cut_has_weight(piece, "dec_w"));
	mem_deref(piece);
	piece = test_cut_open_piece(&model.cut->flow);
	assert_int_equal(onnx_input_count(piece), 3);
	assert_true(test_cut_takes(piece, "z") && test_cut_takes(piece, "speaker") &&
		    test_cut_takes(piece, "mask"));
	test_cut_assert_outputs(piece, (const char *[]){"f"}, 1);
	assert_false(test_cut_has_weight(piece, "emb") || test_cut_has_weight(piece, "dec_w"));
	mem_deref(piece);
	piece = test_cut_open_piece(&model.cut->head);
	assert_int_equal(onnx_input_count(piece), 2);
	assert_true(test_cut_takes(piece, "f") && test_cut_takes(piece, "speaker"));
	test_cut_assert_outputs(piece, (const char *[]){"d4"}, 1);
	assert_false(test_cut_has_weight(piece, "flow_w") || test_cut_has_weight(piece, "tail_w"));
	mem_deref(piece);
	piece = test_cut_open_piece(&model.cut->tail);
	assert_int_equal(onnx_input_count(piece), 1);
	assert_true(test_cut_takes(piece, "d4") && test_cut_has_weight(piece, "tail_w"));
	test_cut_assert_outputs(piece, (const char *[]){"output"}, 1);
	assert_false(test_cut_has_weight(piece, "emb") || test_cut_has_weight(piece, "dec_w"));
	mem_deref(piece);
	test_cut_model_close(&model);
}

static void test_cut_operands_may_come_in_either_order(void **state)
{
	static const struct change changes[] = {
		{"Mul z_noise dev -> z1", "Mul dev z_noise -> z1"},
		{"Mul z1 noise_scale -> z2", "Mul noise_scale z1 -> z2"},
		{"Add m z2 -> z", "Add z2 m -> z"},
		{"Add d1 d_cond -> d2", "Add d_cond d1 -> d2"},
	};
	struct model model;

	(void)state;
	for (size_t i = 0; i <= COUNT(changes); ++i) {
		test_cut_open_changed(&model, changes, i);
		test_cut_assert(&model);
		assert_string_equal(model.cut->deviation, "dev");
		assert_string_equal(model.cut->mean, "m");
		assert_string_equal(model.cut->features, "f");
		test_cut_model_close(&model);
	}
}

static void test_cut_the_scale_may_come_before_the_deviation(void **state)
{
	static const struct change changes[] = {
		{"Mul z_noise dev -> z1", "Gather scales emb -> noise_scale"},
		{"Gather scales emb -> noise_scale", "Mul z_noise noise_scale -> z1"},
		{"Mul z1 noise_scale -> z2", "Mul z1 dev -> z2"},
	};
	struct model model;

	(void)state;
	test_cut_open_changed(&model, changes, COUNT(changes));
	test_cut_assert(&model);
	assert_string_equal(model.cut->deviation, "dev");
	test_cut_model_close(&model);
}

static void test_cut_durations_need_no_noise(void **state)
{
	static const struct change changes[] = {
		{"RandomNormalLike dp_shape -> dp_noise", "Identity h -> dp_noise"},
	};
	struct model model;

	(void)state;
	test_cut_open_changed(&model, changes, COUNT(changes));
	test_cut_assert(&model);
	assert_null(model.cut->duration_noise);
	assert_string_equal(model.cut->latent_noise, "z_noise");
	test_cut_model_close(&model);
}

/* A speaker's vector that only flow and decoder take is computed with the
 * text, since it hangs on the input. */
static void test_cut_a_speaker_that_the_text_does_not_need_is_shared_too(void **state)
{
	static const struct change changes[] = {
		{"Add h speaker -> h2", "Identity h -> h2"},
	};
	struct model model;

	(void)state;
	test_cut_open_changed(&model, changes, COUNT(changes));
	test_cut_assert(&model);
	ASSERT_SHARED(&model.cut->head, "speaker");
	assert_true(model.cut->has_speakers);
	test_cut_model_close(&model);
}

/* The mask is made of a truth value that the later pieces cannot be given. */
static void test_cut_only_floats_are_shared(void **state)
{
	static const struct change changes[] = {
		{"Cast inside -> mask @to=1", "Unsqueeze inside -> u"},
		{"Exp m -> dev", "Cast u -> mask @to=1\nExp m -> dev"},
	};
	struct model model;

	(void)state;
	test_cut_open_changed(&model, changes, COUNT(changes));
	test_cut_assert(&model);
	ASSERT_SHARED(&model.cut->flow, "speaker", "mask");
	test_cut_model_close(&model);
}

static void test_cut_a_model_without_speakers_takes_none(void **state)
{
	static const struct change changes[] = {
		{"input sid", ""},
		{"Gather emb sid -> speaker", "Constant -> speaker"},
	};
	struct model model;

	(void)state;
	test_cut_open_changed(&model, changes, COUNT(changes));
	test_cut_assert(&model);
	assert_false(model.cut->has_speakers);
	ASSERT_SHARED(&model.cut->flow, "mask");
	assert_int_equal(model.cut->head.shared_count, 0);
	test_cut_model_close(&model);
}

static void test_cut_other_graphs_are_refused_with_a_reason(void **state)
{
	static const struct {
		struct change change;
		const char *why;
	} cases[] = {
		{{"input scales", "input scales2\nNeg scales2 -> scales"}, "no input \"scales\""},
		{{"Ceil logw -> w", "Floor logw -> w"}, "no Ceil"},
		{{"Exp m -> dev", "Ceil m -> dev"}, "rounds up in two places"},
		{{"Tanh d5 -> output", "RandomNormal -> r\nAdd d5 r -> output"},
		 "more than 2 random"},
		{{"RandomNormalLike m -> z_noise", "RandomNormalLike m -> z_noise @scale=0.5"},
		 "mean 0"},
		{{"RandomNormalLike m -> z_noise", "Identity m -> z_noise"}, "left for the latent"},
		{{"Mul dp_noise scales -> dp", "Mul h scales -> dp"}, "none of its two random"},
		{{"Add m z2 -> z", "Sub m z2 -> z"}, "mean + noise"},
		{{"Add m z2 -> z", "Add scales z2 -> z"}, "mean + noise"},
		{{"Mul z1 noise_scale -> z2", "Identity z1 -> z2"}, "mean + noise"},
		{{"Mul z1 noise_scale -> z2", "Mul z1 m -> z2"}, "two deviations"},
		{{"Mul z_noise dev -> z1", "Mul z_noise scales -> z1"}, "scaled twice"},
		{{"Conv z flow_w -> f1", "Conv z_noise flow_w -> f1"}, "mean + noise"},
		{{"Conv f dec_w -> d1", "MatMul f dec_w -> d1"}, "no flow"},
		{{"Add d1 d_cond -> d2", "Add d1 f -> d2"}, "no decoder"},
		{{"Conv f dec_w -> d1", "Conv z dec_w -> d1"}, "no flow"},
		{{"LeakyRelu d3 -> d4", "Add d3 f1 -> d4"}, "more than the flow's features"},
		{{"Tanh d5 -> output", "Add d5 f -> output"}, "behind its first step"},
		{{"ConvTranspose d4 tail_w -> d5", "Conv d4 tail_w -> d5"}, "one step"},
		{{"ConvTranspose d4 tail_w -> d5", "ConvTranspose tail_w d4 -> d5"}, "second step"},
		{{"ConvTranspose d4 tail_w -> d5", "ConvTranspose _ d4 -> d5"}, "second step"},
		{{"Conv z flow_w -> f1", "Conv z2 flow_w -> f1"}, "mean + noise"},
		{{"Conv z flow_w -> f1", "Conv z input -> f1"}, "takes \"input\""},
		{{"Mul f2 mask -> f", "Where inside f2 mask -> f"}, "takes \"inside\""},
		{{"Mul f2 mask -> f", "Mul f2 m -> f"}, "takes \"m\""},
		{{"output output", "output w"}, "no output"},
		{{"output output", "output output\noutput d3"}, "two outputs"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		struct model model;

		test_cut_open_changed(&model, &cases[i].change, 1);
		if (model.err != ENOTSUP || !strstr(model.why, cases[i].why))
			fail_msg("%zu: %d, \"%s\" instead of \"%s\"", i, model.err, model.why,
				 cases[i].why);
		assert_null(model.cut);
		test_cut_model_close(&model);
	}
}

static void test_cut_more_shared_values_than_there_is_room_for_are_refused(void **state)
{
	static const struct change changes[] = {
		{"Exp m -> dev", "Exp m -> dev\nNeg m -> s1\nNeg s1 -> s2\nNeg s2 -> s3\n"
				 "Neg s3 -> s4\nNeg s4 -> s5\nAdd s5 w -> s6"},
		{"MatMul h w -> m", "MatMul h w -> m"},
		{"Mul f2 mask -> f", "Sum f2 mask h logw dp h2 x -> f"},
	};
	struct model model;

	(void)state;
	test_cut_open_changed(&model, changes, COUNT(changes));
	assert_int_equal(model.err, ENOTSUP);
	assert_non_null(strstr(model.why, "more than 4 values"));
	test_cut_model_close(&model);
}

static void test_cut_tiny_voices_are_cut(void **state)
{
	static const struct {
		const char *name;
		bool has_speakers, has_noise;
		size_t shared;
	} voices[] = {
		{"tiny.onnx", true, true, 2},
		{"single.onnx", false, true, 1},
		{"plain.onnx", true, false, 2},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(voices); ++i) {
		struct model model;
		struct onnx *head;

		test_cut_open_tiny(&model, voices[i].name);
		test_cut_assert(&model);
		assert_int_equal(model.cut->has_speakers, voices[i].has_speakers);
		assert_int_equal(model.cut->duration_noise != NULL, voices[i].has_noise);
		assert_int_equal(model.cut->text.shared_count, voices[i].shared);
		head = test_cut_open_piece(&model.cut->head);
		assert_true(test_cut_has_weight(head, "dec.conv_pre.weight"));
		assert_false(test_cut_has_weight(head, "flow.flows.0.pre.weight"));
		assert_false(test_cut_has_weight(head, "dec.ups.1.weight"));
		mem_deref(head);
		test_cut_model_close(&model);
	}
}

/* No weight is carried twice, and none is lost. */
static void test_cut_pieces_are_together_as_large_as_the_whole(void **state)
{
	struct model model;
	size_t sum;

	(void)state;
	test_cut_open_tiny(&model, "tiny.onnx");
	test_cut_assert(&model);
	sum = model.cut->text.len + model.cut->flow.len + model.cut->head.len + model.cut->tail.len;
	assert_true(sum > model.file.len * 97 / 100);
	assert_true(sum < model.file.len * 103 / 100);
	test_cut_model_close(&model);
}

static void test_cut_the_whole_model_can_be_had_without_chance(void **state)
{
	struct model model;
	struct cut_piece whole = {0};
	struct onnx *onnx;
	char *noise;

	(void)state;
	test_cut_open_tiny(&model, "tiny.onnx");
	test_cut_assert(&model);
	assert_int_equal(cut_none(model.onnx, model.cut, &whole.bytes, &whole.len, &noise), 0);
	onnx = test_cut_open_piece(&whole);
	assert_int_equal(onnx_input_count(onnx), 6);
	assert_true(test_cut_takes(onnx, noise) && test_cut_takes(onnx, model.cut->duration_noise));
	for (size_t i = 0; i < onnx_node_count(onnx); ++i)
		assert_false(onnx_str_is(onnx_node_at(onnx, i)->op, "RandomNormalLike"));
	mem_deref(onnx);
	free(whole.bytes);
	free(noise);
	test_cut_model_close(&model);
}

static void test_cut_bytes_can_be_given_back(void **state)
{
	struct model model;

	(void)state;
	test_cut_open_tiny(&model, "tiny.onnx");
	test_cut_assert(&model);
	cut_drop_bytes(model.cut);
	assert_null(model.cut->text.bytes);
	assert_int_equal(model.cut->tail.len, 0);
	assert_non_null(model.cut->features);
	cut_drop_bytes(model.cut);
	test_cut_model_close(&model);
}

static void test_cut_a_damaged_voice_is_cut_into_models_or_refused(void **state)
{
	struct model model;
	size_t cut = 0;
	size_t count = 0;

	(void)state;
	test_cut_open_tiny(&model, "tiny.onnx");
	test_cut_assert(&model);
	mem_deref(model.cut);
	mem_deref(model.onnx);
	for (size_t at = 5; at < 40000; at += 29) {
		char bit = (char)(1 << (at % 7));

		model.file.bytes[at] ^= bit;
		test_cut_model_cut(&model);
		assert_true(model.err == 0 || model.err == EINVAL || model.err == ENOTSUP);
		assert_int_equal(model.err == 0, model.why[0] == '\0');
		if (model.cut) {
			test_cut_assert_pieces_are_models(model.cut);
			++cut;
		}
		++count;
		mem_deref(model.cut);
		mem_deref(model.onnx);
		model.file.bytes[at] ^= bit;
	}
	assert_true(cut > 0 && cut < count);
	buf_reset(&model.file);
}

static void test_cut_no_memory_is_told_and_nothing_is_lost(void **state)
{
	struct model model;
	size_t live = mem_live();
	size_t n = 0;

	(void)state;
	do {
		mem_fail_after(++n);
		test_cut_open_changed(&model, NULL, 0);
		mem_fail_after(0);
		assert_true(model.err == 0 || model.err == ENOMEM);
		test_cut_model_close(&model);
		assert_int_equal(mem_live(), live);
	} while (model.err);
	assert_true(n > 12);
}

static void test_cut_installed(const char *path)
{
	struct model model;
	size_t len;
	char *bytes = voice_files_read(path, &len);
	uint64_t start;

	model.file = (struct buf){.bytes = bytes, .len = len};
	start = clock_monotonic_us();
	test_cut_model_cut(&model);
	printf("%s: %s, %.1f ms\n", path, model.err ? model.why : "cut",
	       (double)(clock_monotonic_us() - start) / 1000);
	if (model.cut) {
		test_cut_assert_pieces_are_models(model.cut);
	} else {
		assert_int_equal(model.err, ENOTSUP); /* another family: not damaged */
	}
	mem_deref(model.cut);
	mem_deref(model.onnx);
	free(bytes);
}

static void test_cut_installed_voices_are_cut(void **state)
{
	char path[PATH_MAX];
	size_t n = 0;

	(void)state;
	while (voice_files_installed(path, n)) {
		test_cut_installed(path);
		++n;
	}
	if (n > 0)
		return;
	voice_files_folder(path);
	printf("skipped: no voices are installed in %s\n", path);
	skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_the_joints_are_found_by_what_nodes_do),
		cmocka_unit_test(test_cut_pieces_join),
		cmocka_unit_test(test_cut_operands_may_come_in_either_order),
		cmocka_unit_test(test_cut_the_scale_may_come_before_the_deviation),
		cmocka_unit_test(test_cut_durations_need_no_noise),
		cmocka_unit_test(test_cut_a_speaker_that_the_text_does_not_need_is_shared_too),
		cmocka_unit_test(test_cut_only_floats_are_shared),
		cmocka_unit_test(test_cut_a_model_without_speakers_takes_none),
		cmocka_unit_test(test_cut_other_graphs_are_refused_with_a_reason),
		cmocka_unit_test(test_cut_more_shared_values_than_there_is_room_for_are_refused),
		cmocka_unit_test(test_cut_tiny_voices_are_cut),
		cmocka_unit_test(test_cut_pieces_are_together_as_large_as_the_whole),
		cmocka_unit_test(test_cut_the_whole_model_can_be_had_without_chance),
		cmocka_unit_test(test_cut_bytes_can_be_given_back),
		cmocka_unit_test(test_cut_a_damaged_voice_is_cut_into_models_or_refused),
		cmocka_unit_test(test_cut_no_memory_is_told_and_nothing_is_lost),
		cmocka_unit_test(test_cut_installed_voices_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
