/*
 * tts_once.c: the kind of session in which each message is a whole request (see tts_once.h).
 */
#include "session/tts_once.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "session/turn_queue.h"

/* The parts of a request that `final` repeats. */
struct once_request {
	struct link link;
	double speed;
	size_t text_len;
	char text[];
};

struct tts_once {
	struct session session; /* its settings are the defaults of requests */
	struct turn_queue queue;
	struct list requests; /* one for each turn in the queue, in the same order */
};

static struct tts_once *tts_once_of(struct session *session)
{
	return SESSION_OBJECT(session, struct tts_once, &tts_once_ops);
}

static struct once_request *tts_once_request_at(struct link *link)
{
	return LIST_OBJECT(link, struct once_request, link);
}

static void tts_once_forget(struct tts_once *once, struct link *link)
{
	list_remove(&once->requests, link);
	free(tts_once_request_at(link));
}

/* Forgets requests whose turns were removed from the queue's end. */
static void tts_once_forget_waiting(struct tts_once *once)
{
	while (once->requests.count > once->queue.turns.count)
		tts_once_forget(once, list_last(&once->requests));
}

static int tts_once_remember(struct tts_once *once, const struct stream_message *message,
			     double speed)
{
	struct once_request *request = calloc(1, sizeof(*request) + message->text_len);

	if (!request)
		return ENOMEM;
	request->speed = speed;
	request->text_len = message->text_len;
	memcpy(request->text, message->text, message->text_len);
	list_append(&once->requests, &request->link);
	return 0;
}

static void tts_once_close_if_done(struct tts_once *once)
{
	if (!once->session.close_code || once->session.closed || once->queue.turns.count > 0)
		return;
	once->session.closed = true;
	session_close(&once->session, once->session.close_code);
}

/* Closes the connection when the current turn has been spoken; turns that wait are dropped. */
static void tts_once_close_when_spoken(struct tts_once *once, uint16_t code)
{
	if (!once->session.close_code)
		once->session.close_code = code;
	turn_queue_cancel_waiting(&once->queue);
	tts_once_forget_waiting(once);
}

static void tts_once_send_final(struct tts_once *once, const struct once_request *request,
				const struct turn *turn)
{
	struct turn_figures figures;
	struct reply_usage usage;
	struct reply_request reply = {
		.speed = request->speed, .text = request->text, .text_len = request->text_len};
	struct buf message;

	turn_figures(turn, &figures);
	turn_usage(turn, &usage);
	reply.frames = figures.frames;
	reply.samples = figures.samples;
	reply.sample_rate = figures.sample_rate;
	reply.gen_ms = figures.gen_ms;
	reply.first_audio_ms = figures.first_audio_ms;
	session_send(&once->session, &message,
		     reply_once_final(session_begin(&once->session, &message), &reply, &usage));
}

/* A turn that has failed has already sent its error. */
static void tts_once_on_spoken(void *arg, struct turn *turn, unsigned flushes)
{
	struct tts_once *once = arg;
	struct link *first = list_first(&once->requests);
	struct stream_fault fault = {.id = turn_fault(turn)};

	(void)flushes;
	if (!turn_has_failed(turn))
		tts_once_send_final(once, tts_once_request_at(first), turn);
	tts_once_forget(once, first);
	if (turn_was_curtailed(turn, &fault))
		session_send_fault(&once->session, NULL, &fault);
	if (wire_error_close_code(fault.id))
		tts_once_close_when_spoken(once, wire_error_close_code(fault.id));
}

static void tts_once_on_empty(void *arg)
{
	tts_once_close_if_done(arg);
}

static const struct turn_queue_ops tts_once_queue_ops = {.spoken = tts_once_on_spoken,
							 .empty = tts_once_on_empty};

/* The error is sent after the answers to earlier requests. */
static void tts_once_refuse(struct session *session, enum wire_error_id id, const char *detail)
{
	struct buf message;
	const struct wire_notice notice = {
		.id = id, .detail = detail, .request_id = session->request_id};
	int err = session->dialect->error(session_begin(session, &message), NULL, &notice);

	session_note_error(&notice);
	if (err || turn_queue_reply_after(session->queue, &message) != 0)
		session_send(session, &message, err);
	else
		buf_reset(&message);
}

