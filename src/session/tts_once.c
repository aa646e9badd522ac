/*
 * tts_once.c: what a client can do on /ws/tts (see tts_once.h).
 */
#include "session/tts_once.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "session/turn_queue.h"
#include "wire/once_dialect.h"
#include "wire/once_message.h"

/* What `final` repeats of a request. */
struct request {
	struct link link;
	double speed;
	size_t text_len;
	char text[];
};

struct tts_once {
	struct session session;
	struct settings defaults; /* what requests leave out */
	struct turn_queue queue;
	struct list requests; /* one for each turn of the queue, in its order */
	uint16_t close_code; /* to close with when the turns are done; 0: stay */
	bool closed; /* the peer was told */
};

static struct tts_once *once_of(struct session *session)
{
	return (struct tts_once *)(void *)session;
}

static struct request *request_at(struct link *link)
{
	return LIST_OBJECT(link, struct request, link);
}

static void forget(struct tts_once *once, struct link *link)
{
	list_remove(&once->requests, link);
	free(request_at(link));
}

/* Those whose turns are gone from the queue's end. */
static void forget_waiting(struct tts_once *once)
{
	while (once->requests.count > once->queue.turns.count)
		forget(once, list_last(&once->requests));
}

static int remember(struct tts_once *once, const struct stream_message *message, double speed)
{
	struct request *request = calloc(1, sizeof(*request) + message->text_len);

	if (!request)
		return ENOMEM;
	request->speed = speed;
	request->text_len = message->text_len;
	memcpy(request->text, message->text, message->text_len);
	list_append(&once->requests, &request->link);
	return 0;
}

static void close_if_done(struct tts_once *once)
{
	if (!once->close_code || once->closed || once->queue.turns.count > 0)
		return;
	once->closed = true;
	session_close(&once->session, once->close_code);
}

/* What speaks is finished, what waits is not begun. */
static void leave(struct tts_once *once, uint16_t code)
{
	if (!once->close_code)
		once->close_code = code;
	turn_queue_cancel_waiting(&once->queue);
	forget_waiting(once);
}

