/*
 * tts_stream.c: the kind of session with one stream of text, in turns (see tts_stream.h).
 */
#include "session/tts_stream.h"

#include <errno.h>
#include <stdio.h>

#include "base/log.h"
#include "base/mem.h"
#include "session/finished_turn.h"
#include "session/turn_queue.h"

/* Every idle connection has one, so its fields are ordered to leave no gaps. */
struct tts_stream {
	struct session session;
	struct turn_queue queue;
	/* The high half of a surrogate pair with which the last text ended; 0: none. */
	uint16_t surrogate;
	/* How many `interrupted` are sent after the session_closed that is awaited. */
	unsigned interrupted_due;
	unsigned idle_ms; /* the connection closes after this time without messages; 0: never */
	bool is_flooded; /* it closes because of too many cancels */
	bool is_report_due; /* the last of those `interrupted` reports what was heard */
	/* For that report: how much the client says it has played; -1: unknown. */
	int64_t due_playback_ms;
	struct finished_turn *last; /* the turn that ended last, until the next one begins */
	struct timer idle_timer;
};

static struct tts_stream *tts_stream_of(struct session *session)
{
	return SESSION_OBJECT(session, struct tts_stream, &tts_stream_ops);
}

static struct timers *tts_stream_timers_of(const struct tts_stream *stream)
{
	return stream->session.services->timers;
}

/* The code with which the connection closes after this error; 0: it stays open. */
static uint16_t tts_stream_code_after(const struct tts_stream *stream, enum wire_error_id id)
{
	return stream->session.api->error_code ? stream->session.api->error_code
					       : wire_error_close_code(id);
}

static void tts_stream_close_now(struct tts_stream *stream, uint16_t code)
{
	if (stream->session.closed)
		return;
	stream->session.closed = true;
	stream->session.close_code = code;
	timer_clear(tts_stream_timers_of(stream), &stream->idle_timer);
	if (stream->is_flooded)
		session_close_because(&stream->session, code, "too many commands at once");
	else
		session_close(&stream->session, code);
}

/* An error was sent: some errors close the connection, and on some endpoints all do. */
static void tts_stream_close_after_error(struct tts_stream *stream, enum wire_error_id id)
{
	uint16_t code = tts_stream_code_after(stream, id);

	if (code)
		tts_stream_close_now(stream, code);
}

static void tts_stream_refuse(struct tts_stream *stream, enum wire_error_id id, const char *detail)
{
	if (stream->session.api->error_code)
		turn_queue_cancel(&stream->queue);
	session_send_error(&stream->session, NULL, id, detail);
	tts_stream_close_after_error(stream, id);
}

static void tts_stream_on_refuse(struct session *session, enum wire_error_id id, const char *detail)
{
	tts_stream_refuse(tts_stream_of(session), id, detail);
}

static void tts_stream_send_report(struct tts_stream *stream, const struct turn_heard *heard,
				   const struct reply_usage *usage)
{
	const struct reply_interruption report = {
		.usage = usage,
		.text_spoken = heard->text_spoken,
		.text_spoken_len = heard->text_spoken_len,
		.text_remaining = heard->text_remaining,
		.text_remaining_len = heard->text_remaining_len,
		.audio_seconds = heard->audio_seconds,
	};

	session_send_interrupted(&stream->session, NULL, &report);
}

static void tts_stream_report_turn(struct tts_stream *stream, struct turn *turn,
				   int64_t playback_ms)
{
	struct turn_heard heard;
	struct reply_usage usage;

	turn_cancel(turn);
	turn_heard(turn, &heard, playback_ms);
	turn_usage(turn, &usage);
	tts_stream_send_report(stream, &heard, &usage);
}

