/* The opening handshake as text: RFC 6455, section 4. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_valid_answer_has_no_fault),
		cmocka_unit_test(test_what_the_rfc_has_a_client_refuse_is_a_fault),
		cmocka_unit_test(test_a_list_of_any_length_is_looked_into_or_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
