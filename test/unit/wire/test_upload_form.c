/* The fields of a form are collected, its file is passed on, in any order and however it is split. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/upload_form.h"

#define TYPE "multipart/form-data; boundary=b"
#define PART(name, value)                                                                          \
	"--b\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n" value "\r\n"
#define FILE_PART(value)                                                                           \
	"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.wav\"\r\n"             \
	"Content-Type: audio/wav\r\n\r\n" value "\r\n"

static struct upload_form form;
static char file[256];
static size_t file_len;

static int tear_down(void **state)
{
	(void)state;
	upload_form_reset(&form);
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	file_len = 0;
	return upload_form_open(&form, TYPE, "file");
}

/* Reads all; returns what the last call did. */
static int feed(const char *bytes, size_t len, size_t max)
{
	const char *piece;
	size_t n;
	int err;

	while ((err = upload_form_read(&form, &bytes, &len, max, &piece, &n)) == 0) {
		assert_in_range(n, 1, max);
		assert_true(file_len + n < sizeof(file));
		memcpy(file + file_len, piece, n);
		file_len += n;
	}
	file[file_len] = '\0';
	return err;
}

static void check_fields(void)
{
	assert_string_equal(file, "RIFF\r\n--audio");
	assert_true(form.has_file);
	assert_string_equal(upload_form_field(&form, "model", 0), "whisper-1");
	assert_string_equal(upload_form_field(&form, "words[]", 0), "one");
	assert_string_equal(upload_form_field(&form, "words[]", 1), "");
	assert_null(upload_form_field(&form, "words[]", 2));
	assert_null(upload_form_field(&form, "file", 0));
	assert_null(upload_form_field(&form, "whisper-1", 0));
}

static void test_fields_and_file_come_in_any_order_and_split(void **state)
{
	static const char *const bodies[] = {
		PART("model", "whisper-1") PART("words[]", "one") PART("words[]", "")
			FILE_PART("RIFF\r\n--audio") "--b--\r\n",
		FILE_PART("RIFF\r\n--audio") PART("words[]", "one") PART("model", "whisper-1")
			PART("words[]", "") "--b--\r\n",
	};

	(void)state;
	for (size_t i = 0; i < 2; ++i) {
		size_t len = strlen(bodies[i]);

		for (size_t first = 0; first <= len; ++first) {
			for (size_t max = 1; max < 20; ++max) {
				tear_down(NULL);
				set_up(NULL);
				if (feed(bodies[i], first, max) == EAGAIN)
					assert_int_equal(feed(bodies[i] + first, len - first, max),
							 ENOENT);
				check_fields();
			}
		}
	}
}

static void test_a_field_is_known_when_it_is_complete(void **state)
{
	(void)state;
	assert_int_equal(feed(PART("a", "1"), strlen(PART("a", "1")), 1), EAGAIN);
	assert_null(upload_form_field(&form, "a", 0)); /* the next byte may still be its own */
	assert_int_equal(feed("--b\r\n", 5, 1), EAGAIN);
	assert_string_equal(upload_form_field(&form, "a", 0), "1");
	assert_null(upload_form_field(&form, "b", 0));
	assert_false(form.has_file);
}

static void test_a_caller_without_room_waits(void **state)
{
	static const char body[] = FILE_PART("RIFF") "--b--";
	const char *at = body;
	size_t left = sizeof(body) - 1;
	const char *piece;
	size_t n, before;

	(void)state;
	assert_int_equal(upload_form_read(&form, &at, &left, 0, &piece, &n), ENOBUFS);
	before = left;
	assert_int_equal(upload_form_read(&form, &at, &left, 0, &piece, &n), ENOBUFS);
	assert_int_equal(left, before);
	assert_int_equal(upload_form_read(&form, &at, &left, 3, &piece, &n), 0);
	assert_int_equal(n, 3);
	assert_int_equal(upload_form_read(&form, &at, &left, 0, &piece, &n), ENOBUFS);
	assert_int_equal(upload_form_read(&form, &at, &left, 3, &piece, &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(upload_form_read(&form, &at, &left, 0, &piece, &n), ENOENT);
}

static void test_what_is_not_such_a_form_is_refused(void **state)
{
	static const char *const bodies[] = {
		FILE_PART("1") FILE_PART("2") "--b--",
		PART("a", "\xff") "--b--",
		PART("\xc3", "a") "--b--",
		"RIFF",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); ++i) {
		tear_down(NULL);
		set_up(NULL);
		assert_int_equal(feed(bodies[i], strlen(bodies[i]), 100), EINVAL);
	}
	tear_down(NULL);
	set_up(NULL);
	assert_int_equal(feed(PART("a", "x\0y") "--b--", sizeof(PART("a", "x\0y") "--b--") - 1, 1),
			 EINVAL);
}

static void test_fields_are_bounded(void **state)
{
	static char value[UPLOAD_FORM_FIELDS_MAX];
	static const char head[] = PART("a", "");

	(void)state;
	memset(value, 'x', sizeof(value));
	assert_int_equal(feed(head, strlen(head) - 2, 1), EAGAIN);
	assert_int_equal(feed(value, sizeof(value) - 3, 1), EAGAIN);
	assert_int_equal(feed(value, 2, 1), E2BIG);
	assert_null(upload_form_field(&form, "a", 0));
	tear_down(NULL);
	set_up(NULL);
	/* The value fits, but not the NUL after it, and then not the name of another. */
	assert_int_equal(feed(head, strlen(head) - 2, 1), EAGAIN);
	assert_int_equal(feed(value, sizeof(value) - 2, 1), EAGAIN);
	assert_int_equal(feed("\r\n--b", 5, 1), E2BIG);
	assert_null(upload_form_field(&form, "a", 0));
	tear_down(NULL);
	set_up(NULL);
	assert_int_equal(feed(head, strlen(head) - 2, 1), EAGAIN);
	assert_int_equal(feed(value, sizeof(value) - 4, 1), EAGAIN);
	assert_int_equal(feed("\r\n" PART("b", ""), strlen(PART("b", "")) + 2, 1), E2BIG);
	assert_non_null(upload_form_field(&form, "a", 0));
	assert_null(upload_form_field(&form, "b", 0));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_fields_and_file_come_in_any_order_and_split),
		TEST(test_a_field_is_known_when_it_is_complete),
		TEST(test_a_caller_without_room_waits),
		TEST(test_what_is_not_such_a_form_is_refused),
		TEST(test_fields_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
