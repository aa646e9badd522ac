/* Messages of ElevenLabs' WebSockets are converted to the native ones, and parameters of the URL to
 * settings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "doors/elevenlabs/elevenlabs.h"
#include "doors/elevenlabs/elevenlabs_message.h"
#include "text/markup.h"
#include "wire/once_message.h"

/* The bytes of the message under test, which its strings point into. */
static char *bytes;
static struct stream_message message;
static struct multi_message multi;
static struct stream_fault fault;

static size_t copy(const char *json)
{
	size_t len = strlen(json);

	free(bytes);
	bytes = malloc(
		len ? len
		    : 1); /* exactly as long, so that a sanitizer detects access beyond the end */
	assert_non_null(bytes);
	memcpy(bytes, json, len);
	memset(&fault, 0, sizeof(fault));
	return len;
}

static int parse(const char *json)
{
	size_t len = copy(json);

	return elevenlabs_message_parse(&message, &fault, bytes, len, 0);
}

static int parse_multi(const char *json)
{
	size_t len = copy(json);

	return elevenlabs_message_parse_multi(&multi, &fault, bytes, len);
}

static void test_text_and_commands_of_a_stream_are_read(void **state)
{
	(void)state;
	assert_int_equal(parse("{\"text\":\"a b\",\"flush\":true}"), 0);
	assert_memory_equal(message.text, "a b", 3);
	assert_true(message.emit && !message.flush && !message.close_socket);
	assert_int_equal(parse("{\"text\":\"x \",\"try_trigger_generation\":true}"), 0);
	assert_true(message.trigger && !message.emit);
	assert_int_equal(parse("{\"text\":\"\"}"), 0);
	assert_true(message.flush && message.close_socket);
	assert_int_equal(parse("{\"text\":\" \"}"), 0);
	assert_false(message.flush || message.close_socket);
	assert_int_equal(parse("{\"cancel\":true}"), 0);
	assert_true(message.cancel && message.close_socket && !message.flush);
}

static void test_settings_of_a_stream_are_read(void **state)
{
	(void)state;
	assert_int_equal(parse("{\"text\":\" \",\"voice_settings\":{\"stability\":0.5,"
			       "\"speed\":0.7},\"generation_config\":"
			       "{\"chunk_length_schedule\":[50,90]}}"),
			 0);
	assert_int_equal(message.settings.set, SETTING_SPEED | SETTING_SCHEDULE);
	assert_float_equal((float)message.settings.speed, 0.7F, 1e-6F);
	assert_int_equal(message.settings.schedule_len, 2);
	assert_int_equal(message.settings.schedule[1], 90);
	assert_int_equal(parse("{\"text\":\" \",\"voice_settings\":null,\"model_id\":7,"
			       "\"voice_id\":\"x\",\"speed\":99,\"output_format\":[]}"),
			 0);
	assert_int_equal(message.settings.set, 0);
	assert_int_not_equal(parse("{\"voice_settings\":{\"speed\":\"fast\"}}"), 0);
	assert_int_not_equal(parse("{\"voice_settings\":7}"), 0);
	assert_int_not_equal(parse("{\"text\":7}"), 0);
	assert_int_not_equal(parse("{\"flush\":\"yes\"}"), 0);
}

static void test_a_split_surrogate_pair_is_joined(void **state)
{
	size_t len = copy("{\"text\":\"\\ude00!\"}");

	(void)state;
	assert_int_equal(elevenlabs_message_parse(&message, &fault, bytes, len, 0xd83d), 0);
	assert_int_equal(message.text_len, 5);
	assert_memory_equal(message.text, "\xf0\x9f\x98\x80!", 5);
}

static void test_messages_of_contexts_are_read(void **state)
{
	(void)state;
	assert_int_equal(parse_multi("{\"text\":\"x\"}"), 0);
	assert_int_equal(multi.context_id_len, strlen(ELEVENLABS_MESSAGE_CONTEXT));
	assert_int_equal(parse_multi("{\"text\":\"\",\"context_id\":\"a\",\"flush\":true}"), 0);
	assert_true(multi.keep_alive && multi.said.emit && !multi.said.close_socket);
	assert_memory_equal(multi.context_id, "a", 1);
	assert_int_equal(parse_multi("{\"context_id\":\"a\",\"close_context\":true}"), 0);
	assert_true(multi.stop_context && !multi.close_context);
	assert_int_equal(parse_multi("{\"close_socket\":true,\"cancel\":true}"), 0);
	assert_true(multi.said.close_socket && !multi.said.cancel);
	assert_int_not_equal(parse_multi("{\"text\":5,\"context_id\":\"b\"}"), 0);
	assert_memory_equal(multi.context_id, "b", 1);
	assert_int_not_equal(parse_multi("{\"context_id\":5}"), 0);
}

static void assert_key(const char *json, const char *expected)
{
	char key[16];
	size_t len = copy(json);

	elevenlabs_message_key(key, sizeof(key), bytes, len);
	assert_string_equal(key, expected);
}

