/* ElevenLabs' conversation WebSocket: the messages of its clients, and those that it sends. */
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
#include "doors/elevenlabs/convai.h"

static struct call_settings settings;
static struct call_message message;
static struct stream_fault fault;
static char *json; /* of the exact size, so that a sanitizer sees what is read behind it */

static int reset(void **state)
{
	(void)state;
	settings = call_settings_default;
	strcpy(settings.first_message, "Hello.");
	return 0;
}

static int drop(void **state)
{
	(void)state;
	free(json);
	json = NULL;
	return 0;
}

static int parse_with(struct call_settings *into, const char *text)
{
	size_t len = strlen(text);
	int err;

	free(json);
	json = malloc(len ? len : 1);
	assert_non_null(json);
	memcpy(json, text, len);
	fault = (struct stream_fault){.id = WIRE_ERROR_NONE};
	message = (struct call_message){.kind = CALL_MESSAGE_STOP};
	err = elevenlabs_convai_api.parse(&message, into, &fault, json, len);
	assert_int_equal(err != 0, fault.id != WIRE_ERROR_NONE);
	return err;
}

static void assert_kind(const char *text, enum call_message_kind kind)
{
	assert_int_equal(parse_with(&settings, text), 0);
	assert_int_equal(message.kind, kind);
}

static void assert_text(const char *text)
{
	assert_int_equal(message.text_len, strlen(text));
	assert_memory_equal(message.text, text, strlen(text));
}

/* A refused message changes nothing. */
static void assert_refused(const char *text, enum wire_error_id id, const char *detail)
{
	static struct call_settings before;

	before = settings;
	assert_int_equal(parse_with(&settings, text), EINVAL);
	assert_int_equal(fault.id, id);
	assert_string_equal(fault.detail, detail);
	assert_memory_equal(&before, &settings, sizeof(before));
}

#define START "{\"type\":\"conversation_initiation_client_data\""
#define OVERRIDE(members) START ",\"conversation_config_override\":{" members "}}"
#define PLACE "conversation_config_override: "

/* Messages of the client */

static void test_audio_is_recognized_by_its_key(void **state)
{
	(void)state;
	assert_kind("{\"user_audio_chunk\":\"AAAA\"}", CALL_MESSAGE_AUDIO);
	assert_int_equal(message.audio_len, 4);
	assert_memory_equal(message.audio, "AAAA", 4);
	assert_kind("{\"type\":\"whatever\",\"user_audio_chunk\":\"\"}", CALL_MESSAGE_AUDIO);
	assert_int_equal(message.audio_len, 0);
	assert_refused("{\"user_audio_chunk\":7}", WIRE_ERROR_INVALID_REQUEST,
		       "user_audio_chunk must be a string (got 7)");
}

static void test_what_the_user_types_is_text(void **state)
{
	(void)state;
	assert_kind("{\"type\":\"user_message\",\"text\":\"Good day\"}", CALL_MESSAGE_TEXT);
	assert_text("Good day");
	assert_kind(
		"{\"rich_content_id\":\"r\",\"text\":\"a\\u00e9\\n\",\"type\":\"user_message\"}",
		CALL_MESSAGE_TEXT);
	assert_text("a\xc3\xa9\n");
	assert_refused("{\"type\":\"user_message\"}", WIRE_ERROR_INVALID_REQUEST,
		       "text must be a string (got null)");
	assert_refused("{\"type\":\"user_message\",\"text\":{\"text\":\"x\"}}",
		       WIRE_ERROR_INVALID_REQUEST, "text must be a string (got an object)");
	assert_refused("{\"type\":\"user_message\",\"text\":[1]}", WIRE_ERROR_INVALID_REQUEST,
		       "text must be a string (got a list)");
}

