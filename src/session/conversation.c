/*
 * conversation.c: one conversation of a speech engine (see conversation.h).
 *
 * The table below is the specification: an event that has no row has no meaning in that state and
 * changes nothing.  conversation_handle is the only function that writes the state; it changes the
 * state first and then calls the action.
 */
#include "session/conversation.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "metrics/metrics.h"
#include "session/conversation_private.h"
#include "session/session.h"
#include "wire/engine_message.h"
#include "wire/engine_reply.h"

/* What the user is assumed to have said if a history does not end with the user's words.  Engines
 * send such a history after a long silence, but models expect a message that they can answer. */
static const char conversation_silence[] = "...";

typedef void(conversation_action)(struct conversation *conversation);

static conversation_action conversation_ask_permit, conversation_ask_model, conversation_speak,
	conversation_repeat_answer, conversation_repeat_whole_answer, conversation_switch_id,
	conversation_finish, conversation_abandon, conversation_close;

static const struct conversation_row {
	enum conversation_state to;
	conversation_action *act; /* NULL: no such edge */
} conversation_table[CONVERSATION_STATE_COUNT][CONVERSATION_EVENT_COUNT] = {
	[CONVERSATION_IDLE] =
		{
			[CONVERSATION_EVENT_TURN] = {CONVERSATION_WAITING, conversation_ask_permit},
			[CONVERSATION_EVENT_HANG_UP] = {CONVERSATION_CLOSED, conversation_close},
		},
	[CONVERSATION_WAITING] =
		{
			[CONVERSATION_EVENT_TURN] = {CONVERSATION_WAITING, conversation_ask_permit},
			[CONVERSATION_EVENT_RETRY] = {CONVERSATION_WAITING, conversation_switch_id},
			[CONVERSATION_EVENT_PERMITTED] = {CONVERSATION_ASKED,
							  conversation_ask_model},
			[CONVERSATION_EVENT_DENIED] = {CONVERSATION_SAID, conversation_refuse},
			[CONVERSATION_EVENT_DROP] = {CONVERSATION_SAID, conversation_abandon},
			[CONVERSATION_EVENT_HANG_UP] = {CONVERSATION_CLOSED, conversation_close},
		},
	[CONVERSATION_ASKED] =
		{
			[CONVERSATION_EVENT_TURN] = {CONVERSATION_WAITING, conversation_ask_permit},
			[CONVERSATION_EVENT_RETRY] = {CONVERSATION_ASKED, conversation_switch_id},
			[CONVERSATION_EVENT_DENIED] = {CONVERSATION_SAID, conversation_refuse},
			[CONVERSATION_EVENT_WORDS] = {CONVERSATION_SPEAKING, conversation_speak},
			[CONVERSATION_EVENT_DONE] = {CONVERSATION_SAID, conversation_finish},
			[CONVERSATION_EVENT_DROP] = {CONVERSATION_SAID, conversation_abandon},
			[CONVERSATION_EVENT_HANG_UP] = {CONVERSATION_CLOSED, conversation_close},
		},
	[CONVERSATION_SPEAKING] =
		{
			[CONVERSATION_EVENT_TURN] = {CONVERSATION_WAITING, conversation_ask_permit},
			[CONVERSATION_EVENT_RETRY] = {CONVERSATION_SPEAKING,
						      conversation_repeat_answer},
			[CONVERSATION_EVENT_DENIED] = {CONVERSATION_SAID, conversation_cut_short},
			[CONVERSATION_EVENT_WORDS] = {CONVERSATION_SPEAKING, conversation_speak},
			[CONVERSATION_EVENT_DONE] = {CONVERSATION_SAID, conversation_finish},
			[CONVERSATION_EVENT_DROP] = {CONVERSATION_SAID, conversation_abandon},
			[CONVERSATION_EVENT_HANG_UP] = {CONVERSATION_CLOSED, conversation_close},
		},
	[CONVERSATION_SAID] =
		{
			[CONVERSATION_EVENT_TURN] = {CONVERSATION_WAITING, conversation_ask_permit},
			[CONVERSATION_EVENT_RETRY] = {CONVERSATION_SAID,
						      conversation_repeat_whole_answer},
			[CONVERSATION_EVENT_HANG_UP] = {CONVERSATION_CLOSED, conversation_close},
		},
};