static void test_the_key_in_the_first_message_is_read(void **state)
{
	(void)state;
	assert_key("{\"text\":\" \",\"xi_api_key\":\"ka_1\"}", "ka_1");
	assert_key("{\"xi-api-key\":\"ka_2\",\"voice_settings\":{\"a\":[1]}}", "ka_2");
	assert_key("{\"voice_settings\":{\"xi_api_key\":\"no\"},\"authorization\":"
		   "\"Bearer ka_3\"}",
		   "ka_3");
	assert_key("{\"text\":\" \"}", "");
	assert_key("{\"xi_api_key\":7}", "");
	assert_key("{\"xi_api_key\":\"longer than there is room\"}", "");
	assert_key("[\"xi_api_key\"]", "");
	assert_key("", "");
	assert_key("{", "");
}

static int set(struct address_settings *opening, const char *name, const char *value)
{
	for (const struct address_field *field = elevenlabs_address_fields; field->name; ++field) {
		if (strcmp(field->name, name) == 0)
			return field->set(opening, &fault, value);
	}
	return 0;
}

static void test_settings_in_the_url_are_read(void **state)
{
	struct address_settings opening;

	(void)state;
	elevenlabs_address_init(&opening);
	assert_int_equal(opening.settings.format.encoding, AUDIO_MP3);
	assert_int_equal(opening.settings.schedule[0], 120);
	assert_int_equal(opening.idle_ms, ELEVENLABS_ADDRESS_IDLE_MS);
	assert_int_equal(set(&opening, "output_format", "ulaw_8000"), 0);
	assert_int_equal(opening.settings.format.encoding, AUDIO_MULAW);
	assert_int_equal(set(&opening, "language_code", "de"), 0);
	assert_string_equal(opening.settings.language, "de");
	assert_int_equal(set(&opening, "inactivity_timeout", "180"), 0);
	assert_int_equal(opening.idle_ms, 180000);
	assert_int_equal(set(&opening, "auto_mode", "true"), 0);
	assert_true(opening.settings.auto_mode);
	assert_int_equal(set(&opening, "apply_text_normalization", "off"), 0);
	assert_false(opening.settings.normalize);
	assert_false(opening.settings.set & SETTING_SEED);
	assert_int_equal(set(&opening, "seed", "4294967295"), 0);
	assert_true(opening.settings.set & SETTING_SEED);
	assert_int_equal(opening.settings.seed, UINT32_MAX);
	assert_int_equal(set(&opening, "enable_logging", "x"), 0);
	assert_int_not_equal(set(&opening, "seed", "4294967296"), 0);
	assert_int_not_equal(set(&opening, "seed", "18446744073709551617"), 0);
	assert_int_not_equal(set(&opening, "seed", "-1"), 0);
	assert_int_not_equal(set(&opening, "seed", "7x"), 0);
	assert_int_not_equal(set(&opening, "seed", ""), 0);
	assert_false(opening.settings.context_times);
	assert_int_equal(set(&opening, "sync_alignment", "true"), 0);
	assert_true(opening.settings.context_times);
	assert_int_equal(set(&opening, "model_id", "eleven_flash_v2_5"), 0);
	assert_int_equal(opening.settings.markup, MARKUP_LONG_BREAKS);
	assert_int_equal(set(&opening, "model_id", "eleven_v3_conversational"), 0);
	assert_int_equal(opening.settings.markup, MARKUP_LONG_BREAKS | MARKUP_AUDIO_TAGS);
	assert_int_not_equal(set(&opening, "output_format", "mp4"), 0);
	assert_int_not_equal(set(&opening, "language_code", "xx"), 0);
	assert_int_not_equal(set(&opening, "inactivity_timeout", "181"), 0);
	assert_int_not_equal(set(&opening, "inactivity_timeout", "5x"), 0);
	assert_int_not_equal(set(&opening, "apply_text_normalization", "maybe"), 0);
	settings_reset(&opening.settings);
}

static void test_a_request_has_a_text_of_the_right_length(void **state)
{
	static const char *const wrong[] = {"{}", "{\"voice_id\":1}", "{\"text\":\"\"}",
					    "{\"text\":null}", "{\"cancel\":false}"};
	static const char *const right[] = {"{\"text\":\"x\"}", "{\"cancel\":true}",
					    "{\"update_settings\":{}}"};

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); ++i) {
		size_t len = copy(wrong[i]);

		assert_int_not_equal(once_message_parse(&message, &fault, bytes, len, 0), 0);
	}
	for (size_t i = 0; i < COUNT(right); ++i) {
		size_t len = copy(right[i]);

		assert_int_equal(once_message_parse(&message, &fault, bytes, len, 0), 0);
		stream_message_reset(&message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_and_commands_of_a_stream_are_read),
		cmocka_unit_test(test_settings_of_a_stream_are_read),
		cmocka_unit_test(test_a_split_surrogate_pair_is_joined),
		cmocka_unit_test(test_messages_of_contexts_are_read),
		cmocka_unit_test(test_the_key_in_the_first_message_is_read),
		cmocka_unit_test(test_settings_in_the_url_are_read),
		cmocka_unit_test(test_a_request_has_a_text_of_the_right_length),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(bytes);
	return failed;
}
