/* The bodies of requests to language models are as the vendors document them, whatever the history
 * looks like. */
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
#include "wire/llm_body.h"

#define TURN(who, words)                                                                           \
	{                                                                                          \
		.role = (who), .text = (words), .len = sizeof(words) - 1                           \
	}

static void expect_body(enum llm_dialect dialect, const struct llm_request *request,
			const char *body)
{
	struct buf out;

	buf_init(&out, 4096);
	assert_int_equal(llm_body_write(&out, dialect, request), 0);
	assert_int_equal(buf_append(&out, "", 1), 0);
	assert_string_equal(out.bytes, body);
	buf_reset(&out);
}

static const struct llm_turn talk[] = {
	TURN(LLM_USER, "Hi \"you\""),
	TURN(LLM_AGENT, "Hello."),
	TURN(LLM_USER, "Bye"),
};

static void each_dialect_has_its_body(void **state)
{
	struct llm_request request = {.model = "m",
				      .prompt = "Be brief.",
				      .temperature = 0.7,
				      .max_tokens = 50,
				      .turns = talk,
				      .count = COUNT(talk)};

	(void)state;
	expect_body(LLM_OPENAI, &request,
		    "{\"model\":\"m\",\"messages\":["
		    "{\"role\":\"system\",\"content\":\"Be brief.\"},"
		    "{\"role\":\"user\",\"content\":\"Hi \\\"you\\\"\"},"
		    "{\"role\":\"assistant\",\"content\":\"Hello.\"},"
		    "{\"role\":\"user\",\"content\":\"Bye\"}],"
		    "\"temperature\":0.7,\"max_tokens\":50,\"stream\":true,"
		    "\"stream_options\":{\"include_usage\":true}}");
	expect_body(LLM_RESPONSES, &request,
		    "{\"model\":\"m\",\"instructions\":\"Be brief.\",\"input\":["
		    "{\"role\":\"user\",\"content\":\"Hi \\\"you\\\"\"},"
		    "{\"role\":\"assistant\",\"content\":\"Hello.\"},"
		    "{\"role\":\"user\",\"content\":\"Bye\"}],"
		    "\"temperature\":0.7,\"max_output_tokens\":50,\"stream\":true,"
		    "\"store\":false}");
	expect_body(LLM_ANTHROPIC, &request,
		    "{\"model\":\"m\",\"system\":\"Be brief.\",\"messages\":["
		    "{\"role\":\"user\",\"content\":\"Hi \\\"you\\\"\"},"
		    "{\"role\":\"assistant\",\"content\":\"Hello.\"},"
		    "{\"role\":\"user\",\"content\":\"Bye\"}],"
		    "\"temperature\":0.7,\"max_tokens\":50,\"stream\":true}");
}

static void what_is_not_set_is_not_said(void **state)
{
	struct llm_request request = {
		.model = "m", .temperature = -1, .turns = talk + 2, .count = 1};

	(void)state;
	expect_body(LLM_RESPONSES, &request,
		    "{\"model\":\"m\",\"input\":[{\"role\":\"user\",\"content\":\"Bye\"}],"
		    "\"stream\":true,\"store\":false}");
	request.prompt = "";
	request.temperature = 0;
	expect_body(LLM_ANTHROPIC, &request,
		    "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Bye\"}],"
		    "\"temperature\":0,\"max_tokens\":1024,\"stream\":true}");
}

static void roles_alternate_and_the_user_is_first(void **state)
{
	static const struct llm_turn turns[] = {
		TURN(LLM_USER, " "),         TURN(LLM_AGENT, "Hello."), TURN(LLM_AGENT, "Who?"),
		TURN(LLM_USER, "It's me."),  TURN(LLM_AGENT, ""),       TURN(LLM_USER, "Bob."),
		TURN(LLM_AGENT, "Hi, Bob."), TURN(LLM_USER, "\n"),      TURN(LLM_USER, "Well?"),
	};
	struct llm_request request = {
		.model = "m", .temperature = -1, .turns = turns, .count = COUNT(turns)};

	(void)state;
	expect_body(LLM_ANTHROPIC, &request,
		    "{\"model\":\"m\",\"messages\":["
		    "{\"role\":\"user\",\"content\":\"(The call begins.)\"},"
		    "{\"role\":\"assistant\",\"content\":\"Hello.\\nWho?\"},"
		    "{\"role\":\"user\",\"content\":\"It's me.\\nBob.\"},"
		    "{\"role\":\"assistant\",\"content\":\"Hi, Bob.\"},"
		    "{\"role\":\"user\",\"content\":\"Well?\"}],"
		    "\"max_tokens\":1024,\"stream\":true}");
}