static const char *const conversation_state_names[] = {
#define X(name) #name,
	CONVERSATION_STATES(X)
#undef X
};

static const char *const conversation_event_names[] = {
#define X(name) #name,
	CONVERSATION_EVENTS(X)
#undef X
};

const char *conversation_state_name(enum conversation_state state)
{
	return conversation_state_names[state];
}

const char *conversation_event_name(enum conversation_event event)
{
	return conversation_event_names[event];
}

bool conversation_edge(enum conversation_state *to, enum conversation_state from,
		       enum conversation_event event)
{
	*to = conversation_table[from][event].to;
	return conversation_table[from][event].act != NULL;
}

void conversation_handle(struct conversation *conversation, enum conversation_event event)
{
	const struct conversation_row *row = &conversation_table[conversation->state][event];

	if (!row->act)
		return;
	conversation->state = row->to;
	row->act(conversation);
}

static uint64_t conversation_now_us(const struct conversation *conversation)
{
	return conversation->options.timers->now_us;
}

/* Sending */

struct buf *conversation_begin(const struct conversation *conversation, struct buf *message)
{
	return peer_begin(conversation->options.peer, message);
}

void conversation_send(const struct conversation *conversation, struct buf *message, int err,
		       uint64_t tag)
{
	peer_send(conversation->options.peer, message, err, tag, 0);
	if (err)
		log_error("conversation", "%s: a message is lost: %s", conversation->id,
			  strerror(err));
}

void conversation_send_words(const struct conversation *conversation, const char *text, size_t len)
{
	struct buf message;

	if (len > 0)
		conversation_send(conversation, &message,
				  engine_reply_words(conversation_begin(conversation, &message),
						     conversation->event.text, text, len),
				  conversation->tag);
}

void conversation_send_held(struct conversation *conversation)
{
	conversation_send_words(conversation, conversation->held.bytes, conversation->held.len);
	buf_reset(&conversation->held);
}

void conversation_send_final(const struct conversation *conversation)
{
	struct buf message;

	conversation_send(conversation, &message,
			  engine_reply_final(conversation_begin(conversation, &message),
					     conversation->event.text),
			  conversation->tag);
}

/* Switches to the id of the new turn; messages with the old one that have not been sent are
 * dropped. */
static void conversation_take_id(struct conversation *conversation)
{
	const struct peer *peer = conversation->options.peer;

	if (conversation->tag)
		peer->ops->drop(peer->peer, conversation->tag);
	buf_reset(&conversation->held);
	++conversation->tag;
	conversation->event = conversation->message->event;
	if (conversation->event.is_number) {
		conversation->has_highest = true;
		conversation->highest = conversation->event.number;
	}
}

/* The model */

static void conversation_on_words(const char *text, size_t len, void *arg)
{
	struct conversation *conversation = arg;

	conversation->words = text;
	conversation->words_len = len;
	conversation_handle(conversation, CONVERSATION_EVENT_WORDS);
}

static void conversation_on_done(enum llm_end end, const struct llm_figures *figures, void *arg)
{
	struct conversation *conversation = arg;

	conversation->answer_end = end;
	conversation->answer_figures = figures;
	conversation_handle(conversation, CONVERSATION_EVENT_DONE);
}

/* Counted when it happens, because an answer may be cancelled before its end. */
static void conversation_on_failed(void *arg)
{
	struct conversation *conversation = arg;

	++conversation->figures.llm_errors;
	metrics_add(METRIC_LLM_ERRORS, 1);
}

static const struct llm_handlers conversation_llm_handlers = {.delta = conversation_on_words,
							      .failed = conversation_on_failed,
							      .done = conversation_on_done};

/* Called when the answer is over, because only then is it known whether the words were the
 * model's. */
