/* Where speech begins and ends: the same probabilities give the same segments, none of which overlaps
 * another one, lacks speech or is longer than a piece may be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hearing/segmenter.h"

#define FRAME HEARING_FRAME
#define MS(ms) ((ms)*16u)
#define PIECE_MAX (30u * HEARING_RATE)
#define LOUD 250
#define QUIET 3

struct bed {
	struct segmenter segmenter;
	struct segmenter_event events[64];
	unsigned count;
};

static void open_with(struct bed *bed, const struct segmenter_options *options)
{
	bed->count = 0;
	segmenter_init(&bed->segmenter, options, 0);
}

static void open_default(struct bed *bed)
{
	const struct segmenter_options options = segmenter_defaults(PIECE_MAX);

	open_with(bed, &options);
}

static void say(struct bed *bed, unsigned frames, uint8_t probability)
{
	for (unsigned i = 0; i < frames; ++i) {
		struct segmenter_event event;

		if (!segmenter_take(&bed->segmenter, probability, &event))
			continue;
		assert_true(bed->count < sizeof(bed->events) / sizeof(*bed->events));
		bed->events[bed->count++] = event;
	}
}

static struct segmenter_event only(const struct bed *bed, enum segmenter_type type)
{
	struct segmenter_event found = {0};
	unsigned count = 0;

	for (unsigned i = 0; i < bed->count; ++i) {
		if (bed->events[i].type != type)
			continue;
		found = bed->events[i];
		++count;
	}
	assert_int_equal(count, 1);
	return found;
}

static unsigned count_of(const struct bed *bed, enum segmenter_type type)
{
	unsigned count = 0;

	for (unsigned i = 0; i < bed->count; ++i)
		count += bed->events[i].type == type;
	return count;
}

static bool is_speech(const struct segmenter *segmenter)
{
	return segmenter->phase == SEGMENTER_SPEECH;
}

static void test_silence_has_no_events(void **state)
{
	struct bed bed;

	(void)state;
	open_default(&bed);
	say(&bed, 10000, QUIET);
	assert_int_equal(bed.count, 0);
	assert_false(is_speech(&bed.segmenter));
	assert_int_equal(segmenter_needs_from(&bed.segmenter), 10000 * FRAME - MS(320));
	assert_false(segmenter_flush(&bed.segmenter, 10000 * FRAME, &bed.events[0]));
}

static void test_a_segment_has_some_audio_around_its_speech(void **state)
{
	struct bed bed;
	struct segmenter_event start, end;

	(void)state;
	open_default(&bed);
	say(&bed, 20, QUIET);
	say(&bed, 10, LOUD);
	assert_true(is_speech(&bed.segmenter));
	assert_int_equal(segmenter_needs_from(&bed.segmenter), 20 * FRAME - MS(320));
	say(&bed, 20, QUIET);
	start = only(&bed, SEGMENTER_START);
	end = only(&bed, SEGMENTER_END);
	assert_int_equal(start.from_sample, 20 * FRAME - MS(320));
	assert_int_equal(start.to_sample, 23 * FRAME); /* after 96 ms */
	assert_int_equal(end.from_sample, start.from_sample);
	assert_int_equal(end.to_sample, 30 * FRAME + MS(200));
	assert_false(end.is_cut);
	assert_false(is_speech(&bed.segmenter));
}

/* The end is known with the first frame after the pause has its length. */
static void test_speech_ends_with_the_frame_that_completes_the_pause(void **state)
{
	struct bed bed;

	(void)state;
	open_default(&bed);
	say(&bed, 10, LOUD);
	say(&bed, 15, QUIET); /* 480 ms */
	assert_int_equal(count_of(&bed, SEGMENTER_END), 0);
	say(&bed, 1, QUIET);
	assert_int_equal(count_of(&bed, SEGMENTER_END), 1);
}

