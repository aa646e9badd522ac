/* Every word of a text is reported once, in order, whatever an engine reports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/word_times.h"

/* The reported words, as "word:from-to ". */
struct record {
	struct sink sink;
	const char *text;
	char told[1024];
	size_t words;
	size_t stop_after; /* words; 0: never */
	size_t last_byte;
	uint64_t last_sample;
};

static int test_word_times_record_word(struct sink *sink, size_t byte_start, size_t byte_end,
				       uint64_t sample_start, uint64_t sample_end)
{
	struct record *record = (struct record *)(void *)sink;
	size_t len = strlen(record->told);

	assert_true(byte_start < byte_end && byte_start >= record->last_byte);
	assert_true(sample_start <= sample_end && sample_start >= record->last_sample);
	record->last_byte = byte_end;
	record->last_sample = sample_end;
	snprintf(record->told + len, sizeof(record->told) - len, "%s%.*s:%u-%u", len ? " " : "",
		 (int)(byte_end - byte_start), record->text + byte_start, (unsigned)sample_start,
		 (unsigned)sample_end);
	return ++record->words == record->stop_after;
}

static struct engine_text test_word_times_text_of(const char *text)
{
	return (struct engine_text){.text = text, .text_len = strlen(text)};
}

struct event {
	/* the first of these letters in the text; NULL: the clause ends before `byte` */
	const char *at;
	unsigned sample;
	unsigned heard; /* sound up to there, before the event */
	size_t byte; /* used when `at` is NULL */
};

/* Runs the events over the text, and its end at the given sample. */
static void test_word_times_check(const struct engine_text *text, const struct event *events,
				  size_t count, unsigned end, const char *want)
{
	struct record record = {.sink = {.word = test_word_times_record_word}, .text = text->text};
	struct word_times times;

	word_times_init(&times, text, &record.sink);
	for (size_t i = 0; i < count; ++i) {
		const struct event *event = &events[i];
		int stop;

		word_times_hear(&times, event->heard);
		if (event->at)
			stop = word_times_begin(
				&times, (size_t)(strstr(text->text, event->at) - text->text),
				event->sample);
		else
			stop = word_times_end(&times, event->byte, event->sample);
		assert_int_equal(stop, 0);
	}
	assert_int_equal(word_times_end(&times, text->text_len, end), 0);
	assert_string_equal(record.told, want);
}

#define CHECK(given, end, want, ...)                                                               \
	do {                                                                                       \
		const struct event events[] = {__VA_ARGS__};                                       \
		const struct engine_text text = test_word_times_text_of(given);                    \
                                                                                                   \
		test_word_times_check(&text, events, sizeof(events) / sizeof(events[0]), end,      \
				      want);                                                       \
	} while (0)

static void test_word_times_words_last_until_the_next_or_until_silence(void **state)
{
	(void)state;
	CHECK("One two, three.", 900, "One:0-100 two:100-290 three:400-700", {"One", 0, 0, 0},
	      {"two", 100, 100, 0}, {"three", 400, 290, 0}, {NULL, 850, 700, 15});
}

static void test_word_times_words_that_are_joined_share_their_time_by_letters(void **state)
{
	(void)state;
	CHECK("end of the road", 900, "end:0-100 of:100-300 the:300-600 road:600-900",
	      {"end", 0, 0, 0}, {"of", 100, 100, 0}, {"road", 600, 600, 0});
}

static void test_word_times_words_at_the_end_are_told_with_the_last_that_was_heard(void **state)
{
	(void)state;
	CHECK("n'est-ce pas?", 900, "n'est-ce:0-600 pas:600-900", {"n'est", 0, 0, 0});
	CHECK("we go on. And on", 900, "we:0-150 go:150-300 on:300-450 And:500-740 on:740-900",
	      {"we", 0, 0, 0}, {NULL, 500, 450, 9}, {"And", 500, 500, 0}, {NULL, 900, 900, 16});
}

static void test_word_times_words_before_the_first_event_get_the_sound_before_it(void **state)
{
	(void)state;
	CHECK("a b", 900, "a:0-300 b:300-900", {"b", 300, 300, 0});
	/* of silence nothing is theirs */
	CHECK("a b", 900, "a:300-600 b:600-900", {"b", 300, 0, 0});
}

static void test_word_times_events_inside_a_word_or_behind_it_are_of_that_word(void **state)
{
	(void)state;
	CHECK("42 dogs", 900, "42:0-600 dogs:600-900", {"42", 0, 0, 0}, {"2", 100, 100, 0},
	      {" dogs", 200, 200, 0}, {"dogs", 600, 600, 0});
	CHECK("well-known fact", 900, "well-known:0-600 fact:600-900", {"well", 0, 0, 0},
	      {"known", 300, 300, 0}, {"fact", 600, 600, 0});
}

static void test_word_times_events_that_go_back_change_nothing(void **state)
{
	(void)state;
	CHECK("one two three", 900, "one:0-300 two:300-600 three:600-800", {"one", 0, 0, 0},
	      {"two", 300, 300, 0}, {"one", 400, 400, 0}, {"three", 600, 600, 0},
	      {"one", 800, 800, 0});
}

static void test_word_times_punctuation_is_of_no_word(void **state)
{
	(void)state;
	CHECK("«¿Dónde?» — (aquí)… 'tis", 900, "Dónde:0-300 aquí:300-600 tis:600-900",
	      {"«", 0, 0, 0}, {"(", 300, 300, 0}, {"tis", 600, 600, 0});
	CHECK("yes—no", 900, "yes:0-300 no:300-900", {"yes", 0, 0, 0}, {"no", 300, 300, 0});
}

