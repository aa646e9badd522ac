/* The page of `syrinx top`: differences, quantiles, and a page that fits its screen. */
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

#include "cli/top_view.h"
#include "metrics/metrics.h"

#define ERROR_CODES 10 /* values of METRIC_ERRORS' label */
#define FIRST "syrinx_first_audio_seconds"

/* Metrics and the text that they point into. */
struct page {
	struct exposition exposition;
	char text[32768];
};

static struct page before, now;
static struct buf out;

static void read_page(struct page *page, const char *text)
{
	size_t line;

	snprintf(page->text, sizeof(page->text), "%s", text);
	assert_int_equal(exposition_parse(&page->exposition, page->text, strlen(page->text), &line),
			 0);
}

static struct top_view view_of(bool has_before)
{
	return (struct top_view){.now = &now.exposition,
				 .before = has_before ? &before.exposition : NULL,
				 .seconds = 2,
				 .base = "http://127.0.0.1:8080",
				 .wall_ms = INT64_C(1790000000) * 1000,
				 .columns = TOP_VIEW_COLUMNS};
}

static const char *print(const struct top_view *view)
{
	buf_reset(&out);
	buf_init(&out, 65536);
	assert_int_equal(top_view_print(&out, view), 0);
	assert_int_equal(buf_append(&out, "", 1), 0);
	return out.bytes;
}

static void assert_shows(const struct top_view *view, const char *words)
{
	if (!strstr(print(view), words))
		fail_msg("\"%s\" is not in:\n%s", words, out.bytes);
}

static void assert_near(double got, double wanted)
{
	if (!(fabs(got - wanted) < 1e-9))
		fail_msg("%g is not %g", got, wanted);
}

static int forget(void **state)
{
	(void)state;
	buf_reset(&out);
	return 0;
}

static void test_rates_are_differences_and_gauges_are_not(void **state)
{
	struct top_view view = view_of(true);

	(void)state;
	read_page(&before, "syrinx_start_time_seconds 1789999990\n"
			   "syrinx_connections 100\n"
			   "syrinx_turns_total{status=\"finished\"} 1000\n"
			   "syrinx_turns_total{status=\"failed\"} 7\n"
			   "syrinx_audio_seconds_total 10.4\n");
	read_page(&now, "syrinx_start_time_seconds 1789999990\n"
			"syrinx_connections 40\n"
			"syrinx_turns_total{status=\"finished\"} 1005\n"
			"syrinx_turns_total{status=\"failed\"} 7\n"
			"syrinx_audio_seconds_total 30.4\n"
			"syrinx_resident_memory_bytes 3145728\n");
	assert_shows(&view, "rates and times over the last 2.0 s\n");
	assert_shows(&view, "\nconnections                40     "
			    "turns finished            2.5         1005\n");
	assert_shows(&view, "turns failed              0.0            7\n");
	assert_shows(&view, "seconds of audio         10.0           30\n");
	assert_shows(&view, "memory                3.0 MiB     ");
	assert_shows(&view, "up     00:00:10 ");
}

static void test_without_a_look_before_it_is_since_the_start(void **state)
{
	struct top_view view = view_of(false);

	(void)state;
	read_page(&now, "syrinx_cancels_total 6\n");
	assert_shows(&view, "rates and times since the server started\n");
	assert_shows(&view, "cancels                   3.0            6\n");
}

static void test_a_counter_that_fell_was_started_anew(void **state)
{
	struct top_view view = view_of(true);

	(void)state;
	read_page(&before, "syrinx_cancels_total 100\n");
	read_page(&now, "syrinx_cancels_total 6\n");
	assert_shows(&view, "cancels                   3.0            6\n");
}

static void test_what_the_server_does_not_tell_is_a_dash(void **state)
{
	struct top_view view = view_of(true);

	(void)state;
	read_page(&before, "syrinx_voices 1\n");
	read_page(&now, "syrinx_voices 1\n");
	assert_shows(&view, "connections                 -     "
			    "turns finished              -            -\n");
	assert_shows(&view, "first audio                 -           -           -           -\n");
	assert_shows(&view, "up            - ");
}

static void test_quantiles_are_of_what_came_between_the_looks(void **state)
{
	struct top_view view = view_of(true);

	(void)state;
	read_page(&before,
		  FIRST "_bucket{le=\"0.1\"} 1000\n" FIRST "_bucket{le=\"0.25\"} 1000\n" FIRST
			"_bucket{le=\"+Inf\"} 1000\n" FIRST "_count 1000\n");
	read_page(&now, FIRST "_bucket{le=\"0.1\"} 1000\n" FIRST "_bucket{le=\"0.25\"} 1090\n" FIRST
			      "_bucket{le=\"+Inf\"} 1100\n" FIRST "_count 1100\n");
	assert_near(top_view_quantile(&view, FIRST, 0.5), 0.1 + 0.15 * 50 / 90);
	assert_near(top_view_quantile(&view, FIRST, 0.9), 0.25);
	assert_true(isinf(top_view_quantile(&view, FIRST, 0.99)));
	assert_shows(&view, "first audio            183 ms      > 30 s      > 30 s         100\n");
	view.before = NULL;
	assert_near(top_view_quantile(&view, FIRST, 0.5), 0.1 * 550 / 1000);
}

