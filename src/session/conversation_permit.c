/*
 * conversation_permit.c: permission to ask a conversation's model, and the cost of its answers
 * (see conversation_private.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "metrics/metrics.h"
#include "session/conversation_private.h"
#include "session/denial.h"
#include "session/session.h"
#include "wire/engine_reply.h"

void conversation_settle(struct conversation *conversation, enum usage_status status,
			 const struct llm_figures *figures)
{
	const char *model = llm_agent_model(conversation->options.agent, figures->is_other_model);
	struct answer_bill *bill = conversation->bill;

	metrics_add(METRIC_LLM_TOKENS_IN, figures->tokens_in);
	metrics_add(METRIC_LLM_TOKENS, figures->tokens_out);
	conversation->figures.tokens_in += figures->tokens_in;
	conversation->figures.tokens_out += figures->tokens_out;
	conversation->bill = NULL;
	if (bill)
		answer_receipts_settle(&conversation->receipts, bill, &conversation->event, status,
				       model, figures);
}

/* An answer is not charged to the caller if all of its requests to the model have failed so far. */
enum usage_status conversation_status_of_stopped(const struct llm_figures *figures)
{
	return figures->tries > 0 && figures->errors >= figures->tries ? USAGE_FAILED
								       : USAGE_CANCELLED;
}

int conversation_keep_turns(struct conversation *conversation)
{
	size_t size = conversation->turns_len * sizeof(struct llm_turn);
	struct llm_turn *copies;
	char *text;

	for (size_t i = 0; i < conversation->turns_len; ++i)
		size += conversation->turns[i].len;
	copies = malloc(size);
	if (!copies)
		return ENOMEM;
	text = (char *)(copies + conversation->turns_len);
	for (size_t i = 0; i < conversation->turns_len; ++i) {
		copies[i] = conversation->turns[i];
		copies[i].text = text;
		memcpy(text, conversation->turns[i].text, copies[i].len);
		text += copies[i].len;
	}
	conversation->kept_turns = conversation->turns = copies;
	return 0;
}

/* Counts the characters that the user has said since the agent's last answer; earlier ones were
 * counted before. */
static uint64_t conversation_permit_new_characters(const struct conversation *conversation)
{
	uint64_t count = 0;

	for (size_t i = conversation->turns_len; i > 0; --i) {
		const struct llm_turn *turn = &conversation->turns[i - 1];

		if (turn->role != LLM_USER)
			break;
		count += utf8_count(turn->text, turn->len);
	}
	return count;
}

bool conversation_may_ask(struct conversation *conversation)
{
	struct llm_agent *agent = conversation->options.agent;

	return !conversation->bill ||
	       answer_bill_begin(
		       conversation->bill, llm_agent_model(agent, false),
		       conversation_permit_new_characters(conversation),
		       llm_agent_estimate(agent, conversation->turns, conversation->turns_len),
		       llm_agent_max_tokens(agent), &conversation->denied);
}

static void conversation_permit_send_denial(struct conversation *conversation)
{
	struct stream_fault fault;
	struct wire_notice notice;
	struct buf message;

	denial_describe(&fault, &conversation->denied);
	notice = (struct wire_notice){
		.id = fault.id, .retry_s = fault.retry_s, .detail = fault.detail};
	log_info("conversation", "%s: agent %s: no answer: %s", conversation->id,
		 conversation->agent_name, wire_error_get(fault.id)->text);
	++conversation->figures.denied;
	if (conversation->options.sends_errors)
		conversation_send(conversation, &message,
				  engine_reply_error(conversation_begin(conversation, &message),
						     conversation->event.text, &notice),
				  conversation->tag);
}

/* Closes the connection if the caller cannot be served any more.  Other denials are temporary. */
static void conversation_permit_close_if_over(struct conversation *conversation)
{
	const struct peer *peer = conversation->options.peer;
	enum denial why = conversation->denied.why;

	if (!conversation->options.sends_errors)
		return;
	if (why == DENIAL_CREDIT)
		peer->ops->close(peer->peer, SESSION_CLOSE_NO_CREDIT, "Insufficient credits");
	else if (why == DENIAL_KEY)
		peer->ops->close(peer->peer, SESSION_CLOSE_KEY_ENDED, "Unauthorized");
}

/* DENIED before the model was asked.  Nothing is kept for a repetition, because the caller may have
 * permission when the same question is asked again. */
void conversation_refuse(struct conversation *conversation)
{
	const char *sentence = llm_agent_sentence(conversation->options.agent);

	conversation_give_up(conversation);
	conversation_permit_send_denial(conversation);
	conversation->is_kept = false;
	if (!conversation->options.sends_errors)
		conversation_send_words(conversation, sentence, strlen(sentence));
	conversation_send_final(conversation);
	conversation_permit_close_if_over(conversation);
}

/* DENIED in the middle of an answer: the words so far are sent, and charged. */
void conversation_cut_short(struct conversation *conversation)
{
	conversation_give_up(conversation);
	conversation_send_held(conversation);
	conversation_permit_send_denial(conversation);
	conversation->is_kept = false;
	conversation_send_final(conversation);
	conversation_permit_close_if_over(conversation);
}

/* Called when the rows of an answer are durable.  Its event may not be the newest one. */
void conversation_on_receipt(const char *event, const struct engine_usage *usage, void *arg)
{
	struct conversation *conversation = arg;
	struct buf message;

	if (conversation->state != CONVERSATION_CLOSED)
		conversation_send(conversation, &message,
				  engine_reply_usage(conversation_begin(conversation, &message),
						     event, usage),
				  0);
}
