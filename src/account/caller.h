/*
 * caller.h: who presents an API key: the key, its account, and what both have used.
 *
 * Everything that a session asks before it speaks is answered here, on the loop, from memory:
 * whether the key is valid, whether one more turn is within the limits, whether there is credit.
 * What only the store knows is fetched before it is needed (callers.h).  All connections with the
 * same key share one caller, and all keys of an account share the account's figures.  An account
 * that has reached a limit does not affect other accounts.
 *
 * The limits of the account and those of the key both apply.  Where several servers share a store,
 * a turn of a limited account waits briefly for the store's answer (EINPROGRESS); otherwise the
 * answer is immediate.
 */
#ifndef ACCOUNT_CALLER_H
#define ACCOUNT_CALLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loop/timers.h"

struct caller;
struct store_account;
struct store_key;

/* The reason of a refusal. */
enum denial {
	DENIAL_NONE,
	DENIAL_KEY, /* revoked, expired, or its account is closed */
	DENIAL_CREDIT,
	DENIAL_TURNS,
	DENIAL_CONNECTIONS,
	DENIAL_REQUESTS,
	DENIAL_CHARACTERS,
	DENIAL_TEXT, /* one text is longer than allowed */
	DENIAL_HEARD, /* too much audio per minute */
	DENIAL_LEDGER, /* usage cannot be recorded, or the remaining credit is unknown */
	DENIAL_LEASED, /* credit is left, but leased to other servers or reserved by turns */
	DENIAL_PENDING, /* only from permit_begin_chunk: the store is being asked */
};

struct denied {
	enum denial why;
	unsigned retry_s; /* when to try again; 0: unknown */
	int64_t limit; /* the limit that was reached; -1: none */
};

/* Makes a caller without a store, for tests and for a program that speaks without a server.
 * `account_row` and `key_row` may be NULL: then there is no account or key, and no limit.  A
 * prepaid account has the credit that is in its row. */
int caller_alloc_standalone(struct caller **callerp, struct timers *timers,
			    const struct store_account *account_row,
			    const struct store_key *key_row);

/* The rows belong to the caller and change when the store is read again.  A caller without a store
 * has rows too. */
const struct store_key *caller_key(const struct caller *caller);
const struct store_account *caller_account(const struct caller *caller);
const char *caller_server_id(const struct caller *caller); /* for the ledger; "" without a store */

/* The project whose voices and dictionaries the caller uses. */
int64_t caller_project_id(const struct caller *caller);

/* Whether the cost matters even if no prices are configured: true for accounts that pay from
 * credit, and for accounts that the operator has created. */
bool caller_is_charged(const struct caller *caller);

/* Whether the key is valid and its account is open.  If not, running turns must end too; after any
 * other denial they may continue. */
bool caller_is_valid(const struct caller *caller);
/* Whether the key is also allowed to speak. */
bool caller_may_speak(const struct caller *caller);

/* Requests permission for a connection, which lasts until mem_deref(permit).  0: it is given; EACCES
 * with the denial: it is refused; EINPROGRESS: the handler will be called once, with 0 or EACCES,
 * unless the permit is released before; ENOMEM.  The handler may release the permit, and should if
 * it was refused. */
struct connection_permit;
typedef void(connection_permit_h)(int err, const struct denied *denied, void *arg);
int caller_connect(struct connection_permit **permitp, struct caller *caller, struct denied *denied,
		   connection_permit_h *handler, void *arg);

/* Whether there is any credit at the moment; if not, the denial says why.  Nothing is reserved. */
bool caller_has_credit(struct caller *caller, struct denied *denied);

/* Counts a request that is not a turn; false with the denial. */
bool caller_request(struct caller *caller, struct denied *denied);

/* The limit of requests, either that of the account or that of the key, whichever has less left;
 * false: there is none. */
struct caller_rate {
	int64_t limit, left;
	unsigned reset_s; /* seconds until the whole limit is available again */
};
bool caller_requests_left(const struct caller *caller, struct caller_rate *rate);

/* Requests a turn's permission to speak, which counts as a request and lasts until
 * mem_deref(permit).  Returns the same errors as caller_connect.  The handler may be NULL: then a
 * turn is refused if its credit is still being requested from the store. */
struct permit;
typedef void(permit_h)(int err, const struct denied *denied, void *arg);
int permit_ask(struct permit **permitp, struct caller *caller, struct denied *denied,
	       permit_h *handler, void *arg);

/* The same for a transcription, which counts as a turn: it is refused while the audio of this minute
 * is used up, whatever is left of the characters. */
int permit_ask_to_hear(struct permit **permitp, struct caller *caller, struct denied *denied,
		       permit_h *handler, void *arg);

/* Counts seconds of audio that were received.  False with the denial if they exceed what is left of
 * the limit; they are counted in any case, so that what follows waits longer. */
bool permit_heard(struct permit *permit, uint64_t seconds, struct denied *denied);

/* Counts more text of the turn; false with the denial.  The limit for the length of a text applies
 * to the whole turn, in however many parts it arrives. */
bool permit_text(struct permit *permit, uint64_t characters, struct denied *denied);

/* Call it before each chunk: reports what the turn has cost so far, and reserves credit for one more
 * chunk, which may cost `chunk_microcents`.  False if the chunk must not be spoken, with
 * DENIAL_CREDIT, DENIAL_LEASED, DENIAL_LEDGER or DENIAL_KEY.  After permit_wait_for_chunks it may
 * also be DENIAL_PENDING: then the handler of permit_ask is called once more, with 0 (call this
 * function again) or with EACCES. */
void permit_wait_for_chunks(struct permit *permit);
bool permit_begin_chunk(struct permit *permit, int64_t spent_microcents, int64_t chunk_microcents,
			struct denied *denied);

/* Reports what the turn has cost including the audio that is about to be sent.  False, with
 * DENIAL_CREDIT, DENIAL_LEASED or DENIAL_LEDGER: the account would be overdrawn by more than a
 * lease, and the audio must not be sent. */
bool permit_advance(struct permit *permit, int64_t spent_microcents, struct denied *denied);

/* Reports the final cost of the turn.  Call it once; if it is not called, nothing was spent. */
void permit_settle(struct permit *permit, int64_t microcents);

#endif