static void conversation_note_first_word(struct conversation *conversation)
{
	struct conversation_figures *figures = &conversation->figures;
	uint64_t ms = (conversation->first_us - conversation->asked_us) / 1000;

	if (conversation->deltas == 0)
		return;
	metrics_observe(METRIC_LLM_FIRST, ms * UINT64_C(1000));
	++figures->firsts;
	figures->first_ms_sum += ms;
	if (ms > figures->first_ms_max)
		figures->first_ms_max = ms;
}

void conversation_give_up(struct conversation *conversation)
{
	struct llm *llm = conversation->options.llm;
	struct llm_figures figures;

	if (conversation->answer) {
		llm->figures(&figures, conversation->answer);
		conversation->answer = mem_deref(conversation->answer);
		++conversation->figures.cancels;
		conversation_note_first_word(conversation);
		metrics_add_named(METRIC_LLM_ANSWERS, "cancelled", 1);
		conversation_settle(conversation, conversation_status_of_stopped(&figures),
				    &figures);
	}
	conversation->bill = mem_deref(conversation->bill);
	free(conversation->kept_turns);
	conversation->kept_turns = NULL;
	conversation->turns = NULL;
}

/* Sends the fallback sentence, so that the user hears something if there is no memory for the
 * question or it is too long. */
static void conversation_send_fallback(struct conversation *conversation, int err)
{
	static const struct llm_figures none = {0};
	const char *sentence = llm_agent_sentence(conversation->options.agent);

	log_error("conversation", "%s: cannot ask: %s", conversation->id, strerror(err));
	conversation_on_failed(conversation);
	conversation_on_words(sentence, strlen(sentence), conversation);
	conversation_on_done(LLM_FALLBACK, &none, conversation);
}

static void conversation_log_text(const struct conversation *conversation, const char *who,
				  const char *text, size_t len)
{
	if (conversation->options.log_texts)
		log_info("conversation", "%s: %s: %.*s", conversation->id, who,
			 (int)(len < CONVERSATION_LOGGED_MAX ? len : CONVERSATION_LOGGED_MAX),
			 text);
}

static bool conversation_has_word(const struct llm_turn *turn)
{
	for (size_t i = 0; i < turn->len; ++i)
		if (!strchr(" \t\r\n", turn->text[i]))
			return true;
	return false;
}

/* Makes the history end with the user's words; returns the number of turns in it. */
static size_t conversation_end_with_user(struct llm_turn *turns, size_t count)
{
	while (count > 0 && !conversation_has_word(&turns[count - 1]))
		--count;
	if (count == 0 || turns[count - 1].role != LLM_USER)
		turns[count++] = (struct llm_turn){LLM_USER, conversation_silence,
						   sizeof(conversation_silence) - 1};
	return count;
}

static void conversation_on_permit(int err, const struct denied *denied, void *arg)
{
	struct conversation *conversation = arg;

	if (err)
		conversation->denied = *denied;
	conversation_handle(conversation,
			    err ? CONVERSATION_EVENT_DENIED : CONVERSATION_EVENT_PERMITTED);
}

/* TURN: the old answer ends first, then permission is requested for the new one. */
static void conversation_ask_permit(struct conversation *conversation)
{
	const struct engine_message *message = conversation->message;
	size_t count = conversation_end_with_user(message->turns, message->turns_len);
	struct denied denied = {.why = DENIAL_LEDGER, .limit = -1};
	int err = 0;

	conversation_give_up(conversation);
	conversation_take_id(conversation);
	buf_reset(&conversation->kept);
	conversation->is_kept = true;
	conversation->print = message->print;
	conversation->asked_us = conversation_now_us(conversation);
	conversation->deltas = 0;
	conversation->turns = message->turns;
	conversation->turns_len = count;
	++conversation->figures.turns;
	conversation_log_text(conversation, "user", message->turns[count - 1].text,
			      message->turns[count - 1].len);
	if (conversation->options.billing)
		err = answer_bill_ask(&conversation->bill, &conversation->billing, &denied,
				      conversation_on_permit, conversation);
	if (err != EINPROGRESS)
		conversation_on_permit(err, &denied, conversation);
	else if (conversation_keep_turns(conversation) != 0)
		conversation_on_permit(ENOMEM, &denied, conversation);
}

