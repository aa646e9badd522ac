/*
 * lease.h: credit that this server may spend on its own.
 *
 * What a prepaid account has, or a key that may spend only so much, is lent to
 * servers in blocks.  A turn that asks whether it may go on is answered from here;
 * what is asked of the store is asked ahead (members_credit.c).
 *
 *   granted - used - reserved       is free
 *
 * A chunk's cost is known when it has been spoken, and many turns speak at once.
 * So each that goes on reserves what its chunk may cost, by its text; then all of
 * them together overdraw the lease by one chunk at most.  What was reserved is used
 * as the audio leaves.  A voice may be slower than was reckoned, and a chunk dearer
 * than a block: no audio leaves that would overdraw the lease by more than a block.
 *
 * A burst of turns is not refused while the next block is on its way: what the store
 * had left when it was asked last counts too, a block of it at most or, of an account
 * that has plenty, the part of one server in many.  If others took that meanwhile the
 * account is overdrawn, by less than a block.
 *
 * The store's answer is combined with what happened here since it was asked.  The answer
 * says how much this server holds and how much of what was used here is booked, both at the
 * same moment, so
 *
 *   granted = booked + held
 *
 * holds whichever rows were on their way when the store answered.
 */
#ifndef ACCOUNT_LEASE_H
#define ACCOUNT_LEASE_H

#include <stdbool.h>
#include <stdint.h>

/* A chunk is taken to cost this part of a block at least: with the default block and
 * price that is seven seconds of speech. */
#define LEASE_CHUNKS 32

/* So many servers may each count on their part of what is left, and no more than that
 * is spent. */
#define LEASE_SERVERS 64

struct lease {
	bool is_limited; /* else nothing below counts */
	int64_t block; /* lent at once; 0: there is nobody to ask for more */
	int64_t granted; /* the limit of `used`: booked, plus held by this server */
	int64_t booked; /* the part of `used` that was in the store when it last answered */
	int64_t used; /* by turns that have ended, and by those that run so far */
	int64_t reserved; /* for chunks that are being spoken */
	int64_t left; /* nobody held or had spent it when the store was asked last */
	int64_t elsewhere; /* held by other servers at that time */
};

/* What one turn has to do with a lease. */
struct lease_part {
	int64_t spent; /* that is in `used` */
	int64_t reserved;
};

/* One that was without limit begins with nothing. */
void lease_limit(struct lease *lease, bool is_limited, int64_t block);

/* May one more chunk be spoken, by a turn that holds `part`?  NULL: by a new one.
 * `chunk` is what it may cost; 0: nobody knows yet. */
bool lease_covers(const struct lease *lease, const struct lease_part *part, int64_t chunk);

/* What a turn has spent so far; it speaks no chunk then. */
void lease_spend(struct lease *lease, struct lease_part *part, int64_t spent);

/* For the chunk that it speaks next. */
void lease_reserve(struct lease *lease, struct lease_part *part, int64_t chunk);

/* What a turn has spent with the audio that is about to leave, which it must not when the
 * lease is overdrawn then.  While the store is asked for more, what it had left counts. */
void lease_advance(struct lease *lease, struct lease_part *part, int64_t spent);
bool lease_is_overdrawn(const struct lease *lease, bool is_asking);

/* How much to ask the store for now; 0: enough is there. */
int64_t lease_want(const struct lease *lease);

/* The store has granted this much more and has this much left. */
void lease_grant(struct lease *lease, int64_t granted, int64_t left);

/* The store's answer. */
struct lease_answer {
	int64_t booked; /* since the previous answer */
	int64_t held, left, elsewhere;
};
void lease_answered(struct lease *lease, const struct lease_answer *answer);
/* Everything that was used is booked, whatever the sums say: no turn is running and no row is
 * on its way. */
void lease_all_booked(struct lease *lease);

/* No credit is left on any server.  Credit that is only reserved, or held by other servers,
 * does not count as used up: it may be free again in a moment. */
bool lease_is_spent(const struct lease *lease);

/* What was lent and not used has lapsed. */
void lease_lapse(struct lease *lease);

#endif
