/*
 * local_address.c: tells whether an address belongs to this machine (see local_address.h).
 */
#include "cli/local_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static bool local_address_is_loopback(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET) {
		const struct sockaddr_in *v4 = (const void *)address;

		return ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	}
	return address->sa_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(
		       &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
}

static bool local_address_is_same(const struct sockaddr *a, const struct sockaddr *b)
{
	const struct sockaddr_in *a4 = (const void *)a;
	const struct sockaddr_in *b4 = (const void *)b;
	const struct sockaddr_in6 *a6 = (const void *)a;
	const struct sockaddr_in6 *b6 = (const void *)b;

	if (!a || a->sa_family != b->sa_family)
		return false;
	if (a->sa_family == AF_INET)
		return a4->sin_addr.s_addr == b4->sin_addr.s_addr;
	return a->sa_family == AF_INET6 &&
	       memcmp(&a6->sin6_addr, &b6->sin6_addr, sizeof(a6->sin6_addr)) == 0;
}

static bool local_address_has(const struct sockaddr *address)
{
	struct ifaddrs *interfaces = NULL;
	bool found = local_address_is_loopback(address);

	if (found || getifaddrs(&interfaces) != 0)
		return found;
	for (const struct ifaddrs *i = interfaces; i && !found; i = i->ifa_next)
		found = local_address_is_same(i->ifa_addr, address);
	freeifaddrs(interfaces);
	return found;
}

bool local_address_is(const char *host)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};

	if (inet_pton(AF_INET, host, &v4.sin_addr) == 1)
		return local_address_has((const struct sockaddr *)&v4);
	if (inet_pton(AF_INET6, host, &v6.sin6_addr) == 1)
		return local_address_has((const struct sockaddr *)&v6);
	return strcmp(host, "localhost") == 0;
}

static int local_address_write(char address[LOCAL_ADDRESS_SIZE], const char *numbers)
{
	bool is_v6 = strchr(numbers, ':') != NULL;
	int n = snprintf(address, LOCAL_ADDRESS_SIZE, "%s%s%s", is_v6 ? "[" : "", numbers,
			 is_v6 ? "]" : "");

	return n > 0 && n < LOCAL_ADDRESS_SIZE ? 0 : ENOENT;
}

int local_address_find(char address[LOCAL_ADDRESS_SIZE], const char *host)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	char numbers[LOCAL_ADDRESS_SIZE - 2];
	struct addrinfo *found = NULL;
	int err;

	if (local_address_is(host))
		return local_address_write(address, host);
	if (getaddrinfo(host, NULL, &hints, &found) != 0)
		return ENOENT;
	err = found ? 0 : ENOENT;
	for (const struct addrinfo *i = found; i && !err; i = i->ai_next)
		err = local_address_has(i->ai_addr) ? 0 : ENOENT;
	if (!err && getnameinfo(found->ai_addr, found->ai_addrlen, numbers, sizeof(numbers), NULL,
				0, NI_NUMERICHOST) != 0)
		err = ENOENT;
	freeaddrinfo(found);
	return err ? err : local_address_write(address, numbers);
}
