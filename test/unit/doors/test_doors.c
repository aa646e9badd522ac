/* Every error has a status and a body in each vendor's shape, and every path has the shape that its
 * clients read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "doors/doors.h"
#include "doors/elevenlabs/elevenlabs.h"
#include "doors/kugelaudio/kugelaudio.h"
#include "doors/openai/openai.h"
#include "server/routes.h"

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
	static const struct error_shape *const shapes[] = {&error_shape_native, &elevenlabs_errors,
							   &openai_errors};

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

static void test_errors_of_elevenlabs_have_its_shape(void **state)
{
	const struct error_shape *shape = &elevenlabs_errors;

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

static void test_errors_of_openai_have_its_shape(void **state)
{
	const struct error_shape *shape = &openai_errors;

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

static void test_errors_of_openai_name_the_field(void **state)
{
	const struct wire_notice notice = {
		.id = WIRE_ERROR_INVALID_REQUEST, .detail = "no", .field = "speed"};
	struct buf out;

	(void)state;
	buf_init(&out, 4096);
	assert_int_equal(openai_errors.write(&out, &notice), 0);
	assert_non_null(memmem(out.bytes, out.len, "\"param\":\"speed\"", 15));
	buf_reset(&out);
}

static const struct error_shape *shape_of(const char *path, const struct door *client)
{
	return door_of(doors_all, &routes_own, path, client)->errors;
}

static void test_paths_have_the_shape_of_their_clients(void **state)
{
	(void)state;
	assert_ptr_equal(shape_of("/v1/tts/generate", &elevenlabs_door), &error_shape_native);
	assert_ptr_equal(shape_of("/v1/text-to-speech/1/stream", NULL), &elevenlabs_errors);
	assert_ptr_equal(shape_of("/11labs/v1/nothing", &elevenlabs_door), &elevenlabs_errors);
	assert_ptr_equal(shape_of("/vapi/synthesize", NULL), &error_shape_native);
	assert_ptr_equal(shape_of("", &elevenlabs_door), &error_shape_native);
	assert_ptr_equal(shape_of("/v1/dictionaries/1", &elevenlabs_door), &error_shape_native);
	assert_ptr_equal(shape_of("/v1/usage/turns", &elevenlabs_door), &error_shape_native);
	assert_ptr_equal(shape_of("/v1/text-to-speech", NULL), &elevenlabs_errors);
	assert_ptr_equal(shape_of("/v1/sound-generation", NULL), &elevenlabs_errors);
	assert_ptr_equal(shape_of("/v1/audio-isolation", NULL), &elevenlabs_errors);
	assert_ptr_equal(shape_of("/v1/pronunciation-dictionaries/1", NULL), &elevenlabs_errors);
	assert_ptr_equal(shape_of("/v1/nothing", NULL), &error_shape_native);
	assert_ptr_equal(shape_of("/v1/nothing", &elevenlabs_door), &elevenlabs_errors);
}

static void test_paths_of_openai_have_its_shape(void **state)
{
	static const char *const paths[] = {
		"/v1/audio",     "/v1/audio/speech", "/v1/audio/nothing",
		"/v1/models",    "/v1/models/tts-1", "/v1/chat/completions",
		"/v1/responses", "/audio/speech",    "/models"};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); ++i)
		assert_ptr_equal(shape_of(paths[i], NULL), &openai_errors);
	assert_ptr_equal(shape_of("/v1/audio/speech", &elevenlabs_door), &elevenlabs_errors);
	assert_ptr_equal(shape_of("/v1/audio/speech", &kugelaudio_door), &openai_errors);
}

static void test_paths_of_kugelaudios_sdks_have_the_native_shape(void **state)
{
	static const char *const paths[] = {"/v1/models/x", "/v1/audio/transcriptions",
					    "/v1/audio/enhance"};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); ++i) {
		assert_ptr_equal(shape_of(paths[i], &kugelaudio_door), &error_shape_native);
		assert_ptr_equal(shape_of(paths[i], NULL), &openai_errors);
	}
}

static void test_shared_paths_have_the_shape_of_the_client_that_sends_the_key(void **state)
{
	static const char *const paths[] = {"/v1/voices", "/v1/voices/1071",
					    "/v1/user/subscription", "/v1/history", "/v2/voices"};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); ++i) {
		assert_ptr_equal(shape_of(paths[i], NULL), &error_shape_native);
		assert_ptr_equal(shape_of(paths[i], &elevenlabs_door), &elevenlabs_errors);
	}
	assert_ptr_equal(shape_of("/v1/models", &elevenlabs_door), &elevenlabs_errors);
}

static void test_tokens_are_bound_to_endpoints_for_speech(void **state)
{
	static const struct {
		const char *path, *bound_to;
	} rows[] = {
		{"/ws/tts/stream", "/ws/tts/stream"},
		{"/v1/text-to-speech/x/stream-input", "/v1/text-to-speech/{id}/stream-input"},
		{"/v1/text-to-speech/x/multi-stream-input", "/v1/text-to-speech/{id}/stream-input"},
		{"/11labs/v1/text-to-speech/x/stream-input",
		 "/v1/text-to-speech/{id}/stream-input"},
		{"/11labs/v1/text-to-speech/x", "/v1/text-to-speech/{id}"},
		{"/ws/talk/anna", "/ws/talk/{id}"},
		{"/v1/voices/1/generate-sample", NULL},
		{"/11labs/ws/tts/stream", NULL},
		{"/v1/voices", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
		const char *found = routes_token_path(doors_all, rows[i].path);

		if (rows[i].bound_to)
			assert_string_equal(found, rows[i].bound_to);
		else
			assert_null(found);
	}
}

static void test_patterns_have_the_requested_prefix(void **state)
{
	static const struct {
		const char *path, *pattern;
	} rows[] = {
		{"/v1/voices/7", "/v1/voices/{id}"},
		{"/11labs/v1/voices/7", "/11labs/v1/voices/{id}"},
		{"/11labs/health", "/11labs/health"},
		{"/health", "/health"},
		{"/v1/user", "/v1/user"},
	};
	char pattern[64];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
		assert_true(routes_pattern(pattern, sizeof(pattern), doors_all, rows[i].path));
		assert_string_equal(pattern, rows[i].pattern);
	}
	assert_false(routes_pattern(pattern, sizeof(pattern), doors_all, "/v1/tts/generate"));
	assert_false(routes_pattern(pattern, sizeof(pattern), doors_all, "/11labs/ready"));
}

/* Which scopes a path requires: the first row whose method and part of the path match applies. */
static const struct {
	const char *method; /* NULL: any other method */
	const char *part;
	unsigned scopes; /* one of them is required; 0: no key is needed */
} policy[] = {
	{NULL, "/v1/admin/", STORE_SCOPE_ADMIN},
	{NULL, "/v1/normalize", STORE_SCOPE_ADMIN},
	{NULL, "/invalidate", STORE_SCOPE_ADMIN},
	{"GET", "dictionaries", STORE_SCOPE_READ | STORE_SCOPE_DICTIONARIES},
	{NULL, "dictionaries", STORE_SCOPE_DICTIONARIES},
	{NULL, "/v1/usage", STORE_SCOPE_READ},
	{"GET", "/v1/user", STORE_SCOPE_READ | STORE_SCOPE_SPEAK},
	{"GET", "/v1/history", STORE_SCOPE_READ | STORE_SCOPE_SPEAK},
	{"GET", "/v1/agents", STORE_SCOPE_SPEAK},
	{"GET", "/v1/speech-engine", STORE_SCOPE_READ | STORE_SCOPE_SPEAK},
	{NULL, "/v1/speech-engine", STORE_SCOPE_VOICES},
	{"GET", "/v1/convai/conversation/get", STORE_SCOPE_SPEAK},
	{"GET", "/v1/convai/conversation/token", 0}, /* always a refusal */
	{"GET", "/v1/convai/conversation", 0}, /* checks its key or its signature itself */
	{NULL, "token", STORE_SCOPE_SPEAK},
	{NULL, "/ws/", STORE_SCOPE_SPEAK},
	{NULL, "/v1/text-to-speech/", STORE_SCOPE_SPEAK},
	{"POST", "/v1/audio/speech", STORE_SCOPE_SPEAK},
	{"POST", "/v1/audio/transcriptions", STORE_SCOPE_SPEAK},
	{NULL, "/v1/speech-to-text", STORE_SCOPE_SPEAK},
	{"POST", "/v1/tts/generate", STORE_SCOPE_SPEAK},
	{"POST", "/predict", STORE_SCOPE_SPEAK},
	{"POST", "/vapi/synthesize", STORE_SCOPE_SPEAK},
	{NULL, "/twilio/", 0}, /* signed with a token of the agent */
	{"GET", "/v1/models", 0},
	{"GET", "/v1/audio/", 0},
	{"GET", "/voices", STORE_SCOPE_READ | STORE_SCOPE_SPEAK},
	{NULL, "/voices", STORE_SCOPE_VOICES},
	{"GET", "/web/", 0},
	{"GET", "/metrics", 0}, /* checks its key itself */
	{"GET", "/health", 0},
	{"GET", "/ready", 0},
	{"GET", "/openapi.json", 0},
	{"GET", "/asyncapi.json", 0},
};

