/*
 * conversation_private.h: what the files of a conversation share.
 *
 *   conversation.c        its states, and the messages it receives and sends
 *   conversation_permit.c  permission to ask its model, and the cost of an answer
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
	const struct engine_message *message; /* NULL, except while it is being handled */
	struct engine_event event;
	bool has_highest;
	int64_t highest; /* the highest event_id so far, of those that are numbers */
	uint64_t print; /* the fingerprint of the turn's history */
	uint64_t asked_us;
	uint64_t tag; /* the tag of its messages, so that unsent ones can be dropped */
	struct llm_answer *answer;
	unsigned deltas;
	uint64_t first_us; /* when the first word arrived */
	const struct llm_figures *answer_figures; /* while DONE is handled */
	enum llm_end answer_end;
	const char *words; /* while WORDS is handled */
	size_t words_len;
	struct buf kept; /* all words of the answer, for a retry */
	bool is_kept; /* `kept` holds the whole answer */
	struct buf held; /* words that wait while the peer does not read */

	struct answer_billing billing;
	struct answer_bill *bill; /* the newest turn's; NULL: nobody pays, or it is settled */
	struct answer_receipts receipts;
	struct denied denied; /* while DENIED is handled */
	/* The newest turn's history: that of the message while it is being handled, then
	 * kept_turns while permission is pending. */
	struct llm_turn *turns;
	size_t turns_len;
	void *kept_turns; /* a copy of the history; NULL: none */
};

/* conversation.c */
void conversation_handle(struct conversation *conversation, enum conversation_event event);
/* peer_begin and peer_send; a message that could not be written (err) is logged. */
struct buf *conversation_begin(const struct conversation *conversation, struct buf *message);
void conversation_send(const struct conversation *conversation, struct buf *message, int err,
		       uint64_t tag);
void conversation_send_words(const struct conversation *conversation, const char *text, size_t len);
void conversation_send_held(struct conversation *conversation);
void conversation_send_final(const struct conversation *conversation);
/* Ends the current answer, or the wait for permission. */
void conversation_give_up(struct conversation *conversation);

/* conversation_permit.c */
/* Copies the newest turn's history, which must outlive the message; ENOMEM. */
int conversation_keep_turns(struct conversation *conversation);
/* After permission: checks credit and the length of the text.  If either fails, `denied` is
 * set. */
bool conversation_may_ask(struct conversation *conversation);
/* Books and counts what the model has used. */
void conversation_settle(struct conversation *conversation, enum usage_status status,
			 const struct llm_figures *figures);
enum usage_status conversation_status_of_stopped(const struct llm_figures *figures);
/* Handles DENIED, both before the model was asked and in the middle of its answer. */
void conversation_refuse(struct conversation *conversation);
void conversation_cut_short(struct conversation *conversation);
/* An answer's rows are durable. */
void conversation_on_receipt(const char *event, const struct engine_usage *usage, void *arg);

#endif
