/*
 * usage_ledger.c: entries of sessions as rows of the store (see usage_ledger.h).
 */
#include "account/usage_ledger.h"

#include <stdio.h>

#include "account/account_private.h"
#include "account/member.h"
#include "base/clock.h"

_Static_assert(USAGE_ID_MAX == STORE_TURN_ID_MAX, "an id fits into a row");
_Static_assert(USAGE_MODEL_SIZE == STORE_MODEL_SIZE, "a model's name fits into a row");
_Static_assert(USAGE_NO_MARK == ACCOUNT_NO_MARK, "no mark is the same to both");

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
		[USAGE_MODEL_INPUT] = STORE_KIND_MODEL_INPUT,
		[USAGE_MODEL_OUTPUT] = STORE_KIND_MODEL_OUTPUT,
	};
	const struct member *member = entry->member;
	bool is_speech = entry->kind == USAGE_SPEECH;

	*row = (struct store_turn){
		.at_ms = clock_wall_ms(),
		.status = statuses[entry->status],
		.kind = kinds[entry->kind],
		.quantity = entry->quantity,
		.unit = is_speech ? STORE_UNIT_SAMPLES : STORE_UNIT_TOKENS,
		.is_estimated = entry->is_estimated,
		.samples = is_speech ? entry->quantity : 0,
		.sample_rate = entry->sample_rate,
		.characters = entry->characters,
		.voice_id = entry->voice_id,
		.amount_microcents = entry->amount_microcents,
	};
	snprintf(row->id, sizeof(row->id), "%s", entry->id);
	snprintf(row->model_id, sizeof(row->model_id), "%s", entry->model_id);
	if (!member)
		return;
	row->key_id = member_key(member)->id;
	row->account_id = member_account(member)->id;
	snprintf(row->server, sizeof(row->server), "%s", member_server_id(member));
}

static struct account *usage_ledger_account(struct usage_ledger *ledger)
{
	return LIST_OBJECT(ledger, struct account, usage);
}

static int usage_ledger_book(struct account_booking **bookingp, struct usage_ledger *ledger,
			     const struct usage_entry *entry, size_t mark, usage_booked_h *booked,
			     void *arg)
{
	struct store_turn row;

	usage_entry_row(&row, entry);
	return account_book(bookingp, usage_ledger_account(ledger), &row, mark, booked, arg);
}

static void usage_ledger_on_mark(struct usage_ledger *ledger, size_t *mark,
				 const struct usage_entry *entry)
{
	struct store_turn row;

	usage_entry_row(&row, entry);
	account_mark(usage_ledger_account(ledger), mark, &row);
}

static bool usage_ledger_has_room(struct usage_ledger *ledger)
{
	return account_can_book(usage_ledger_account(ledger));
}

const struct usage_ledger_ops usage_ledger_ops = {
	.book = usage_ledger_book,
	.unlisten = account_unlisten,
	.mark = usage_ledger_on_mark,
	.can_book = usage_ledger_has_room,
};

struct usage_ledger *account_usage_ledger(struct account *account)
{
	return &account->usage;
}