static void assert_routes_follow_the_policy(const struct door *door)
{
	for (const struct route *route = door->routes; route->path; ++route) {
		size_t i = 0;

		if (strcmp(route->path, "/") == 0)
			continue;
		while (i < sizeof(policy) / sizeof(policy[0]) &&
		       ((policy[i].method && strcmp(policy[i].method, route->method) != 0) ||
			!strstr(route->path, policy[i].part)))
			++i;
		if (i == sizeof(policy) / sizeof(policy[0]))
			fail_msg("%s %s: which keys is it for?", route->method, route->path);
		if ((route->scopes & ~AUTH_FLAGS) != policy[i].scopes)
			fail_msg("%s %s has the scopes %x, not %x", route->method, route->path,
				 route->scopes & ~AUTH_FLAGS, policy[i].scopes);
		assert_false((route->scopes & AUTH_OPTIONAL) && policy[i].scopes);
	}
}

static void test_every_route_requires_the_scopes_of_its_subject(void **state)
{
	(void)state;
	assert_routes_follow_the_policy(&routes_own);
	for (const struct door *const *door = doors_all; *door; ++door)
		assert_routes_follow_the_policy(*door);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_error_is_json_with_a_status),
		cmocka_unit_test(test_errors_of_elevenlabs_have_its_shape),
		cmocka_unit_test(test_errors_of_openai_have_its_shape),
		cmocka_unit_test(test_errors_of_openai_name_the_field),
		cmocka_unit_test(test_paths_have_the_shape_of_their_clients),
		cmocka_unit_test(test_paths_of_openai_have_its_shape),
		cmocka_unit_test(test_paths_of_kugelaudios_sdks_have_the_native_shape),
		cmocka_unit_test(test_shared_paths_have_the_shape_of_the_client_that_sends_the_key),
		cmocka_unit_test(test_tokens_are_bound_to_endpoints_for_speech),
		cmocka_unit_test(test_patterns_have_the_requested_prefix),
		cmocka_unit_test(test_every_route_requires_the_scopes_of_its_subject),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
