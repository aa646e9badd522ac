/* Signed URLs are valid for one speech engine, and say for which conversation. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "account/api_key.h"
#include "base/count.h"
#include "doors/elevenlabs/conversation_url.h"
#include "doors/elevenlabs/engine_id.h"

#define NOW_MS INT64_C(1790000000000)
#define ID "0123456789abcdefghijklmnopqr"

static struct store_key key;

static int make_key(void **state)
{
	char text[API_KEY_LEN + 1];

	(void)state;
	return api_key_make(text, &key, "test");
}

static void test_both_prefixes_name_the_same_resource(void **state)
{
	static const char *const others[] = {"seng_",
					     "bob",
					     "seng_0123456789abcdefghijklmnopqrx",
					     "Seng_0123456789abcdefghijklmnopqr",
					     "seng_0123456789abcdefghijklmnop-r",
					     ID};
	char id[STORE_SPEECH_ENGINE_ID_LEN + 1];
	char text[ENGINE_ID_SIZE];

	(void)state;
	assert_true(engine_id_read(id, "seng_" ID, strlen("seng_" ID)));
	assert_string_equal(id, ID);
	assert_true(engine_id_read(id, "agent_" ID "/x", strlen("agent_" ID)));
	assert_string_equal(id, ID);
	engine_id_show(text, id);
	assert_string_equal(text, "seng_" ID);
	assert_int_equal(engine_id_normalize(text, "agent_" ID, strlen("agent_" ID)), 0);
	assert_string_equal(text, "seng_" ID);
	for (size_t i = 0; i < COUNT(others); ++i)
		assert_false(engine_id_read(id, others[i], strlen(others[i])));
	assert_int_equal(engine_id_normalize(text, "bob", 3), 0);
	assert_string_equal(text, "bob");
	assert_int_equal(engine_id_normalize(text, "", 0), EINVAL);
	assert_int_equal(engine_id_normalize(text, ID ID, 2 * STORE_SPEECH_ENGINE_ID_LEN), EINVAL);
}

static void test_a_reusable_signature_is_read_until_it_expires(void **state)
{
	char signature[CONVERSATION_URL_SIGNATURE_SIZE];
	struct conversation_url url;
	struct conversation_url other;
	int64_t end_ms = NOW_MS + CONVERSATION_URL_SECONDS * INT64_C(1000);
	struct signed_path parts;

	(void)state;
	assert_int_equal(conversation_url_sign(signature, &key, "seng_" ID, NOW_MS), 0);
	assert_int_equal(conversation_url_read(&url, "agent_" ID, signature, end_ms - 1), 0);
	assert_string_equal(url.conversation_id, "");
	assert_string_equal(url.text, signature);
	assert_int_equal(signed_path_read(&parts, url.text, strlen(url.text)), 0);
	assert_int_equal(signed_path_check(&parts, &key, url.path, NOW_MS / 1000), 0);
	assert_int_equal(conversation_url_read(&other, "bob", signature, NOW_MS), 0);
	assert_int_equal(signed_path_check(&parts, &key, other.path, NOW_MS / 1000), EACCES);
	assert_int_equal(conversation_url_read(&url, "seng_" ID, signature, end_ms), ETIMEDOUT);
}

static void test_a_signature_for_one_conversation_has_its_id(void **state)
{
	char signature[CONVERSATION_URL_SIGNATURE_SIZE];
	char conversation_id[CONVERSATION_ID_LEN + 1];
	struct conversation_url url;
	struct store_token token;
	uint8_t hash[STORE_KEY_HASH_LEN];

	(void)state;
	assert_int_equal(conversation_url_new_id(conversation_id), 0);
	assert_memory_equal(conversation_id, "conv_", 5);
	assert_int_equal(strlen(conversation_id), CONVERSATION_ID_LEN);
	assert_int_equal(conversation_url_sign_once(signature, &token, 7, "seng_" ID,
						    conversation_id, NOW_MS),
			 0);
	assert_int_equal(token.key_id, 7);
	assert_int_equal(token.expires_ms, NOW_MS + CONVERSATION_URL_SECONDS * INT64_C(1000));
	assert_int_equal(conversation_url_read(&url, "seng_" ID, signature, NOW_MS), 0);
	assert_string_equal(url.conversation_id, conversation_id);
	assert_string_equal(url.path, token.path);
	assert_int_equal(single_use_token_read(hash, url.text, strlen(url.text)), 0);
	assert_memory_equal(hash, token.hash, sizeof(hash));
	signature[8] = signature[8] == 'x' ? 'y' : 'x'; /* another conversation: another path */
	assert_int_equal(conversation_url_read(&url, "seng_" ID, signature, NOW_MS), 0);
	assert_string_not_equal(url.path, token.path);
}

static void test_other_texts_are_refused(void **state)
{
	static const char *const texts[] = {"", "x", "kt_", "conv_.kt_", "ks_ka_aaaaa.1.2"};
	char signature[CONVERSATION_URL_SIGNATURE_SIZE];
	struct conversation_url url;
	char longest[512];

	(void)state;
	for (size_t i = 0; i < COUNT(texts); ++i)
		assert_int_equal(conversation_url_read(&url, "bob", texts[i], NOW_MS), EINVAL);
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(conversation_url_read(&url, "bob", longest, NOW_MS), EINVAL);
	assert_int_equal(conversation_url_sign(signature, &key, longest, NOW_MS), EINVAL);
	assert_int_equal(conversation_url_sign(signature, &key, "bob", NOW_MS), 0);
	assert_int_equal(conversation_url_read(&url, longest, signature, NOW_MS), EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_prefixes_name_the_same_resource),
		cmocka_unit_test(test_a_reusable_signature_is_read_until_it_expires),
		cmocka_unit_test(test_a_signature_for_one_conversation_has_its_id),
		cmocka_unit_test(test_other_texts_are_refused),
	};

	return cmocka_run_group_tests(tests, make_key, NULL);
}
