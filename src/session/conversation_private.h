/*
 * conversation_private.h: what the files of a conversation share.
 *
 *   conversation.c        its states, what it hears and says
 *   conversation_leave.c  what it may ask its model, and what that costs
 */
#ifndef SESSION_CONVERSATION_PRIVATE_H
#define SESSION_CONVERSATION_PRIVATE_H

#include "session/answer_receipt.h"
#include "session/conversation.h"
#include "wire/engine_message.h"

#define CONVERSATION_NAME_SIZE 64
#define CONVERSATION_LOGGED_MAX 300 /* bytes of a text in the log */

struct conversation {
	enum conversation_state state;
	struct conversation_options options;
	char agent_name[CONVERSATION_NAME_SIZE];
	char id[CONVERSATION_ID_SIZE];
	uint64_t began_us;
	struct conversation_figures figures;

	/* The newest turn. */
	const struct engine_message *message; /* while it is being taken */
	struct engine_event event;
	bool has_highest;
	int64_t highest; /* of all event_ids that are numbers */
	uint64_t print; /* of its history */
	uint64_t asked_us;
	uint64_t tag; /* of its messages, so that they can be taken back */
	struct llm_answer *answer;
	unsigned deltas;
	uint64_t first_us; /* when there was one */
	const struct llm_figures *answer_figures; /* while DONE is handled */
	enum llm_end answer_end;
	const char *words; /* while WORDS is handled */
	size_t words_len;
	struct buf kept; /* all words of it, to be said again */
	bool is_kept; /* they fitted */
	struct buf held; /* the last of them, while the peer does not read */

	struct answer_payer payer;
	struct answer_bill *bill; /* of the newest turn; NULL: nobody pays, or it is settled */
	struct answer_receipts receipts;
	struct denied denied; /* while DENIED is handled */
	/* The newest turn's history: while its message is being taken, or, when leave is
	 * waited for, a copy. */
	struct llm_turn *turns;
	size_t turns_len;
	void *kept_turns; /* the copy */
};

/* conversation.c */
void conversation_handle(struct conversation *conversation, enum conversation_event event);
/* The scratch buffer, empty; and sends what was written into it, unless err. */
struct buf *conversation_scratch(const struct conversation *conversation);
void conversation_send(const struct conversation *conversation, uint64_t tag, int err);
void conversation_send_words(const struct conversation *conversation, const char *text, size_t len);
void conversation_send_held(struct conversation *conversation);
void conversation_send_final(const struct conversation *conversation);
/* Ends the answer that runs, and the waiting for leave. */
void conversation_give_up(struct conversation *conversation);

/* conversation_leave.c */
/* A copy of the newest turn's history, for when its message has gone; ENOMEM. */
int conversation_keep_turns(struct conversation *conversation);
/* With leave: is there credit, too, and room for its text?  Else `denied` is set. */
bool conversation_may_ask(struct conversation *conversation);
/* What the model has used is booked, and counted. */
void conversation_settle(struct conversation *conversation, enum store_turn_status status,
			 const struct llm_figures *figures);
enum store_turn_status conversation_status_of_stopped(const struct llm_figures *figures);
/* DENIED, before the model was asked and in the middle of its answer. */
void conversation_refuse(struct conversation *conversation);
void conversation_cut_short(struct conversation *conversation);
/* An answer's rows are durable. */
void conversation_on_receipt(const char *event, const struct engine_usage *usage, void *arg);

#endif
