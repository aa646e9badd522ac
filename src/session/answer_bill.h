/*
 * answer_bill.h: what an answer of a language model may use, what it costs, and who pays.
 *
 * For the account, an answer is like a turn of speech: it counts as a request and as one of the
 * concurrent turns, the newest words of its question count as characters, and it needs credit.
 * Its usage is recorded in two rows of the ledger: the tokens sent to the model, and the tokens
 * that the model generated.  Both are marked when the model has been asked, so that an answer is
 * booked as lost if the server dies, and are booked once when the answer ends.
 *
 *   answer_bill_ask --> (permission, perhaps later) --> answer_bill_begin --> the model is asked
 *     --> answer_bill_mark --> answer_bill_advance, as words arrive --> answer_bill_settle
 *
 * It may be released with mem_deref at any time, but a bill that was marked must be settled
 * first.  Runs on the loop's thread.
 */
#ifndef SESSION_ANSWER_BILL_H
#define SESSION_ANSWER_BILL_H

#include <stdbool.h>
#include <stdint.h>

#include "account/caller.h"
#include "llm/llm.h"
#include "session/services.h"

/* Who pays, and where usage is recorded.  The ledger, the prices and the name must outlive the
 * bills. */
struct answer_billing {
	struct caller *caller; /* NULL: nobody; usage is recorded and costs nothing */
	struct usage_ledger *ledger; /* NULL: nothing is recorded */
	const struct prices *prices;
	const char *agent;
};

/* The final usage and cost of an answer. */
struct answer_cost {
	const char *ids[2]; /* the ids of the two rows */
	uint64_t tokens_in, tokens_out;
	bool is_estimated; /* at least one of the two counts is an estimate */
	bool is_known; /* the rows are durable, and there is a price */
	int64_t microcents;
	const char *currency; /* NULL: unknown */
};

struct answer_bill;

/* Called with the answer if permission was neither given nor refused at once (EINPROGRESS). */
typedef void(answer_bill_permit_h)(int err, const struct denied *denied, void *arg);

/* Requests permission.  0: it is given; EACCES with the denial: it is refused; EINPROGRESS: the
 * handler is called, unless the bill is released before; ENOMEM; EIO when no id can be made.  There
 * is a bill only after 0 and EINPROGRESS.  `billing` is copied, and a reference to its caller is
 * taken. */
int answer_bill_ask(struct answer_bill **billp, const struct answer_billing *billing,
		    struct denied *denied, answer_bill_permit_h *handler, void *arg);

/* Call it before the model is asked.  `characters` is the length of the newest words, `tokens_in`
 * the estimated size of the question, `max_tokens` the length of the longest answer (0: unknown).
 * False with the denial: the model must not be asked. */
bool answer_bill_begin(struct answer_bill *bill, const char *model, uint64_t characters,
		       uint32_t tokens_in, uint32_t max_tokens, struct denied *denied);

/* Call it when the model has been asked: the answer is booked as lost if the server dies. */
void answer_bill_mark(struct answer_bill *bill);

/* Counts more characters of the answer.  False with the denial: the account would be overdrawn by
 * more than a lease, and the answer must end. */
bool answer_bill_advance(struct answer_bill *bill, uint64_t characters, struct denied *denied);

/* Books the answer when it has ended.  An answer that failed costs nothing; otherwise the tokens
 * that were sent and generated are charged, even if the answer was cancelled.  `on_settled` is
 * called when the rows are durable (0) or when that is unknown (EIO), but never from inside this
 * call; it may be NULL.  Returns whether it will be called. */
typedef void(answer_bill_settled_h)(int err, const struct answer_cost *cost, void *arg);
bool answer_bill_settle(struct answer_bill *bill, enum usage_status status, const char *model,
			const struct llm_figures *figures, answer_bill_settled_h *on_settled,
			void *arg);

#endif