/* PERMITTED */
static void conversation_ask_model(struct conversation *conversation)
{
	int err;

	if (!conversation_may_ask(conversation)) {
		conversation_handle(conversation, CONVERSATION_EVENT_DENIED);
		return;
	}
	err = llm_ask(&conversation->answer, conversation->options.llm, conversation->options.agent,
		      conversation->turns, conversation->turns_len, &conversation_llm_handlers,
		      conversation);
	free(conversation->kept_turns);
	conversation->kept_turns = NULL;
	conversation->turns = NULL;
	if (!err && conversation->bill) {
		answer_bill_mark(conversation->bill);
	} else if (err) {
		conversation->bill = mem_deref(conversation->bill); /* the model was not asked */
		conversation_send_fallback(conversation, err);
	}
}

/* WORDS: sends them.  While the peer does not read they are collected, because one message with
 * many words is much smaller than many messages. */
static void conversation_speak(struct conversation *conversation)
{
	const char *words = conversation->words;
	size_t len = conversation->words_len;

	if (conversation->bill && !answer_bill_advance(conversation->bill, utf8_count(words, len),
						       &conversation->denied)) {
		conversation_handle(conversation, CONVERSATION_EVENT_DENIED);
		return;
	}
	if (conversation->deltas++ == 0)
		conversation->first_us = conversation_now_us(conversation);
	if (conversation->is_kept && buf_append(&conversation->kept, words, len) != 0) {
		buf_reset(&conversation->kept);
		conversation->is_kept = false;
	}
	if ((conversation->held.len > 0 || conversation->options.peer->is_full) &&
	    buf_append(&conversation->held, words, len) == 0)
		return;
	conversation_send_held(conversation);
	conversation_send_words(conversation, words, len);
}

void conversation_drained(struct conversation *conversation)
{
	conversation_send_held(conversation);
}

/* RETRY before any word was sent: only the id changes. */
static void conversation_switch_id(struct conversation *conversation)
{
	conversation_take_id(conversation);
	++conversation->figures.retries;
}

static void conversation_repeat_answer(struct conversation *conversation)
{
	conversation_switch_id(conversation);
	conversation_send_words(conversation, conversation->kept.bytes, conversation->kept.len);
}

static void conversation_repeat_whole_answer(struct conversation *conversation)
{
	conversation_repeat_answer(conversation);
	conversation_send_final(conversation);
}

static void conversation_note_answer(struct conversation *conversation)
{
	struct conversation_figures *figures = &conversation->figures;
	const struct llm_figures *answer = conversation->answer_figures;
	enum llm_end end = conversation->answer_end;

	if (end != LLM_FALLBACK && end != LLM_SILENT)
		conversation_note_first_word(conversation);
	metrics_add_named(METRIC_LLM_ANSWERS, llm_end_name(end), 1);
	figures->fallbacks += end == LLM_FALLBACK || end == LLM_SILENT;
	figures->broken += end == LLM_BROKEN || end == LLM_CUT;
	log_debug("conversation", "%s: agent %s: %s, first word %u ms, %u ms, %u tokens, %u tries",
		  conversation->id, conversation->agent_name, llm_end_name(end),
		  answer->first_delta_ms, answer->whole_ms, answer->tokens_out, answer->tries);
}

/* DONE: failures are free of charge.  Neither the fallback sentence, which is not the model's, nor
 * an answer that broke off costs anything. */
static void conversation_finish(struct conversation *conversation)
{
	enum llm_end end = conversation->answer_end;

	conversation_note_answer(conversation);
	conversation_settle(conversation,
			    end == LLM_WHOLE || end == LLM_CUT ? USAGE_FINISHED : USAGE_FAILED,
			    conversation->answer_figures);
	conversation->answer = mem_deref(conversation->answer);
	conversation_log_text(conversation, "agent", conversation->kept.bytes,
			      conversation->kept.len);
	conversation_send_held(conversation);
	conversation_send_final(conversation);
	buf_trim(&conversation->kept); /* it may be kept for a long time: until the user speaks */
}

/* DROP: if the same is asked again, the model is asked again, because only a part of the answer was
 * kept. */
