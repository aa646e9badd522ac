/* The tone engine without a process: what tests elsewhere rely on. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "engine/tone.h"

#define LETTER (TONE_LETTER_MS * TONE_RATE / 1000)

struct recorder {
	struct sink sink;
	uint32_t hash; /* FNV-1a over the samples */
	uint64_t samples;
	uint64_t stop_after; /* 0: never */
	int loudest;
	int loudest_step; /* between neighbours: a click would show */
	int16_t last;
	size_t words;
	const struct engine_phonemes *phonemes; /* to be hummed */
	size_t phonemes_count;
	size_t word_bytes[8][2];
	uint64_t word_samples[8][2];
};

static int test_tone_record_audio(struct sink *sink, const int16_t *samples, size_t n)
{
	struct recorder *recorder = (struct recorder *)(void *)sink;

	for (size_t i = 0; i < n; ++i) {
		int step = abs(samples[i] - recorder->last);

		if (abs(samples[i]) > recorder->loudest)
			recorder->loudest = abs(samples[i]);
		if (step > recorder->loudest_step)
			recorder->loudest_step = step;
		recorder->hash = (recorder->hash ^ (uint16_t)samples[i]) * 16777619u;
		recorder->last = samples[i];
	}
	recorder->samples += n;
	return recorder->stop_after > 0 && recorder->samples >= recorder->stop_after;
}

static int test_tone_record_word(struct sink *sink, size_t byte_start, size_t byte_end,
				 uint64_t sample_start, uint64_t sample_end)
{
	struct recorder *recorder = (struct recorder *)(void *)sink;
	size_t i = recorder->words++;

	assert_true(i < 8);
	recorder->word_bytes[i][0] = byte_start;
	recorder->word_bytes[i][1] = byte_end;
	recorder->word_samples[i][0] = sample_start;
	recorder->word_samples[i][1] = sample_end;
	return 0;
}

/* What speak returned. */
static int test_tone_record(struct recorder *recorder, const char *voice, const char *words,
			    bool test_hooks)
{
	const struct engine_options options = {.test_hooks = test_hooks};
	const struct engine_text text = {.voice = voice,
					 .language = "",
					 .text = words,
					 .text_len = strlen(words),
					 .text_before = "",
					 .speed = 1,
					 .want_words = true,
					 .phonemes = recorder->phonemes,
					 .phonemes_count = recorder->phonemes_count};
	void *state = NULL;
	int err;

	recorder->sink =
		(struct sink){.audio = test_tone_record_audio, .word = test_tone_record_word};
	recorder->hash = 2166136261u;
	assert_int_equal(tone_engine.open(&state, &options), 0);
	err = tone_engine.speak(state, &text, &recorder->sink);
	tone_engine.close(state);
	assert_int_equal(mem_live(), 0);
	return err;
}

static void test_tone_lengths_and_word_times_follow_from_the_text(void **state)
{
	struct recorder r = {0};

	(void)state;
	assert_int_equal(test_tone_record(&r, "tone", " Grüße,  all ", false), 0);
	assert_int_equal(r.samples, (6 + 1 + 3 + 1) * LETTER);
	assert_int_equal(r.words, 2);
	assert_int_equal(r.word_bytes[0][0], 1);
	assert_int_equal(r.word_bytes[0][1], 9);
	assert_int_equal(r.word_samples[0][0], 0);
	assert_int_equal(r.word_samples[0][1], 6 * LETTER);
	assert_int_equal(r.word_bytes[1][0], 11);
	assert_int_equal(r.word_bytes[1][1], 14);
	assert_int_equal(r.word_samples[1][0], 7 * LETTER);
	assert_int_equal(r.word_samples[1][1], 10 * LETTER);
}

/* A span may have blanks in it, and letters around it. */
static void test_tone_phonemes_are_hummed_in_place_of_letters(void **state)
{
	static const struct engine_phonemes spans[] = {{1, 9, "nuːˈjɔːk"}, {12, 15, "a"}};
	struct recorder r = {.phonemes = spans, .phonemes_count = 2};
	struct recorder letters = {0};

	(void)state;
	assert_int_equal(test_tone_record(&r, "tone", "(New York) xßyz", false), 0);
	assert_int_equal(r.words, 2);
	assert_int_equal(r.word_bytes[0][0], 0);
	assert_int_equal(r.word_bytes[0][1], 10);
	assert_int_equal(r.word_samples[0][1], (1 + 8 + 1) * LETTER);
	assert_int_equal(r.word_bytes[1][0], 11);
	assert_int_equal(r.word_bytes[1][1], 16);
	assert_int_equal(r.samples, (10 + 1 + 3 + 1) * LETTER);
	assert_int_equal(test_tone_record(&letters, "tone", "(nuːˈjɔːk) xaz", false), 0);
	assert_int_equal(r.hash, letters.hash);
}

/* These numbers may change only with the engine: tests elsewhere compare
 * samples across processes and machines. */
static void test_tone_the_samples_are_these_on_every_machine(void **state)
{
	struct recorder high = {0};
	struct recorder low = {0};

	(void)state;
	assert_int_equal(test_tone_record(&high, "tone", "Hello, world.", false), 0);
	assert_int_equal(test_tone_record(&low, "tone-low", "Hello, world.", false), 0);
	assert_int_equal(high.samples, low.samples);
	assert_int_equal(high.hash, 0xcf0081ea);
	assert_int_equal(low.hash, 0x15a77bb8);
}

static void test_tones_are_loud_and_do_not_click(void **state)
{
	struct recorder r = {0};

	(void)state;
	assert_int_equal(test_tone_record(&r, "tone", "one two three four", false), 0);
	assert_true(r.loudest > 12000);
	assert_true(r.loudest_step < 5000); /* 799 Hz at full swing: 3500 */
	assert_int_equal(r.last, 0);
}

static void test_tone_a_sink_that_has_enough_ends_the_text(void **state)
{
	struct recorder r = {.stop_after = 5000};

	(void)state;
	assert_int_equal(test_tone_record(&r, "tone", "a long text that is not heard", false), 0);
	assert_true(r.samples >= 5000 && r.samples < 5000 + LETTER);
}

static void test_tone_hooks_are_words_unless_asked_for(void **state)
{
	struct recorder r = {0};

	(void)state;
	assert_int_equal(test_tone_record(&r, "tone", "[[fail]]", false), 0);
	assert_int_equal(r.samples, 9 * LETTER);
	r = (struct recorder){0};
	assert_int_equal(test_tone_record(&r, "tone", "x [[fail]] y", true), EINVAL);
	assert_int_equal(r.samples, 2 * LETTER);
	r = (struct recorder){0};
	assert_int_equal(test_tone_record(&r, "tone", "[[long:2]]", true), 0);
	assert_int_equal(r.samples, 2 * TONE_RATE + LETTER);
	r = (struct recorder){0};
	assert_int_equal(test_tone_record(&r, "tone", "[[unknown]]", true), 0);
	assert_int_equal(r.samples, 12 * LETTER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tone_lengths_and_word_times_follow_from_the_text),
		cmocka_unit_test(test_tone_phonemes_are_hummed_in_place_of_letters),
		cmocka_unit_test(test_tone_the_samples_are_these_on_every_machine),
		cmocka_unit_test(test_tones_are_loud_and_do_not_click),
		cmocka_unit_test(test_tone_a_sink_that_has_enough_ends_the_text),
		cmocka_unit_test(test_tone_hooks_are_words_unless_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
