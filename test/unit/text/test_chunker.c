/* The chunker: what the golden cases say, however the text was split; all of
 * the text, in order, in bounded memory and at a cost linear in its length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/count.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "golden.h"
#include "mem_fail.h"
#include "text/chunker.h"
#include "text/cost.h"
#include "text/unicode.h"

#define CASES_MIN 300
#define SPLITS 24

static struct chunker *test_chunker_make(const struct chunker_options *options)
{
	struct chunker *chunker = NULL;

	assert_int_equal(chunker_alloc(&chunker, options), 0);
	return chunker;
}

static struct chunker *test_chunker_make_auto(size_t buffer_max)
{
	struct chunker_options options = chunker_options_default;

	options.auto_mode = true;
	options.buffer_max = buffer_max;
	return test_chunker_make(&options);
}

static void test_chunker_feed(struct chunker *chunker, const char *text)
{
	assert_int_equal(chunker_feed(chunker, text, strlen(text)), 0);
}

static void test_chunker_take_step(struct chunker *chunker, const struct golden_step *step)
{
	switch (step->kind) {
	case GOLDEN_FEED:
		test_chunker_feed(chunker, step->text);
		break;
	case GOLDEN_MESSAGE:
		chunker_end_message(chunker);
		break;
	case GOLDEN_PAUSE:
		chunker_pause(chunker);
		break;
	case GOLDEN_TIMEOUT:
		chunker_timeout(chunker);
		break;
	case GOLDEN_EMIT:
		chunker_emit(chunker);
		break;
	case GOLDEN_FLUSH:
		chunker_flush(chunker);
		break;
	}
}

static void test_chunker_report(const struct golden_case *golden, const char *why,
				const struct chunk *chunk)
{
	fprintf(stderr, "%s\n  %s: %.*s\n", golden->where, why, chunk ? (int)chunk->len : 0,
		chunk ? chunk->text : "");
}

/* Takes all chunks out; false unless they are [first, last) of the case. */
static bool test_chunker_expect(const struct golden_case *golden, struct chunker *chunker,
				size_t first, size_t last)
{
	struct chunk chunk;

	for (; chunker_next(chunker, &chunk); ++first) {
		if (first == last || strlen(golden->chunks[first]) != chunk.len ||
		    memcmp(golden->chunks[first], chunk.text, chunk.len) != 0) {
			test_chunker_report(golden, "wrong chunk", &chunk);
			return false;
		}
	}
	if (first != last) {
		test_chunker_report(golden, "a chunk is missing before the end", NULL);
		return false;
	}
	return true;
}

static void test_chunker_check_case(const struct golden_case *golden, void *arg)
{
	struct chunker *chunker = test_chunker_make(&golden->options);
	unsigned *wrong = arg;
	bool is_right = true;

	for (size_t i = 0; i < golden->steps_len && is_right; ++i) {
		const struct golden_step *step = &golden->steps[i];

		test_chunker_take_step(chunker, step);
		if (i + 1 == golden->steps_len)
			chunker_flush(chunker);
		is_right = test_chunker_expect(golden, chunker, step->first, step->last);
	}
	*wrong += !is_right;
	if (is_right)
		assert_int_equal(chunker_buffered(chunker), 0);
	mem_deref(chunker);
}

static void test_chunker_golden_cases_hold(void **state)
{
	unsigned wrong = 0;
	size_t count = golden_each(CHUNKS_DIR, test_chunker_check_case, &wrong);

	(void)state;
	print_message("%zu golden cases, %u wrong\n", count, wrong);
	assert_true(count >= CASES_MIN);
	assert_int_equal(wrong, 0);
}

/* Feeds the case's text in pieces of at most `most` code points.  Messages end only
 * after letters and digits, where their ends confirm nothing. */