static void test_a_histogram_without_news_has_no_quantiles(void **state)
{
	struct top_view view = view_of(true);

	(void)state;
	read_page(&before, FIRST "_bucket{le=\"0.1\"} 3\n" FIRST "_bucket{le=\"+Inf\"} 3\n");
	read_page(&now, FIRST "_bucket{le=\"0.1\"} 3\n" FIRST "_bucket{le=\"+Inf\"} 3\n");
	assert_true(isnan(top_view_quantile(&view, FIRST, 0.5)));
	assert_true(isnan(top_view_quantile(&view, "syrinx_added_seconds", 0.5)));
}

static void test_errors_are_listed_by_code_with_what_is_new(void **state)
{
	struct top_view view = view_of(true);

	(void)state;
	read_page(&before, "syrinx_errors_total{code=\"NOT_FOUND\"} 4\n"
			   "syrinx_errors_total{code=\"RATE_LIMITED\"} 2\n");
	read_page(&now, "syrinx_errors_total{code=\"NOT_FOUND\"} 4\n"
			"syrinx_errors_total{code=\"RATE_LIMITED\"} 5\n"
			"syrinx_errors_total{code=\"INTERNAL_ERROR\"} 0\n"
			"syrinx_denials_total{why=\"turns\"} 3\n");
	assert_shows(&view, "\n\nERRORS   NOT_FOUND 4  RATE_LIMITED 5 (+3)\n"
			    "REFUSED  turns 3 (+3)\n");
	view.has_colours = true;
	assert_shows(&view, "NOT_FOUND 4\033[1;31m  RATE_LIMITED 5 (+3)\033[0m");
}

/* Adds every error code, with this count. */
static void fill(struct page *page, uint64_t number)
{
	struct buf text;

	for (size_t i = 0; i < ERROR_CODES; ++i)
		metrics_add_at(METRIC_ERRORS, i, number);
	buf_init(&text, sizeof(page->text));
	assert_int_equal(metrics_print(&text, NULL, NULL), 0);
	assert_int_equal(buf_append(&text, "", 1), 0);
	read_page(page, text.bytes);
	buf_reset(&text);
}

static void assert_fits(const struct top_view *view, unsigned columns, unsigned rows)
{
	unsigned lines = 1;

	print(view);
	for (char *line = out.bytes; line; ++lines) {
		char *end = strchr(line, '\n');

		if (strcspn(line, "\n") > columns)
			fail_msg("a line is too long: %s", line);
		if (!end || !end[1])
			break;
		line = end + 1;
	}
	if (rows > 0)
		assert_true(lines <= rows);
}

static void test_the_page_fits_its_screen(void **state)
{
	static const unsigned sizes[][2] = {{80, 24}, {80, 10}, {20, 24}, {1, 1}, {200, 60}};
	struct top_view view = view_of(true);

	(void)state;
	fill(&before, 0);
	fill(&now, 1000000);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
		view.columns = sizes[i][0];
		view.rows = sizes[i][1];
		assert_fits(&view, view.columns, view.rows);
	}
	view.columns = TOP_VIEW_COLUMNS;
	view.rows = TOP_VIEW_ROWS;
	assert_shows(&view, "\nERRORS   VALIDATION_ERROR 1000000 (+1000000)");
	view.rows = 0; /* everything is shown if there is room */
	assert_shows(&view, "MODEL_UNAVAILABLE 1000000 (+1000000)\nREFUSED  none\n");
}

static void test_lines_of_a_screen_overwrite_those_before(void **state)
{
	struct top_view view = view_of(false);

	(void)state;
	read_page(&now, "syrinx_start_time_seconds 1\n");
	view.is_screen = true;
	view.rows = 2;
	assert_shows(&view, "\033[K\nrates and times since the server started\033[K");
	assert_int_not_equal(out.bytes[out.len - 2],
			     '\n'); /* a final newline would scroll the screen */
}

static void test_trouble_is_told_and_the_last_figures_stay(void **state)
{
	struct top_view view = view_of(false);

	(void)state;
	read_page(&now, "syrinx_connections 5\n");
	view.trouble = "waiting for the server: \033[2Jgone";
	assert_shows(&view, "\nwaiting for the server: ?[2Jgone\n");
	assert_shows(&view, "connections                 5");
	view.now = NULL;
	print(&view);
	assert_null(strstr(out.bytes, "connections"));
}

static void test_a_page_of_ours_says_when_it_started(void **state)
{
	double started;

	(void)state;
	read_page(&now, "syrinx_start_time_seconds 1700000000\n");
	assert_true(top_view_started(&started, &now.exposition));
	assert_near(started, 1700000000);
	read_page(&now, "process_start_time_seconds 1700000000\n");
	assert_false(top_view_started(&started, &now.exposition));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rates_are_differences_and_gauges_are_not),
		cmocka_unit_test(test_without_a_look_before_it_is_since_the_start),
		cmocka_unit_test(test_a_counter_that_fell_was_started_anew),
		cmocka_unit_test(test_what_the_server_does_not_tell_is_a_dash),
		cmocka_unit_test(test_quantiles_are_of_what_came_between_the_looks),
		cmocka_unit_test(test_a_histogram_without_news_has_no_quantiles),
		cmocka_unit_test(test_errors_are_listed_by_code_with_what_is_new),
		cmocka_unit_test(test_the_page_fits_its_screen),
		cmocka_unit_test(test_lines_of_a_screen_overwrite_those_before),
		cmocka_unit_test(test_trouble_is_told_and_the_last_figures_stay),
		cmocka_unit_test(test_a_page_of_ours_says_when_it_started),
	};

	return cmocka_run_group_tests(tests, NULL, forget);
}
