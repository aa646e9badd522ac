/* The parts of a form are found by the names in their headers, and are the same however the form is
 * split. */
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
#include "wire/multipart.h"

static void test_the_name_of_a_part_is_that_of_its_own_parameter(void **state)
{
	static const struct {
		const char *header;
		const char *name; /* NULL: the form is refused */
	} rows[] = {
		{"form-data; name=\"file\"", "file"},
		{"form-data; name=file; filename=x", "file"},
		{"form-data;NAME=\"file\"", "file"},
		{"form-data; filename=\"x\"; name=\"file\"", "file"},
		{"form-data; filename=\"x;name=evil\"; name=\"file\"", "file"},
		{"form-data; filename=\"x; name=evil; \"; name=\"file\"", "file"},
		{"form-data; other; name=\"a;b\"", "a;b"},
		{"form-data; xname=evil; name=\"file\"", "file"},
		{"form-data; name=\"\"", ""},
		{"form-data; name=", ""},
		{"form-data; filename=\"x;name=evil\"", NULL},
		{"form-data; filename=\"x; name=evil", NULL},
		{"form-data; name=\"file", NULL},
		{"form-data; name", NULL},
		{"form-data;", NULL},
		{"form-data", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct multipart_part part;
		struct multipart form;
		char body[256];
		char *at = body;
		size_t left;
		int len = snprintf(body, sizeof(body),
				   "--x\r\nContent-Disposition: %s\r\n\r\nbytes\r\n--x--\r\n",
				   rows[i].header);

		left = (size_t)len;
		assert_int_equal(multipart_open(&form, "multipart/form-data; a=\";boundary=y\"; "
						       "boundary=x"),
				 0);
		assert_int_equal(multipart_next_part(&form, &at, &left, &part),
				 rows[i].name ? 0 : EINVAL);
		if (!rows[i].name)
			continue;
		assert_int_equal(part.name_len, strlen(rows[i].name));
		assert_memory_equal(part.name, rows[i].name, part.name_len);
		assert_int_equal(part.len, 5);
		assert_memory_equal(part.bytes, "bytes", 5);
		assert_int_equal(multipart_next_part(&form, &at, &left, &part), ENOENT);
	}
}

#define TYPE "multipart/form-data; boundary=bound"
#define NAMED(name) "Content-Disposition: form-data; name=" name "\r\n\r\n"

/* What was read, as "name=bytes;" for each part that has ended, and how it ended. */
struct result {
	char text[1024];
	size_t len;
	int err;
};

static void add(struct result *result, const char *bytes, size_t len)
{
	assert_true(result->len + len < sizeof(result->text));
	memcpy(result->text + result->len, bytes, len);
	result->len += len;
	result->text[result->len] = '\0';
}

/* Reads all pieces of these bytes, each at most `max` long, from memory that is freed after it. */
static void feed(struct multipart *form, struct result *result, const char *bytes, size_t n,
		 size_t max)
{
	char *copy = malloc(n + 1);
	const char *at = copy;
	size_t left = n;
	struct multipart_piece piece;

	assert_non_null(copy);
	memcpy(copy, bytes, n);
	while ((result->err = multipart_read(form, &at, &left, max, &piece)) == 0) {
		if (piece.kind == MULTIPART_HEAD) {
			add(result, piece.name, piece.name_len);
			add(result, "=", 1);
		} else if (piece.kind == MULTIPART_BYTES) {
			assert_in_range(piece.len, 1, max);
			add(result, piece.bytes, piece.len);
		} else {
			add(result, ";", 1);
		}
	}
	if (result->err != EINVAL)
		assert_int_equal(left, 0);
	free(copy);
}

/* `err` is what the last call returns: EAGAIN if the form is cut off. */
static const struct {
	const char *body;
	const char *text;
	int err;
} forms[] = {
	{"--bound\r\n" NAMED("a") "one\r\n--bound\r\n" NAMED("b") "two\r\n--bound--\r\n",
	 "a=one;b=two;", ENOENT},
	{"--bound \t\r\n" NAMED("a") "\r\n--bound--", "a=;", ENOENT},
	{"--bound\r\n" NAMED("a") "--bound--", "a=;", ENOENT},
	{"--bound\r\n" NAMED("a") "--boun\r\n--bound--", "a=--boun;", ENOENT},
	{"--bound\r\nX: y\r\n" NAMED("a") "\r\n\r\n--bound--ignored", "a=\r\n;", ENOENT},
	{"--bound\r\n" NAMED("a") "\r\r\n\r\n-\r\n--bounx\r\n--\r\n--bound--",
	 "a=\r\r\n\r\n-\r\n--bounx\r\n--;", ENOENT},
	{"--bound\r\n" NAMED("a") "\r\n--boun\r\n--boun\r\n--bound--", "a=\r\n--boun\r\n--boun;",
	 ENOENT},
	{"--bound\r\n" NAMED("a") "x\r\n--bound\r\n" NAMED("b") "y", "a=x;b=y", EAGAIN},
	{"--bound\r\n" NAMED("a") "x\r\n--bound-", "a=x;", EAGAIN},
	{"--bound\r\nContent-Dis", "", EAGAIN},
	{"--bou", "", EAGAIN},
	{"", "", EAGAIN},
	{"--bound--", "", ENOENT},
	{"\r\n--bound\r\n", "", EINVAL},
	{"--bouNd", "", EINVAL},
	{"--boundx", "", EINVAL},
	{"--bound\rx", "", EINVAL},
	{"--bound-x", "", EINVAL},
	{"--bound --", "", EINVAL},
	{"--bound\r\n\r\nno name", "", EINVAL},
	{"--bound\r\nContent-Disposition: form-data\r\n\r\nno name", "", EINVAL},
	{"--bound\r\n" NAMED("a") "x\r\n--boundx", "a=x;", EINVAL},
};

static void check_form(size_t i, const struct result *result, size_t first, size_t max)
{
	if (result->err != forms[i].err || strcmp(result->text, forms[i].text) != 0)
		fail_msg("form %zu, split at %zu, max %zu: %s, %d", i, first, max, result->text,
			 result->err);
}

static void test_a_form_may_be_split_anywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(forms); ++i) {
		size_t len = strlen(forms[i].body);

		for (size_t max = 1; max <= 8; ++max) {
			for (size_t first = 0; first <= len; ++first) {
				struct result result = {.err = 0};
				struct multipart form;

				assert_int_equal(multipart_open(&form, TYPE), 0);
				feed(&form, &result, forms[i].body, first, max);
				feed(&form, &result, forms[i].body + first, len - first, max);
				check_form(i, &result, first, max);
			}
		}
	}
}

