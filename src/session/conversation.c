/*
 * conversation.c: one conversation of a speech engine (see conversation.h).
 *
 * The table below is the specification: an event that has no row has no meaning
 * in that state and changes nothing.  conversation_handle() is the only function that writes
 * the state; it moves first and acts second.
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

/* What the user is taken to have said when a history does not end with words of
 * theirs: engines send one after a long silence, and models want somebody to answer. */
static const char silence[] = "...";

typedef void(conversation_action)(struct conversation *conversation);

static conversation_action ask_leave, ask, say, say_again, say_all_again, wait_under_new_id, finish,
	hang_up;

static const struct conversation_row {
	enum conversation_state to;
	conversation_action *act; /* NULL: no such edge */
} table[CONVERSATION_STATE_COUNT][CONVERSATION_EVENT_COUNT] = {
	[CONVERSATION_IDLE] =
		{
			[CONVERSATION_EVENT_TURN] = {CONVERSATION_WAITING, ask_leave},
			[CONVERSATION_EVENT_HANG_UP] = {CONVERSATION_CLOSED, hang_up},
		},
	[CONVERSATION_WAITING] =
		{
			[CONVERSATION_EVENT_TURN] = {CONVERSATION_WAITING, ask_leave},
			[CONVERSATION_EVENT_RETRY] = {CONVERSATION_WAITING, wait_under_new_id},
			[CONVERSATION_EVENT_LEAVE] = {CONVERSATION_ASKED, ask},
			[CONVERSATION_EVENT_DENIED] = {CONVERSATION_SAID, conversation_refuse},
			[CONVERSATION_EVENT_HANG_UP] = {CONVERSATION_CLOSED, hang_up},
		},
	[CONVERSATION_ASKED] =
		{
			[CONVERSATION_EVENT_TURN] = {CONVERSATION_WAITING, ask_leave},
			[CONVERSATION_EVENT_RETRY] = {CONVERSATION_ASKED, wait_under_new_id},
			[CONVERSATION_EVENT_DENIED] = {CONVERSATION_SAID, conversation_refuse},
			[CONVERSATION_EVENT_WORDS] = {CONVERSATION_SPEAKING, say},
			[CONVERSATION_EVENT_DONE] = {CONVERSATION_SAID, finish},
			[CONVERSATION_EVENT_HANG_UP] = {CONVERSATION_CLOSED, hang_up},
		},
	[CONVERSATION_SPEAKING] =
		{
			[CONVERSATION_EVENT_TURN] = {CONVERSATION_WAITING, ask_leave},
			[CONVERSATION_EVENT_RETRY] = {CONVERSATION_SPEAKING, say_again},
			[CONVERSATION_EVENT_DENIED] = {CONVERSATION_SAID, conversation_cut_short},
			[CONVERSATION_EVENT_WORDS] = {CONVERSATION_SPEAKING, say},
			[CONVERSATION_EVENT_DONE] = {CONVERSATION_SAID, finish},
			[CONVERSATION_EVENT_HANG_UP] = {CONVERSATION_CLOSED, hang_up},
		},
	[CONVERSATION_SAID] =
		{
			[CONVERSATION_EVENT_TURN] = {CONVERSATION_WAITING, ask_leave},
			[CONVERSATION_EVENT_RETRY] = {CONVERSATION_SAID, say_all_again},
			[CONVERSATION_EVENT_HANG_UP] = {CONVERSATION_CLOSED, hang_up},
		},
};

static const char *const state_names[] = {
#define X(name) #name,
	CONVERSATION_STATES(X)
#undef X
};

static const char *const event_names[] = {
#define X(name) #name,
	CONVERSATION_EVENTS(X)
#undef X
};

const char *conversation_state_name(enum conversation_state state)
{
	return state_names[state];
}

const char *conversation_event_name(enum conversation_event event)
{
	return event_names[event];
}

bool conversation_edge(enum conversation_state *to, enum conversation_state from,
		       enum conversation_event event)
{
	*to = table[from][event].to;
	return table[from][event].act != NULL;
}

void conversation_handle(struct conversation *conversation, enum conversation_event event)
{
	const struct conversation_row *row = &table[conversation->state][event];

	if (!row->act)
		return;
	conversation->state = row->to;
	row->act(conversation);
}