static void test_the_beginning_of_a_stream_has_no_audio_before_it(void **state)
{
	struct bed bed;
	const struct segmenter_options options = segmenter_defaults(PIECE_MAX);

	(void)state;
	open_with(&bed, &options);
	segmenter_init(&bed.segmenter, &options, 16000);
	say(&bed, 5, LOUD);
	assert_int_equal(only(&bed, SEGMENTER_START).from_sample, 16000);
}

static void test_a_noise_is_not_speech(void **state)
{
	struct bed bed;

	(void)state;
	open_default(&bed);
	for (unsigned i = 0; i < 50; ++i) {
		say(&bed, 2, LOUD);
		say(&bed, 4, QUIET);
	}
	assert_int_equal(bed.count, 0);
	assert_false(segmenter_flush(&bed.segmenter, 300 * FRAME, &bed.events[0]));
}

static void test_values_between_the_levels_continue_what_was_before(void **state)
{
	struct bed bed;

	(void)state;
	open_default(&bed);
	say(&bed, 100, 100);
	assert_int_equal(bed.count, 0);
	say(&bed, 5, LOUD);
	say(&bed, 100, 100);
	assert_int_equal(count_of(&bed, SEGMENTER_END), 0);
	say(&bed, 1, QUIET);
	say(&bed, 30, 100); /* nobody speaks: the pause goes on */
	assert_int_equal(count_of(&bed, SEGMENTER_END), 1);
}

static void test_a_short_pause_does_not_end_speech(void **state)
{
	struct bed bed;

	(void)state;
	open_default(&bed);
	for (unsigned i = 0; i < 20; ++i) {
		say(&bed, 10, LOUD);
		say(&bed, 10, QUIET);
	}
	assert_int_equal(count_of(&bed, SEGMENTER_START), 1);
	assert_int_equal(count_of(&bed, SEGMENTER_END), 0);
}

static void test_partial_results_are_due_while_somebody_speaks(void **state)
{
	struct bed bed;
	uint64_t last = 0;

	(void)state;
	open_default(&bed);
	say(&bed, 100, LOUD); /* 3.2 s */
	assert_int_equal(count_of(&bed, SEGMENTER_PARTIAL), 6);
	for (unsigned i = 1; i < bed.count; ++i) {
		assert_int_equal(bed.events[i].type, SEGMENTER_PARTIAL);
		assert_int_equal(bed.events[i].from_sample, 0);
		assert_true(bed.events[i].to_sample - last >= MS(500));
		assert_true(bed.events[i].to_sample - last < MS(500) + FRAME);
		last = bed.events[i].to_sample;
	}
}

static void test_a_pause_alone_has_no_partial_result(void **state)
{
	struct segmenter_options options = segmenter_defaults(PIECE_MAX);
	struct bed bed;

	(void)state;
	options.end_ms = 0;
	open_with(&bed, &options);
	say(&bed, 32, LOUD);
	say(&bed, 300, QUIET);
	assert_int_equal(count_of(&bed, SEGMENTER_PARTIAL), 2);
	assert_int_equal(count_of(&bed, SEGMENTER_END), 0); /* only a flush ends it */
	say(&bed, 1, LOUD);
	assert_int_equal(count_of(&bed, SEGMENTER_PARTIAL), 3);
	assert_true(segmenter_flush(&bed.segmenter, 333 * FRAME + 100, &bed.events[0]));
	assert_int_equal(bed.events[0].type, SEGMENTER_END);
	assert_int_equal(bed.events[0].from_sample, 0);
	assert_int_equal(bed.events[0].to_sample, 333 * FRAME + 100);
}

static void test_partial_results_can_be_left_out(void **state)
{
	struct segmenter_options options = segmenter_defaults(PIECE_MAX);
	struct bed bed;

	(void)state;
	options.partial_ms = 0;
	open_with(&bed, &options);
	say(&bed, 500, LOUD);
	assert_int_equal(count_of(&bed, SEGMENTER_PARTIAL), 0);
}

