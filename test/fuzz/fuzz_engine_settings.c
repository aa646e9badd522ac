/*
 * fuzz_engine_settings.c: any configuration of a speech engine.
 *
 * A configuration that is accepted must have settings within their limits, and must be accepted again
 * with the same result after it was merged with the defaults and written.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "doors/elevenlabs/engine_settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void check_settings(const struct engine_settings *s)
{
	assert(s->variables_count <= ENGINE_SETTINGS_VARIABLES_MAX);
	for (size_t i = 0; i < s->variables_count; ++i)
		assert(s->variables[i].header[0] && s->variables[i].variable[0]);
	assert(strlen(s->call.url) <= ENGINE_SETTINGS_URL_MAX);
	assert(strlen(s->call.headers) < sizeof(s->call.headers));
	assert(s->call.cascade_timeout_ms >= CALL_CASCADE_MIN_MS);
	assert(s->call.cascade_timeout_ms <= CALL_CASCADE_MAX_MS);
	assert(s->call.speed >= 0.7 && s->call.speed <= 1.2);
	assert(s->turn_timeout_ms == ENGINE_SETTINGS_NEVER_MS || s->turn_timeout_ms >= 1000);
	assert(s->initial_wait_ms >= ENGINE_SETTINGS_NEVER_MS && s->call.silence_end_s >= -1);
	for (const char *term = s->call.ignored_terms; *term; term += strlen(term) + 1)
		assert(term < s->call.ignored_terms + sizeof(s->call.ignored_terms));
	assert(s->call.input.sample_rate >= 8000 && s->call.output.sample_rate <= 48000);
	assert(s->call.language[0] && s->voice_id[0]);
	assert(s->call.duration_max_s > 0 && s->call.duration_max_s <= CALL_DURATION_MAX_S);
}

static void check_again(struct json_tree *tree)
{
	struct engine_settings *settings = NULL;
	struct stream_fault fault = {0};
	struct json_write json;
	struct buf out;

	buf_init(&out, (size_t)1 << 22);
	json_write_open(&json, &out);
	json_tree_write_members(&json, json_tree_root(tree));
	if (json_write_close(&json) == 0) {
		int err = engine_settings_parse(&settings, &fault, out.bytes, out.len);

		assert(err == 0);
	}
	mem_deref(settings);
	buf_reset(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct json_tree *complete = NULL;
	struct json_tree *given = NULL;
	struct engine_settings *settings = NULL;
	struct stream_fault fault = {0};
	int err = engine_settings_defaults(&complete);

	assert(err == 0);
	if (json_tree_parse(&given, &fault, (const char *)bytes, len) == 0) {
		engine_settings_complete(json_tree_root(complete), json_tree_root(given));
		if (engine_settings_read(&settings, &fault, json_tree_root(complete)) == 0) {
			check_settings(settings);
			check_again(complete);
		} else {
			assert(fault.detail[0]);
		}
	}
	mem_deref(settings);
	mem_deref(given);
	mem_deref(complete);
	assert(mem_live() == 0);
	return 0;
}