static uint64_t now_us(const struct conversation *conversation)
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

/* From here on messages have the new turn's id, and those of the old one that
 * have not left never will. */
static void take_id(struct conversation *conversation)
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

static void on_words(const char *text, size_t len, void *arg)
{
	struct conversation *conversation = arg;

	conversation->words = text;
	conversation->words_len = len;
	conversation_handle(conversation, CONVERSATION_EVENT_WORDS);
}

static void on_done(enum llm_end end, const struct llm_figures *figures, void *arg)
{
	struct conversation *conversation = arg;

	conversation->answer_end = end;
	conversation->answer_figures = figures;
	conversation_handle(conversation, CONVERSATION_EVENT_DONE);
}

/* Counted when it happens: an answer may be given up before its end. */
static void on_failed(void *arg)
{
	struct conversation *conversation = arg;

	++conversation->figures.llm_errors;
	metrics_add(METRIC_LLM_ERRORS, 1);
}

static const struct llm_handlers llm_handlers = {
	.delta = on_words, .failed = on_failed, .done = on_done};

/* When the answer is over: only then is it known whose words they were. */
static void note_first(struct conversation *conversation)
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

/* Ends the current answer, or the wait for permission. */
void conversation_give_up(struct conversation *conversation)
{
	struct llm *llm = conversation->options.llm;
	struct llm_figures figures;

	if (conversation->answer) {
		llm->figures(&figures, conversation->answer);
		conversation->answer = mem_deref(conversation->answer);
		++conversation->figures.cancels;
		note_first(conversation);
		metrics_add_named(METRIC_LLM_ANSWERS, "cancelled", 1);
		conversation_settle(conversation, conversation_status_of_stopped(&figures),
				    &figures);
	}
	conversation->bill = mem_deref(conversation->bill);
	free(conversation->kept_turns);
	conversation->kept_turns = NULL;
	conversation->turns = NULL;
}

/* Without memory for a question, or with one that is too long: the sentence, so
 * that the caller hears one. */
static void say_sorry(struct conversation *conversation, int err)
{
	static const struct llm_figures none = {0};
	const char *sentence = llm_agent_sentence(conversation->options.agent);

	log_error("conversation", "%s: cannot ask: %s", conversation->id, strerror(err));
	on_failed(conversation);
	on_words(sentence, strlen(sentence), conversation);
	on_done(LLM_FALLBACK, &none, conversation);
}

static void log_text(const struct conversation *conversation, const char *who, const char *text,
		     size_t len)
{
	if (conversation->options.log_texts)
		log_info("conversation", "%s: %s: %.*s", conversation->id, who,
			 (int)(len < CONVERSATION_LOGGED_MAX ? len : CONVERSATION_LOGGED_MAX),
			 text);
}

static bool has_word(const struct llm_turn *turn)
{
	for (size_t i = 0; i < turn->len; ++i)
		if (!strchr(" \t\r\n", turn->text[i]))
			return true;
	return false;
}

/* Ends the history with words of the user's; gives how many turns that are. */
static size_t end_with_user(struct llm_turn *turns, size_t count)
{
	while (count > 0 && !has_word(&turns[count - 1]))
		--count;
	if (count == 0 || turns[count - 1].role != LLM_USER)
		turns[count++] = (struct llm_turn){LLM_USER, silence, sizeof(silence) - 1};
	return count;
}

static void on_leave(int err, const struct denied *denied, void *arg)
{
	struct conversation *conversation = arg;

	if (err)
		conversation->denied = *denied;
	conversation_handle(conversation,
			    err ? CONVERSATION_EVENT_DENIED : CONVERSATION_EVENT_LEAVE);
}

