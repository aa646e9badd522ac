/* The silence before and after an utterance is short, the one inside stays. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "engine/vits/edges.h"

#define RATE 16000u
#define MS(n) ((n)*RATE / 1000u)
#define LOUD 5000
#define HISS 20

/* A sink that keeps everything. */
struct record {
	struct sink sink;
	int16_t samples[8 * RATE];
	size_t count;
	size_t cancel_at; /* 0: never */
};

static int test_edges_record_audio(struct sink *sink, const int16_t *samples, size_t n)
{
	struct record *record = (struct record *)(void *)sink;

	assert_true(record->count + n <= COUNT(record->samples));
	memcpy(record->samples + record->count, samples, n * sizeof(*samples));
	record->count += n;
	return record->cancel_at && record->count >= record->cancel_at;
}

static struct record *test_edges_record_new(void)
{
	struct record *record = calloc(1, sizeof(*record));

	assert_non_null(record);
	record->sink.audio = test_edges_record_audio;
	return record;
}

/* Stretches of sound and hiss, one after the other, in milliseconds. */
static size_t test_edges_compose(int16_t *out, const unsigned *ms, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; ++i)
		for (size_t k = 0; k < MS(ms[i]); ++k, ++n)
			out[n] = (int16_t)((i % 2 ? LOUD : HISS) * (n % 2 ? 1 : -1));
	return n;
}

static void test_edges_push_in_windows(struct edges *edges, const int16_t *samples, size_t n,
				       size_t window, struct sink *sink)
{
	for (size_t from = 0; from < n; from += window) {
		size_t len = n - from < window ? n - from : window;
		size_t start = 0;

		if (!edges->begun && !edges_begin(edges, samples + from, len, &start))
			continue;
		assert_int_equal(edges_push(edges, samples + from + start, len - start, sink), 0);
	}
}

static void test_edges_check_trimmed(size_t window)
{
	static const unsigned ms[] = {500, 300, 700, 300, 900};
	static int16_t samples[4 * RATE];
	struct record *record = test_edges_record_new();
	size_t n = test_edges_compose(samples, ms, COUNT(ms));
	struct edges edges;

	edges_init(&edges, RATE);
	test_edges_push_in_windows(&edges, samples, n, window, &record->sink);
	/* 40 ms, the sound with its pause, 95 ms; a window that starts later
	 * than 40 ms before the sound has less in front of it. */
	assert_true(record->count <= MS(40 + 1300 + 95));
	assert_true(record->count >= MS(1300 + 95));
	assert_int_equal(edges.dropped + record->count, MS(500 + 1300 + 95));
	assert_int_equal(edges.given, record->count);
	assert_memory_equal(record->samples, samples + edges.dropped,
			    record->count * sizeof(*samples));
	assert_int_equal(edges_held(&edges), MS(805));
	assert_int_equal(edges_end(&edges, false, &record->sink), 0);
	assert_int_equal(record->count, edges.given);
	assert_int_equal(edges_held(&edges), 0);
	edges_reset(&edges);
	free(record);
}

static void test_edges_silence_is_cut_at_both_ends_and_nowhere_else(void **state)
{
	static const size_t windows[] = {MS(5000), MS(1000), MS(280), MS(100), MS(7), 1};

	(void)state;
	for (size_t i = 0; i < COUNT(windows); ++i)
		test_edges_check_trimmed(windows[i]);
}

static void test_edges_sound_is_never_held_back(void **state)
{
	static const unsigned ms[] = {10, 200};
	static int16_t samples[RATE];
	struct record *record = test_edges_record_new();
	size_t n = test_edges_compose(samples, ms, COUNT(ms));
	struct edges edges;

	(void)state;
	edges_init(&edges, RATE);
	test_edges_push_in_windows(&edges, samples, n, MS(20), &record->sink);
	assert_int_equal(record->count, n);
	assert_int_equal(edges_held(&edges), 0);
	edges_reset(&edges);
	free(record);
}

static void test_edges_nothing_is_given_of_silence(void **state)
{
	static const unsigned ms[] = {2000};
	static int16_t samples[2 * RATE];
	struct record *record = test_edges_record_new();
	size_t n = test_edges_compose(samples, ms, COUNT(ms));
	struct edges edges;

	(void)state;
	edges_init(&edges, RATE);
	test_edges_push_in_windows(&edges, samples, n, MS(300), &record->sink);
	assert_int_equal(record->count, 0);
	assert_false(edges.begun);
	edges_reset(&edges);
	free(record);
}

