/* A signature is valid for one key, one path and a limited time. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "account/api_key.h"
#include "account/signed_path.h"

#define NOW 1790000000

static void test_a_signature_is_valid_for_its_key_path_and_time(void **state)
{
	char key_text[API_KEY_LEN + 1];
	char text[SIGNED_PATH_SIZE];
	struct signed_path signature;
	struct store_key key;
	struct store_key other;

	(void)state;
	assert_int_equal(api_key_make(key_text, &key, "one"), 0);
	assert_int_equal(api_key_make(key_text, &other, "two"), 0);
	assert_int_equal(signed_path_make(text, &key, "/a/b", NOW + 5), 0);
	assert_int_equal(signed_path_read(&signature, text, strlen(text)), 0);
	assert_string_equal(signature.prefix, key.prefix);
	assert_int_equal(signature.expires_s, NOW + 5);
	assert_int_equal(signed_path_check(&signature, &key, "/a/b", NOW), 0);
	assert_int_equal(signed_path_check(&signature, &key, "/a/b", NOW + 4), 0);
	assert_int_equal(signed_path_check(&signature, &key, "/a/b", NOW + 5), EACCES);
	assert_int_equal(signed_path_check(&signature, &key, "/a/bc", NOW), EACCES);
	assert_int_equal(signed_path_check(&signature, &other, "/a/b", NOW), EACCES);
	signature.expires_s += 1000; /* the time is signed too */
	assert_int_equal(signed_path_check(&signature, &key, "/a/b", NOW), EACCES);
}

static void test_other_texts_are_refused(void **state)
{
	char key_text[API_KEY_LEN + 1];
	char text[SIGNED_PATH_SIZE];
	struct signed_path signature;
	struct store_key key;

	(void)state;
	assert_int_equal(api_key_make(key_text, &key, "one"), 0);
	assert_int_equal(signed_path_read(&signature, key_text, strlen(key_text)), EINVAL);
	assert_int_equal(signed_path_read(&signature, "", 0), EINVAL);
	assert_int_equal(signed_path_make(text, &key, "/a/b", NOW), 0);
	assert_int_equal(signed_path_read(&signature, text, strlen(text) - 1), EINVAL);
	for (size_t i = 0; i < strlen(text); ++i) {
		char kept = text[i];

		text[i] = '*';
		if (i < 3 || i >= 3 + STORE_KEY_PREFIX_LEN) /* any prefix may be that of a key */
			assert_int_equal(signed_path_read(&signature, text, strlen(text)), EINVAL);
		text[i] = kept;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_signature_is_valid_for_its_key_path_and_time),
		cmocka_unit_test(test_other_texts_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