/* TURN: the old answer ends first, then permission is requested for the new one. */
static void ask_leave(struct conversation *conversation)
{
	const struct engine_message *message = conversation->message;
	size_t count = end_with_user(message->turns, message->turns_len);
	struct denied denied = {.why = DENIAL_LEDGER, .limit = -1};
	int err = 0;

	conversation_give_up(conversation);
	take_id(conversation);
	buf_reset(&conversation->kept);
	conversation->is_kept = true;
	conversation->print = message->print;
	conversation->asked_us = now_us(conversation);
	conversation->deltas = 0;
	conversation->turns = message->turns;
	conversation->turns_len = count;
	++conversation->figures.turns;
	log_text(conversation, "user", message->turns[count - 1].text,
		 message->turns[count - 1].len);
	if (conversation->options.payer)
		err = answer_bill_ask(&conversation->bill, &conversation->payer, &denied, on_leave,
				      conversation);
	if (err != EINPROGRESS)
		on_leave(err, &denied, conversation);
	else if (conversation_keep_turns(conversation) != 0)
		on_leave(ENOMEM, &denied, conversation);
}

/* LEAVE */
static void ask(struct conversation *conversation)
{
	int err;

	if (!conversation_may_ask(conversation)) {
		conversation_handle(conversation, CONVERSATION_EVENT_DENIED);
		return;
	}
	err = llm_ask(&conversation->answer, conversation->options.llm, conversation->options.agent,
		      conversation->turns, conversation->turns_len, &llm_handlers, conversation);
	free(conversation->kept_turns);
	conversation->kept_turns = NULL;
	conversation->turns = NULL;
	if (!err && conversation->bill) {
		answer_bill_mark(conversation->bill);
	} else if (err) {
		conversation->bill = mem_deref(conversation->bill); /* nothing was asked */
		say_sorry(conversation, err);
	}
}

/* WORDS.  While the peer does not read they are gathered: one message of many
 * words is little more than the words, many messages are. */
