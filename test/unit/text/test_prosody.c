/* Prosody: rates are parsed, and invalid spans are reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "text/prosody.h"

static double test_prosody_rate_of(const char *tag)
{
	double rate = -1;

	assert_null(prosody_parse(&rate, tag, strlen(tag)));
	return rate;
}

static void test_prosody_assert_rate(const char *tag, double rate)
{
	assert_float_equal(test_prosody_rate_of(tag), rate, 1e-9);
}

static void test_prosody_rates_are_words_or_numbers(void **state)
{
	(void)state;
	test_prosody_assert_rate("<prosody rate=\"slow\">", 0.8);
	test_prosody_assert_rate("<prosody rate='medium'>", 1.0);
	test_prosody_assert_rate("<prosody rate=fast>", 1.2);
	test_prosody_assert_rate("<PROSODY  RATE=\"Fast\" >", 1.2);
	test_prosody_assert_rate("<prosody\trate=\"0.9\">", 0.9);
	test_prosody_assert_rate("<prosody rate=\"1\">", 1.0);
	test_prosody_assert_rate("<prosody rate=\"1.\">", 1.0);
	test_prosody_assert_rate("<prosody rate=\".95\">", 0.95);
	test_prosody_assert_rate("<prosody rate=\"+1.05\">", 1.05);
	test_prosody_assert_rate("<prosody rate=\"0001.1000\">", 1.1);
}

static void test_prosody_numbers_beyond_the_limits_become_the_limits(void **state)
{
	(void)state;
	test_prosody_assert_rate("<prosody rate=\"0.1\">", 0.8);
	test_prosody_assert_rate("<prosody rate=\"0\">", 0.8);
	test_prosody_assert_rate("<prosody rate=\"-1\">", 0.8);
	test_prosody_assert_rate("<prosody rate=\"1.21\">", 1.2);
	test_prosody_assert_rate("<prosody rate=\"90\">", 1.2);
	test_prosody_assert_rate(
		"<prosody rate=\"99999999999999999999999999999999999999999999999\">", 1.2);
	test_prosody_assert_rate(
		"<prosody rate=\"0.00000000000000000000000000000000000000000000001\">", 0.8);
}

static void test_prosody_assert_refused(const char *tag, const char *why)
{
	double rate = -1;
	const char *fault = prosody_parse(&rate, tag, strlen(tag));

	assert_non_null(fault);
	if (!strstr(fault, why))
		fail_msg("%s: \"%s\" does not say \"%s\"", tag, fault, why);
	assert_float_equal(rate, -1, 0);
}

static void test_prosody_a_tag_that_asks_for_something_else_is_told_so(void **state)
{
	static const char *const no_rates[] = {
		"",       "90%",   "x-slow", "default", "1e0", "1,1", "1.0.0", ".",     "+",  "-",
		"slowly", " slow", "nan",    "inf",     "0x1", "1 ",  "--1",   "fast ", "１",
	};
	char tag[100];

	(void)state;
	for (size_t i = 0; i < COUNT(no_rates); ++i) {
		snprintf(tag, sizeof(tag), "<prosody rate=\"%s\">", no_rates[i]);
		test_prosody_assert_refused(tag, "must be slow, medium, fast");
	}
	test_prosody_assert_refused("<prosody>", "needs a rate");
	test_prosody_assert_refused("<prosody >", "needs a rate");
	test_prosody_assert_refused("<prosody pitch=\"high\">", "no attribute but rate");
	test_prosody_assert_refused("<prosody volume=loud>", "no attribute but rate");
	test_prosody_assert_refused("<prosody rate=\"slow\" pitch=\"high\">",
				    "no attribute but rate");
	test_prosody_assert_refused("<prosody rates=\"slow\">", "no attribute but rate");
	test_prosody_assert_refused("<prosody rate=\"slow\" rate=\"fast\">", "two rates");
}

/* The spans of a text that is nothing but tags. */
static const char *test_prosody_judge(const char *tags)
{
	struct prosody prosody = {0};
	size_t len = strlen(tags);

	while (len > 0) {
		struct tag tag;
		size_t n = tag_read(&tag, tags, len);

		assert_true(n > 0 && tag_is(&tag, "prosody"));
		prosody_tag(&prosody, &tag, tags, n);
		tags += n;
		len -= n;
	}
	prosody_end(&prosody);
	return prosody.fault;
}

static void test_prosody_assert_fault(const char *tags, const char *why)
{
	const char *fault = test_prosody_judge(tags);

	assert_non_null(fault);
	if (!strstr(fault, why))
		fail_msg("%s: \"%s\" does not say \"%s\"", tags, fault, why);
}

#define OPEN "<prosody rate=\"slow\">"
#define CLOSE "</prosody>"

static void test_prosody_spans_follow_each_other(void **state)
{
	(void)state;
	assert_null(test_prosody_judge(""));
	assert_null(test_prosody_judge(OPEN CLOSE));
	assert_null(test_prosody_judge(OPEN CLOSE OPEN CLOSE "<prosody rate=1.1></Prosody >"));
}

static void test_prosody_spans_out_of_order_are_told_apart(void **state)
{
	(void)state;
	test_prosody_assert_fault(CLOSE, "no <prosody> is open");
	test_prosody_assert_fault(OPEN CLOSE CLOSE, "no <prosody> is open");
	test_prosody_assert_fault(OPEN OPEN CLOSE CLOSE, "inside another");
	test_prosody_assert_fault(OPEN, "not closed");
	test_prosody_assert_fault("<prosody/>", "no words inside");
	test_prosody_assert_fault("<prosody rate=slow/>", "no words inside");
	test_prosody_assert_fault(OPEN "<prosody pitch=high>" CLOSE, "inside another");
	test_prosody_assert_fault("<prosody pitch=high>" CLOSE, "no attribute but rate");
}

static void test_prosody_the_first_fault_is_the_one_told(void **state)
{
	struct prosody prosody = {0};

	(void)state;
	prosody_malformed(&prosody);
	assert_non_null(strstr(prosody.fault, "malformed"));
	prosody.is_open = true;
	prosody_end(&prosody);
	assert_non_null(strstr(prosody.fault, "malformed"));
}

static void test_prosody_a_whole_text_is_checked_at_once(void **state)
{
	static const char *const good[] = {"", "5 < 6", OPEN "a" CLOSE " b " OPEN "c" CLOSE,
					   "<spell>" OPEN "</spell>", "<break/><b>x</b>"};
	static const char *const bad[] = {OPEN "a", CLOSE, OPEN OPEN CLOSE, "<prosody rate=slow",
					  "<prosody <b>"};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); ++i)
		assert_null(prosody_check(good[i], strlen(good[i])));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i)
		assert_non_null(prosody_check(bad[i], strlen(bad[i])));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prosody_rates_are_words_or_numbers),
		cmocka_unit_test(test_prosody_numbers_beyond_the_limits_become_the_limits),
		cmocka_unit_test(test_prosody_a_tag_that_asks_for_something_else_is_told_so),
		cmocka_unit_test(test_prosody_spans_follow_each_other),
		cmocka_unit_test(test_prosody_spans_out_of_order_are_told_apart),
		cmocka_unit_test(test_prosody_the_first_fault_is_the_one_told),
		cmocka_unit_test(test_prosody_a_whole_text_is_checked_at_once),
	};

	return cmocka_run_group_tests_name("prosody", tests, NULL, NULL);
}
