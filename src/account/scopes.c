/*
 * scopes.c: the scopes of a key as text (see scopes.h).
 */
#include "account/scopes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"

static const struct {
	const char *name;
	unsigned scope;
} scopes_names[] = {
	{"speak", STORE_SCOPE_SPEAK},
	{"read", STORE_SCOPE_READ},
	{"dictionaries", STORE_SCOPE_DICTIONARIES},
	{"voices", STORE_SCOPE_VOICES},
	{"admin", STORE_SCOPE_ADMIN},
};

static unsigned scopes_find(const char *name, size_t len)
{
	for (size_t i = 0; i < COUNT(scopes_names); ++i) {
		if (strlen(scopes_names[i].name) == len &&
		    memcmp(scopes_names[i].name, name, len) == 0)
			return scopes_names[i].scope;
	}
	return 0;
}

int scopes_parse(unsigned *scopes, const char *list, const char **bad)
{
	unsigned found = 0;

	for (;;) {
		size_t len = strcspn(list, ",");
		unsigned scope = scopes_find(list, len);

		if (!scope) {
			if (bad)
				*bad = list;
			return EINVAL;
		}
		found |= scope;
		if (list[len] == '\0')
			break;
		list += len + 1;
	}
	*scopes = found;
	return 0;
}

void scopes_print(char text[SCOPES_TEXT_SIZE], unsigned scopes)
{
	size_t len = 0;

	for (size_t i = 0; i < COUNT(scopes_names); ++i) {
		if (scopes & scopes_names[i].scope)
			len += (size_t)snprintf(text + len, SCOPES_TEXT_SIZE - len, "%s%s",
						len ? "," : "", scopes_names[i].name);
	}
	if (len == 0)
		snprintf(text, SCOPES_TEXT_SIZE, "none");
}
