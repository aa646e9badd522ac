/* The configuration of ElevenLabs' speech engines. */
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
#include "doors/elevenlabs/engine_settings.h"

static struct engine_settings *parse(const char *config)
{
	struct engine_settings *settings = NULL;
	struct stream_fault fault = {0};

	if (engine_settings_parse(&settings, &fault, config, strlen(config)) != 0)
		fail_msg("%s: %s", config, fault.detail);
	return settings;
}

static void what_is_not_given_has_its_default(void **state)
{
	struct engine_settings *s = parse("{\"speech_engine\":{\"ws_url\":\"wss://h/p?q=1\"}}");

	(void)state;
	assert_string_equal(s->call.url, "wss://h/p?q=1");
	assert_string_equal(s->call.headers, "");
	assert_int_equal(s->call.cascade_timeout_ms, 4000);
	assert_string_equal(s->voice_id, "cjVigY5qzO86Huf0OWal");
	assert_true(s->call.speed > 0.999 && s->call.speed < 1.001);
	assert_int_equal(s->call.output.encoding, AUDIO_PCM16);
	assert_int_equal(s->call.output.sample_rate, 16000);
	assert_int_equal(s->call.input.sample_rate, 16000);
	assert_string_equal(s->call.first_message, "");
	assert_false(s->call.allows_first_message);
	assert_string_equal(s->call.language, "en");
	assert_string_equal(s->call.keywords, "");
	assert_int_equal(s->call.turn_end.eagerness, TURN_END_NORMAL);
	assert_true(s->call.turn_end.is_patient_with_spelling);
	assert_int_equal(s->turn_timeout_ms, 7000);
	assert_int_equal(s->initial_wait_ms, 7000);
	assert_int_equal(s->call.silence_end_s, -1);
	assert_false(s->call.is_speculative);
	assert_string_equal(s->call.ignored_terms, "");
	assert_true(s->call.adds_default_terms);
	assert_int_equal(s->call.duration_max_s, 600);
	assert_false(s->call.is_text_only);
	assert_int_equal(s->call.wants, CALL_WANTS_PING | CALL_WANTS_AUDIO |
						CALL_WANTS_INTERRUPTION | CALL_WANTS_TRANSCRIPT |
						CALL_WANTS_RESPONSE | CALL_WANTS_CORRECTION);
	assert_true(s->records_audio && s->records_transcript);
	assert_int_equal(s->retention_days, -1);
	assert_int_equal(s->concurrent_max, -1);
	assert_int_equal(s->daily_max, 100000);
	mem_deref(s);
	assert_int_equal(mem_live(), 0);
}

static void what_is_given_is_used(void **state)
{
	struct engine_settings *s = parse(
		"{\"speech_engine\":{\"ws_url\":\"https://h:8443/p\",\"request_headers\":"
		"{\"X-A\":\"one two\",\"X-User\":{\"variable_name\":\"user\"}}},"
		"\"asr\":{\"user_input_audio_format\":\"ulaw_8000\",\"keywords\":[\"Syrinx\",\"GmbH\"]},"
		"\"tts\":{\"voice_id\":\"v\",\"speed\":1.2,\"agent_output_audio_format\":\"pcm_44100\"},"
		"\"turn\":{\"turn_timeout\":1.5,\"initial_wait_time\":-1,\"turn_eagerness\":\"eager\","
		"\"silence_end_call_timeout\":30,\"spelling_patience\":\"off\",\"speculative_turn\":true,"
		"\"interruption_ignore_terms\":[\"mm-hm\",\"ja\"],"
		"\"interruption_ignore_term_languages\":[\"de\"],"
		"\"merge_with_default_ignore_terms\":false},"
		"\"conversation\":{\"text_only\":true,\"max_duration_seconds\":60,"
		"\"client_events\":[\"vad_score\",\"new_one\"]},"
		"\"privacy\":{\"retention_days\":7,\"delete_audio\":true},"
		"\"call_limits\":{\"agent_concurrency_limit\":2,\"daily_limit\":3},"
		"\"language\":\"de\",\"cascade_timeout_seconds\":2,\"first_message\":\"Hallo\","
		"\"overrides\":{\"first_message\":true},\"new_block\":{\"x\":1}}");

	(void)state;
	assert_string_equal(s->call.url, "wss://h:8443/p");
	assert_string_equal(s->call.headers, "X-A: one two\r\n");
	assert_int_equal(s->variables_count, 1);
	assert_string_equal(s->variables[0].header, "X-User");
	assert_string_equal(s->variables[0].variable, "user");
	assert_int_equal(engine_settings_add_header(&s->call, "X-User", "me!", 2), 0);
	assert_string_equal(s->call.headers, "X-A: one two\r\nX-User: me\r\n");
	assert_int_equal(engine_settings_add_header(&s->call, "X-User", "a\r\nb", 4), EINVAL);
	assert_int_equal(s->call.input.encoding, LISTEN_MULAW);
	assert_string_equal(s->call.keywords, "Syrinx, GmbH");
	assert_string_equal(s->voice_id, "v");
	assert_true(s->call.speed > 1.199);
	assert_int_equal(s->call.output.sample_rate, 44100);
	assert_int_equal(s->turn_timeout_ms, 1500);
	assert_int_equal(s->initial_wait_ms, ENGINE_SETTINGS_NEVER_MS);
	assert_int_equal(s->call.silence_end_s, 30);
	assert_int_equal(s->call.turn_end.eagerness, TURN_END_EAGER);
	assert_false(s->call.turn_end.is_patient_with_spelling);
	assert_true(s->call.is_speculative);
	assert_memory_equal(s->call.ignored_terms, "mm-hm\0ja\0", 10);
	assert_memory_equal(s->ignored_languages, "de\0", 4);
	assert_false(s->call.adds_default_terms);
	assert_true(s->call.is_text_only);
	assert_int_equal(s->call.duration_max_s, 60);
	assert_int_equal(s->call.wants, CALL_WANTS_ACTIVITY);
	assert_false(s->records_audio);
	assert_true(s->records_transcript);
	assert_int_equal(s->retention_days, 7);
	assert_int_equal(s->concurrent_max, 2);
	assert_int_equal(s->daily_max, 3);
	assert_string_equal(s->call.language, "de");
	assert_int_equal(s->call.cascade_timeout_ms, 2000);
	assert_string_equal(s->call.first_message, "Hallo");
	assert_true(s->call.allows_first_message);
	mem_deref(s);
	assert_int_equal(mem_live(), 0);
}

