/*
 * usage_ledger.c: turns the entries of sessions into rows of the store (see usage_ledger.h).
 */
#include "account/usage_ledger.h"

#include <stdio.h>

#include "account/async_store_private.h"
#include "account/caller.h"
#include "base/clock.h"

_Static_assert(USAGE_ID_MAX == STORE_TURN_ID_MAX, "an id fits into a row");
_Static_assert(USAGE_MODEL_SIZE == STORE_MODEL_SIZE, "a model's name fits into a row");

void usage_entry_row(struct store_turn *row, const struct usage_entry *entry)
{
	static const enum store_turn_status statuses[] = {
		[USAGE_FINISHED] = STORE_TURN_FINISHED,
		[USAGE_CANCELLED] = STORE_TURN_CANCELLED,
		[USAGE_FAILED] = STORE_TURN_FAILED,
		[USAGE_LOST] = STORE_TURN_LOST,
	};
	static const enum store_kind kinds[] = {
		[USAGE_SPEECH] = STORE_KIND_SPEECH,
		[USAGE_HEARING] = STORE_KIND_HEARING,
		[USAGE_MODEL_INPUT] = STORE_KIND_MODEL_INPUT,
		[USAGE_MODEL_OUTPUT] = STORE_KIND_MODEL_OUTPUT,
	};
	const struct caller *caller = entry->caller;
	bool is_speech = entry->kind == USAGE_SPEECH;
	bool is_audio = is_speech || entry->kind == USAGE_HEARING;

	*row = (struct store_turn){
		.at_ms = clock_wall_ms(),
		.status = statuses[entry->status],
		.kind = kinds[entry->kind],
		.quantity = entry->quantity,
		.unit = is_audio ? STORE_UNIT_SAMPLES : STORE_UNIT_TOKENS,
		.is_estimated = entry->is_estimated,
		.samples = is_speech ? entry->quantity : 0,
		.sample_rate = entry->sample_rate,
		.characters = entry->characters,
		.voice_id = entry->voice_id,
		.amount_microcents = entry->amount_microcents,
	};
	snprintf(row->id, sizeof(row->id), "%s", entry->id);
	snprintf(row->model_id, sizeof(row->model_id), "%s", entry->model_id);
	if (!caller)
		return;
	row->key_id = caller_key(caller)->id;
	row->account_id = caller_account(caller)->id;
	snprintf(row->server, sizeof(row->server), "%s", caller_server_id(caller));
}

static struct async_store *usage_ledger_account(struct usage_ledger *ledger)
{
	return LIST_OBJECT(ledger, struct async_store, usage);
}

static int usage_ledger_book(struct usage_booking **bookingp, struct usage_ledger *ledger,
			     const struct usage_entry *entry, size_t mark, usage_booked_h *booked,
			     void *arg)
{
	struct store_turn row;

	usage_entry_row(&row, entry);
	return async_store_book(bookingp, usage_ledger_account(ledger), &row, mark, booked, arg);
}

static void usage_ledger_on_mark(struct usage_ledger *ledger, size_t *mark,
				 const struct usage_entry *entry)
{
	struct store_turn row;

	usage_entry_row(&row, entry);
	async_store_mark(usage_ledger_account(ledger), mark, &row);
}

static bool usage_ledger_has_room(struct usage_ledger *ledger)
{
	return async_store_can_book(usage_ledger_account(ledger));
}

const struct usage_ledger_ops usage_ledger_ops = {
	.book = usage_ledger_book,
	.unlisten = async_store_unlisten,
	.mark = usage_ledger_on_mark,
	.can_book = usage_ledger_has_room,
};

struct usage_ledger *async_store_usage_ledger(struct async_store *async)
{
	return &async->usage;
}