static void tts_stream_report_last(struct tts_stream *stream, int64_t playback_ms)
{
	struct turn_heard heard;
	struct reply_usage usage;

	if (!stream->last) {
		session_send_interrupted(&stream->session, NULL, NULL);
		return;
	}
	finished_turn_heard(stream->last, &heard, stream->session.services->timers->now_us,
			    playback_ms);
	finished_turn_usage(stream->last, &usage);
	session_describe_price(&stream->session, &usage);
	tts_stream_send_report(stream, &heard, &usage);
}

/* Answers a flush or a close when there is no turn. */
static void tts_stream_send_nothing_said(struct tts_stream *stream, bool with_final)
{
	struct reply_totals totals = {0};
	struct reply_usage usage = {.model_id = stream->session.settings.model_id,
				    .cost_known = true};
	struct session *session = &stream->session;
	const struct dialect *dialect = session->dialect;
	struct buf message;

	session_describe_price(session, &usage);
	if (with_final && dialect->final)
		session_send(session, &message,
			     dialect->final(session_begin(session, &message), NULL, &totals));
	if (dialect->closed)
		session_send(session, &message,
			     dialect->closed(session_begin(session, &message), &totals, &usage));
}

static void tts_stream_close_if_done(struct tts_stream *stream)
{
	if (stream->session.close_code && stream->queue.turns.count == 0)
		tts_stream_close_now(stream, stream->session.close_code);
}

/* Remembers a turn that was spoken to its end; without memory it is not remembered. */
static void tts_stream_remember(struct tts_stream *stream, struct turn *turn)
{
	stream->last = mem_deref(stream->last);
	if (turn_is_finished(turn) && finished_turn_alloc(&stream->last, turn) != 0)
		stream->last = NULL;
}

static void tts_stream_send_due(struct tts_stream *stream)
{
	for (; stream->interrupted_due > 0; --stream->interrupted_due) {
		if (stream->interrupted_due == 1 && stream->is_report_due)
			tts_stream_report_last(stream, stream->due_playback_ms);
		else
			session_send_interrupted(&stream->session, NULL, NULL);
	}
	stream->is_report_due = false;
}

/* A flush without text needs no separate answer: the last messages of the previous turn answer
 * it. */
static void tts_stream_on_spoken(void *arg, struct turn *turn, unsigned flushes)
{
	struct tts_stream *stream = arg;
	struct stream_fault fault;

	(void)flushes;
	tts_stream_remember(stream, turn);
	tts_stream_send_due(stream);
	if (turn_was_curtailed(turn, &fault) && !stream->session.closed) {
		session_send_fault(&stream->session, NULL, &fault);
		if (tts_stream_code_after(stream, fault.id))
			stream->session.close_code = tts_stream_code_after(stream, fault.id);
	}
	if (stream->session.close_code && stream->session.close_code != SESSION_CLOSE_NORMAL)
		turn_queue_cancel(&stream->queue);
}

static void tts_stream_on_empty(void *arg)
{
	tts_stream_close_if_done(arg);
}

/* Called from inside the turn that fails, before it is removed. A turn that fails while it is
 * created is not in the queue yet: its error is sent when it comes to the front, and
 * tts_stream_take_text then closes the connection. */
static void tts_stream_on_failed(void *arg, const struct wire_notice *notice)
{
	struct tts_stream *stream = arg;
	uint16_t code = tts_stream_code_after(stream, notice->id);

	if (stream->queue.turns.count > 0)
		tts_stream_close_after_error(stream, notice->id);
	else if (code)
		stream->session.close_code = code;
}

static const struct turn_queue_ops tts_stream_queue_ops = {.spoken = tts_stream_on_spoken,
							   .empty = tts_stream_on_empty,
							   .failed = tts_stream_on_failed};

static void tts_stream_on_idle(void *arg);

static void tts_stream_listen_on(struct tts_stream *stream)
{
	if (stream->idle_ms)
		timer_set(tts_stream_timers_of(stream), &stream->idle_timer,
			  stream->idle_ms * UINT64_C(1000), tts_stream_on_idle, stream);
}

