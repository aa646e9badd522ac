/*
 * ws.c: a WebSocket connection over a stream (see ws.h).
 *
 * It ends in one of three ways: with the peer's close frame, which is echoed; with ours, after the
 * peer's answer or WS_CLOSE_MS; or with a failure, after which a close frame is sent and nothing
 * more is read.  All of them call stream_close, and the stream's `closed` handler frees the object.
 * Runs on the loop's thread.
 */
#include "net/ws.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "base/utf8.h"

/* Bytes that arrived together with the handshake, until the loop delivers them. */
struct ws_early {
	struct deferred deferred;
	size_t n;
	char bytes[];
};

struct ws {
	struct stream *stream;
	const struct ws_handlers *handlers;
	void *arg;
	struct ws_early *early;
	struct ws_codec codec;
	struct timer timer; /* for pings; after our close frame, the limit for the answer */
	uint64_t heard_us; /* when bytes last arrived */
	uint16_t code; /* of the first close frame; 0 if there was none yet */
	bool is_pinged; /* a ping was sent, and nothing has arrived since */
	bool is_paused; /* by ws_pause */
	bool has_sent_close;
	bool is_over; /* nothing more is read */
};

static struct timers *ws_timers(const struct ws *ws)
{
	return &stream_loop(ws->stream)->timers;
}

static void ws_send_frame(struct ws *ws, enum ws_opcode opcode, struct outgoing *message)
{
	uint8_t head[WS_HEAD_MAX];
	uint8_t mask[4];
	uint8_t *masked = NULL;

	if (ws->has_sent_close || ws->is_over) {
		outgoing_free(message);
		return;
	}
	if (ws->codec.role == WS_CLIENT) {
		if (getrandom(mask, sizeof(mask), 0) != sizeof(mask))
			memset(mask, 0, sizeof(mask));
		masked = mask;
		ws_codec_mask(outgoing_payload(message), message->len, mask, 0);
	}
	message->head = (uint8_t)ws_codec_head(head, opcode, message->len, masked);
	memcpy(outgoing_payload(message) - message->head, head, message->head);
	stream_queue(ws->stream, message);
}

/* Sends a control frame.  If there is no memory for it, the connection is closed. */
static void ws_send_control(struct ws *ws, enum ws_opcode opcode, const void *bytes, size_t len)
{
	struct outgoing *message = outgoing_copy(bytes, len);

	if (!message) {
		ws_abort(ws);
		return;
	}
	message->kind = OUTGOING_CONTROL;
	ws_send_frame(ws, opcode, message);
}

static void ws_send_close(struct ws *ws, uint16_t code, const char *reason)
{
	char body[WS_CONTROL_MAX + 1];
	size_t len = reason ? utf8_cut(reason, strlen(reason), WS_REASON_MAX) : 0;

	if (ws->has_sent_close)
		return;
	body[0] = (char)(code >> 8);
	body[1] = (char)(code & 0xff);
	snprintf(body + 2, sizeof(body) - 2, "%.*s", (int)len, reason ? reason : "");
	if (code == WS_CLOSE_NO_CODE)
		ws_send_control(ws, WS_OP_CLOSE, NULL, 0);
	else
		ws_send_control(ws, WS_OP_CLOSE, body, len + 2);
	ws->has_sent_close = true;
	if (ws->code == 0)
		ws->code = code;
}

static void ws_end(struct ws *ws)
{
	if (!ws->is_over && ws->handlers->ending)
		ws->handlers->ending(ws->arg);
	ws->is_over = true;
	timer_clear(ws_timers(ws), &ws->timer);
	stream_close(ws->stream);
}

static void ws_fail(struct ws *ws, uint16_t code)
{
	ws_send_close(ws, code, NULL);
	ws_end(ws);
}

/* Closes the connection to a peer that does not read its replies.  They are dropped, so that their
 * memory is freed at once and the close frame is the next thing that the peer can read. */
static void ws_end_overrun(struct ws *ws)
{
	static const char *const reason = "replies are not read";
	size_t bytes = stream_queued_memory(ws->stream, OUTGOING_REPLY);

	if (ws->is_over || ws->has_sent_close)
		return;
	stream_drop_replies(ws->stream);
	ws_send_close(ws, WS_CLOSE_POLICY, reason);
	if (ws->handlers->overrun)
		ws->handlers->overrun(ws->arg, bytes);
	ws_end(ws);
}

