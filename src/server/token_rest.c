/*
 * token_rest.c: POST /v1/tokens: a token for one connection or request, for a web page that must
 * not see the key.
 *
 * Runs on a thread of the store (see store_request.h) except for the handler at the end.
 */
#include "server/token_rest.h"

#include <errno.h>
#include <string.h>

#include "account/single_use_token.h"
#include "base/clock.h"
#include "server/account_form.h"
#include "server/account_json.h"
#include "server/routes.h"

int token_rest_make(struct store_request *request, struct store *store, const char *path,
		    int64_t seconds, int64_t *expires_ms)
{
	char text[SINGLE_USE_TOKEN_LEN + 1];
	struct store_token token;
	int64_t now_ms = clock_wall_ms();
	int err = single_use_token_make(text, &token, request->key.id, path, seconds, now_ms);

	if (!err)
		err = store->ops->token_add(store, &token, now_ms);
	if (err == EDQUOT)
		return fault_set(&request->fault, WIRE_ERROR_RATE_LIMITED,
				 "the account has %d tokens that nobody has used",
				 STORE_TOKENS_MAX);
	if (err)
		return err;
	json_write_string(&request->json, "token", text, strlen(text));
	explicit_bzero(text, sizeof(text));
	*expires_ms = token.expires_ms;
	return 0;
}

static int token_rest_make_native(struct store_request *request, struct store *store)
{
	struct http_request *http = request->call.request;
	struct token_form form = {.expires_in = SINGLE_USE_TOKEN_SECONDS};
	const char *path;
	int64_t expires_ms;
	int err = account_form_read_token(&form, &request->fault, http->body, http->body_len);

	if (err)
		return err;
	path = routes_token_path(request->call.server->doors, form.row.path);
	if (!path)
		return store_request_refuse(
			request, WIRE_ERROR_INVALID_REQUEST,
			"path must be one to speak through, like /ws/tts/stream");
	request->status = 201;
	err = token_rest_make(request, store, path, form.expires_in, &expires_ms);
	if (!err)
		account_json_write_moment(&request->json, "expires_at", expires_ms);
	return err;
}

void token_rest_add(const struct route_call *call)
{
	store_request_run(call, &store_subject_accounts, token_rest_make_native, NULL);
}
