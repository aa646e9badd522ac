/*
 * route_list.c: prints the table of routes as JSON, for test_descriptions.py.
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

int main(void)
{
	struct routes_row row;

	putchar('[');
	for (size_t i = 0; routes_row(&row, doors_all, i); ++i) {
		printf("%s{\"method\": \"%s\", \"path\": \"%s\", \"scopes\": [", i > 0 ? ",\n" : "",
		       row.method, row.path);
		route_list_scopes(row.scopes);
		printf("]}");
	}
	puts("]");
	return 0;
}
