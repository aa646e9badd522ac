/*
 * conversation_url.h: URLs with which a browser may begin a conversation, without an API key.
 *
 *   ws://HOST/v1/convai/conversation?agent_id=ID&conversation_signature=SIGNATURE
 *
 * A signature is a signed path (account/signed_path.h), which can be used several times; or, if it was
 * made for one conversation, the id of that and a single-use token.  Both are bound to the speech engine
 * by the path that they are made for, which is not the path of a route.
 */
#ifndef DOORS_ELEVENLABS_CONVERSATION_URL_H
#define DOORS_ELEVENLABS_CONVERSATION_URL_H

#include <stdbool.h>
#include <stdint.h>

#include "account/callers.h"
#include "account/signed_path.h"
#include "account/single_use_token.h"
#include "store/store.h"

#define CONVERSATION_URL_PATH "/v1/convai/conversation" /* the path of the WebSocket */
#define CONVERSATION_URL_SECONDS 900 /* how long a URL is valid */
#define CONVERSATION_ID_LEN 33 /* "conv_" and 28 letters and digits */
#define CONVERSATION_URL_SIGNATURE_SIZE 128

/* Makes a NUL-terminated id for a new conversation; an errno of getrandom. */
int conversation_url_new_id(char id[CONVERSATION_ID_LEN + 1]);

/* Makes a signature on behalf of a key, for the speech engine with this id, in any of its forms.  EINVAL
 * for an id that is too long, ENOMEM. */
int conversation_url_sign(char signature[CONVERSATION_URL_SIGNATURE_SIZE],
			  const struct store_key *key, const char *agent_id, int64_t now_ms);

/* The same for one conversation; `token` is to be added to the store. */
int conversation_url_sign_once(char signature[CONVERSATION_URL_SIGNATURE_SIZE],
			       struct store_token *token, int64_t key_id, const char *agent_id,
			       const char *conversation_id, int64_t now_ms);

/* What a signature says before it is checked. */
struct conversation_url {
	char text[CONVERSATION_URL_SIGNATURE_SIZE]; /* what callers_check is given */
	char path[STORE_PATH_MAX + 1]; /* the same */
	char conversation_id[CONVERSATION_ID_LEN + 1]; /* "": it is not for a certain one */
};

/* Parses a signature for this speech engine.  EINVAL if none can have this text, ETIMEDOUT if it has
 * expired. */
int conversation_url_read(struct conversation_url *url, const char *agent_id, const char *signature,
			  int64_t now_ms);

/* Checks a signature that was read: the handler gets the caller, who may only speak, or EACCES if it is
 * forged, was used before, has expired or its key has ended (see callers_check). */
int conversation_url_check(struct callers_check **checkp, struct callers *callers,
			   const struct conversation_url *url, callers_check_h *handler, void *arg);

#endif