static void test_word_times_signs_are_words_when_they_are_read(void **state)
{
	(void)state;
	CHECK("a & b = c", 900, "a:0-100 &:100-200 b:200-500 c:500-900", {"a", 0, 0, 0},
	      {"&", 100, 100, 0}, {"b", 200, 200, 0}, {"c", 500, 500, 0});
}

static void test_word_times_scripts_without_blanks_are_divided_where_the_engine_does(void **state)
{
	(void)state;
	CHECK("你好，世界。", 900, "你:0-100 好:100-200 世界:300-900", {"你", 0, 0, 0},
	      {"好", 100, 100, 0}, {"世", 300, 200, 0});
	/* not before a vowel sign, nor where no time has passed */
	CHECK("วันนี้อากาศ", 900, "วันนี้:0-300 อากาศ:300-900", {"วัน", 0, 0, 0}, {"้", 200, 200, 0},
	      {"อากาศ", 300, 300, 0}, {"กาศ", 300, 300, 0});
	/* nor in other scripts */
	CHECK("Straßenbahn", 900, "Straßenbahn:0-300", {"Straßen", 0, 0, 0}, {"bahn", 300, 300, 0});
}

static void test_word_times_words_without_a_sound_are_told_all_the_same(void **state)
{
	(void)state;
	CHECK("你好", 0, "你好:0-0", {NULL, 0, 0, 6});
	CHECK("a 你", 900, "a:0-900 你:900-900", {"a", 0, 0, 0}, {NULL, 900, 900, 1});
}

static void test_word_times_bytes_with_phonemes_are_of_one_word(void **state)
{
	static const struct engine_phonemes spans[] = {{1, 9, "x"}, {12, 14, "y"}};
	const struct event events[] = {
		{"New", 0, 0, 0}, {"York", 200, 200, 0}, {"Xi", 400, 400, 0}, {"on", 700, 700, 0}};
	struct engine_text text = test_word_times_text_of("(New York), Xi's on");

	(void)state;
	text.phonemes = spans;
	text.phonemes_count = 2;
	test_word_times_check(&text, events, 4, 900, "New York:0-400 Xi's:400-700 on:700-900");
}

static void test_word_times_a_sink_that_has_enough_is_obeyed(void **state)
{
	const struct engine_text text = test_word_times_text_of("a b c d e f g");
	struct record record = {
		.sink = {.word = test_word_times_record_word}, .text = text.text, .stop_after = 3};
	struct word_times times;

	(void)state;
	word_times_init(&times, &text, &record.sink);
	assert_int_equal(word_times_begin(&times, 0, 0), 0);
	assert_int_not_equal(word_times_end(&times, text.text_len, 700), 0);
	assert_int_equal(record.words, 3);
}

/* With arbitrary events, words remain in order, and each is reported exactly once. */
static void test_word_times_nonsense_does_no_harm(void **state)
{
	static const char given[] = "Ein «Satz» — mit 你好世界, วันนี้ & zwei-drei … Wörtern 😀 é.";
	const struct engine_text text = test_word_times_text_of(given);
	uint32_t seed = 1;

	(void)state;
	for (unsigned run = 0; run < 2000; ++run) {
		struct record record = {.sink = {.word = test_word_times_record_word},
					.text = given};
		struct word_times times;
		uint64_t sample = 0;

		word_times_init(&times, &text, &record.sink);
		for (unsigned i = 0; i < 20; ++i) {
			size_t byte;

			seed = seed * 1664525u + 1013904223u;
			byte = (seed >> 8) % (sizeof(given) + 4);
			while (byte < sizeof(given) && ((unsigned char)given[byte] & 0xc0) == 0x80)
				++byte;
			sample += (seed >> 4) % 3 * 100;
			if (seed % 7 == 0)
				assert_int_equal(word_times_end(&times, byte, sample), 0);
			else
				assert_int_equal(word_times_begin(&times, byte, sample), 0);
			if (seed % 5 == 0)
				word_times_hear(&times, sample);
		}
		assert_int_equal(word_times_end(&times, text.text_len, sample), 0);
		assert_true(record.words >= 7); /* the sign and the picture may be read or not */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_word_times_words_last_until_the_next_or_until_silence),
		cmocka_unit_test(test_word_times_words_that_are_joined_share_their_time_by_letters),
		cmocka_unit_test(
			test_word_times_words_at_the_end_are_told_with_the_last_that_was_heard),
		cmocka_unit_test(
			test_word_times_words_before_the_first_event_get_the_sound_before_it),
		cmocka_unit_test(
			test_word_times_events_inside_a_word_or_behind_it_are_of_that_word),
		cmocka_unit_test(test_word_times_events_that_go_back_change_nothing),
		cmocka_unit_test(test_word_times_punctuation_is_of_no_word),
		cmocka_unit_test(test_word_times_signs_are_words_when_they_are_read),
		cmocka_unit_test(
			test_word_times_scripts_without_blanks_are_divided_where_the_engine_does),
		cmocka_unit_test(test_word_times_words_without_a_sound_are_told_all_the_same),
		cmocka_unit_test(test_word_times_bytes_with_phonemes_are_of_one_word),
		cmocka_unit_test(test_word_times_a_sink_that_has_enough_is_obeyed),
		cmocka_unit_test(test_word_times_nonsense_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
