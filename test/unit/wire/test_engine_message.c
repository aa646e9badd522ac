/* The messages of a speech engine are parsed, and invalid ones are refused without harm. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/count.h"
#include "wire/engine_answer.h"
#include "wire/engine_message.h"
#include "wire/engine_reply.h"

struct parsed {
	struct engine_message message;
	char *json;
	const char *why;
	int err;
};

static struct parsed parse(const char *json)
{
	struct parsed parsed = {.json = strdup(json)};

	assert_non_null(parsed.json);
	parsed.err = engine_message_parse(&parsed.message, &parsed.why, parsed.json, strlen(json));
	return parsed;
}

static void end(struct parsed *parsed)
{
	engine_message_reset(&parsed->message);
	free(parsed->json);
}

static void assert_turn(const struct llm_turn *turn, enum llm_role role, const char *text)
{
	assert_int_equal(turn->role, role);
	assert_int_equal(turn->len, strlen(text));
	assert_memory_equal(turn->text, text, turn->len);
}

static void test_each_type_is_known(void **state)
{
	static const struct {
		const char *json;
		enum engine_message_kind kind;
	} cases[] = {
		{"{\"type\":\"init\",\"conversation_id\":\"conv_abc123\"}", ENGINE_INIT},
		{"{\"type\":\"init\"}", ENGINE_INIT},
		{"{\"type\":\"init\",\"conversation_id\":7}", ENGINE_INIT},
		{"{\"type\":\"ping\"}", ENGINE_PING},
		{"{\"type\":\"close\"}", ENGINE_CLOSE},
		{"{\"type\":\"error\",\"message\":\"no\"}", ENGINE_ERROR},
		{"{\"type\":\"user_transcript\",\"user_transcript\":[]}", ENGINE_TRANSCRIPT},
		{"{\"type\":\"ping\",\"user_transcript\":7,\"event_id\":{}}", ENGINE_PING},
		{"{\"type\":\"later\",\"x\":[{\"y\":1}]}", ENGINE_OTHER},
		{"{\"type\":7}", ENGINE_OTHER},
		{"{}", ENGINE_OTHER},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		struct parsed parsed = parse(cases[i].json);

		assert_int_equal(parsed.err, 0);
		assert_int_equal(parsed.message.kind, cases[i].kind);
		end(&parsed);
	}
}

static void test_a_history_keeps_its_order_and_its_words(void **state)
{
	struct parsed parsed = parse(
		"{\"type\":\"user_transcript\",\"user_transcript\":["
		"{\"role\":\"agent\",\"content\":\"Hi there.\"},{\"content\":\"h\\u00e9llo\","
		"\"role\":\"user\",\"at\":[1]},{\"role\":\"assistant\",\"content\":\"\"},"
		"{\"role\":\"tool\",\"content\":\"x\"},{\"role\":\"user\",\"content\":null},7,"
		"{\"role\":\"user\",\"content\":\"你好\"}],\"event_id\":12}");

	(void)state;
	assert_int_equal(parsed.err, 0);
	assert_int_equal(parsed.message.turns_len, 4);
	assert_turn(&parsed.message.turns[0], LLM_AGENT, "Hi there.");
	assert_turn(&parsed.message.turns[1], LLM_USER, "héllo");
	assert_turn(&parsed.message.turns[2], LLM_AGENT, "");
	assert_turn(&parsed.message.turns[3], LLM_USER, "你好");
	assert_true(parsed.message.event.is_number);
	assert_int_equal(parsed.message.event.number, 12);
	end(&parsed);
}

static void test_an_event_is_echoed_as_it_came(void **state)
{
	static const struct {
		const char *value;
		const char *echo;
		bool is_number;
		int64_t number;
	} cases[] = {{"0", "0", true, 0},
		     {"-3", "-3", true, -3},
		     {"1e3", "1e3", true, 1000},
		     {"9007199254740993", "9007199254740993", true, INT64_C(9007199254740993)},
		     {"1.5", "1.5", false, 0},
		     {"1e999", "1e999", false, 0},
		     {"\"str\"", "\"str\"", false, 0},
		     {"\"7\"", "\"7\"", false, 0},
		     {"\"a\\\"b\\u00fc\\n\"", "\"a\\\"bü\\n\"", false, 0},
		     {"null", "", false, 0},
		     {"true", "", false, 0},
		     {"{\"a\":[]}", "", false, 0}};
	char json[256];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		struct parsed parsed;

		snprintf(json, sizeof(json),
			 "{\"event_id\":%s,\"user_transcript\":[],\"type\":\"user_transcript\"}",
			 cases[i].value);
		parsed = parse(json);
		assert_int_equal(parsed.err, 0);
		assert_string_equal(parsed.message.event.text, cases[i].echo);
		assert_int_equal(parsed.message.event.is_number, cases[i].is_number);
		if (cases[i].is_number)
			assert_int_equal(parsed.message.event.number, cases[i].number);
		end(&parsed);
	}
}

static void test_an_event_has_a_longest_length(void **state)
{
	char json[512];

	(void)state;
	for (size_t len = 0; len < 2 * ENGINE_EVENT_MAX; ++len) {
		char id[2 * ENGINE_EVENT_MAX];
		struct parsed parsed;

		memset(id, 'x', len);
		id[len] = '\0';
		snprintf(
			json, sizeof(json),
			"{\"type\":\"user_transcript\",\"user_transcript\":[],\"event_id\":\"%s\"}",
			id);
		parsed = parse(json);
		/* The quotes and the NUL need space too. */
		assert_int_equal(parsed.err, len + 3 <= ENGINE_EVENT_MAX ? 0 : EINVAL);
		end(&parsed);
	}
}

