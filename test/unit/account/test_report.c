/* Reports are sums of the ledger's rows, written completely or not at all; accounts and top-ups
 * that an operator makes are found again. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "account/registry.h"
#include "account/report.h"
#include "base/calendar.h"
#include "base/count.h"
#include "base/mem.h"

#define DAY INT64_C(1779235200000) /* 2026-05-20 */

static struct store *store;
static struct store_key key;
static char text[API_KEY_LEN + 1];
static struct buf out;

static void book(const char *id, int64_t at_ms, int64_t voice_id, const char *model_id,
		 int64_t amount, enum store_turn_status status)
{
	struct store_turn turn = {.key_id = key.id,
				  .account_id = STORE_ACCOUNT_DEFAULT,
				  .at_ms = at_ms,
				  .status = status,
				  .samples = 8000,
				  .sample_rate = 24000,
				  .characters = 10,
				  .voice_id = voice_id,
				  .amount_microcents = amount};
	int err;

	snprintf(turn.id, sizeof(turn.id), "%s", id);
	snprintf(turn.model_id, sizeof(turn.model_id), "%s", model_id);
	assert_int_equal(store->ops->turns_add(store, &turn, 1, &err), 0);
	assert_int_equal(err, 0);
}

static int set_up(void **state)
{
	(void)state;
	assert_int_equal(store_open(&store, "memory:"), 0);
	key = (struct store_key){.project_id = STORE_PROJECT_DEFAULT,
				 .scopes = STORE_SCOPES_USUAL,
				 .credit_cents = -1,
				 .limits = STORE_LIMITS_PLAN};
	assert_int_equal(registry_add_key(store, text, &key), 0);
	book("a", DAY, 1, "one", 3, STORE_TURN_FINISHED);
	book("b", DAY + CALENDAR_DAY_MS - 1, 2, "a \"b\", c", 5, STORE_TURN_CANCELLED);
	book("c", DAY + CALENDAR_DAY_MS, 1, "one", 0, STORE_TURN_LOST);
	buf_init(&out, 4096);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	buf_reset(&out);
	store = mem_deref(store);
	return 0;
}

static const char *written(void)
{
	assert_int_equal(buf_append(&out, "", 1), 0);
	return out.bytes;
}

static const struct store_turn_filter all;

/* The figures of other kinds of usage if there is only speech. */
#define NO_OTHERS                                                                                  \
	"\"heard_seconds\":0,\"model_answers\":0,\"input_tokens\":0,\"output_tokens\":0,"          \
	"\"estimated_tokens\":0"

static void test_json_has_rows_and_their_sum(void **state)
{
	(void)state;
	assert_int_equal(report_write_json(&out, store, &all, STORE_USAGE_DAY, "eur"), 0);
	assert_string_equal(written(),
			    "{\"from\":null,\"to\":null,\"by\":[\"day\"],\"currency\":\"eur\","
			    "\"rows\":["
			    "{\"day\":\"2026-05-20\",\"turns\":2,\"audio_seconds\":0.666666,"
			    "\"characters\":20,\"cost_microcents\":8," NO_OTHERS "},"
			    "{\"day\":\"2026-05-21\",\"turns\":1,\"audio_seconds\":0.333333,"
			    "\"characters\":10,\"cost_microcents\":0," NO_OTHERS "}],"
			    "\"total\":{\"turns\":3,\"audio_seconds\":0.999999,\"characters\":30,"
			    "\"cost_microcents\":8," NO_OTHERS "}}");
}

static void test_tokens_are_reported_beside_speech(void **state)
{
	struct store_turn turn = {.id = "answer",
				  .at_ms = 1,
				  .kind = STORE_KIND_MODEL_OUTPUT,
				  .unit = STORE_UNIT_TOKENS,
				  .quantity = 12,
				  .is_estimated = true,
				  .model_id = "gpt",
				  .amount_microcents = 7};
	int err = 0;

	(void)state;
	assert_int_equal(store->ops->turns_add(store, &turn, 1, &err), 0);
	assert_int_equal(report_write_json(&out, store, &all, STORE_USAGE_KIND, NULL), 0);
	assert_non_null(strstr(written(), "\"by\":[\"kind\"],\"currency\":null,"));
	assert_non_null(strstr(written(), "{\"kind\":\"speech\",\"turns\":3,"));
	assert_non_null(strstr(written(), "{\"kind\":\"model_output\",\"turns\":0,"));
	assert_non_null(strstr(written(), "\"model_answers\":1,\"input_tokens\":0,"
					  "\"output_tokens\":12,\"estimated_tokens\":12}}"));
	buf_reset(&out);
	buf_init(&out, 65536);
	assert_int_equal(report_write_turns(&out, store, &all, NULL, 10), 0);
	assert_non_null(strstr(written(), "\"kind\":\"model_output\",\"quantity\":12,"
					  "\"unit\":\"tokens\",\"estimated\":true,"
					  "\"heard_seconds\":0}"));
}

