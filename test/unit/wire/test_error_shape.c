/* Every error has a status and a body in each vendor's shape. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "wire/error_shape.h"

static const enum wire_error_id ids[] = {
#define X(name, number, code, text) WIRE_ERROR_##name,
	WIRE_ERRORS(X)
#undef X
};

static void assert_writes(const struct error_shape *shape, enum wire_error_id id,
			  const char *detail, const char *want)
{
	const struct wire_notice notice = {.id = id, .detail = detail, .request_id = "req_1"};
	struct buf out;

	buf_init(&out, 4096);
	assert_int_equal(shape->write(&out, &notice), 0);
	assert_int_equal(out.len, strlen(want));
	assert_memory_equal(out.bytes, want, out.len);
	buf_reset(&out);
}

static void test_every_error_is_json_with_a_status(void **state)
{
	static const struct error_shape *const shapes[] = {
		&error_shape_native, &error_shape_elevenlabs, &error_shape_openai};

	(void)state;
	for (size_t s = 0; s < 3; ++s) {
		for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); ++i) {
			const struct wire_notice notice = {.id = ids[i], .detail = "a \"b\"\n"};
			int status = shapes[s]->status(ids[i]);
			struct json_value value;
			struct json json;
			struct buf out;

			assert_in_range(status, 400, 599);
			buf_init(&out, 4096);
			assert_int_equal(shapes[s]->write(&out, &notice), 0);
			json_open(&json, out.bytes, out.len);
			json_value(&json, &value);
			json_skip(&json, &value);
			assert_int_equal(json_close(&json), 0);
			buf_reset(&out);
		}
	}
}

static void test_elevenlabs(void **state)
{
	const struct error_shape *shape = &error_shape_elevenlabs;

	(void)state;
	assert_writes(shape, WIRE_ERROR_VOICE_NOT_FOUND, "voice_id x",
		      "{\"detail\":{\"status\":\"voice_not_found\",\"message\":\"Voice not found: "
		      "voice_id x\",\"request_id\":\"req_1\"}}");
	assert_int_equal(shape->status(WIRE_ERROR_MISSING_KEY), 401);
	assert_int_equal(shape->status(WIRE_ERROR_WRONG_KEY), 401);
	assert_int_equal(shape->status(WIRE_ERROR_INVALID_REQUEST), 422);
	assert_int_equal(shape->status(WIRE_ERROR_TEXT_TOO_LONG), 400);
	assert_int_equal(shape->status(WIRE_ERROR_NO_CREDIT), 401);
	assert_writes(shape, WIRE_ERROR_RATE_LIMITED, NULL,
		      "{\"detail\":{\"status\":\"rate_limit_exceeded\",\"message\":\"Rate limit "
		      "exceeded\",\"request_id\":\"req_1\"}}");
	assert_int_equal(shape->status(WIRE_ERROR_INTERNAL), 500);
	assert_writes(shape, WIRE_ERROR_ENTRY_NOT_FOUND, NULL,
		      "{\"detail\":{\"status\":\"not_found\",\"message\":\"Entry not found\","
		      "\"request_id\":\"req_1\"}}");
}

static void test_openai(void **state)
{
	const struct error_shape *shape = &error_shape_openai;

	(void)state;
	assert_writes(shape, WIRE_ERROR_WRONG_KEY, NULL,
		      "{\"error\":{\"message\":\"Invalid API key\",\"type\":"
		      "\"invalid_request_error\",\"param\":null,\"code\":\"invalid_api_key\"}}");
	assert_writes(shape, WIRE_ERROR_UNAVAILABLE, "",
		      "{\"error\":{\"message\":\"The requested model is temporarily unavailable. "
		      "Please try again shortly.\",\"type\":\"server_error\",\"param\":null,"
		      "\"code\":null}}");
	assert_writes(shape, WIRE_ERROR_NO_CREDIT, NULL,
		      "{\"error\":{\"message\":\"Insufficient credits\",\"type\":"
		      "\"insufficient_quota\",\"param\":null,\"code\":\"insufficient_quota\"}}");
	assert_int_equal(shape->status(WIRE_ERROR_NO_CREDIT), 429);
	assert_int_equal(shape->status(WIRE_ERROR_WRONG_KEY), 401);
	assert_int_equal(shape->status(WIRE_ERROR_INVALID_REQUEST), 400);
	assert_int_equal(shape->status(WIRE_ERROR_VOICE_NOT_FOUND), 400);
	assert_writes(shape, WIRE_ERROR_MODEL_NOT_FOUND, NULL,
		      "{\"error\":{\"message\":\"Model not found\",\"type\":"
		      "\"invalid_request_error\",\"param\":null,\"code\":\"model_not_found\"}}");
	assert_int_equal(shape->status(WIRE_ERROR_MODEL_NOT_FOUND), 404);
}

static void test_openai_names_the_field(void **state)
{
	const struct wire_notice notice = {
		.id = WIRE_ERROR_INVALID_REQUEST, .detail = "no", .field = "speed"};
	struct buf out;

	(void)state;
	buf_init(&out, 4096);
	assert_int_equal(error_shape_openai.write(&out, &notice), 0);
	assert_non_null(memmem(out.bytes, out.len, "\"param\":\"speed\"", 15));
	buf_reset(&out);
}

static void test_paths_have_the_shape_of_their_clients(void **state)
{
	(void)state;
	assert_ptr_equal(error_shape_of("/v1/tts/generate", ERROR_CLIENT_ELEVENLABS),
			 &error_shape_native);
	assert_ptr_equal(error_shape_of("/v1/text-to-speech/1/stream", ERROR_CLIENT_ANY),
			 &error_shape_elevenlabs);
	assert_ptr_equal(error_shape_of("/11labs/v1/nothing", ERROR_CLIENT_ELEVENLABS),
			 &error_shape_elevenlabs);
	assert_ptr_equal(error_shape_of("/vapi/synthesize", ERROR_CLIENT_ANY), &error_shape_native);
	assert_ptr_equal(error_shape_of("", ERROR_CLIENT_ELEVENLABS), &error_shape_native);
	assert_ptr_equal(error_shape_of("/v1/dictionaries/1", ERROR_CLIENT_ELEVENLABS),
			 &error_shape_native);
	assert_ptr_equal(error_shape_of("/v1/usage/turns", ERROR_CLIENT_ELEVENLABS),
			 &error_shape_native);
	assert_ptr_equal(error_shape_of("/v1/text-to-speech", ERROR_CLIENT_ANY),
			 &error_shape_elevenlabs);
	assert_ptr_equal(error_shape_of("/v1/sound-generation", ERROR_CLIENT_ANY),
			 &error_shape_elevenlabs);
	assert_ptr_equal(error_shape_of("/v1/audio-isolation", ERROR_CLIENT_ANY),
			 &error_shape_elevenlabs);
	assert_ptr_equal(error_shape_of("/v1/pronunciation-dictionaries/1", ERROR_CLIENT_ANY),
			 &error_shape_elevenlabs);
	assert_ptr_equal(error_shape_of("/v1/nothing", ERROR_CLIENT_ANY), &error_shape_native);
	assert_ptr_equal(error_shape_of("/v1/nothing", ERROR_CLIENT_ELEVENLABS),
			 &error_shape_elevenlabs);
}

static void test_paths_of_openai_have_its_shape(void **state)
{
	static const char *const paths[] = {
		"/v1/audio",     "/v1/audio/speech", "/v1/audio/nothing",
		"/v1/models",    "/v1/models/tts-1", "/v1/chat/completions",
		"/v1/responses", "/audio/speech",    "/models"};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); ++i)
		assert_ptr_equal(error_shape_of(paths[i], ERROR_CLIENT_ANY), &error_shape_openai);
	assert_ptr_equal(error_shape_of("/v1/audio/speech", ERROR_CLIENT_ELEVENLABS),
			 &error_shape_elevenlabs);
	assert_ptr_equal(error_shape_of("/v1/audio/speech", ERROR_CLIENT_KUGELAUDIO),
			 &error_shape_openai);
}

static void test_paths_of_kugelaudios_sdks_have_the_native_shape(void **state)
{
	static const char *const paths[] = {"/v1/models/x", "/v1/audio/transcriptions",
					    "/v1/audio/enhance"};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); ++i) {
		assert_ptr_equal(error_shape_of(paths[i], ERROR_CLIENT_KUGELAUDIO),
				 &error_shape_native);
		assert_ptr_equal(error_shape_of(paths[i], ERROR_CLIENT_ANY), &error_shape_openai);
	}
}

static void test_shared_paths_have_the_shape_of_the_keys_carrier(void **state)
{
	static const char *const paths[] = {"/v1/voices", "/v1/voices/1071",
					    "/v1/user/subscription", "/v1/history", "/v2/voices"};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); ++i) {
		assert_ptr_equal(error_shape_of(paths[i], ERROR_CLIENT_ANY), &error_shape_native);
		assert_ptr_equal(error_shape_of(paths[i], ERROR_CLIENT_ELEVENLABS),
				 &error_shape_elevenlabs);
	}
	assert_ptr_equal(error_shape_of("/v1/models", ERROR_CLIENT_ELEVENLABS),
			 &error_shape_elevenlabs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_error_is_json_with_a_status),
		cmocka_unit_test(test_elevenlabs),
		cmocka_unit_test(test_openai),
		cmocka_unit_test(test_openai_names_the_field),
		cmocka_unit_test(test_paths_have_the_shape_of_their_clients),
		cmocka_unit_test(test_paths_of_openai_have_its_shape),
		cmocka_unit_test(test_paths_of_kugelaudios_sdks_have_the_native_shape),
		cmocka_unit_test(test_shared_paths_have_the_shape_of_the_keys_carrier),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