/* Ten seconds of speech at most, with a short pause after seven. */
static void test_long_speech_is_cut_at_its_quietest_place(void **state)
{
	struct segmenter_options options = segmenter_defaults(10 * HEARING_RATE);
	struct bed bed;
	struct segmenter_event end;

	(void)state;
	options.partial_ms = 0;
	open_with(&bed, &options);
	say(&bed, 219, LOUD);
	say(&bed, 5, QUIET);
	say(&bed, 88, LOUD);
	end = only(&bed, SEGMENTER_END);
	assert_true(end.is_cut);
	assert_int_equal(end.from_sample, 0);
	assert_int_equal(end.to_sample, 221 * FRAME);
	assert_true(is_speech(&bed.segmenter));
	assert_int_equal(segmenter_needs_from(&bed.segmenter), 221 * FRAME);
	say(&bed, 20, QUIET);
	assert_int_equal(bed.count, 3);
	assert_int_equal(bed.events[2].type, SEGMENTER_END);
	assert_int_equal(bed.events[2].from_sample, 221 * FRAME);
	assert_int_equal(bed.events[2].to_sample, 312 * FRAME + MS(200));
	assert_false(bed.events[2].is_cut);
}

/* Without any pause it is cut near its end. */
static void test_no_segment_is_longer_than_a_piece_may_be(void **state)
{
	static const uint32_t longest[] = {0, 2 * HEARING_RATE, 5 * HEARING_RATE + 77,
					   SEGMENTER_PIECE_MAX, UINT32_MAX};

	(void)state;
	for (unsigned i = 0; i < sizeof(longest) / sizeof(*longest); ++i) {
		struct segmenter_options options = segmenter_defaults(longest[i]);
		uint32_t limit = longest[i] < SEGMENTER_PIECE_MIN   ? SEGMENTER_PIECE_MIN
				 : longest[i] > SEGMENTER_PIECE_MAX ? SEGMENTER_PIECE_MAX
								    : longest[i];
		struct bed bed;
		uint64_t from = 0;

		options.partial_ms = 0;
		open_with(&bed, &options);
		say(&bed, 6 * limit / FRAME, LOUD);
		assert_true(count_of(&bed, SEGMENTER_END) >= 5);
		for (unsigned e = 1; e < bed.count; ++e) {
			assert_int_equal(bed.events[e].from_sample, from);
			assert_true(bed.events[e].to_sample - from <= limit);
			assert_true(bed.events[e].to_sample - from > limit - 5 * FRAME);
			from = bed.events[e].to_sample;
		}
		assert_true(segmenter_flush(&bed.segmenter, 6 * limit / FRAME * FRAME + FRAME - 1,
					    &bed.events[0]));
		assert_true(bed.events[0].to_sample - bed.events[0].from_sample <= limit);
	}
}

/* The quietest place is the pause in which the speech is just about to end. */
static void test_speech_that_pauses_when_it_is_cut_has_ended(void **state)
{
	struct segmenter_options options = segmenter_defaults(10 * HEARING_RATE);
	struct bed bed;

	(void)state;
	options.partial_ms = 0;
	open_with(&bed, &options);
	say(&bed, 304, LOUD);
	say(&bed, 100, QUIET);
	assert_int_equal(bed.count, 2);
	assert_int_equal(bed.events[1].type, SEGMENTER_END);
	assert_false(bed.events[1].is_cut);
	assert_true(bed.events[1].to_sample >= 304 * FRAME);
}

static void test_segments_do_not_overlap(void **state)
{
	struct segmenter_options options = segmenter_defaults(PIECE_MAX);
	struct bed bed;
	uint64_t ended = 0;

	(void)state;
	options.end_ms = 100;
	options.after_ms = 100;
	options.before_ms = 1000;
	open_with(&bed, &options);
	for (unsigned i = 0; i < 8; ++i) {
		say(&bed, 6, LOUD);
		say(&bed, 6, QUIET);
	}
	assert_int_equal(count_of(&bed, SEGMENTER_END), 8);
	for (unsigned i = 0; i < bed.count; ++i) {
		assert_true(bed.events[i].from_sample >= ended);
		assert_true(bed.events[i].to_sample > bed.events[i].from_sample);
		if (bed.events[i].type == SEGMENTER_END)
			ended = bed.events[i].to_sample;
	}
}

