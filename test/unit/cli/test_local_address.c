/*
 * Which addresses belong to this machine and may receive its local key.
 */
#include <errno.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "cli/local_address.h"

static char address[LOCAL_ADDRESS_SIZE];

static void loopback_is_here(void **state)
{
	static const char *const here[] = {"127.0.0.1", "127.0.0.2", "127.255.0.1", "::1",
					   "localhost"};

	(void)state;
	for (size_t i = 0; i < sizeof(here) / sizeof(here[0]); ++i)
		assert_true(local_address_is(here[i]));
	assert_int_equal(local_address_find(address, "127.0.0.2"), 0);
	assert_string_equal(address, "127.0.0.2");
	assert_int_equal(local_address_find(address, "::1"), 0);
	assert_string_equal(address, "[::1]");
}

static void other_machines_and_names_are_not(void **state)
{
	static const char *const elsewhere[] = {"192.0.2.1",  "2001:db8::1", "128.0.0.1",
						"126.0.0.1",  "0.0.0.0",     "localhost.example",
						"127.0.0.1x", "127.1",       ""};

	(void)state;
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); ++i)
		assert_false(local_address_is(elsewhere[i]));
	assert_int_equal(local_address_find(address, "192.0.2.1"), ENOENT);
	assert_int_equal(local_address_find(address, "2001:db8::1"), ENOENT);
	assert_int_equal(local_address_find(address, "no.such.host.invalid"), ENOENT);
}

static void addresses_of_interfaces_are_here(void **state)
{
	struct ifaddrs *interfaces;
	char host[NI_MAXHOST];

	(void)state;
	assert_int_equal(getifaddrs(&interfaces), 0);
	for (const struct ifaddrs *i = interfaces; i; i = i->ifa_next) {
		if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET) {
			assert_int_equal(getnameinfo(i->ifa_addr, sizeof(struct sockaddr_in), host,
						     sizeof(host), NULL, 0, NI_NUMERICHOST),
					 0);
			assert_true(local_address_is(host));
		}
	}
	freeifaddrs(interfaces);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loopback_is_here),
		cmocka_unit_test(other_machines_and_names_are_not),
		cmocka_unit_test(addresses_of_interfaces_are_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