static void send_final(struct tts_once *once, const struct request *request,
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

/* One that has failed has said so. */
static void on_spoken(void *arg, struct turn *turn, unsigned flushes)
{
	struct tts_once *once = arg;
	struct link *first = list_first(&once->requests);
	struct stream_fault fault = {.id = turn_fault(turn)};

	(void)flushes;
	if (!turn_has_failed(turn))
		send_final(once, request_at(first), turn);
	forget(once, first);
	if (turn_was_curtailed(turn, &fault))
		session_send_fault(&once->session, NULL, &fault);
	if (wire_error_close_code(fault.id))
		leave(once, wire_error_close_code(fault.id));
}

static void on_empty(void *arg)
{
	close_if_done(arg);
}

static const struct turn_queue_ops queue_ops = {.spoken = on_spoken, .empty = on_empty};

/* Behind the requests that are not answered yet. */
static void refuse(struct tts_once *once, enum wire_error_id id, const char *detail)
{
	struct session *session = &once->session;
	struct buf message;
	const struct wire_notice notice = {
		.id = id, .detail = detail, .request_id = session->request_id};
	int err = session->dialect->error(session_begin(session, &message), NULL, &notice);

	session_note_error(&notice);
	if (err || turn_queue_say_behind(&once->queue, &message) != 0)
		session_send(session, &message, err);
	else
		buf_reset(&message);
}

/* A text that is whole is cut into sentences alone, and the first is spoken at
 * once. */
static void settings_of(struct settings *settings, const struct tts_once *once,
			const struct stream_message *message)
{
	settings_copy(settings, &once->defaults);
	settings_merge(settings, &message->settings);
	settings->auto_mode = true;
}

static void speak(struct tts_once *once, const struct stream_message *message)
{
	struct settings settings;
	int err;

	settings_of(&settings, once, message);
	err = remember(once, message, settings.speed);
	if (!err) {
		err = turn_queue_text(&once->queue, &settings, message->text, message->text_len,
				      message->text_len);
		if (err)
			forget(once, list_last(&once->requests));
		else
			turn_queue_end(&once->queue);
	}
	if (err)
		refuse(once, err == ENOBUFS ? WIRE_ERROR_TOO_MANY_TURNS : WIRE_ERROR_INTERNAL,
		       NULL);
	settings_reset(&settings);
}

/* Cancels the request that is spoken; those behind it are answered in their turn.
 * What is said here stands behind the frames that have left: the others are
 * taken back. */
static void cancel(struct tts_once *once)
{
	struct session *session = &once->session;

	session_send_interrupted(session, NULL, NULL);
	if (once->requests.count == 0)
		return;
	forget(once, list_first(&once->requests));
	turn_queue_cancel_front(&once->queue);
}

static void update_defaults(struct tts_once *once, const struct settings *update)
{
	struct session *session = &once->session;
	struct buf message;

	settings_merge(&once->defaults, update);
	session_send(session, &message,
		     session->dialect->settings_updated(session_begin(session, &message),
							&once->defaults));
}

/* What the parser cannot know. */
static bool is_acceptable(struct tts_once *once, struct stream_message *message)
{
	struct stream_fault fault;

	if (!message->has_text)
		return true;
	if (turn_queue_is_blank(message->text, message->text_len)) {
		refuse(once, WIRE_ERROR_INVALID_REQUEST, "text has nothing to say");
		return false;
	}
	if (!(message->settings.set & SETTING_VOICE_ID)) {
		refuse(once, WIRE_ERROR_MISSING_VOICE, NULL);
		return false;
	}
	if (session_choose_voice(&once->session, &message->settings, &message->voice_name,
				 &fault) == 0)
		return true;
	refuse(once, fault.id, fault.detail);
	return false;
}

/* Roles combine in one message; they count in this order. */
static void obey(struct tts_once *once, const struct stream_message *message)
{
	if (message->has_update)
		update_defaults(once, &message->update);
	if (message->cancel)
		cancel(once);
	if (message->has_text && !once->close_code) /* else it is said again elsewhere */
		speak(once, message);
}

static void on_message(struct session *session, char *json, size_t len)
{
	struct tts_once *once = once_of(session);
	struct stream_message message;
	struct stream_fault fault;

	if (once->closed)
		return;
	if (once_message_parse(&message, &fault, json, len) != 0) {
		refuse(once, fault.id, fault.detail);
		return;
	}
	if (is_acceptable(once, &message))
		obey(once, &message);
	stream_message_reset(&message);
}

static void on_binary(struct session *session)
{
	struct tts_once *once = once_of(session);

	if (!once->closed)
		refuse(once, WIRE_ERROR_INVALID_REQUEST, "messages must be text frames");
}

static void tts_once_on_filled(struct session *session)
{
	turn_queue_filled(&once_of(session)->queue);
}

static void on_drained(struct session *session)
{
	turn_queue_drained(&once_of(session)->queue);
}

static void on_sent(struct session *session, uint64_t tag)
{
	turn_queue_sent(&once_of(session)->queue, tag);
}

static void on_go_away(struct session *session)
{
	struct tts_once *once = once_of(session);

	leave(once, SESSION_CLOSE_RESTART);
	close_if_done(once);
}

static void on_shut(struct session *session, const struct stream_fault *fault)
{
	struct tts_once *once = once_of(session);

	if (once->closed)
		return;
	once->closed = true;
	turn_queue_cancel(&once->queue);
	forget_waiting(once);
	session_send_fault(session, NULL, fault);
	session_close(session, wire_error_close_code(fault->id));
}

static bool is_idle(const struct session *session)
{
	return ((const struct tts_once *)(const void *)session)->queue.turns.count == 0;
}

static const struct session_ops once_ops = {
	.message = on_message,
	.binary = on_binary,
	.filled = tts_once_on_filled,
	.drained = on_drained,
	.sent = on_sent,
	.go_away = on_go_away,
	.shut = on_shut,
	.is_idle = is_idle,
};

static void tts_once_destroy(void *object)
{
	struct tts_once *once = object;

	turn_queue_reset(&once->queue);
	forget_waiting(once);
	settings_reset(&once->defaults);
	session_reset(&once->session);
}

int tts_once_alloc(struct session **sessionp, const struct session_services *services,
		   const struct peer *peer, const char *request_id, struct member *member)
{
	struct tts_once *once = mem_zalloc(sizeof(*once), NULL);
	struct turn_owner owner = {0};

	if (!once)
		return ENOMEM;
	session_init(&once->session, &once_ops, services, peer, request_id, member);
	once->session.dialect = &dialect_once;
	settings_copy(&once->defaults, &settings_default);
	owner.session = &once->session;
	list_init(&once->requests);
	turn_queue_init(&once->queue, &owner, TTS_ONCE_WAITING_MAX, &queue_ops, once);
	mem_set_destructor(once, tts_once_destroy);
	*sessionp = &once->session;
	return 0;
}