static void test_audio_that_was_heard_is_reported_beside_speech(void **state)
{
	struct store_turn turn = {.id = "heard",
				  .at_ms = 1,
				  .kind = STORE_KIND_HEARING,
				  .unit = STORE_UNIT_SAMPLES,
				  .quantity = 40000,
				  .sample_rate = 16000,
				  .model_id = "tiny",
				  .amount_microcents = 25000};
	int err = 0;

	(void)state;
	assert_int_equal(store->ops->turns_add(store, &turn, 1, &err), 0);
	assert_int_equal(report_write_json(&out, store, &all, STORE_USAGE_KIND, NULL), 0);
	assert_non_null(strstr(written(), "{\"kind\":\"hearing\",\"turns\":0,"
					  "\"audio_seconds\":0,\"characters\":0,"
					  "\"cost_microcents\":25000,"
					  "\"heard_seconds\":2.5,"));
	buf_reset(&out);
	buf_init(&out, 65536);
	assert_int_equal(report_write_turns(&out, store, &all, NULL, 10), 0);
	assert_non_null(strstr(written(), "\"audio_seconds\":0,\"characters\":0,"
					  "\"cost_microcents\":25000,"));
	assert_non_null(strstr(written(), "\"kind\":\"hearing\",\"quantity\":40000,"
					  "\"unit\":\"samples\",\"estimated\":false,"
					  "\"heard_seconds\":2.5}"));
}

static void test_csv_quotes_what_needs_it(void **state)
{
	char expected[512];

	(void)state;
	assert_int_equal(report_write_csv(&out, store, &all, STORE_USAGE_KEY | STORE_USAGE_MODEL),
			 0);
	snprintf(expected, sizeof(expected),
		 "key,model_id,turns,audio_seconds,characters,cost_microcents,heard_seconds,"
		 "model_answers,input_tokens,output_tokens,estimated_tokens\r\n"
		 "%s,\"a \"\"b\"\", c\",1,0.333333,10,5,0.000000,0,0,0,0\r\n"
		 "%s,\"one\",2,0.666666,20,3,0.000000,0,0,0,0\r\n",
		 key.prefix, key.prefix);
	assert_string_equal(written(), expected);
}

static void test_a_report_that_does_not_fit_is_refused_entirely(void **state)
{
	(void)state;
	for (size_t max = 1; max < 120; ++max) {
		buf_reset(&out);
		buf_init(&out, max);
		assert_int_equal(report_write_json(&out, store, &all, STORE_USAGE_DAY, "eur"),
				 ENOBUFS);
		assert_int_equal(out.len, 0);
		assert_int_equal(report_write_turns(&out, store, &all, NULL, 10), ENOBUFS);
		assert_int_equal(out.len, 0);
	}
	for (size_t max = 1; max < 90; ++max) {
		buf_reset(&out);
		buf_init(&out, max);
		assert_int_equal(report_write_csv(&out, store, &all, STORE_USAGE_DAY), ENOBUFS);
	}
}

static void test_turns_are_listed_in_pages(void **state)
{
	(void)state;
	assert_int_equal(report_write_turns(&out, store, &all, NULL, 2), 0);
	assert_non_null(strstr(written(), "\"turn_id\":\"a\",\"at\":\"2026-05-20T00:00:00.000"
					  "+00:00\",\"status\":\"finished\","
					  "\"audio_seconds\":0.333333333,"));
	assert_non_null(strstr(out.bytes, "],\"next\":\"t2\"}"));
	out.len = 0;
	assert_int_equal(report_write_turns(&out, store, &all, "t2", 2), 0);
	assert_non_null(strstr(written(), "{\"turns\":[{\"turn_id\":\"c\","));
	assert_non_null(strstr(out.bytes, "\"status\":\"lost\""));
	assert_non_null(strstr(out.bytes, "],\"next\":null}"));
	out.len = 0;
	assert_int_equal(report_write_turns(&out, store, &all, "t3", 2), 0);
	assert_string_equal(written(), "{\"turns\":[],\"next\":null}");
}

static void test_an_invalid_cursor_is_refused(void **state)
{
	static const char *const bad[] = {"",    "t",  "3",   "tx",
					  "t3 ", "T3", "t-1", "t1234567890123456"};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); ++i)
		assert_int_equal(report_write_turns(&out, store, &all, bad[i], 2), EINVAL);
	assert_int_equal(out.len, 0);
}

static void test_groupings_are_parsed_by_name(void **state)
{
	static const char *const bad[] = {"", "week", "day,", ",day", "day,,key", "Day", "days"};
	const char *where;
	unsigned by = 7;

	(void)state;
	for (size_t i = 0; i < COUNT(bad); ++i)
		assert_int_equal(report_parse_by(&by, bad[i], &where), EINVAL);
	assert_int_equal(by, 7);
	assert_int_equal(report_parse_by(&by, "model,day,day", &where), 0);
	assert_int_equal(by, STORE_USAGE_MODEL | STORE_USAGE_DAY);
}

