/*
 * remote_answerer.c: an answerer that asks a developer's server (see remote_answerer.h).
 *
 *   IDLE ─ ask ─> AWAITED ─ words ─> STREAMING ─ final ─> COMPLETE
 *
 * A final without words leads from AWAITED to COMPLETE, and words after a final back to STREAMING.
 * The next question, a drop and a failure end each of them.
 */
#include "agent/remote_answerer.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/question.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"

/* The wait before the second and the third connection.  The first time a connection is lost, it may
 * just have been an old one; then the server may be restarting. */
static const uint32_t remote_answerer_waits_ms[] = {0, 500};

enum remote_answerer_state {
	REMOTE_IDLE, /* nothing is wanted */
	REMOTE_AWAITED, /* a question has been asked, or will be when there is a connection */
	REMOTE_STREAMING, /* words have come, and more are expected */
	REMOTE_COMPLETE
};

struct remote_answerer {
	struct answerer answerer;
	struct loop *loop;
	struct upstream_socket_options options; /* pointers to the copies below, or NULL */
	char *url;
	char *conversation_id;
	char **headers;
	struct engine_token_keys keys;
	uint32_t cascade_ms;

	struct upstream_socket *socket; /* NULL: there is no connection */
	bool is_open;

	/* The current question. */
	enum remote_answerer_state state;
	int64_t event_id;
	bool has_asked; /* event_id is valid */
	unsigned attempts; /* to ask it */
	bool was_complete; /* it had a final, but words came after it */
	uint64_t tag; /* of its message, so that it can be dropped while it waits to be sent */
	struct buf question; /* its message, until words have come */
	struct timer answer_timer; /* for the first words, then for the next ones */
	struct timer wait_timer; /* until the next attempt to connect */
};

static struct timers *remote_answerer_timers(const struct remote_answerer *remote)
{
	return &remote->loop->timers;
}

/* Ends the current question; nothing more is delivered for it. */
static void remote_answerer_end(struct remote_answerer *remote)
{
	remote->state = REMOTE_IDLE;
	timer_clear(remote_answerer_timers(remote), &remote->answer_timer);
	timer_clear(remote_answerer_timers(remote), &remote->wait_timer);
	if (remote->is_open && remote->tag) /* there is no tag before the first question */
		upstream_socket_drop(remote->socket, remote->tag);
	buf_reset(&remote->question);
}

static void remote_answerer_hang_up(struct remote_answerer *remote)
{
	upstream_socket_close(remote->socket);
	remote->socket = NULL;
	remote->is_open = false;
}

/* The functions that call the listener do so last, because it may ask, drop or close. */

static void remote_answerer_fail(struct remote_answerer *remote, enum answerer_fault fault,
				 const char *why)
{
	remote_answerer_end(remote);
	remote->answerer.listener->failed(remote->answerer.arg, remote->event_id, fault, why);
}

static void remote_answerer_complete(struct remote_answerer *remote)
{
	timer_clear(remote_answerer_timers(remote), &remote->answer_timer);
	timer_clear(remote_answerer_timers(remote), &remote->wait_timer);
	buf_reset(&remote->question);
	remote->state = REMOTE_COMPLETE;
	remote->was_complete = true;
	remote->answerer.listener->complete(remote->answerer.arg, remote->event_id);
}

/* The rest of an answer does not come.  If it had been complete before, nothing is missing. */
static void remote_answerer_break_off(struct remote_answerer *remote, const char *why)
{
	if (remote->was_complete)
		remote_answerer_complete(remote);
	else
		remote_answerer_fail(remote, ANSWERER_STALLED, why);
}

/* Connections and attempts */

static void remote_answerer_on_lost(void *arg, const char *why);
static void remote_answerer_on_opened(void *arg);
static void remote_answerer_on_answer(void *arg, const struct engine_answer *answer);

static const struct upstream_socket_handlers remote_answerer_socket_handlers = {
	.opened = remote_answerer_on_opened,
	.answer = remote_answerer_on_answer,
	.lost = remote_answerer_on_lost,
};

static int remote_answerer_connect(struct remote_answerer *remote)
{
	return upstream_socket_open(&remote->socket, &remote->options,
				    &remote_answerer_socket_handlers, remote);
}

static void remote_answerer_on_wait(void *arg);

