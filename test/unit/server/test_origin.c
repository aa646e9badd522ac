/* Which web pages may use the server, by their Host and Origin. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

	return origin_is_allowed(&rules, &claim);
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

/* Origins that browsers send for pages from this machine. */
static void test_pages_of_this_machine_are_known_in_every_spelling(void **state)
{
	static const char *const own[] = {
		"http://localhost",      "http://localhost:3000", "https://localhost:443",
		"HTTP://LOCALHOST:3000", "http://app.localhost",  "http://a.b.LocalHost:65535",
		"http://127.0.0.1",      "http://127.0.0.1:0",    "http://127.255.255.254:8080",
		"http://[::1]",          "http://[::1]:3000",     "http://[0:0:0:0:0:0:0:1]:3000",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(own); ++i) {
		if (!welcomes("127.0.0.1:8080", "", "127.0.0.1:8080", own[i]))
			fail_msg("%s", own[i]);
		assert_true(welcomes("[::1]:0", "", "[::1]:8080", own[i]));
		assert_true(welcomes("localhost:8080", "", "localhost:8080", own[i]));
		assert_false(welcomes("0.0.0.0:8080", "", "tts.example", own[i]));
	}
}

static const char *const no_origins[] = {
	"",
	"null",
	"NULL",
	"localhost",
	"//localhost",
	"://localhost",
	"http:localhost",
	"http:/localhost",
	"http://",
	"http://:80",
	"http://localhost:",
	"http://localhost:x",
	"http://localhost:80x",
	"http://localhost:65536",
	"http://localhost:000080",
	"http://localhost:99999999999999999999",
	"http://localhost:-1",
	"http://localhost:+80",
	"http://localhost: 80",
	"http://localhost:80:80",
	"http://localhost:evil.com",
	"http://localhost:evil.com:80",
	"http://localhost/",
	"http://localhost?",
	"http://localhost#",
	"http://localhost\\",
	"http://localhost:80/",
	"http://evil/.localhost",
	"http://evil?.localhost",
	"http://evil#.localhost",
	"http://evil\\.localhost",
	"http://evil@localhost",
	"http://evil:x@localhost",
	"http://localhost@evil",
	"http://evil%2f.localhost",
	"http://evil%00.localhost",
	"http://evil .localhost",
	" http://localhost",
	"http://localhost ",
	"http://localhost http://localhost",
	"http://localhost,http://localhost",
	"http://l\xc3\xb6-host",
	"http://[::1",
	"http://::1",
	"http://::1]",
	"http://[]",
	"http://[::1]x",
	"http://[::1].localhost",
	"http://[::1%25lo]",
	"http://[::1%lo]",
	"http://[127.0.0.1]",
	"http://[::1]:",
	"http://[0000:0000:0000:0000:0000:0000:0000:0001:0000:0000:0000]",
	"1http://localhost",
	"ht tp://localhost",
	"file://localhost",
	"ftp://localhost",
	"ws://localhost",
	"javascript://localhost",
	"httpx://localhost",
	"xhttp://localhost",
	"http+x://localhost",
};

static void test_what_is_no_origin_is_nobodys(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(no_origins); ++i) {
		if (welcomes("127.0.0.1:8080", "", "localhost:8080", no_origins[i]))
			fail_msg("%s", no_origins[i]);
		if (welcomes("0.0.0.0:80", "https://app.example", no_origins[i], no_origins[i]))
			fail_msg("%s", no_origins[i]);
	}
}

/* Each of these names could be registered by somebody else. */
static void test_names_like_ours_are_not_ours(void **state)
{
	static const char *const others[] = {
		"http://localhost.evil.example",
		"http://evillocalhost",
		"http://localhost.",
		"http://app.localhost.",
		"http://127.0.0.1.evil.example",
		"http://0.0.0.0",
		"http://[::2]",
		"http://[::ffff:127.0.0.1]",
		"http://1270.0.0.1",
		"http://128.0.0.1",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(others); ++i)
		assert_false(welcomes("127.0.0.1:8080", "", "127.0.0.1:8080", others[i]));
}

