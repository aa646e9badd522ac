/*
 * query.c: reads the query parameters of a REST request (see query.h).
 */
#include "server/query.h"

#include <errno.h>
#include <string.h>

#include "base/utf8.h"

static int query_refuse_number(struct stream_fault *fault, const char *name,
			       const struct query_range *range)
{
	return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
			 range->max == INT64_MAX ? "%s must be a whole number from %lld on"
						 : "%s must be a whole number from %lld to %lld",
			 name, (long long)range->min, (long long)range->max);
}

int query_number(int64_t *number, struct stream_fault *fault, const struct http_request *request,
		 const char *name, const struct query_range *range)
{
	struct json_value value = {.kind = JSON_KIND_NUMBER};
	char text[24];
	int64_t read;
	int err = http_query(request, name, text, sizeof(text));

	if (err == ENOENT) {
		*number = range->absent;
		return 0;
	}
	value.text = text;
	value.len = err ? 0 : strlen(text);
	if (value.len == 0 || strspn(text, "-0123456789") != value.len ||
	    json_to_integer(&read, &value) != 0 || read < range->min || read > range->max)
		return query_refuse_number(fault, name, range);
	*number = read;
	return 0;
}

int query_bool(bool *truth, struct stream_fault *fault, const struct http_request *request,
	       const char *name)
{
	char text[8];
	int err = http_query(request, name, text, sizeof(text));

	if (err == ENOENT)
		return 0;
	if (!err && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0))
		*truth = true;
	else if (!err && (strcmp(text, "false") == 0 || strcmp(text, "0") == 0))
		*truth = false;
	else
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST, "%s must be true or false",
				 name);
	return 0;
}

int query_text(char *text, size_t size, struct stream_fault *fault,
	       const struct http_request *request, const char *name)
{
	struct utf8_state state = {0};
	int err = http_query(request, name, text, size);

	if (err == ENOENT) {
		text[0] = '\0';
		return 0;
	}
	if (err || !utf8_check(&state, text, strlen(text)) || !utf8_is_complete(&state))
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "%s must be text of at most %zu bytes", name, size - 1);
	return 0;
}