/* There is no connection for a question that waits for its first words. */
static void remote_answerer_try_later(struct remote_answerer *remote, const char *why)
{
	if (remote->attempts >= REMOTE_ANSWERER_ATTEMPTS) {
		remote_answerer_fail(remote, ANSWERER_UNREACHABLE, why);
		return;
	}
	log_info("answerer", "%s: attempt %u failed: %s", remote->conversation_id, remote->attempts,
		 why);
	timer_set(remote_answerer_timers(remote), &remote->wait_timer,
		  remote_answerer_waits_ms[remote->attempts - 1] * UINT64_C(1000),
		  remote_answerer_on_wait, remote);
}

static void remote_answerer_on_wait(void *arg)
{
	struct remote_answerer *remote = arg;
	int err;

	++remote->attempts;
	err = remote_answerer_connect(remote);
	if (err)
		remote_answerer_try_later(remote, strerror(err));
}

static int remote_answerer_send(struct remote_answerer *remote)
{
	return upstream_socket_send(remote->socket, remote->question.bytes, remote->question.len,
				    remote->tag);
}

/* Without memory for the message, the attempt has failed as without a connection. */
static void remote_answerer_on_opened(void *arg)
{
	struct remote_answerer *remote = arg;

	remote->is_open = true;
	if (remote->state == REMOTE_AWAITED && remote_answerer_send(remote) != 0) {
		remote_answerer_hang_up(remote);
		remote_answerer_try_later(remote, strerror(ENOMEM));
	}
}

static void remote_answerer_on_lost(void *arg, const char *why)
{
	struct remote_answerer *remote = arg;

	remote->socket = NULL;
	remote->is_open = false;
	switch (remote->state) {
	case REMOTE_AWAITED:
		remote_answerer_try_later(remote, why);
		break;
	case REMOTE_STREAMING:
		remote_answerer_break_off(remote, why);
		break;
	case REMOTE_IDLE:
	case REMOTE_COMPLETE:
		log_info("answerer", "%s: no connection: %s", remote->conversation_id, why);
		break;
	}
}

/* The first words did not come in time. */
static void remote_answerer_on_silence(void *arg)
{
	struct remote_answerer *remote = arg;
	bool was_open = remote->is_open;

	timer_clear(remote_answerer_timers(remote), &remote->wait_timer);
	remote_answerer_hang_up(remote);
	if (remote->attempts >= REMOTE_ANSWERER_ATTEMPTS) {
		if (was_open)
			remote_answerer_fail(remote, ANSWERER_SILENT,
					     "no words came in time, however often it was asked");
		else
			remote_answerer_fail(remote, ANSWERER_UNREACHABLE,
					     "there was no connection in time");
		return;
	}
	timer_set(remote_answerer_timers(remote), &remote->answer_timer,
		  remote->cascade_ms * UINT64_C(1000), remote_answerer_on_silence, remote);
	remote_answerer_on_wait(remote);
}

/* Answers */

static void remote_answerer_on_stall(void *arg)
{
	remote_answerer_break_off(arg, "the answer has no end");
}

/* An answer that is too late or was dropped has another id, or the state is IDLE. */
static bool remote_answerer_is_current(const struct remote_answerer *remote,
				       const struct engine_answer *answer)
{
	return remote->state != REMOTE_IDLE && answer->event.is_number &&
	       answer->event.number == remote->event_id;
}

static void remote_answerer_on_answer(void *arg, const struct engine_answer *answer)
{
	struct remote_answerer *remote = mem_ref(arg); /* the listener may close it */

	if (!remote_answerer_is_current(remote, answer)) {
		mem_deref(remote);
		return;
	}
	if (answer->len > 0) {
		remote->state = REMOTE_STREAMING;
		buf_reset(&remote->question);
	}
	if (remote->state == REMOTE_STREAMING)
		timer_set(remote_answerer_timers(remote), &remote->answer_timer,
			  REMOTE_ANSWERER_STALL_MS * UINT64_C(1000), remote_answerer_on_stall,
			  remote);
	if (answer->len > 0)
		remote->answerer.listener->words(remote->answerer.arg, remote->event_id,
						 answer->text, answer->len);
	if (answer->is_final && remote_answerer_is_current(remote, answer) &&
	    remote->state != REMOTE_COMPLETE)
		remote_answerer_complete(remote);
	mem_deref(remote);
}

/* Operations */