static void test_a_default_port_may_be_said(void **state)
{
	static const char list[] = "https://app.example:443 http://b.example tauri://localhost";

	(void)state;
	assert_true(welcomes("0.0.0.0:80", "", "tts.example", "https://tts.example:443"));
	assert_true(welcomes("0.0.0.0:80", "", "tts.example:443", "https://tts.example"));
	assert_true(welcomes("0.0.0.0:80", "", "tts.example:80", "http://tts.example"));
	assert_false(welcomes("0.0.0.0:80", "", "tts.example:443", "http://tts.example"));
	assert_false(welcomes("0.0.0.0:80", "", "tts.example:80", "https://tts.example"));
	assert_true(welcomes("0.0.0.0:80", list, "x", "https://app.example"));
	assert_true(welcomes("0.0.0.0:80", list, "x", "HTTPS://APP.example:443"));
	assert_false(welcomes("0.0.0.0:80", list, "x", "http://app.example:443"));
	assert_true(welcomes("0.0.0.0:80", list, "x", "http://b.example:80"));
	assert_false(welcomes("0.0.0.0:80", list, "x", "http://b.example:443"));
	assert_true(welcomes("0.0.0.0:80", list, "x", "tauri://localhost"));
	assert_false(welcomes("0.0.0.0:80", list, "x", "tauri://localhost:80"));
	assert_false(welcomes("0.0.0.0:80", list, "x", "tauri://other"));
}

static void test_addresses_are_compared_by_value(void **state)
{
	(void)state;
	assert_true(welcomes("[::]:80", "", "[2001:db8::1]:81", "http://[2001:DB8:0::1]:81"));
	assert_false(welcomes("[::]:80", "", "[2001:db8::1]:81", "http://[2001:db8::2]:81"));
	assert_true(
		welcomes("[::]:80", "http://[2001:db8:0:0::1]", "x", "http://[2001:db8::1]:80"));
}

/* A name with a dot at its end is another name, for browsers and for the server. */
static void test_a_dot_at_the_end_is_part_of_the_name(void **state)
{
	(void)state;
	assert_true(welcomes("0.0.0.0:80", "", "tts.example.", "https://tts.example."));
	assert_false(welcomes("0.0.0.0:80", "", "tts.example", "https://tts.example."));
	assert_false(knows("0.0.0.0:80", "tts.example", "tts.example."));
}

static void test_null_is_welcome_only_by_name(void **state)
{
	(void)state;
	assert_false(welcomes("127.0.0.1:80", "", "null", "null"));
	assert_false(welcomes("127.0.0.1:80", "https://null", "null", "null"));
	assert_true(welcomes("127.0.0.1:80", "https://a.example null", "x", "null"));
	assert_true(welcomes("127.0.0.1:80", "file://", "x", "file://"));
}

static void test_a_host_is_a_name_and_a_port(void **state)
{
	static const char *const bad[] = {
		"evil/.localhost",
		"evil@localhost",
		"localhost:evil.com",
		"localhost:",
		"localhost:1:2",
		"localhost/",
		"[::1",
		"[::1]x",
		"evil%2f.localhost",
		"http://localhost",
		" localhost",
		"localhost:65536",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); ++i) {
		if (knows("127.0.0.1:8080", "", bad[i]))
			fail_msg("%s", bad[i]);
		assert_false(knows("0.0.0.0:8080", "localhost", bad[i]));
	}
	assert_false(
		knows("127.0.0.1:8080", "", "localhost.")); /* browsers may look it up in DNS */
	assert_true(knows("127.0.0.1:8080", "", "127.1:8080")); /* curl sends it as it was typed */
}

static void test_mistakes_in_the_list_are_found(void **state)
{
	char word[ORIGIN_SIZE];
	char list[2 * ORIGIN_SIZE];

	(void)state;
	assert_false(origin_find_mistake(word, ""));
	assert_false(origin_find_mistake(word, "*"));
	assert_false(origin_find_mistake(word, "https://a.example null  file:// tauri://x:1"));
	assert_true(origin_find_mistake(word, "https://a.example https://b.example/ x"));
	assert_string_equal(word, "https://b.example/");
	memset(list, 'x', sizeof(list));
	list[sizeof(list) - 1] = '\0';
	assert_true(origin_find_mistake(word, list));
	assert_int_equal(strlen(word), ORIGIN_SIZE - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages_of_this_machine_are_known_in_every_spelling),
		cmocka_unit_test(test_what_is_no_origin_is_nobodys),
		cmocka_unit_test(test_names_like_ours_are_not_ours),
		cmocka_unit_test(test_a_default_port_may_be_said),
		cmocka_unit_test(test_addresses_are_compared_by_value),
		cmocka_unit_test(test_a_dot_at_the_end_is_part_of_the_name),
		cmocka_unit_test(test_null_is_welcome_only_by_name),
		cmocka_unit_test(test_a_host_is_a_name_and_a_port),
		cmocka_unit_test(test_mistakes_in_the_list_are_found),
		cmocka_unit_test(test_a_server_for_this_machine_has_its_names_alone),
		cmocka_unit_test(test_a_server_for_others_has_any_name_until_some_are_named),
		cmocka_unit_test(test_pages_of_ours_are_welcome_and_others_by_name),
		cmocka_unit_test(test_pages_of_this_machine_may_use_its_own_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
