/* Metrics: what is added is printed, in a form that Prometheus reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "metrics/metrics.h"

/* Two agents, the second with twice as much of everything. */
static bool value_of(enum metric metric, size_t i, const char **value, uint64_t *number, void *arg)
{
	static const char *const agents[] = {"anna", "bert"};

	(void)arg;
	if (i == 2)
		return false;
	*value = agents[i];
	*number = (metric == METRIC_AGENT_TURNS ? 5 : 2500000) * (i + 1);
	return true;
}

static char *print(struct buf *out)
{
	buf_init(out, 65536);
	assert_int_equal(metrics_print(out, value_of, NULL), 0);
	assert_int_equal(buf_append(out, "", 1), 0);
	return out->bytes;
}

static void assert_prints(const char *line)
{
	struct buf out;

	if (!strstr(print(&out), line))
		fail_msg("\"%s\" is not in:\n%s", line, out.bytes);
	buf_reset(&out);
}

static void test_counters_gauges_and_labels_are_printed(void **state)
{
	(void)state;
	metrics_add(METRIC_CHUNKS, 2);
	metrics_add(METRIC_CHUNKS, 3);
	metrics_set(METRIC_VOICES, 12);
	metrics_set(METRIC_VOICES, 7);
	metrics_add_at(METRIC_TURNS, 1, 4);
	metrics_add_named(METRIC_ERRORS, "NOT_FOUND", 9);
	metrics_add_named(METRIC_ERRORS, "NOT", 100); /* no such value */
	metrics_add(METRIC_AUDIO, 1500001);
	assert_prints("# HELP syrinx_chunks_total Chunks that were given to an engine.\n"
		      "# TYPE syrinx_chunks_total counter\nsyrinx_chunks_total 5\n");
	assert_prints("\nsyrinx_voices 7\n");
	assert_prints("\nsyrinx_turns_total{status=\"finished\"} 0\n"
		      "syrinx_turns_total{status=\"cancelled\"} 4\n");
	assert_prints("\nsyrinx_errors_total{code=\"NOT_FOUND\"} 9\n");
	assert_prints("\nsyrinx_audio_seconds_total 1.500001\n");
}

static void test_histograms_count_upwards(void **state)
{
	(void)state;
	metrics_observe(METRIC_LEDGER_TIME, 0);
	metrics_observe(METRIC_LEDGER_TIME, 100);
	metrics_observe(METRIC_LEDGER_TIME, 101);
	metrics_observe(METRIC_LEDGER_TIME, 60000000);
	assert_prints("syrinx_ledger_seconds_bucket{le=\"0.0001\"} 2\n"
		      "syrinx_ledger_seconds_bucket{le=\"0.00025\"} 3\n");
	assert_prints("syrinx_ledger_seconds_bucket{le=\"30\"} 3\n"
		      "syrinx_ledger_seconds_bucket{le=\"+Inf\"} 4\n"
		      "syrinx_ledger_seconds_sum 60.000201\nsyrinx_ledger_seconds_count 4\n");
}

static void test_values_may_come_from_elsewhere(void **state)
{
	(void)state;
	assert_prints("# TYPE syrinx_agent_turns_total counter\n"
		      "syrinx_agent_turns_total{agent=\"anna\"} 5\n"
		      "syrinx_agent_turns_total{agent=\"bert\"} 10\n# HELP");
	assert_prints("syrinx_agent_first_delta_seconds_total{agent=\"bert\"} 5.000000\n");
}

/* Names, labels and numbers, as the format's grammar has them; each row once. */
static void test_every_line_can_be_read(void **state)
{
	static const char name[] = "abcdefghijklmnopqrstuvwxyz_";
	struct buf out;
	char *line = strtok(print(&out), "\n");

	(void)state;
	for (; line; line = strtok(NULL, "\n")) {
		char *value = strrchr(line, ' ');
		char *end;
		size_t len = strspn(line, name);

		if (line[0] == '#')
			continue;
		assert_memory_equal(line, "syrinx_", 7);
		assert_true(line[len] == ' ' || line[len] == '{');
		if (line[len] == '{')
			assert_string_equal(strchr(line + len, '}') + 1, value);
		assert_non_null(value);
		strtod(value + 1, &end);
		assert_int_equal(*end, '\0');
	}
	buf_reset(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters_gauges_and_labels_are_printed),
		cmocka_unit_test(test_histograms_count_upwards),
		cmocka_unit_test(test_values_may_come_from_elsewhere),
		cmocka_unit_test(test_every_line_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
