/*
 * engine_token.h: the token by which a speech engine shows who sent it.
 *
 * An engine that opens a conversation carries a JSON Web Token, signed with what
 * it and we know: the raw SHA-256 digest of its API key.  Checking and making one
 * are pure, any thread; the clock is the caller's.
 *
 * HS256 alone counts: the vendor's own libraries do not look at the label, but a
 * token that names another algorithm was not made for us.
 */
#ifndef ACCOUNT_ENGINE_TOKEN_H
#define ACCOUNT_ENGINE_TOKEN_H

#include <stddef.h>
#include <stdint.h>

/* A token with the claims that matter has 250 bytes; a whole header line of
 * 8 KiB is what servers commonly take. */
#define ENGINE_TOKEN_MAX 8192u

#define ENGINE_TOKEN_LEEWAY_S 60 /* clocks differ */
#define ENGINE_TOKEN_LIFE_S 300 /* of those that we make */

/* From a token's time of issue to its expiry.  A token has no id, so anyone who sees it can use
 * it until it expires; it is needed only for the moment of connecting.  The vendor does not
 * document how long its tokens live.  Ours live 5 minutes and the vendor's signed addresses 15:
 * an hour leaves room, and `token_seconds` of an agent is there for an engine that needs more. */
#define ENGINE_TOKEN_LIFE_MAX_S 3600

/* Old, new and one more for each of a few regions. */
#define ENGINE_TOKEN_KEYS_MAX 8u
#define ENGINE_TOKEN_DIGEST_LEN 32u

/* What a vendor's tokens have in common. */
struct engine_token_rules {
	const char *header; /* that carries them */
	const char *issuer, *subject; /* claims that they must have */
};

/* What is kept of API keys, and how long the tokens that they sign may live. */
struct engine_token_keys {
	const struct engine_token_rules *rules; /* not copied */
	int64_t life_max_s; /* ENGINE_TOKEN_LIFE_MAX_S, until somebody sets another */
	size_t count;
	uint8_t digests[ENGINE_TOKEN_KEYS_MAX][ENGINE_TOKEN_DIGEST_LEN];
};

/* Keys with blanks between them.  A region at the end of one
 * ("_residency_eu") is not part of the secret.  EINVAL without any, E2BIG for
 * more than ENGINE_TOKEN_KEYS_MAX. */
int engine_token_keys(struct engine_token_keys *keys, const struct engine_token_rules *rules,
		      const char *text);

/* The value of the header: 0, or EACCES and in `why` the reason, for the log and
 * never for the caller.  The same token is good any number of times.  Blanks around it and "Bearer " in front are allowed. */
int engine_token_check(const struct engine_token_keys *keys, const char *value, int64_t now_s,
		       const char **why);

/* A token of the first key, from issued_s until expires_s. */
#define ENGINE_TOKEN_SIZE 320u
int engine_token_make(char token[ENGINE_TOKEN_SIZE], const struct engine_token_keys *keys,
		      int64_t issued_s, int64_t expires_s);

#endif