static void ws_answer_ping(struct ws *ws, const struct ws_event *event)
{
	/* The pongs are written first, so a peer that reads them may ping as often as it likes. */
	if (stream_queued_memory(ws->stream, OUTGOING_CONTROL) > WS_PONGS_MAX)
		stream_push(ws->stream);
	if (stream_queued_memory(ws->stream, OUTGOING_CONTROL) > WS_PONGS_MAX)
		ws_fail(ws, WS_CLOSE_POLICY);
	else
		ws_send_control(ws, WS_OP_PONG, event->bytes, event->len);
}

static void ws_on_event(struct ws *ws, const struct ws_event *event)
{
	switch (event->type) {
	case WS_TEXT:
	case WS_BINARY:
		/* A flood must be stopped within a single read, which can contain thousands
		 * of messages. */
		if (stream_is_overrun(ws->stream))
			ws_end_overrun(ws);
		else if (!ws->has_sent_close)
			ws->handlers->message(ws->arg, event->bytes, event->len,
					      event->type == WS_BINARY);
		break;
	case WS_PING:
		ws_answer_ping(ws, event);
		break;
	case WS_CLOSE:
		ws_send_close(ws, event->code, NULL);
		ws_end(ws);
		break;
	case WS_FAIL:
		ws_fail(ws, event->code);
		break;
	case WS_PONG: /* ws_on_read has already noted that bytes have arrived */
	case WS_MORE:
		break;
	}
}

static void ws_take(struct ws *ws, char *bytes, size_t n)
{
	while (!ws->is_over) {
		struct ws_event event = ws_codec_next(&ws->codec, &bytes, &n);

		if (event.type != WS_MORE) {
			ws_on_event(ws, &event);
			continue;
		}
		if (ws->handlers->came)
			ws->handlers->came(ws->arg);
		return;
	}
	ws_codec_reset(&ws->codec);
}

static void ws_take_early(void *arg)
{
	struct ws *ws = arg;
	struct ws_early *early = ws->early;

	ws->early = NULL;
	ws_take(ws, early->bytes, early->n);
	free(early);
}

static void ws_on_read(void *arg, char *bytes, size_t n)
{
	struct ws *ws = arg;

	if (ws->early) {
		loop_undefer(stream_loop(ws->stream), &ws->early->deferred);
		ws_take_early(ws);
	}
	if (ws->is_over)
		return;
	if (n == 0) {
		ws_end(ws);
		return;
	}
	ws->heard_us = loop_now_us(stream_loop(ws->stream));
	ws->is_pinged = false;
	ws_take(ws, bytes, n);
}

static void ws_on_stream_drained(void *arg)
{
	struct ws *ws = arg;

	if (ws->handlers->drained && !ws_is_closing(ws))
		ws->handlers->drained(ws->arg);
}

static void ws_on_filled(void *arg)
{
	struct ws *ws = arg;

	if (ws->handlers->filled)
		ws->handlers->filled(ws->arg);
}

static void ws_on_overrun(void *arg)
{
	ws_end_overrun(arg);
}

static void ws_on_stream_sent(void *arg, uint64_t tag)
{
	struct ws *ws = arg;

	if (ws->handlers->sent && !ws->is_over)
		ws->handlers->sent(ws->arg, tag);
}

static void ws_on_closed(void *arg, int err)
{
	struct ws *ws = arg;

	(void)err;
	timer_clear(ws_timers(ws), &ws->timer);
	if (ws->early)
		loop_undefer(stream_loop(ws->stream), &ws->early->deferred);
	ws->handlers->closed(ws->arg, ws->code ? ws->code : WS_CLOSE_ABNORMAL);
	mem_deref(ws);
}

static const struct stream_handlers stream_handlers = {
	.read = ws_on_read,
	.filled = ws_on_filled,
	.drained = ws_on_stream_drained,
	.overrun = ws_on_overrun,
	.sent = ws_on_stream_sent,
	.closed = ws_on_closed,
};