static void test_of_a_message_with_parts_the_text_counts(void **state)
{
	(void)state;
	assert_kind("{\"type\":\"multimodal_message\",\"text\":{\"type\":\"user_message\","
		    "\"text\":\"Look\"},\"files\":[{\"type\":\"file_input\",\"file_id\":\"f\"}]}",
		    CALL_MESSAGE_TEXT);
	assert_text("Look");
	assert_kind("{\"type\":\"multimodal_message\",\"file\":{\"file_id\":\"f\"}}",
		    CALL_MESSAGE_IGNORED);
	assert_refused("{\"type\":\"multimodal_message\",\"text\":\"x\"}",
		       WIRE_ERROR_INVALID_REQUEST, "text must be an object (got \"x\")");
	assert_refused("{\"type\":\"multimodal_message\",\"text\":{}}", WIRE_ERROR_INVALID_REQUEST,
		       "text.text must be a string");
	assert_refused("{\"type\":\"multimodal_message\",\"text\":{\"text\":[]}}",
		       WIRE_ERROR_INVALID_REQUEST, "text.text must be a string");
}

static void test_context_activity_and_pongs_are_understood(void **state)
{
	(void)state;
	assert_kind("{\"type\":\"contextual_update\",\"text\":\"page 2\",\"context_id\":\"c\"}",
		    CALL_MESSAGE_CONTEXT);
	assert_text("page 2");
	assert_refused("{\"type\":\"contextual_update\",\"text\":1}", WIRE_ERROR_INVALID_REQUEST,
		       "text must be a string (got 1)");
	assert_kind("{\"type\":\"user_activity\"}", CALL_MESSAGE_ACTIVITY);
	assert_kind("{\"event_id\":12,\"type\":\"pong\"}", CALL_MESSAGE_PONG);
	assert_int_equal(message.number, 12);
	assert_refused("{\"type\":\"pong\"}", WIRE_ERROR_INVALID_REQUEST,
		       "event_id must be the number of a ping (got null)");
	assert_refused("{\"type\":\"pong\",\"event_id\":\"12\"}", WIRE_ERROR_INVALID_REQUEST,
		       "event_id must be the number of a ping (got \"12\")");
}