static void test_what_cannot_be_understood_says_why(void **state)
{
	static const char *const bad[] = {
		"",
		"{",
		"[]",
		"7",
		"\"ping\"",
		"{\"type\":\"ping\"} x",
		"{\"type\":\"ping\"",
		"{\"type\":\"user_transcript\"}",
		"{\"type\":\"user_transcript\",\"user_transcript\":\"hello\"}",
		"{\"type\":\"user_transcript\",\"user_transcript\":null}",
		"{\"type\":\"user_transcript\",\"user_transcript\":{\"role\":\"user\"}}",
		"{\"type\":\"user_transcript\",\"user_transcript\":[{\"role\":\"user\"]}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); ++i) {
		struct parsed parsed = parse(bad[i]);

		assert_int_equal(parsed.err, EINVAL);
		assert_non_null(parsed.why);
		end(&parsed);
	}
}

static uint64_t print_of(const char *history)
{
	char json[512];
	struct parsed parsed;
	uint64_t print;

	snprintf(json, sizeof(json), "{\"type\":\"user_transcript\",\"user_transcript\":%s}",
		 history);
	parsed = parse(json);
	assert_int_equal(parsed.err, 0);
	print = parsed.message.print;
	end(&parsed);
	return print;
}

static void test_only_the_same_history_has_the_same_print(void **state)
{
	static const char *const others[] = {
		"[]",
		"[{\"role\":\"user\",\"content\":\"\"}]",
		"[{\"role\":\"agent\",\"content\":\"\"}]",
		"[{\"role\":\"user\",\"content\":\"ab\"}]",
		"[{\"role\":\"agent\",\"content\":\"ab\"}]",
		"[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"user\",\"content\":\"b\"}]",
		"[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"agent\",\"content\":\"b\"}]",
		"[{\"role\":\"user\",\"content\":\"ab\"},{\"role\":\"user\",\"content\":\"\"}]",
		"[{\"role\":\"user\",\"content\":\"b\"},{\"role\":\"user\",\"content\":\"a\"}]",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(others); ++i) {
		for (size_t j = 0; j < COUNT(others); ++j)
			assert_int_equal(print_of(others[i]) == print_of(others[j]), i == j);
	}
	assert_int_equal(print_of("[{\"role\":\"user\",\"content\":\"\\u0061b\"}]"),
			 print_of("[ {\"content\":\"ab\", \"x\":1, \"role\":\"user\"} ]"));
}

/* Of more than a megabyte in many turns, the newest are kept, in their order. */
static void test_of_a_very_long_history_the_newest_count(void **state)
{
	const size_t count = ENGINE_TURNS_MAX + 1000;
	struct engine_message message;
	const char *why;
	struct buf json;

	(void)state;
	buf_init(&json, 8 * 1024 * 1024);
	assert_int_equal(
		buf_append_str(&json, "{\"type\":\"user_transcript\",\"user_transcript\":["), 0);
	for (size_t i = 0; i < count; ++i)
		assert_int_equal(buf_printf(&json, "%s{\"role\":\"user\",\"content\":\"%0200zu\"}",
					    i ? "," : "", i),
				 0);
	assert_int_equal(buf_append_str(&json, "],\"event_id\":1}"), 0);
	assert_true(json.len > 1024 * 1024);
	assert_int_equal(engine_message_parse(&message, &why, json.bytes, json.len), 0);
	assert_int_equal(message.turns_len, ENGINE_TURNS_MAX);
	for (size_t i = 0; i < message.turns_len; ++i)
		assert_int_equal(strtoul(message.turns[i].text, NULL, 10),
				 count - ENGINE_TURNS_MAX + i);
	engine_message_reset(&message);
	buf_reset(&json);
}

static void test_replies_are_written_as_the_vendors_library_does(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 4096);
	assert_int_equal(engine_reply_words(&out, "1", "“ü”\n", strlen("“ü”\n")), 0);
	assert_int_equal(engine_reply_final(&out, "\"x\""), 0);
	assert_int_equal(engine_reply_final(&out, ""), 0);
	assert_int_equal(engine_reply_pong(&out), 0);
	assert_int_equal(buf_append(&out, "", 1), 0);
	assert_string_equal(
		out.bytes,
		"{\"type\":\"agent_response\",\"content\":\"“ü”\\n\",\"event_id\":1,\"is_final\":false}"
		"{\"type\":\"agent_response\",\"content\":\"\",\"event_id\":\"x\",\"is_final\":true}"
		"{\"type\":\"agent_response\",\"content\":\"\",\"is_final\":true}"
		"{\"type\":\"pong\"}");
	buf_reset(&out);
}

