/* The events of a call, as lines for people and for programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "cli/caller_event.h"

static struct caller_event event;
static struct buf out;

static int parse(const char *message)
{
	static char copy[1000];
	size_t len = strlen(message);

	memcpy(copy, message, len + 1);
	return caller_event_parse(&event, copy, len);
}

static void assert_out(const char *text)
{
	assert_int_equal(buf_append(&out, "", 1), 0);
	assert_string_equal(out.bytes, text);
	out.len = 0;
}

static void assert_line(const char *message, const char *line)
{
	assert_int_equal(parse(message), 0);
	assert_int_equal(caller_event_print(&out, &event, 1234567), 0);
	assert_out(line);
}

static int begin(void **state)
{
	(void)state;
	buf_init(&out, 10000);
	return 0;
}

static int end(void **state)
{
	(void)state;
	buf_reset(&out);
	return 0;
}

static void test_events_are_lines_for_people(void **state)
{
	static const char *const cases[][2] = {
		{"{\"type\":\"user_transcript\",\"user_transcription_event\":"
		 "{\"user_transcript\":\"Hello\\nthere\",\"event_id\":1}}",
		 "  1234 ms  you: Hello there\n"},
		{"{\"tentative_user_transcription_event\":{\"user_transcript\":\"He\"},"
		 "\"type\":\"tentative_user_transcript\"}",
		 "  1234 ms  you, so far: He\n"},
		{"{\"type\":\"agent_response\",\"agent_response_event\":"
		 "{\"agent_response\":\"Gr\\u00fc\\u00df Gott\",\"event_id\":1}}",
		 "  1234 ms  agent: Grüß Gott\n"},
		{"{\"type\":\"agent_response_correction\",\"agent_response_correction_event\":"
		 "{\"original_agent_response\":\"one two\",\"corrected_agent_response\":\"one\"}}",
		 "  1234 ms  agent, as heard: one\n"},
		{"{\"type\":\"interruption\",\"interruption_event\":{\"event_id\":3}}",
		 "  1234 ms  interrupted\n"},
		{"{\"type\":\"error\",\"error_event\":{\"code\":1008,\"message\":\"No.\"}}",
		 "  1234 ms  error: No.\n"},
		{"{\"type\":\"client_tool_call\",\"client_tool_call\":{\"tool_name\":\"f\","
		 "\"tool_call_id\":\"c\",\"parameters\":{\"message\":\"x\"}}}",
		 "  1234 ms  agent wants to call: f\n"},
		{"{\"type\":\"vad_score\",\"vad_score_event\":{\"vad_score\":0.5}}", ""},
		{"{\"type\":\"ping\",\"ping_event\":{\"event_id\":1,\"ping_ms\":null}}", ""},
		{"{\"type\":\"news\",\"news\":[{\"message\":\"x\"}]}", ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i)
		assert_line(cases[i][0], cases[i][1]);
}

static void test_the_first_message_has_the_formats(void **state)
{
	(void)state;
	assert_line("{\"type\":\"conversation_initiation_metadata\","
		    "\"conversation_initiation_metadata_event\":{\"conversation_id\":\"conv_1\","
		    "\"agent_output_audio_format\":\"pcm_24000\","
		    "\"user_input_audio_format\":\"ulaw_8000\"}}",
		    "  1234 ms  conversation conv_1\n");
	assert_int_equal(event.kind, CALLER_EVENT_METADATA);
	assert_memory_equal(event.input.bytes, "ulaw_8000", event.input.len);
	assert_memory_equal(event.output.bytes, "pcm_24000", event.output.len);
	assert_int_equal(event.output.len, 9);
}

static void test_json_has_the_event_on_one_line_without_its_audio(void **state)
{
	static const char *const cases[][2] = {
		{"{\"type\":\"audio\",\"audio_event\":{\"audio_base_64\":\"AAECAwQ=\","
		 "\"event_id\":7}}",
		 "{\"at_ms\":5,\"event\":{\"type\":\"audio\",\"audio_event\":"
		 "{\"audio_base_64\":5,\"event_id\":7}}}\n"},
		{"{\"type\":\"audio\",\n\"audio_event\":{\"audio_base_64\":\"\\/\\/\\/\\/\"}}",
		 "{\"at_ms\":5,\"event\":{\"type\":\"audio\", \"audio_event\":"
		 "{\"audio_base_64\":3}}}\n"},
		{"{\"audio_event\":{\"audio_base_64\":\"\"},\"type\":\"audio\"}",
		 "{\"at_ms\":5,\"event\":{\"audio_event\":{\"audio_base_64\":0},"
		 "\"type\":\"audio\"}}\n"},
		{"{\"type\":\"x\",\"y\":\"\\n\"}",
		 "{\"at_ms\":5,\"event\":{\"type\":\"x\",\"y\":\"\\n\"}}\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		assert_int_equal(parse(cases[i][0]), 0);
		assert_int_equal(caller_event_print_json(&out, &event, 5999, cases[i][0],
							 strlen(cases[i][0])),
				 0);
		assert_out(cases[i][1]);
	}
}

static void test_ids_are_integers(void **state)
{
	(void)state;
	assert_int_equal(parse("{\"type\":\"ping\",\"ping_event\":{\"event_id\":12}}"), 0);
	assert_true(event.has_id);
	assert_int_equal(event.id, 12);
	assert_int_equal(parse("{\"type\":\"ping\",\"ping_event\":{\"event_id\":\"x\"}}"), 0);
	assert_false(event.has_id);
}

static void test_what_is_no_object_is_refused(void **state)
{
	static const char *const bad[] = {"", "[]", "{", "hello", "{\"type\":\"audio\"}}", "null"};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); ++i)
		assert_int_not_equal(parse(bad[i]), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_events_are_lines_for_people, begin, end),
		cmocka_unit_test_setup_teardown(test_the_first_message_has_the_formats, begin, end),
		cmocka_unit_test_setup_teardown(
			test_json_has_the_event_on_one_line_without_its_audio, begin, end),
		cmocka_unit_test(test_ids_are_integers),
		cmocka_unit_test(test_what_is_no_object_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
