/* Messages are what clients expect, byte for byte. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "wire/reply.h"

static const struct reply_totals totals = {5.4, 3, 15};
static const struct reply_usage usage = {
	.turn_id = "t-1",
	.model_id = "kugel-3",
	.audio_seconds = 5.4,
	.characters = 142,
	.cost_known = true,
	.cost_microcents = 486000,
	.currency = "eur",
};

#define USAGE                                                                                      \
	"\"usage\":{\"audio_seconds\":5.4,\"characters\":142,\"cost_cents\":0.486,"                \
	"\"currency\":\"eur\",\"model_id\":\"kugel-3\",\"turn_id\":\"t-1\"}"

/* The buffer that every test writes to. */
static struct buf out;

static void assert_frame(int err, const char *expected)
{
	assert_int_equal(err, 0);
	assert_int_equal(buf_append(&out, "", 1), 0);
	assert_string_equal(out.bytes, expected);
	buf_reset(&out);
}

static void test_generation_started(void **state)
{
	(void)state;
	assert_frame(reply_generation_started(&out, NULL, 2, "Say \"hi\".", 9),
		     "{\"generation_started\":true,\"chunk_id\":2,\"text\":\"Say \\\"hi\\\".\"}");
}

static void test_audio_of_every_encoding(void **state)
{
	const uint8_t bytes[] = {0, 1, 2, 3, 0xfe, 0xff};
	struct audio_frame frame = {bytes, sizeof(bytes), 3};

	(void)state;
	assert_frame(reply_audio(&out, NULL, &frame, &(struct audio_format){AUDIO_PCM16, 24000, 0},
				 0, 0),
		     "{\"audio\":\"AAECA/7/\",\"enc\":\"pcm_s16le\",\"idx\":0,\"sr\":24000,"
		     "\"samples\":3,\"chunk_id\":0}");
	frame = (struct audio_frame){bytes, 4, 4};
	assert_frame(reply_audio(&out, NULL, &frame, &(struct audio_format){AUDIO_MULAW, 8000, 0},
				 12, 3),
		     "{\"audio\":\"AAECAw==\",\"enc\":\"mulaw\",\"idx\":12,\"sr\":8000,"
		     "\"samples\":4,\"chunk_id\":3}");
	frame = (struct audio_frame){bytes, 0, SIZE_MAX};
	assert_frame(reply_audio(&out, NULL, &frame,
				 &(struct audio_format){AUDIO_ALAW, UINT32_MAX, 0}, UINT32_MAX,
				 UINT32_MAX),
		     "{\"audio\":\"\",\"enc\":\"alaw\",\"idx\":4294967295,\"sr\":4294967295,"
		     "\"samples\":18446744073709551615,\"chunk_id\":4294967295}");
}

static void test_audio_that_does_not_fit_is_refused_whole(void **state)
{
	static const uint8_t bytes[960];
	struct audio_frame frame = {bytes, sizeof(bytes), 480};
	struct audio_format format = {AUDIO_PCM16, 24000, 0};
	struct buf small;
	size_t len;

	(void)state;
	assert_int_equal(reply_audio(&out, NULL, &frame, &format, 0, 0), 0);
	len = out.len;
	buf_reset(&out);
	buf_init(&small, len - 1);
	assert_int_equal(reply_audio(&small, NULL, &frame, &format, 0, 0), ENOBUFS);
	assert_int_equal(small.len, 0);
	small.max = (uint32_t)len;
	assert_int_equal(reply_audio(&small, NULL, &frame, &format, 0, 0), 0);
	assert_int_equal(small.len, len);
	buf_reset(&small);
}

static void test_word_timestamps(void **state)
{
	static const struct reply_word words[] = {
		{"Hello", 5, 0, 320, 0, 5},
		{"caf\xc3\xa9", 5, 340, 700, 6, 10},
	};

	(void)state;
	assert_frame(reply_word_timestamps(&out, NULL, 1, words, 2),
		     "{\"word_timestamps\":[{\"word\":\"Hello\",\"start_ms\":0,\"end_ms\":320,"
		     "\"char_start\":0,\"char_end\":5,\"score\":1.0},{\"word\":\"caf\xc3\xa9\","
		     "\"start_ms\":340,\"end_ms\":700,\"char_start\":6,\"char_end\":10,"
		     "\"score\":1.0}],\"chunk_id\":1}");
	assert_frame(reply_word_timestamps(&out, NULL, 0, NULL, 0),
		     "{\"word_timestamps\":[],\"chunk_id\":0}");
}