static void test_what_our_engine_says_is_understood(void **state)
{
	static const struct llm_turn turns[] = {{LLM_AGENT, "Hi \"you\"", 8}, {LLM_USER, "ü", 2}};
	struct engine_message message;
	const char *why;
	struct buf out;

	(void)state;
	buf_init(&out, 4096);
	assert_int_equal(engine_say_transcript(&out, turns, COUNT(turns), 7), 0);
	assert_int_equal(engine_message_parse(&message, &why, out.bytes, out.len), 0);
	assert_int_equal(message.kind, ENGINE_TRANSCRIPT);
	assert_int_equal(message.turns_len, 2);
	assert_turn(&message.turns[0], LLM_AGENT, "Hi \"you\"");
	assert_turn(&message.turns[1], LLM_USER, "ü");
	assert_int_equal(message.event.number, 7);
	engine_message_reset(&message);
	out.len = 0;
	assert_int_equal(engine_say_init(&out, "conv_1"), 0);
	assert_int_equal(engine_message_parse(&message, &why, out.bytes, out.len), 0);
	assert_int_equal(message.kind, ENGINE_INIT);
	assert_memory_equal(message.conversation_id, "conv_1", message.conversation_id_len);
	out.len = 0;
	assert_int_equal(engine_say_ping(&out), 0);
	assert_int_equal(engine_message_parse(&message, &why, out.bytes, out.len), 0);
	assert_int_equal(message.kind, ENGINE_PING);
	out.len = 0;
	assert_int_equal(engine_say_close(&out), 0);
	assert_int_equal(engine_message_parse(&message, &why, out.bytes, out.len), 0);
	assert_int_equal(message.kind, ENGINE_CLOSE);
	buf_reset(&out);
}

static struct engine_answer answer_of(char *json, size_t size, const char *text, int err)
{
	struct engine_answer answer;

	snprintf(json, size, "%s", text);
	assert_int_equal(engine_answer_parse(&answer, json, strlen(json)), err);
	return answer;
}

static void test_what_an_engine_is_told_is_read(void **state)
{
	static const char *const bad[] = {"", "[]", "{", "{\"type\":\"pong\"} {}"};
	struct engine_answer answer;
	char json[256];
	struct buf out;

	(void)state;
	buf_init(&out, sizeof(json) - 1);
	assert_int_equal(engine_reply_words(&out, "7", "a \"b\"", 5), 0);
	assert_int_equal(buf_append(&out, "", 1), 0);
	answer = answer_of(json, sizeof(json), out.bytes, 0);
	buf_reset(&out);
	assert_int_equal(answer.kind, ENGINE_ANSWER_WORDS);
	assert_memory_equal(answer.text, "a \"b\"", 5);
	assert_int_equal(answer.len, 5);
	assert_false(answer.is_final);
	assert_int_equal(answer.event.number, 7);
	answer = answer_of(json, sizeof(json),
			   "{\"is_final\":true,\"type\":\"agent_response\",\"x\":[{}]}", 0);
	assert_true(answer.is_final && answer.kind == ENGINE_ANSWER_WORDS && answer.len == 0);
	assert_string_equal(answer.event.text, "");
	answer = answer_of(json, sizeof(json), "{\"type\":\"pong\"}", 0);
	assert_int_equal(answer.kind, ENGINE_ANSWER_PONG);
	answer = answer_of(json, sizeof(json), "{\"type\":\"error\",\"error\":\"no\"}", 0);
	assert_int_equal(answer.kind, ENGINE_ANSWER_ERROR);
	assert_int_equal(answer.reason_len, 2);
	assert_memory_equal(answer.reason, "no", 2);
	answer = answer_of(json, sizeof(json), "{\"type\":\"error\",\"error\":{}}", 0);
	assert_int_equal(answer.reason_len, 0);
	answer = answer_of(json, sizeof(json), "{\"type\":\"tool\",\"content\":7}", 0);
	assert_int_equal(answer.kind, ENGINE_ANSWER_OTHER);
	for (size_t i = 0; i < COUNT(bad); ++i)
		answer_of(json, sizeof(json), bad[i], EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_type_is_known),
		cmocka_unit_test(test_a_history_keeps_its_order_and_its_words),
		cmocka_unit_test(test_an_event_is_echoed_as_it_came),
		cmocka_unit_test(test_an_event_has_a_longest_length),
		cmocka_unit_test(test_what_cannot_be_understood_says_why),
		cmocka_unit_test(test_only_the_same_history_has_the_same_print),
		cmocka_unit_test(test_of_a_very_long_history_the_newest_count),
		cmocka_unit_test(test_replies_are_written_as_the_vendors_library_does),
		cmocka_unit_test(test_what_our_engine_says_is_understood),
		cmocka_unit_test(test_what_an_engine_is_told_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
