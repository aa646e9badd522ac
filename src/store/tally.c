/*
 * tally.c: sums up what a batch of turns costs (see tally.h).
 */
#include "store/tally.h"

#include <stdlib.h>
#include <string.h>

struct tally *tally_rows(size_t turns)
{
	return calloc(turns + 1, TALLIES_PER_TURN * sizeof(struct tally));
}

static size_t tally_note_one(struct tally *rows, size_t count, enum store_holder_kind kind,
			     int64_t id, const struct store_turn *turn)
{
	struct tally *row = &rows[count];

	if (id == 0 || turn->amount_microcents == 0)
		return count;
	row->holder = (struct store_holder){kind, id};
	memcpy(row->server, turn->server, sizeof(row->server));
	row->microcents = turn->amount_microcents;
	return count + 1;
}

size_t tally_note(struct tally *rows, size_t count, const struct store_turn *turn)
{
	count = tally_note_one(rows, count, STORE_HOLDER_ACCOUNT, turn->account_id, turn);
	return tally_note_one(rows, count, STORE_HOLDER_KEY, turn->key_id, turn);
}

static int tally_compare(const void *left, const void *right)
{
	const struct tally *a = left;
	const struct tally *b = right;

	if (a->holder.kind != b->holder.kind)
		return a->holder.kind < b->holder.kind ? -1 : 1;
	if (a->holder.id != b->holder.id)
		return a->holder.id < b->holder.id ? -1 : 1;
	return strcmp(a->server, b->server);
}

size_t tally_merge(struct tally *rows, size_t count)
{
	size_t merged = 0;

	qsort(rows, count, sizeof(*rows), tally_compare);
	for (size_t i = 0; i < count; ++i) {
		if (merged > 0 && tally_compare(&rows[merged - 1], &rows[i]) == 0)
			rows[merged - 1].microcents += rows[i].microcents;
		else
			rows[merged++] = rows[i];
	}
	return merged;
}
