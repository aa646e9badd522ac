/* How an agent asks: what cannot be is refused with a reason, keys stay with the
 * server they are for. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/mem.h"
#include "llm/llm_private.h"

static struct llm_agent *make(const struct llm_options *options)
{
	struct llm_agent *agent = NULL;
	char why[256];

	if (llm_agent_alloc(&agent, options, why, sizeof(why)) != 0)
		fail_msg("%s", why);
	return agent;
}

static void what_is_not_set_has_a_default(void **state)
{
	const struct llm_options options = {.model = "m", .retries = -1, .temperature = -1};
	struct llm_agent *agent = make(&options);

	(void)state;
	assert_string_equal(agent->targets[0].url_text, "https://api.openai.com/v1");
	assert_int_equal(agent->first_token_ms, 3000);
	assert_int_equal(agent->begin_ms, 3500);
	assert_int_equal(agent->retries, 1);
	assert_int_equal(agent->history_max, LLM_HISTORY_MAX);
	assert_string_equal(agent->sentence, LLM_SORRY);
	assert_string_equal(llm_agent_sentence(agent), LLM_SORRY);
	assert_int_equal(agent->target_count, 1);
	assert_null(strstr(agent->targets[0].headers, "Authorization"));
	mem_deref(agent);
	assert_int_equal(mem_live(), 0);
}

static void what_cannot_be_is_refused(void **state)
{
	static const struct {
		struct llm_options options;
		const char *why;
	} rows[] = {
		{{.model = NULL}, "llm_model: it must be set"},
		{{.model = "m", .url = "localhost"}, "llm_url: it is not an http or https URL"},
		{{.model = "m", .url = "http://a:b@host/"}, "llm_url: "},
		{{.model = "m", .key = "a\r\nX: y"},
		 "llm_key: it has characters that a key cannot have"},
		{{.model = "m", .headers = "nonsense"}, "llm_headers: a line is not of the form"},
		{{.model = "m", .headers = "A: b\n: c"}, "llm_headers: a line is not of the form"},
		{{.model = "m", .headers = "A: b\x01"}, "llm_headers: a line is not of the form"},
		{{.model = "m", .headers = "content-length: 3"},
		 "llm_headers: it contains a header that Syrinx sets"},
		{{.model = "m", .body = "[]"}, "llm_body: it is not an object"},
		{{.model = "m", .body = "{\"stream\":false}"}, "llm_body: "},
		{{.model = "m", .fallback_url = "http://b"},
		 "fallback_model: it must be set if fallback_url is"},
		{{.model = "m", .fallback_url = "b", .fallback_model = "n"}, "fallback_url: "},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct llm_agent *agent = NULL;
		char why[256];

		assert_int_equal(llm_agent_alloc(&agent, &rows[i].options, why, sizeof(why)),
				 EINVAL);
		if (strstr(why, rows[i].why) != why)
			fail_msg("%zu: %s", i, why);
		assert_null(agent);
		assert_int_equal(mem_live(), 0);
	}
}

static void headers_have_a_most(void **state)
{
	char lines[9000] = "X: ";
	struct llm_options options = {.model = "m", .headers = lines};
	struct llm_agent *agent = NULL;
	char why[256];

	(void)state;
	memset(lines + 3, 'x', 8000);
	mem_deref(make(&options));
	memset(lines + 3, 'x', 8192);
	assert_int_equal(llm_agent_alloc(&agent, &options, why, sizeof(why)), EINVAL);
	assert_string_equal(why, "llm_headers: they are too long");
}

static void echo_needs_nothing(void **state)
{
	const struct llm_options options = {.dialect = LLM_ECHO};

	(void)state;
	mem_deref(make(&options));
	assert_int_equal(mem_live(), 0);
}

static void a_key_stays_with_its_server(void **state)
{
	static const struct {
		const char *fallback_url, *fallback_key, *key;
	} rows[] = {
		{NULL, NULL, "secret"},
		{"http://here/v2", NULL, "secret"},
		{"http://here:81/v1", NULL, NULL},
		{"https://here/v1", NULL, NULL},
		{"http://there/v1", NULL, NULL},
		{"http://there/v1", "other", "other"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		const struct llm_options options = {.model = "m",
						    .url = "http://here/v1",
						    .key = "secret",
						    .fallback_model = "n",
						    .fallback_url = rows[i].fallback_url,
						    .fallback_key = rows[i].fallback_key};
		struct llm_agent *agent = make(&options);
		const char *headers = agent->targets[1].headers;

		assert_non_null(strstr(agent->targets[0].headers, "Bearer secret\r\n"));
		if (rows[i].key)
			assert_non_null(strstr(headers, rows[i].key));
		else
			assert_null(strstr(headers, "Bearer"));
		mem_deref(agent);
	}
}

static void an_address_may_be_the_whole_one(void **state)
{
	struct llm_options options = {.model = "m", .url = "http://h/v1?version=1"};
	struct llm_agent *agent = make(&options);

	(void)state;
	assert_string_equal(agent->targets[0].path, "/chat/completions");
	mem_deref(agent);
	options.url = "http://h/v1/chat/completions?version=1";
	agent = make(&options);
	assert_null(agent->targets[0].path);
	mem_deref(agent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_set_has_a_default),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(headers_have_a_most),
		cmocka_unit_test(echo_needs_nothing),
		cmocka_unit_test(a_key_stays_with_its_server),
		cmocka_unit_test(an_address_may_be_the_whole_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
