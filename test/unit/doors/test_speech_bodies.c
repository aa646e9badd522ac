/* Requests for speech, as each vendor's clients write them, are converted to the same settings;
 * members that are not supported are refused by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "doors/elevenlabs/elevenlabs_body.h"
#include "doors/kugelaudio/kugelaudio.h"
#include "doors/openai/openai.h"
#include "doors/vapi/vapi.h"

static char json[1 << 16];
static struct speech_body body;
static struct stream_fault fault;

static int reads(speech_body_h *read, const char *text)
{
	settings_reset(&body.settings);
	fault = (struct stream_fault){0};
	snprintf(json, sizeof(json), "%s", text);
	return read(&body, &fault, json, strlen(json));
}

static void assert_says(const char *text)
{
	assert_int_equal(body.text_len, strlen(text));
	assert_memory_equal(body.text, text, body.text_len);
}

static void assert_voice(const char *name)
{
	assert_non_null(body.voice);
	assert_int_equal(body.voice_len, strlen(name));
	assert_memory_equal(body.voice, name, body.voice_len);
}

/* Checks that the body is refused with this text. */
static void assert_refused(speech_body_h *read, const char *text, const char *words)
{
	assert_int_not_equal(reads(read, text), 0);
	if (!strstr(fault.detail, words))
		fail_msg("%s: \"%s\" has no \"%s\"", text, fault.detail, words);
}

static void test_generate_accepts_every_setting_of_rest(void **state)
{
	(void)state;
	assert_int_equal(reads(generate_body_read,
			       "{\"text\":\"Hi \\u00e9.\",\"voice_id\":7,\"model_id\":\"kugel-2\","
			       "\"cfg_scale\":9,\"temperature\":0,\"max_new_tokens\":5,"
			       "\"sample_rate\":16000,\"normalize\":false,\"language\":\"de-DE\","
			       "\"speed\":1.2,\"project_id\":3,\"dictionary_ids\":[1,2]}"),
			 0);
	assert_says("Hi \xc3\xa9.");
	assert_null(body.voice);
	assert_int_equal(body.settings.voice_id, 7);
	assert_string_equal(body.settings.model_id, "kugel-2");
	assert_int_equal(body.settings.sample_rate, 16000);
	assert_false(body.settings.normalize);
	assert_string_equal(body.settings.language, "de");
	assert_int_equal(body.settings.dictionary_ids->count, 2);
	assert_false(body.wants_wav);
}

static void test_generate_accepts_handles_and_the_last_voice_applies(void **state)
{
	(void)state;
	assert_int_equal(reads(generate_body_read, "{\"text\":\"a\",\"voice_id\":\"sally\"}"), 0);
	assert_voice("sally");
	assert_int_equal(
		reads(generate_body_read, "{\"voice_id\":\"x\",\"voice_id\":5,\"text\":\"a\"}"), 0);
	assert_null(body.voice);
	assert_int_equal(body.settings.voice_id, 5);
}

static void test_generate_knows_files_and_compressed_formats(void **state)
{
	(void)state;
	assert_int_equal(
		reads(generate_body_read, "{\"text\":\"a\",\"output_format\":\"mp3_44100_64\"}"),
		0);
	assert_int_equal(body.settings.format.encoding, AUDIO_MP3);
	assert_int_equal(body.settings.format.bitrate_kbps, 64);
	assert_int_equal(reads(generate_body_read, "{\"text\":\"a\",\"output_format\":\"wav\","
						   "\"sample_rate\":8000}"),
			 0);
	assert_true(body.wants_wav);
	assert_false(body.settings.set & SETTING_OUTPUT_FORMAT);
	assert_refused(generate_body_read, "{\"text\":\"a\",\"output_format\":\"wma\"}", "wma");
	assert_refused(generate_body_read, "{\"text\":\"a\",\"output_format\":7}", "output_format");
}

static void test_generate_refuses_members_that_it_does_not_have(void **state)
{
	static const char *const others[] = {
		"word_timestamps",
		"speaker_prefix",
		"flush_timeout_ms",
		"max_buffer_length",
		"chunk_length_schedule",
		"auto_mode",
		"flush",
		"voice",
	};
	char text[128];

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); ++i) {
		snprintf(text, sizeof(text), "{\"text\":\"a\",\"%s\":[{\"b\":1}]}", others[i]);
		assert_refused(generate_body_read, text, others[i]);
	}
}