static void conversation_abandon(struct conversation *conversation)
{
	const struct peer *peer = conversation->options.peer;

	conversation_give_up(conversation);
	if (conversation->tag)
		peer->ops->drop(peer->peer, conversation->tag);
	buf_reset(&conversation->held);
	buf_reset(&conversation->kept);
	conversation->is_kept = false;
}

static void conversation_close(struct conversation *conversation)
{
	const struct peer *peer = conversation->options.peer;

	conversation_abandon(conversation);
	peer->ops->close(peer->peer, SESSION_CLOSE_NORMAL, NULL);
}

/* Messages of the engine */

/* Determines which event a transcript is; false: none, so it is ignored. */
static bool conversation_classify(enum conversation_event *event,
				  const struct conversation *conversation,
				  const struct engine_message *message)
{
	const struct engine_event *id = &message->event;
	bool is_same_history =
		conversation->figures.turns > 0 && message->print == conversation->print;
	bool is_same_id = conversation->figures.turns > 0 && id->text[0] &&
			  (id->is_number ? conversation->event.is_number &&
						   conversation->event.number == id->number
					 : strcmp(id->text, conversation->event.text) == 0);

	*event = CONVERSATION_EVENT_TURN;
	if (is_same_id)
		return !is_same_history;
	if (!id->is_number || !conversation->has_highest)
		return true;
	if (id->number <= conversation->highest)
		return false;
	if (is_same_history && conversation->event.is_number && conversation->is_kept)
		*event = CONVERSATION_EVENT_RETRY;
	return true;
}

static void conversation_take_transcript(struct conversation *conversation,
					 const struct engine_message *message)
{
	enum conversation_event event;

	if (!conversation_classify(&event, conversation, message)) {
		++conversation->figures.ignored;
		log_debug("conversation", "%s: event %s is repeated or outdated", conversation->id,
			  message->event.text);
		return;
	}
	conversation->message = message;
	conversation_handle(conversation, event);
	conversation->message = NULL;
}

/* The id is logged, so characters that are unusual in an id are replaced by '?'. */
static void conversation_keep_id(struct conversation *conversation,
				 const struct engine_message *message)
{
	size_t len = message->conversation_id_len;

	if (len >= sizeof(conversation->id))
		len = sizeof(conversation->id) - 1;
	for (size_t i = 0; i < len; ++i) {
		char c = message->conversation_id[i];

		conversation->id[i] =
			(char)(isalnum((unsigned char)c) || strchr("_-.:", c) ? c : '?');
	}
	conversation->id[len] = '\0';
	log_debug("conversation", "%s: begins, agent %s", conversation->id,
		  conversation->agent_name);
}

static void conversation_receive(struct conversation *conversation,
				 const struct engine_message *message)
{
	struct buf pong;

	switch (message->kind) {
	case ENGINE_INIT:
		conversation_keep_id(conversation, message);
		break;
	case ENGINE_TRANSCRIPT:
		conversation_take_transcript(conversation, message);
		break;
	case ENGINE_PING:
		/* A peer that sends pings but does not read must not fill memory with pongs. */
		if (!conversation->options.peer->is_full)
			conversation_send(
				conversation, &pong,
				engine_reply_pong(conversation_begin(conversation, &pong)), 0);
		break;
	case ENGINE_ERROR:
		log_warn("conversation", "%s: the engine reports: %.*s", conversation->id,
			 (int)(message->reason_len < CONVERSATION_LOGGED_MAX
				       ? message->reason_len
				       : CONVERSATION_LOGGED_MAX),
			 message->reason ? message->reason : "");
		conversation_handle(conversation, CONVERSATION_EVENT_HANG_UP);
		break;
	case ENGINE_CLOSE:
		conversation_handle(conversation, CONVERSATION_EVENT_HANG_UP);
		break;
	case ENGINE_OTHER:
		++conversation->figures.ignored;
		break;
	}
}

void conversation_message(struct conversation *conversation, char *json, size_t len)
{
	struct engine_message message;
	const char *why;

	if (conversation->state == CONVERSATION_CLOSED)
		return;
	if (engine_message_parse(&message, &why, json, len) != 0) {
		++conversation->figures.ignored;
		log_warn("conversation", "%s: agent %s: a message is ignored: %s", conversation->id,
			 conversation->agent_name, why);
		return;
	}
	conversation_receive(conversation, &message);
	engine_message_reset(&message);
}

