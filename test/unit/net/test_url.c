/* Addresses: every part in its place, nothing that could end a request's line. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "net/url.h"

static void addresses_are_taken_apart(void **state)
{
	static const struct {
		const char *text, *host, *port, *authority, *target;
		bool is_tls;
	} rows[] = {
		{"http://127.0.0.1:11434/v1", "127.0.0.1", "11434", "127.0.0.1:11434", "/v1",
		 false},
		{"https://api.example.com", "api.example.com", "443", "api.example.com", "", true},
		{"HTTPS://a/b?c=d", "a", "443", "a", "/b?c=d", true},
		{"ws://[::1]:8080/x", "::1", "8080", "[::1]:8080", "/x", false},
		{"wss://[fe80::1]", "fe80::1", "443", "[fe80::1]", "", true},
		{"http://host?q", "host", "80", "host", "?q", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct url url;

		assert_int_equal(url_parse(&url, rows[i].text), 0);
		assert_string_equal(url.host, rows[i].host);
		assert_string_equal(url.port, rows[i].port);
		assert_string_equal(url.authority, rows[i].authority);
		assert_string_equal(url.target, rows[i].target);
		assert_int_equal(url.is_tls, rows[i].is_tls);
	}
}

static void other_texts_are_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"host",
		"ftp://host/",
		"http://",
		"http:///path",
		"http://:80/",
		"http://host:/",
		"http://host:0/",
		"http://host:65536/",
		"http://host:123456/",
		"http://host:8x/",
		"http://user:secret@host/",
		"http://host/a b",
		"http://host/\r\nX: y",
		"http://ho st/",
		"http://[]/",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); ++i) {
		struct url url;

		if (url_parse(&url, texts[i]) != EINVAL)
			fail_msg("accepted: %s", texts[i]);
	}
}

static void names_have_a_longest(void **state)
{
	char text[400] = "http://";
	struct url url;

	(void)state;
	memset(text + 7, 'a', 255);
	assert_int_equal(url_parse(&url, text), 0);
	text[7 + 255] = 'a';
	assert_int_equal(url_parse(&url, text), EINVAL);
	memset(text + 7, 'a', 392);
	assert_int_equal(url_parse(&url, text), EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_taken_apart),
		cmocka_unit_test(other_texts_are_refused),
		cmocka_unit_test(names_have_a_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
