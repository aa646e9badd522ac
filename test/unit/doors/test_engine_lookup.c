/* A conversation finds its speech engine, its settings and the key that signs for it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "account/api_key.h"
#include "base/clock.h"
#include "base/mem.h"
#include "doors/doors.h"
#include "doors/elevenlabs/elevenlabs.h"
#include "doors/elevenlabs/engine_lookup.h"
#include "rest_world.h"

#define ID "0123456789abcdefghijklmnopqr"

static struct config *config;
static char key_text[API_KEY_LEN + 1];
static struct store_key key;

/* The last answer. */
static struct {
	bool is_answered;
	struct engine_found found; /* with its own references */
	bool is_found;
	struct stream_fault fault;
} seen;

static void add_engine(void)
{
	const struct store_speech_engine engine = {
		.id = ID,
		.project_id = STORE_PROJECT_DEFAULT,
		.name = "x",
		.key_id = key.id,
		.config = "{\"speech_engine\":{\"ws_url\":\"ws://h/p\"},\"language\":\"de\"}",
		.created_ms = 1,
	};

	assert_int_equal(rest_world.store->ops->speech_engine_add(rest_world.store, &engine), 0);
}

static int set_up(void **state)
{
	struct buf errors;

	assert_int_equal(rest_world_open(state), 0);
	memset(&seen, 0, sizeof(seen));
	config = calloc(1, sizeof(*config));
	assert_non_null(config);
	config->agents_count = 1;
	strcpy(config->agents[0].name, "bob");
	strcpy(config->agents[0].path, "/bob");
	strcpy(config->agents[0].api_key, "secret");
	strcpy(config->agents[0].language, "fr");
	config->agents[0].llm = 3; /* echo */
	buf_init(&errors, 1024);
	assert_int_equal(agents_alloc(&rest_world.server.agents, config, doors_all, &errors), 0);
	buf_reset(&errors);
	assert_int_equal(api_key_make(key_text, &key, "test"), 0);
	assert_int_equal(rest_world.store->ops->key_add(rest_world.store, &key), 0);
	add_engine();
	return 0;
}

static int tear_down(void **state)
{
	mem_deref(seen.found.settings);
	mem_deref(seen.found.agent);
	rest_world.server.agents = mem_deref(rest_world.server.agents);
	free(config);
	return rest_world_close(state);
}

static void on_found(const struct engine_found *found, const struct stream_fault *fault, void *arg)
{
	(void)arg;
	mem_deref(seen.found.settings);
	mem_deref(seen.found.agent);
	memset(&seen, 0, sizeof(seen));
	seen.is_answered = true;
	seen.is_found = found != NULL;
	seen.fault = *fault;
	if (found) {
		seen.found = *found;
		mem_ref(found->settings);
		mem_ref(found->agent);
	}
}

static void look_up(int64_t project_id, const char *id)
{
	struct engine_lookup *lookup = NULL;

	seen.is_answered = false;
	assert_int_equal(
		engine_lookup_start(&lookup, &rest_world.server, project_id, id, on_found, NULL),
		0);
	assert_false(seen.is_answered);
	while (!seen.is_answered)
		uv_run(&rest_world.server.loop->uv, UV_RUN_ONCE);
}

static void test_a_resource_is_found_by_both_ids_with_the_key_that_signs(void **state)
{
	char token[ENGINE_TOKEN_SIZE];
	struct engine_token_keys checked;
	const char *why;
	int64_t now_s = clock_wall_ms() / 1000;

	(void)state;
	look_up(STORE_PROJECT_DEFAULT, "seng_" ID);
	assert_true(seen.is_found);
	look_up(0, "agent_" ID);
	assert_true(seen.is_found);
	assert_string_equal(seen.found.id, "seng_" ID);
	assert_int_equal(seen.found.project_id, STORE_PROJECT_DEFAULT);
	assert_null(seen.found.agent);
	assert_string_equal(seen.found.settings->call.url, "ws://h/p");
	assert_string_equal(seen.found.settings->call.language, "de");
	assert_int_equal(engine_token_make(token, &seen.found.keys, now_s, now_s + 60), 0);
	assert_int_equal(engine_token_keys(&checked, &elevenlabs_engine_tokens, key_text), 0);
	assert_int_equal(engine_token_check(&checked, token, now_s, &why), 0);
}

static void test_what_is_not_there_or_of_another_project_is_not_found(void **state)
{
	static const char *const ids[] = {"", "eve", "seng_", "seng_zzzzzzzzzzzzzzzzzzzzzzzzzzzz",
					  ID};

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); ++i) {
		look_up(0, ids[i]);
		assert_false(seen.is_found);
		assert_int_equal(seen.fault.id, WIRE_ERROR_ENGINE_NOT_FOUND);
	}
	look_up(2, "seng_" ID);
	assert_false(seen.is_found);
	assert_int_equal(seen.fault.id, WIRE_ERROR_ENGINE_NOT_FOUND);
}

static void test_a_revoked_key_does_not_sign(void **state)
{
	(void)state;
	assert_int_equal(rest_world.store->ops->key_revoke(rest_world.store, key.prefix, 1), 0);
	look_up(0, "seng_" ID);
	assert_false(seen.is_found);
	assert_int_equal(seen.fault.id, WIRE_ERROR_SIGNING_KEY_ENDED);
	assert_non_null(strstr(seen.fault.detail, key.prefix));
}

static void test_an_agent_is_found_by_its_name_and_needs_no_key(void **state)
{
	(void)state;
	look_up(7, "bob");
	assert_true(seen.is_found);
	assert_non_null(seen.found.agent);
	assert_int_equal(seen.found.project_id, 0);
	assert_string_equal(seen.found.settings->call.url, "");
	assert_string_equal(seen.found.settings->call.agent, "bob");
	assert_string_equal(seen.found.settings->call.language, "fr");
}

static void test_a_cancelled_look_up_is_not_answered(void **state)
{
	struct engine_lookup *lookup = NULL;

	(void)state;
	assert_int_equal(engine_lookup_start(&lookup, &rest_world.server, 0, "bob", on_found, NULL),
			 0);
	engine_lookup_cancel(lookup);
	look_up(0, "seng_" ID); /* answered after it */
	assert_string_equal(seen.found.id, "seng_" ID);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_a_resource_is_found_by_both_ids_with_the_key_that_signs),
		CASE(test_what_is_not_there_or_of_another_project_is_not_found),
		CASE(test_a_revoked_key_does_not_sign),
		CASE(test_an_agent_is_found_by_its_name_and_needs_no_key),
		CASE(test_a_cancelled_look_up_is_not_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
