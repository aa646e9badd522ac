/*
 * answer_bill.h: what an answer of a language model may use, what it costs, and who pays.
 *
 * For its account, an answer is what a turn of speech is: it counts as a request and as one
 * of the turns at once, the newest words of its question count as characters, and it needs
 * credit.  Its usage is recorded in two rows of the ledger: the tokens sent to the model and
 * the tokens that it generated.  Both are marked before the model is asked, so that an
 * answer whose server dies is booked as lost, and are booked once when the answer ends.
 *
 *   answer_bill_ask --> (later: leave) --> answer_bill_begin --> the model is asked
 *     --> answer_bill_mark --> answer_bill_advance, as words come --> answer_bill_settle
 *
 * May be released with mem_deref at any time, but a bill that was marked must be settled
 * first.  No socket, no SQL; runs on the loop's thread.
 */
#ifndef SESSION_ANSWER_BILL_H
#define SESSION_ANSWER_BILL_H

#include <stdbool.h>
#include <stdint.h>

#include "account/member.h"
#include "llm/llm.h"
#include "session/services.h"

/* Who pays, and where usage is recorded.  Lent: it outlives the bills. */
struct answer_payer {
	struct member *member; /* NULL: nobody; usage is recorded and costs nothing */
	struct usage_ledger *ledger; /* NULL: nothing is recorded */
	const struct prices *prices;
	const char *agent;
};

/* The final usage and cost of an answer. */
struct answer_cost {
	const char *ids[2]; /* of the two rows */
	uint64_t tokens_in, tokens_out;
	bool is_estimated; /* at least one of the two counts */
	bool is_known; /* durable, and there is a price */
	int64_t microcents;
	const char *currency; /* NULL: not known */
};

struct answer_bill;

/* Called when permission was not given at once (EINPROGRESS). */
typedef void(answer_bill_leave_h)(int err, const struct denied *denied, void *arg);

/* Asks for permission.  0; EACCES with the denial; EINPROGRESS: the handler is called with
 * the answer, unless the bill is released before; ENOMEM, EIO. */
int answer_bill_ask(struct answer_bill **billp, const struct answer_payer *payer,
		    struct denied *denied, answer_bill_leave_h *handler, void *arg);

/* Called before the model is asked: `characters` are those of the newest words, `tokens_in`
 * is the estimated size of the question, `max_tokens` the longest answer (0: unknown).
 * False with the denial: the model must not be asked. */
bool answer_bill_begin(struct answer_bill *bill, const char *model, uint64_t characters,
		       uint32_t tokens_in, uint32_t max_tokens, struct denied *denied);

/* The model has been asked: from now on the answer is booked as lost if the server dies. */
void answer_bill_mark(struct answer_bill *bill);

/* More characters have arrived.  False with the denial: the account would be overdrawn by
 * more than a lease, and the answer must end. */
bool answer_bill_advance(struct answer_bill *bill, uint64_t characters, struct denied *denied);

/* Says how the answer ended.  An answer that failed costs nothing; otherwise the tokens sent
 * and generated are charged, even if nobody waited for the end.  `told` is called when the
 * rows are durable (0), or when that is not known (EIO), but never from inside this call;
 * NULL: no call.  False if it will not be called. */
typedef void(answer_bill_told_h)(int err, const struct answer_cost *cost, void *arg);
bool answer_bill_settle(struct answer_bill *bill, enum usage_status status, const char *model,
			const struct llm_figures *figures, answer_bill_told_h *told, void *arg);

#endif
