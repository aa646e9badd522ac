/* Voices are found by the built-in ids of ElevenLabs and by those of the configuration. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "doors/elevenlabs/elevenlabs_voice_ids.h"

#define RACHEL "21m00Tcm4TlvDq8ikWAM"
#define GEORGE "JBFqnCBsd6RMkjVDRZzb"

static struct config config;
static struct voices *voices;

static void offer(const char *engine, const char *name)
{
	struct voice voice = {.sample_rate = 16000};

	snprintf(voice.engine, sizeof(voice.engine), "%s", engine);
	snprintf(voice.engine_voice, sizeof(voice.engine_voice), "%s", name);
	snprintf(voice.name, sizeof(voice.name), "%s", name);
	assert_int_equal(voices_add(voices, &voice), 0);
}

static int set_up(void **state)
{
	(void)state;
	memset(&config, 0, sizeof(config));
	config.elevenlabs_default_voices = true;
	assert_int_equal(voices_alloc(&voices, true), 0);
	offer("flite", "slt");
	offer("flite", "rms");
	offer("flite", "awb");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	voices = mem_deref(voices);
	return 0;
}

static int64_t find(const char *name)
{
	const struct voice *voice =
		elevenlabs_voice_ids_find(&config, voices, 1, name, strlen(name));

	return voice ? voice->id : 0;
}

static void test_default_voices_have_the_same_sex(void **state)
{
	(void)state;
	assert_int_equal(find(RACHEL), 1071);
	assert_int_equal(find("EXAVITQu4vr4xnSDxMaL"), 1071);
	assert_int_equal(find(GEORGE), 1072);
	assert_int_equal(find("bIHbv24MWmeRgasZH58o"), 1072);
	assert_int_equal(find("21m00Tcm4TlvDq8ikWAm"), 0);
	assert_int_equal(find("21m00Tcm4TlvDq8ikWA"), 0);
	assert_int_equal(find(""), 0);
}

static void test_a_neural_voice_is_preferred(void **state)
{
	(void)state;
	offer("vits", "libritts:clara");
	offer("vits", "libritts:arthur");
	assert_int_equal(find(RACHEL), 1081);
	assert_int_equal(find(GEORGE), 1086);
	assert_int_equal(find("bIHbv24MWmeRgasZH58o"), 1072);
}

static void test_own_names_are_found_first(void **state)
{
	(void)state;
	snprintf(config.elevenlabs_voices, sizeof(config.elevenlabs_voices),
		 "1071:1072 sally:1072");
	assert_int_equal(find("1071"), 1071);
	assert_int_equal(find("sally"), 1071);
}

static void test_the_configuration_overrides_the_default(void **state)
{
	(void)state;
	snprintf(config.elevenlabs_voices, sizeof(config.elevenlabs_voices),
		 " mine:alan, " RACHEL ":1072,other:99 ");
	assert_int_equal(find("mine"), 1073);
	assert_int_equal(find(RACHEL), 1072);
	assert_int_equal(find("other"), 0);
	config.elevenlabs_default_voices = false;
	assert_int_equal(find(GEORGE), 0);
	assert_int_equal(find(RACHEL), 1072);
}

static void test_targets_that_cannot_exist_are_reported(void **state)
{
	struct buf mistakes;

	(void)state;
	buf_init(&mistakes, 4096);
	snprintf(config.elevenlabs_voices, sizeof(config.elevenlabs_voices),
		 "a:1071 b:handle c:100001 d:99999999999999999999");
	assert_int_equal(elevenlabs_voice_ids_check_config(&config, &mistakes), 0);
	assert_int_equal(mistakes.len, 0);
	snprintf(config.elevenlabs_voices, sizeof(config.elevenlabs_voices), "a:1071 b:1999");
	assert_int_equal(elevenlabs_voice_ids_check_config(&config, &mistakes), EINVAL);
	assert_int_equal(buf_append(&mistakes, "", 1), 0);
	assert_string_equal(mistakes.bytes, "elevenlabs.voices: b is mapped to voice 1999, which "
					    "does not exist\n");
	buf_reset(&mistakes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_default_voices_have_the_same_sex, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_a_neural_voice_is_preferred, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_own_names_are_found_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_the_configuration_overrides_the_default,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_targets_that_cannot_exist_are_reported, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
