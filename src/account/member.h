/*
 * member.h: a key in force, with its account, and what both have used.
 *
 * Everything a session asks before it speaks is answered here, on the loop, from
 * memory: is the key good, is there room for one more turn, is there credit.
 * What must be known of the store is fetched ahead of need (members.h).  A
 * member is shared by all that hold the same key, and its account's figures by
 * all keys of the account; one account at its limit costs another nothing.
 *
 * Limits of the account and of the key hold both.  Where servers share a store, a
 * turn of a limited account waits a moment for the store's word (EINPROGRESS);
 * else all is known at once.
 */
#ifndef ACCOUNT_MEMBER_H
#define ACCOUNT_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loop/timers.h"

struct member;
struct store_account;
struct store_key;

/* Why not. */
enum denial {
	DENIAL_NONE,
	DENIAL_KEY, /* revoked, expired, or its account is closed */
	DENIAL_CREDIT,
	DENIAL_TURNS,
	DENIAL_CONNECTIONS,
	DENIAL_REQUESTS,
	DENIAL_CHARACTERS,
	DENIAL_TEXT, /* one text is longer than it may be */
	DENIAL_LEDGER, /* usage could not be recorded, or nobody knows what credit is left */
	DENIAL_LEASED, /* credit is left, but leased to other servers or reserved by turns */
	DENIAL_PENDING, /* only from permit_go_on: the store is being asked */
};

struct denied {
	enum denial why;
	unsigned retry_s; /* when it may be otherwise; 0: nobody knows */
	int64_t limit; /* the number that was reached; -1: there is none */
};

/* One that stands alone, without a store: for a program that speaks for its user,
 * and for tests.  `account` and `key` may be NULL: nobody's, without limits.  A
 * prepaid one has as much credit as its row says. */
int member_alloc_alone(struct member **memberp, struct timers *timers,
		       const struct store_account *account, const struct store_key *key);

const struct store_key *member_key(const struct member *member);
const struct store_account *member_account(const struct member *member);
const char *member_server_id(const struct member *member); /* for the ledger; "" alone */

/* The project whose voices and dictionaries it uses. */
int64_t member_project_id(const struct member *member);

/* Whether the cost of what it uses concerns anybody on a server without prices: those whose
 * credit it uses up, and the customers of accounts that the operator has made. */
bool member_is_charged(const struct member *member);

/* Still in force?  What was begun may go on when the answer is a denial of
 * anything but DENIAL_KEY. */
bool member_is_good(const struct member *member);
/* And has it still the scope to speak? */
bool member_may_speak(const struct member *member);

/* A connection, until mem_deref(permit).  0; EACCES with the denial; ENOMEM;
 * EINPROGRESS: the handler will be called, once, with 0 or EACCES, unless the
 * permit ended before; it may end it, and should a refused one. */
struct connection_permit;
typedef void(connection_permit_h)(int err, const struct denied *denied, void *arg);
int member_connect(struct connection_permit **permitp, struct member *member, struct denied *denied,
		   connection_permit_h *handler, void *arg);

/* Whether it has any credit now; if not, the denial says why.  Takes nothing. */
bool member_has_credit(struct member *member, struct denied *denied);

/* A request that is no turn. */
bool member_request(struct member *member, struct denied *denied);

/* The tighter of both limits of requests; false: there is none. */
struct member_rate {
	int64_t limit, left;
	unsigned reset_s; /* until all of it is left again */
};
bool member_requests_left(const struct member *member, struct member_rate *rate);

/* A turn's leave to speak: asked for at its first text, which counts as a request;
 * ended by mem_deref.  0, EACCES, EINPROGRESS as above; ENOMEM.  Without a handler it does
 * not wait for credit that the store is being asked for. */
struct permit;
typedef void(permit_h)(int err, const struct denied *denied, void *arg);
int permit_ask(struct permit **permitp, struct member *member, struct denied *denied,
	       permit_h *handler, void *arg);

/* More text of the turn; false with the denial.  The longest text is that of a whole
 * turn, however it comes. */
bool permit_text(struct permit *permit, uint64_t characters, struct denied *denied);

/* What the turn has cost so far, told before each chunk: may one more be spoken, which
 * may cost `chunk_microcents`?  When the answer is no, `denied` says DENIAL_CREDIT,
 * DENIAL_LEASED, DENIAL_LEDGER or DENIAL_KEY.  For a permit that waits for credit for its
 * chunks, it may also be DENIAL_PENDING: then the handler of permit_ask is called once more,
 * with 0 when the caller should ask again, or EACCES. */
void permit_wait_for_chunks(struct permit *permit);
bool permit_go_on(struct permit *permit, int64_t spent_microcents, int64_t chunk_microcents,
		  struct denied *denied);

/* What it has cost with the piece of audio that is about to leave.  False, with
 * DENIAL_CREDIT, DENIAL_LEASED or DENIAL_LEDGER: its account would be overdrawn by more than a lease, and
 * the piece must not leave. */
bool permit_advance(struct permit *permit, int64_t spent_microcents, struct denied *denied);

/* What it has cost in the end.  Once; without it nothing was spent. */
void permit_settle(struct permit *permit, int64_t microcents);

#endif
