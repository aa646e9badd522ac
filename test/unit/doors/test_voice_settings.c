/* Of ElevenLabs' settings of a voice only the speed is read; the others are ignored. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "doors/elevenlabs/elevenlabs.h"
#include "server/voice_form.h"

static int read_settings(struct voice_form *form, struct stream_fault *fault, char *json)
{
	return voice_form_read_as(form, fault, json, strlen(json), &voice_settings_table);
}

static void test_only_the_speed_is_read(void **state)
{
	char good[] = "{\"stability\":0.5,\"speed\":1.1,\"style\":{\"a\":[1]}}";
	char none[] = "{\"stability\":0.5,\"speed\":null}";
	char bad[] = "{\"speed\":1.3}";
	struct stream_fault fault;
	struct voice_form form;

	(void)state;
	assert_int_equal(read_settings(&form, &fault, good), 0);
	assert_int_equal(form.body.fields, STORE_VOICE_RATE);
	assert_float_equal(form.row.rate, 1.1, 1e-9);
	assert_int_equal(read_settings(&form, &fault, none), 0);
	assert_int_equal(form.body.fields, 0);
	assert_int_not_equal(read_settings(&form, &fault, bad), 0);
	assert_non_null(strstr(fault.detail, "speed"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_the_speed_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
