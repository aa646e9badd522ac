/* Moments are read as they were meant, or not at all. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/calendar.h"
#include "base/count.h"

#define DAY INT64_C(1779235200000) /* 2026-05-20 */

static void test_days_and_times_are_read(void **state)
{
	static const struct {
		const char *text;
		int64_t ms;
	} good[] = {
		{"1970-01-01", 0},
		{"2026-05-20", DAY},
		{"2026-05-20T00:00Z", DAY},
		{"2026-05-20T09:00", DAY + 9 * 3600000},
		{"2026-05-20T09:00:01", DAY + 9 * 3600000 + 1000},
		{"2026-05-20T09:00:01.5Z", DAY + 9 * 3600000 + 1500},
		{"2026-05-20T09:00:01.123456789+00:00", DAY + 9 * 3600000 + 1123},
		{"2026-05-20T02:00:00+02:00", DAY},
		{"2026-05-20T02:00:00 02:00", DAY},
		{"2026-05-19T18:30:00-05:30", DAY},
		{"2024-02-29", INT64_C(1709164800000)},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(good); ++i) {
		int64_t ms = -1;

		if (calendar_parse(&ms, good[i].text) != 0)
			fail_msg("refused: %s", good[i].text);
		if (ms != good[i].ms)
			fail_msg("%s is %lld", good[i].text, (long long)ms);
	}
}

static void test_what_is_no_moment_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"x",
		"2026",
		"2026-05",
		"2026-5-20",
		"2026-05-20 09:00",
		"2026-05-20T",
		"2026-05-20T9:00",
		"2026-05-20T24:00",
		"2026-05-20T09:60",
		"2026-05-20T09:00:60",
		"2026-05-20T09:00:00.",
		"2026-05-20T09:00:00.1234567890",
		"2026-05-20T09:00:00+2",
		"2026-05-20T09:00:00+02:00x",
		"2026-05-20T09:00:00+24:00",
		"2026-02-30",
		"2025-02-29",
		"2026-13-01",
		"2026-00-10",
		"2026-05-00",
		"1969-12-31",
		"-026-05-20",
		"2026-05-20Z",
		"2026-05-20x",
	};
	int64_t ms = 7;

	(void)state;
	for (size_t i = 0; i < COUNT(bad); ++i) {
		if (calendar_parse(&ms, bad[i]) != EINVAL)
			fail_msg("taken: %s", bad[i]);
	}
	assert_int_equal(ms, 7);
}

static void test_spans_have_a_unit(void **state)
{
	static const char *const bad[] = {"",   "30",  "d",   "0d",  "-1d",        "1.5h",
					  "1y", "1dd", "1 d", "1d ", "1234567890d"};
	int64_t ms = 7;

	(void)state;
	for (size_t i = 0; i < COUNT(bad); ++i) {
		if (calendar_parse_span(&ms, bad[i]) != EINVAL)
			fail_msg("taken: %s", bad[i]);
	}
	assert_int_equal(ms, 7);
	assert_int_equal(calendar_parse_span(&ms, "90s"), 0);
	assert_int_equal(ms, 90000);
	assert_int_equal(calendar_parse_span(&ms, "15m"), 0);
	assert_int_equal(ms, 900000);
	assert_int_equal(calendar_parse_span(&ms, "12h"), 0);
	assert_int_equal(ms, 12 * 3600000);
	assert_int_equal(calendar_parse_span(&ms, "30d"), 0);
	assert_true(ms == 30 * CALENDAR_DAY_MS);
	assert_int_equal(calendar_parse_span(&ms, "999999999w"), 0);
	assert_true(ms == INT64_C(999999999) * 7 * CALENDAR_DAY_MS);
}

static void test_moments_are_printed(void **state)
{
	char text[CALENDAR_SIZE];

	(void)state;
	calendar_print(text, DAY + 1);
	assert_string_equal(text, "2026-05-20T00:00:00+00:00");
	calendar_print_exact(text, DAY + 1);
	assert_string_equal(text, "2026-05-20T00:00:00.001+00:00");
	calendar_print_day(text, DAY - 1);
	assert_string_equal(text, "2026-05-19");
	calendar_print_minute(text, DAY + 60000);
	assert_string_equal(text, "2026-05-20 00:01");
	calendar_print_day(text, INT64_MAX);
	assert_string_equal(text, "9223372036854775807");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_days_and_times_are_read),
		cmocka_unit_test(test_what_is_no_moment_is_refused),
		cmocka_unit_test(test_spans_have_a_unit),
		cmocka_unit_test(test_moments_are_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