static void ws_on_timer(void *arg)
{
	struct ws *ws = arg;
	uint64_t now = loop_now_us(stream_loop(ws->stream));
	uint64_t due_us = ws->heard_us + WS_PING_MS * 1000u;

	if (ws->has_sent_close) {
		stream_abort(ws->stream, ETIMEDOUT);
		return;
	}
	/* While it is not read, silence does not mean that the client is gone. */
	if (ws->is_paused) {
		ws->heard_us = now;
		ws->is_pinged = false;
		due_us = now + WS_PING_MS * 1000u;
	}
	if (now >= due_us && ws->is_pinged) {
		ws->is_over = true;
		stream_abort(ws->stream, ETIMEDOUT);
		return;
	}
	if (now >= due_us) {
		ws_send_control(ws, WS_OP_PING, NULL, 0);
		ws->is_pinged = true;
		due_us = now + WS_PING_MS * 1000u;
	}
	timer_set(ws_timers(ws), &ws->timer, due_us - now, ws_on_timer, ws);
}

static void ws_destroy(void *object)
{
	struct ws *ws = object;

	free(ws->early);
	ws_codec_reset(&ws->codec);
}

int ws_alloc(struct ws **wsp, struct stream *stream, enum ws_role role, size_t message_max,
	     const struct ws_handlers *handlers, void *arg)
{
	struct ws *ws = mem_zalloc(sizeof(*ws), ws_destroy);

	if (!ws)
		return ENOMEM;
	ws->stream = stream;
	ws->handlers = handlers;
	ws->arg = arg;
	ws->heard_us = loop_now_us(stream_loop(stream));
	ws_codec_init(&ws->codec, role, message_max ? message_max : WS_MESSAGE_MAX);
	timer_set(ws_timers(ws), &ws->timer, WS_PING_MS * 1000u, ws_on_timer, ws);
	stream_set_handlers(stream, &stream_handlers, ws);
	*wsp = ws;
	return 0;
}

void ws_set_message_max(struct ws *ws, size_t message_max)
{
	ws_codec_set_message_max(&ws->codec, message_max);
}

size_t ws_held_bytes(const struct ws *ws)
{
	return ws->codec.message.size;
}

void ws_pause(struct ws *ws, bool pause)
{
	ws->is_paused = pause;
	stream_pause(ws->stream, pause);
}

void ws_set_read_max(struct ws *ws, size_t read_max)
{
	stream_set_read_max(ws->stream, read_max);
}

void ws_set_keyless(struct ws *ws, struct keyless_member *member)
{
	stream_set_keyless(ws->stream, member);
}

int ws_feed(struct ws *ws, const char *bytes, size_t n)
{
	struct ws_early *early;

	if (n == 0)
		return 0;
	early = malloc(sizeof(*early) + n);
	if (!early)
		return ENOMEM;
	early->deferred = (struct deferred){0};
	early->n = n;
	memcpy(early->bytes, bytes, n);
	ws->early = early;
	loop_defer(stream_loop(ws->stream), &early->deferred, ws_take_early, ws);
	return 0;
}

void ws_send_text(struct ws *ws, struct outgoing *message)
{
	ws_send_frame(ws, WS_OP_TEXT, message);
}

void ws_send_binary(struct ws *ws, struct outgoing *message)
{
	ws_send_frame(ws, WS_OP_BINARY, message);
}

uint64_t ws_drop(struct ws *ws, uint64_t tag)
{
	return stream_drop(ws->stream, tag);
}

bool ws_notify_when_sent(struct ws *ws, uint64_t tag)
{
	return stream_notify_when_sent(ws->stream, tag);
}

bool ws_is_closing(const struct ws *ws)
{
	return ws->has_sent_close || ws->is_over;
}

void ws_close(struct ws *ws, uint16_t code, const char *reason)
{
	if (ws->has_sent_close || ws->is_over)
		return;
	ws_send_close(ws, code, reason);
	if (ws->is_over)
		return;
	timer_set(ws_timers(ws), &ws->timer, WS_CLOSE_MS * 1000u, ws_on_timer, ws);
	ws_on_filled(ws);
}

void ws_evict(struct ws *ws, uint16_t code, const char *reason)
{
	if (!ws->is_over)
		ws_send_close(ws, code, reason);
	stream_push(ws->stream);
	ws->is_over = true;
	timer_clear(ws_timers(ws), &ws->timer);
	ws_codec_reset(&ws->codec);
	stream_evict(ws->stream, 0);
}

void ws_abort(struct ws *ws)
{
	ws->is_over = true;
	timer_clear(ws_timers(ws), &ws->timer);
	stream_abort(ws->stream, 0);
}