/* A client that listens to a long text need not send anything meanwhile. */
static void tts_stream_on_idle(void *arg)
{
	struct tts_stream *stream = arg;
	const struct turn *turn = turn_queue_front(&stream->queue);

	if (turn && turn_is_busy(turn))
		tts_stream_listen_on(stream);
	else
		tts_stream_refuse(stream, WIRE_ERROR_INPUT_TIMEOUT, NULL);
}

static void tts_stream_take_text(struct tts_stream *stream, const char *text, size_t len)
{
	size_t unspoken = turn_queue_unspoken(&stream->queue);
	size_t room = unspoken < TTS_STREAM_UNSPOKEN_MAX ? TTS_STREAM_UNSPOKEN_MAX - unspoken : 0;
	size_t turns = stream->queue.turns.count;
	uint16_t close_code = stream->session.close_code;
	int err = turn_queue_text(&stream->queue, &stream->session.settings, text, len, room);

	if (stream->queue.turns.count > turns)
		stream->last = mem_deref(stream->last);
	if (stream->session.close_code != close_code &&
	    !stream->session.closed) { /* tts_stream_on_failed has set it */
		turn_queue_cancel(&stream->queue);
		tts_stream_close_now(stream, stream->session.close_code);
	}
	if (err)
		tts_stream_refuse(stream,
				  err == ENOBUFS ? WIRE_ERROR_TOO_MANY_TURNS : WIRE_ERROR_INTERNAL,
				  NULL);
}

static void tts_stream_end_turn(struct tts_stream *stream, bool is_flush)
{
	bool has_turn = turn_queue_front(&stream->queue) != NULL;

	turn_queue_end(&stream->queue);
	if (!has_turn && !stream->session.closed)
		tts_stream_send_nothing_said(stream, is_flush);
	/* A turn that takes no more text answers this with its own last messages. */
}

/* Barge-in: cancels all turns with one reply. A turn whose `final` was sent gets its
 * session_closed first. */
static void tts_stream_cancel(struct tts_stream *stream, const struct stream_message *message)
{
	struct turn *turn = turn_queue_front(&stream->queue);

	stream->surrogate = 0;
	if (turn && turn_state(turn) == TURN_BOOKING) {
		turn_queue_cancel_waiting(&stream->queue);
		++stream->interrupted_due;
		if (stream->interrupted_due == SESSION_PENDING_MAX) {
			log_warn("session", "closed with 1008: %u cancels of one turn, request=%s",
				 SESSION_PENDING_MAX, stream->session.request_id);
			stream->is_flooded = true;
			/* It closes after the replies that are due. */
			stream->session.close_code = SESSION_CLOSE_POLICY;
		}
		stream->is_report_due = message->report;
		stream->due_playback_ms = message->playback_offset_ms;
		return;
	}
	if (turn)
		stream->last = mem_deref(stream->last); /* the current turn was heard last */
	if (turn && message->report) {
		tts_stream_report_turn(stream, turn, message->playback_offset_ms);
		turn_queue_cancel(&stream->queue);
	} else if (message->report) {
		tts_stream_report_last(stream, message->playback_offset_ms);
	} else {
		turn_queue_cancel(&stream->queue);
		session_send_interrupted(&stream->session, NULL, NULL);
	}
	tts_stream_close_if_done(stream);
}

/* Speaks the text so far without ending the turn. */
static void tts_stream_emit(struct tts_stream *stream, const struct stream_message *message)
{
	struct turn *turn = turn_queue_open(&stream->queue);

	if (turn && message->emit)
		turn_flush(turn);
	else if (turn && message->trigger)
		turn_release(turn);
}

