/*
 * conversation_rest.c: /v1/convai/conversation/…: URLs with which a browser may begin a conversation,
 * and the answer to clients that want another transport than WebSockets.
 *
 * Functions whose names contain "work" run on the store's thread (see store_request.h), the routes at the
 * end on the loop.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "doors/elevenlabs/conversation_url.h"
#include "doors/elevenlabs/elevenlabs.h"
#include "doors/elevenlabs/engine_id.h"
#include "doors/elevenlabs/engine_rest.h"
#include "server/query.h"
#include "server/request_url.h"

static bool conversation_rest_see(const struct store_speech_engine *row, void *arg)
{
	(void)row;
	(void)arg;
	return true;
}

/* An agent of the configuration is known to exist; its name is in the request's `arg`. */
static int conversation_rest_check_engine(struct store_request *request, struct store *store,
					  const char *agent_id)
{
	char id[STORE_SPEECH_ENGINE_ID_LEN + 1];
	int err = ENOENT;

	if (request->arg)
		return 0;
	if (engine_id_read(id, agent_id, strlen(agent_id)))
		err = store->ops->speech_engine_get(store, request->key.project_id, id,
						    conversation_rest_see, NULL);
	return resource_refuse(request, engine_rest_refusals, err);
}

/* Makes a signature for one conversation, whose id becomes part of the answer. */
static int conversation_rest_sign_once(char signature[CONVERSATION_URL_SIGNATURE_SIZE],
				       struct store_request *request, struct store *store,
				       const char *agent_id)
{
	char conversation_id[CONVERSATION_ID_LEN + 1];
	struct store_token token;
	int64_t now_ms = clock_wall_ms();
	int err = conversation_url_new_id(conversation_id);

	if (!err)
		err = conversation_url_sign_once(signature, &token, request->key.id, agent_id,
						 conversation_id, now_ms);
	if (!err)
		err = store->ops->token_add(store, &token, now_ms);
	if (err == EDQUOT)
		return fault_set(&request->fault, WIRE_ERROR_RATE_LIMITED,
				 "the account has %d tokens that nobody has used",
				 STORE_TOKENS_MAX);
	if (!err)
		json_write_text(&request->json, "conversation_id", conversation_id);
	return err;
}

static int conversation_rest_work_sign(struct store_request *request, struct store *store)
{
	const struct http_request *http = request->call.request;
	char agent_id[64];
	char signature[CONVERSATION_URL_SIGNATURE_SIZE];
	char base[REQUEST_URL_SIZE];
	char url[REQUEST_URL_SIZE + ENGINE_ID_SIZE + CONVERSATION_URL_SIGNATURE_SIZE + 128];
	char normal[ENGINE_ID_SIZE];
	bool is_once = false;
	int err = query_text(agent_id, sizeof(agent_id), &request->fault, http, "agent_id");

	if (!err)
		err = query_bool(&is_once, &request->fault, http, "include_conversation_id");
	if (err)
		return err;
	if (!agent_id[0])
		return store_request_refuse(request, WIRE_ERROR_INVALID_REQUEST,
					    "agent_id is required");
	if (request_url_socket(base, &request->call) != 0)
		return store_request_refuse(request, WIRE_ERROR_INVALID_REQUEST,
					    "the request has no header Host");
	if (engine_id_normalize(normal, agent_id, strlen(agent_id)) != 0)
		return store_request_refuse(request, WIRE_ERROR_ENGINE_NOT_FOUND, "");
	err = conversation_rest_check_engine(request, store, agent_id);
	if (!err)
		err = is_once ? conversation_rest_sign_once(signature, request, store, agent_id)
			      : conversation_url_sign(signature, &request->key, agent_id,
						      clock_wall_ms());
	if (err)
		return err;
	snprintf(url, sizeof(url),
		 "%s" CONVERSATION_URL_PATH "?agent_id=%s&conversation_signature=%s", base, normal,
		 signature);
	json_write_text(&request->json, "signed_url", url);
	explicit_bzero(url, sizeof(url));
	return 0;
}

void conversation_rest_sign(const struct route_call *call)
{
	char agent_id[64] = "";
	struct agent *agent = NULL;

	if (http_query(call->request, "agent_id", agent_id, sizeof(agent_id)) == 0)
		agent = engine_rest_agent(call, agent_id, strlen(agent_id));
	store_request_run(call, &engine_rest_subject, conversation_rest_work_sign,
			  &(struct store_request_options){.arg = agent, .object = mem_ref(agent)});
}

/* Clients ask for a token without a key if they want to connect with WebRTC, and show the message of the
 * answer; a status of 401 they would replace by advice that is wrong here. */
void conversation_rest_token(const struct route_call *call)
{
	answer_error(call, WIRE_ERROR_WEBSOCKET_ONLY, NULL);
}
