/* Voices are written with the keys and words that ElevenLabs' libraries expect. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "doors/elevenlabs/elevenlabs.h"

static const struct voice_json mine = {
	.id = 100000,
	.handle = "mine-100000",
	.name = "Mi\"ne",
	.description = "deep",
	.category = "designed",
	.age = "old",
	.quality = "low",
	.languages = "de,en",
	.sample_url = "/v1/voices/100000/sample",
	.generative_description = "g",
	.sample_text = "t",
	.base_id = 2001,
	.pitch = -1.5,
	.rate = 1.25,
	.variant = "f3",
	.availability = "stand_in",
};

static void test_ids_are_strings(void **state)
{
	static const char expected[] =
		"{\"voice_id\":\"100000\",\"name\":\"Mi\\\"ne\",\"category\":\"generated\","
		"\"description\":\"deep\",\"labels\":{\"language\":\"de\",\"age\":\"old\"},"
		"\"preview_url\":\"/v1/voices/100000/sample\",\"samples\":[],"
		"\"available_for_tiers\":[],\"high_quality_base_model_ids\":[],"
		"\"verified_languages\":[{\"language\":\"de\",\"model_id\":"
		"\"eleven_multilingual_v2\",\"accent\":null,\"locale\":null,"
		"\"preview_url\":null},{\"language\":\"en\",\"model_id\":"
		"\"eleven_multilingual_v2\",\"accent\":null,\"locale\":null,"
		"\"preview_url\":null}],\"settings\":{\"stability\":0.5,"
		"\"similarity_boost\":0.75,\"style\":0,\"use_speaker_boost\":true,"
		"\"speed\":1.25},\"sharing\":null,\"is_owner\":true,\"is_legacy\":false,"
		"\"created_at_unix\":null}";
	struct json_write json;
	struct buf out;

	(void)state;
	buf_init(&out, 4096);
	json_write_open(&json, &out);
	elevenlabs_voice_write(&json, &mine);
	assert_int_equal(json_write_close(&json), 0);
	assert_int_equal(out.len, strlen(expected));
	assert_memory_equal(out.bytes, expected, out.len);
	buf_reset(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids_are_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
