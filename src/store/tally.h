/*
 * tally.h: sums up what a batch of turns costs each account and key, so that a sum is written once
 * per batch and not once per turn.
 */
#ifndef STORE_TALLY_H
#define STORE_TALLY_H

#include "store/store.h"

/* An amount to add to what the account or key has spent, and to deduct from its lease to the
 * server. */
struct tally {
	struct store_holder holder;
	char server[STORE_SERVER_ID_LEN + 1];
	int64_t microcents;
};

#define TALLIES_PER_TURN 2 /* the account's and the key's */

/* Allocates room for the tallies of that many turns, to be released with free(); NULL if there is
 * no memory. */
struct tally *tally_rows(size_t turns);

/* Adds up to TALLIES_PER_TURN rows for a booked turn; returns the new count. */
size_t tally_note(struct tally *rows, size_t count, const struct store_turn *turn);

/* Merges the rows into one for each pair of holder and server; returns their number.  They are
 * sorted, so that all writers lock in the same order and never deadlock. */
size_t tally_merge(struct tally *rows, size_t count);

#endif
