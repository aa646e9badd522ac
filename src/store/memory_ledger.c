/*
 * memory_ledger.c: turns in the memory store, their sums and reports of them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "store/memory_private.h"
#include "store/tally.h"

#define DAY_MS (24LL * 60 * 60 * 1000)

static bool is_there(const struct memory *memory, const char *id)
{
	for (size_t i = 0; i < memory->turn_count; ++i) {
		if (strcmp(memory->turns[i].id, id) == 0)
			return true;
	}
	return false;
}

static bool can_be(struct memory *memory, const struct store_turn *turn)
{
	if (turn->amount_microcents < 0)
		return false;
	if (turn->key_id == 0 && turn->account_id == 0)
		return true;
	return memory_key(memory, turn->key_id) && memory_account(memory, turn->account_id);
}

static int append(struct memory *memory, const struct store_turn *turn)
{
	struct store_turn *turns = memory_grow(memory->turns, memory->turn_count, sizeof(*turns));

	if (!turns)
		return ENOMEM;
	memory->turns = turns;
	turns[memory->turn_count] = *turn;
	turns[memory->turn_count++].quantity = store_turn_quantity(turn);
	return 0;
}

static int append_all(struct memory *memory, const struct store_turn *turns, size_t count,
		      int *errs, struct tally *tallies, size_t *tally_count)
{
	for (size_t i = 0; i < count; ++i) {
		errs[i] = can_be(memory, &turns[i]) ? 0 : EINVAL;
		if (errs[i] || is_there(memory, turns[i].id))
			continue;
		if (append(memory, &turns[i]) != 0)
			return ENOMEM;
		*tally_count = tally_note(tallies, *tally_count, &turns[i]);
	}
	return 0;
}

static void write_tallies(struct memory *memory, struct tally *tallies, size_t count)
{
	count = tally_merge(tallies, count);
	for (size_t i = 0; i < count; ++i) {
		const struct store_holder *holder = &tallies[i].holder;

		if (holder->kind == STORE_HOLDER_ACCOUNT)
			memory_account(memory, holder->id)->spent_microcents +=
				tallies[i].microcents;
		else
			memory_key(memory, holder->id)->spent_microcents += tallies[i].microcents;
		memory_take_off_lease(memory, &tallies[i]);
	}
}

int memory_turns_add(struct store *store, const struct store_turn *turns, size_t count, int *errs)
{
	struct memory *memory = memory_of(store);
	struct tally *tallies = tally_rows(count);
	size_t tally_count = 0;
	size_t kept = memory->turn_count;
	int err = ENOMEM;

	if (tallies)
		err = append_all(memory, turns, count, errs, tallies, &tally_count);
	if (err)
		memory->turn_count = kept;
	else
		write_tallies(memory, tallies, tally_count);
	free(tallies);
	return err;
}

int memory_turn_list(struct store *store, store_turn_h *each, void *arg)
{
	struct memory *memory = memory_of(store);

	for (size_t i = 0; i < memory->turn_count; ++i) {
		if (!each(&memory->turns[i], arg))
			break;
	}
	return 0;
}

static bool fits(struct memory *memory, const struct store_turn *turn,
		 const struct store_turn_filter *filter)
{
	const struct store_key *key = memory_key(memory, turn->key_id);

	return (!filter->account_id || turn->account_id == filter->account_id) &&
	       (!filter->project_id || (key && key->project_id == filter->project_id)) &&
	       (!filter->key_id || turn->key_id == filter->key_id) &&
	       (!filter->from_ms || turn->at_ms >= filter->from_ms) &&
	       (!filter->to_ms || turn->at_ms < filter->to_ms);
}

int memory_turn_page(struct store *store, const struct store_turn_filter *filter, int64_t after_seq,
		     int64_t limit, store_paged_turn_h *each, void *arg)
{
	struct memory *memory = memory_of(store);

	for (size_t i = after_seq > 0 ? (size_t)after_seq : 0; i < memory->turn_count && limit != 0;
	     ++i) {
		if (!fits(memory, &memory->turns[i], filter))
			continue;
		--limit;
		if (!each((int64_t)i + 1, &memory->turns[i], arg))
			break;
	}
	return 0;
}

static bool memory_is_of(const struct store_turn *turn, enum store_kind kind, enum store_unit unit)
{
	return turn->kind == kind && turn->unit == unit;
}

static uint64_t memory_us_of(const struct store_turn *turn, enum store_kind kind)
{
	if (!memory_is_of(turn, kind, STORE_UNIT_SAMPLES) || turn->sample_rate == 0)
		return 0;
	return (turn->quantity * 1000000 + turn->sample_rate / 2) / turn->sample_rate;
}

static uint64_t memory_tokens_of(const struct store_turn *turn, enum store_kind kind)
{
	return memory_is_of(turn, kind, STORE_UNIT_TOKENS) ? turn->quantity : 0;
}

/* What a turn alone adds to a report. */
static struct store_usage usage_of(const struct store_turn *turn, unsigned by)
{
	bool is_estimate = turn->unit == STORE_UNIT_TOKENS && turn->is_estimated;
	struct store_usage usage = {
		.day_ms = by & STORE_USAGE_DAY ? turn->at_ms - turn->at_ms % DAY_MS : 0,
		.key_id = by & STORE_USAGE_KEY ? turn->key_id : 0,
		.voice_id = by & STORE_USAGE_VOICE ? turn->voice_id : 0,
		.kind = by & STORE_USAGE_KIND ? turn->kind : STORE_KIND_SPEECH,
		.turns = memory_is_of(turn, STORE_KIND_SPEECH, STORE_UNIT_SAMPLES),
		.audio_us = memory_us_of(turn, STORE_KIND_SPEECH),
		.characters = turn->kind == STORE_KIND_SPEECH ? turn->characters : 0,
		.heard_us = memory_us_of(turn, STORE_KIND_HEARING),
		.answers = memory_is_of(turn, STORE_KIND_MODEL_OUTPUT, STORE_UNIT_TOKENS),
		.tokens_in = memory_tokens_of(turn, STORE_KIND_MODEL_INPUT),
		.tokens_out = memory_tokens_of(turn, STORE_KIND_MODEL_OUTPUT),
		.tokens_estimated = is_estimate ? turn->quantity : 0,
		.amount_microcents = turn->amount_microcents,
	};