static void test_chunker_feed_split(struct chunker *chunker, const char *text, unsigned *seed,
				    unsigned most, bool has_messages)
{
	size_t len = strlen(text);
	size_t at = 0;

	while (at < len) {
		unsigned count = most == 1 ? 1 : 1 + (unsigned)rand_r(seed) % most;
		bool ends_in_word = false;
		size_t n = 0;

		while (count-- > 0 && at + n < len) {
			uint32_t c;

			n += utf8_decode(&c, text + at + n, len - at - n);
			ends_in_word = unicode_is_letter(unicode_kind(c)) ||
				       unicode_kind(c) == UNICODE_DIGIT;
		}
		assert_int_equal(chunker_feed(chunker, text + at, n), 0);
		if (has_messages && ends_in_word)
			chunker_end_message(chunker);
		at += n;
	}
}

static void test_chunker_check_splits(const struct golden_case *golden, void *arg)
{
	static unsigned seed = 1;
	unsigned *wrong = arg;

	if (golden->is_timed)
		return;
	for (unsigned i = 0; i < SPLITS; ++i) {
		struct chunker *chunker = test_chunker_make(&golden->options);

		for (size_t j = 0; j < golden->steps_len; ++j) {
			if (golden->steps[j].kind == GOLDEN_FEED)
				test_chunker_feed_split(chunker, golden->steps[j].text, &seed,
							1 + i % 12, i % 2 == 0);
		}
		chunker_flush(chunker);
		*wrong += !test_chunker_expect(golden, chunker, 0, golden->chunks_len);
		mem_deref(chunker);
	}
}

static void test_chunker_the_split_into_feeds_and_messages_does_not_matter(void **state)
{
	unsigned wrong = 0;

	(void)state;
	golden_each(CHUNKS_DIR, test_chunker_check_splits, &wrong);
	assert_int_equal(wrong, 0);
}

/* The steps for `times` copies of a piece, fed in tokens. */
static size_t test_chunker_steps_for(const char *piece, size_t times)
{
	struct chunker *chunker = test_chunker_make(&chunker_options_default);
	size_t len = strlen(piece);
	struct chunk chunk;

	cost_steps = 0;
	for (size_t i = 0; i < times; ++i) {
		assert_int_equal(chunker_feed(chunker, piece, len), 0);
		while (chunker_next(chunker, &chunk))
			assert_true(utf8_count(chunk.text, chunk.len) <= 1000);
	}
	chunker_flush(chunker);
	while (chunker_next(chunker, &chunk))
		;
	mem_deref(chunker);
	return cost_steps;
}

static void test_chunker_the_cost_is_linear_also_for_hostile_text(void **state)
{
	static const char *const pieces[] = {
		"a.",
		"a. ",
		"<",
		"<a ",
		"<a b=\"",
		"x",
		". ",
		"\n",
		" ",
		"\" ",
		"<b>",
		"<b>\n\n",
		"1,",
		"e.g. ",
		"- \n",
		"\xf0\x9f\x8e\x89",
		"...",
		"A. ",
		"<spell>a",
		"\xcc\x81",
		"Hello there, you. ",
		"\xe3\x80\x82",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(pieces); ++i) {
		size_t times = 65536 / strlen(pieces[i]);
		size_t once = test_chunker_steps_for(pieces[i], times);
		size_t twice = test_chunker_steps_for(pieces[i], 2 * times);

		assert_true(once <= 6 * times * strlen(pieces[i]) + 1000);
		assert_true(twice <= 2 * once + once / 8 + 1000);
	}
}

static void test_chunker_a_megabyte_without_a_stop_comes_out_whole_and_in_order(void **state)
{
	struct chunker *chunker = test_chunker_make(&chunker_options_default);
	struct chunk chunk;
	size_t fed = 0;
	size_t out = 0;

	(void)state;
	for (unsigned i = 0; i < 100000; ++i) {
		char word[16];

		snprintf(word, sizeof(word), "word%06u ", i);
		test_chunker_feed(chunker, word);
		fed += strlen(word);
		while (chunker_next(chunker, &chunk))
			out += chunk.len + 1;
		assert_true(chunker_buffered(chunker) <= 1100);
	}
	chunker_flush(chunker);
	while (chunker_next(chunker, &chunk))
		out += chunk.len + 1;
	assert_int_equal(out, fed); /* each chunk lost the blank after it */
	mem_deref(chunker);
}

