/*
 * answer_bill.c: what an answer of a language model may use, and what it costs (see
 * answer_bill.h).
 */
#include "session/answer_bill.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "base/utf8.h"

/* Credit for this many tokens, a minute of speech, is reserved for an answer whose agent has no
 * max_tokens, so that concurrent answers do not spend the same credit. */
#define RESERVED_TOKENS 256u

/* The progress of an answer is marked again after this many tokens: about 15 s of speech. */
#define MARK_TOKENS 64u

/* The rows of an answer. */
enum { ROW_IN, ROW_OUT, ROWS };

struct answer_bill {
	struct answer_billing billing;
	struct permit *permit;
	answer_bill_permit_h *on_permit;
	void *permit_arg;

	int64_t microcents_per_million[ROWS]; /* tokens; PRICE_UNKNOWN: no price is set */
	struct usage_entry rows[ROWS];
	size_t marks[ROWS];
	uint64_t characters; /* in the answer so far */
	uint64_t mark_due; /* the answer is marked again when it has this many tokens */

	/* Set when it is settled. */
	struct usage_booking *bookings[ROWS]; /* NULL: it is not awaited any more */
	unsigned waiting; /* how many rows are not durable yet */
	int err; /* the first error of a row */
	bool is_estimated;
	answer_bill_settled_h *on_settled;
	void *settled_arg;
};

static void answer_bill_destroy(void *object)
{
	struct answer_bill *bill = object;

	for (int i = 0; i < ROWS; ++i) {
		if (bill->bookings[i])
			bill->billing.ledger->ops->unlisten(bill->bookings[i]);
	}
	mem_deref(bill->permit);
	mem_deref(bill->billing.caller);
}

/* Both rows have the same random id, with "-in" and "-out" after it. */
static int answer_bill_make_ids(struct answer_bill *bill)
{
	uint8_t bytes[16];
	char id[2 * sizeof(bytes) + 1];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return EIO;
	for (size_t i = 0; i < sizeof(bytes); ++i)
		snprintf(id + 2 * i, 3, "%02x", bytes[i]);
	snprintf(bill->rows[ROW_IN].id, sizeof(bill->rows[ROW_IN].id), "%s-in", id);
	snprintf(bill->rows[ROW_OUT].id, sizeof(bill->rows[ROW_OUT].id), "%s-out", id);
	return 0;
}

static void answer_bill_on_permit(int err, const struct denied *denied, void *arg)
{
	struct answer_bill *bill = arg;

	bill->on_permit(err, denied, bill->permit_arg);
}

int answer_bill_ask(struct answer_bill **billp, const struct answer_billing *billing,
		    struct denied *denied, answer_bill_permit_h *handler, void *arg)
{
	struct answer_bill *bill;
	int err;

	*denied = (struct denied){.why = DENIAL_LEDGER, .limit = -1};
	/* An answer that nobody pays for is given even if the ledger has no room; the ledger
	 * logs the rows that it cannot keep. */
	if (billing->caller && billing->ledger && !usage_ledger_can_book(billing->ledger))
		return EACCES;
	bill = mem_zalloc(sizeof(*bill), answer_bill_destroy);
	if (!bill)
		return ENOMEM;
	bill->billing = *billing;
	if (billing->caller)
		mem_ref(billing->caller);
	bill->on_permit = handler;
	bill->permit_arg = arg;
	for (int i = 0; i < ROWS; ++i)
		bill->marks[i] = USAGE_NO_MARK;
	err = answer_bill_make_ids(bill);
	if (!err && billing->caller)
		err = permit_ask(&bill->permit, billing->caller, denied, answer_bill_on_permit,
				 bill);
	if (err && err != EINPROGRESS)
		mem_deref(bill);
	else
		*billp = bill;
	return err;
}

/* Fills in what depends on the model: the rows and the prices. */
static void answer_bill_fill(struct answer_bill *bill, const char *model)
{
	static const enum usage_kind kinds[ROWS] = {USAGE_MODEL_INPUT, USAGE_MODEL_OUTPUT};
	static const enum price_way ways[ROWS] = {PRICE_INPUT, PRICE_OUTPUT};
	const struct answer_billing *billing = &bill->billing;

	for (int i = 0; i < ROWS; ++i) {
		struct usage_entry *row = &bill->rows[i];

		row->kind = kinds[i];
		row->caller = billing->caller;
		/* Truncated at a character, because a database refuses invalid UTF-8. */
		snprintf(row->model_id, sizeof(row->model_id), "%.*s",
			 (int)utf8_cut(model, strlen(model), sizeof(row->model_id) - 1), model);
		bill->microcents_per_million[i] =
			billing->caller
				? price_find_tokens(billing->prices, ways[i], model, billing->agent)
				: PRICE_UNKNOWN;
	}
}

static int64_t answer_bill_amount(const struct answer_bill *bill, int row, uint64_t tokens)
{
	int64_t price = bill->microcents_per_million[row];

	return price < 0 ? 0 : price_tokens(tokens, price);
}

/* The current sum of both rows. */
static int64_t answer_bill_spent(const struct answer_bill *bill)
{
	return answer_bill_amount(bill, ROW_IN, bill->rows[ROW_IN].quantity) +
	       answer_bill_amount(bill, ROW_OUT, bill->rows[ROW_OUT].quantity);
}