static void test_messages_without_a_meaning_here_are_ignored(void **state)
{
	static const char *const ignored[] = {
		"{\"type\":\"feedback\",\"score\":\"like\",\"event_id\":3}",
		"{\"type\":\"feedback\",\"score\":null,\"event_id\":\"x\"}",
		"{\"type\":\"client_tool_result\",\"tool_call_id\":\"t\",\"result\":\"r\","
		"\"is_error\":false}",
		"{\"type\":\"mcp_tool_approval_result\",\"tool_call_id\":\"t\",\"is_approved\":true}",
		"{\"type\":\"enclave_setup_config\",\"agent_config_dict\":{\"a\":[{}]},"
		"\"override_agent_config_list\":null,\"tools_config_list\":[],"
		"\"prompt_knowledge_base\":null}",
		"{\"type\":\"of next year\",\"text\":5,\"event_id\":{}}",
		"{\"type\":\"\"}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(ignored); ++i)
		assert_kind(ignored[i], CALL_MESSAGE_IGNORED);
}

static void test_what_is_no_message_is_refused(void **state)
{
	(void)state;
	assert_refused("", WIRE_ERROR_BAD_MESSAGE, "malformed JSON at byte 0: expected a value");
	assert_refused("{\"type\":", WIRE_ERROR_BAD_MESSAGE,
		       "malformed JSON at byte 8: expected a value");
	assert_refused("[]", WIRE_ERROR_INVALID_REQUEST, "it must be a JSON object (got a list)");
	assert_refused("{\"type\":5}", WIRE_ERROR_INVALID_REQUEST, "type must be a string (got 5)");
	assert_refused("{}", WIRE_ERROR_BAD_MESSAGE,
		       "a message must have a type or a user_audio_chunk");
	assert_int_equal(parse_with(&settings, "{\"user_audio_chunk\":\"AAAA\"} x"), EINVAL);
	assert_int_equal(parse_with(&settings, "{\"user_audio_chunk\":\"AAAA\\"), EINVAL);
}

/* The beginning */

static void test_a_start_without_overrides_changes_nothing(void **state)
{
	static const char *const starts[] = {
		START "}",
		START ",\"conversation_config_override\":{},\"custom_llm_extra_body\":{},"
		      "\"dynamic_variables\":{},\"environment\":\"production\"}",
		OVERRIDE("\"agent\":{\"prompt\":{}},\"tts\":{},\"asr\":{},\"conversation\":{}"),
		OVERRIDE("\"agent\":{\"first_message\":null},\"tts\":null,\"turn\":{\"x\":[1]}"),
		START ",\"source_info\":{\"source\":\"js_sdk\",\"version\":\"1.25.0\"},"
		      "\"user_id\":\"u\",\"tool_mock_config\":{\"mocking_strategy\":\"none\"}}",
		OVERRIDE("\"tts\":{\"stability\":0.5,\"similarity_boost\":0.8,\"voice_id\":\"\"}"),
	};
	static struct call_settings before;

	(void)state;
	before = settings;
	for (size_t i = 0; i < COUNT(starts); ++i) {
		assert_kind(starts[i], CALL_MESSAGE_START);
		assert_memory_equal(&before, &settings, sizeof(before));
	}
}

static void test_overrides_become_settings(void **state)
{
	(void)state;
	settings.allows_first_message = true;
	assert_kind(OVERRIDE("\"agent\":{\"first_message\":\"Moin.\",\"language\":\"pt-BR\"},"
			     "\"tts\":{\"voice_id\":\"21m00Tcm4TlvDq8ikWAM\",\"speed\":1.2},"
			     "\"asr\":{\"keywords\":[\"Syrinx\",\"\",\"Pan\"]},"
			     "\"conversation\":{\"text_only\":true,\"client_events\":[\"ping\","
			     "\"agent_response\",\"of next year\",\"vad_score\"]}"),
		    CALL_MESSAGE_START);
	assert_string_equal(settings.first_message, "Moin.");
	assert_string_equal(settings.language, "pt");
	assert_string_equal(settings.voice_name, "21m00Tcm4TlvDq8ikWAM");
	assert_true(settings.speed > 1.199 && settings.speed < 1.201);
	assert_string_equal(settings.keywords, "Syrinx, Pan");
	assert_true(settings.is_text_only);
	assert_int_equal(settings.wants,
			 CALL_WANTS_PING | CALL_WANTS_RESPONSE | CALL_WANTS_ACTIVITY);
}

static void test_every_event_has_a_name(void **state)
{
	(void)state;
	assert_kind(OVERRIDE("\"conversation\":{\"client_events\":["
			     "\"conversation_initiation_metadata\",\"audio\",\"user_transcript\","
			     "\"tentative_user_transcript\",\"agent_response\","
			     "\"agent_response_correction\",\"interruption\","
			     "\"agent_chat_response_part\",\"vad_score\",\"ping\"]}"),
		    CALL_MESSAGE_START);
	assert_int_equal(settings.wants, (CALL_WANTS_PING << 1) - 1);
	assert_kind(OVERRIDE("\"conversation\":{\"client_events\":[]}"), CALL_MESSAGE_START);
	assert_int_equal(settings.wants, 0);
}

static void test_in_writing_words_are_sent_as_they_are_written(void **state)
{
	(void)state;
	assert_kind(OVERRIDE("\"text_only\":true"), CALL_MESSAGE_START);
	assert_true(settings.is_text_only);
	assert_int_equal(settings.wants, call_settings_default.wants | CALL_WANTS_PARTS);
	assert_kind(OVERRIDE("\"conversation\":{\"text_only\":false}"), CALL_MESSAGE_START);
	assert_false(settings.is_text_only);
}

static void test_a_language_is_a_code(void **state)
{
	static const char *const codes[][2] = {
		{"de", "de"}, {"EN", "en"}, {"deu", "de"}, {"zh_CN", "zh"}, {"", ""}};
	char text[256];

	(void)state;
	for (size_t i = 0; i < COUNT(codes); ++i) {
		snprintf(text, sizeof(text), OVERRIDE("\"agent\":{\"language\":\"%s\"}"),
			 codes[i][0]);
		assert_kind(text, CALL_MESSAGE_START);
		assert_string_equal(settings.language, codes[i][1]);
	}
	assert_refused(OVERRIDE("\"agent\":{\"language\":\"German\"}"), WIRE_ERROR_INVALID_REQUEST,
		       "agent.language must be the code of a language (got \"German\")");
	assert_refused(OVERRIDE("\"agent\":{\"language\":\"-\"}"), WIRE_ERROR_INVALID_REQUEST,
		       "agent.language must be the code of a language (got \"-\")");
}

static void test_an_override_that_is_not_allowed_is_named(void **state)
{
	(void)state;
	assert_refused(OVERRIDE("\"agent\":{\"first_message\":\"Moin.\"},\"tts\":{\"speed\":1}"),
		       WIRE_ERROR_FORBIDDEN,
		       "the override agent.first_message is not allowed: the agent does not permit "
		       "it");
	assert_refused(
		OVERRIDE("\"agent\":{\"prompt\":{\"prompt\":\"Be rude.\"}}"), WIRE_ERROR_FORBIDDEN,
		"the override agent.prompt.prompt is not allowed: whoever answers has its own");
	assert_refused(OVERRIDE("\"agent\":{\"prompt\":{\"llm\":\"x\"}}"), WIRE_ERROR_FORBIDDEN,
		       "the override agent.prompt.llm is not allowed: whoever answers has its own");
}

static void test_an_allowed_first_message_can_be_none(void **state)
{
	(void)state;
	settings.allows_first_message = true;
	assert_kind(OVERRIDE("\"agent\":{\"first_message\":\"\"}"), CALL_MESSAGE_START);
	assert_string_equal(settings.first_message, "");
}

static void test_wrong_overrides_are_refused_with_their_place(void **state)
{
	static const struct {
		const char *text, *detail;
	} wrong[] = {
		{OVERRIDE("\"tts\":{\"speed\":0.69}"),
		 PLACE "tts: speed must be between 0.7 and 1.2 (got 0.69)"},
		{OVERRIDE("\"tts\":{\"speed\":\"1\"}"),
		 PLACE "tts: speed must be between 0.7 and 1.2 (got \"1\")"},
		{OVERRIDE("\"tts\":{\"voice_id\":1071}"),
		 PLACE "tts: voice_id must be a string (got 1071)"},
		{OVERRIDE("\"tts\":5"), PLACE "tts must be an object (got 5)"},
		{OVERRIDE("\"asr\":{\"keywords\":\"Pan\"}"),
		 PLACE "asr: keywords must be a list of strings (got \"Pan\")"},
		{OVERRIDE("\"asr\":{\"keywords\":[7]}"),
		 PLACE "asr: keywords must be a list of strings (got 7)"},
		{OVERRIDE("\"conversation\":{\"text_only\":1}"),
		 PLACE "conversation: text_only must be true or false (got 1)"},
		{OVERRIDE("\"conversation\":{\"client_events\":{}}"),
		 PLACE "conversation: client_events must be a list of strings (got an object)"},
		{OVERRIDE("\"conversation\":{\"client_events\":[null]}"),
		 PLACE "conversation: client_events must be a list of strings (got null)"},
		{START ",\"conversation_config_override\":[]}",
		 "conversation_config_override must be an object (got a list)"},
		{START ",\"dynamic_variables\":[]}",
		 "dynamic_variables must be an object (got a list)"},
		{START ",\"dynamic_variables\":{\"a\":{}}}",
		 "the value of a variable must be a string, a number or a boolean (got an object)"},
		{START ",\"dynamic_variables\":{\"a b\":1}}",
		 "the name of a variable must be a short word without braces (got \"a b\")"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); ++i)
		assert_refused(wrong[i].text, WIRE_ERROR_INVALID_REQUEST, wrong[i].detail);
}

static void test_a_voice_s_name_fits(void **state)
{
	char text[512];

	(void)state;
	snprintf(text, sizeof(text), OVERRIDE("\"tts\":{\"voice_id\":\"%063d\"}"), 7);
	assert_kind(text, CALL_MESSAGE_START);
	assert_int_equal(strlen(settings.voice_name), 63);
	snprintf(text, sizeof(text), OVERRIDE("\"tts\":{\"voice_id\":\"\xc3\xa9%062d\"}"), 7);
	assert_refused(text, WIRE_ERROR_INVALID_REQUEST, "tts.voice_id is too long");
}

static void test_variables_are_inserted_and_kept(void **state)
{
	(void)state;
	strcpy(settings.first_message, "Hello {{name}}, {{ n }} of {{is_known}}.");
	assert_int_equal(call_variables_set(&settings.variables, "plan", 4, "free", 4), 0);
	assert_kind(START ",\"dynamic_variables\":{\"name\":\"J\\u00f6rg\",\"n\":2.50,"
			  "\"is_known\":true,\"none\":null,\"plan\":\"paid\"}}",
		    CALL_MESSAGE_START);
	assert_string_equal(settings.first_message, "Hello J\xc3\xb6rg, 2.50 of true.");
	assert_string_equal(call_variables_get(&settings.variables, "plan", 4), "paid");
	assert_string_equal(call_variables_get(&settings.variables, "n", 1), "2.50");
	assert_null(call_variables_get(&settings.variables, "none", 4));
}

static void test_a_missing_variable_is_named(void **state)
{
	(void)state;
	strcpy(settings.first_message, "Hello {{name}}.");
	assert_refused(START ",\"dynamic_variables\":{\"nome\":\"x\"}}", WIRE_ERROR_INVALID_REQUEST,
		       "the first message contains {{name}}, which the client has not set");
	assert_string_equal(fault.field, CALL_VARIABLES_FIELD);
}

static void test_variables_are_bounded(void **state)
{
	static char text[2 * CALL_VARIABLES_SIZE];

	(void)state;
	snprintf(text, sizeof(text), START ",\"dynamic_variables\":{\"a\":\"%0*d\"}}",
		 CALL_VARIABLES_SIZE - 3, 0);
	assert_kind(text, CALL_MESSAGE_START);
	assert_int_equal(reset(NULL), 0);
	snprintf(text, sizeof(text), START ",\"dynamic_variables\":{\"a\":\"%0*d\"}}",
		 CALL_VARIABLES_SIZE - 2, 0);
	assert_refused(text, WIRE_ERROR_INVALID_REQUEST,
		       "the variables must have at most 8192 bytes");
	strcpy(settings.first_message, "{{a}}{{a}}");
	snprintf(text, sizeof(text), START ",\"dynamic_variables\":{\"a\":\"%03000d\"}}", 0);
	assert_refused(text, WIRE_ERROR_INVALID_REQUEST,
		       "the first message must have at most 4095 bytes");
}

static void test_nothing_is_overridden_once_the_call_has_begun(void **state)
{
	(void)state;
	assert_int_equal(parse_with(NULL, OVERRIDE("\"agent\":{\"first_message\":\"x\"}")), 0);
	assert_int_equal(message.kind, CALL_MESSAGE_START);
	assert_int_equal(parse_with(NULL, START ",\"dynamic_variables\":{\"a\":1}}"), 0);
	assert_int_equal(parse_with(NULL, OVERRIDE("\"tts\":{\"speed\":9}")), EINVAL);
}

/* Messages to the client */

static const struct call_info info = {.id = "conv_1", .stream = "", .settings = &settings};
static char reply[2048];
static struct buf out;

static int open_out(void **state)
{
	(void)state;
	buf_init(&out, sizeof(reply));
	return reset(state);
}

static int close_out(void **state)
{
	(void)state;
	buf_reset(&out);
	return 0;
}

static void assert_reply(int err, const char *expected)
{
	assert_int_equal(err, 0);
	assert_true(out.len < sizeof(reply));
	memcpy(reply, out.bytes, out.len);
	reply[out.len] = '\0';
	assert_string_equal(reply, expected);
	out.len = 0;
}

#define DIALECT elevenlabs_convai_api.dialect

static void test_the_metadata_name_both_formats(void **state)
{
	(void)state;
	assert_int_equal(elevenlabs_convai_api.start_gap_ms, 20);
	assert_reply(DIALECT->started(&out, &info),
		     "{\"type\":\"conversation_initiation_metadata\","
		     "\"conversation_initiation_metadata_event\":{\"conversation_id\":\"conv_1\","
		     "\"agent_output_audio_format\":\"pcm_16000\","
		     "\"user_input_audio_format\":\"pcm_16000\"}}");
	settings.input = (struct listen_format){LISTEN_MULAW, 8000};
	settings.output = (struct audio_format){AUDIO_MULAW, 8000, 0};
	assert_reply(DIALECT->started(&out, &info),
		     "{\"type\":\"conversation_initiation_metadata\","
		     "\"conversation_initiation_metadata_event\":{\"conversation_id\":\"conv_1\","
		     "\"agent_output_audio_format\":\"ulaw_8000\","
		     "\"user_input_audio_format\":\"ulaw_8000\"}}");
}

static void test_audio_has_whole_samples(void **state)
{
	static const uint8_t bytes[] = {1, 2, 3, 4, 5};

	(void)state;
	assert_reply(DIALECT->audio(&out, &info, 7, bytes, 4),
		     "{\"type\":\"audio\",\"audio_event\":{\"audio_base_64\":\"AQIDBA==\","
		     "\"event_id\":7}}");
	assert_reply(DIALECT->audio(&out, &info, 7, bytes, 5),
		     "{\"type\":\"audio\",\"audio_event\":{\"audio_base_64\":\"AQIDBA==\","
		     "\"event_id\":7}}");
	settings.output = (struct audio_format){AUDIO_MULAW, 8000, 0};
	assert_reply(DIALECT->audio(&out, &info, INT64_MAX, bytes, 5),
		     "{\"type\":\"audio\",\"audio_event\":{\"audio_base_64\":\"AQIDBAU=\","
		     "\"event_id\":9223372036854775807}}");
}

static void test_words_are_sent_as_they_were_said(void **state)
{
	(void)state;
	assert_reply(DIALECT->user_words(&out, &info, 3, "Say \"hi\"", 8, false),
		     "{\"type\":\"user_transcript\",\"user_transcription_event\":"
		     "{\"user_transcript\":\"Say \\\"hi\\\"\",\"event_id\":3}}");
	assert_reply(
		DIALECT->user_words(&out, &info, 3, "Say", 3, true),
		"{\"type\":\"tentative_user_transcript\",\"tentative_user_transcription_event\":"
		"{\"user_transcript\":\"Say\",\"event_id\":3}}");
	assert_reply(DIALECT->agent_words(&out, &info, 3, "Hi.", 3),
		     "{\"type\":\"agent_response\",\"agent_response_event\":"
		     "{\"agent_response\":\"Hi.\",\"event_id\":3}}");
	assert_reply(DIALECT->agent_part(&out, &info, 3, CALL_PART_START, NULL, 0),
		     "{\"type\":\"agent_chat_response_part\",\"text_response_part\":"
		     "{\"text\":\"\",\"type\":\"start\",\"event_id\":3}}");
	assert_reply(DIALECT->agent_part(&out, &info, 3, CALL_PART_WORDS, "Hi", 2),
		     "{\"type\":\"agent_chat_response_part\",\"text_response_part\":"
		     "{\"text\":\"Hi\",\"type\":\"delta\",\"event_id\":3}}");
	assert_reply(DIALECT->agent_part(&out, &info, 3, CALL_PART_END, "", 0),
		     "{\"type\":\"agent_chat_response_part\",\"text_response_part\":"
		     "{\"text\":\"\",\"type\":\"stop\",\"event_id\":3}}");
}

static void test_an_interruption_is_followed_by_what_was_heard(void **state)
{
	char text[] = "One. Two.";
	const struct buf written = {.bytes = text, .len = 9};
	const struct buf heard = {.bytes = text, .len = 4};
	const struct buf nothing = {.bytes = NULL};

	(void)state;
	assert_reply(DIALECT->interrupted(&out, &info, 4),
		     "{\"type\":\"interruption\",\"interruption_event\":{\"event_id\":4}}");
	assert_reply(DIALECT->corrected(&out, &info, 4, &written, &heard),
		     "{\"type\":\"agent_response_correction\",\"agent_response_correction_event\":"
		     "{\"original_agent_response\":\"One. Two.\",\"corrected_agent_response\":"
		     "\"One.\",\"event_id\":4}}");
	assert_reply(DIALECT->corrected(&out, &info, 4, &written, &nothing),
		     "{\"type\":\"agent_response_correction\",\"agent_response_correction_event\":"
		     "{\"original_agent_response\":\"One. Two.\",\"corrected_agent_response\":\"\","
		     "\"event_id\":4}}");
}

static void test_a_ping_always_has_its_time(void **state)
{
	(void)state;
	assert_reply(DIALECT->ping(&out, &info, 1, -1),
		     "{\"type\":\"ping\",\"ping_event\":{\"event_id\":1,\"ping_ms\":null}}");
	assert_reply(DIALECT->ping(&out, &info, 2, 48),
		     "{\"type\":\"ping\",\"ping_event\":{\"event_id\":2,\"ping_ms\":48}}");
}

static void test_a_score_is_a_probability(void **state)
{
	static const struct {
		double score;
		const char *text;
	} scores[] = {{0.98765, "0.988"}, {0, "0"}, {1, "1"}, {-1, "0"}, {2, "1"}};
	char expected[128];

	(void)state;
	for (size_t i = 0; i < COUNT(scores); ++i) {
		snprintf(expected, sizeof(expected),
			 "{\"type\":\"vad_score\",\"vad_score_event\":{\"vad_score\":%s}}",
			 scores[i].text);
		assert_reply(DIALECT->activity(&out, &info, scores[i].score), expected);
	}
}

static void assert_error(enum wire_error_id id, int code, const char *type)
{
	const struct wire_notice notice = {.id = id};
	char expected[512];

	snprintf(expected, sizeof(expected),
		 "{\"type\":\"error\",\"error_event\":{\"code\":%d,\"message\":\"%s\","
		 "\"error_type\":\"%s\"}}",
		 code, wire_error_get(id)->text, type);
	assert_reply(DIALECT->error(&out, &info, &notice), expected);
}

static void test_errors_have_the_types_that_clients_know(void **state)
{
	(void)state;
	assert_error(WIRE_ERROR_CALL_TOO_LONG, 1000, "max_duration_exceeded");
	assert_error(WIRE_ERROR_BAD_MESSAGE, 1002, "invalid_message");
	assert_error(WIRE_ERROR_INVALID_REQUEST, 1008, "value_error");
	assert_error(WIRE_ERROR_VOICE_NOT_FOUND, 1008, "override_error");
	assert_error(WIRE_ERROR_NO_CREDIT, 1008, "unknown");
	assert_error(WIRE_ERROR_HEARING_FAILED, 1011, "asr_transcription_error");
	assert_error(WIRE_ERROR_GENERATION_FAILED, 1011, "tts_cascade_error");
	assert_error(WIRE_ERROR_UNAVAILABLE, 1011, "unknown");
	assert_error(WIRE_ERROR_NO_ANSWER, 1011, "llm_error");
	strcpy(settings.url, "wss://example.org");
	assert_error(WIRE_ERROR_NO_ANSWER, 1011, "custom_llm_error");
}

static void test_an_error_says_what_was_wrong(void **state)
{
	struct wire_notice notice = {.id = WIRE_ERROR_FORBIDDEN,
				     .detail = "the override \"x\" is not allowed",
				     .request_id = "req_1",
				     .retry_s = 5};

	(void)state;
	assert_reply(DIALECT->error(&out, &info, &notice),
		     "{\"type\":\"error\",\"error_event\":{\"code\":1008,\"message\":"
		     "\"Forbidden: the override \\\"x\\\" is not allowed\","
		     "\"error_type\":\"override_error\",\"details\":{\"request_id\":\"req_1\","
		     "\"retry_after\":5}}}");
	notice = (struct wire_notice){.id = WIRE_ERROR_INVALID_REQUEST,
				      .field = CALL_VARIABLES_FIELD};
	assert_reply(DIALECT->error(&out, &info, &notice),
		     "{\"type\":\"error\",\"error_event\":{\"code\":1008,\"message\":"
		     "\"Invalid request\",\"error_type\":\"missing_dynamic_variable\"}}");
}

static void test_a_full_buffer_gets_no_half_message(void **state)
{
	static const uint8_t bytes[64] = {0};
	struct buf small;

	(void)state;
	buf_init(&small, 64);
	assert_int_equal(DIALECT->audio(&small, &info, 1, bytes, sizeof(bytes)), ENOBUFS);
	assert_int_equal(small.len, 0);
	assert_int_equal(DIALECT->started(&small, &info), ENOBUFS);
	assert_int_equal(small.len, 0);
	buf_reset(&small);
}

int main(void)
{
#define IN(name) cmocka_unit_test_setup_teardown(name, reset, drop)
#define OUT(name) cmocka_unit_test_setup_teardown(name, open_out, close_out)
	const struct CMUnitTest tests[] = {
		IN(test_audio_is_recognized_by_its_key),
		IN(test_what_the_user_types_is_text),
		IN(test_of_a_message_with_parts_the_text_counts),
		IN(test_context_activity_and_pongs_are_understood),
		IN(test_messages_without_a_meaning_here_are_ignored),
		IN(test_what_is_no_message_is_refused),
		IN(test_a_start_without_overrides_changes_nothing),
		IN(test_overrides_become_settings),
		IN(test_every_event_has_a_name),
		IN(test_in_writing_words_are_sent_as_they_are_written),
		IN(test_a_language_is_a_code),
		IN(test_an_override_that_is_not_allowed_is_named),
		IN(test_an_allowed_first_message_can_be_none),
		IN(test_wrong_overrides_are_refused_with_their_place),
		IN(test_a_voice_s_name_fits),
		IN(test_variables_are_inserted_and_kept),
		IN(test_a_missing_variable_is_named),
		IN(test_variables_are_bounded),
		IN(test_nothing_is_overridden_once_the_call_has_begun),
		OUT(test_the_metadata_name_both_formats),
		OUT(test_audio_has_whole_samples),
		OUT(test_words_are_sent_as_they_were_said),
		OUT(test_an_interruption_is_followed_by_what_was_heard),
		OUT(test_a_ping_always_has_its_time),
		OUT(test_a_score_is_a_probability),
		OUT(test_errors_have_the_types_that_clients_know),
		OUT(test_an_error_says_what_was_wrong),
		OUT(test_a_full_buffer_gets_no_half_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