static void test_chunker_more_than_256_kib_is_refused_whole(void **state)
{
	struct chunker *chunker = test_chunker_make(&chunker_options_default);
	size_t max = 256 * 1024;
	char *text = malloc(max + 1);
	struct chunk chunk;

	(void)state;
	assert_non_null(text);
	memset(text, 'a', max + 1);
	assert_int_equal(chunker_feed(chunker, text, max + 1), ENOBUFS);
	assert_int_equal(chunker_buffered(chunker), 0);
	assert_int_equal(chunker_feed(chunker, text, max), 0);
	assert_int_equal(chunker_feed(chunker, text, 1), ENOBUFS);
	assert_int_equal(chunker_buffered(chunker), max);
	assert_true(chunker_next(chunker, &chunk));
	assert_int_equal(chunk.len, 1000);
	assert_int_equal(chunker_feed(chunker, text, 1000), 0);
	assert_int_equal(chunker_feed(chunker, text, 1), ENOBUFS);
	free(text);
	mem_deref(chunker);
}

static void test_chunker_blanks_alone_fill_nothing(void **state)
{
	struct chunker *chunker = test_chunker_make(&chunker_options_default);
	struct chunk chunk;

	(void)state;
	for (unsigned i = 0; i < 100000; ++i)
		test_chunker_feed(chunker, " \n  \t   ");
	chunker_flush(chunker);
	assert_false(chunker_next(chunker, &chunk));
	assert_int_equal(chunker_buffered(chunker), 0);
	mem_deref(chunker);
}

static void test_chunker_expect_pause(const char *text, unsigned pause_ms)
{
	struct chunker *chunker = test_chunker_make_auto(1000);
	struct chunk chunk;

	test_chunker_feed(chunker, text);
	assert_int_equal(chunker_pause_ms(chunker), pause_ms);
	chunker_pause(chunker);
	assert_int_equal(chunker_next(chunker, &chunk), pause_ms > 0);
	assert_int_equal(chunker_pause_ms(chunker), 0);
	mem_deref(chunker);
}

static void test_chunker_a_pause_is_awaited_only_where_it_would_confirm(void **state)
{
	(void)state;
	test_chunker_expect_pause("Yes.", 35);
	test_chunker_expect_pause("Yes. ", 35);
	test_chunker_expect_pause("Yes?!", 35);
	test_chunker_expect_pause("Well...", 100);
	test_chunker_expect_pause("Yes!\"", 100);
	test_chunker_expect_pause("\"Yes!", 100);
	test_chunker_expect_pause("(Yes.", 100);
	test_chunker_expect_pause("\xe2\x80\x94 Yes!", 100); /* a dialogue's dash */
	test_chunker_expect_pause("A title\n", 100);
	test_chunker_expect_pause("The answer is no.", 100);
	test_chunker_expect_pause("See www.example.", 100);
	test_chunker_expect_pause("2 mg.", 100); /* no vowel: perhaps an abbreviation */
	test_chunker_expect_pause("Yes", 0);
	test_chunker_expect_pause("Meet Dr.", 0);
	test_chunker_expect_pause("It costs 5.", 0);
	test_chunker_expect_pause("At 5 p.m.", 0);
	test_chunker_expect_pause("George W.", 0);
	test_chunker_expect_pause("Yes, ", 0);
}

/* Messages, then: 0 when the last one's end has confirmed a sentence end, else how
 * long it waits, -1 when it does not. */
static int test_chunker_wait_after(const char *const *messages)
{
	struct chunker *chunker = test_chunker_make_auto(1000);
	struct chunk chunk;
	int wait = -1;

	for (; *messages; ++messages) {
		test_chunker_feed(chunker, *messages);
		chunker_end_message(chunker);
	}
	if (chunker_next(chunker, &chunk))
		wait = 0;
	else if (chunker_pause_ms(chunker) > 0)
		wait = (int)chunker_pause_ms(chunker);
	mem_deref(chunker);
	return wait;
}