void conversation_drop(struct conversation *conversation)
{
	conversation_handle(conversation, CONVERSATION_EVENT_DROP);
}

void conversation_hang_up(struct conversation *conversation)
{
	conversation_handle(conversation, CONVERSATION_EVENT_HANG_UP);
}

/* Figures and the end */

void conversation_figures(const struct conversation *conversation,
			  struct conversation_figures *figures)
{
	*figures = conversation->figures;
}

void conversation_figures_add(struct conversation_figures *sum,
			      const struct conversation_figures *figures)
{
	sum->turns += figures->turns;
	sum->retries += figures->retries;
	sum->cancels += figures->cancels;
	sum->ignored += figures->ignored;
	sum->llm_errors += figures->llm_errors;
	sum->fallbacks += figures->fallbacks;
	sum->broken += figures->broken;
	sum->denied += figures->denied;
	sum->tokens_in += figures->tokens_in;
	sum->tokens_out += figures->tokens_out;
	sum->firsts += figures->firsts;
	sum->first_ms_sum += figures->first_ms_sum;
	if (figures->first_ms_max > sum->first_ms_max)
		sum->first_ms_max = figures->first_ms_max;
}

const char *conversation_id(const struct conversation *conversation)
{
	return conversation->id;
}

enum conversation_state conversation_state(const struct conversation *conversation)
{
	return conversation->state;
}

static void conversation_log_end(const struct conversation *conversation)
{
	const struct conversation_figures *figures = &conversation->figures;

	log_info("conversation",
		 "%s: over agent=%s seconds=%" PRIu64 " turns=%" PRIu64 " retries=%" PRIu64
		 " cancels=%" PRIu64 " first_ms=%" PRIu64 " first_ms_max=%" PRIu64
		 " tokens_in=%" PRIu64 " tokens_out=%" PRIu64 " llm_errors=%" PRIu64
		 " fallbacks=%" PRIu64 " broken=%" PRIu64,
		 conversation->id, conversation->agent_name,
		 (conversation_now_us(conversation) - conversation->began_us) / 1000000,
		 figures->turns, figures->retries, figures->cancels,
		 figures->firsts ? figures->first_ms_sum / figures->firsts : 0,
		 figures->first_ms_max, figures->tokens_in, figures->tokens_out,
		 figures->llm_errors, figures->fallbacks, figures->broken);
}

static void conversation_destroy(void *object)
{
	struct conversation *conversation = object;

	conversation_give_up(conversation);
	answer_receipts_reset(&conversation->receipts);
	conversation_log_end(conversation);
	mem_deref(conversation->options.agent);
	mem_deref(conversation->billing.caller);
	buf_reset(&conversation->kept);
	buf_reset(&conversation->held);
}

int conversation_alloc(struct conversation **conversationp,
		       const struct conversation_options *options)
{
	struct conversation *conversation = mem_zalloc(sizeof(*conversation), conversation_destroy);

	if (!conversation)
		return ENOMEM;
	conversation->options = *options;
	mem_ref(options->agent);
	snprintf(conversation->agent_name, sizeof(conversation->agent_name), "%s",
		 options->agent_name);
	conversation->options.agent_name = NULL; /* the function's caller may free its own */
	if (options->billing) {
		conversation->billing = *options->billing;
		conversation->billing.agent = conversation->agent_name;
		if (conversation->billing.caller)
			mem_ref(conversation->billing.caller);
	}
	answer_receipts_init(&conversation->receipts,
			     options->sends_usage ? conversation_on_receipt : NULL, conversation);
	snprintf(conversation->id, sizeof(conversation->id), "%s", "-");
	conversation->began_us = conversation_now_us(conversation);
	buf_init(&conversation->kept, CONVERSATION_KEPT_MAX);
	buf_init(&conversation->held, CONVERSATION_KEPT_MAX);
	*conversationp = conversation;
	return 0;
}
