/* Dictionaries and entries are accepted within their limits. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/count.h"
#include "wire/dictionary_message.h"

static char *bytes; /* the body under test */
static size_t bytes_len;
static struct stream_fault fault;

/* Sets the body, in which ' is replaced by ". */
static void set(const char *json)
{
	bytes_len = strlen(json);
	free(bytes);
	bytes = malloc(bytes_len ? bytes_len : 1); /* exact, so that sanitizers find overruns */
	assert_non_null(bytes);
	for (size_t i = 0; i < bytes_len; ++i)
		bytes[i] = json[i] == '\'' ? '"' : json[i];
	memset(&fault, 0, sizeof(fault));
}

static int parse(struct dictionary_message *message, const char *json, bool is_new)
{
	set(json);
	return dictionary_message_parse(message, &fault, bytes, bytes_len, is_new);
}

static int parse_entry(struct dictionary_entry_message *message, const char *json, bool is_new)
{
	set(json);
	return dictionary_message_parse_entry(message, &fault, bytes, bytes_len, is_new);
}

static int parse_entries(struct dictionary_entries_message *message, const char *json)
{
	set(json);
	return dictionary_message_parse_entries(message, &fault, bytes, bytes_len, 3);
}

/* Writes {'KEY':'é…', with n times é, followed by `rest`. */
static const char *long_text(const char *key, size_t n, const char *rest)
{
	static struct buf json;

	json.max = 1 << 20;
	json.len = 0;
	assert_int_equal(buf_printf(&json, "{'%s':'", key), 0);
	for (size_t i = 0; i < n; ++i)
		assert_int_equal(buf_append_str(&json, "é"), 0);
	assert_int_equal(buf_printf(&json, "'%s}", rest), 0);
	assert_int_equal(buf_append(&json, "", 1), 0);
	return json.bytes;
}

static void test_a_new_dictionary_needs_a_name_and_is_active(void **state)
{
	struct dictionary_message message;

	(void)state;
	assert_int_equal(parse(&message, "{'name':'Places'}", true), 0);
	assert_string_equal(message.name, "Places");
	assert_null(message.description);
	assert_null(message.language);
	assert_true(message.is_active);
	assert_int_equal(parse(&message,
			       "{'name':'n','description':'','language':'de','is_active':false}",
			       true),
			 0);
	assert_string_equal(message.description, "");
	assert_string_equal(message.language, "de");
	assert_false(message.is_active);
	assert_int_equal(parse(&message, "{'language':'de'}", true), EINVAL);
	assert_string_equal(fault.detail, "name is required");
}

static void test_a_change_carries_what_it_names(void **state)
{
	struct dictionary_message message;

	(void)state;
	assert_int_equal(parse(&message, "{'language':'','description':null}", false), 0);
	assert_int_equal(message.body.fields,
			 DICTIONARY_MESSAGE_LANGUAGE | DICTIONARY_MESSAGE_DESCRIPTION);
	assert_null(message.language); /* "" means all languages, like null */
	assert_null(message.description);
}

static void test_texts_are_as_long_as_they_may_be(void **state)
{
	static const struct {
		const char *key;
		size_t max;
		const char *rest;
	} limits[] = {
		{"name", 200, ""},
		{"description", 2000, ",'name':'n'"},
		{"language", 16, ",'name':'n'"},
	};
	static const struct {
		const char *key;
		size_t max;
		const char *rest;
	} entry_limits[] = {
		{"word", 200, ",'replacement':'r'"},
		{"replacement", 1000, ",'word':'w'"},
		{"ipa", 200, ",'word':'w','replacement':'r'"},
	};
	struct dictionary_message message;
	struct dictionary_entry_message entry;

	(void)state;
	for (size_t i = 0; i < COUNT(limits); ++i) {
		size_t max = limits[i].max;

		assert_int_equal(
			parse(&message, long_text(limits[i].key, max, limits[i].rest), true), 0);
		assert_int_equal(
			parse(&message, long_text(limits[i].key, max + 1, limits[i].rest), true),
			EINVAL);
		assert_non_null(strstr(fault.detail, limits[i].key));
	}
	for (size_t i = 0; i < COUNT(entry_limits); ++i) {
		size_t max = entry_limits[i].max;
		const char *key = entry_limits[i].key;

		assert_int_equal(
			parse_entry(&entry, long_text(key, max, entry_limits[i].rest), true), 0);
		assert_int_equal(
			parse_entry(&entry, long_text(key, max + 1, entry_limits[i].rest), true),
			EINVAL);
		assert_non_null(strstr(fault.detail, key));
	}
}

