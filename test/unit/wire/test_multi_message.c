/* A message of /ws/tts/multi is accepted or refused as a whole.  A refusal says why and, if that is
 * known, which context it concerns. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "wire/multi_message.h"
#include "wire/reply.h"

/* The bytes of the message under test, which its strings point into. */
static char *bytes;
static struct multi_message message;
static struct stream_fault fault;

static int parse(const char *json)
{
	size_t len = strlen(json);

	free(bytes);
	bytes = malloc(len ? len : 1); /* exact, so that sanitizers find overruns */
	assert_non_null(bytes);
	memcpy(bytes, json, len);
	memset(&fault, 0, sizeof(fault));
	return multi_message_parse(&message, &fault, bytes, len);
}

static void take(const char *json)
{
	if (parse(json) != 0)
		fail_msg("%s: %s", json, fault.detail);
}

static void assert_context(const char *id)
{
	if (!id) {
		assert_null(message.context_id);
		return;
	}
	assert_non_null(message.context_id);
	assert_int_equal(message.context_id_len, strlen(id));
	assert_memory_equal(message.context_id, id, strlen(id));
}

static void assert_text(const char *text)
{
	assert_true(message.said.has_text);
	assert_int_equal(message.said.text_len, strlen(text));
	assert_memory_equal(message.said.text, text, strlen(text));
}

static void test_every_documented_message_is_understood(void **state)
{
	(void)state;
	take("{\"text\":\" \",\"context_id\":\"ctx1\",\"voice_settings\":{\"voice_id\":1071}}");
	assert_context("ctx1");
	assert_text(" ");
	assert_true(message.has_voice_settings);
	assert_int_equal(message.voice.set, SETTING_VOICE_ID);
	assert_int_equal(message.voice.voice_id, 1071);
	assert_int_equal(message.said.settings.set, 0);
	take("{\"text\":\"...\",\"context_id\":\"ctx1\",\"flush\":true}");
	assert_true(message.said.flush);
	take("{\"flush\":true,\"context_id\":\"ctx1\"}");
	assert_true(message.said.flush);
	assert_false(message.said.has_text);
	take("{\"close_context\":true,\"context_id\":\"ctx1\",\"immediate\":true}");
	assert_true(message.close_context);
	assert_true(message.immediate);
	take("{\"keep_alive\":true,\"context_id\":\"ctx1\"}");
	assert_true(message.keep_alive);
	take("{\"cancel\":true}");
	assert_true(message.said.cancel);
	assert_context(NULL);
	take("{\"close_socket\":true}");
	assert_true(message.said.close_socket);
	take("{\"update_settings\":{\"speed\":1.1}}");
	assert_true(message.said.has_update);
	assert_int_equal(message.said.update.set, SETTING_SPEED);
}

static void test_commands_that_are_false_and_null_are_as_absent(void **state)
{
	(void)state;
	take("{\"text\":null,\"context_id\":null,\"flush\":false,\"close_context\":false,"
	     "\"immediate\":false,\"keep_alive\":null,\"cancel\":false,\"close_socket\":false,"
	     "\"voice_settings\":null,\"update_settings\":null,\"inactivity_timeout\":null}");
	assert_context(NULL);
	assert_false(message.said.has_text || message.said.flush || message.close_context ||
		     message.immediate || message.keep_alive || message.said.cancel ||
		     message.said.close_socket || message.has_voice_settings ||
		     message.said.has_update);
	assert_int_equal(message.inactivity_ms, 0);
}

static void test_the_stream_socket_s_own_keys_mean_nothing_here(void **state)
{
	(void)state;
	take("{\"close\":1,\"end_session\":\"x\",\"report\":[],\"playback_offset_ms\":{}}");
}