static void test_a_text_must_have_something_to_say(void **state)
{
	(void)state;
	assert_refused(generate_body_read, "{}", "text is required");
	assert_refused(generate_body_read, "{\"text\":null}", "text is required");
	assert_refused(generate_body_read, "{\"text\":\"\"}", "1 to 10000");
	assert_refused(generate_body_read, "{\"text\":\" \\n\\u00a0\"}", "blanks");
	assert_refused(generate_body_read, "{\"text\":[]}", "text must be a string");
	assert_refused(generate_body_read, "[]", "JSON object");
	assert_refused(generate_body_read, "{\"text\":\"a\"} x", "malformed JSON");
	assert_refused(generate_body_read, "{\"text\":\"a\",\"speed\":", "malformed JSON");
	assert_refused(generate_body_read, "", "malformed JSON");
}

static void test_lengths_are_in_characters(void **state)
{
	char text[4 * OPENAI_BODY_TEXT_MAX + 64];
	size_t len = (size_t)snprintf(text, sizeof(text), "{\"input\":\"");

	(void)state;
	for (size_t i = 0; i < OPENAI_BODY_TEXT_MAX; ++i)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "\xc3\xa9");
	snprintf(text + len, sizeof(text) - len, "\"}");
	assert_int_equal(reads(openai_body_read, text), 0);
	snprintf(text + len, sizeof(text) - len, "x\"}");
	assert_refused(openai_body_read, text, "1 to 4096 characters (got 4097)");
}

static void test_elevenlabs_ignores_unknown_members(void **state)
{
	(void)state;
	assert_int_equal(
		reads(elevenlabs_body_read,
		      "{\"seed\":1,\"text\":\"Hi.\",\"model_id\":\"eleven_v9\",\"x\":{\"y\":"
		      "[1,{}]},\"voice_settings\":{\"stability\":0.5,\"speed\":0.7,\"z\":[]},"
		      "\"language_code\":\"pt-BR\",\"apply_text_normalization\":\"off\","
		      "\"previous_request_ids\":[\"a\"]}"),
		0);
	assert_says("Hi.");
	assert_int_equal(body.settings.seed, 1);
	assert_true(body.settings.set & SETTING_SEED);
	assert_float_equal(body.settings.speed, 0.7, 1e-9);
	assert_string_equal(body.settings.language, "pt");
	assert_string_equal(body.settings.model_id, "kugel-3");
	assert_false(body.settings.normalize);
}

static void test_elevenlabs_settings_may_be_empty(void **state)
{
	(void)state;
	assert_int_equal(reads(elevenlabs_body_read, "{\"text\":\"a\",\"voice_settings\":{}}"), 0);
	assert_int_equal(reads(elevenlabs_body_read,
			       "{\"text\":\"a\",\"voice_settings\":null,\"language_code\":null}"),
			 0);
	assert_int_equal(reads(elevenlabs_body_read, "{\"text\":\"a\",\"model_id\":\"kugel-2\"}"),
			 0);
	assert_string_equal(body.settings.model_id, "kugel-2");
}

static void test_elevenlabs_refuses_what_is_not_supported(void **state)
{
	(void)state;
	assert_refused(elevenlabs_body_read, "{\"text\":\"a\",\"voice_settings\":3}",
		       "voice_settings must be an object");
	assert_refused(elevenlabs_body_read, "{\"text\":\"a\",\"voice_settings\":{\"speed\":1.3}}",
		       "speed must be between 0.7 and 1.2");
	assert_refused(elevenlabs_body_read, "{\"text\":\"a\",\"language_code\":\"xx\"}",
		       "language_code");
	assert_refused(elevenlabs_body_read, "{\"text\":\"a\",\"apply_text_normalization\":true}",
		       "one of auto, on, off");
	assert_refused(elevenlabs_body_read, "{\"text\":\"a\",\"model_id\":1}", "model_id");
}

static void test_openai_names_become_voices(void **state)
{
	(void)state;
	assert_int_equal(reads(openai_body_read, "{\"input\":\"a\",\"voice\":\"alloy\"}"), 0);
	assert_non_null(body.voice_choices);
	assert_int_equal(body.voice_choices[0], 1081);
	assert_int_equal(body.voice_choices[1], 1071);
	assert_int_equal(body.voice_choices[2], 0);
	assert_int_equal(reads(openai_body_read, "{\"voice\":\"1072\",\"input\":\"a\"}"), 0);
	assert_null(body.voice_choices);
	assert_voice("1072");
	assert_int_equal(reads(openai_body_read, "{\"voice\":{\"id\":\"me\"},\"input\":\"a\"}"), 0);
	assert_voice("me");
	assert_int_equal(reads(openai_body_read, "{\"voice\":1071,\"input\":\"a\"}"), 0);
	assert_voice("1071");
	assert_int_equal(reads(openai_body_read, "{\"voice\":{\"id\":1071},\"input\":\"a\"}"), 0);
	assert_voice("1071");
	assert_int_equal(reads(openai_body_read, "{\"voice\":\"ONYX\",\"input\":\"a\"}"), 0);
	assert_int_equal(body.voice_choices[0], 1088);
}