static void answer_bill_mark_row(struct answer_bill *bill, int row)
{
	const struct answer_billing *billing = &bill->billing;

	if (!billing->ledger)
		return;
	bill->rows[row].status = USAGE_LOST;
	bill->rows[row].is_estimated = true;
	usage_ledger_mark(billing->ledger, &bill->marks[row], &bill->rows[row]);
}

bool answer_bill_begin(struct answer_bill *bill, const char *model, uint64_t characters,
		       uint32_t tokens_in, uint32_t max_tokens, struct denied *denied)
{
	uint32_t reserved = max_tokens ? max_tokens : RESERVED_TOKENS;

	answer_bill_fill(bill, model);
	bill->rows[ROW_IN].quantity = tokens_in;
	if (bill->permit && !permit_text(bill->permit, characters, denied))
		return false;
	if (bill->permit && !permit_begin_chunk(bill->permit, 0,
						answer_bill_spent(bill) +
							answer_bill_amount(bill, ROW_OUT, reserved),
						denied))
		return false;
	return true;
}

void answer_bill_mark(struct answer_bill *bill)
{
	answer_bill_mark_row(bill, ROW_IN);
	answer_bill_mark_row(bill, ROW_OUT);
	bill->mark_due = MARK_TOKENS;
}

bool answer_bill_advance(struct answer_bill *bill, uint64_t characters, struct denied *denied)
{
	struct usage_entry *out = &bill->rows[ROW_OUT];

	bill->characters += characters;
	out->quantity = llm_estimate(bill->characters);
	if (out->quantity >= bill->mark_due) {
		bill->mark_due = out->quantity + MARK_TOKENS;
		answer_bill_mark_row(bill, ROW_OUT);
	}
	return !bill->permit || permit_advance(bill->permit, answer_bill_spent(bill), denied);
}

static void answer_bill_report(struct answer_bill *bill)
{
	bool has_price = bill->microcents_per_million[ROW_IN] >= 0 ||
			 bill->microcents_per_million[ROW_OUT] >= 0;
	answer_bill_settled_h *on_settled = bill->on_settled;
	const struct answer_cost cost = {
		.ids = {bill->rows[ROW_IN].id, bill->rows[ROW_OUT].id},
		.tokens_in = bill->rows[ROW_IN].quantity,
		.tokens_out = bill->rows[ROW_OUT].quantity,
		.is_estimated = bill->is_estimated,
		.is_known = !bill->err && has_price,
		.microcents = bill->rows[ROW_IN].amount_microcents +
			      bill->rows[ROW_OUT].amount_microcents,
		.currency = bill->billing.prices ? bill->billing.prices->currency : NULL,
	};

	bill->on_settled = NULL;
	if (on_settled)
		on_settled(bill->err, &cost, bill->settled_arg);
}

static void answer_bill_on_booked(struct answer_bill *bill, int row, int err)
{
	bill->bookings[row] = NULL;
	bill->err = bill->err ? bill->err : err;
	if (--bill->waiting == 0)
		answer_bill_report(bill);
}

static void answer_bill_on_in_booked(int err, void *arg)
{
	answer_bill_on_booked(arg, ROW_IN, err);
}

static void answer_bill_on_out_booked(int err, void *arg)
{
	answer_bill_on_booked(arg, ROW_OUT, err);
}

static void answer_bill_book(struct answer_bill *bill, int row)
{
	static usage_booked_h *const handlers[ROWS] = {answer_bill_on_in_booked,
						       answer_bill_on_out_booked};
	const struct answer_billing *billing = &bill->billing;
	int err = billing->ledger->ops->book(&bill->bookings[row], billing->ledger,
					     &bill->rows[row], bill->marks[row],
					     bill->on_settled ? handlers[row] : NULL, bill);

	if (err)
		bill->err = err; /* the ledger has logged the row */
	if (err || !bill->on_settled)
		bill->bookings[row] = NULL;
	else
		++bill->waiting;
}

bool answer_bill_settle(struct answer_bill *bill, enum usage_status status, const char *model,
			const struct llm_figures *figures, answer_bill_settled_h *on_settled,
			void *arg)
{
	const uint64_t tokens[ROWS] = {figures->tokens_in, figures->tokens_out};
	const bool is_estimated[ROWS] = {figures->is_in_estimated, figures->is_out_estimated};
	int64_t sum = 0;

	answer_bill_fill(bill, model);
	for (int i = 0; i < ROWS; ++i) {
		struct usage_entry *row = &bill->rows[i];

		row->status = status;
		row->quantity = tokens[i];
		row->is_estimated = is_estimated[i];
		row->amount_microcents =
			status == USAGE_FAILED ? 0 : answer_bill_amount(bill, i, tokens[i]);
		sum += row->amount_microcents;
		bill->is_estimated |= is_estimated[i];
	}
	if (bill->permit)
		permit_settle(bill->permit, sum);
	bill->permit = mem_deref(bill->permit);
	bill->on_settled = on_settled;
	bill->settled_arg = arg;
	for (int i = 0; bill->billing.ledger && i < ROWS; ++i)
		answer_bill_book(bill, i);
	return bill->waiting > 0;
}
