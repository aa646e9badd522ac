/* Tokens cannot be guessed, and are valid for one path and a short time. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "account/api_key.h"
#include "account/single_use_token.h"

static char text[SINGLE_USE_TOKEN_LEN + 1];
static struct store_token token;

static void test_a_token_is_read_as_it_was_made(void **state)
{
	uint8_t hash[STORE_KEY_HASH_LEN];

	(void)state;
	assert_int_equal(single_use_token_make(text, &token, 9, "/ws/tts/stream", 60, 1000), 0);
	assert_int_equal(strlen(text), SINGLE_USE_TOKEN_LEN);
	assert_memory_equal(text, "kt_", 3);
	assert_int_equal(token.key_id, 9);
	assert_string_equal(token.path, "/ws/tts/stream");
	assert_int_equal(token.expires_ms, 61000);
	assert_int_equal(single_use_token_read(hash, text, SINGLE_USE_TOKEN_LEN), 0);
	assert_memory_equal(hash, token.hash, sizeof(hash));
}

static void test_no_two_tokens_are_equal(void **state)
{
	char other[SINGLE_USE_TOKEN_LEN + 1];

	(void)state;
	assert_int_equal(single_use_token_make(text, &token, 9, "/", 60, 1000), 0);
	assert_int_equal(single_use_token_make(other, &token, 9, "/", 60, 1000), 0);
	assert_string_not_equal(text, other);
}

static void test_paths_and_times_are_limited(void **state)
{
	char path[STORE_PATH_MAX + 2];

	(void)state;
	memset(path, '/', sizeof(path));
	path[STORE_PATH_MAX + 1] = '\0';
	assert_int_equal(single_use_token_make(text, &token, 9, path, 60, 0), EINVAL);
	path[STORE_PATH_MAX] = '\0';
	assert_int_equal(single_use_token_make(text, &token, 9, path, 60, 0), 0);
	assert_int_equal(single_use_token_make(text, &token, 9, "", 60, 0), EINVAL);
	assert_int_equal(single_use_token_make(text, &token, 9, "ws/tts", 60, 0), EINVAL);
	assert_int_equal(single_use_token_make(text, &token, 9, "/", 0, 0), ERANGE);
	assert_int_equal(single_use_token_make(text, &token, 9, "/", -1, 0), ERANGE);
	assert_int_equal(single_use_token_make(text, &token, 9, "/", 1, 0), 0);
	assert_int_equal(
		single_use_token_make(text, &token, 9, "/", SINGLE_USE_TOKEN_SECONDS_MAX, 0), 0);
	assert_int_equal(
		single_use_token_make(text, &token, 9, "/", SINGLE_USE_TOKEN_SECONDS_MAX + 1, 0),
		ERANGE);
}

static void test_a_token_is_not_a_key_and_a_key_is_not_a_token(void **state)
{
	char key_text[API_KEY_LEN + 1];
	char prefix[STORE_KEY_PREFIX_LEN + 1];
	uint8_t hash[STORE_KEY_HASH_LEN];
	struct store_key key;

	(void)state;
	assert_int_equal(api_key_make(key_text, &key, "name"), 0);
	assert_int_equal(single_use_token_read(hash, key_text, API_KEY_LEN), EINVAL);
	assert_int_equal(single_use_token_make(text, &token, 9, "/", 60, 0), 0);
	assert_int_equal(api_key_read(prefix, hash, text, SINGLE_USE_TOKEN_LEN), EINVAL);
}

static void test_malformed_tokens_are_refused(void **state)
{
	uint8_t hash[STORE_KEY_HASH_LEN];

	(void)state;
	assert_int_equal(single_use_token_make(text, &token, 9, "/", 60, 0), 0);
	assert_int_equal(single_use_token_read(hash, text, 0), EINVAL);
	assert_int_equal(single_use_token_read(hash, text, SINGLE_USE_TOKEN_LEN - 1), EINVAL);
	assert_int_equal(single_use_token_read(hash, text, SINGLE_USE_TOKEN_LEN + 1), EINVAL);
	text[10] = '-';
	assert_int_equal(single_use_token_read(hash, text, SINGLE_USE_TOKEN_LEN), EINVAL);
	text[10] = '\0';
	assert_int_equal(single_use_token_read(hash, text, SINGLE_USE_TOKEN_LEN), EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_token_is_read_as_it_was_made),
		cmocka_unit_test(test_no_two_tokens_are_equal),
		cmocka_unit_test(test_paths_and_times_are_limited),
		cmocka_unit_test(test_a_token_is_not_a_key_and_a_key_is_not_a_token),
		cmocka_unit_test(test_malformed_tokens_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
