/*
 * route_list.c: prints the routes of all doors as JSON, for test_descriptions.py.
 */
#include <stdio.h>

#include "base/count.h"
#include "doors/doors.h"
#include "server/routes.h"
#include "server/server_private.h"

static void route_list_scopes(unsigned scopes)
{
	static const struct {
		unsigned bit;
		const char *name;
	} names[] = {
		{STORE_SCOPE_SPEAK, "speak"},   {STORE_SCOPE_READ, "read"},
		{STORE_SCOPE_ADMIN, "admin"},   {STORE_SCOPE_DICTIONARIES, "dictionaries"},
		{STORE_SCOPE_VOICES, "voices"}, {AUTH_OPTIONAL, "optional"},
	};
	const char *separator = "";

	for (size_t i = 0; i < COUNT(names); ++i) {
		if (!(scopes & names[i].bit))
			continue;
		printf("%s\"%s\"", separator, names[i].name);
		separator = ", ";
	}
}

static void route_list_door(const struct door *door, const char *prefix)
{
	for (const struct route *route = door->routes; route->path; ++route) {
		printf(",\n{\"method\": \"%s\", \"path\": \"%s%s\", \"scopes\": [", route->method,
		       prefix, route->path);
		route_list_scopes(route->scopes);
		printf("]}");
	}
}

int main(void)
{
	printf("[{}");
	route_list_door(&routes_own, "");
	for (const struct door *const *door = doors_all; *door; ++door) {
		route_list_door(*door, "");
		if ((*door)->prefix)
			route_list_door(*door, (*door)->prefix);
	}
	puts("]");
	return 0;
}