static void test_an_entry_needs_a_word_and_what_to_say(void **state)
{
	struct dictionary_entry_message entry;

	(void)state;
	assert_int_equal(parse_entry(&entry, "{'word':'SQL','replacement':'sequel'}", true), 0);
	assert_string_equal(entry.said.word, "SQL");
	assert_string_equal(entry.said.replacement, "sequel");
	assert_null(entry.said.ipa);
	assert_false(entry.said.case_sensitive);
	assert_int_equal(
		parse_entry(&entry, "{'word':'a','replacement':' ','ipa':'','case_sensitive':true}",
			    true),
		0);
	assert_null(entry.said.ipa); /* "" means none, and not silence */
	assert_true(entry.said.case_sensitive);
	assert_int_equal(parse_entry(&entry, "{'word':'a'}", true), EINVAL);
	assert_string_equal(fault.detail, "replacement is required");
	assert_int_equal(parse_entry(&entry, "{'word':' \\u00a0\\t','replacement':'x'}", true),
			 EINVAL);
	assert_string_equal(fault.detail, "word must hold more than blanks");
	assert_int_equal(parse_entry(&entry, "{'id':3}", false), EINVAL);
	assert_int_equal(parse_entry(&entry, "{'ipa':null}", false), 0);
	assert_int_equal(entry.body.fields, DICTIONARY_MESSAGE_IPA);
}

static void test_a_list_of_entries_is_taken_whole(void **state)
{
	struct dictionary_entries_message message;

	(void)state;
	assert_int_equal(parse_entries(&message, "{'entries':[]}"), 0);
	assert_int_equal(message.count, 0);
	dictionary_message_reset_entries(&message);
	assert_int_equal(parse_entries(&message, "{'entries':[{'word':'b','replacement':'1'},"
						 "{'word':'a','replacement':'2','ipa':'x'},"
						 "{'word':'B','replacement':'3'}]}"),
			 0);
	assert_int_equal(message.count, 3);
	assert_string_equal(message.entries[0].word, "b");
	assert_string_equal(message.entries[1].ipa, "x");
	assert_string_equal(message.entries[2].replacement, "3");
	dictionary_message_reset_entries(&message);
	assert_null(message.entries);
}

static const struct {
	const char *json, *detail;
} bad_lists[] = {
	{"{}", "entries is required"},
	{"[]", "it must be a JSON object (got a list)"},
	{"{'entries':null}", "entries must be a list (got null)"},
	{"{'entries':{}}", "entries must be a list (got an object)"},
	{"{'entries':[],'x':1}", "a key must be a known one (got 'x')"},
	{"{'entries':[],'entries':[]}", "entries comes twice"},
	{"{'entries':[1]}", "entries[0]: it must be a JSON object (got 1)"},
	{"{'entries':[{'word':'a','replacement':'b'},{'word':'c'}]}",
	 "entries[1]: replacement is required"},
	{"{'entries':[{'word':'a','replacement':'b','id':7}]}",
	 "entries[0]: a key must be a known one (got 'id')"},
	{"{'entries':[{'word':'a','replacement':'b'},{'word':'c','replacement':'d'},"
	 "{'word':'a','replacement':'x'}]}",
	 "entries[2]: word must be another than those before it (got 'a')"},
	{"{'entries':[{'word':'1','replacement':'b'},{'word':'2','replacement':'d'},"
	 "{'word':'3','replacement':'x'},{'word':'4','replacement':'x'}]}",
	 "entries may have 3 elements at most"},
	{"{'entries':[{'word':'a','replacement':'b'}", "malformed JSON at byte 42: unexpected end"},
	{"{'entries':[{'word':'a',}]}", "malformed JSON at byte 24: expected a key"},
};

static void test_a_refused_list_says_which_entry_is_wrong(void **state)
{
	struct dictionary_entries_message message;

	(void)state;
	for (size_t i = 0; i < COUNT(bad_lists); ++i) {
		char expected[160];

		if (parse_entries(&message, bad_lists[i].json) != EINVAL)
			fail_msg("taken: %s", bad_lists[i].json);
		snprintf(expected, sizeof(expected), "%s", bad_lists[i].detail);
		for (char *p = expected; *p; ++p)
			*p = *p == '\'' ? '"' : *p;
		assert_string_equal(fault.detail, expected);
		assert_null(message.entries);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_new_dictionary_needs_a_name_and_is_active),
		cmocka_unit_test(test_a_change_carries_what_it_names),
		cmocka_unit_test(test_texts_are_as_long_as_they_may_be),
		cmocka_unit_test(test_an_entry_needs_a_word_and_what_to_say),
		cmocka_unit_test(test_a_list_of_entries_is_taken_whole),
		cmocka_unit_test(test_a_refused_list_says_which_entry_is_wrong),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(bytes);
	return failed;
}
