/*
 * tts_stream.c: what a client can do on /ws/tts/stream and its like (see
 * tts_stream.h).
 */
#include "session/tts_stream.h"

#include <errno.h>
#include <stdio.h>

#include "base/log.h"
#include "base/mem.h"
#include "session/finished_turn.h"
#include "session/turn_queue.h"
#include "wire/elevenlabs_dialect.h"
#include "wire/elevenlabs_message.h"

/* In what the doors over this differ. */
struct stream_door {
	const struct dialect *dialect;
	int (*parse)(struct stream_message *message, struct stream_fault *fault, char *json,
		     size_t len, uint16_t surrogate);
	unsigned turn_idle_ms;
	uint16_t error_code; /* that the connection closes with after an error; 0: it lives on */
};

static const struct stream_door door_native = {&dialect_native, stream_message_parse, TURN_IDLE_MS,
					       0};
static const struct stream_door door_elevenlabs = {&dialect_elevenlabs, elevenlabs_message_parse, 0,
						   ELEVENLABS_CLOSE_ERROR};

/* There is one for each idle connection: its fields are in an order that leaves no holes. */
struct tts_stream {
	struct session session;
	const struct stream_door *door;
	struct settings settings;
	struct turn_queue queue;
	uint16_t surrogate; /* high half that the last text ended in */
	uint16_t close_code; /* to close with when the turns are done; 0: stay */
	unsigned owes_interrupted; /* after the session_closed that is under way */
	unsigned idle_ms; /* of the connection; 0: as long as its client likes */
	bool closed; /* the peer was told */
	bool is_flooded; /* with cancels, which is why it closes */
	bool owes_report; /* with the last interrupted … */
	int64_t owed_playback_ms; /* … reckoned from here */
	struct finished_turn *last; /* of the turn that ended last, until the next begins */
	struct timer idle_timer;
};

static struct tts_stream *stream_of(struct session *session)
{
	return (struct tts_stream *)(void *)session;
}

static struct timers *timers_of(const struct tts_stream *stream)
{
	return stream->session.services->timers;
}

/* What the connection closes with when this was told; 0: it lives on. */
static uint16_t code_after(const struct tts_stream *stream, enum wire_error_id id)
{
	return stream->door->error_code ? stream->door->error_code : wire_error_close_code(id);
}

static void close_now(struct tts_stream *stream, uint16_t code)
{
	if (stream->closed)
		return;
	stream->closed = true;
	stream->close_code = code;
	timer_clear(timers_of(stream), &stream->idle_timer);
	if (stream->is_flooded)
		session_close_because(&stream->session, code, "too many commands at once");
	else
		session_close(&stream->session, code);
}

/* An error was told: on some doors that is the end, and some errors are. */
static void close_after_error(struct tts_stream *stream, enum wire_error_id id)
{
	uint16_t code = code_after(stream, id);

	if (code)
		close_now(stream, code);
}

static void refuse(struct tts_stream *stream, enum wire_error_id id, const char *detail)
{
	if (stream->door->error_code)
		turn_queue_cancel(&stream->queue);
	session_send_error(&stream->session, NULL, id, detail);
	close_after_error(stream, id);
}

static void send_report(struct tts_stream *stream, const struct turn_heard *heard,
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

static void report_turn(struct tts_stream *stream, struct turn *turn, int64_t playback_ms)
{
	struct turn_heard heard;
	struct reply_usage usage;

	turn_cancel(turn);
	turn_heard(turn, &heard, playback_ms);
	turn_usage(turn, &usage);
	send_report(stream, &heard, &usage);
}

static void report_last(struct tts_stream *stream, int64_t playback_ms)
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
	send_report(stream, &heard, &usage);
}

/* Nothing was said and nothing is owed: the answer to a flush or a close that
 * finds no turn. */
