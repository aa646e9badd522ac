/*
 * openai_errors.c: errors in OpenAI's shape (see openai.h).
 */
#include "doors/openai/openai.h"

#include <string.h>

/* OpenAI's library raises its authentication error only for status 401; OpenAI reports exhausted
 * credit with 429. */
static const struct error_row openai_errors_rows[] = {
	{WIRE_ERROR_MISSING_KEY, 401, "invalid_api_key"},
	{WIRE_ERROR_WRONG_KEY, 401, "invalid_api_key"},
	{WIRE_ERROR_KEY_ENDED, 401, "invalid_api_key"},
	{WIRE_ERROR_NO_CREDIT, 429, "insufficient_quota"},
	{WIRE_ERROR_RATE_LIMITED, 429, "rate_limit_exceeded"},
	{WIRE_ERROR_TEXT_TOO_LONG, 400, "string_above_max_length"},
	/* For OpenAI, a voice is a value like any other, so a wrong one is a 400. */
	{WIRE_ERROR_VOICE_NOT_FOUND, 400, "voice_not_found"},
	{WIRE_ERROR_NO_ROUTE, 404, "unknown_url"},
	{WIRE_ERROR_MODEL_NOT_FOUND, 404, "model_not_found"},
	{WIRE_ERROR_METHOD, 405, "method_not_supported"},
	{WIRE_ERROR_NONE, 0, NULL},
};

static int openai_errors_status(enum wire_error_id id)
{
	return error_shape_status(openai_errors_rows, id);
}

static const char *openai_errors_type(enum wire_error_id id)
{
	int status = openai_errors_status(id);

	if (id == WIRE_ERROR_NO_CREDIT)
		return "insufficient_quota";
	if (status == 429)
		return "rate_limit_error";
	return status >= 500 ? "server_error" : "invalid_request_error";
}

static void openai_errors_write_name(struct json_write *json, const char *key, const char *name)
{
	if (name)
		json_write_text(json, key, name);
	else
		json_write_null(json, key);
}

/* OpenAI's clients read the request id, and when to retry, in headers. */
static int openai_errors_write(struct buf *out, const struct wire_notice *notice)
{
	const struct error_row *row = error_shape_find(openai_errors_rows, notice->id);
	struct json_write json;

	json_write_open(&json, out);
	json_write_object(&json, "error");
	error_shape_write_message(&json, notice);
	openai_errors_write_name(&json, "type", openai_errors_type(notice->id));
	openai_errors_write_name(&json, "param", notice->field);
	openai_errors_write_name(&json, "code", row ? row->name : NULL);
	json_write_object_end(&json);
	return json_write_close(&json);
}

const struct error_shape openai_errors = {openai_errors_status, openai_errors_write};
