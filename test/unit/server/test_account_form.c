/* Request bodies about accounts are read completely, or refused with the reason. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "account/registry.h"
#include "account/single_use_token.h"
#include "base/count.h"
#include "server/account_form.h"

static char *bytes;
static size_t bytes_len;
static struct stream_fault fault;

static void body(const char *json)
{
	free(bytes);
	bytes_len = strlen(json);
	bytes = malloc(bytes_len ? bytes_len : 1); /* exact, so that sanitizers find overruns */
	assert_non_null(bytes);
	memcpy(bytes, json, bytes_len);
	fault = (struct stream_fault){0};
}

static void test_an_account_has_a_name_and_what_it_may_use(void **state)
{
	struct account_form form = {.row = {.limits = STORE_LIMITS_PLAN}};

	(void)state;
	body("{\"name\":\"Örtel\"}");
	assert_int_equal(account_form_read(&form, &fault, bytes, bytes_len, true), 0);
	assert_int_equal(form.body.fields, STORE_ACCOUNT_NAME);
	assert_string_equal(form.row.name, "Örtel");
	assert_string_equal(form.row.plan, "");
	assert_false(form.row.is_prepaid);
	assert_int_equal(form.row.limits.text_max, STORE_LIMIT_PLAN);
}

static void test_a_change_keeps_what_the_body_does_not_name(void **state)
{
	struct account_form form = {.row = {.name = "old",
					    .plan = "large",
					    .closed_ms = 7,
					    .limits = {1, 2, 0, 4, 5, 6}}};

	(void)state;
	body("{\"plan\":null,\"prepaid\":true,\"closed\":true,"
	     "\"limits\":{\"turns\":3,\"connections\":-1,\"text_max\":null}}");
	assert_int_equal(account_form_read(&form, &fault, bytes, bytes_len, false), 0);
	assert_int_equal(form.body.fields & ACCOUNT_FORM_ROW,
			 STORE_ACCOUNT_PLAN | STORE_ACCOUNT_PREPAID | STORE_ACCOUNT_CLOSED |
				 STORE_ACCOUNT_LIMITS);
	assert_string_equal(form.row.name, "old");
	assert_string_equal(form.row.plan, "");
	assert_true(form.row.is_prepaid);
	assert_int_equal(form.row.closed_ms, 7); /* the time of the first closing stays */
	assert_int_equal(form.row.limits.turns, 3);
	assert_int_equal(form.row.limits.connections, STORE_LIMIT_NONE);
	assert_int_equal(form.row.limits.requests_per_minute, 0); /* not in the body: unchanged */
	assert_int_equal(form.row.limits.characters_per_minute, 4);
	assert_int_equal(form.row.limits.text_max, STORE_LIMIT_PLAN);
	form = (struct account_form){.row = {.closed_ms = 7}};
	body("{\"closed\":false}");
	assert_int_equal(account_form_read(&form, &fault, bytes, bytes_len, false), 0);
	assert_int_equal(form.row.closed_ms, 0);
}

static void test_a_key_has_scopes_an_end_and_limits(void **state)
{
	struct key_form form = {.row = {.credit_cents = -1}};

	(void)state;
	body("{}");
	assert_int_equal(account_form_read_key(&form, &fault, bytes, bytes_len, true), 0);
	assert_int_equal(form.row.credit_cents, -1);
	form = (struct key_form){.row = {.credit_cents = -1}};
	body("{\"scopes\":[\"speak\",\"read\"],\"expires_in\":60,\"credit_cents\":250,"
	     "\"project_id\":7,\"limits\":{\"characters_per_minute\":1000000000}}");
	assert_int_equal(account_form_read_key(&form, &fault, bytes, bytes_len, true), 0);
	assert_int_equal(form.row.scopes, STORE_SCOPE_SPEAK | STORE_SCOPE_READ);
	assert_true(form.row.expires_ms > 0);
	assert_true(form.body.fields & STORE_KEY_EXPIRES);
	assert_int_equal(form.row.credit_cents, 250);
	assert_int_equal(form.row.project_id, 7);
	assert_int_equal(form.row.limits.characters_per_minute, REGISTRY_LIMIT_MAX);
	form = (struct key_form){.row = {.credit_cents = 250, .expires_ms = 7}};
	body("{\"expires_at\":null,\"credit_cents\":null}");
	assert_int_equal(account_form_read_key(&form, &fault, bytes, bytes_len, false), 0);
	assert_int_equal(form.body.fields, STORE_KEY_EXPIRES | STORE_KEY_CREDIT);
	assert_int_equal(form.row.expires_ms, 0);
	assert_int_equal(form.row.credit_cents, -1);
}

static void test_a_top_up_is_exact_to_the_micro_cent(void **state)
{
	struct top_up_form form = {0};

	(void)state;
	body("{\"id\":\"invoice-7\",\"amount_microcents\":9007199254740991,\"note\":\"May\"}");
	assert_int_equal(account_form_read_top_up(&form, &fault, bytes, bytes_len), 0);
	assert_true(form.row.amount_microcents == INT64_C(9007199254740991));
	assert_string_equal(form.row.id, "invoice-7");
	assert_string_equal(form.row.note, "May");
	form = (struct top_up_form){0};
	body("{\"id\":\"back\",\"amount_microcents\":-1}");
	assert_int_equal(account_form_read_top_up(&form, &fault, bytes, bytes_len), 0);
	assert_int_equal(form.row.amount_microcents, -1);
}

