/* What is found in a Kokoro graph, and the rejection of other graphs. */
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
#include "engine/vits/cut_kokoro.h"
#include "model_text.h"
#include "voice_files.h"

#define FILE_MAX (1 << 20)
#define WHY_SIZE 128

/* The shape of a Kokoro model in few nodes: durations, a running sum that is
 * none of durations, and noise as exporters leave it. */
#define ENDS                                                                                       \
	"input input_ids\n"                                                                        \
	"input style\n"                                                                            \
	"input speed\n"                                                                            \
	"output waveform\n"
#define TEXT                                                                                       \
	"weight w\n"                                                                               \
	"CumSum style w -> phase\n"                                                                \
	"Sigmoid input_ids -> d1\n"                                                                \
	"Div d1 speed -> d2\n"                                                                     \
	"Round d2 -> d3\n"                                                                         \
	"Clip d3 w _ -> d4\n"                                                                      \
	"Cast d4 -> d5 @to=7\n"                                                                    \
	"Gather d5 w -> d6\n"                                                                      \
	"CumSum d6 w -> ends\n"                                                                    \
	"Mul ends phase -> sines\n"
#define SOUND "Tanh sines -> waveform\n"
#define NOISY_SOUND                                                                                \
	"RandomUniformLike style -> start\n"                                                       \
	"RandomNormalLike sines -> noise\n"                                                        \
	"value noise 1\n"                                                                          \
	"Add sines start -> s1\n"                                                                  \
	"Add s1 noise -> s2\n"                                                                     \
	"Tanh s2 -> waveform\n"

struct graph {
	struct buf file;
	struct onnx *onnx;
	struct cut_kokoro *cut;
	char why[WHY_SIZE];
	int err;
};

static void test_cut_kokoro_graph_open(struct graph *graph, const char *text)
{
	*graph = (struct graph){0};
	buf_init(&graph->file, FILE_MAX);
	model_text_write(&graph->file, text);
	if (onnx_parse(&graph->onnx, graph->file.bytes, graph->file.len, graph->why, WHY_SIZE))
		fail_msg("the test's graph is none: %s", graph->why);
	graph->err = cut_kokoro(&graph->cut, graph->onnx, graph->why, WHY_SIZE);
}

static void test_cut_kokoro_graph_close(struct graph *graph)
{
	mem_deref(graph->cut);
	mem_deref(graph->onnx);
	buf_reset(&graph->file);
}

/* What was written, read again. */
static struct onnx *test_cut_kokoro_reopen(const struct graph *graph)
{
	struct onnx *onnx = NULL;
	char why[WHY_SIZE];

	if (graph->err)
		fail_msg("%d: %s", graph->err, graph->why);
	if (onnx_parse(&onnx, graph->cut->bytes, graph->cut->len, why, sizeof(why)))
		fail_msg("no model: %s", why);
	return onnx;
}

static bool test_cut_kokoro_takes(const struct onnx *onnx, const char *name)
{
	return onnx_is_input(onnx, (struct onnx_str){.bytes = name, .len = strlen(name)});
}

static void test_cut_kokoro_durations_become_an_output(void **state)
{
	struct graph graph;
	struct onnx *onnx;

	(void)state;
	test_cut_kokoro_graph_open(&graph, ENDS TEXT SOUND);
	onnx = test_cut_kokoro_reopen(&graph);
	assert_string_equal(graph.cut->samples, "waveform");
	assert_string_equal(graph.cut->durations, "d4");
	assert_int_equal(onnx_output_count(onnx), 2);
	assert_true(onnx_str_is(onnx_output_at(onnx, 0), "waveform"));
	assert_true(onnx_str_is(onnx_output_at(onnx, 1), "d4"));
	assert_int_equal(onnx_input_count(onnx), 3);
	mem_deref(onnx);
	test_cut_kokoro_graph_close(&graph);
}

static void test_cut_kokoro_a_graph_without_durations_is_taken_as_it_is(void **state)
{
	struct graph graph;

	(void)state;
	test_cut_kokoro_graph_open(&graph,
				   ENDS "CumSum style speed -> s\nMul s input_ids -> waveform\n");
	mem_deref(test_cut_kokoro_reopen(&graph));
	assert_null(graph.cut->durations);
	test_cut_kokoro_graph_close(&graph);
}

static void test_cut_kokoro_both_names_of_the_ids_are_known(void **state)
{
	struct graph graph;

	(void)state;
	test_cut_kokoro_graph_open(&graph, "input tokens\ninput style\ninput speed\noutput audio\n"
					   "Mul tokens style -> a\nMul a speed -> audio\n");
	mem_deref(test_cut_kokoro_reopen(&graph));
	assert_string_equal(graph.cut->ids, "tokens");
	assert_string_equal(graph.cut->samples, "audio");
	test_cut_kokoro_graph_close(&graph);
	test_cut_kokoro_graph_open(&graph, ENDS TEXT SOUND);
	assert_string_equal(graph.cut->ids, "input_ids");
	assert_string_equal(graph.cut->style, "style");
	assert_string_equal(graph.cut->speed, "speed");
	test_cut_kokoro_graph_close(&graph);
}

