/* Parts of a form are found by the names that their headers give them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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
		int len = snprintf(body, sizeof(body),
				   "--x\r\nContent-Disposition: %s\r\n\r\nbytes\r\n--x--\r\n",
				   rows[i].header);

		assert_int_equal(
			multipart_open(&form, "multipart/form-data; a=\";boundary=y\"; boundary=x",
				       body, (size_t)len),
			0);
		assert_int_equal(multipart_next(&form, &part), rows[i].name ? 0 : EINVAL);
		if (!rows[i].name)
			continue;
		assert_int_equal(part.name_len, strlen(rows[i].name));
		assert_memory_equal(part.name, rows[i].name, part.name_len);
		assert_int_equal(part.len, 5);
		assert_memory_equal(part.bytes, "bytes", 5);
		assert_int_equal(multipart_next(&form, &part), ENOENT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_name_of_a_part_is_that_of_its_own_parameter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
