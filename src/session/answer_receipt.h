/*
 * answer_receipt.h: reports what answers have cost.
 *
 * A bill that was settled is kept until its rows are durable; then the handler is called with the
 * event under which the answer was requested.  answer_receipts_reset releases all receipts of a
 * list without calling the handler; the rows are booked nevertheless.  Runs on the loop's thread.
 */
#ifndef SESSION_ANSWER_RECEIPT_H
#define SESSION_ANSWER_RECEIPT_H

#include "base/list.h"
#include "session/answer_bill.h"
#include "wire/engine_message.h"
#include "wire/engine_reply.h"

typedef void(answer_receipt_h)(const char *event, const struct engine_usage *usage, void *arg);

struct answer_receipts {
	struct list waiting;
	answer_receipt_h *handler; /* NULL: costs are not reported */
	void *arg;
};

void answer_receipts_init(struct answer_receipts *receipts, answer_receipt_h *handler, void *arg);
void answer_receipts_reset(struct answer_receipts *receipts);

/* Settles a bill, and takes over the reference to it (see answer_bill_settle). */
void answer_receipts_settle(struct answer_receipts *receipts, struct answer_bill *bill,
			    const struct engine_event *event, enum usage_status status,
			    const char *model, const struct llm_figures *figures);

#endif
