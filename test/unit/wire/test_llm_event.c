/* Events of language models' streams: the text, the ends and the errors of each dialect are found,
 * and nothing that is not to be spoken. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "wire/llm_event.h"

enum { FINISHED = 1, CUT = 2, END = 4 };

struct row {
	enum llm_dialect dialect;
	const char *json;
	const char *text, *error; /* NULL: none */
	unsigned flags;
	uint32_t tokens_in, tokens_out;
};

static const struct row rows[] = {
	{LLM_OPENAI,
	 "{\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\","
	 "\"content\":\"\"},\"finish_reason\":null}],\"usage\":null}",
	 NULL, NULL, 0, 0, 0},
	{LLM_OPENAI, "{\"choices\":[{\"delta\":{\"content\":\"H\\u00e4 \\ud83d\\ude00\"}}]}",
	 "H\xc3\xa4 \xf0\x9f\x98\x80", NULL, 0, 0, 0},
	{LLM_OPENAI,
	 "{\"choices\":[{\"delta\":{\"content\":null,\"refusal\":\"No.\","
	 "\"reasoning_content\":\"hm\"}}]}",
	 "No.", NULL, 0, 0, 0},
	{LLM_OPENAI, "{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}", NULL, NULL,
	 FINISHED, 0, 0},
	{LLM_OPENAI, "{\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"length\"}]}",
	 "x", NULL, FINISHED | CUT, 0, 0},
	{LLM_OPENAI,
	 "{\"choices\":[],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":34,"
	 "\"prompt_tokens_details\":{\"cached_tokens\":0}}}",
	 NULL, NULL, 0, 12, 34},
	{LLM_OPENAI, "[DONE]", NULL, NULL, FINISHED | END, 0, 0},
	{LLM_OPENAI,
	 "{\"error\":{\"message\":\"overloaded\",\"type\":\"server_error\",\"code\":null}}", NULL,
	 "overloaded", 0, 0, 0},
	{LLM_OPENAI, "{\"error\":\"model not found\"}", NULL, "model not found", 0, 0, 0},
	{LLM_OPENAI, "{\"error\":{\"type\":\"server_error\"}}", NULL, "server_error", 0, 0, 0},
	{LLM_OPENAI, "{\"choices\":[{\"delta\":{\"content\":[\"a\",3]}}]}", "a", NULL, 0, 0, 0},
	{LLM_OPENAI, "{\"usage\":{\"prompt_tokens\":-1,\"completion_tokens\":5000000000}}", NULL,
	 NULL, 0, 0, 0},
	{LLM_OPENAI, "3", NULL, NULL, 0, 0, 0},

	{LLM_RESPONSES, "{\"delta\":\"Hi\",\"type\":\"response.output_text.delta\"}", "Hi", NULL, 0,
	 0, 0},
	{LLM_RESPONSES, "{\"type\":\"response.refusal.delta\",\"delta\":\"No.\"}", "No.", NULL, 0,
	 0, 0},
	{LLM_RESPONSES, "{\"type\":\"response.reasoning_summary_text.delta\",\"delta\":\"hm\"}",
	 NULL, NULL, 0, 0, 0},
	{LLM_RESPONSES, "{\"delta\":\"untold\"}", NULL, NULL, 0, 0, 0},
	{LLM_RESPONSES,
	 "{\"type\":\"response.created\",\"response\":{\"error\":null,\"usage\":null}}", NULL, NULL,
	 0, 0, 0},
	{LLM_RESPONSES,
	 "{\"type\":\"response.completed\",\"response\":{\"error\":null,"
	 "\"usage\":{\"input_tokens\":3,\"output_tokens\":4}}}",
	 NULL, NULL, FINISHED | END, 3, 4},
	{LLM_RESPONSES,
	 "{\"type\":\"response.incomplete\",\"response\":{"
	 "\"incomplete_details\":{\"reason\":\"max_output_tokens\"}}}",
	 NULL, NULL, FINISHED | END | CUT, 0, 0},
	{LLM_RESPONSES,
	 "{\"type\":\"response.failed\",\"response\":{\"error\":{"
	 "\"code\":\"server_error\",\"message\":\"gone\"}}}",
	 NULL, "gone", 0, 0, 0},
	{LLM_RESPONSES, "{\"type\":\"response.failed\"}", NULL, "no reason was given", 0, 0, 0},
	{LLM_RESPONSES, "{\"type\":\"error\",\"message\":\"late\",\"code\":\"x\"}", NULL, "late", 0,
	 0, 0},
	{LLM_RESPONSES, "{\"error\":{\"message\":\"bad key\"}}", NULL, "bad key", 0, 0, 0},

	{LLM_ANTHROPIC,
	 "{\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":25,"
	 "\"output_tokens\":1}}}",
	 NULL, NULL, 0, 25, 0},
	{LLM_ANTHROPIC,
	 "{\"type\":\"content_block_start\",\"index\":0,"
	 "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}",
	 NULL, NULL, 0, 0, 0},
	{LLM_ANTHROPIC, "{\"type\": \"ping\"}", NULL, NULL, 0, 0, 0},
	{LLM_ANTHROPIC,
	 "{\"type\":\"content_block_delta\",\"index\":0,"
	 "\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello\"}}",
	 "Hello", NULL, 0, 0, 0},
	{LLM_ANTHROPIC,
	 "{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"thinking_delta\","
	 "\"thinking\":\"hm\"}}",
	 NULL, NULL, 0, 0, 0},
	{LLM_ANTHROPIC, "{\"type\":\"content_block_stop\",\"index\":0}", NULL, NULL, 0, 0, 0},
	{LLM_ANTHROPIC,
	 "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\","
	 "\"stop_sequence\":null},\"usage\":{\"output_tokens\":15}}",
	 NULL, NULL, FINISHED | CUT, 0, 15},
	{LLM_ANTHROPIC, "{\"type\":\"message_stop\"}", NULL, NULL, FINISHED | END, 0, 0},
	{LLM_ANTHROPIC,
	 "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
	 "\"message\":\"Overloaded\"}}",
	 NULL, "Overloaded", 0, 0, 0},
	{LLM_ANTHROPIC, "{\"type\":\"vendor_news\",\"text\":\"x\"}", NULL, NULL, 0, 0, 0},
};

