/*
 * conversation_url.c: URLs with which a browser may begin a conversation (see conversation_url.h).
 */
#include "doors/elevenlabs/conversation_url.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "account/secret.h"
#include "doors/elevenlabs/engine_id.h"

static const char conversation_url_id_start[] = "conv_";

int conversation_url_new_id(char id[CONVERSATION_ID_LEN + 1])
{
	size_t start = strlen(conversation_url_id_start);

	memcpy(id, conversation_url_id_start, start);
	id[CONVERSATION_ID_LEN] = '\0';
	return secret_random_letters(id + start, CONVERSATION_ID_LEN - start);
}

/* The path that a signature is made for. */
static int conversation_url_path(char path[STORE_PATH_MAX + 1], const char *agent_id,
				 const char *conversation_id)
{
	char normal[ENGINE_ID_SIZE];
	int err = engine_id_normalize(normal, agent_id, strlen(agent_id));
	int len;

	if (err)
		return err;
	len = snprintf(path, STORE_PATH_MAX + 1, "%s?agent_id=%s%s%s", CONVERSATION_URL_PATH,
		       normal, conversation_id[0] ? "&" : "", conversation_id);
	return len > 0 && len <= STORE_PATH_MAX ? 0 : EINVAL;
}

int conversation_url_sign(char signature[CONVERSATION_URL_SIGNATURE_SIZE],
			  const struct store_key *key, const char *agent_id, int64_t now_ms)
{
	char path[STORE_PATH_MAX + 1];
	int err = conversation_url_path(path, agent_id, "");

	_Static_assert(SIGNED_PATH_SIZE <= CONVERSATION_URL_SIGNATURE_SIZE, "it has room");
	return err ? err
		   : signed_path_make(signature, key, path,
				      now_ms / 1000 + CONVERSATION_URL_SECONDS);
}

int conversation_url_sign_once(char signature[CONVERSATION_URL_SIGNATURE_SIZE],
			       struct store_token *token, int64_t key_id, const char *agent_id,
			       const char *conversation_id, int64_t now_ms)
{
	char text[SINGLE_USE_TOKEN_LEN + 1];
	char path[STORE_PATH_MAX + 1];
	int err = conversation_url_path(path, agent_id, conversation_id);

	if (!err)
		err = single_use_token_make(text, token, key_id, path, CONVERSATION_URL_SECONDS,
					    now_ms);
	if (!err)
		snprintf(signature, CONVERSATION_URL_SIGNATURE_SIZE, "%.*s.%s", CONVERSATION_ID_LEN,
			 conversation_id, text);
	explicit_bzero(text, sizeof(text));
	return err;
}

int conversation_url_read(struct conversation_url *url, const char *agent_id, const char *signature,
			  int64_t now_ms)
{
	struct conversation_url found = {.conversation_id = ""};
	size_t len = strlen(signature);
	struct signed_path parts;
	uint8_t hash[STORE_KEY_HASH_LEN];
	int err = 0;

	if (len >= sizeof(found.text))
		return EINVAL;
	if (signed_path_read(&parts, signature, len) == 0) {
		if (now_ms / 1000 >= parts.expires_s)
			return ETIMEDOUT;
	} else {
		if (len != CONVERSATION_ID_LEN + 1 + SINGLE_USE_TOKEN_LEN ||
		    strncmp(signature, conversation_url_id_start,
			    strlen(conversation_url_id_start)) != 0)
			return EINVAL;
		memcpy(found.conversation_id, signature, CONVERSATION_ID_LEN);
		signature += CONVERSATION_ID_LEN + 1;
		err = single_use_token_read(hash, signature, strlen(signature));
	}
	if (!err)
		err = conversation_url_path(found.path, agent_id, found.conversation_id);
	if (err)
		return err;
	memcpy(found.text, signature, strlen(signature) + 1);
	*url = found;
	return 0;
}

int conversation_url_check(struct callers_check **checkp, struct callers *callers,
			   const struct conversation_url *url, callers_check_h *handler, void *arg)
{
	return callers_check(checkp, callers, url->text, strlen(url->text), url->path, handler,
			     arg);
}
