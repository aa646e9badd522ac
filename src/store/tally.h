/*
 * tally.h: what a batch of turns costs whom, so that a sum is written once for
 * all turns of a batch and not once for each.
 */
#ifndef STORE_TALLY_H
#define STORE_TALLY_H

#include "store/store.h"

/* To be added to what the holder spent, and taken off its lease at the server. */
struct tally {
	struct store_holder holder;
	char server[STORE_SERVER_ID_LEN + 1];
	int64_t microcents;
};

#define TALLIES_PER_TURN 2 /* the account's and the key's */

/* Room for the tallies of that many turns, from malloc. */
struct tally *tally_rows(size_t turns);

/* Notes a turn that was booked; returns the new count. */
size_t tally_note(struct tally *rows, size_t count, const struct store_turn *turn);

/* One row for each holder and server, in an order that is the same for all who
 * write them, so that two never wait for each other; returns how many. */
size_t tally_merge(struct tally *rows, size_t count);

#endif