static void test_cut_kokoro_random_nodes_become_inputs(void **state)
{
	struct graph graph;
	struct onnx *onnx;

	(void)state;
	test_cut_kokoro_graph_open(&graph, ENDS TEXT NOISY_SOUND);
	onnx = test_cut_kokoro_reopen(&graph);
	assert_int_equal(graph.cut->noise_count, 2);
	assert_string_equal(graph.cut->noises[0].name, "start");
	assert_int_equal(graph.cut->noises[0].rank, 1); /* the file does not say */
	assert_string_equal(graph.cut->noises[1].name, "noise");
	assert_int_equal(graph.cut->noises[1].rank, 3);
	assert_true(test_cut_kokoro_takes(onnx, "start") && test_cut_kokoro_takes(onnx, "noise"));
	for (size_t i = 0; i < onnx_node_count(onnx); ++i) {
		const struct onnx_node *node = onnx_node_at(onnx, i);

		assert_true(node->op.len < 6 || memcmp(node->op.bytes, "Random", 6) != 0);
	}
	mem_deref(onnx);
	test_cut_kokoro_graph_close(&graph);
}

static void test_cut_kokoro_other_graphs_are_refused_with_a_reason(void **state)
{
	static const struct {
		const char *text;
		const char *reason;
	} rows[] = {
		{"input input\ninput scales\noutput o\nMul input scales -> o\n", "takes \"input\""},
		{"input input_ids\ninput speed\noutput o\nMul input_ids speed -> o\n",
		 "does not take \"style\""},
		{"input style\ninput speed\noutput o\nMul style speed -> o\n",
		 "does not take \"tokens\""},
		{"input input_ids\ninput style\noutput o\nMul input_ids style -> o\n",
		 "does not take \"speed\""},
		{ENDS "input sid\nMul input_ids sid -> waveform\n", "takes \"sid\""},
		{ENDS "input tokens\nMul input_ids tokens -> waveform\n", "takes \"tokens\""},
		{"input input_ids\ninput style\ninput speed\nMul style speed -> o\n",
		 "gives nothing"},
		{ENDS "Mul style speed -> o\n", "made by nothing"},
		{ENDS "RandomNormalLike style -> n\nvalue n 1 5\nMul style n -> waveform\n",
		 "5 dimensions"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct graph graph;

		test_cut_kokoro_graph_open(&graph, rows[i].text);
		assert_int_equal(graph.err, ENOTSUP);
		if (!strstr(graph.why, rows[i].reason))
			fail_msg("%s: not because it %s", graph.why, rows[i].reason);
		assert_null(graph.cut);
		test_cut_kokoro_graph_close(&graph);
	}
}

static void test_cut_kokoro_random_nodes_have_a_limit(void **state)
{
	for (size_t count = CUT_KOKORO_NOISES_MAX; count <= CUT_KOKORO_NOISES_MAX + 1; ++count) {
		struct graph graph;
		struct buf text;

		(void)state;
		buf_init(&text, FILE_MAX);
		buf_append_str(&text, ENDS);
		for (size_t i = 0; i < count; ++i)
			buf_printf(&text, "RandomNormalLike style -> n%zu\n", i);
		buf_printf(&text, "Add n%zu n0 -> waveform\n%c", count - 1, 0);
		test_cut_kokoro_graph_open(&graph, text.bytes);
		assert_int_equal(graph.err, count > CUT_KOKORO_NOISES_MAX ? ENOTSUP : 0);
		test_cut_kokoro_graph_close(&graph);
		buf_reset(&text);
	}
}

static void test_cut_kokoro_a_vits_model_is_none(void **state)
{
	char why[WHY_SIZE] = "";
	struct cut_kokoro *cut = NULL;
	struct onnx *onnx = NULL;
	char path[PATH_MAX];
	char *bytes;
	size_t len;

	(void)state;
	voice_files_tiny(path, "tiny.onnx");
	bytes = voice_files_read(path, &len);
	assert_int_equal(onnx_parse(&onnx, bytes, len, why, sizeof(why)), 0);
	assert_int_equal(cut_kokoro(&cut, onnx, why, sizeof(why)), ENOTSUP);
	assert_non_null(strstr(why, "no model of Kokoro"));
	assert_null(cut);
	mem_deref(onnx);
	free(bytes);
}

static int test_cut_kokoro_nothing_is_left(void **state)
{
	(void)state;
	return mem_live() == 0 ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_kokoro_durations_become_an_output),
		cmocka_unit_test(test_cut_kokoro_a_graph_without_durations_is_taken_as_it_is),
		cmocka_unit_test(test_cut_kokoro_both_names_of_the_ids_are_known),
		cmocka_unit_test(test_cut_kokoro_random_nodes_become_inputs),
		cmocka_unit_test(test_cut_kokoro_other_graphs_are_refused_with_a_reason),
		cmocka_unit_test(test_cut_kokoro_random_nodes_have_a_limit),
		cmocka_unit_test(test_cut_kokoro_a_vits_model_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, test_cut_kokoro_nothing_is_left);
}