/* Errors of connecting are handled by the timer, because no listener may be called from here. */
static int remote_answerer_ask(struct answerer *answerer, int64_t event_id,
			       const struct answerer_said *said, size_t count)
{
	struct remote_answerer *remote = (struct remote_answerer *)answerer;
	int err;

	assert(!remote->has_asked || event_id > remote->event_id);
	remote_answerer_end(remote);
	err = question_write(&remote->question, event_id, said, count);
	++remote->tag;
	if (!err && remote->is_open)
		err = remote_answerer_send(remote);
	if (err) {
		buf_reset(&remote->question);
		return err;
	}
	remote->has_asked = true;
	remote->event_id = event_id;
	remote->state = REMOTE_AWAITED;
	remote->was_complete = false;
	remote->attempts = 1;
	timer_set(remote_answerer_timers(remote), &remote->answer_timer,
		  remote->cascade_ms * UINT64_C(1000), remote_answerer_on_silence, remote);
	if (!remote->socket) {
		err = remote_answerer_connect(remote);
		if (err)
			remote_answerer_try_later(remote, strerror(err));
	}
	return 0;
}

static void remote_answerer_drop(struct answerer *answerer)
{
	remote_answerer_end((struct remote_answerer *)answerer);
}

static void remote_answerer_close(struct answerer *answerer)
{
	struct remote_answerer *remote = (struct remote_answerer *)answerer;

	remote_answerer_end(remote);
	remote_answerer_hang_up(remote);
	mem_deref(remote);
}

static const struct answerer_ops remote_answerer_ops = {
	.ask = remote_answerer_ask,
	.drop = remote_answerer_drop,
	.close = remote_answerer_close,
};

static void remote_answerer_destroy(void *object)
{
	struct remote_answerer *remote = object;

	upstream_socket_close(remote->socket);
	for (char **header = remote->headers; header && *header; ++header)
		free(*header);
	free(remote->headers);
	free(remote->url);
	free(remote->conversation_id);
	explicit_bzero(&remote->keys, sizeof(remote->keys));
	buf_reset(&remote->question);
	mem_deref(remote->options.sockets);
}

static int remote_answerer_copy_headers(struct remote_answerer *remote, const char *const *headers)
{
	size_t count = 0;

	while (headers && headers[count])
		++count;
	if (count > UPSTREAM_HEADERS_MAX)
		return E2BIG;
	remote->headers = calloc(count + 1, sizeof(*remote->headers));
	if (!remote->headers)
		return ENOMEM;
	for (size_t i = 0; i < count; ++i) {
		remote->headers[i] = strdup(headers[i]);
		if (!remote->headers[i])
			return ENOMEM;
	}
	return 0;
}

static int remote_answerer_copy(struct remote_answerer *remote,
				const struct remote_answerer_options *options)
{
	uint32_t ms = options->cascade_timeout_ms ? options->cascade_timeout_ms
						  : REMOTE_ANSWERER_CASCADE_MS;

	remote->cascade_ms = ms < REMOTE_ANSWERER_CASCADE_MIN_MS   ? REMOTE_ANSWERER_CASCADE_MIN_MS
			     : ms > REMOTE_ANSWERER_CASCADE_MAX_MS ? REMOTE_ANSWERER_CASCADE_MAX_MS
								   : ms;
	remote->loop = upstream_sockets_loop(options->sockets);
	remote->url = strdup(options->url);
	remote->conversation_id = strdup(options->conversation_id);
	if (!remote->url || !remote->conversation_id)
		return ENOMEM;
	if (options->keys)
		remote->keys = *options->keys;
	remote->options.url = remote->url;
	remote->options.conversation_id = remote->conversation_id;
	remote->options.keys = options->keys ? &remote->keys : NULL;
	buf_init(&remote->question, QUESTION_MAX);
	return remote_answerer_copy_headers(remote, options->headers);
}

int remote_answerer_alloc(struct answerer **answererp,
			  const struct remote_answerer_options *options,
			  const struct answerer_listener *listener, void *arg)
{
	struct remote_answerer *remote = mem_zalloc(sizeof(*remote), remote_answerer_destroy);
	int err;

	if (!remote)
		return ENOMEM;
	remote->answerer = (struct answerer){&remote_answerer_ops, listener, arg};
	remote->options.sockets = mem_ref(options->sockets);
	err = remote_answerer_copy(remote, options);
	if (!err) {
		remote->options.headers = (const char *const *)remote->headers;
		err = remote_answerer_connect(remote);
	}
	if (err)
		mem_deref(remote);
	else
		*answererp = &remote->answerer;
	return err;
}