static void test_openai_without_a_voice_is_alloy(void **state)
{
	static const char *const bodies[] = {"{\"input\":\"a\"}",
					     "{\"input\":\"a\",\"voice\":null}",
					     "{\"input\":\"a\",\"voice\":{}}"};

	(void)state;
	for (size_t i = 0; i < 3; ++i) {
		assert_int_equal(reads(openai_body_read, bodies[i]), 0);
		assert_voice("alloy");
		assert_int_equal(body.voice_choices[0], 1081);
	}
}

static void test_openai_names_can_be_listed(void **state)
{
	size_t count = 0;
	const char *name;

	(void)state;
	for (; (name = openai_body_voice_name(count)); ++count)
		assert_non_null(openai_body_voice(name, strlen(name)));
	assert_int_equal(count, 13);
}

static void test_openai_formats_and_speeds_are_read(void **state)
{
	(void)state;
	assert_int_equal(reads(openai_body_read, "{\"input\":\"a\",\"response_format\":\"opus\","
						 "\"speed\":4,\"stream_format\":\"audio\"}"),
			 0);
	assert_int_equal(body.settings.format.encoding, AUDIO_OPUS);
	assert_float_equal(body.settings.speed, 4, 1e-9);
	assert_int_equal(reads(openai_body_read, "{\"input\":\"a\",\"response_format\":\"aac\"}"),
			 0);
	assert_int_equal(body.settings.format.encoding, AUDIO_AAC);
	assert_refused(openai_body_read, "{\"input\":\"a\",\"response_format\":\"wma\"}",
		       "one of mp3, opus, aac, flac, wav, pcm (got \"wma\")");
	assert_null(body.form);
	assert_int_equal(reads(openai_body_read, "{\"input\":\"a\",\"stream_format\":\"sse\"}"), 0);
	assert_ptr_equal(body.form, &openai_events);
	assert_refused(openai_body_read, "{\"input\":\"a\",\"stream_format\":\"ndjson\"}",
		       "stream_format must be audio or sse");
	assert_refused(openai_body_read, "{\"input\":\"a\",\"speed\":0.2}", "between 0.25 and 4");
	assert_refused(openai_body_read, "{\"input\":\"a\",\"speed\":\"1\"}", "a number");
	assert_refused(openai_body_read, "{\"input\":\"a\",\"model\":{}}", "model");
	assert_refused(openai_body_read, "{\"input\":\"a\",\"voice\":[]}",
		       "voice must be a name or an id");
}

static void test_vapi_has_its_request_in_a_message(void **state)
{
	(void)state;
	assert_int_equal(reads(vapi_body_read,
			       "{\"message\":{\"type\":\"voice-request\",\"text\":\"Hi.\","
			       "\"sampleRate\":48000,\"call\":{\"id\":\"x\"}}}"),
			 0);
	assert_says("Hi.");
	assert_int_equal(body.settings.format.encoding, AUDIO_PCM16);
	assert_int_equal(body.settings.format.sample_rate, 48000);
	assert_refused(vapi_body_read, "{\"message\":{\"text\":\"a\",\"sampleRate\":11025}}",
		       "sampleRate");
	assert_refused(vapi_body_read, "{\"message\":{\"text\":\"a\",\"type\":\"x\"}}",
		       "voice-request");
	assert_refused(vapi_body_read, "{\"message\":{}}", "message.text is required");
	assert_refused(vapi_body_read, "{\"text\":\"a\"}", "message.text is required");
}

static int teardown(void **state)
{
	(void)state;
	settings_reset(&body.settings);
	return mem_live() == 0 ? 0 : 1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_generate_accepts_every_setting_of_rest),
		cmocka_unit_test(test_generate_accepts_handles_and_the_last_voice_applies),
		cmocka_unit_test(test_generate_knows_files_and_compressed_formats),
		cmocka_unit_test(test_generate_refuses_members_that_it_does_not_have),
		cmocka_unit_test(test_a_text_must_have_something_to_say),
		cmocka_unit_test(test_lengths_are_in_characters),
		cmocka_unit_test(test_elevenlabs_ignores_unknown_members),
		cmocka_unit_test(test_elevenlabs_settings_may_be_empty),
		cmocka_unit_test(test_elevenlabs_refuses_what_is_not_supported),
		cmocka_unit_test(test_openai_names_become_voices),
		cmocka_unit_test(test_openai_without_a_voice_is_alloy),
		cmocka_unit_test(test_openai_names_can_be_listed),
		cmocka_unit_test(test_openai_formats_and_speeds_are_read),
		cmocka_unit_test(test_vapi_has_its_request_in_a_message),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