static void test_a_token_lives_as_long_as_its_body_says(void **state)
{
	struct token_form form = {.expires_in = SINGLE_USE_TOKEN_SECONDS};

	(void)state;
	body("{\"path\":\"/ws/tts\"}");
	assert_int_equal(account_form_read_token(&form, &fault, bytes, bytes_len), 0);
	assert_int_equal(form.expires_in, 60);
	assert_string_equal(form.row.path, "/ws/tts");
	form = (struct token_form){0};
	body("{\"path\":\"/ws/tts\",\"expires_in\":3600}");
	assert_int_equal(account_form_read_token(&form, &fault, bytes, bytes_len), 0);
	assert_int_equal(form.expires_in, 3600);
}

enum kind { ACCOUNT, PROJECT, KEY, KEY_CHANGE, TOP_UP, TOKEN };

static int parse(enum kind kind, const char *json)
{
	union {
		struct account_form account;
		struct project_form project;
		struct key_form key;
		struct top_up_form top_up;
		struct token_form token;
	} m;

	memset(&m, 0, sizeof(m));
	body(json);
	switch (kind) {
	case ACCOUNT:
		return account_form_read(&m.account, &fault, bytes, bytes_len, true);
	case PROJECT:
		return account_form_read_project(&m.project, &fault, bytes, bytes_len);
	case KEY:
	case KEY_CHANGE:
		return account_form_read_key(&m.key, &fault, bytes, bytes_len, kind == KEY);
	case TOP_UP:
		return account_form_read_top_up(&m.top_up, &fault, bytes, bytes_len);
	case TOKEN:
		break;
	}
	return account_form_read_token(&m.token, &fault, bytes, bytes_len);
}

#define THIRTY_THREE "äääääääääääääääääääääääääääääääää"

static const struct {
	enum kind kind;
	const char *json, *detail;
} bad[] = {
	{ACCOUNT, "{}", "name is required"},
	{ACCOUNT, "{\"name\":\"\"}", "name must have 1 to 64 characters (got 0)"},
	{ACCOUNT, "{\"name\":\"" THIRTY_THREE "\"}", "name must have at most 64 bytes (got 66)"},
	{ACCOUNT, "{\"name\":\"a\\nb\"}", "name must have no control characters"},
	{ACCOUNT, "{\"name\":\"a\",\"plan\":\"\\t\"}", "plan must have no control characters"},
	{ACCOUNT, "{\"name\":\"a\",\"balance\":1}", "a key must be a known one (got \"balance\")"},
	{ACCOUNT, "{\"name\":\"a\",\"limits\":{\"turns\":0}}",
	 "limits: turns must be at least 1, -1 for no limit, or null"},
	{ACCOUNT, "{\"name\":\"a\",\"limits\":{\"text_max\":0}}",
	 "limits: text_max must be at least 1, -1 for no limit, or null"},
	{ACCOUNT, "{\"name\":\"a\",\"limits\":{\"turns\":1000000001}}",
	 "limits: turns must be a whole number from -1 to 1000000000, or null (got 1000000001)"},
	{PROJECT, "{\"account_id\":1}", "name is required"},
	{PROJECT, "{\"name\":\"a\",\"account_id\":0}",
	 "account_id must be a whole number from 1 to 9223372036854775807 (got 0)"},
	{KEY, "{\"expires_in\":1,\"expires_at\":null}",
	 "expires_at and expires_in cannot both be given"},
	{KEY, "{\"scopes\":[\"fly\"]}",
	 "scopes must be some of speak, read, dictionaries, voices, admin (got \"fly\")"},
	{KEY, "{\"expires_at\":\"2001-01-01T00:00:00Z\"}",
	 "expires_at must be a moment to come, like 2027-01-01T00:00:00Z, or null"},
	{KEY, "{\"expires_in\":0}",
	 "expires_in must be a whole number from 1 to 316224000 (got 0)"},
	{KEY, "{\"credit_cents\":0.5}",
	 "credit_cents must be a whole number from 0 to 9007199254, or null (got 0.5)"},
	{KEY_CHANGE, "{\"project_id\":2}", "a key must be a known one (got \"project_id\")"},
	{TOP_UP, "{\"amount_microcents\":1}", "id is required"},
	{TOP_UP, "{\"id\":\"x\"}", "amount_microcents is required"},
	{TOP_UP, "{\"id\":\"x\",\"amount_microcents\":0}", "amount_microcents must not be 0"},
	{TOP_UP, "{\"id\":\"x\",\"amount_microcents\":1.5}",
	 "amount_microcents must be a whole number from -9007199254740991 to 9007199254740991 "
	 "(got 1.5)"},
	{TOP_UP, "{\"id\":\"x\",\"amount_microcents\":9007199254740992}",
	 "amount_microcents must be a whole number from -9007199254740991 to 9007199254740991 "
	 "(got 9007199254740992)"},
	{TOKEN, "{}", "path is required"},
	{TOKEN, "{\"path\":\"/ws/tts\",\"expires_in\":3601}",
	 "expires_in must be a whole number from 1 to 3600 (got 3601)"},
};

static void test_a_refusal_says_what_is_wrong(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(bad); ++i) {
		if (parse(bad[i].kind, bad[i].json) != EINVAL)
			fail_msg("taken: %s", bad[i].json);
		assert_string_equal(fault.detail, bad[i].detail);
		assert_int_equal(fault.id, WIRE_ERROR_INVALID_REQUEST);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_account_has_a_name_and_what_it_may_use),
		cmocka_unit_test(test_a_change_keeps_what_the_body_does_not_name),
		cmocka_unit_test(test_a_key_has_scopes_an_end_and_limits),
		cmocka_unit_test(test_a_top_up_is_exact_to_the_micro_cent),
		cmocka_unit_test(test_a_token_lives_as_long_as_its_body_says),
		cmocka_unit_test(test_a_refusal_says_what_is_wrong),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(bytes);
	return failed;
}