/* What a flush has taken is not in the next segment. */
static void test_a_flush_ends_the_segment_within_a_frame(void **state)
{
	struct bed bed;

	(void)state;
	open_default(&bed);
	say(&bed, 10, LOUD);
	assert_true(segmenter_flush(&bed.segmenter, 10 * FRAME + 77, &bed.events[0]));
	assert_int_equal(bed.events[0].to_sample, 10 * FRAME + 77);
	assert_int_equal(segmenter_needs_from(&bed.segmenter), 10 * FRAME + 77);
	bed.count = 0;
	say(&bed, 10, LOUD);
	assert_int_equal(only(&bed, SEGMENTER_START).from_sample, 10 * FRAME + 77);
	assert_false(segmenter_flush(&bed.segmenter, 10 * FRAME + 77, &bed.events[0]));
}

/* Any probabilities at all: 200 streams of them, from a simple generator. */
static void test_any_probabilities_give_segments_in_order(void **state)
{
	uint32_t random = 1;

	(void)state;
	for (unsigned run = 0; run < 200; ++run) {
		struct segmenter_options options = segmenter_defaults((run % 7) * HEARING_RATE);
		struct segmenter segmenter;
		uint64_t ended = 0;
		bool is_open = false;

		options.end_ms = run % 5 * 100;
		segmenter_init(&segmenter, &options, 0);
		for (uint64_t f = 1; f <= 3000; ++f) {
			struct segmenter_event event;
			uint64_t needed = segmenter_needs_from(&segmenter);

			random = random * 1664525u + 1013904223u;
			if (!segmenter_take(&segmenter, (uint8_t)(random >> (24 + run % 3)),
					    &event))
				continue;
			assert_true(event.from_sample >= ended);
			assert_true(event.from_sample >= needed);
			assert_true(event.to_sample > event.from_sample);
			assert_true(event.to_sample <= f * FRAME);
			assert_int_equal(event.type != SEGMENTER_START, is_open);
			assert_true(event.to_sample - event.from_sample <=
				    segmenter.options.piece_max);
			if (event.type == SEGMENTER_END)
				ended = event.to_sample;
			is_open = event.type != SEGMENTER_END || event.is_cut;
			assert_int_equal(is_speech(&segmenter), is_open);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_silence_has_no_events),
		cmocka_unit_test(test_a_segment_has_some_audio_around_its_speech),
		cmocka_unit_test(test_speech_ends_with_the_frame_that_completes_the_pause),
		cmocka_unit_test(test_the_beginning_of_a_stream_has_no_audio_before_it),
		cmocka_unit_test(test_a_noise_is_not_speech),
		cmocka_unit_test(test_values_between_the_levels_continue_what_was_before),
		cmocka_unit_test(test_a_short_pause_does_not_end_speech),
		cmocka_unit_test(test_partial_results_are_due_while_somebody_speaks),
		cmocka_unit_test(test_a_pause_alone_has_no_partial_result),
		cmocka_unit_test(test_partial_results_can_be_left_out),
		cmocka_unit_test(test_long_speech_is_cut_at_its_quietest_place),
		cmocka_unit_test(test_no_segment_is_longer_than_a_piece_may_be),
		cmocka_unit_test(test_speech_that_pauses_when_it_is_cut_has_ended),
		cmocka_unit_test(test_segments_do_not_overlap),
		cmocka_unit_test(test_a_flush_ends_the_segment_within_a_frame),
		cmocka_unit_test(test_any_probabilities_give_segments_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
