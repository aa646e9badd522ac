/* Request bodies about derived voices are accepted within their limits. */
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
#include "server/voice_form.h"

static char *bytes; /* the body under test */
static struct voice_form form;
static struct stream_fault fault;

/* Parses a body in which ' is replaced by ". */
static int parse(const char *json, bool is_new)
{
	size_t len = strlen(json);

	free(bytes);
	bytes = malloc(len ? len : 1); /* exact, so that sanitizers find overruns */
	assert_non_null(bytes);
	for (size_t i = 0; i < len; ++i)
		bytes[i] = json[i] == '\'' ? '"' : json[i];
	return voice_form_read(&form, &fault, bytes, len, is_new);
}

static int forget(void **state)
{
	(void)state;
	free(bytes);
	bytes = NULL;
	return 0;
}

static void assert_refused(const char *json, bool is_new, enum wire_error_id id, const char *word)
{
	assert_int_equal(parse(json, is_new), EINVAL);
	assert_int_equal(fault.id, id);
	if (!strstr(fault.detail, word))
		fail_msg("%s: \"%s\" does not name %s", json, fault.detail, word);
}

static void test_every_field_is_read(void **state)
{
	(void)state;
	assert_int_equal(
		parse("{'name':'Ä','base_voice_id':2001,'pitch':-12,'rate':0.5,'variant':'f3',"
		      "'description':'d','generative_voice_description':'g','sample_text':'s',"
		      "'sex':'neutral','age':'young','category':'designed','quality':'high',"
		      "'supported_languages':['DE','en-US','de'],'is_public':true,"
		      "'speaker_consent':{'a':[1]}}",
		      true),
		0);
	assert_int_equal(form.body.fields, (STORE_VOICE_PUBLIC << 1) - 1);
	assert_string_equal(form.row.name, "Ä");
	assert_int_equal(form.row.base_id, 2001);
	assert_true(form.row.pitch <= -12 && form.row.rate <= 0.5);
	assert_string_equal(form.row.variant, "f3");
	assert_string_equal(form.row.description, "d");
	assert_string_equal(form.row.generative_description, "g");
	assert_string_equal(form.row.sample_text, "s");
	assert_string_equal(form.row.sex, "neutral");
	assert_string_equal(form.row.age, "young");
	assert_string_equal(form.row.category, "designed");
	assert_string_equal(form.row.quality, "high");
	assert_string_equal(form.row.languages, "de,en");
	assert_true(form.row.is_public);
	assert_int_equal(parse("{'language':'fr-FR'}", false), 0);
	assert_int_equal(form.body.fields, STORE_VOICE_LANGUAGES);
	assert_string_equal(form.row.languages, "fr");
}

static void test_null_takes_away_what_may_be_absent(void **state)
{
	(void)state;
	assert_int_equal(parse("{'name':null,'pitch':null,'rate':null,'variant':null,'sex':null,"
			       "'supported_languages':null}",
			       false),
			 0);
	assert_int_equal(form.body.fields, STORE_VOICE_PITCH | STORE_VOICE_RATE |
						   STORE_VOICE_VARIANT | STORE_VOICE_SEX);
	assert_true(form.row.pitch >= 0 && form.row.pitch <= 0);
	assert_true(form.row.rate >= 1 && form.row.rate <= 1);
	assert_null(form.row.variant);
	assert_null(form.row.sex);
}

static void test_a_base_has_an_id_or_a_handle(void **state)
{
	(void)state;
	assert_int_equal(parse("{'base_voice_id':'german-female'}", false), 0);
	assert_string_equal(form.base_handle, "german-female");
	assert_int_equal(form.row.base_id, 0);
	assert_int_equal(parse("{'base_voice_id':'x','base_voice_id':7}", false), 0);
	assert_null(form.base_handle);
	assert_int_equal(form.row.base_id, 7);
}

