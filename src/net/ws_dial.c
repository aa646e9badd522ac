/*
 * ws_dial.c: opens a WebSocket as a client, on the loop (see ws_dial.h).
 */
#include "net/ws_dial.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/buf.h"
#include "base/mem.h"
#include "net/ws_handshake.h"

#define HEAD_MAX 16384u /* of the request, and of the answer */
#define WHY_SIZE 512

struct ws_dial {
	struct loop *loop;
	const struct ws_handlers *handlers;
	ws_dial_h *done;
	void *arg;
	struct dialing *dialing; /* NULL: connected */
	struct stream *stream; /* NULL: not connected yet, or passed on to the WebSocket */
	struct timer timer; /* for the answer; the dialing has its own */
	uint64_t deadline_us;
	size_t message_max;
	struct url url; /* without its target */
	struct buf request;
	struct buf head; /* of the answer */
	char key[WS_KEY_SIZE];
};

static void ws_dial_close_stream(struct ws_dial *dial)
{
	if (!dial->stream)
		return;
	stream_set_handlers(dial->stream, NULL, NULL);
	stream_abort(dial->stream, 0);
	dial->stream = NULL;
}

/* Nothing may be done after this, because `done` may have released the dial. */
static void ws_dial_fail(struct ws_dial *dial, int err, const char *why)
{
	timer_clear(&dial->loop->timers, &dial->timer);
	ws_dial_close_stream(dial);
	dial->done(NULL, err, why, dial->arg);
}

/* For a connection that is open. */
static void ws_dial_fail_errno(struct ws_dial *dial, int err)
{
	char why[WHY_SIZE];

	url_explain(why, sizeof(why), &dial->url, err, true, dial->head.len > 0);
	ws_dial_fail(dial, err, why);
}

static void ws_dial_on_late(void *arg)
{
	ws_dial_fail_errno(arg, ETIMEDOUT);
}

/* The head is complete.  The rest of the bytes are frames, or the body of a refusal. */
static void ws_dial_take_answer(struct ws_dial *dial, const char *rest, size_t rest_len)
{
	char why[WHY_SIZE];
	struct ws *ws;
	int err = buf_append(&dial->head, "", 1);

	if (err) {
		ws_dial_fail_errno(dial, err);
		return;
	}
	err = ws_handshake_check(dial->head.bytes, dial->key, rest, rest_len, why, sizeof(why));
	if (err) {
		ws_dial_fail(dial, err, why);
		return;
	}
	err = ws_alloc(&ws, dial->stream, WS_CLIENT, dial->message_max, dial->handlers, dial->arg);
	if (err) {
		ws_dial_fail_errno(dial, err);
		return;
	}
	dial->stream = NULL;
	timer_clear(&dial->loop->timers, &dial->timer);
	if (ws_feed(ws, rest, rest_len) != 0)
		ws_abort(ws); /* what it has received is lost: to its owner, it breaks at once */
	dial->done(ws, 0, NULL, dial->arg);
}

static void ws_dial_on_read(void *arg, char *bytes, size_t n)
{
	struct ws_dial *dial = arg;
	size_t before = dial->head.len;
	size_t taken = n < HEAD_MAX - before ? n : HEAD_MAX - before;
	const char *end;
	size_t from = before > 3 ? before - 3 : 0; /* the end may have arrived in parts */
	int err = n == 0 ? ECONNRESET : buf_append(&dial->head, bytes, taken);

	if (err) {
		ws_dial_fail_errno(dial, err);
		return;
	}
	end = memmem(dial->head.bytes + from, dial->head.len - from, "\r\n\r\n", 4);
	if (end) {
		dial->head.len = (size_t)(end + 4 - dial->head.bytes);
		ws_dial_take_answer(dial, bytes + (dial->head.len - before),
				    n - (dial->head.len - before));
	} else if (dial->head.len == HEAD_MAX) {
		ws_dial_fail(dial, EPROTO, "the head of the server's answer is too long");
	}
}

static void ws_dial_on_closed(void *arg, int err)
{
	struct ws_dial *dial = arg;

	dial->stream = NULL;
	ws_dial_fail_errno(dial, err ? err : ECONNRESET);
}

static const struct stream_handlers ws_dial_stream_handlers = {.read = ws_dial_on_read,
							       .closed = ws_dial_on_closed};

static void ws_dial_on_connected(struct stream *stream, int err, const char *why, void *arg)
{
	struct ws_dial *dial = arg;
	uint64_t now_us = loop_now_us(dial->loop);
	struct outgoing *request;

	if (err) {
		ws_dial_fail(dial, err, why);
		return;
	}
	dial->dialing = mem_deref(dial->dialing);
	dial->stream = stream;
	stream_set_handlers(stream, &ws_dial_stream_handlers, dial);
	request = outgoing_take(&dial->request);
	stream_queue(stream, request);
	timer_set(&dial->loop->timers, &dial->timer,
		  dial->deadline_us > now_us ? dial->deadline_us - now_us : 0, ws_dial_on_late,
		  dial);
}

static void ws_dial_destroy(void *object)
{
	struct ws_dial *dial = object;

	timer_clear(&dial->loop->timers, &dial->timer);
	mem_deref(dial->dialing);
	ws_dial_close_stream(dial);
	buf_reset(&dial->request);
	buf_reset(&dial->head);
}

static int ws_dial_begin(struct ws_dial *dial, const struct ws_dial_options *options)
{
	uint8_t random[16];
	int err = url_parse(&dial->url, options->url);

	if (!err && getrandom(random, sizeof(random), 0) != sizeof(random))
		err = EIO;
	if (err)
		return err;
	ws_handshake_make_key(dial->key, random);
	err = ws_handshake_request(&dial->request, &dial->url, dial->key, options->headers);
	if (err)
		return err;
	err = dialer_dial(&dial->dialing, options->dialer, &dial->url, options->timeout_ms,
			  ws_dial_on_connected, dial);
	dial->url.target = NULL; /* it points into the caller's text, which may be freed */
	return err;
}

int ws_dial_start(struct ws_dial **dialp, const struct ws_dial_options *options, ws_dial_h *done,
		  void *arg)
{
	struct ws_dial *dial = mem_zalloc(sizeof(*dial), ws_dial_destroy);
	int err;

	if (!dial)
		return ENOMEM;
	dial->loop = dialer_loop(options->dialer);
	dial->handlers = options->handlers;
	dial->done = done;
	dial->arg = arg;
	dial->deadline_us = loop_now_us(dial->loop) + options->timeout_ms * UINT64_C(1000);
	dial->message_max = options->message_max;
	outgoing_init_buf(&dial->request, HEAD_MAX);
	buf_init(&dial->head, HEAD_MAX + 1); /* and a NUL */
	err = ws_dial_begin(dial, options);
	if (err)
		mem_deref(dial);
	else
		*dialp = dial;
	return err;
}
