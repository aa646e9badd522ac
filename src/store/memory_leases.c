/*
 * memory_leases.c: credit that is lent to servers, in the memory store.
 */
#include <errno.h>
#include <string.h>

#include "store/lend.h"
#include "store/memory_private.h"
#include "store/tally.h"

static bool is_of(const struct memory_lease *lease, const struct store_holder *holder)
{
	return lease->holder.kind == holder->kind && lease->holder.id == holder->id;
}

static struct memory_lease *find(struct memory *memory, const struct store_holder *holder,
				 const char *server)
{
	for (size_t i = 0; i < memory->lease_count; ++i) {
		struct memory_lease *lease = &memory->leases[i];

		if (is_of(lease, holder) && strcmp(lease->server, server) == 0)
			return lease;
	}
	return NULL;
}

void memory_take_off_lease(struct memory *memory, const struct tally *tally)
{
	struct memory_lease *lease = find(memory, &tally->holder, tally->server);

	if (lease && lease->microcents > tally->microcents)
		lease->microcents -= tally->microcents;
	else if (lease)
		lease->microcents = 0;
}

static void forget(struct memory *memory, struct memory_lease *lease)
{
	*lease = memory->leases[--memory->lease_count];
}

static void forget_old(struct memory *memory, int64_t now_ms)
{
	size_t i = 0;

	while (i < memory->lease_count) {
		if (memory->leases[i].expires_ms <= now_ms)
			forget(memory, &memory->leases[i]);
		else
			++i;
	}
}

static int read_purse(struct lend_purse *purse, struct memory *memory,
		      const struct store_lease *lease)
{
	const struct store_account *account = memory_account(memory, lease->holder.id);
	const struct store_key *key = memory_key(memory, lease->holder.id);

	if (lease->holder.kind == STORE_HOLDER_ACCOUNT && account)
		lend_of_account(purse, account);
	else if (lease->holder.kind == STORE_HOLDER_KEY && key)
		lend_of_key(purse, key);
	else
		return ENOENT;
	for (size_t i = 0; i < memory->lease_count; ++i) {
		const struct memory_lease *other = &memory->leases[i];

		if (!is_of(other, &lease->holder))
			continue;
		purse->lent_microcents += other->microcents;
		if (strcmp(other->server, lease->server) == 0)
			purse->held_microcents += other->microcents;
	}
	return 0;
}

static bool was_booked_under(const struct store_turn *turn, const struct store_lease *lease)
{
	const struct store_holder *holder = &lease->holder;
	int64_t id = holder->kind == STORE_HOLDER_ACCOUNT ? turn->account_id : turn->key_id;

	return id == holder->id && turn->at_ms >= lease->since_ms &&
	       strcmp(turn->server, lease->server) == 0;
}

static void sum_up_booked(struct store_lease *lease, const struct memory *memory)
{
	lease->booked_microcents = 0;
	for (size_t i = (size_t)lease->after_seq; i < memory->turn_count; ++i) {
		if (was_booked_under(&memory->turns[i], lease))
			lease->booked_microcents += memory->turns[i].amount_microcents;
	}
	lease->last_seq = (int64_t)memory->turn_count;
}

static struct memory_lease *append(struct memory *memory, const struct store_lease *lease)
{
	struct memory_lease *rows = memory_grow(memory->leases, memory->lease_count, sizeof(*rows));

	if (!rows)
		return NULL;
	memory->leases = rows;
	rows += memory->lease_count++;
	*rows = (struct memory_lease){.holder = lease->holder};
	memcpy(rows->server, lease->server, sizeof(rows->server));
	return rows;
}

int memory_lease_take(struct store *store, struct store_lease *lease)
{
	struct memory *memory = memory_of(store);
	struct lend_purse purse = {0};
	struct memory_lease *row;
	int err;

	forget_old(memory, lease->at_ms);
	err = read_purse(&purse, memory, lease);
	if (err)
		return err;
	if (purse.is_limited) {
		row = find(memory, &lease->holder, lease->server);
		if (!row)
			row = append(memory, lease);
		if (!row)
			return ENOMEM;
		lend(lease, &purse);
		row->microcents = lease->held_microcents;
		row->expires_ms = lease->expires_ms;
		sum_up_booked(lease, memory);
	} else {
		lend(lease, &purse);
		lease->booked_microcents = 0;
		lease->last_seq = lease->after_seq;
	}
	return 0;
}

int memory_lease_return(struct store *store, const char *server)
{
	struct memory *memory = memory_of(store);
	size_t i = 0;

	while (i < memory->lease_count) {
		if (strcmp(memory->leases[i].server, server) == 0)
			forget(memory, &memory->leases[i]);
		else
			++i;
	}
	return 0;
}