static void test_voice_settings_have_three_keys_of_the_context_and_one_of_the_session(void **state)
{
	(void)state;
	take("{\"context_id\":\"c\",\"voice_settings\":{\"voice_id\":\"7\",\"cfg_scale\":9,"
	     "\"max_new_tokens\":100,\"output_format\":\"ulaw_8000\",\"stability\":{\"a\":[1]},"
	     "\"speed\":77,\"sample_rate\":\"odd\"},\"speed\":1.2}");
	assert_int_equal(message.voice.set,
			 SETTING_VOICE_ID | SETTING_CFG_SCALE | SETTING_MAX_NEW_TOKENS);
	assert_int_equal(message.voice.voice_id, 7);
	assert_true(message.voice.cfg_scale > 2.49 && message.voice.cfg_scale < 2.51);
	assert_int_equal(message.voice.max_new_tokens, 100);
	assert_int_equal(message.said.settings.set, SETTING_OUTPUT_FORMAT | SETTING_SPEED);
	assert_int_equal(message.said.settings.format.sample_rate, 8000);
}

static void test_of_two_voice_settings_the_last_counts(void **state)
{
	(void)state;
	take("{\"voice_settings\":{\"voice_id\":1,\"cfg_scale\":2},\"voice_settings\":{}}");
	assert_true(message.has_voice_settings);
	assert_int_equal(message.voice.set, 0);
}

static void test_an_id_is_any_string_of_1_to_256_bytes(void **state)
{
	char json[600];
	char id[260];

	(void)state;
	take("{\"context_id\":\"a\\\"\\\\\\/\\n\\u00e4\\ud83d\\ude00\\u0000\"}");
	assert_context("a\"\\/\nä😀\xef\xbf\xbd");
	memset(id, 'x', sizeof(id));
	snprintf(json, sizeof(json), "{\"context_id\":\"%.256s\"}", id);
	take(json);
	assert_int_equal(message.context_id_len, 256);
	snprintf(json, sizeof(json), "{\"context_id\":\"%.257s\"}", id);
	assert_int_equal(parse(json), EINVAL);
	assert_context(NULL);
	assert_string_equal(fault.detail, "context_id must be a string of 1 to 256 bytes "
					  "(got \"xxxxxxxxxxxxxxxxxxxxxxxx…\")");
}

/* The longest id, all of whose characters need six bytes in JSON. */
static void test_the_longest_id_fits_where_replies_keep_it(void **state)
{
	struct buf json;
	struct buf written;

	(void)state;
	buf_init(&json, 4096);
	assert_int_equal(buf_append_str(&json, "{\"context_id\":\""), 0);
	for (int i = 0; i < REPLY_CONTEXT_ID_MAX; ++i)
		assert_int_equal(buf_append_str(&json, "\\u0001"), 0);
	assert_int_equal(buf_append(&json, "\"}", 3), 0); /* with its NUL */
	take(json.bytes);
	buf_reset(&json);
	assert_int_equal(message.context_id_len, REPLY_CONTEXT_ID_MAX);
	buf_init(&written, REPLY_CONTEXT_MAX + 1);
	assert_int_equal(reply_context_id(&written, message.context_id, message.context_id_len), 0);
	assert_int_equal(written.len, REPLY_CONTEXT_MAX + 1);
	buf_reset(&written);
}

