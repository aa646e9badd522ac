/*
 * member_private.h: what the files of members share.
 *
 *   member --> bearer (a key) --> payer (its account)
 *
 * A bearer and a payer are the figures of a key and an account at this server; they
 * are kept at hand when nobody uses them (members.c).  A member is what users hold:
 * one for all who came with the key, and one for each single-use token.
 */
#ifndef ACCOUNT_MEMBER_PRIVATE_H
#define ACCOUNT_MEMBER_PRIVATE_H

#include "account/member.h"
#include "account/quota.h"
#include "base/list.h"

struct members;
struct share_ask;

struct payer {
	struct members *members; /* NULL: it stands alone */
	struct timers *timers;
	struct store_account row;
	struct quota quota;
	size_t users; /* of all its keys */
	struct link link; /* among all that are kept */
	struct link chain; /* of payers with the same hash of the account number */
};

struct bearer {
	struct payer *payer;
	struct store_key key;
	struct quota quota;
	size_t users; /* members of it, and checks that are under way */
	struct member *member; /* not its own reference; NULL: nobody holds it */
	struct link link; /* in its chain */
	struct link use; /* among those that are used, or idle */
	unsigned reading; /* when it was read last, as members count it */
	bool could_speak; /* when it was looked at last */
	int64_t used_ms, noted_ms; /* last use, by the wall clock; the store knows of */
};

struct member {
	struct bearer *bearer;
	struct store_key *narrowed; /* of a token; else NULL */
};

/* Those of the account and the key, in this order: both hold. */
#define MEMBER_QUOTAS 2
void member_quotas(struct quota *quotas[MEMBER_QUOTAS], struct bearer *bearer);

/* `members` is NULL for one that stands alone; `plan` is what the account's row leaves
 * open. */
int payer_alloc(struct payer **payerp, struct members *members, struct timers *timers,
		const struct store_account *row, const struct store_limits *plan);
void payer_set(struct payer *payer, const struct store_account *row,
	       const struct store_limits *plan);
/* Takes a reference to the payer. */
int bearer_alloc(struct bearer **bearerp, struct payer *payer, const struct store_key *key);
void bearer_set(struct bearer *bearer, const struct store_key *key);
bool bearer_is_good(const struct bearer *bearer);
bool bearer_may_speak(const struct bearer *bearer);
/* Somebody needs it; a reference too. */
struct bearer *bearer_use(struct bearer *bearer);
void bearer_unuse(struct bearer *bearer);

/* The size of a lease; 0: the member has no store to ask. */
int64_t payer_block(const struct payer *payer);

/* What permits of connections and of turns have in common (member.c).  A wait of QUOTA_NEVER
 * is reported as no wait. */
void member_deny(struct denied *denied, enum denial why, int64_t limit, uint64_t wait_us);
bool member_check_key(const struct member *member, struct denied *denied);
bool member_has_room(const struct member *member, enum store_meter meter, int64_t amount,
		     struct denied *denied);
void member_take(const struct member *member, enum store_meter meter, int64_t amount);
/* The same at the store, for servers that share it. */
void member_owe(const struct member *member, enum store_meter meter, int64_t amount);
/* Gives back a slot; `ask` is the request for it that is still on its way, or NULL. */
void member_give_back(const struct member *member, enum store_meter meter, struct share_ask *ask);

/* A reference to the one of the key. */
int member_of_bearer(struct member **memberp, struct bearer *bearer);
/* One that may do no more than `scopes`. */
int member_of_token(struct member **memberp, struct bearer *bearer, unsigned scopes);

#endif
