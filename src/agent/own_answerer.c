/*
 * own_answerer.c: an answerer that is an agent of this server (see own_answerer.h).
 *
 * A conversation may reply while it is being asked, but a listener must not be called from inside
 * `ask`, so replies are collected and delivered when the running callback has ended.  They are the
 * replies of one callback, which reads at most 64 KiB from a language model.
 */
#include "agent/own_answerer.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/question.h"
#include "base/mem.h"
#include "session/peer.h"
#include "wire/engine_answer.h"
#include "wire/engine_reply.h"

#define WORDS_MAX (1024u * 1024u)
#define WHY_SIZE 256

/* What the conversation has replied and the listener has not been told. */
struct own_answerer_replies {
	struct buf words;
	bool is_final;
	bool has_failed; /* instead of the final */
	enum answerer_fault fault;
	bool is_closed; /* the last one */
	char why[WHY_SIZE];
};

struct own_answerer {
	struct answerer answerer;
	struct loop *loop;
	struct conversation_figures *totals;
	struct conversation *conversation;
	struct peer peer; /* this, as the conversation sees it */
	int64_t event_id;
	bool has_asked; /* event_id is valid */
	bool is_asked; /* a question has no answer yet */
	bool is_closed; /* by the conversation: nothing can be asked any more */
	unsigned round; /* changes with each question, drop and close */
	struct own_answerer_replies replies;
	struct deferred deferred;
};

/* Forgets what has not been delivered. */
static void own_answerer_forget(struct own_answerer *own)
{
	++own->round;
	own->is_asked = false;
	buf_reset(&own->replies.words);
	own->replies.is_final = own->replies.has_failed = false;
}

/* Each call of the listener may ask, drop or close, after which the rest is of no interest. */
static void own_answerer_deliver(void *arg)
{
	struct own_answerer *own = mem_ref(arg);
	const struct answerer *to = &own->answerer;
	struct own_answerer_replies replies = own->replies;
	unsigned round = own->round;

	own->replies = (struct own_answerer_replies){0};
	buf_init(&own->replies.words, WORDS_MAX);
	if (replies.words.len > 0)
		to->listener->words(to->arg, own->event_id, replies.words.bytes, replies.words.len);
	if (round == own->round && own->is_asked && (replies.is_final || replies.has_failed)) {
		own->is_asked = false;
		if (replies.has_failed)
			to->listener->failed(to->arg, own->event_id, replies.fault, replies.why);
		else
			to->listener->complete(to->arg, own->event_id);
	}
	/* It is told also if the listener has dropped the answer, but not if it has closed. */
	if (replies.is_closed && own->conversation)
		to->listener->closed(to->arg, replies.why);
	buf_reset(&replies.words);
	mem_deref(own);
}

static void own_answerer_fail(struct own_answerer *own, enum answerer_fault fault, const char *why,
			      size_t len)
{
	struct own_answerer_replies *replies = &own->replies;

	if (replies->has_failed)
		return;
	replies->has_failed = true;
	replies->fault = fault;
	snprintf(replies->why, sizeof(replies->why), "%.*s", len < WHY_SIZE ? (int)len : WHY_SIZE,
		 why);
}

/* The peer of the conversation */

static void own_answerer_on_send(void *peer, struct buf *message, uint64_t tag, uint32_t samples)
{
	static const char lost[] = "there is no memory for an answer";
	struct own_answerer *own = peer;
	struct engine_answer answer;

	(void)tag;
	(void)samples;
	if (engine_answer_parse(&answer, message->bytes, message->len) != 0)
		answer.kind = ENGINE_ANSWER_OTHER;
	if (answer.kind == ENGINE_ANSWER_ERROR)
		own_answerer_fail(own, ANSWERER_REFUSED, answer.reason, answer.reason_len);
	if (answer.kind == ENGINE_ANSWER_WORDS && answer.len > 0 &&
	    buf_append(&own->replies.words, answer.text, answer.len) != 0)
		own_answerer_fail(own, ANSWERER_STALLED, lost, sizeof(lost) - 1);
	if (answer.kind == ENGINE_ANSWER_WORDS && answer.is_final)
		own->replies.is_final = true;
	buf_reset(message);
	loop_defer(own->loop, &own->deferred, own_answerer_deliver, own);
}

/* The conversation drops only messages of its current answer, and there are no others. */
static uint64_t own_answerer_on_drop(void *peer, uint64_t tag)
{
	struct own_answerer *own = peer;

	(void)tag;
	buf_reset(&own->replies.words);
	own->replies.is_final = false;
	return 0;
}

