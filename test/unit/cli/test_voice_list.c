/*
 * Which voice a name selects, and how a server's list is read.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "cli/voice_list.h"

static struct voice_entry some[] = {
	{.id = 1071, .name = "Sally", .handle = "sally"},
	{.id = 2003, .name = "English, male", .handle = "english-male"},
	{.id = 2004, .name = "English, female", .handle = "english-female"},
	{.id = 100001, .name = "Mine", .handle = "mine-100001"},
	{.id = 100002, .name = "Mine", .handle = "mine-100002"},
};
static const struct voice_list list = {.entries = some, .count = COUNT(some)};

static void test_ids_handles_and_names_are_found(void **state)
{
	static const struct {
		const char *text;
		int64_t id;
	} cases[] = {
		{"1071", 1071},           {"7", 7}, /* an id need not be in the list */
		{"sally", 1071},          {"SALLY", 1071},
		{"English, male", 2003},  {"english, MALE", 2003},
		{"english-female", 2004}, {"mine-100002", 100002},
		{"nova", 1071}, /* 1082 would be better, but is not in the list */
	};
	char why[200];
	int64_t id;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		assert_int_equal(voice_list_find(&id, &list, cases[i].text, why, sizeof(why)), 0);
		assert_int_equal(id, cases[i].id);
	}
}

static void test_what_is_not_found_has_candidates(void **state)
{
	static const struct {
		const char *text, *why;
		int err;
	} cases[] = {
		{"mine",
		 "several voices are named \"mine\": Mine (100001), Mine (100002); give the id",
		 EEXIST},
		{"Saly", "there is no voice \"Saly\"; did you mean Sally (1071)?", ENOENT},
		{"english",
		 "there is no voice \"english\"; did you mean English, male (2003), English, female "
		 "(2004)?",
		 ENOENT},
		{"Bartholomew",
		 "there is no voice \"Bartholomew\"; to list the voices: syrinx voices", ENOENT},
		{"onyx", "there is no voice \"onyx\"; to list the voices: syrinx voices", ENOENT},
	};
	char why[200];
	int64_t id;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		assert_int_equal(voice_list_find(&id, &list, cases[i].text, why, sizeof(why)),
				 cases[i].err);
		assert_string_equal(why, cases[i].why);
	}
}

static void test_digits_are_an_id(void **state)
{
	int64_t id;

	(void)state;
	assert_true(voice_list_is_id(&id, "9007199254740992"));
	assert_false(voice_list_is_id(&id, "9007199254740993"));
	assert_false(voice_list_is_id(&id, "99999999999999999999"));
	assert_false(voice_list_is_id(&id, ""));
	assert_false(voice_list_is_id(&id, "-1"));
	assert_false(voice_list_is_id(&id, "1 "));
}

static void test_a_page_of_a_server_is_read(void **state)
{
	char json[] =
		"{\"total\":9,\"more\":{\"voices\":[1]},\"voices\":[{\"id\":5,\"name\":\"A\","
		"\"handle\":\"a\",\"sex\":null,\"quality\":\"low\",\"engine\":\"tone\","
		"\"licence\":\"free\",\"supported_languages\":[\"de\",\"en\"]},{\"id\":6}],\"notes\":[\"x: bad\",\"y\"]}";
	struct voice_list read = {0};
	int64_t total;

	(void)state;
	assert_int_equal(voice_list_read(&read, &total, json, strlen(json)), 0);
	assert_int_equal(total, 9);
	assert_int_equal(read.count, 2);
	assert_int_equal(read.entries[0].id, 5);
	assert_string_equal(read.entries[0].name, "A");
	assert_string_equal(read.entries[0].handle, "a");
	assert_string_equal(read.entries[0].sex, "-");
	assert_string_equal(read.entries[0].quality, "low");
	assert_string_equal(read.entries[0].engine, "tone");
	assert_string_equal(read.entries[0].licence, "free");
	assert_string_equal(read.entries[0].languages, "de,en");
	assert_int_equal(read.entries[1].id, 6);
	assert_string_equal(read.notes, "x: bad\ny\n");
	voice_list_reset(&read);
}

static void test_another_answer_is_refused(void **state)
{
	static const char *const bad[] = {"",
					  "[]",
					  "{}",
					  "{\"voices\":[]}",
					  "{\"total\":1,\"voices\":[",
					  "{\"total\":1,\"voices\":[1]}",
					  "<html>"};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); ++i) {
		struct voice_list read = {0};
		char json[64];
		int64_t total;

		snprintf(json, sizeof(json), "%s", bad[i]);
		assert_int_equal(voice_list_read(&read, &total, json, strlen(json)), EBADMSG);
		voice_list_reset(&read);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids_handles_and_names_are_found),
		cmocka_unit_test(test_what_is_not_found_has_candidates),
		cmocka_unit_test(test_digits_are_an_id),
		cmocka_unit_test(test_a_page_of_a_server_is_read),
		cmocka_unit_test(test_another_answer_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
