/* Twilio's Media Streams: the messages in both directions, signatures, and the answer to a call. */
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
#include "doors/twilio/twilio.h"

static struct call_settings settings;
static struct call_message message;
static struct stream_fault fault;
static char *json; /* of the exact size, so that a sanitizer sees what is read behind it */
static struct buf out;

static int reset(void **state)
{
	(void)state;
	settings = call_settings_default;
	buf_init(&out, 4096);
	return 0;
}

static int drop(void **state)
{
	(void)state;
	free(json);
	json = NULL;
	buf_reset(&out);
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
	message = (struct call_message){.kind = CALL_MESSAGE_PONG};
	err = twilio_api.parse(&message, into, &fault, json, len);
	assert_int_equal(err != 0, fault.id != WIRE_ERROR_NONE);
	return err;
}

static void assert_kind(const char *text, enum call_message_kind kind)
{
	assert_int_equal(parse_with(&settings, text), 0);
	assert_int_equal(message.kind, kind);
}

/* The call has begun. */
static void assert_kind_in_call(const char *text, enum call_message_kind kind)
{
	assert_int_equal(parse_with(NULL, text), 0);
	assert_int_equal(message.kind, kind);
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

/* Messages from Twilio */

#define START(parameters, format)                                                                  \
	"{\"event\":\"start\",\"sequenceNumber\":\"1\",\"start\":{\"accountSid\":\"AC1\","         \
	"\"streamSid\":\"MZ1\",\"callSid\":\"CA1\",\"tracks\":[\"inbound\"],"                      \
	"\"mediaFormat\":" format ",\"customParameters\":" parameters "},\"streamSid\":\"MZ1\"}"
#define MULAW "{\"encoding\":\"audio/x-mulaw\",\"sampleRate\":8000,\"channels\":1}"

static void test_a_connection_starts_with_an_id_and_mu_law(void **state)
{
	(void)state;
	assert_kind("{\"event\":\"connected\",\"protocol\":\"Call\",\"version\":\"1.0.0\"}",
		    CALL_MESSAGE_IGNORED);
	assert_int_equal(settings.input.encoding, LISTEN_PCM16);
	assert_kind(START("{}", MULAW), CALL_MESSAGE_START);
	assert_string_equal(message.stream, "MZ1");
	assert_int_equal(settings.input.encoding, LISTEN_MULAW);
	assert_int_equal(settings.input.sample_rate, 8000);
	assert_int_equal(settings.output.encoding, AUDIO_MULAW);
	assert_int_equal(settings.output.sample_rate, 8000);
}

static void test_parameters_are_variables(void **state)
{
	(void)state;
	strcpy(settings.first_message, "Hello {{name}}.");
	assert_kind(START("{\"name\":\"Ada\",\"two words\":\"x\"}", MULAW), CALL_MESSAGE_START);
	assert_string_equal(settings.first_message, "Hello Ada.");
	assert_string_equal(call_variables_get(&settings.variables, "name", 4), "Ada");
	assert_null(call_variables_get(&settings.variables, "two words", 9));
}

static void test_a_start_that_cannot_be_served_is_refused(void **state)
{
	static char text[2 * CALL_VARIABLES_SIZE];

	(void)state;
	assert_refused("{\"event\":\"start\",\"start\":{}}", WIRE_ERROR_BAD_MESSAGE,
		       "start must have a streamSid of at most 63 bytes");
	assert_refused("{\"event\":\"start\",\"streamSid\":\"\"}", WIRE_ERROR_INVALID_REQUEST,
		       "streamSid must have 1 to 63 characters (got 0)");
	assert_refused("{\"event\":\"start\",\"streamSid\":\"\xc3\xa9"
		       "0123456789012345678901234567890123456789012345678901234567890\xc3\xa9\"}",
		       WIRE_ERROR_BAD_MESSAGE, "start must have a streamSid of at most 63 bytes");
	assert_refused(START("{}", "{\"encoding\":\"audio/opus\"}"), WIRE_ERROR_INVALID_REQUEST,
		       "start: mediaFormat: encoding must be one of audio/x-mulaw (got "
		       "\"audio/opus\")");
	assert_refused(START("{}", "{\"sampleRate\":16000}"), WIRE_ERROR_INVALID_REQUEST,
		       "start: mediaFormat: sampleRate must be a whole number from 8000 to 8000 "
		       "(got 16000)");
	assert_refused(START("[]", MULAW), WIRE_ERROR_INVALID_REQUEST,
		       "start: customParameters must be an object (got a list)");
	assert_refused(START("{\"a\":1}", MULAW), WIRE_ERROR_INVALID_REQUEST,
		       "start: a parameter must be a string (got 1)");
	snprintf(text, sizeof(text), START("{\"a\":\"%0*d\"}", MULAW), CALL_VARIABLES_SIZE, 0);
	assert_refused(text, WIRE_ERROR_INVALID_REQUEST,
		       "start: the parameters must have at most 8192 bytes");
	strcpy(settings.first_message, "Hello {{name}}.");
	assert_refused(START("{}", MULAW), WIRE_ERROR_INVALID_REQUEST,
		       "the first message contains {{name}}, which the client has not set");
}

static void test_once_a_call_has_begun_only_its_id_is_read(void **state)
{
	(void)state;
	assert_int_equal(parse_with(NULL, START("{\"a\":\"b\"}", MULAW)), 0);
	assert_string_equal(message.stream, "MZ1");
}

static void test_audio_is_the_caller_s(void **state)
{
	(void)state;
	assert_kind_in_call(
		"{\"event\":\"media\",\"sequenceNumber\":\"4\",\"media\":{\"track\":\"inbound\","
		"\"chunk\":\"2\",\"timestamp\":\"5\",\"payload\":\"\\/\\/\\/\\/\"},"
		"\"streamSid\":\"MZ1\"}",
		CALL_MESSAGE_AUDIO);
	assert_int_equal(message.audio_len, 4);
	assert_memory_equal(message.audio, "////", 4);
	assert_kind_in_call("{\"event\":\"media\",\"media\":{\"payload\":\"\"}}",
			    CALL_MESSAGE_AUDIO);
	assert_int_equal(message.audio_len, 0);
	assert_kind_in_call(
		"{\"event\":\"media\",\"media\":{\"track\":\"outbound\",\"payload\":\"AA==\"}}",
		CALL_MESSAGE_IGNORED);
	assert_refused("{\"event\":\"media\"}", WIRE_ERROR_BAD_MESSAGE,
		       "media must have a payload");
	assert_refused("{\"event\":\"media\",\"media\":{\"payload\":5}}",
		       WIRE_ERROR_INVALID_REQUEST, "media: payload must be a string (got 5)");
	assert_refused("{\"event\":\"media\",\"media\":\"AA==\"}", WIRE_ERROR_INVALID_REQUEST,
		       "media must be an object (got \"AA==\")");
}

static void test_marks_return_with_their_numbers(void **state)
{
	(void)state;
	assert_kind_in_call("{\"event\":\"mark\",\"sequenceNumber\":\"9\",\"streamSid\":\"MZ1\","
			    "\"mark\":{\"name\":\"42\"}}",
			    CALL_MESSAGE_PLAYED);
	assert_int_equal(message.number, 42);
	assert_kind_in_call("{\"event\":\"mark\",\"mark\":{\"name\":\"hold music\"}}",
			    CALL_MESSAGE_IGNORED);
	assert_kind_in_call("{\"event\":\"mark\",\"mark\":{\"name\":\"\"}}", CALL_MESSAGE_IGNORED);
	assert_kind_in_call("{\"event\":\"mark\",\"mark\":{\"name\":\"99999999999999999999\"}}",
			    CALL_MESSAGE_IGNORED);
	assert_refused("{\"event\":\"mark\"}", WIRE_ERROR_BAD_MESSAGE, "mark must have a name");
}

static void test_keys_show_that_somebody_is_there(void **state)
{
	(void)state;
	assert_kind_in_call("{\"event\":\"dtmf\",\"streamSid\":\"MZ1\",\"sequenceNumber\":\"5\","
			    "\"dtmf\":{\"track\":\"inbound_track\",\"digit\":\"1\"}}",
			    CALL_MESSAGE_ACTIVITY);
}

static void test_nothing_is_heard_before_the_start(void **state)
{
	(void)state;
	assert_kind("{\"event\":\"media\",\"media\":{\"payload\":\"AA==\"}}", CALL_MESSAGE_IGNORED);
	assert_kind("{\"event\":\"mark\",\"mark\":{\"name\":\"1\"}}", CALL_MESSAGE_IGNORED);
	assert_kind("{\"event\":\"dtmf\",\"dtmf\":{\"digit\":\"1\"}}", CALL_MESSAGE_IGNORED);
}

static void test_the_end_is_the_end(void **state)
{
	(void)state;
	assert_kind("{\"event\":\"stop\",\"sequenceNumber\":\"5\",\"streamSid\":\"MZ1\","
		    "\"stop\":{\"accountSid\":\"AC1\",\"callSid\":\"CA1\"}}",
		    CALL_MESSAGE_STOP);
	assert_string_equal(message.stream, "");
}

static void test_what_is_no_message_is_refused(void **state)
{
	(void)state;
	assert_kind("{\"event\":\"of next year\",\"x\":[{}]}", CALL_MESSAGE_IGNORED);
	assert_refused("{}", WIRE_ERROR_BAD_MESSAGE, "a message must have an event");
	assert_refused("{\"event\":1}", WIRE_ERROR_INVALID_REQUEST,
		       "event must be a string (got 1)");
	assert_refused("null", WIRE_ERROR_INVALID_REQUEST, "it must be a JSON object (got null)");
	assert_refused("{\"event\"", WIRE_ERROR_BAD_MESSAGE,
		       "malformed JSON at byte 8: expected ':'");
	assert_int_equal(parse_with(&settings, "{\"event\":\"stop\"}{}"), EINVAL);
}

/* Messages to Twilio */

static const struct call_info info = {.id = "conv_1", .stream = "MZ1", .settings = &settings};

static void assert_out(int err, const char *expected)
{
	char text[4097];

	assert_int_equal(err, 0);
	if (out.len > 0)
		memcpy(text, out.bytes, out.len);
	text[out.len] = '\0';
	assert_string_equal(text, expected);
	out.len = 0;
}

static void test_every_message_has_the_id(void **state)
{
	static const uint8_t bytes[] = {1, 2, 3, 4, 5};
	const struct call_dialect *dialect = twilio_api.dialect;

	(void)state;
	assert_int_equal(twilio_api.start_gap_ms, 0);
	assert_out(dialect->started(&out, &info), "");
	assert_out(
		dialect->audio(&out, &info, 3, bytes, sizeof(bytes)),
		"{\"event\":\"media\",\"streamSid\":\"MZ1\",\"media\":{\"payload\":\"AQIDBAU=\"}}");
	assert_out(dialect->interrupted(&out, &info, 3),
		   "{\"event\":\"clear\",\"streamSid\":\"MZ1\"}");
	assert_out(dialect->mark(&out, &info, 42),
		   "{\"event\":\"mark\",\"streamSid\":\"MZ1\",\"mark\":{\"name\":\"42\"}}");
	assert_null(dialect->user_words);
	assert_null(dialect->agent_words);
	assert_null(dialect->agent_part);
	assert_null(dialect->corrected);
	assert_null(dialect->activity);
	assert_null(dialect->ping);
	assert_null(dialect->error);
}

static void test_a_full_buffer_gets_no_half_message(void **state)
{
	static const uint8_t bytes[64] = {0};

	(void)state;
	for (size_t max = 1; max < 130; ++max) {
		struct buf small;
		int err;

		buf_init(&small, max);
		err = twilio_api.dialect->audio(&small, &info, 1, bytes, sizeof(bytes));
		assert_int_equal(small.len, err ? 0 : 142);
		buf_reset(&small);
	}
}

/* Signatures, made by Twilio's own library. */

static const struct twilio_param form[] = {
	{"To", "+18005551212"},     {"CallSid", "CA1234567890ABCDE"},
	{"Caller", "+14158675309"}, {"From", "+14158675309"},
	{"Digits", "1234"},
};

static void test_signatures_of_twilio_are_valid(void **state)
{
	static const struct twilio_param odd[] = {{"B2", "x"}, {"a", "ü"}, {"B", "2"},
						  {"A", ""},   {"B", "1"}, {"B", "2"}};
	static const struct {
		const char *signature, *token, *url;
		const struct twilio_param *params;
		size_t count;
	} requests[] = {
		{"RSOYDt4T1cUTdK1PDd93/VVr8B8=", "12345",
		 "https://mycompany.com/myapp.php?foo=1&bar=2", form, COUNT(form)},
		{"RSOYDt4T1cUTdK1PDd93/VVr8B8=", "12345",
		 "https://mycompany.com:443/myapp.php?foo=1&bar=2", form, COUNT(form)},
		{"kvajT1Ptam85bY51eRf/AJRuM3w=", "12345",
		 "https://mycompany.com/myapp.php?foo=1&bar=2", form, COUNT(form)},
		{"6+4p/sLGUwX8RvqesbZ/ImsxbDs=", "s3cret", "wss://voice.example.org/twilio/a1",
		 NULL, 0},
		{"A2pQM8TyRK0NnUihvNBwCtEdi60=", "s3cret", "wss://voice.example.org/twilio/a1",
		 NULL, 0},
		{"FE3f0HekSTskh5DbaLputeYDfJA=", "s3cret", "https://example.org/x", odd,
		 COUNT(odd)},
		{"Jt74OHwoxTn2MuOFkyEO4ddQgcQ=", "s3cret", "https://u:p@[::1]/x?y=:1", NULL, 0},
		{"INF5eUe5d+G5egRxrCYigJ1OHQc=", "s3cret", "https://u:p@[::1]/x?y=:1", NULL, 0},
		{"gI+l/nX4yOgmPuZcwtWGPWbVhxg=", "s3cret", "http://example.org:8080", NULL, 0},
		{"O1m/3Y7I8VPpIpFyOe6gv5VbRfk=", "s3cret", "http://example.org:8080", NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(requests); ++i)
		assert_true(twilio_signature_is_valid(requests[i].signature, requests[i].token,
						      requests[i].url, requests[i].params,
						      requests[i].count));
}

static void test_other_signatures_are_not(void **state)
{
	static const char url[] = "https://mycompany.com/myapp.php?foo=1&bar=2";
	static const char signature[] = "RSOYDt4T1cUTdK1PDd93/VVr8B8=";
	static struct twilio_param many[TWILIO_SIGNATURE_PARAMS_MAX + 1];
	char wrong[sizeof(signature)];
	static char long_url[TWILIO_SIGNATURE_URL_MAX + 16] = "https://";

	(void)state;
	for (size_t i = 0; i < sizeof(signature) - 1; ++i) {
		memcpy(wrong, signature, sizeof(wrong));
		wrong[i] ^= 1;
		assert_false(twilio_signature_is_valid(wrong, "12345", url, form, COUNT(form)));
	}
	assert_false(twilio_signature_is_valid("", "12345", url, form, COUNT(form)));
	assert_false(twilio_signature_is_valid(signature, "12346", url, form, COUNT(form)));
	assert_false(twilio_signature_is_valid(signature, "", url, form, COUNT(form)));
	assert_false(twilio_signature_is_valid(signature, "12345", url, form, COUNT(form) - 1));
	assert_false(
		twilio_signature_is_valid(signature, "12345", "mycompany.com", form, COUNT(form)));
	for (size_t i = 0; i < COUNT(many); ++i)
		many[i] = (struct twilio_param){"a", "b"};
	assert_false(twilio_signature_is_valid(signature, "12345", url, many, COUNT(many)));
	memset(long_url + 8, 'a', sizeof(long_url) - 9);
	assert_false(twilio_signature_is_valid(signature, "12345", long_url, NULL, 0));
}

/* The answer to a call */

#define HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Response><Connect><Stream url="
#define TAIL "</Stream></Connect></Response>\n"

static void test_the_answer_connects_the_call(void **state)
{
	static const struct twilio_param params[] = {{"agent", "reception"},
						     {"name", "\"O'Neil\" <a&b>\n\x01é\xff"}};

	(void)state;
	assert_out(twilio_twiml_connect(&out, "wss://example.org/twilio", NULL, 0),
		   HEAD "\"wss://example.org/twilio\">" TAIL);
	assert_out(twilio_twiml_connect(&out, "wss://example.org/?a=1&b=2", params, COUNT(params)),
		   HEAD "\"wss://example.org/?a=1&amp;b=2\">"
			"<Parameter name=\"agent\" value=\"reception\"/>"
			"<Parameter name=\"name\" value=\"&quot;O&apos;Neil&quot; &lt;a&amp;b&gt;"
			"&#10;é\xef\xbf\xbd\"/>" TAIL);
}

static void test_an_answer_is_complete_or_missing(void **state)
{
	static const struct twilio_param param = {"a", "&"};

	(void)state;
	for (size_t max = 1; max < 170; ++max) {
		struct buf small;
		int err;

		buf_init(&small, max);
		err = twilio_twiml_connect(&small, "wss://example.org", &param, 1);
		assert_true(err ? small.len == 0 : small.len > 100);
		buf_reset(&small);
	}
}

static void test_a_busy_line_is_an_answer(void **state)
{
	(void)state;
	assert_out(twilio_twiml_busy(&out), "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
					    "<Response><Reject reason=\"busy\"/></Response>\n");
}

/* Forms */

static struct twilio_param params[TWILIO_SIGNATURE_PARAMS_MAX];
static size_t params_count;

static int read_form(const char *text, size_t len)
{
	free(json);
	json = malloc(len + 1);
	assert_non_null(json);
	memcpy(json, text, len);
	json[len] = '\0';
	params_count = 12345;
	return twilio_form_read(&params_count, params, json, len);
}

static void assert_param(size_t i, const char *name, const char *value)
{
	assert_true(i < params_count);
	assert_string_equal(params[i].name, name);
	assert_string_equal(params[i].value, value);
}

static void test_a_form_is_names_and_values(void **state)
{
	static const char text[] = "From=%2B1555&To=a+b%26c%3D&Empty=&Alone&&a%3Db=c=d&From=2";

	(void)state;
	assert_int_equal(read_form(text, strlen(text)), 0);
	assert_int_equal(params_count, 6);
	assert_param(0, "From", "+1555");
	assert_param(1, "To", "a b&c=");
	assert_param(2, "Empty", "");
	assert_param(3, "Alone", "");
	assert_param(4, "a=b", "c=d");
	assert_param(5, "From", "2");
	assert_string_equal(twilio_form_value(params, params_count, "From"), "+1555");
	assert_string_equal(twilio_form_value(params, params_count, "from"), "");
	assert_int_equal(read_form("", 0), 0);
	assert_int_equal(params_count, 0);
	assert_int_equal(read_form("=", 1), 0);
	assert_param(0, "", "");
}

static void test_a_form_that_cannot_be_read_is_refused(void **state)
{
	static const char *const forms[] = {"a=%", "a=%4", "a=%zz", "%00=a", "a=%00", "a=b&%g0"};
	char many[2 * TWILIO_SIGNATURE_PARAMS_MAX + 2];

	(void)state;
	for (size_t i = 0; i < COUNT(forms); ++i)
		assert_int_equal(read_form(forms[i], strlen(forms[i])), EINVAL);
	assert_int_equal(read_form("a=b\0c", 5), EINVAL);
	for (size_t i = 0; i < sizeof(many); ++i)
		many[i] = i % 2 ? '&' : 'a';
	assert_int_equal(read_form(many, sizeof(many)), E2BIG);
	assert_int_equal(read_form(many, sizeof(many) - 2), 0);
	assert_int_equal(params_count, TWILIO_SIGNATURE_PARAMS_MAX);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, reset, drop)
	const struct CMUnitTest tests[] = {
		TEST(test_a_connection_starts_with_an_id_and_mu_law),
		TEST(test_parameters_are_variables),
		TEST(test_a_start_that_cannot_be_served_is_refused),
		TEST(test_once_a_call_has_begun_only_its_id_is_read),
		TEST(test_audio_is_the_caller_s),
		TEST(test_marks_return_with_their_numbers),
		TEST(test_keys_show_that_somebody_is_there),
		TEST(test_nothing_is_heard_before_the_start),
		TEST(test_the_end_is_the_end),
		TEST(test_what_is_no_message_is_refused),
		TEST(test_every_message_has_the_id),
		TEST(test_a_full_buffer_gets_no_half_message),
		TEST(test_signatures_of_twilio_are_valid),
		TEST(test_other_signatures_are_not),
		TEST(test_the_answer_connects_the_call),
		TEST(test_an_answer_is_complete_or_missing),
		TEST(test_a_busy_line_is_an_answer),
		TEST(test_a_form_is_names_and_values),
		TEST(test_a_form_that_cannot_be_read_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