static void test_a_new_voice_needs_a_base_and_a_name(void **state)
{
	(void)state;
	assert_refused("{'name':'x'}", true, WIRE_ERROR_NO_CLONING, "base_voice_id");
	assert_refused("{'base_voice_id':1}", true, WIRE_ERROR_BAD_VOICE, "name");
	assert_int_equal(parse("{}", false), 0);
	assert_int_equal(form.body.fields, 0);
}

static void test_what_is_wrong_is_named(void **state)
{
	static const struct {
		const char *json, *word;
		enum wire_error_id id;
	} rows[] = {
		{"{'name':''}", "name", WIRE_ERROR_BAD_VOICE},
		{"{'name':7}", "name", WIRE_ERROR_INVALID_REQUEST},
		{"{'pitch':12.1}", "pitch", WIRE_ERROR_INVALID_REQUEST},
		{"{'pitch':'1'}", "pitch", WIRE_ERROR_INVALID_REQUEST},
		{"{'rate':0.49}", "rate", WIRE_ERROR_INVALID_REQUEST},
		{"{'rate':2.01}", "rate", WIRE_ERROR_INVALID_REQUEST},
		{"{'variant':''}", "variant", WIRE_ERROR_BAD_VOICE},
		{"{'variant':'sixteen-letters-'}", "variant", WIRE_ERROR_BAD_VOICE},
		{"{'sex':'x'}", "sex", WIRE_ERROR_INVALID_REQUEST},
		{"{'age':1}", "age", WIRE_ERROR_INVALID_REQUEST},
		{"{'category':'x'}", "category", WIRE_ERROR_INVALID_REQUEST},
		{"{'quality':'x'}", "quality", WIRE_ERROR_INVALID_REQUEST},
		{"{'supported_languages':{}}", "supported_languages", WIRE_ERROR_INVALID_REQUEST},
		{"{'supported_languages':['q']}", "supported_languages",
		 WIRE_ERROR_INVALID_REQUEST},
		{"{'supported_languages':[[]]}", "supported_languages", WIRE_ERROR_INVALID_REQUEST},
		{"{'is_public':'yes'}", "is_public", WIRE_ERROR_INVALID_REQUEST},
		{"{'base_voice_id':0}", "base_voice_id", WIRE_ERROR_INVALID_REQUEST},
		{"{'base_voice_id':1.5}", "base_voice_id", WIRE_ERROR_INVALID_REQUEST},
		{"{'base_voice_id':''}", "base_voice_id", WIRE_ERROR_INVALID_REQUEST},
		{"{'colour':1}", "colour", WIRE_ERROR_INVALID_REQUEST},
		{"[]", "object", WIRE_ERROR_INVALID_REQUEST},
		{"", "", WIRE_ERROR_INVALID_REQUEST},
		{"{'name':'x'", "", WIRE_ERROR_INVALID_REQUEST},
		{"{'supported_languages':['de'", "", WIRE_ERROR_INVALID_REQUEST},
		{"{} x", "", WIRE_ERROR_INVALID_REQUEST},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i)
		assert_refused(rows[i].json, false, rows[i].id, rows[i].word);
}

static void test_all_languages_fit(void **state)
{
	(void)state;
	assert_int_equal(parse("{'supported_languages':['de','en','fr','es','it','pt','nl','pl',"
			       "'sv','da','no','fi','cs','hu','ro','el','uk','bg','tr','vi','ar',"
			       "'hi','zh','ja','ko','sk','sl','hr','sr','ru','he','fa','ur','bn',"
			       "'ta','yue','th','id','ms']}",
			       false),
			 0);
	assert_int_equal(strlen(form.row.languages), 39 * 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_every_field_is_read, forget),
		cmocka_unit_test_teardown(test_null_takes_away_what_may_be_absent, forget),
		cmocka_unit_test_teardown(test_a_base_has_an_id_or_a_handle, forget),
		cmocka_unit_test_teardown(test_a_new_voice_needs_a_base_and_a_name, forget),
		cmocka_unit_test_teardown(test_what_is_wrong_is_named, forget),
		cmocka_unit_test_teardown(test_all_languages_fit, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
