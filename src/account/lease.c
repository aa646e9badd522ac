/*
 * lease.c: credit that this server may spend on its own (see lease.h).
 */
#include "account/lease.h"

static int64_t lease_min(int64_t value, int64_t max)
{
	return value < max ? value : max;
}

static int64_t lease_unused(const struct lease *lease)
{
	return lease->granted - lease->used - lease->reserved;
}

static int64_t lease_chunk_cost(const struct lease *lease, int64_t chunk)
{
	int64_t least = lease->block / LEASE_CHUNKS;

	return chunk > least ? chunk : least;
}

/* The credit that may be used beyond the lease.  Together with the chunk that overdraws the lease
 * it stays within a block, or within the part of a large credit that every server may use. */
static int64_t lease_grace(const struct lease *lease, int64_t chunk)
{
	int64_t block = lease->block - lease_chunk_cost(lease, chunk);
	int64_t part = lease->left / LEASE_SERVERS;
	int64_t most = lease_min(lease->left, part > block ? part : block);

	return most > 0 ? most : 0;
}

void lease_limit(struct lease *lease, bool is_limited, int64_t block)
{
	if (is_limited && !lease->is_limited)
		lease_lapse(lease);
	lease->is_limited = is_limited;
	lease->block = block;
}

bool lease_covers(const struct lease *lease, const struct lease_part *part, int64_t chunk)
{
	int64_t own = part ? part->reserved : 0;

	return !lease->is_limited || lease_unused(lease) + own + lease_grace(lease, chunk) > 0;
}

void lease_spend(struct lease *lease, struct lease_part *part, int64_t spent)
{
	lease->used += spent - part->spent;
	part->spent = spent;
	lease->reserved -= part->reserved;
	part->reserved = 0;
}

void lease_reserve(struct lease *lease, struct lease_part *part, int64_t chunk)
{
	lease->reserved -= part->reserved;
	part->reserved = lease_chunk_cost(lease, chunk);
	lease->reserved += part->reserved;
}

/* Whether the lease is overdrawn by more than a block, plus what may be expected from the store:
 * all that is left while a request is pending, otherwise this server's part of a large credit. */
bool lease_is_overdrawn(const struct lease *lease, bool is_asking)
{
	int64_t part = lease->left / LEASE_SERVERS;
	int64_t more = is_asking ? lease->left : (part > lease->block ? part : 0);

	return lease->is_limited && lease->block > 0 &&
	       /* in this order because `more` may be INT64_MAX */
	       lease->used - lease->granted - lease->block > more;
}

void lease_advance(struct lease *lease, struct lease_part *part, int64_t spent)
{
	int64_t more = spent - part->spent;
	int64_t reserved = lease_min(more, part->reserved);

	lease->used += more;
	part->spent = spent;
	lease->reserved -= reserved;
	part->reserved -= reserved;
}

int64_t lease_want(const struct lease *lease)
{
	int64_t here = lease_unused(lease);

	if (!lease->is_limited || lease->block == 0 || here > lease->block / 2)
		return 0;
	return lease->block - here;
}

void lease_grant(struct lease *lease, int64_t granted, int64_t left)
{
	lease->granted += granted;
	lease->left = left;
}

void lease_answered(struct lease *lease, const struct lease_answer *answer)
{
	lease->booked += answer->booked;
	lease->granted = lease->booked + answer->held;
	lease->left = answer->left;
	lease->elsewhere = answer->elsewhere;
}

void lease_all_booked(struct lease *lease)
{
	lease->granted += lease->used - lease->booked;
	lease->booked = lease->used;
}

bool lease_is_spent(const struct lease *lease)
{
	int64_t left = lease->left > 0 ? lease->left : 0;

	return lease->used - lease->granted >= left && lease->elsewhere <= 0;
}

void lease_lapse(struct lease *lease)
{
	lease->granted = lease->used;
	lease->left = 0;
	lease->elsewhere = 0;
}