/* Credit is used up, the key has ended, or a message was lost.  The first two have said so. */
static void own_answerer_on_close(void *peer, uint16_t code, const char *reason)
{
	struct own_answerer *own = peer;
	const char *why = reason ? reason : "the conversation is over";

	(void)code;
	if (own->is_closed)
		return;
	own->is_closed = true;
	own_answerer_fail(own, ANSWERER_STALLED, why, strlen(why));
	own->replies.is_closed = true;
	loop_defer(own->loop, &own->deferred, own_answerer_deliver, own);
}

static const struct peer_ops own_answerer_peer_ops = {
	.send = own_answerer_on_send,
	.drop = own_answerer_on_drop,
	.close = own_answerer_on_close,
};

/* Operations */

/* The conversation ignores a message that it has no memory for. */
static int own_answerer_tell(struct own_answerer *own, struct buf *message)
{
	struct conversation_figures before;
	struct conversation_figures after;

	conversation_figures(own->conversation, &before);
	conversation_message(own->conversation, message->bytes, message->len);
	conversation_figures(own->conversation, &after);
	return after.ignored > before.ignored ? ENOMEM : 0;
}

static int own_answerer_ask(struct answerer *answerer, int64_t event_id,
			    const struct answerer_said *said, size_t count)
{
	struct own_answerer *own = (struct own_answerer *)answerer;
	struct buf message;
	int err;

	assert(!own->has_asked || event_id > own->event_id);
	if (own->is_closed)
		return ENOTCONN;
	own_answerer_forget(own);
	buf_init(&message, QUESTION_MAX);
	err = question_write(&message, event_id, said, count);
	if (!err) {
		own->has_asked = own->is_asked = true;
		own->event_id = event_id;
		err = own_answerer_tell(own, &message);
	}
	if (err) { /* the answer before it is not wanted either */
		conversation_drop(own->conversation);
		own_answerer_forget(own);
	}
	buf_reset(&message);
	return err;
}

static void own_answerer_drop(struct answerer *answerer)
{
	struct own_answerer *own = (struct own_answerer *)answerer;

	own_answerer_forget(own);
	conversation_drop(own->conversation);
}

static void own_answerer_close(struct answerer *answerer)
{
	struct own_answerer *own = (struct own_answerer *)answerer;
	struct conversation_figures figures;

	own->is_closed = true;
	own_answerer_forget(own);
	conversation_hang_up(own->conversation);
	conversation_figures(own->conversation, &figures);
	if (own->totals)
		conversation_figures_add(own->totals, &figures);
	own->conversation = mem_deref(own->conversation);
	loop_undefer(own->loop, &own->deferred);
	mem_deref(own);
}

static const struct answerer_ops own_answerer_ops = {
	.ask = own_answerer_ask,
	.drop = own_answerer_drop,
	.close = own_answerer_close,
};

static void own_answerer_destroy(void *object)
{
	struct own_answerer *own = object;

	mem_deref(own->conversation);
	buf_reset(&own->replies.words);
}

static int own_answerer_begin(struct own_answerer *own, const struct own_answerer_options *options)
{
	const struct conversation_options how = {
		.timers = &options->loop->timers,
		.llm = options->llm,
		.agent = options->agent,
		.agent_name = options->agent_name,
		.peer = &own->peer,
		.log_texts = options->log_texts,
		.billing = options->billing,
		.sends_errors = true,
	};
	struct buf message;
	int err = conversation_alloc(&own->conversation, &how);

	if (err)
		return err;
	buf_init(&message, 4096);
	err = engine_say_init(&message, options->conversation_id);
	if (!err)
		err = own_answerer_tell(own, &message);
	buf_reset(&message);
	return err;
}

int own_answerer_alloc(struct answerer **answererp, const struct own_answerer_options *options,
		       const struct answerer_listener *listener, void *arg)
{
	struct own_answerer *own = mem_zalloc(sizeof(*own), own_answerer_destroy);
	int err;

	if (!own)
		return ENOMEM;
	own->answerer = (struct answerer){&own_answerer_ops, listener, arg};
	own->loop = options->loop;
	own->totals = options->totals;
	own->peer = (struct peer){.ops = &own_answerer_peer_ops, .peer = own};
	buf_init(&own->replies.words, WORDS_MAX);
	err = own_answerer_begin(own, options);
	if (err)
		mem_deref(own);
	else
		*answererp = &own->answerer;
	return err;
}
