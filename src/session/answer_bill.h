/*
 * answer_bill.h: what an answer of a language model may use, and what it costs whom.
 *
 * An answer is to its account what a turn of speech is: it counts as a request and as one
 * of the turns at once, its question's newest words count as characters, and it needs
 * credit.  What it has used are two rows of the ledger, of the tokens that the model was
 * asked with and of those that it answered.  They are marked before the model is asked,
 * so that an answer whose server dies is booked as lost, and booked once when it ends.
 *
 *   answer_bill_ask --> (later: leave) --> answer_bill_begin --> the model is asked
 *     --> answer_bill_mark --> answer_bill_advance, as words come --> answer_bill_settle
 *
 * mem_deref at any time; one that was marked is to have been settled before.  No socket, no
 * SQL; on the loop's thread.
 */
#ifndef SESSION_ANSWER_BILL_H
#define SESSION_ANSWER_BILL_H

#include <stdbool.h>
#include <stdint.h>

#include "account/member.h"
#include "llm/llm.h"
#include "session/services.h"

/* Who pays, and where it is written.  Lent: it outlives the bills. */
struct answer_payer {
	struct member *member; /* NULL: nobody; it is recorded and costs nothing */
	const struct ledger_ops *ledger_ops; /* NULL: nothing is recorded at all */
	void *ledger;
	const struct prices *prices;
	const char *agent;
};

/* What an answer has cost in the end, for whoever asked for it. */
struct answer_cost {
	const char *ids[2]; /* of the rows */
	uint64_t tokens_in, tokens_out;
	bool is_estimated; /* one of them, or both */
	bool is_known; /* durable, and there is a price */
	int64_t microcents;
};

struct answer_bill;

/* Leave came late (EINPROGRESS). */
typedef void(answer_bill_leave_h)(int err, const struct denied *denied, void *arg);

/* Asks for leave.  0; EACCES with the denial; EINPROGRESS: the handler hears it, unless the
 * bill ended before; ENOMEM, EIO. */
int answer_bill_ask(struct answer_bill **billp, const struct answer_payer *payer,
		    struct denied *denied, answer_bill_leave_h *handler, void *arg);

/* Before the model is asked: `characters` are those of the newest words, `tokens_in` what the
 * question is reckoned to have, `max_tokens` the longest answer (0: not known).  False with the
 * denial: it must not be asked. */
bool answer_bill_begin(struct answer_bill *bill, const char *model, uint64_t characters,
		       uint32_t tokens_in, uint32_t max_tokens, struct denied *denied);

/* The model has been asked: from now on the answer is in the ledger, as lost if we die. */
void answer_bill_mark(struct answer_bill *bill);

/* More characters came.  False with the denial: the account would be overdrawn by more than a
 * lease, and the answer must end. */
bool answer_bill_advance(struct answer_bill *bill, uint64_t characters, struct denied *denied);

/* How it has ended.  An answer that failed costs nothing; what else the model was asked for and
 * has said is charged, also when nobody waited for its end.  `told` hears when the rows are durable
 * (0), or that nobody knows yet (EIO); it is never called from inside.  NULL: nobody wants to
 * know.  False when it will not be called. */
typedef void(answer_bill_told_h)(int err, const struct answer_cost *cost, void *arg);
bool answer_bill_settle(struct answer_bill *bill, enum store_turn_status status, const char *model,
			const struct llm_figures *figures, answer_bill_told_h *told, void *arg);

#endif