static void expect_slice(const char *got, size_t len, const char *want)
{
	if (!want) {
		assert_null(got);
		return;
	}
	assert_non_null(got);
	assert_int_equal(len, strlen(want));
	assert_memory_equal(got, want, len);
}

static void events_mean_what_their_vendors_say(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		char *copy = strdup(rows[i].json);
		struct llm_event event;

		assert_int_equal(llm_event_read(&event, rows[i].dialect, copy, strlen(copy)), 0);
		expect_slice(event.text, event.len, rows[i].text);
		expect_slice(event.error, event.error_len, rows[i].error);
		assert_int_equal((event.is_finished ? FINISHED : 0) | (event.is_cut ? CUT : 0) |
					 (event.is_end ? END : 0),
				 rows[i].flags);
		assert_int_equal(event.tokens_in, rows[i].tokens_in);
		assert_int_equal(event.tokens_out, rows[i].tokens_out);
		free(copy);
	}
}

static void what_is_no_json_is_refused(void **state)
{
	static const char *const texts[] = {"", "<html>", "{", "[DONE", "{\"a\":\"\xff\"}", "{}{}"};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); ++i) {
		char *copy = strdup(texts[i]);
		struct llm_event event;

		assert_int_equal(llm_event_read(&event, LLM_OPENAI, copy, strlen(copy)), EINVAL);
		free(copy);
	}
}

static void long_keys_and_deep_lists_are_passed_over(void **state)
{
	char text[400] = "{\"";
	struct llm_event event;

	(void)state;
	memset(text + 2, 'k', 200);
	strcat(text, "\":{\"choices\":[1]},\"choices\":[[[{\"delta\":{\"content\":\"x\"}}]]]}");
	assert_int_equal(llm_event_read(&event, LLM_OPENAI, text, strlen(text)), 0);
	expect_slice(event.text, event.len, "x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_mean_what_their_vendors_say),
		cmocka_unit_test(what_is_no_json_is_refused),
		cmocka_unit_test(long_keys_and_deep_lists_are_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
