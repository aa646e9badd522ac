/*
 * refusal.c: why a server refused a connection, in words (see refusal.h).
 */
#include "cli/refusal.h"

#include <string.h>

#include "base/json.h"

void refusal_shorten(char *why)
{
	static const char name[] = "error";
	char *body = strchr(why, '{');
	struct json scan;
	struct json_value value;
	struct json_value key;

	if (!body || strncmp(why, "HTTP ", 5) != 0)
		return;
	json_open(&scan, body, strlen(body));
	if (json_value(&scan, &value) != 0 || value.kind != JSON_KIND_OBJECT)
		return;
	while (json_member(&scan, &key) && json_value(&scan, &value) == 0) {
		if (value.kind == JSON_KIND_STRING && json_is(&key, name)) {
			memmove(body, value.text, value.len);
			body[value.len] = '\0';
			return;
		}
		json_skip(&scan, &value);
	}
}
