/* The opening handshake as text: RFC 6455, section 4. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "net/ws_handshake.h"

#define KEY "dGhlIHNhbXBsZSBub25jZQ==" /* of the RFC */
#define ACCEPT "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
#define UPGRADE "Upgrade: websocket\r\n"
#define CONNECTION "Connection: Upgrade\r\n"

static const char *fault_of(const char *headers)
{
	static char head[4096];

	snprintf(head, sizeof(head), "HTTP/1.1 101 Switching Protocols\r\n%s\r\n", headers);
	return ws_handshake_fault(head, KEY);
}

static void test_a_valid_answer_has_no_fault(void **state)
{
	static const char *const valid[] = {
		UPGRADE CONNECTION ACCEPT,
		"upgrade:WebSocket \r\nCONNECTION:\tkeep-alive, uPGRADE\r\n" ACCEPT,
		"Connection: keep-alive\r\n" CONNECTION UPGRADE ACCEPT "Server: x\r\n",
		UPGRADE CONNECTION ACCEPT "Sec-WebSocket-Extensions: \r\n"
					  "Sec-WebSocket-Protocol:\r\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(valid); ++i)
		assert_null(fault_of(valid[i]));
}

static void test_what_the_rfc_has_a_client_refuse_is_a_fault(void **state)
{
	static const struct {
		const char *headers, *fault;
	} cases[] = {
		{CONNECTION ACCEPT, "no Upgrade header"},
		{"X-Upgrade: websocket\r\n" CONNECTION ACCEPT, "no Upgrade header"},
		{"Upgrade: h2c\r\n" CONNECTION ACCEPT, "something else"},
		{"Upgrade: websocket2\r\n" CONNECTION ACCEPT, "something else"},
		{"Upgrade:\r\n" CONNECTION ACCEPT, "something else"},
		{UPGRADE ACCEPT, "no \"Connection: Upgrade\""},
		{UPGRADE "Connection: keep-alive\r\n" ACCEPT, "no \"Connection: Upgrade\""},
		{UPGRADE "Connection: Upgraded\r\n" ACCEPT, "no \"Connection: Upgrade\""},
		{UPGRADE CONNECTION, "Sec-WebSocket-Accept"},
		{UPGRADE CONNECTION "Sec-WebSocket-Accept: s3pplmbitxaq9kygzzhzrbk+xoo=\r\n",
		 "Sec-WebSocket-Accept"},
		{UPGRADE CONNECTION ACCEPT "Sec-WebSocket-Extensions: permessage-deflate\r\n",
		 "an extension that was not offered"},
		{UPGRADE CONNECTION ACCEPT "Sec-WebSocket-Extensions:\r\n"
					   "sec-websocket-extensions: x-y; a=1\r\n",
		 "an extension that was not offered"},
		{UPGRADE CONNECTION ACCEPT "Sec-WebSocket-Protocol: graphql-ws\r\n",
		 "a subprotocol that was not offered"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		const char *fault = fault_of(cases[i].headers);

		assert_non_null(fault);
		assert_non_null(strstr(fault, cases[i].fault));
	}
}

static void test_a_list_of_any_length_is_looked_into_or_passed_over(void **state)
{
	char headers[2048];

	(void)state;
	snprintf(headers, sizeof(headers), UPGRADE "Connection: %0*d, Upgrade\r\n" ACCEPT, 200, 0);
	assert_null(fault_of(headers));
	snprintf(headers, sizeof(headers), UPGRADE "Connection: %0*d, Upgrade\r\n" ACCEPT, 1000, 0);
	assert_non_null(fault_of(headers));
}

static void test_a_request_has_the_headers_that_are_given(void **state)
{
	static const char *const headers[] = {"A: 1", "B: 2", NULL};
	static const char *const split[] = {"A: 1\nB: 2", NULL};
	struct url url;
	struct buf out;

	(void)state;
	buf_init(&out, 1024);
	assert_int_equal(url_parse(&url, "ws://host:81?a=b#c"), 0);
	assert_int_equal(ws_handshake_request(&out, &url, KEY, headers), 0);
	assert_int_equal(buf_append(&out, "", 1), 0);
	assert_string_equal(out.bytes, "GET /?a=b HTTP/1.1\r\nHost: host:81\r\n" UPGRADE CONNECTION
				       "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " KEY
				       "\r\nA: 1\r\nB: 2\r\n\r\n");
	assert_int_equal(ws_handshake_request(&out, &url, KEY, split), EINVAL);
	buf_reset(&out);
}

static void test_a_refusal_is_one_line(void **state)
{
	static const struct {
		const char *head, *rest, *why;
	} rows[] = {
		{"HTTP/1.1 401 No\r\n\r\n", "no key\r\nmore", "HTTP 401: no key"},
		{"HTTP/1.0 503 No\r\n\r\n", "", "HTTP 503: "},
		{"SSH-2.0\r\n\r\n", "\x01", "HTTP 0: "},
		{"HTTP/1.1 101 Yes\r\n\r\n", "",
		 "the server did not open a WebSocket: its answer has no Upgrade header"},
	};
	char why[256];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		assert_int_equal(ws_handshake_check(rows[i].head, KEY, rows[i].rest,
						    strlen(rows[i].rest), why, sizeof(why)),
				 EPROTO);
		assert_string_equal(why, rows[i].why);
	}
	assert_int_equal(ws_handshake_check("HTTP/1.1 101 Yes\r\n" UPGRADE CONNECTION ACCEPT "\r\n",
					    KEY, "", 0, why, sizeof(why)),
			 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_request_has_the_headers_that_are_given),
		cmocka_unit_test(test_a_refusal_is_one_line),
		cmocka_unit_test(test_a_valid_answer_has_no_fault),
		cmocka_unit_test(test_what_the_rfc_has_a_client_refuse_is_a_fault),
		cmocka_unit_test(test_a_list_of_any_length_is_looked_into_or_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