static void test_a_refusal_says_what_and_whom_it_concerns(void **state)
{
	static const struct {
		const char *json;
		const char *detail;
		const char *context;
	} cases[] = {
		{"{\"text\":1,\"context_id\":\"c\"}", "text must be a string (got 1)", "c"},
		{"{\"context_id\":\"c\",\"flush\":0}", "flush must be true or false (got 0)", "c"},
		{"{\"context_id\":7,\"flush\":true}",
		 "context_id must be a string of 1 to 256 bytes (got 7)", NULL},
		{"{\"context_id\":\"\"}",
		 "context_id must be a string of 1 to 256 bytes (got \"\")", NULL},
		{"{\"speed\":3,\"context_id\":[]}", "speed must be between 0.8 and 1.2 (got 3)",
		 NULL},
		{"{\"speed\":3,\"flush\":9,\"context_id\":\"c\"}",
		 "speed must be between 0.8 and 1.2 (got 3)", "c"},
		{"{\"chunk_length_schedule\":[1,{\"a\":[2,3]},4],\"x\":[[]],\"context_id\":\"c\"}",
		 "chunk_length_schedule must be a list of 1 to 16 integers between 0 and 10000 "
		 "(got an object)",
		 "c"},
		{"{\"voice_settings\":[{\"a\":1}],\"context_id\":\"c\"}",
		 "voice_settings must be an object (got a list)", "c"},
		{"{\"voice_settings\":{\"a\":[1,2],\"voice_id\":[1,[2]],\"b\":3},\"context_id\":"
		 "\"c\"}",
		 "voice_id must be an integer or a string (got a list)", "c"},
		{"{\"update_settings\":{\"model_id\":\"x\"},\"context_id\":\"c\"}",
		 "model_id cannot be changed by update_settings", "c"},
		{"{\"inactivity_timeout\":0.5,\"context_id\":\"c\"}",
		 "inactivity_timeout must be between 1 and 3600 (got 0.5)", "c"},
		{"{\"inactivity_timeout\":true,\"context_id\":\"c\"}",
		 "inactivity_timeout must be a number (got true)", "c"},
		{"{\"context_id\":\"c\",\"sample_rate\":8000,\"voice_settings\":{\"output_format\":"
		 "\"pcm_16000\"}}",
		 "sample_rate 8000 conflicts with an output_format of 16000 Hz", "c"},
		{"{\"context_id\":\"c\",\"speed\":3,}", NULL, NULL},
		{"{\"speed\":3,\"context_id\":\"c\"", NULL, NULL},
		{"[\"context_id\"]", "a message must be a JSON object (got a list)", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		assert_int_equal(parse(cases[i].json), EINVAL);
		if (cases[i].detail)
			assert_string_equal(fault.detail, cases[i].detail);
		else
			assert_non_null(strstr(fault.detail, "malformed JSON"));
		assert_context(cases[i].context);
	}
}

static void test_a_pair_split_over_messages_is_joined_when_the_context_is_known(void **state)
{
	(void)state;
	take("{\"text\":\"a\\ud83d\",\"context_id\":\"c\"}");
	assert_text("a");
	assert_int_equal(message.said.text_surrogate, 0xd83d);
	take("{\"context_id\":\"c\",\"text\":\"\\ude00b\"}");
	assert_text("\xef\xbf\xbd"
		    "b");
	multi_message_join(&message, 0xd83d);
	assert_text("😀b");
	assert_context("c");
	take("{\"context_id\":\"c\",\"text\":\"b\"}");
	multi_message_join(&message, 0xd83d);
	assert_text("\xef\xbf\xbd"
		    "b");
	take("{\"context_id\":\"c\",\"text\":\"\"}");
	multi_message_join(&message, 0xd83d);
	assert_int_equal(message.said.text_surrogate, 0xd83d);
	take("{\"context_id\":\"c\"}");
	multi_message_join(&message, 0xd83d);
	assert_false(message.said.has_text);
}

static void test_inactivity_timeout_is_in_seconds(void **state)
{
	(void)state;
	take("{\"inactivity_timeout\":1.5}");
	assert_int_equal(message.inactivity_ms, 1500);
	take("{\"inactivity_timeout\":3600}");
	assert_int_equal(message.inactivity_ms, 3600000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_documented_message_is_understood),
		cmocka_unit_test(test_commands_that_are_false_and_null_are_as_absent),
		cmocka_unit_test(test_the_stream_socket_s_own_keys_mean_nothing_here),
		cmocka_unit_test(
			test_voice_settings_have_three_keys_of_the_context_and_one_of_the_session),
		cmocka_unit_test(test_of_two_voice_settings_the_last_counts),
		cmocka_unit_test(test_an_id_is_any_string_of_1_to_256_bytes),
		cmocka_unit_test(test_the_longest_id_fits_where_replies_keep_it),
		cmocka_unit_test(test_a_refusal_says_what_and_whom_it_concerns),
		cmocka_unit_test(
			test_a_pair_split_over_messages_is_joined_when_the_context_is_known),
		cmocka_unit_test(test_inactivity_timeout_is_in_seconds),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(bytes);
	return failed;
}