static void test_chunk_complete(void **state)
{
	(void)state;
	assert_frame(
		reply_chunk_complete(&out, NULL, 0, 1.2, 150),
		"{\"chunk_complete\":true,\"chunk_id\":0,\"audio_seconds\":1.2,\"gen_ms\":150}");
	assert_frame(reply_chunk_complete(&out, NULL, 7, 7721.0 / 24000, 0.4126),
		     "{\"chunk_complete\":true,\"chunk_id\":7,\"audio_seconds\":0.321708333,"
		     "\"gen_ms\":0}");
	assert_frame(reply_chunk_complete(&out, NULL, 8, 1, 15.5),
		     "{\"chunk_complete\":true,\"chunk_id\":8,\"audio_seconds\":1,\"gen_ms\":16}");
}

static void test_idle_warning_is_the_known_sentence(void **state)
{
	(void)state;
	assert_frame(
		reply_idle_warning(&out),
		"{\"warning\":\"Turn ended after 5s of inactivity. Send {\\\"flush\\\": true} to "
		"end a turn explicitly \xe2\x80\x94 it lowers latency and avoids this "
		"auto-flush.\"}");
}

static void test_final(void **state)
{
	(void)state;
	assert_frame(reply_final(&out, &totals),
		     "{\"final\":true,\"total_audio_seconds\":5.4,\"total_text_chunks\":3,"
		     "\"total_audio_chunks\":15}");
	assert_frame(reply_final(&out, &(struct reply_totals){0}),
		     "{\"final\":true,\"total_audio_seconds\":0,\"total_text_chunks\":0,"
		     "\"total_audio_chunks\":0}");
}

static void test_session_closed_carries_the_usage(void **state)
{
	(void)state;
	assert_frame(reply_session_closed(&out, &totals, &usage),
		     "{\"session_closed\":true,\"total_audio_seconds\":5.4,\"total_text_chunks\":3,"
		     "\"total_audio_chunks\":15," USAGE "}");
}

static void test_an_unknown_cost_is_null_and_says_so(void **state)
{
	struct reply_usage unknown = usage;

	(void)state;
	unknown.cost_known = false;
	unknown.turn_id = NULL;
	assert_frame(
		reply_session_closed(&out, &totals, &unknown),
		"{\"session_closed\":true,\"total_audio_seconds\":5.4,\"total_text_chunks\":3,"
		"\"total_audio_chunks\":15,\"usage\":{\"audio_seconds\":5.4,\"characters\":142,"
		"\"cost_cents\":null,\"cost_unavailable\":true,\"model_id\":\"kugel-3\"}}");
}

static void test_the_currency_is_the_servers_and_a_default_price_is_told(void **state)
{
	struct reply_usage other = usage;

	(void)state;
	other.currency = "usd";
	other.has_default_price = true;
	assert_frame(
		reply_session_closed(&out, &totals, &other),
		"{\"session_closed\":true,\"total_audio_seconds\":5.4,\"total_text_chunks\":3,"
		"\"total_audio_chunks\":15,\"usage\":{\"audio_seconds\":5.4,\"characters\":142,"
		"\"cost_cents\":0.486,\"currency\":\"usd\",\"default_price\":true,"
		"\"model_id\":\"kugel-3\",\"turn_id\":\"t-1\"}}");
}