/* A message may have several roles; they are applied in this order. */
static void tts_stream_apply(struct tts_stream *stream, const struct stream_message *message)
{
	settings_merge(&stream->session.settings, &message->settings);
	if (message->has_update)
		session_update_settings(&stream->session, &message->update);
	if (message->cancel)
		tts_stream_cancel(stream, message);
	if (message->has_text) {
		tts_stream_take_text(stream, message->text, message->text_len);
		stream->surrogate = message->text_surrogate;
	}
	tts_stream_emit(stream, message);
	if (message->flush || message->close || message->close_socket) {
		/* Half of a surrogate pair that was never completed counts as a character. */
		if (stream->surrogate)
			tts_stream_take_text(stream, "\xef\xbf\xbd", 3);
		stream->surrogate = 0;
		tts_stream_end_turn(stream, message->flush);
	}
	if (message->close_socket) {
		stream->session.close_code = SESSION_CLOSE_NORMAL;
		tts_stream_close_if_done(stream);
	}
}

/* A connection that closes after an error ignores further messages, even while it still speaks. */
static bool tts_stream_listens(const struct session *session)
{
	return session_is_open(session) && session->close_code != SESSION_CLOSE_POLICY;
}

static void tts_stream_on_message(struct session *session, char *json, size_t len)
{
	struct tts_stream *stream = tts_stream_of(session);
	struct stream_message message;
	struct stream_fault fault;

	if (!tts_stream_listens(session))
		return;
	if (stream->session.api->parse(&message, &fault, json, len, stream->surrogate) != 0) {
		tts_stream_refuse(stream, fault.id, fault.detail);
		return;
	}
	tts_stream_listen_on(stream);
	if (session_has_voice(session, &message))
		tts_stream_apply(stream, &message);
	stream_message_reset(&message);
}

static void tts_stream_on_go_away(struct session *session)
{
	struct tts_stream *stream = tts_stream_of(session);

	if (stream->session.close_code)
		return;
	stream->session.close_code = SESSION_CLOSE_RESTART;
	turn_queue_cancel_waiting(&stream->queue);
	tts_stream_close_if_done(stream);
}

static void tts_stream_on_shut(struct session *session, const struct stream_fault *fault)
{
	struct tts_stream *stream = tts_stream_of(session);

	if (stream->session.closed)
		return;
	turn_queue_cancel(&stream->queue);
	session_send_fault(session, NULL, fault);
	tts_stream_close_after_error(stream, fault->id);
}

static void tts_stream_on_open(struct session *session, const struct session_opening *opening)
{
	struct tts_stream *stream = tts_stream_of(session);

	settings_reset(&stream->session.settings);
	settings_copy(&stream->session.settings, opening->settings);
	stream->idle_ms = opening->idle_ms;
	if (opening->fault)
		tts_stream_refuse(stream, opening->fault->id, opening->fault->detail);
	else if (!(opening->settings->set & SETTING_VOICE_ID))
		tts_stream_refuse(stream, WIRE_ERROR_VOICE_NOT_FOUND, NULL);
	else
		tts_stream_listen_on(stream);
}

static void tts_stream_init(struct session *session)
{
	struct tts_stream *stream = tts_stream_of(session);
	const struct turn_owner owner = {.session = session, .idle_ms = session->api->turn_idle_ms};

	session->queue = &stream->queue;
	turn_queue_init(&stream->queue, &owner, TTS_STREAM_TURNS_MAX, &tts_stream_queue_ops,
			stream);
}

static void tts_stream_end(struct session *session)
{
	struct tts_stream *stream = tts_stream_of(session);

	timer_clear(tts_stream_timers_of(stream), &stream->idle_timer);
	turn_queue_reset(&stream->queue);
	mem_deref(stream->last);
}

const struct session_ops tts_stream_ops = {
	.size = sizeof(struct tts_stream),
	.init = tts_stream_init,
	.end = tts_stream_end,
	.open = tts_stream_on_open,
	.message = tts_stream_on_message,
	.binary = session_refuse_binary,
	.filled = session_queue_filled,
	.drained = session_queue_drained,
	.sent = session_queue_sent,
	.go_away = tts_stream_on_go_away,
	.shut = tts_stream_on_shut,
	.is_idle = session_queue_is_idle,
	.refuse = tts_stream_on_refuse,
	.listens = tts_stream_listens,
};