static void say(struct conversation *conversation)
{
	const char *words = conversation->words;
	size_t len = conversation->words_len;

	if (conversation->bill && !answer_bill_advance(conversation->bill, utf8_count(words, len),
						       &conversation->denied)) {
		conversation_handle(conversation, CONVERSATION_EVENT_DENIED);
		return;
	}
	if (conversation->deltas++ == 0)
		conversation->first_us = now_us(conversation);
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

/* RETRY while nothing was said: only the id changes. */
static void wait_under_new_id(struct conversation *conversation)
{
	take_id(conversation);
	++conversation->figures.retries;
}

static void say_again(struct conversation *conversation)
{
	wait_under_new_id(conversation);
	conversation_send_words(conversation, conversation->kept.bytes, conversation->kept.len);
}

static void say_all_again(struct conversation *conversation)
{
	say_again(conversation);
	conversation_send_final(conversation);
}

static void note_answer(struct conversation *conversation)
{
	struct conversation_figures *figures = &conversation->figures;
	const struct llm_figures *answer = conversation->answer_figures;
	enum llm_end end = conversation->answer_end;

	if (end != LLM_FALLBACK && end != LLM_SILENT)
		note_first(conversation);
	metrics_add_named(METRIC_LLM_ANSWERS, llm_end_name(end), 1);
	figures->fallbacks += end == LLM_FALLBACK || end == LLM_SILENT;
	figures->broken += end == LLM_BROKEN || end == LLM_CUT;
	log_debug("conversation", "%s: agent %s: %s, first word %u ms, %u ms, %u tokens, %u tries",
		  conversation->id, conversation->agent_name, llm_end_name(end),
		  answer->first_delta_ms, answer->whole_ms, answer->tokens_out, answer->tries);
}

/* Failures cost nothing: neither the fallback sentence, which is not the model's, nor an
 * answer that broke off. */
static enum usage_status conversation_status_of(enum llm_end end)
{
	return end == LLM_WHOLE || end == LLM_CUT ? USAGE_FINISHED : USAGE_FAILED;
}

static void finish(struct conversation *conversation)
{
	note_answer(conversation);
	conversation_settle(conversation, conversation_status_of(conversation->answer_end),
			    conversation->answer_figures);
	conversation->answer = mem_deref(conversation->answer);
	log_text(conversation, "agent", conversation->kept.bytes, conversation->kept.len);
	conversation_send_held(conversation);
	conversation_send_final(conversation);
	buf_trim(&conversation->kept); /* it may lie there until the user speaks */
}

static void hang_up(struct conversation *conversation)
{
	const struct peer *peer = conversation->options.peer;

	conversation_give_up(conversation);
	if (conversation->tag)
		peer->ops->drop(peer->peer, conversation->tag);
	buf_reset(&conversation->held);
	peer->ops->close(peer->peer, SESSION_CLOSE_NORMAL, NULL);
}

/* What the engine says */

/* Which event a transcript is; false: none. */
static bool judge(enum conversation_event *event, const struct conversation *conversation,
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

static void take_transcript(struct conversation *conversation, const struct engine_message *message)
{
	enum conversation_event event;

	if (!judge(&event, conversation, message)) {
		++conversation->figures.ignored;
		log_debug("conversation", "%s: event %s is repeated or outdated", conversation->id,
			  message->event.text);
		return;
	}
	conversation->message = message;
	conversation_handle(conversation, event);
	conversation->message = NULL;
}

/* Ids are looked for in logs: whatever is no part of a plain one is a '?'. */
static void keep_id(struct conversation *conversation, const struct engine_message *message)
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

/* Who sends pings and does not read must not fill our memory with pongs. */
static void send_pong(const struct conversation *conversation)
{
	struct buf message;

	if (!conversation->options.peer->is_full)
		conversation_send(conversation, &message,
				  engine_reply_pong(conversation_begin(conversation, &message)), 0);
}

static void take(struct conversation *conversation, const struct engine_message *message)
{
	switch (message->kind) {
	case ENGINE_INIT:
		keep_id(conversation, message);
		break;
	case ENGINE_TRANSCRIPT:
		take_transcript(conversation, message);
		break;
	case ENGINE_PING:
		send_pong(conversation);
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
		log_warn("conversation", "%s: agent %s: a message is passed over: %s",
			 conversation->id, conversation->agent_name, why);
		return;
	}
	take(conversation, &message);
	engine_message_reset(&message);
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

static void log_end(const struct conversation *conversation)
{
	const struct conversation_figures *figures = &conversation->figures;

	log_info("conversation",
		 "%s: over agent=%s seconds=%" PRIu64 " turns=%" PRIu64 " retries=%" PRIu64
		 " cancels=%" PRIu64 " first_ms=%" PRIu64 " first_ms_max=%" PRIu64
		 " tokens_in=%" PRIu64 " tokens_out=%" PRIu64 " llm_errors=%" PRIu64
		 " fallbacks=%" PRIu64 " broken=%" PRIu64,
		 conversation->id, conversation->agent_name,
		 (now_us(conversation) - conversation->began_us) / 1000000, figures->turns,
		 figures->retries, figures->cancels,
		 figures->firsts ? figures->first_ms_sum / figures->firsts : 0,
		 figures->first_ms_max, figures->tokens_in, figures->tokens_out,
		 figures->llm_errors, figures->fallbacks, figures->broken);
}

static void destroy(void *object)
{
	struct conversation *conversation = object;

	conversation_give_up(conversation);
	answer_receipts_reset(&conversation->receipts);
	log_end(conversation);
	mem_deref(conversation->options.agent);
	mem_deref(conversation->payer.member);
	buf_reset(&conversation->kept);
	buf_reset(&conversation->held);
}

int conversation_alloc(struct conversation **conversationp,
		       const struct conversation_options *options)
{
	struct conversation *conversation = mem_zalloc(sizeof(*conversation), destroy);

	if (!conversation)
		return ENOMEM;
	conversation->options = *options;
	mem_ref(options->agent);
	snprintf(conversation->agent_name, sizeof(conversation->agent_name), "%s",
		 options->agent_name);
	conversation->options.agent_name = NULL; /* the caller's may go */
	if (options->payer) {
		conversation->payer = *options->payer;
		conversation->payer.agent = conversation->agent_name;
		if (conversation->payer.member)
			mem_ref(conversation->payer.member);
	}
	answer_receipts_init(&conversation->receipts,
			     options->tells_usage ? conversation_on_receipt : NULL, conversation);
	snprintf(conversation->id, sizeof(conversation->id), "%s", "-");
	conversation->began_us = now_us(conversation);
	buf_init(&conversation->kept, CONVERSATION_KEPT_MAX);
	buf_init(&conversation->held, CONVERSATION_KEPT_MAX);
	*conversationp = conversation;
	return 0;
}
