/*
 * lease.h: credit that this server may spend without asking the store.
 *
 * The credit of a prepaid account, or of a key with a spending limit, is given to servers in
 * blocks, which must be renewed.  Turns spend from this lease; the next block is requested before it
 * is needed (callers_credit.c).  All amounts are in micro-cents.  Runs on the loop's thread.
 *
 *   free = granted - used - reserved
 *
 * The cost of a chunk is known only when it has been spoken, and many turns speak at the same
 * time.  So each turn reserves what its next chunk may cost, estimated from its text; then all of
 * them together overdraw the lease by one chunk at most.  As audio is sent, its cost moves from
 * reserved to used.  A voice may be slower than estimated, and a chunk may cost more than a block:
 * audio that would overdraw the lease by more than a block is not sent.
 *
 * A burst of turns is not refused while the next block is being requested: what the store had left
 * at its last answer counts too, up to a block or, for accounts with much credit, up to one
 * server's part of it.  If other servers take that credit meanwhile, the account is overdrawn by
 * less than a block.
 *
 * The store's answer is combined with what was used here since the request.  The answer says how
 * much this server holds and how much of what was used here is booked, both at the same moment, so
 *
 *   granted = booked + held
 *
 * is correct whichever rows were being booked when the store answered.
 */
#ifndef ACCOUNT_LEASE_H
#define ACCOUNT_LEASE_H

#include <stdbool.h>
#include <stdint.h>

/* A chunk is estimated at this fraction of a block or more: seven seconds of speech with the
 * default block and price. */
#define LEASE_CHUNKS 32

/* This many servers may each count on their part of what is left without overdrawing the
 * account. */
#define LEASE_SERVERS 64

struct lease {
	bool is_limited; /* false: the other fields have no meaning */
	int64_t block; /* the size of a request; 0: there is no store to ask */
	int64_t granted; /* the limit for `used`: what is booked plus what this server holds */
	int64_t booked; /* the part of `used` that was in the store when it last answered */
	int64_t used; /* spent by turns that have ended, and so far by turns that are running */
	int64_t reserved; /* for chunks that are being spoken */
	int64_t left; /* neither spent nor given to any server at the store's last answer */
	int64_t elsewhere; /* held by other servers at that time */
};

/* The part of one turn in a lease. */
struct lease_part {
	int64_t spent; /* included in `used` */
	int64_t reserved;
};

/* Sets whether the lease is limited; a lease that was unlimited begins with no credit. */
void lease_limit(struct lease *lease, bool is_limited, int64_t block);

/* Whether one more chunk may be spoken by a turn with this part; NULL: by a new turn.  `chunk` is
 * what it may cost; 0: unknown. */
bool lease_covers(const struct lease *lease, const struct lease_part *part, int64_t chunk);

/* Sets what a turn has spent, and releases its reservation. */
void lease_spend(struct lease *lease, struct lease_part *part, int64_t spent);

/* Reserves credit for the next chunk of a turn. */
void lease_reserve(struct lease *lease, struct lease_part *part, int64_t chunk);

/* Sets what a turn has spent including audio that is about to be sent, which must not be sent
 * if the lease is overdrawn then.  While a request is not answered (is_asking), what the store had
 * left counts too. */
void lease_advance(struct lease *lease, struct lease_part *part, int64_t spent);
bool lease_is_overdrawn(const struct lease *lease, bool is_asking);

/* How much to request from the store; 0: there is enough. */
int64_t lease_want(const struct lease *lease);

/* The store has granted this much more and has this much left. */
void lease_grant(struct lease *lease, int64_t granted, int64_t left);

/* The store's answer to a request. */
struct lease_answer {
	int64_t booked; /* since the previous answer */
	int64_t held, left, elsewhere;
};
void lease_answered(struct lease *lease, const struct lease_answer *answer);
/* Treats everything that was used as booked, whatever the sums say.  Call it only if no turn is
 * running and all rows are booked. */
void lease_all_booked(struct lease *lease);

/* Whether no credit is left on any server.  Credit that is only reserved, or held by other servers,
 * may become free in a moment and is not spent. */
bool lease_is_spent(const struct lease *lease);

/* Drops credit that was granted and not used, because the lease has expired. */
void lease_lapse(struct lease *lease);

#endif
