/* Exposition: the text format of Prometheus is read, and what is not of it is refused. */
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

#include "base/count.h"
#include "metrics/exposition.h"
#include "metrics/metrics.h"

static struct exposition exposition;
static char *text;
static size_t bad_line;

/* Of a copy that ends where the text ends, so that a read past it is seen. */
static int parse(const char *source)
{
	free(text);
	text = strdup(source);
	assert_non_null(text);
	return exposition_parse(&exposition, text, strlen(text), &bad_line);
}

static int forget(void **state)
{
	(void)state;
	free(text);
	text = NULL;
	return 0;
}

static double number(const char *name, const char *label)
{
	const struct exposition_sample *sample = exposition_find(&exposition, name, label);

	return sample ? sample->number : NAN;
}

static void assert_near(const char *name, const char *label, double wanted)
{
	double got = number(name, label);

	if (!(fabs(got - wanted) < 1e-9))
		fail_msg("%s is %g, not %g", name, got, wanted);
}

static void test_samples_are_found_by_name_and_label(void **state)
{
	(void)state;
	assert_int_equal(parse("# HELP a_total Words, \"any\" {words}.\n"
			       "# TYPE a_total counter\n"
			       "a_total{code=\"X\"} 3\n"
			       "a_total{code=\"Y\"} 4.5\n"
			       "\n"
			       "b 17 1395066363000\n"
			       "  c:d{}\t-1e3 \n"
			       "e{le=\"+Inf\",} +Inf\n"
			       "f{ g = \"h\" , i = \"j\" } NaN"),
			 0);
	assert_int_equal(exposition.count, 6);
	assert_near("a_total", "X", 3);
	assert_near("a_total", "Y", 4.5);
	assert_null(exposition_find(&exposition, "a_total", NULL));
	assert_null(exposition_find(&exposition, "a_total", "Z"));
	assert_null(exposition_find(&exposition, "a", "X"));
	assert_near("b", NULL, 17);
	assert_null(exposition_find(&exposition, "b", ""));
	assert_near("c:d", NULL, -1000);
	assert_true(isinf(number("e", "+Inf")));
	assert_null(exposition_find(&exposition, "f", "h")); /* it has another label */
	assert_int_equal(exposition.samples[5].label_count, 2);
	assert_string_equal(exposition.samples[5].label, "h");
	assert_true(isnan(exposition.samples[5].number));
}

static void test_values_of_labels_are_unquoted(void **state)
{
	(void)state;
	assert_int_equal(parse("a{b=\"x\\\\y\\\"z\\n}\"} 1\nc{b=\"\"} 2\n"), 0);
	assert_near("a", "x\\y\"z\n}", 1);
	assert_near("c", "", 2);
}

static void test_what_is_not_of_the_format_is_refused(void **state)
{
	static const char *const bad[] = {
		"<html>",
		"a",
		"a ",
		"a b",
		"1a 2",
		"a{ 1",
		"a{b} 1",
		"a{b=} 1",
		"a{b=c} 1",
		"a{b=\"c} 1",
		"a{b=\"c\\",
		"a{b=\"c\\x\"} 1",
		"a{b=\"c\"d=\"e\"} 1",
		"a{b=\"c\",,} 1",
		"a{b:c=\"d\"} 1",
		"a{b=\"c\"}",
		"a 0x10",
		"a 1,5",
		"a 1 2 3",
		"a 1 x",
		"a 1 -",
		"a nan(1)",
		"a-b 1",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); ++i) {
		char lines[100];

		snprintf(lines, sizeof(lines), "good 1\n%s\ngood 2\n", bad[i]);
		if (parse(lines) != EBADMSG || bad_line != 2)
			fail_msg("\"%s\" was taken, or line %zu blamed", bad[i], bad_line);
	}
}

static void test_a_text_with_a_nul_in_it_is_refused(void **state)
{
	char nul[] = "a 1\nb\0 2\n";

	(void)state;
	assert_int_equal(exposition_parse(&exposition, nul, sizeof(nul) - 1, &bad_line), EBADMSG);
}

static void test_there_is_a_largest_number_of_samples(void **state)
{
	char lines[EXPOSITION_SAMPLES_MAX * 4 + 5] = "";

	(void)state;
	for (size_t i = 0; i < EXPOSITION_SAMPLES_MAX; ++i)
		memcpy(lines + 4 * i, "a 1\n", 5);
	assert_int_equal(parse(lines), 0);
	assert_int_equal(exposition.count, EXPOSITION_SAMPLES_MAX);
	memcpy(lines + sizeof(lines) - 5, "a 1\n", 5);
	assert_int_equal(parse(lines), ENOBUFS);
	assert_int_equal(bad_line, EXPOSITION_SAMPLES_MAX + 1);
}

static void test_what_we_print_is_read(void **state)
{
	struct buf out;

	(void)state;
	metrics_add_named(METRIC_ERRORS, "NOT_FOUND", 9);
	metrics_observe(METRIC_FIRST_AUDIO, 90000);
	metrics_add(METRIC_AUDIO, 1500001);
	buf_init(&out, 65536);
	assert_int_equal(metrics_print(&out, NULL, NULL), 0);
	assert_int_equal(buf_append(&out, "", 1), 0);
	assert_int_equal(parse(out.bytes), 0);
	buf_reset(&out);
	assert_near("syrinx_errors_total", "NOT_FOUND", 9);
	assert_near("syrinx_first_audio_seconds_bucket", "0.05", 0);
	assert_near("syrinx_first_audio_seconds_bucket", "0.1", 1);
	assert_near("syrinx_audio_seconds_total", NULL, 1.500001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_are_found_by_name_and_label),
		cmocka_unit_test(test_values_of_labels_are_unquoted),
		cmocka_unit_test(test_what_is_not_of_the_format_is_refused),
		cmocka_unit_test(test_a_text_with_a_nul_in_it_is_refused),
		cmocka_unit_test(test_there_is_a_largest_number_of_samples),
		cmocka_unit_test(test_what_we_print_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, forget);
}