static void send_nothing_said(struct tts_stream *stream, bool with_final)
{
	struct reply_totals totals = {0};
	struct reply_usage usage = {.model_id = stream->settings.model_id, .cost_known = true};
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

static void close_if_done(struct tts_stream *stream)
{
	if (stream->close_code && stream->queue.turns.count == 0)
		close_now(stream, stream->close_code);
}

/* A turn that was spoken to its end; memory that is not there is not missed. */
static void remember(struct tts_stream *stream, struct turn *turn)
{
	stream->last = mem_deref(stream->last);
	if (turn_is_finished(turn) && finished_turn_alloc(&stream->last, turn) != 0)
		stream->last = NULL;
}

static void send_owed(struct tts_stream *stream)
{
	for (; stream->owes_interrupted > 0; --stream->owes_interrupted) {
		if (stream->owes_interrupted == 1 && stream->owes_report)
			report_last(stream, stream->owed_playback_ms);
		else
			session_send_interrupted(&stream->session, NULL, NULL);
	}
	stream->owes_report = false;
}

/* A flush without text needs no answer of its own here: the last words of the
 * turn before it are that. */
static void on_spoken(void *arg, struct turn *turn, unsigned flushes)
{
	struct tts_stream *stream = arg;
	struct stream_fault fault;

	(void)flushes;
	remember(stream, turn);
	send_owed(stream);
	if (turn_was_curtailed(turn, &fault) && !stream->closed) {
		session_send_fault(&stream->session, NULL, &fault);
		if (code_after(stream, fault.id))
			stream->close_code = code_after(stream, fault.id);
	}
	if (stream->close_code && stream->close_code != SESSION_CLOSE_NORMAL)
		turn_queue_cancel(&stream->queue);
}

static void on_empty(void *arg)
{
	close_if_done(arg);
}

/* Called from inside the turn that fails, before it is removed.  A turn that fails while it is
 * made is not in the queue yet: its error is sent when it comes to the front, and take_text then
 * closes the connection. */
static void on_failed(void *arg, const struct wire_notice *notice)
{
	struct tts_stream *stream = arg;
	uint16_t code = code_after(stream, notice->id);

	if (stream->queue.turns.count > 0)
		close_after_error(stream, notice->id);
	else if (code)
		stream->close_code = code;
}

static const struct turn_queue_ops queue_ops = {
	.spoken = on_spoken, .empty = on_empty, .failed = on_failed};

static void on_idle(void *arg);

static void listen_on(struct tts_stream *stream)
{
	if (stream->idle_ms)
		timer_set(timers_of(stream), &stream->idle_timer, stream->idle_ms * UINT64_C(1000),
			  on_idle, stream);
}

/* Who listens to a long text need not say anything meanwhile. */
static void on_idle(void *arg)
{
	struct tts_stream *stream = arg;
	const struct turn *turn = turn_queue_front(&stream->queue);

	if (turn && turn_is_busy(turn))
		listen_on(stream);
	else
		refuse(stream, WIRE_ERROR_INPUT_TIMEOUT, NULL);
}

static void take_text(struct tts_stream *stream, const char *text, size_t len)
{
	size_t unspoken = turn_queue_unspoken(&stream->queue);
	size_t room = unspoken < TTS_STREAM_UNSPOKEN_MAX ? TTS_STREAM_UNSPOKEN_MAX - unspoken : 0;
	size_t turns = stream->queue.turns.count;
	uint16_t close_code = stream->close_code;
	int err = turn_queue_text(&stream->queue, &stream->settings, text, len, room);

	if (stream->queue.turns.count > turns)
		stream->last = mem_deref(stream->last);
	if (stream->close_code != close_code && !stream->closed) { /* by on_failed */
		turn_queue_cancel(&stream->queue);
		close_now(stream, stream->close_code);
	}
	if (err)
		refuse(stream, err == ENOBUFS ? WIRE_ERROR_TOO_MANY_TURNS : WIRE_ERROR_INTERNAL,
		       NULL);
}

static void end_turn(struct tts_stream *stream, bool is_flush)
{
	bool has_turn = turn_queue_front(&stream->queue) != NULL;

	turn_queue_end(&stream->queue);
	if (!has_turn && !stream->closed)
		send_nothing_said(stream, is_flush);
	/* A turn that drains already answers this with its own last words. */
}

/* Barge-in: all turns go, one reply.  A turn whose `final` has left gets its
 * session_closed first. */
static void cancel(struct tts_stream *stream, const struct stream_message *message)
{
	struct turn *turn = turn_queue_front(&stream->queue);

	stream->surrogate = 0;
	if (turn && turn_state(turn) == TURN_BOOKING) {
		turn_queue_cancel_waiting(&stream->queue);
		++stream->owes_interrupted;
		if (stream->owes_interrupted == SESSION_OWED_MAX) {
			log_warn("session", "closed with 1008: %u cancels of one turn, request=%s",
				 SESSION_OWED_MAX, stream->session.request_id);
			stream->is_flooded = true;
			stream->close_code = SESSION_CLOSE_POLICY; /* after what is owed */
		}
		stream->owes_report = message->report;
		stream->owed_playback_ms = message->playback_offset_ms;
		return;
	}
	if (turn)
		stream->last = mem_deref(stream->last); /* it is not what was heard last */
	if (turn && message->report) {
		report_turn(stream, turn, message->playback_offset_ms);
		turn_queue_cancel(&stream->queue);
	} else if (message->report) {
		report_last(stream, message->playback_offset_ms);
	} else {
		turn_queue_cancel(&stream->queue);
		session_send_interrupted(&stream->session, NULL, NULL);
	}
	close_if_done(stream);
}

static bool is_acceptable(struct tts_stream *stream, struct stream_message *message)
{
	struct stream_fault fault;

	if (session_choose_voice(&stream->session, &message->settings, &message->voice_name,
				 &fault) == 0)
		return true;
	refuse(stream, fault.id, fault.detail);
	return false;
}

static void update_settings(struct tts_stream *stream, const struct settings *update)
{
	struct session *session = &stream->session;
	struct buf message;

	settings_merge(&stream->settings, update);
	if (session->dialect->settings_updated)
		session_send(session, &message,
			     session->dialect->settings_updated(session_begin(session, &message),
								&stream->settings));
}

/* Half a character that nothing completed any more is still a character. */
static void finish_surrogate(struct tts_stream *stream)
{
	if (stream->surrogate)
		take_text(stream, "\xef\xbf\xbd", 3);
	stream->surrogate = 0;
}

/* What it has is spoken, and the turn goes on. */
static void speak_up(struct tts_stream *stream, const struct stream_message *message)
{
	struct turn *turn = turn_queue_open(&stream->queue);

	if (turn && message->emit)
		turn_flush(turn);
	else if (turn && message->trigger)
		turn_release(turn);
}

/* Roles combine in one message; they count in this order. */
static void obey(struct tts_stream *stream, const struct stream_message *message)
{
	settings_merge(&stream->settings, &message->settings);
	if (message->has_update)
		update_settings(stream, &message->update);
	if (message->cancel)
		cancel(stream, message);
	if (message->has_text) {
		take_text(stream, message->text, message->text_len);
		stream->surrogate = message->text_surrogate;
	}
	speak_up(stream, message);
	if (message->flush || message->close || message->close_socket) {
		finish_surrogate(stream);
		end_turn(stream, message->flush);
	}
	if (message->close_socket) {
		stream->close_code = SESSION_CLOSE_NORMAL;
		close_if_done(stream);
	}
}

/* It said that it was done, or was told that we are. */
static bool is_deaf(const struct tts_stream *stream)
{
	return stream->closed || stream->close_code == SESSION_CLOSE_NORMAL ||
	       stream->close_code == SESSION_CLOSE_POLICY;
}

static void on_message(struct session *session, char *json, size_t len)
{
	struct tts_stream *stream = stream_of(session);
	struct stream_message message;
	struct stream_fault fault;

	if (is_deaf(stream))
		return;
	if (stream->door->parse(&message, &fault, json, len, stream->surrogate) != 0) {
		refuse(stream, fault.id, fault.detail);
		return;
	}
	listen_on(stream);
	if (is_acceptable(stream, &message))
		obey(stream, &message);
	stream_message_reset(&message);
}

static void on_binary(struct session *session)
{
	if (!is_deaf(stream_of(session)))
		refuse(stream_of(session), WIRE_ERROR_INVALID_REQUEST,
		       "messages must be text frames");
}

static void tts_stream_on_filled(struct session *session)
{
	turn_queue_filled(&stream_of(session)->queue);
}

static void on_drained(struct session *session)
{
	turn_queue_drained(&stream_of(session)->queue);
}

static void on_sent(struct session *session, uint64_t tag)
{
	turn_queue_sent(&stream_of(session)->queue, tag);
}

static void on_go_away(struct session *session)
{
	struct tts_stream *stream = stream_of(session);

	if (stream->close_code)
		return;
	stream->close_code = SESSION_CLOSE_RESTART;
	turn_queue_cancel_waiting(&stream->queue);
	close_if_done(stream);
}

static void on_shut(struct session *session, const struct stream_fault *fault)
{
	struct tts_stream *stream = stream_of(session);

	if (stream->closed)
		return;
	turn_queue_cancel(&stream->queue);
	session_send_fault(session, NULL, fault);
	close_after_error(stream, fault->id);
}

static bool is_idle(const struct session *session)
{
	return ((const struct tts_stream *)(const void *)session)->queue.turns.count == 0;
}

static void on_open(struct session *session, const struct session_opening *opening)
{
	struct tts_stream *stream = stream_of(session);

	settings_reset(&stream->settings);
	settings_copy(&stream->settings, opening->settings);
	stream->idle_ms = opening->idle_ms;
	if (opening->fault)
		refuse(stream, opening->fault->id, opening->fault->detail);
	else if (!(opening->settings->set & SETTING_VOICE_ID))
		refuse(stream, WIRE_ERROR_VOICE_NOT_FOUND, NULL);
	else
		listen_on(stream);
}

static const struct session_ops stream_ops = {
	.open = on_open,
	.message = on_message,
	.binary = on_binary,
	.filled = tts_stream_on_filled,
	.drained = on_drained,
	.sent = on_sent,
	.go_away = on_go_away,
	.shut = on_shut,
	.is_idle = is_idle,
};

static void tts_stream_destroy(void *object)
{
	struct tts_stream *stream = object;

	timer_clear(timers_of(stream), &stream->idle_timer);
	turn_queue_reset(&stream->queue);
	settings_reset(&stream->settings);
	mem_deref(stream->last);
	session_reset(&stream->session);
}

static int alloc(struct session **sessionp, const struct session_services *services,
		 const struct peer *peer, const char *request_id, struct member *member,
		 const struct stream_door *door)
{
	struct tts_stream *stream = mem_zalloc(sizeof(*stream), NULL);
	struct turn_owner owner = {.idle_ms = door->turn_idle_ms};

	if (!stream)
		return ENOMEM;
	session_init(&stream->session, &stream_ops, services, peer, request_id, member);
	stream->door = door;
	stream->session.dialect = door->dialect;
	settings_copy(&stream->settings, &settings_default);
	owner.session = &stream->session;
	turn_queue_init(&stream->queue, &owner, TTS_STREAM_TURNS_MAX, &queue_ops, stream);
	mem_set_destructor(stream, tts_stream_destroy);
	*sessionp = &stream->session;
	return 0;
}

int tts_stream_alloc(struct session **sessionp, const struct session_services *services,
		     const struct peer *peer, const char *request_id, struct member *member)
{
	return alloc(sessionp, services, peer, request_id, member, &door_native);
}

int tts_stream_alloc_elevenlabs(struct session **sessionp, const struct session_services *services,
				const struct peer *peer, const char *request_id,
				struct member *member)
{
	return alloc(sessionp, services, peer, request_id, member, &door_elevenlabs);
}
