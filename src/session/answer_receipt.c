/*
 * answer_receipt.c: reports what answers have cost (see answer_receipt.h).
 */
#include "session/answer_receipt.h"

#include <errno.h>

#include "base/mem.h"

struct answer_receipt {
	struct link link;
	struct answer_receipts *receipts;
	struct answer_bill *bill;
	struct engine_event event;
};

static void answer_receipt_destroy(void *object)
{
	struct answer_receipt *receipt = object;

	mem_deref(receipt->bill);
}

void answer_receipts_init(struct answer_receipts *receipts, answer_receipt_h *handler, void *arg)
{
	*receipts = (struct answer_receipts){.handler = handler, .arg = arg};
	list_init(&receipts->waiting);
}

void answer_receipts_reset(struct answer_receipts *receipts)
{
	struct link *link;

	while ((link = list_first(&receipts->waiting))) {
		list_remove(&receipts->waiting, link);
		mem_deref(LIST_OBJECT(link, struct answer_receipt, link));
	}
}

static void answer_receipt_on_settled(int err, const struct answer_cost *cost, void *arg)
{
	struct answer_receipt *receipt = arg;
	struct answer_receipts *receipts = receipt->receipts;
	const struct engine_usage usage = {
		.ids = {cost->ids[0], cost->ids[1]},
		.tokens_in = cost->tokens_in,
		.tokens_out = cost->tokens_out,
		.is_estimated = cost->is_estimated,
		.is_known = cost->is_known,
		.microcents = cost->microcents,
		.currency = cost->currency,
	};

	(void)err; /* cost->is_known is false if there was an error */
	list_remove(&receipts->waiting, &receipt->link);
	receipts->handler(receipt->event.text, &usage, receipts->arg);
	mem_deref(receipt);
}

void answer_receipts_settle(struct answer_receipts *receipts, struct answer_bill *bill,
			    const struct engine_event *event, enum usage_status status,
			    const char *model, const struct llm_figures *figures)
{
	struct answer_receipt *receipt =
		receipts->handler ? mem_zalloc(sizeof(*receipt), answer_receipt_destroy) : NULL;

	if (receipt) {
		receipt->receipts = receipts;
		receipt->event = *event;
		receipt->bill = mem_ref(bill);
		list_append(&receipts->waiting, &receipt->link);
	}
	if (!answer_bill_settle(bill, status, model, figures,
				receipt ? answer_receipt_on_settled : NULL, receipt) &&
	    receipt) {
		list_remove(&receipts->waiting, &receipt->link);
		mem_deref(receipt); /* the ledger accepted no row: there is nothing to report */
	}
	mem_deref(bill);
}
