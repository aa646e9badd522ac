/*
 * token_rest.c: POST /v1/tokens and ElevenLabs' /v1/single-use-token: a pass for one
 * connection or request, for a page that must not see the key.
 */
#include <errno.h>
#include <string.h>

#include "account/account_token.h"
#include "base/clock.h"
#include "server/account_json.h"
#include "server/errand.h"
#include "server/routes.h"
#include "wire/account_message.h"

/* What may be asked for can be made. */
enum { SECONDS = ACCOUNT_TOKEN_SECONDS, SECONDS_MAX = ACCOUNT_TOKEN_SECONDS_MAX };
_Static_assert(ACCOUNT_MESSAGE_TOKEN_SECONDS == SECONDS &&
		       ACCOUNT_MESSAGE_TOKEN_SECONDS_MAX == SECONDS_MAX,
	       "");

/* So long theirs are good. */
#define SINGLE_USE_SECONDS 900
#define SINGLE_USE_TYPE "tts_websocket"
#define SINGLE_USE_PATH "/v1/text-to-speech/any/stream-input"

static int make(struct errand *errand, struct store *store, const char *door, int64_t seconds,
		bool with_end)
{
	char text[ACCOUNT_TOKEN_LEN + 1];
	struct store_token token;
	int64_t now_ms = clock_wall_ms();
	int err = account_token_make(text, &token, errand->key.id, door, seconds, now_ms);

	if (!err)
		err = store->ops->token_add(store, &token, now_ms);
	if (err == EDQUOT)
		return errand_refuse(errand, WIRE_ERROR_RATE_LIMITED,
				     "the account has %d tokens that nobody has used",
				     STORE_TOKENS_MAX);
	if (err)
		return err;
	json_write_string(&errand->json, "token", text, strlen(text));
	explicit_bzero(text, sizeof(text));
	if (with_end)
		account_json_write_moment(&errand->json, "expires_at", token.expires_ms);
	return 0;
}

static int add(struct errand *errand, struct store *store)
{
	struct http_request *request = errand->call.request;
	struct token_message message;
	const char *door;
	int err = account_message_parse_token(&message, &errand->fault, request->body,
					      request->body_len);

	if (err)
		return err;
	door = routes_token_path(errand->call.server->doors, message.path);
	if (!door)
		return errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST,
				     "path must be one to speak through, like /ws/tts/stream");
	errand->status = 201;
	return make(errand, store, door, message.expires_in, true);
}

static int add_single_use(struct errand *errand, struct store *store)
{
	const char *type = errand->call.id_texts[0];

	if (strcmp(type, SINGLE_USE_TYPE) != 0)
		return errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST,
				     "the type must be " SINGLE_USE_TYPE);
	return make(errand, store, routes_token_path(errand->call.server->doors, SINGLE_USE_PATH),
		    SINGLE_USE_SECONDS, false);
}

void token_rest_add(const struct route_call *call)
{
	errand_run(call, add, ERRAND_READ);
}

void token_rest_add_single_use(const struct route_call *call)
{
	errand_run(call, add_single_use, ERRAND_READ);
}
