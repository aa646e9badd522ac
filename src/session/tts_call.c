/*
 * tts_call.c: one text, spoken once (see tts_call.h).
 */
#include "session/tts_call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "session/turn_queue.h"

struct tts_call {
	struct session session; /* what turns lean on; nobody talks to it */
	struct turn_queue queue;
	struct settings settings;
	const struct tts_call_ops *ops;
	void *arg;
	char *text;
	size_t text_len;
	struct stream_fault fault; /* WIRE_ERROR_NONE: it has not failed */
	bool is_over; /* its owner was told */
};

static void tell_failed(struct tts_call *call, bool has_begun)
{
	if (call->is_over)
		return;
	call->is_over = true;
	call->ops->failed(call->arg, &call->fault, has_begun);
}

/* Blanks, emoji: an answer without a sample would be no audio file. */
static void nothing_to_say(struct tts_call *call)
{
	fault_set(&call->fault, WIRE_ERROR_INVALID_REQUEST, "text has nothing to say");
	tell_failed(call, false);
}

static void on_failed(void *arg, const struct wire_notice *notice)
{
	struct tts_call *call = arg;

	fault_set(&call->fault, notice->id, "%s", notice->detail ? notice->detail : "");
	call->fault.retry_s = notice->retry_s;
}

static void on_spoken(void *arg, struct turn *turn, unsigned flushes)
{
	struct tts_call *call = arg;
	struct turn_figures figures;
	struct reply_usage usage;

	(void)flushes;
	if (call->is_over)
		return;
	turn_figures(turn, &figures);
	if (turn_has_failed(turn) || turn_was_curtailed(turn, &call->fault)) {
		tell_failed(call, figures.samples > 0);
		return;
	}
	if (figures.samples == 0) {
		nothing_to_say(call);
		return;
	}
	call->is_over = true;
	turn_usage(turn, &usage);
	call->ops->done(call->arg, &usage);
}

static void on_empty(void *arg)
{
	(void)arg;
}

static const struct turn_queue_ops queue_ops = {
	.spoken = on_spoken,
	.empty = on_empty,
	.failed = on_failed,
};

void tts_call_begin(struct tts_call *call)
{
	int err;

	mem_ref(call); /* its owner may let it go when it is told */
	err = turn_queue_text(&call->queue, &call->settings, call->text, call->text_len,
			      call->text_len);
	if (err) {
		fault_set(&call->fault, WIRE_ERROR_INTERNAL, "%s", "");
		tell_failed(call, false);
	} else if (!turn_queue_end(&call->queue) && !call->is_over) {
		nothing_to_say(call);
	}
	mem_deref(call);
}

void tts_call_drained(struct tts_call *call)
{
	turn_queue_drained(&call->queue);
}

void tts_call_sent(struct tts_call *call, uint64_t tag)
{
	turn_queue_sent(&call->queue, tag);
}

static void call_destroy(void *object)
{
	struct tts_call *call = object;

	call->is_over = true;
	turn_queue_reset(&call->queue);
	session_reset(&call->session);
	settings_reset(&call->settings);
	free(call->text);
}

int tts_call_alloc(struct tts_call **callp, const struct tts_call_request *request,
		   const struct tts_call_ops *ops, void *arg)
{
	struct tts_call *call = mem_zalloc(sizeof(*call), NULL);
	struct turn_owner owner = {0};

	if (!call)
		return ENOMEM;
	call->text = malloc(request->text_len ? request->text_len : 1);
	if (!call->text) {
		mem_deref(call);
		return ENOMEM;
	}
	memcpy(call->text, request->text, request->text_len);
	call->text_len = request->text_len;
	call->ops = ops;
	call->arg = arg;
	session_init(&call->session, NULL, request->services, request->peer, request->request_id,
		     request->member);
	call->session.dialect = request->dialect;
	owner.session = &call->session;
	settings_copy(&call->settings, request->settings);
	call->settings.auto_mode = true;
	turn_queue_init(&call->queue, &owner, 1, &queue_ops, call);
	mem_set_destructor(call, call_destroy);
	*callp = call;
	return 0;
}
