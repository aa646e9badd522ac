/* The audio of a stream as a worker keeps it: frames, room, what is released. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "engine/listener_stream.h"

#define FRAME VAD_FRAME
#define FIRST UINT64_C(1000)

static struct listener_stream *test_listener_stream_open(void)
{
	const struct message_listen listen = {.language = message_str_of("en"),
					      .prompt = message_str_of(""),
					      .first_sample = FIRST,
					      .wants = MESSAGE_WANT_TIMES};
	struct listener_stream *stream;

	assert_int_equal(listener_stream_alloc(&stream, 7, &listen), 0);
	assert_int_equal(listener_stream_grant(stream), MESSAGE_KEPT_MAX);
	return stream;
}

/* Each sample is its position, as far as it fits. */
static int test_listener_stream_write(struct listener_stream *stream, size_t count)
{
	int16_t *samples = calloc(count + 1, sizeof(*samples));
	struct message_samples message = {.samples = (unsigned char *)samples, .count = count};
	int err;

	for (size_t i = 0; i < count; ++i)
		samples[i] = (int16_t)(stream->end + i);
	err = listener_stream_write(stream, &message);
	free(samples);
	return err;
}

static void test_listener_stream_score(struct listener_stream *stream, float probability)
{
	assert_non_null(listener_stream_frame(stream));
	assert_int_equal(listener_stream_score(stream, probability), 0);
}

static void test_listener_stream_frames_are_complete_and_in_order(void **state)
{
	struct listener_stream *stream = test_listener_stream_open();
	struct message_activity activity;

	(void)state;
	assert_int_equal(test_listener_stream_write(stream, FRAME - 1), 0);
	assert_null(listener_stream_frame(stream));
	assert_int_equal(test_listener_stream_write(stream, FRAME + 2), 0);
	assert_int_equal(listener_stream_frame(stream)[0], FIRST);
	test_listener_stream_score(stream, 0.5f);
	assert_int_equal(listener_stream_frame(stream)[0], FIRST + FRAME);
	test_listener_stream_score(stream, 2);
	assert_null(listener_stream_frame(stream));
	assert_true(listener_stream_tell(stream, &activity));
	assert_int_equal(activity.first_sample, FIRST);
	assert_int_equal(activity.count, 2);
	assert_int_equal(activity.probabilities[0], 128);
	assert_int_equal(activity.probabilities[1], 255);
	assert_false(listener_stream_tell(stream, &activity));
	mem_deref(stream);
}

static void test_listener_stream_no_more_is_taken_than_there_is_room_for(void **state)
{
	struct listener_stream *stream = test_listener_stream_open();

	(void)state;
	assert_int_equal(test_listener_stream_write(stream, MESSAGE_KEPT_MAX + 1), EPROTO);
	assert_int_equal(test_listener_stream_write(stream, MESSAGE_KEPT_MAX), 0);
	assert_int_equal(test_listener_stream_write(stream, 1), EPROTO);
	assert_int_equal(listener_stream_grant(stream), 0);
	mem_deref(stream);
}

static void test_listener_stream_a_release_makes_room_when_frames_were_told(void **state)
{
	struct listener_stream *stream = test_listener_stream_open();
	const uint64_t to = FIRST + UINT64_C(100) * FRAME;
	struct message_activity activity;
	int16_t sample;

	(void)state;
	assert_int_equal(test_listener_stream_write(stream, 101 * FRAME), 0);
	for (unsigned i = 0; i < 50; ++i)
		test_listener_stream_score(stream, 0);
	assert_true(listener_stream_tell(stream, &activity));
	listener_stream_release(stream, to + 100);
	assert_true(listener_stream_has(stream, FIRST + 50 * FRAME, stream->end));
	assert_false(listener_stream_has(stream, FIRST + 50 * FRAME - 1, stream->end));
	for (unsigned i = 50; i < 101; ++i)
		test_listener_stream_score(stream, 0.9f);
	assert_true(listener_stream_tell(stream, &activity));
	assert_int_equal(activity.count, 51);
	listener_stream_trim(stream);
	assert_false(listener_stream_has(stream, to + 99, stream->end));
	assert_true(listener_stream_has(stream, to + 100, stream->end));
	listener_stream_read(stream, &sample, to + 100, to + 101);
	assert_int_equal(sample, (int16_t)(to + 100));
	assert_int_equal(listener_stream_grant(stream), 100 * FRAME + 100);
	assert_int_equal(listener_stream_grant(stream), 0);
	mem_deref(stream);
}

static void test_listener_stream_room_is_granted_in_steps_or_when_it_is_needed(void **state)
{
	struct listener_stream *stream = test_listener_stream_open();
	struct message_activity activity;

	(void)state;
	assert_int_equal(test_listener_stream_write(stream, FRAME), 0);
	test_listener_stream_score(stream, 0);
	assert_true(listener_stream_tell(stream, &activity));
	listener_stream_release(stream, FIRST + FRAME);
	assert_int_equal(listener_stream_grant(stream), 0); /* it is not worth a message */
	assert_int_equal(test_listener_stream_write(stream, (size_t)stream->room), 0);
	assert_int_equal(listener_stream_grant(stream), FRAME);
	mem_deref(stream);
}

static void test_listener_stream_speech_is_found_in_whole_frames(void **state)
{
	struct listener_stream *stream = test_listener_stream_open();
	const uint64_t speech = FIRST + UINT64_C(3) * FRAME;

	(void)state;
	assert_int_equal(test_listener_stream_write(stream, 6 * FRAME), 0);
	for (unsigned i = 0; i < 5; ++i)
		test_listener_stream_score(stream, i == 3 ? 0.3f : 0.05f);
	assert_true(listener_stream_has_speech(stream, FIRST, FIRST + 5 * FRAME));
	assert_true(listener_stream_has_speech(stream, speech + 400, FIRST + 6 * FRAME));
	assert_true(listener_stream_has_speech(stream, FIRST + 10, speech + FRAME));
	assert_false(listener_stream_has_speech(stream, FIRST, speech));
	assert_false(listener_stream_has_speech(stream, FIRST, speech + FRAME - 1));
	assert_false(listener_stream_has_speech(stream, speech + FRAME, FIRST + 6 * FRAME));
	assert_false(listener_stream_has_speech(stream, speech + 1, speech + 2));
	assert_false(listener_stream_has_speech(stream, stream->end - 1, stream->end));
	assert_true(listener_stream_is_scored(stream, FIRST + 5 * FRAME));
	assert_true(listener_stream_is_scored(stream, FIRST + 6 * FRAME - 1));
	assert_false(listener_stream_is_scored(stream, FIRST + 6 * FRAME));
	mem_deref(stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_listener_stream_frames_are_complete_and_in_order),
		cmocka_unit_test(test_listener_stream_no_more_is_taken_than_there_is_room_for),
		cmocka_unit_test(test_listener_stream_a_release_makes_room_when_frames_were_told),
		cmocka_unit_test(
			test_listener_stream_room_is_granted_in_steps_or_when_it_is_needed),
		cmocka_unit_test(test_listener_stream_speech_is_found_in_whole_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