static void test_a_form_may_arrive_in_pieces_of_any_size(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(forms); ++i) {
		size_t len = strlen(forms[i].body);

		for (size_t step = 1; step <= len; ++step) {
			struct result result = {.err = EAGAIN};
			struct multipart form;

			assert_int_equal(multipart_open(&form, TYPE), 0);
			for (size_t at = 0; at < len; at += step)
				feed(&form, &result, forms[i].body + at,
				     len - at < step ? len - at : step, SIZE_MAX);
			check_form(i, &result, step, SIZE_MAX);
		}
	}
}

/* A caller that has no room for bytes learns that there are some, and loses none. */
static void test_without_room_bytes_stay(void **state)
{
	static const char body[] = "--bound\r\n" NAMED("a") "x\r\n--by\r\n--bound--";
	struct result result = {.err = 0};
	struct multipart_piece piece;
	struct multipart form;

	(void)state;
	assert_int_equal(multipart_open(&form, TYPE), 0);
	for (size_t i = 0; i < sizeof(body) - 1; ++i) {
		const char *at = body + i;
		size_t left = 1;
		int err;

		while ((err = multipart_read(&form, &at, &left, 0, &piece)) == 0 ||
		       err == ENOBUFS) {
			if (err == ENOBUFS) {
				assert_int_equal(left, 1);
				assert_int_equal(multipart_read(&form, &at, &left, 1, &piece), 0);
				assert_int_equal(piece.kind, MULTIPART_BYTES);
				assert_int_equal(piece.len, 1);
				add(&result, piece.bytes, piece.len);
			}
		}
		result.err = err;
	}
	assert_string_equal(result.text, "x\r\n--by");
	assert_int_equal(result.err, ENOENT);
}

static void test_a_form_has_limits(void **state)
{
	static const char part[] = "--bound\r\n" NAMED("a") "\r\n";
	static char body[(MULTIPART_PARTS_MAX + 1) * sizeof(part) + MULTIPART_HEAD_MAX];
	struct multipart_piece piece;
	struct multipart form;
	const char *at = body;
	size_t left;
	unsigned parts = 0;
	int err;

	(void)state;
	for (size_t i = 0; i <= MULTIPART_PARTS_MAX; ++i)
		memcpy(body + i * (sizeof(part) - 1), part, sizeof(part) - 1);
	left = (MULTIPART_PARTS_MAX + 1) * (sizeof(part) - 1);
	assert_int_equal(multipart_open(&form, TYPE), 0);
	while ((err = multipart_read(&form, &at, &left, SIZE_MAX, &piece)) == 0)
		parts += piece.kind == MULTIPART_TAIL;
	assert_int_equal(err, EINVAL);
	assert_int_equal(parts, MULTIPART_PARTS_MAX);

	memset(body, 'x', sizeof(body));
	memcpy(body, part, strlen("--bound\r\n"));
	at = body;
	left = strlen("--bound\r\n") + MULTIPART_HEAD_MAX;
	assert_int_equal(multipart_open(&form, TYPE), 0);
	assert_int_equal(multipart_read(&form, &at, &left, SIZE_MAX, &piece), EAGAIN);
	left = 1;
	assert_int_equal(multipart_read(&form, &at, &left, SIZE_MAX, &piece), EINVAL);
	assert_int_equal(multipart_read(&form, &at, &left, SIZE_MAX, &piece), EINVAL);
}

static void test_content_types_of_other_bodies_are_refused(void **state)
{
	static const char *const types[] = {
		"application/json",
		"multipart/form-data",
		"multipart/form-data; boundary=",
		"multipart/form-data; boundary=\"\"",
		"multipart/form-data; boundary=\"a\rb\"",
		/* A character more than the maximum. */
		("multipart/form-data; boundary="
		 "12345678901234567890123456789012345678901234567890123456789012345678901"),
	};
	struct multipart form;

	(void)state;
	assert_int_equal(multipart_open(&form, NULL), EINVAL);
	for (size_t i = 0; i < COUNT(types); ++i)
		assert_int_equal(multipart_open(&form, types[i]), EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_name_of_a_part_is_that_of_its_own_parameter),
		cmocka_unit_test(test_a_form_may_be_split_anywhere),
		cmocka_unit_test(test_a_form_may_arrive_in_pieces_of_any_size),
		cmocka_unit_test(test_without_room_bytes_stay),
		cmocka_unit_test(test_a_form_has_limits),
		cmocka_unit_test(test_content_types_of_other_bodies_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