static void test_cost_is_the_exact_amount_of_the_row(void **state)
{
	static const struct {
		int64_t microcents;
		const char *shown;
	} cases[] = {
		{0, "\"cost_cents\":0,"},
		{1, "\"cost_cents\":0.000001,"},
		{90000, "\"cost_cents\":0.09,"},
		{486000, "\"cost_cents\":0.486,"},
		{494999, "\"cost_cents\":0.494999,"},
		{1000000, "\"cost_cents\":1,"},
		{100000000, "\"cost_cents\":100,"},
		{12345678, "\"cost_cents\":12.345678,"},
		{9007199254740993,
		 "\"cost_cents\":9007199254.740993,"}, /* a double cannot represent it */
		{INT64_MAX, "\"cost_cents\":9223372036854.775807,"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		struct reply_usage priced = usage;

		priced.cost_microcents = cases[i].microcents;
		assert_int_equal(reply_session_closed(&out, &totals, &priced), 0);
		assert_int_equal(buf_append(&out, "", 1), 0);
		assert_non_null(strstr(out.bytes, cases[i].shown));
		buf_reset(&out);
	}
}

static void test_settings_updated_lists_all_six(void **state)
{
	struct settings settings = settings_default;

	(void)state;
	assert_frame(
		reply_settings_updated(&out, &settings),
		"{\"settings_updated\":true,\"settings\":{\"cfg_scale\":2,\"temperature\":null,"
		"\"max_new_tokens\":2048,\"language\":null,\"normalize\":true,\"speed\":1}}");
	settings.set = SETTING_TEMPERATURE | SETTING_LANGUAGE;
	settings.temperature = 0.35;
	memcpy(settings.language, "yue", 4);
	settings.speed = 1.05;
	settings.normalize = false;
	assert_frame(
		reply_settings_updated(&out, &settings),
		"{\"settings_updated\":true,\"settings\":{\"cfg_scale\":2,\"temperature\":0.35,"
		"\"max_new_tokens\":2048,\"language\":\"yue\",\"normalize\":false,"
		"\"speed\":1.05}}");
}

static int say_error(const char *context, enum wire_error_id id, const char *detail,
		     const char *request_id)
{
	const struct wire_notice notice = {.id = id, .detail = detail, .request_id = request_id};

	return reply_error(&out, context, &notice);
}

static void test_errors_come_from_the_table(void **state)
{
	(void)state;
	assert_frame(say_error(NULL, WIRE_ERROR_MISSING_VOICE, NULL, NULL),
		     "{\"error\":\"voice_id is required\",\"error_code\":\"MISSING_VOICE_ID\","
		     "\"code\":400}");
	assert_frame(say_error(NULL, WIRE_ERROR_INVALID_REQUEST,
			       "speed must be between 0.8 and 1.2 (got 3)", "r-1"),
		     "{\"error\":\"Invalid request: speed must be between 0.8 and 1.2 (got 3)\","
		     "\"error_code\":\"VALIDATION_ERROR\",\"code\":400,\"request_id\":\"r-1\"}");
	assert_frame(
		say_error(NULL, WIRE_ERROR_UNAVAILABLE, "", NULL),
		"{\"error\":\"The requested model is temporarily unavailable. Please try again "
		"shortly.\",\"error_code\":\"MODEL_UNAVAILABLE\",\"code\":503}");
}

static void test_an_error_says_when_to_try_again_if_it_is_known(void **state)
{
	const struct wire_notice notice = {.id = WIRE_ERROR_RATE_LIMITED, .retry_s = 7};

	(void)state;
	assert_frame(reply_error(&out, NULL, &notice),
		     "{\"error\":\"Rate limit exceeded\",\"error_code\":\"RATE_LIMITED\","
		     "\"code\":429,\"retry_after\":7}");
}

static void test_errors_that_end_a_connection_have_their_code(void **state)
{
	(void)state;
	assert_int_equal(wire_error_close_code(WIRE_ERROR_KEY_ENDED), 4001);
	assert_int_equal(wire_error_close_code(WIRE_ERROR_NO_CREDIT), 4003);
	assert_int_equal(wire_error_close_code(WIRE_ERROR_RATE_LIMITED), 4029);
	assert_int_equal(wire_error_close_code(WIRE_ERROR_TOO_MANY_TURNS), 0);
	assert_int_equal(wire_error_close_code(WIRE_ERROR_NO_LEDGER), 0);
}

static void test_every_error_of_the_table_can_be_said(void **state)
{
	(void)state;
#define X(name, number, code, text)                                                                \
	assert_frame(say_error(NULL, WIRE_ERROR_##name, NULL, NULL),                               \
		     "{\"error\":\"" text "\",\"error_code\":\"" code "\",\"code\":" #number "}");
	WIRE_ERRORS(X)
#undef X
}

static void test_an_endless_detail_is_cut_to_valid_json(void **state)
{
	char detail[2001];

	(void)state;
	for (size_t i = 0; i < 1000; ++i)
		memcpy(detail + 2 * i, "\xc3\xbc", 2);
	detail[2000] = '\0';
	assert_int_equal(say_error(NULL, WIRE_ERROR_INVALID_REQUEST, detail, NULL), 0);
	assert_true(out.len < 500);
	assert_memory_equal(out.bytes + out.len - strlen(",\"code\":400}"), ",\"code\":400}", 12);
	buf_reset(&out);
}

static void test_interrupted_is_plain_unless_a_report_was_asked_for(void **state)
{
	struct reply_interruption report = {&usage, "Hello ", 6, "world.", 6, 1.5};

	(void)state;
	assert_frame(reply_interrupted(&out, NULL, NULL), "{\"interrupted\":true}");
	assert_frame(reply_interrupted(&out, NULL, &report),
		     "{\"interrupted\":true,\"audio_seconds\":1.5,\"text_spoken\":\"Hello \","
		     "\"text_remaining\":\"world.\"," USAGE "}");
	report = (struct reply_interruption){0};
	assert_frame(reply_interrupted(&out, NULL, &report),
		     "{\"interrupted\":true,\"audio_seconds\":0,\"text_spoken\":\"\","
		     "\"text_remaining\":\"\"}");
}

/* The messages are in the order of the protocol's own table. */
static void test_frames_of_a_context_carry_its_id(void **state)
{
	static const uint8_t bytes[] = {1, 2};
	struct audio_frame frame = {.bytes = bytes, .len = 2, .samples = 1};
	const char ids[] = "0a\0001b";
	const struct reply_usage sum = {
		.turn_ids = ids,
		.turn_ids_len = sizeof(ids),
		.model_id = "kugel-3",
		.audio_seconds = 4.1,
		.characters = 9,
		.cost_known = true,
		.cost_microcents = 370000,
		.currency = "eur",
	};
	const struct reply_usage nothing = {
		.turn_ids = "", .model_id = "kugel-3.5", .cost_known = true, .currency = "eur"};
	struct buf id;

	(void)state;
	buf_init(&id, REPLY_CONTEXT_MAX + 1);
	assert_int_equal(reply_context_id(&id, "a\"\x01", 3), 0);
	assert_string_equal(id.bytes, "\"a\\\"\\u0001\"");
	buf_reset(&id);
	assert_frame(reply_context_created(&out, "\"c\""),
		     "{\"context_created\":true,\"context_id\":\"c\"}");
	assert_frame(reply_generation_started(&out, "\"c\"", 0, "Hi", 2),
		     "{\"generation_started\":true,\"context_id\":\"c\",\"chunk_id\":0,"
		     "\"text\":\"Hi\"}");
	assert_frame(reply_audio(&out, "\"c\"", &frame,
				 &(struct audio_format){AUDIO_PCM16, 24000, 0}, 4, 2),
		     "{\"audio\":\"AQI=\",\"enc\":\"pcm_s16le\",\"context_id\":\"c\",\"idx\":4,"
		     "\"sr\":24000,\"samples\":1,\"chunk_id\":2}");
	assert_frame(reply_word_timestamps(&out, "\"c\"", 1, NULL, 0),
		     "{\"word_timestamps\":[],\"context_id\":\"c\",\"chunk_id\":1}");
	assert_frame(reply_chunk_complete(&out, "\"c\"", 0, 1.2, 150),
		     "{\"chunk_complete\":true,\"context_id\":\"c\",\"chunk_id\":0,"
		     "\"audio_seconds\":1.2,\"gen_ms\":150}");
	assert_frame(reply_context_final(&out, "\"c\""), "{\"final\":true,\"context_id\":\"c\"}");
	assert_frame(reply_interrupted(&out, "\"c\"", NULL),
		     "{\"interrupted\":true,\"context_id\":\"c\"}");
	assert_frame(reply_context_closed(&out, "\"c\"", &nothing),
		     "{\"context_closed\":true,\"context_id\":\"c\",\"usage\":{\"audio_seconds\":0,"
		     "\"characters\":0,\"cost_cents\":0,\"currency\":\"eur\",\"model_id\":"
		     "\"kugel-3.5\",\"turn_ids\":[]}}");
	assert_frame(
		reply_context_closed(&out, "\"c\"", &sum),
		"{\"context_closed\":true,\"context_id\":\"c\",\"usage\":{\"audio_seconds\":4.1,"
		"\"characters\":9,\"cost_cents\":0.37,\"currency\":\"eur\",\"model_id\":"
		"\"kugel-3\",\"turn_ids\":[\"0a\",\"1b\"]}}");
	assert_frame(reply_multi_closed(&out, 5.4),
		     "{\"session_closed\":true,\"total_audio_seconds\":5.4}");
	assert_frame(say_error("\"c\"", WIRE_ERROR_MISSING_VOICE, NULL, "r"),
		     "{\"error\":\"voice_id is required\",\"error_code\":\"MISSING_VOICE_ID\","
		     "\"code\":400,\"context_id\":\"c\",\"request_id\":\"r\"}");
}

/* Each of the 256 bytes of the id needs six in JSON, and all numbers have their largest values. */
static void test_the_longest_id_fits_into_an_audio_frame(void **state)
{
	char id[REPLY_CONTEXT_ID_MAX];
	struct audio_frame frame = {.bytes = (const uint8_t *)"", .len = 0, .samples = SIZE_MAX};
	struct buf json;
	struct buf large;

	(void)state;
	memset(id, 1, sizeof(id));
	buf_init(&json, REPLY_CONTEXT_MAX + 1);
	buf_init(&large, 4096);
	assert_int_equal(reply_context_id(&json, id, sizeof(id)), 0);
	assert_int_equal(strlen(json.bytes), REPLY_CONTEXT_MAX);
	assert_int_equal(reply_audio(&large, json.bytes, &frame,
				     &(struct audio_format){AUDIO_ALAW, UINT32_MAX, 0}, UINT32_MAX,
				     UINT32_MAX),
			 0);
	assert_int_equal(large.bytes[large.len - 1], '}');
	buf_reset(&json);
	buf_reset(&large);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_generation_started),
		cmocka_unit_test(test_audio_of_every_encoding),
		cmocka_unit_test(test_audio_that_does_not_fit_is_refused_whole),
		cmocka_unit_test(test_word_timestamps),
		cmocka_unit_test(test_chunk_complete),
		cmocka_unit_test(test_idle_warning_is_the_known_sentence),
		cmocka_unit_test(test_final),
		cmocka_unit_test(test_session_closed_carries_the_usage),
		cmocka_unit_test(test_an_unknown_cost_is_null_and_says_so),
		cmocka_unit_test(test_the_currency_is_the_servers_and_a_default_price_is_told),
		cmocka_unit_test(test_cost_is_the_exact_amount_of_the_row),
		cmocka_unit_test(test_settings_updated_lists_all_six),
		cmocka_unit_test(test_errors_come_from_the_table),
		cmocka_unit_test(test_an_error_says_when_to_try_again_if_it_is_known),
		cmocka_unit_test(test_errors_that_end_a_connection_have_their_code),
		cmocka_unit_test(test_every_error_of_the_table_can_be_said),
		cmocka_unit_test(test_an_endless_detail_is_cut_to_valid_json),
		cmocka_unit_test(test_interrupted_is_plain_unless_a_report_was_asked_for),
		cmocka_unit_test(test_frames_of_a_context_carry_its_id),
		cmocka_unit_test(test_the_longest_id_fits_into_an_audio_frame),
	};

	buf_init(&out, 1 << 16);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