static void test_chunker_the_end_of_a_message_confirms_what_is_certain(void **state)
{
	static const struct {
		const char *messages[4];
		int wait;
	} cases[] = {
		{{"Hello from voice two."}, 0}, /* a whole sentence of several words */
		{{"Hello there!"}, 0},
		{{"\n\tAre you sure?!"}, 0},
		{{"Hello. "}, 0}, /* a blank after a plain word */
		{{"Hello", ". "}, 0},
		{{"Hello", ".", "\n"}, 0},
		{{"He", "llo there."}, 35}, /* in pieces */
		{{"Hello", " there", "."}, 35},
		{{"Hello."}, 35}, /* may be a token */
		{{"No."}, 35},
		{{"\"Hello there!\""}, 35}, /* said she? */
		{{"Wait for it..."}, 35},
		{{"The answer is no."}, 35},
		{{"Ask at example.com."}, 35},
		{{"A whole line\n"}, 35},
		{{"\"Stop!\" "}, 100},
		{{"\"Stop", "!\"", " "}, 100},
		{{"Well... "}, 100},
		{{"Well", "..."}, 100},
		{{"Ask at www", ".example", "."}, 100},
		{{"Hello there <break time"}, -1},
		{{"Hello there.<break time"}, 35}, /* the pause may belong to it */
		{{"Meet Dr."}, -1},
		{{"Meet Dr. "}, -1},
		{{"It costs 5."}, -1},
		{{"I know George W. "}, -1},
		{{"\xe4\xbd\xa0\xe5\xa5\xbd\xe3\x80\x82"}, 0},
		{{"\xe4\xbd\xa0", "\xe5\xa5\xbd\xe3\x80\x82"}, 35},
		{{"Hello there"}, -1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		int wait = test_chunker_wait_after(cases[i].messages);

		if (wait != cases[i].wait)
			fail_msg("case %zu, %s: %d, not %d", i, cases[i].messages[0], wait,
				 cases[i].wait);
	}
}

static void test_chunker_a_word_is_only_torn_when_nothing_else_fits(void **state)
{
	struct chunker *chunker = test_chunker_make_auto(10);
	struct chunk chunk;

	(void)state;
	test_chunker_feed(chunker, "aaaaaaaaaaaaaaae\xcc\x81zz");
	assert_true(chunker_next(chunker, &chunk));
	assert_int_equal(chunk.len, 10);
	chunker_flush(chunker);
	assert_true(chunker_next(chunker, &chunk));
	assert_int_equal(chunk.len, 10);
	mem_deref(chunker);

	chunker = test_chunker_make_auto(3);
	test_chunker_feed(chunker, "aae\xcc\x81z"); /* the third character has two code points */
	assert_true(chunker_next(chunker, &chunk));
	assert_int_equal(chunk.len, 2);
	mem_deref(chunker);
}

static void test_chunker_assert_next(struct chunker *chunker, const char *text)
{
	struct chunk chunk;

	assert_true(chunker_next(chunker, &chunk));
	assert_int_equal(chunk.len, strlen(text));
	assert_memory_equal(chunk.text, text, chunk.len);
}

static void test_chunker_assert_none(struct chunker *chunker)
{
	struct chunk chunk;

	assert_false(chunker_next(chunker, &chunk));
}

static void test_chunker_a_timeout_keeps_an_open_word_back_once(void **state)
{
	static const struct {
		const char *text;
		const char *first, *second; /* NULL: nothing */
	} cases[] = {
		{"The inter", "The", "inter"},
		{"It costs 3.", "It costs", "3."},
		{"It costs $27,", "It costs", "$27,"},
		{"He met Dr.", "He met", "Dr."},
		{"I don'", "I", "don'"},
		{"Hello", NULL, "Hello"},
		{"Let me see,", "Let me see,", NULL},
		{"Let me see ", "Let me see", NULL},
		{"(as you know)", "(as you know)", NULL},
		{"Great \xf0\x9f\x8e\x89", "Great \xf0\x9f\x8e\x89", NULL},
		{"\xe4\xbd\xa0\xe5\xa5\xbd", "\xe4\xbd\xa0\xe5\xa5\xbd", NULL},
		{"\xea\xb0\x80 \xeb\x82\x98", "\xea\xb0\x80", "\xeb\x82\x98"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		struct chunker *chunker = test_chunker_make_auto(1000);

		test_chunker_feed(chunker, cases[i].text);
		assert_int_equal(chunker_timeout(chunker), cases[i].second != NULL);
		if (cases[i].first)
			test_chunker_assert_next(chunker, cases[i].first);
		test_chunker_assert_none(chunker);
		assert_false(chunker_timeout(chunker));
		if (cases[i].second)
			test_chunker_assert_next(chunker, cases[i].second);
		test_chunker_assert_none(chunker);
		mem_deref(chunker);
	}
}

static void test_chunker_sentences_below_the_schedule_can_be_had_early(void **state)
{
	struct chunker *chunker = test_chunker_make(&chunker_options_default);

	(void)state;
	test_chunker_feed(chunker, "Hello. Short one. Short two. And th");
	test_chunker_assert_next(chunker, "Hello.");
	test_chunker_assert_none(chunker);
	assert_true(chunker_has_sentence(chunker));
	chunker_release(chunker);
	test_chunker_assert_next(chunker, "Short one. Short two.");
	test_chunker_assert_none(chunker);
	assert_false(chunker_has_sentence(chunker));
	chunker_release(chunker); /* what is not whole stays */
	test_chunker_assert_none(chunker);
	test_chunker_feed(chunker,
			  "is is whole, but shorter than the third entry of the schedule. B");
	test_chunker_assert_none(chunker);
	chunker_flush(chunker);
	test_chunker_assert_next(
		chunker, "And this is whole, but shorter than the third entry of the schedule.");
	test_chunker_assert_next(chunker, "B");
	mem_deref(chunker);
}

static void test_chunker_what_is_not_confirmed_cannot_be_had_early(void **state)
{
	struct chunker *chunker = test_chunker_make(&chunker_options_default);

	(void)state;
	test_chunker_feed(chunker, "Hello. It is 5.");
	test_chunker_assert_next(chunker, "Hello.");
	assert_false(chunker_has_sentence(chunker));
	test_chunker_feed(chunker, "5 or so.");
	assert_false(chunker_has_sentence(chunker));
	chunker_pause(chunker);
	assert_true(chunker_has_sentence(chunker));
	chunker_release(chunker);
	test_chunker_assert_next(chunker, "It is 5.5 or so.");
	test_chunker_assert_none(chunker);
	mem_deref(chunker);
}

static void test_chunker_a_pause_tag_waits_for_what_it_belongs_to(void **state)
{
	struct chunker *chunker = test_chunker_make(&chunker_options_default);

	(void)state;
	test_chunker_feed(chunker, "Hello.\n\n<break/>\n\nY");
	test_chunker_assert_next(chunker, "Hello.");
	chunker_release(chunker); /* a line of its own, with nothing to say */
	test_chunker_assert_none(chunker);
	chunker_flush(chunker);
	test_chunker_assert_next(chunker, "<break/>\n\nY");
	mem_deref(chunker);
}

/* The fault reported for a text that is fed byte by byte. */
static const char *test_chunker_fault_of(const char *text, bool flush)
{
	struct chunker *chunker = test_chunker_make(&chunker_options_default);
	const char *fault;

	for (size_t i = 0; text[i]; ++i)
		assert_int_equal(chunker_feed(chunker, text + i, 1), 0);
	if (flush)
		chunker_flush(chunker);
	fault = chunker_fault(chunker); /* a constant */
	mem_deref(chunker);
	return fault;
}

static void test_chunker_prosody_that_is_not_in_order_is_told_as_soon_as_it_is_known(void **state)
{
	static const struct {
		const char *text;
		const char *before, *after; /* the flush; NULL: no fault */
	} cases[] = {
		{"Hello.", NULL, NULL},
		{"<prosody rate=slow>Hello.</prosody>", NULL, NULL},
		{"<prosody rate=slow>Hello.", NULL, "not closed"},
		{"<prosody rate=slow", NULL, "malformed"},
		{"<prosody", NULL, "malformed"},
		{"<prosod", NULL, NULL},
		{"<prosody rate>", "malformed", "malformed"},
		{"<Prosody rate=slow\n>", "malformed", "malformed"},
		{"<prosody rate=slow <", "malformed", "malformed"},
		{"</prosody x=y>", "malformed", "malformed"},
		{"<prosody>", "needs a rate", "needs a rate"},
		{"Hello.</prosody>", "no <prosody> is open", "no <prosody> is open"},
		{"<prosody/>", "no words inside", "no words inside"},
		{"<spell><prosody></spell>", NULL, NULL},
		{"<spell></prosody><prosody x", NULL, NULL},
		{"<prosody rate=slow><spell></prosody>", NULL, "not closed"},
		{"<prosody-x><prosodyx y> < prosody>", NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		for (int flush = 0; flush < 2; ++flush) {
			const char *want = flush ? cases[i].after : cases[i].before;
			const char *fault = test_chunker_fault_of(cases[i].text, flush);

			if (!want != !fault || (fault && !strstr(fault, want)))
				fail_msg("%s: %s", cases[i].text, fault ? fault : "no fault");
		}
	}
}

static void test_chunker_an_empty_schedule_means_every_sentence(void **state)
{
	struct chunker_options options = chunker_options_default;
	struct chunker *chunker;
	struct chunk chunk;

	(void)state;
	options.schedule_len = 0;
	chunker = test_chunker_make(&options);
	test_chunker_feed(chunker, "One two. Three four. ");
	assert_true(chunker_next(chunker, &chunk));
	assert_int_equal(chunk.len, 8);
	mem_deref(chunker);
}

static void test_chunker_failing_allocations_leak_nothing(void **state)
{
	size_t live = mem_live();
	struct chunker *chunker = NULL;

	(void)state;
	mem_fail_after(1);
	assert_int_equal(chunker_alloc(&chunker, &chunker_options_default), ENOMEM);
	mem_fail_after(0);
	assert_null(chunker);
	assert_int_equal(mem_live(), live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chunker_golden_cases_hold),
		cmocka_unit_test(test_chunker_the_split_into_feeds_and_messages_does_not_matter),
		cmocka_unit_test(test_chunker_the_cost_is_linear_also_for_hostile_text),
		cmocka_unit_test(
			test_chunker_a_megabyte_without_a_stop_comes_out_whole_and_in_order),
		cmocka_unit_test(test_chunker_more_than_256_kib_is_refused_whole),
		cmocka_unit_test(test_chunker_blanks_alone_fill_nothing),
		cmocka_unit_test(test_chunker_a_pause_is_awaited_only_where_it_would_confirm),
		cmocka_unit_test(test_chunker_the_end_of_a_message_confirms_what_is_certain),
		cmocka_unit_test(test_chunker_a_timeout_keeps_an_open_word_back_once),
		cmocka_unit_test(test_chunker_a_word_is_only_torn_when_nothing_else_fits),
		cmocka_unit_test(test_chunker_sentences_below_the_schedule_can_be_had_early),
		cmocka_unit_test(test_chunker_what_is_not_confirmed_cannot_be_had_early),
		cmocka_unit_test(test_chunker_a_pause_tag_waits_for_what_it_belongs_to),
		cmocka_unit_test(
			test_chunker_prosody_that_is_not_in_order_is_told_as_soon_as_it_is_known),
		cmocka_unit_test(test_chunker_an_empty_schedule_means_every_sentence),
		cmocka_unit_test(test_chunker_failing_allocations_leak_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