static void tts_once_speak(struct tts_once *once, const struct stream_message *message)
{
	struct settings settings;
	int err;

	settings_copy(&settings, &once->session.settings);
	settings_merge(&settings, &message->settings);
	/* The text is complete: it is divided only into sentences, the first spoken at once. */
	settings.auto_mode = true;
	err = tts_once_remember(once, message, settings.speed);
	if (!err) {
		err = turn_queue_text(&once->queue, &settings, message->text, message->text_len,
				      message->text_len);
		if (err)
			tts_once_forget(once, list_last(&once->requests));
		else
			turn_queue_end(&once->queue);
	}
	if (err)
		tts_once_refuse(&once->session,
				err == ENOBUFS ? WIRE_ERROR_TOO_MANY_TURNS : WIRE_ERROR_INTERNAL,
				NULL);
	settings_reset(&settings);
}

/* Cancels the request that is being spoken; later ones are answered in order.  The reply follows
 * the frames that were sent; the others are dropped. */
static void tts_once_cancel(struct tts_once *once)
{
	struct session *session = &once->session;

	session_send_interrupted(session, NULL, NULL);
	if (once->requests.count == 0)
		return;
	tts_once_forget(once, list_first(&once->requests));
	turn_queue_cancel_front(&once->queue);
}

/* Checks what the parser cannot check. */
static bool tts_once_is_acceptable(struct session *session, struct stream_message *message)
{
	if (!message->has_text)
		return true;
	if (turn_queue_is_blank(message->text, message->text_len)) {
		tts_once_refuse(session, WIRE_ERROR_INVALID_REQUEST, "text has nothing to say");
		return false;
	}
	if (!(message->settings.set & SETTING_VOICE_ID)) {
		tts_once_refuse(session, WIRE_ERROR_MISSING_VOICE, NULL);
		return false;
	}
	return session_has_voice(session, message);
}

/* A message may have several roles; they are applied in this order. */
static void tts_once_apply(struct tts_once *once, const struct stream_message *message)
{
	if (message->has_update)
		session_update_settings(&once->session, &message->update);
	if (message->cancel)
		tts_once_cancel(once);
	/* If the connection is about to close, the client repeats the text on another one. */
	if (message->has_text && !once->session.close_code)
		tts_once_speak(once, message);
}

static void tts_once_on_message(struct session *session, char *json, size_t len)
{
	struct stream_message message;
	struct stream_fault fault;

	if (!session_is_open(session))
		return;
	if (session->api->parse(&message, &fault, json, len, 0) != 0) {
		tts_once_refuse(session, fault.id, fault.detail);
		return;
	}
	if (tts_once_is_acceptable(session, &message))
		tts_once_apply(tts_once_of(session), &message);
	stream_message_reset(&message);
}

static void tts_once_on_go_away(struct session *session)
{
	struct tts_once *once = tts_once_of(session);

	tts_once_close_when_spoken(once, SESSION_CLOSE_RESTART);
	tts_once_close_if_done(once);
}

static void tts_once_on_shut(struct session *session, const struct stream_fault *fault)
{
	struct tts_once *once = tts_once_of(session);

	if (once->session.closed)
		return;
	once->session.closed = true;
	turn_queue_cancel(&once->queue);
	tts_once_forget_waiting(once);
	session_send_fault(session, NULL, fault);
	session_close(session, wire_error_close_code(fault->id));
}

static void tts_once_init(struct session *session)
{
	struct tts_once *once = tts_once_of(session);
	const struct turn_owner owner = {.session = session, .idle_ms = session->api->turn_idle_ms};

	session->queue = &once->queue;
	list_init(&once->requests);
	turn_queue_init(&once->queue, &owner, TTS_ONCE_WAITING_MAX, &tts_once_queue_ops, once);
}

static void tts_once_end(struct session *session)
{
	struct tts_once *once = tts_once_of(session);

	turn_queue_reset(&once->queue);
	tts_once_forget_waiting(once);
}

const struct session_ops tts_once_ops = {
	.size = sizeof(struct tts_once),
	.init = tts_once_init,
	.end = tts_once_end,
	.message = tts_once_on_message,
	.binary = session_refuse_binary,
	.filled = session_queue_filled,
	.drained = session_queue_drained,
	.sent = session_queue_sent,
	.go_away = tts_once_on_go_away,
	.shut = tts_once_on_shut,
	.is_idle = session_queue_is_idle,
	.refuse = tts_once_refuse,
	.listens = session_is_open,
};
