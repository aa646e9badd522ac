/*
 * refusal.c: finds the reason in a server's answer to a request that it refused (see refusal.h).
 */
#include "cli/refusal.h"

#include <string.h>

#include "base/json.h"

/* Finds a string in the object that was just opened. */
static bool refusal_find_string(struct json_value *value, struct json *scan, const char *name)
{
	struct json_value key;

	while (json_member(scan, &key) && json_value(scan, value) == 0) {
		if (value->kind == JSON_KIND_STRING && json_is(&key, name))
			return true;
		if (value->kind == JSON_KIND_OBJECT &&
		    (json_is(&key, "error") || json_is(&key, "detail")))
			return refusal_find_string(value, scan, "message");
		json_skip(scan, value);
	}
	return false;
}

bool refusal_find(const char **message, size_t *len, char *body, size_t body_len)
{
	struct json scan;
	struct json_value value;

	json_open(&scan, body, body_len);
	if (json_value(&scan, &value) != 0 || value.kind != JSON_KIND_OBJECT ||
	    !refusal_find_string(&value, &scan, "error"))
		return false;
	*message = value.text;
	*len = value.len;
	return true;
}

void refusal_shorten(char *why)
{
	char *body = strchr(why, '{');
	const char *message;
	size_t len;

	if (!body || strncmp(why, "HTTP ", 5) != 0 ||
	    !refusal_find(&message, &len, body, strlen(body)))
		return;
	memmove(body, message, len);
	body[len] = '\0';
}
