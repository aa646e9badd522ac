/* A voice id keeps its speaker on a connection as long as the speaker exists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "session/voice_pins.h"

#define PROJECT 1
#define SALLY 1071

static struct voice made_voice(const char *engine, const char *engine_voice)
{
	struct voice voice = {.language = "en", .sample_rate = 22050};

	snprintf(voice.engine, sizeof(voice.engine), "%s", engine);
	snprintf(voice.engine_voice, sizeof(voice.engine_voice), "%s", engine_voice);
	return voice;
}

/* Sally, spoken by flite. */
static struct voices *open_voices(void)
{
	const struct voice flite = made_voice("flite", "slt");
	struct voices *voices;

	assert_int_equal(voices_alloc(&voices, true), 0);
	assert_int_equal(voices_add(voices, &flite), 0);
	return voices;
}

static void install(struct voices *voices)
{
	const struct voice neural = made_voice("vits", "libritts:sally");

	assert_int_equal(voices_add(voices, &neural), 0);
}

static void assert_speaker(struct voice_pin *pins, const struct voices *voices, int64_t id,
			   const char *engine)
{
	const struct voice *voice = voice_pins_find(pins, voices, PROJECT, id);

	assert_non_null(voice);
	assert_string_equal(voice->engine, engine);
}

static void end(struct voice_pin *pins, struct voices *voices)
{
	voice_pins_reset(pins);
	mem_deref(voices);
	assert_int_equal(mem_live(), 0);
}

static void test_a_connection_keeps_a_replacement_speaker(void **state)
{
	struct voices *voices = open_voices();
	struct voice_pin pins = {0};
	struct voice_pin others = {0};

	(void)state;
	assert_speaker(&pins, voices, SALLY, "flite");
	install(voices);
	assert_speaker(&pins, voices, SALLY, "flite");
	assert_speaker(&others, voices, SALLY, "vits");
	voice_pins_reset(&others);
	end(&pins, voices);
}

static void test_a_speaker_that_is_gone_is_replaced_for_good(void **state)
{
	struct voices *voices = open_voices();
	struct voice_pin pins = {0};

	(void)state;
	install(voices);
	assert_speaker(&pins, voices, SALLY, "vits");
	assert_int_equal(voices_set_missing(voices, "vits", true), 0);
	assert_speaker(&pins, voices, SALLY, "flite");
	assert_int_equal(voices_set_missing(voices, "vits", false), 0);
	assert_speaker(&pins, voices, SALLY, "flite");
	end(&pins, voices);
}

static void test_every_voice_has_its_own_pin(void **state)
{
	const struct voice tones[] = {made_voice("tone", "tone"), made_voice("tone", "tone-low")};
	struct voices *voices = open_voices();
	struct voice_pin pins = {0};

	(void)state;
	assert_int_equal(voices_add(voices, &tones[0]), 0);
	assert_int_equal(voices_add(voices, &tones[1]), 0);
	assert_speaker(&pins, voices, 1, "tone");
	assert_speaker(&pins, voices, SALLY, "flite");
	assert_speaker(&pins, voices, 2, "tone");
	install(voices);
	assert_speaker(&pins, voices, SALLY, "flite");
	assert_speaker(&pins, voices, 2, "tone");
	end(&pins, voices);
}

static void test_a_removed_voice_is_not_found(void **state)
{
	struct voices *voices = open_voices();
	struct voice_pin pins = {0};
	struct voices_change change;

	(void)state;
	assert_null(voice_pins_find(&pins, voices, PROJECT, 1081));
	assert_speaker(&pins, voices, SALLY, "flite");
	assert_int_equal(voices_replace(voices, "flite", NULL, 0, &change), 0);
	assert_null(voice_pins_find(&pins, voices, PROJECT, SALLY));
	end(&pins, voices);
}

static void test_a_change_of_a_derived_voice_takes_effect(void **state)
{
	struct voice derived = {.id = VOICE_DERIVED_FIRST,
				.base_id = SALLY,
				.project_id = PROJECT,
				.name = "Own",
				.pitch = 1};
	struct voices *voices = open_voices();
	struct voice_pin pins = {0};
	const struct voice *voice;

	(void)state;
	assert_int_equal(voices_set_derived(voices, &derived, 1), 0);
	assert_speaker(&pins, voices, derived.id, "flite");
	derived.pitch = 2;
	assert_int_equal(voices_set_derived(voices, &derived, 1), 0);
	voice = voice_pins_find(&pins, voices, PROJECT, derived.id);
	assert_int_equal((int)voice->pitch, 2);
	assert_null(voice_pins_find(&pins, voices, PROJECT + 1, derived.id));
	end(&pins, voices);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_connection_keeps_a_replacement_speaker),
		cmocka_unit_test(test_a_speaker_that_is_gone_is_replaced_for_good),
		cmocka_unit_test(test_every_voice_has_its_own_pin),
		cmocka_unit_test(test_a_removed_voice_is_not_found),
		cmocka_unit_test(test_a_change_of_a_derived_voice_takes_effect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