static void test_edges_a_second_utterance_begins_afresh(void **state)
{
	static const unsigned ms[] = {300, 100, 300};
	static int16_t samples[RATE];
	struct record *record = test_edges_record_new();
	size_t n = test_edges_compose(samples, ms, COUNT(ms));
	struct edges edges;

	(void)state;
	edges_init(&edges, RATE);
	for (int i = 0; i < 2; ++i) {
		test_edges_push_in_windows(&edges, samples, n, n, &record->sink);
		edges_end(&edges, false, &record->sink);
	}
	assert_int_equal(record->count, 2 * MS(40 + 100 + 95 + 5));
	assert_int_equal(edges.given, record->count);
	edges_reset(&edges);
	free(record);
}

/* Whatever silence the model makes around its sentences. */
static void test_edges_pauses_between_sentences_are_alike(void **state)
{
	static const unsigned silences[] = {0, 10, 60, 400};
	static int16_t samples[2 * RATE];

	(void)state;
	for (size_t i = 0; i < COUNT(silences); ++i) {
		const unsigned ms[] = {silences[i], 200, silences[i]};
		struct record *record = test_edges_record_new();
		size_t n = test_edges_compose(samples, ms, COUNT(ms));
		struct edges edges;
		size_t start;

		edges_init(&edges, RATE);
		assert_true(edges_begin(&edges, samples, n, &start));
		assert_int_equal(edges_lead(&edges, samples[start], true, &record->sink), 0);
		assert_int_equal(edges_push(&edges, samples + start, n - start, &record->sink), 0);
		assert_int_equal(edges_end(&edges, true, &record->sink), 0);
		assert_in_range(record->count, MS(110 + 200 + 100), MS(115 + 200 + 100));
		edges_reset(&edges);
		free(record);
	}
}

/* A model that rests a little off zero: no step is larger than in its sound. */
static void test_edges_nothing_clicks_where_a_model_is_cut_off(void **state)
{
	static int16_t samples[RATE];
	struct record *record = test_edges_record_new();
	struct edges edges;
	size_t start;

	(void)state;
	for (size_t i = 0; i < RATE; ++i)
		samples[i] =
			(int16_t)(180 + (i > RATE / 3 && i < RATE / 2 ? 5000 : 0) * (int)(i % 2));
	edges_init(&edges, RATE);
	assert_true(edges_begin(&edges, samples, RATE, &start));
	assert_int_equal(edges_lead(&edges, samples[start], true, &record->sink), 0);
	assert_int_equal(edges_push(&edges, samples + start, RATE - start, &record->sink), 0);
	assert_int_equal(edges_end(&edges, true, &record->sink), 0);
	assert_int_equal(record->samples[0], 0);
	assert_in_range(record->samples[record->count - 1], 0, 10);
	for (size_t i = 1; i < record->count; ++i) {
		int step = record->samples[i] - record->samples[i - 1];

		if (record->samples[i] < 1000 && record->samples[i - 1] < 1000)
			assert_in_range(step + 10, 0, 20);
	}
	edges_reset(&edges);
	free(record);
}

static void test_edges_a_sink_that_wants_no_more_is_heard(void **state)
{
	static const unsigned ms[] = {0, 500};
	static int16_t samples[RATE];
	struct record *record = test_edges_record_new();
	size_t n = test_edges_compose(samples, ms, COUNT(ms));
	struct edges edges;
	size_t start;

	(void)state;
	edges_init(&edges, RATE);
	record->cancel_at = 1;
	assert_true(edges_begin(&edges, samples, n, &start));
	assert_int_not_equal(edges_push(&edges, samples, n, &record->sink), 0);
	edges_reset(&edges);
	free(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edges_silence_is_cut_at_both_ends_and_nowhere_else),
		cmocka_unit_test(test_edges_sound_is_never_held_back),
		cmocka_unit_test(test_edges_nothing_is_given_of_silence),
		cmocka_unit_test(test_edges_a_second_utterance_begins_afresh),
		cmocka_unit_test(test_edges_pauses_between_sentences_are_alike),
		cmocka_unit_test(test_edges_nothing_clicks_where_a_model_is_cut_off),
		cmocka_unit_test(test_edges_a_sink_that_wants_no_more_is_heard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