static void what_cannot_be_used_is_refused_by_name(void **state)
{
	static const char *const cases[][2] = {
		{"{\"speech_engine\":3}", "speech_engine must be an object"},
		{"{\"vad\":[]}", "vad must be an object"},
		{"{\"speech_engine\":{\"ws_url\":\"ftp://h\"}}",
		 "speech_engine.ws_url must be a URL"},
		{"{\"speech_engine\":{\"ws_url\":\"ws://\"}}",
		 "speech_engine.ws_url must be a URL"},
		{"{\"speech_engine\":{\"ws_url\":\"ws://u:p@h\"}}", "speech_engine.ws_url must be"},
		{"{\"speech_engine\":{\"ws_url\":7}}", "speech_engine.ws_url must be a URL"},
		{"{\"speech_engine\":{\"request_headers\":{\"Host\":\"x\"}}}",
		 "Host is not a header"},
		{"{\"speech_engine\":{\"request_headers\":{\"upgrade\":\"x\"}}}", "upgrade is not"},
		{"{\"speech_engine\":{\"request_headers\":{\"Sec-WebSocket-Key\":\"x\"}}}",
		 "is not"},
		{"{\"speech_engine\":{\"request_headers\":"
		 "{\"x-elevenlabs-speech-engine-authorization\":\"x\"}}}",
		 "is not a header"},
		{"{\"speech_engine\":{\"request_headers\":{\"a b\":\"x\"}}}",
		 "a b is not a header"},
		{"{\"speech_engine\":{\"request_headers\":{\"\":\"x\"}}}", "is not a header"},
		{"{\"speech_engine\":{\"request_headers\":{\"a\":\"x\\r\\ny\"}}}",
		 "printable ASCII"},
		{"{\"speech_engine\":{\"request_headers\":{\"a\":{\"secret_id\":\"x\"}}}}",
		 "secrets are not available"},
		{"{\"asr\":{\"user_input_audio_format\":\"mp3\"}}",
		 "must be one of pcm_8000, pcm_16000"},
		{"{\"asr\":{\"keywords\":[3]}}", "asr.keywords must be a list of at most 100"},
		{"{\"tts\":{\"speed\":1.3}}",
		 "tts.speed must be a number from 0.7 to 1.2 (got 1.3)"},
		{"{\"tts\":{\"speed\":\"1\"}}", "tts.speed must be a number"},
		{"{\"tts\":{\"voice_id\":\"\"}}",
		 "tts.voice_id must be a string of 1 to 128 bytes"},
		{"{\"turn\":{\"turn_timeout\":0}}",
		 "turn.turn_timeout must be a number from 1 to 300"},
		{"{\"turn\":{\"turn_eagerness\":\"slow\"}}",
		 "must be one of patient, normal, eager"},
		{"{\"turn\":{\"speculative_turn\":1}}",
		 "turn.speculative_turn must be true or false"},
		{"{\"turn\":{\"interruption_ignore_terms\":[\"\"]}}",
		 "interruption_ignore_terms must"},
		{"{\"conversation\":{\"max_duration_seconds\":1.5}}", "must be a whole number"},
		{"{\"conversation\":{\"client_events\":[1]}}",
		 "conversation.client_events must be"},
		{"{\"cascade_timeout_seconds\":1}",
		 "cascade_timeout_seconds must be a number from 2 to"},
		{"{\"cascade_timeout_seconds\":-1}", "cascade_timeout_seconds must be a number"},
		{"{\"language\":\"\"}", "language must be a string of 2 to 15 bytes"},
		{"{\"tags\":\"x\"}", "tags must be a list"},
		{"{", "JSON"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		struct engine_settings *settings = NULL;
		struct stream_fault fault = {0};

		assert_int_equal(
			engine_settings_parse(&settings, &fault, cases[i][0], strlen(cases[i][0])),
			EINVAL);
		if (!strstr(fault.detail, cases[i][1]) && i + 1 < COUNT(cases))
			fail_msg("%s: %s", cases[i][0], fault.detail);
		assert_true(fault.detail[0]);
	}
	assert_int_equal(mem_live(), 0);
}

static void null_means_the_default(void **state)
{
	struct engine_settings *s =
		parse("{\"tts\":{\"speed\":null},\"turn\":null,\"language\":null}");

	(void)state;
	assert_true(s->call.speed > 0.999 && s->call.speed < 1.001);
	mem_deref(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_given_has_its_default),
		cmocka_unit_test(what_is_given_is_used),
		cmocka_unit_test(what_cannot_be_used_is_refused_by_name),
		cmocka_unit_test(null_means_the_default),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