static void the_operators_members_join_and_replace(void **state)
{
	struct llm_request request = {.model = "m",
				      .prompt = "p",
				      .temperature = 0.5,
				      .max_tokens = 5,
				      .turns = talk + 2,
				      .count = 1};
	struct llm_extra *extra;
	const char *why;

	(void)state;
	assert_int_equal(llm_extra_parse(&extra,
					 "{\"top_p\": 0.9, \"stream_options\": null,\n"
					 "\"temperature\":[1, {\"\\u0061\": \"\\n\"}]}",
					 &why),
			 0);
	request.extra = extra;
	expect_body(LLM_OPENAI, &request,
		    "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"p\"},"
		    "{\"role\":\"user\",\"content\":\"Bye\"}],\"max_tokens\":5,\"stream\":true,"
		    "\"top_p\": 0.9,\"temperature\":[1, {\"\\u0061\": \"\\n\"}]}");
	mem_deref(extra);
}

static void bad_members_are_refused_with_a_reason(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{"", "it is not JSON"},
		{"{", "it is not JSON"},
		{"{} x", "it is not JSON"},
		{"{\"a\":}", "it is not JSON"},
		{"[1]", "it is not an object"},
		{"{\"\":1}", "a key is empty or needs escapes"},
		{"{\"a\\\"b\":1}", "a key is empty or needs escapes"},
		{"{\"stream\":false}",
		 "\"stream\", \"messages\" and \"input\" are not to be changed"},
		{"{\"a\":1,\"messages\":[]}",
		 "\"stream\", \"messages\" and \"input\" are not to be changed"},
	};
	struct llm_extra *extra = NULL;
	char text[1024] = "{";
	const char *why;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		assert_int_equal(llm_extra_parse(&extra, rows[i].text, &why), EINVAL);
		assert_string_equal(why, rows[i].why);
	}
	for (unsigned i = 0; i < LLM_EXTRA_MAX; ++i)
		sprintf(text + strlen(text), "\"k%u\":%u,", i, i);
	text[strlen(text) - 1] = '}';
	assert_int_equal(llm_extra_parse(&extra, text, &why), 0);
	extra = mem_deref(extra);
	sprintf(text + strlen(text) - 1, ",\"more\":1}");
	assert_int_equal(llm_extra_parse(&extra, text, &why), EINVAL);
	assert_string_equal(why, "it has too many members");
	assert_null(extra);
	assert_int_equal(mem_live(), 0);
}

static void headers_carry_the_key(void **state)
{
	static const struct {
		enum llm_dialect dialect;
		const char *key, *headers, *path;
	} rows[] = {
		{LLM_OPENAI, "k", "Authorization: Bearer k\r\n", "/chat/completions"},
		{LLM_OPENAI, NULL, "", "/chat/completions"},
		{LLM_RESPONSES, "k", "Authorization: Bearer k\r\n", "/responses"},
		{LLM_ANTHROPIC, "k", "anthropic-version: 2023-06-01\r\nx-api-key: k\r\n",
		 "/messages"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct buf out;

		buf_init(&out, 256);
		assert_int_equal(llm_body_headers(&out, rows[i].dialect, rows[i].key), 0);
		assert_int_equal(buf_append(&out, "", 1), 0);
		assert_string_equal(out.bytes, rows[i].headers);
		assert_string_equal(llm_body_path(rows[i].dialect), rows[i].path);
		buf_reset(&out);
	}
}

static void the_oldest_turns_go_first(void **state)
{
	static const struct llm_turn turns[] = {TURN(LLM_USER, "12345"),
						TURN(LLM_AGENT, "\xc3\xa4\xc3\xa4\xc3\xa4"),
						TURN(LLM_USER, "123"), TURN(LLM_AGENT, "12")};
	static const struct {
		size_t max, count, first;
	} rows[] = {
		{100, 4, 0}, {13, 4, 0}, {12, 4, 1}, {8, 4, 1}, {7, 4, 2},
		{1, 4, 2},   {5, 4, 2},  {3, 3, 2},  {6, 3, 1}, {100, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i)
		assert_int_equal(llm_body_first_turn(turns, rows[i].count, rows[i].max),
				 rows[i].first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_dialect_has_its_body),
		cmocka_unit_test(what_is_not_set_is_not_said),
		cmocka_unit_test(roles_alternate_and_the_user_is_first),
		cmocka_unit_test(the_operators_members_join_and_replace),
		cmocka_unit_test(bad_members_are_refused_with_a_reason),
		cmocka_unit_test(headers_carry_the_key),
		cmocka_unit_test(the_oldest_turns_go_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