	if (by & STORE_USAGE_MODEL)
		memcpy(usage.model_id, turn->model_id, sizeof(usage.model_id));
	return usage;
}

static int compare_numbers(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare(const void *left, const void *right)
{
	const struct store_usage *a = left;
	const struct store_usage *b = right;
	int order = compare_numbers(a->day_ms, b->day_ms);

	if (order == 0)
		order = compare_numbers(a->key_id, b->key_id);
	if (order == 0)
		order = compare_numbers(a->voice_id, b->voice_id);
	if (order == 0)
		order = strcmp(a->model_id, b->model_id);
	return order ? order : compare_numbers(a->kind, b->kind);
}

static size_t merge(struct store_usage *rows, size_t count)
{
	size_t merged = 0;

	qsort(rows, count, sizeof(*rows), compare);
	for (size_t i = 0; i < count; ++i) {
		struct store_usage *last = merged > 0 ? &rows[merged - 1] : NULL;

		if (!last || compare(last, &rows[i]) != 0) {
			rows[merged++] = rows[i];
			continue;
		}
		store_usage_add(last, &rows[i]);
	}
	return merged;
}

int memory_usage_sum(struct store *store, const struct store_turn_filter *filter, unsigned by,
		     store_usage_h *each, void *arg)
{
	struct memory *memory = memory_of(store);
	struct store_usage *rows = calloc(memory->turn_count + 1, sizeof(*rows));
	size_t count = 0;

	if (!rows)
		return ENOMEM;
	for (size_t i = 0; i < memory->turn_count; ++i) {
		if (fits(memory, &memory->turns[i], filter))
			rows[count++] = usage_of(&memory->turns[i], by);
	}
	count = merge(rows, count);
	for (size_t i = 0; i < count; ++i) {
		if (!each(&rows[i], arg))
			break;
	}
	free(rows);
	return 0;
}

static int64_t check(const char *what, int64_t id, int64_t kept, int64_t sum)
{
	if (kept == sum)
		return 0;
	log_error("store",
		  "%s %" PRId64 " is kept as %" PRId64 " microcents, its rows are %" PRId64, what,
		  id, kept, sum);
	return 1;
}

static int64_t spent_by(const struct memory *memory, int64_t account_id, int64_t key_id)
{
	int64_t sum = 0;

	for (size_t i = 0; i < memory->turn_count; ++i) {
		const struct store_turn *turn = &memory->turns[i];

		if (account_id ? turn->account_id == account_id : turn->key_id == key_id)
			sum += turn->amount_microcents;
	}
	return sum;
}

static int64_t credit_of(const struct memory *memory, int64_t account_id)
{
	int64_t sum = 0;

	for (size_t i = 0; i < memory->top_up_count; ++i) {
		if (memory->top_ups[i].account_id == account_id)
			sum += memory->top_ups[i].amount_microcents;
	}
	return sum;
}

int memory_audit(struct store *store, int64_t *wrong)
{
	struct memory *memory = memory_of(store);

	*wrong = 0;
	for (size_t i = 0; i < memory->account_count; ++i) {
		const struct store_account *account = &memory->accounts[i];

		*wrong += check("credit of account", account->id, account->credit_microcents,
				credit_of(memory, account->id));
		*wrong += check("spent of account", account->id, account->spent_microcents,
				spent_by(memory, account->id, 0));
	}
	for (size_t i = 0; i < memory->key_count; ++i) {
		const struct store_key *key = &memory->keys[i];

		*wrong += check("spent of key", key->id, key->spent_microcents,
				spent_by(memory, 0, key->id));
	}
	return 0;
}
