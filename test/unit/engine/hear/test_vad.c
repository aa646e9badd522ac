/* The detector of voice activity: on a tiny one, whose probabilities can be predicted, and on Silero's,
 * whose probabilities were recorded with its package's own runtime (see recorded/README.md). */
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
#include "engine/hear/vad.h"
#include "recorded.h"

static struct runtime *runtime;

static struct vad *test_vad_open(const char *path)
{
	char why[RUNTIME_WHY_SIZE] = "";
	struct vad *vad = NULL;
	size_t len;
	char *bytes = ears_read(path, &len);

	if (vad_open(&vad, runtime, bytes, len, why) != 0)
		fail_msg("%s: %s", path, why);
	free(bytes);
	return vad;
}

static struct vad *test_vad_open_tiny(void)
{
	char path[PATH_MAX];

	if (!runtime)
		skip();
	ears_tiny(path, "silero-vad/model.onnx");
	return test_vad_open(path);
}

static void test_vad_fill(int16_t frame[VAD_FRAME], float level)
{
	for (size_t i = 0; i < VAD_FRAME; ++i)
		frame[i] = (int16_t)(level * 32768);
}

static float test_vad_score(const struct vad *vad, struct vad_memory *memory,
			    const int16_t *samples)
{
	struct vad_frame frame = {.memory = memory, .samples = samples};
	char why[RUNTIME_WHY_SIZE] = "";

	if (vad_score(vad, &frame, 1, why) != 0)
		fail_msg("%s", why);
	return frame.probability;
}

static bool test_vad_is_near(float value, float want, float tolerance)
{
	return fabsf(value - want) <= tolerance;
}

/* The mean of a frame and the 64 samples before it. */
static float test_vad_expect(float before, float level, unsigned frames_before)
{
	float mean = (before * VAD_CONTEXT + level * VAD_FRAME) / (VAD_CONTEXT + VAD_FRAME);

	return 10 * mean + (float)frames_before / 1000;
}

static void test_vad_a_frame_is_scored_with_what_precedes_it(void **state)
{
	struct vad *vad = test_vad_open_tiny();
	struct vad_memory memory = {.state = {0}};
	int16_t frame[VAD_FRAME];

	(void)state;
	test_vad_fill(frame, 0.05f);
	assert_true(test_vad_is_near(test_vad_score(vad, &memory, frame),
				     test_vad_expect(0, 0.05f, 0), 1e-3f));
	test_vad_fill(frame, 0.01f);
	assert_true(test_vad_is_near(test_vad_score(vad, &memory, frame),
				     test_vad_expect(0.05f, 0.01f, 1), 1e-3f));
	assert_true(test_vad_is_near(test_vad_score(vad, &memory, frame),
				     test_vad_expect(0.01f, 0.01f, 2), 1e-3f));
	mem_deref(vad);
}

/* Streams that began at different times, in one run. */
static void test_vad_every_stream_has_its_own_memory(void **state)
{
	struct vad *vad = test_vad_open_tiny();
	struct vad_memory memories[VAD_BATCH_MAX] = {{.state = {0}}};
	struct vad_frame frames[VAD_BATCH_MAX];
	int16_t samples[VAD_BATCH_MAX][VAD_FRAME];
	char why[RUNTIME_WHY_SIZE] = "";

	(void)state;
	for (size_t i = 0; i < VAD_BATCH_MAX; ++i) {
		test_vad_fill(samples[i], (float)i / 1000);
		for (size_t k = 0; k < i; ++k)
			test_vad_score(vad, &memories[i], samples[i]);
		frames[i] = (struct vad_frame){.memory = &memories[i], .samples = samples[i]};
	}
	if (vad_score(vad, frames, VAD_BATCH_MAX, why) != 0)
		fail_msg("%s", why);
	for (size_t i = 0; i < VAD_BATCH_MAX; ++i) {
		float level = (float)i / 1000;
		float want = test_vad_expect(i > 0 ? level : 0, level, (unsigned)i);

		assert_true(test_vad_is_near(frames[i].probability, want, 2e-3f));
	}
	mem_deref(vad);
}

static void test_vad_refuses(const char *bytes, size_t len, const char *reason)
{
	char why[RUNTIME_WHY_SIZE] = "";
	struct vad *vad = NULL;

	assert_int_equal(vad_open(&vad, runtime, bytes, len, why), EINVAL);
	assert_non_null(strstr(why, reason));
}

static void test_vad_other_files_are_refused(void **state)
{
	char path[PATH_MAX];
	char *bytes;
	size_t len;

	(void)state;
	if (!runtime)
		skip();
	test_vad_refuses("no model", 8, "no ONNX model");
	ears_tiny(path, "moonshine-tiny/encoder_model.onnx");
	bytes = ears_read(path, &len);
	test_vad_refuses(bytes, len, "takes no frames");
	free(bytes);
}

static void test_vad_compare(const struct vad *vad, const struct recorded_clip *clip)
{
	struct vad_memory memory = {.state = {0}};

	for (size_t i = 0; i < clip->count / VAD_FRAME; ++i) {
		const char *want = recorded_line("silero-vad.txt", clip->name, i);
		float probability = test_vad_score(vad, &memory, clip->samples + i * VAD_FRAME);

		assert_non_null(want);
		if (!test_vad_is_near(probability, strtof(want, NULL), 1e-3f))
			fail_msg("%s: frame %zu: %f instead of %s", clip->name, i,
				 (double)probability, want);
	}
}

static void test_vad_probabilities_are_those_of_the_package(void **state)
{
	struct recorded_clip *clips;
	char path[PATH_MAX];
	struct vad *vad;
	size_t count;

	(void)state;
	if (!runtime || !ears_installed(path, "silero-vad/model.onnx"))
		skip();
	vad = test_vad_open(path);
	count = recorded_read_clips(&clips);
	for (size_t i = 0; i < count; ++i)
		test_vad_compare(vad, &clips[i]);
	recorded_free_clips(clips, count);
	mem_deref(vad);
}

static int test_vad_set_up(void **state)
{
	(void)state;
	runtime = ears_open_runtime();
	return 0;
}

static int test_vad_tear_down(void **state)
{
	(void)state;
	runtime = mem_deref(runtime);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vad_a_frame_is_scored_with_what_precedes_it),
		cmocka_unit_test(test_vad_every_stream_has_its_own_memory),
		cmocka_unit_test(test_vad_other_files_are_refused),
		cmocka_unit_test(test_vad_probabilities_are_those_of_the_package),
	};

	return cmocka_run_group_tests(tests, test_vad_set_up, test_vad_tear_down);
}