static void test_an_account_has_a_project_and_is_found_by_number_and_name(void **state)
{
	struct store_account made = {.name = "7th Heaven", .limits = STORE_LIMITS_PLAN};
	struct store_account found;
	struct store_project project;
	char number[24];

	(void)state;
	assert_int_equal(registry_add_account(store, &made), 0);
	assert_int_equal(registry_find_project(store, &project, made.id, 0), 0);
	assert_string_equal(project.name, REGISTRY_FIRST_PROJECT);
	assert_int_equal(registry_find_account(store, &found, "7th Heaven"), 0);
	assert_int_equal(found.id, made.id);
	snprintf(number, sizeof(number), "%lld", (long long)made.id);
	assert_int_equal(registry_find_account(store, &found, number), 0);
	assert_string_equal(found.name, "7th Heaven");
	assert_int_equal(registry_find_account(store, &found, "7"), ENOENT);
	assert_int_equal(registry_find_account(store, &found, "99999999999999999999"), ENOENT);
	assert_int_equal(registry_find_project(store, &project, STORE_ACCOUNT_DEFAULT, project.id),
			 ENOENT);
	assert_int_equal(registry_find_project(store, &project, 0, project.id), 0);
}

static void test_an_account_that_was_left_without_a_project_gets_one(void **state)
{
	struct store_account half = {.name = "half", .limits = STORE_LIMITS_PLAN};
	struct store_project first, again;

	(void)state;
	assert_int_equal(store->ops->account_add(store, &half), 0);
	assert_int_equal(registry_find_project(store, &first, half.id, 1), ENOENT);
	assert_int_equal(registry_find_project(store, &first, half.id, 0), 0);
	assert_string_equal(first.name, REGISTRY_FIRST_PROJECT);
	assert_int_equal(registry_find_project(store, &again, half.id, 0), 0);
	assert_int_equal(again.id, first.id);
	assert_int_equal(registry_find_project(store, &again, half.id + 1, 0), ENOENT);
}

static void test_a_top_up_that_differs_from_the_one_with_its_id_is_refused(void **state)
{
	struct store_top_up first = {.id = "x",
				     .account_id = STORE_ACCOUNT_DEFAULT,
				     .at_ms = DAY,
				     .amount_microcents = 5};
	struct store_account other = {.name = "other", .limits = STORE_LIMITS_PLAN};
	struct store_top_up second = first;

	(void)state;
	assert_int_equal(registry_add_account(store, &other), 0);
	assert_int_equal(registry_top_up(store, &first), 0);
	assert_int_equal(first.at_ms, DAY);
	second.at_ms = 2 * DAY;
	assert_int_equal(registry_top_up(store, &second), 0);
	assert_int_equal(second.at_ms, DAY); /* the row that counts */
	second.amount_microcents = 6;
	assert_int_equal(registry_top_up(store, &second), EEXIST);
	second = first;
	second.account_id = other.id;
	assert_int_equal(registry_top_up(store, &second), EEXIST);
	assert_int_equal(store->ops->account_get(store, &other, STORE_ACCOUNT_DEFAULT), 0);
	assert_int_equal(other.credit_microcents, 5);
}

static void test_a_master_key_is_an_admin_of_the_default_account(void **state)
{
	struct store_key other = {.scopes = STORE_SCOPE_ADMIN, .account_id = STORE_ACCOUNT_DEFAULT};

	(void)state;
	assert_true(registry_is_master(&other));
	other.account_id = 2;
	assert_false(registry_is_master(&other));
	other = (struct store_key){.scopes = STORE_SCOPES_USUAL,
				   .account_id = STORE_ACCOUNT_DEFAULT};
	assert_false(registry_is_master(&other));
}

#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_STORE(test_json_has_rows_and_their_sum),
		WITH_STORE(test_csv_quotes_what_needs_it),
		WITH_STORE(test_tokens_are_reported_beside_speech),
		WITH_STORE(test_audio_that_was_heard_is_reported_beside_speech),
		WITH_STORE(test_a_report_that_does_not_fit_is_refused_entirely),
		WITH_STORE(test_turns_are_listed_in_pages),
		WITH_STORE(test_an_invalid_cursor_is_refused),
		WITH_STORE(test_groupings_are_parsed_by_name),
		WITH_STORE(test_an_account_has_a_project_and_is_found_by_number_and_name),
		WITH_STORE(test_an_account_that_was_left_without_a_project_gets_one),
		WITH_STORE(test_a_top_up_that_differs_from_the_one_with_its_id_is_refused),
		WITH_STORE(test_a_master_key_is_an_admin_of_the_default_account),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
