/* Which web pages may use the server, by their Host and Origin. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/count.h"
#include "server/origin.h"

static bool knows(const char *listen, const char *hosts, const char *host)
{
	const struct origin_rules rules = {.listen = listen, .hosts = hosts, .origins = ""};

	return origin_knows_host(&rules, host);
}

static bool welcomes(const char *listen, const char *origins, const char *host, const char *origin)
{
	const struct origin_rules rules = {.listen = listen, .hosts = "", .origins = origins};
	const struct origin_claim claim = {.host = host, .origin = origin};

	return origin_is_welcome(&rules, &claim);
}

static void test_a_server_for_this_machine_has_its_names_alone(void **state)
{
	static const char *const own[] = {"localhost",   "localhost:8080", "LOCALHOST:1",
					  "[::1]:8080",  "127.0.0.1",      "127.0.0.1:8080",
					  "127.1.2.3:1", "a.localhost",    "syrinx:80",
					  "10.0.0.1:80", "[::2]:8080"};
	static const char *const others[] = {"evil.example",
					     "evil.example:8080",
					     "127.0.0.1.evil.example",
					     "localhost.evil.example",
					     "10.evil.example",
					     "127.evil.example:8080",
					     ""};

	(void)state;
	for (size_t i = 0; i < COUNT(own); ++i) {
		assert_true(knows("127.0.0.1:8080", "", own[i]));
		assert_true(knows("[::1]:8080", "", own[i]));
	}
	for (size_t i = 0; i < COUNT(others); ++i)
		assert_false(knows("127.0.0.1:8080", "", others[i]));
}

static void test_a_server_for_others_has_any_name_until_some_are_named(void **state)
{
	(void)state;
	assert_true(knows("0.0.0.0:8080", "", "tts.example:8080"));
	assert_true(knows("0.0.0.0:8080", "a.example tts.example", "TTS.example:8080"));
	assert_true(knows("0.0.0.0:8080", "tts.example:8080", "tts.example:8080"));
	assert_false(knows("0.0.0.0:8080", "a.example tts.example", "s.example"));
	assert_false(knows("0.0.0.0:8080", "tts.example", "tts.example.evil"));
	assert_true(knows("127.0.0.1:8080", "tts.example", "tts.example")); /* behind a proxy */
	assert_true(knows("127.0.0.1:8080", "tts.example", "localhost:8080"));
}

static void test_pages_of_ours_are_welcome_and_others_by_name(void **state)
{
	(void)state;
	assert_true(welcomes("0.0.0.0:80", "", "tts.example", "https://tts.example"));
	assert_true(welcomes("0.0.0.0:80", "", "tts.example:81", "http://TTS.example:81"));
	assert_false(welcomes("0.0.0.0:80", "", "tts.example", "https://tts.example:444"));
	assert_false(welcomes("0.0.0.0:80", "", "tts.example", "https://evil.example"));
	assert_false(welcomes("0.0.0.0:80", "", "tts.example", "null"));
	assert_true(welcomes("0.0.0.0:80", "https://app.example https://b.example", "tts.example",
			     "https://b.example"));
	assert_false(
		welcomes("0.0.0.0:80", "https://app.example", "tts.example", "http://app.example"));
	assert_true(welcomes("0.0.0.0:80", "*", "tts.example", "null"));
}

static void test_pages_of_this_machine_may_use_its_own_server(void **state)
{
	(void)state;
	assert_true(welcomes("127.0.0.1:8080", "", "127.0.0.1:8080", "http://localhost:3000"));
	assert_false(welcomes("127.0.0.1:8080", "", "127.0.0.1:8080", "http://evil.example"));
	assert_false(welcomes("0.0.0.0:8080", "", "tts.example", "http://localhost:3000"));
	assert_false(welcomes("127.0.0.1:8080", "", "127.0.0.1:8080", "file://localhost"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_server_for_this_machine_has_its_names_alone),
		cmocka_unit_test(test_a_server_for_others_has_any_name_until_some_are_named),
		cmocka_unit_test(test_pages_of_ours_are_welcome_and_others_by_name),
		cmocka_unit_test(test_pages_of_this_machine_may_use_its_own_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
