/*
 * engine_token.h: the token with which a speech engine authenticates.
 *
 * An engine that opens a conversation sends a JSON Web Token, signed with a secret that both sides
 * know: the raw SHA-256 digest of the API key.  These functions are pure and work on any thread; the
 * time is an argument.
 *
 * Only HS256 is accepted: the vendor's own libraries ignore the name of the algorithm, but a token
 * that names another one was not made for this protocol.
 */
#ifndef ACCOUNT_ENGINE_TOKEN_H
#define ACCOUNT_ENGINE_TOKEN_H

#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

/* The longest token.  One with the necessary claims has 250 bytes; servers commonly accept header
 * lines of 8 KiB. */
#define ENGINE_TOKEN_MAX 8192u

#define ENGINE_TOKEN_LEEWAY_S 60 /* the clocks of the two sides may differ */
#define ENGINE_TOKEN_LIFE_S 300 /* the lifetime of tokens that this program makes */

/* The longest lifetime that is accepted, from a token's time of issue to its expiry.  A token has no
 * id, so anyone who sees it can use it until it expires, although it is needed only to connect.  The
 * vendor does not document the lifetime of its tokens.  Those of this program are valid for 5
 * minutes, the vendor's signed URLs for 15, so an hour is enough; `token_seconds` of an agent can be
 * set for an engine that needs more. */
#define ENGINE_TOKEN_LIFE_MAX_S 3600

/* Room for an old and a new key, and a few more for regions. */
#define ENGINE_TOKEN_KEYS_MAX 8u
#define ENGINE_TOKEN_DIGEST_LEN 32u

/* What a vendor's tokens have in common. */
struct engine_token_rules {
	const char *header; /* the HTTP header that carries the token */
	const char *issuer, *subject; /* the claims that a token must have */
};

/* The digests of API keys, and the longest lifetime of tokens that are signed with them. */
struct engine_token_keys {
	const struct engine_token_rules *rules; /* not copied */
	int64_t life_max_s; /* engine_token_keys sets it to ENGINE_TOKEN_LIFE_MAX_S */
	size_t count;
	uint8_t digests[ENGINE_TOKEN_KEYS_MAX][ENGINE_TOKEN_DIGEST_LEN];
};

/* Reads keys that are separated by blanks.  A region at the end of one ("_residency_eu") is not
 * part of the secret.  EINVAL if there is none, E2BIG for more than ENGINE_TOKEN_KEYS_MAX. */
int engine_token_keys(struct engine_token_keys *keys, const struct engine_token_rules *rules,
		      const char *text);

/* The same for one key of the store, which keeps exactly that digest of it: tokens can be made without
 * the key itself.  EACCES if the key was revoked or has expired. */
int engine_token_key_of(struct engine_token_keys *keys, const struct engine_token_rules *rules,
			const struct store_key *row, int64_t now_ms);

/* Checks the value of the header at the time now_s (seconds since 1970): 0, or EACCES with the
 * reason in *why, a static string for the log, which must not be sent to the client.  A token may
 * be used several times.  Blanks around it and "Bearer " before it are allowed. */
int engine_token_check(const struct engine_token_keys *keys, const char *value, int64_t now_s,
		       const char **why);

/* Makes a NUL-terminated token with the first key, valid from issued_s until expires_s (both in
 * seconds since 1970).  ENOMEM. */
#define ENGINE_TOKEN_SIZE 320u
int engine_token_make(char token[ENGINE_TOKEN_SIZE], const struct engine_token_keys *keys,
		      int64_t issued_s, int64_t expires_s);

/* Writes "NAME: TOKEN", the header with such a token.  ENOMEM. */
#define ENGINE_TOKEN_HEADER_SIZE 400u
int engine_token_header(char header[ENGINE_TOKEN_HEADER_SIZE], const struct engine_token_keys *keys,
			int64_t issued_s, int64_t expires_s);

#endif
