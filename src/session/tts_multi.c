/*
 * tts_multi.c: what a client can do on /ws/tts/multi and its like (see
 * tts_multi.h).
 */
#include "session/tts_multi.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "session/context.h"
#include "session/turn_queue.h"
#include "wire/elevenlabs_dialect.h"
#include "wire/elevenlabs_message.h"
#include "wire/multi_message.h"
#include "wire/reply.h"

/* In what the doors over this differ. */
struct multi_door {
	const struct dialect *dialect;
	int (*parse)(struct multi_message *message, struct stream_fault *fault, char *json,
		     size_t len);
	size_t open_max; /* contexts that take text */
	bool reuses_ids; /* text for one that is closing begins another of the same id */
	/* A client that is interrupted after it has closed a context sends nothing about it, and
	 * creates another one: those that are closing yield to it. */
	bool closing_yields;
	uint16_t error_code; /* for errors that close the connection; 0: their own */
};

static const struct multi_door door_native = {
	.dialect = &dialect_native,
	.parse = multi_message_parse,
	.open_max = TTS_MULTI_CONTEXTS_MAX,
};
static const struct multi_door door_elevenlabs = {
	.dialect = &dialect_elevenlabs_multi,
	.parse = elevenlabs_message_parse_multi,
	.open_max = TTS_MULTI_ELEVENLABS_CONTEXTS_MAX,
	.reuses_ids = true,
	.closing_yields = true,
	.error_code = ELEVENLABS_CLOSE_ERROR,
};

struct tts_multi {
	struct session session;
	const struct multi_door *door;
	struct settings settings;
	struct context *contexts[TTS_MULTI_CONTEXTS_MAX]; /* in the order they were made */
	size_t count;
	size_t drains; /* how often contexts were told that there is room */
	unsigned idle_ms;
	uint16_t close_code; /* to close with when the contexts are done; 0: stay */
	bool closed; /* the peer was told */
	bool obeying; /* a message, of which more may have to be answered */
	double audio_seconds; /* of the contexts that are closed */
};

static struct tts_multi *multi_of(struct session *session)
{
	return (struct tts_multi *)(void *)session;
}

static void forget(struct tts_multi *multi, struct context *context)
{
	size_t i = 0;

	while (i < multi->count && multi->contexts[i] != context)
		++i;
	if (i == multi->count)
		return;
	multi->audio_seconds += context_audio_seconds(context);
	memmove(&multi->contexts[i], &multi->contexts[i + 1],
		(--multi->count - i) * sizeof(multi->contexts[0]));
	mem_deref(context);
}

static bool is_idle(const struct session *session)
{
	const struct tts_multi *multi = (const struct tts_multi *)(const void *)session;

	for (size_t i = 0; i < multi->count; ++i) {
		if (!context_is_idle(multi->contexts[i]))
			return false;
	}
	return true;
}

/* When the server goes away, a context that has nothing to say is not said to
 * be closed: a client that reconnects makes it again. */
static void close_if_done(struct tts_multi *multi)
{
	const struct dialect *dialect = multi->session.dialect;
	bool leaves = multi->close_code != SESSION_CLOSE_NORMAL;
	struct buf message;

	if (!multi->close_code || multi->closed || multi->obeying)
		return;
	if (leaves ? !is_idle(&multi->session) : multi->count > 0)
		return;
	multi->closed = true;
	while (multi->count > 0)
		forget(multi, multi->contexts[multi->count - 1]);
	if (!leaves && dialect->contexts_closed)
		session_send(&multi->session, &message,
			     dialect->contexts_closed(session_begin(&multi->session, &message),
						      multi->audio_seconds));
	session_close(&multi->session, multi->close_code);
}

/* What speaks is finished, what waits is not begun. */
static void leave(struct tts_multi *multi, uint16_t code)
{
	if (multi->close_code)
		return;
	multi->close_code = code;
	for (size_t i = 0; i < multi->count; ++i)
		context_go_away(multi->contexts[i]);
}

static uint16_t code_after(const struct tts_multi *multi, enum wire_error_id id)
{
	uint16_t code = wire_error_close_code(id);

	return code && multi->door->error_code ? multi->door->error_code : code;
}

/* A context has ended with an error that holds for all. */
static void on_context_failed(void *arg, enum wire_error_id id)
{
	struct tts_multi *multi = arg;
	uint16_t code = code_after(multi, id);

	if (code)
		leave(multi, code);
}

static void on_leave(void *arg, struct context *context)
{
	forget(arg, context);
}

static void on_left(void *arg)
{
	close_if_done(arg);
}

/* In the order they were made, beginning with the one at `start`.  Contexts may go while this
 * runs; those that were there are all visited. */
static void tts_multi_visit(struct tts_multi *multi, size_t start,
			    void (*act)(struct context *context))
{
	struct context *all[TTS_MULTI_CONTEXTS_MAX];
	size_t count = multi->count;

	for (size_t i = 0; i < count; ++i)
		all[i] = mem_ref(multi->contexts[(start + i) % count]);
	for (size_t i = 0; i < count; ++i) {
		act(all[i]);
		mem_deref(all[i]);
	}
}

static void for_each(struct tts_multi *multi, void (*act)(struct context *context))
{
	tts_multi_visit(multi, 0, act);
}

static struct context *find(const struct tts_multi *multi, const struct multi_message *message)
{
	for (size_t i = 0; message->context_id && i < multi->count; ++i) {
		if (context_has_id(multi->contexts[i], message->context_id,
				   message->context_id_len))
			return multi->contexts[i];
	}
	return NULL;
}

/* An error, or one of the other replies to a context that is not there, with
 * the id of the message. */
static void send_error(struct tts_multi *multi, const struct multi_message *message,
		       enum wire_error_id id, const char *detail)
{
	struct buf json;

	buf_init(&json, REPLY_CONTEXT_MAX + 1);
	if (!message->context_id ||
	    reply_context_id(&json, message->context_id, message->context_id_len) == 0)
		session_send_error(&multi->session, json.bytes, id, detail);
	buf_reset(&json);
}

/* A context that does not exist is closed already.  The answer has the usage of one that never
 * spoke, with the model of the session, so that clients find the same keys in every
 * context_closed. */
static void send_closed(struct tts_multi *multi, const struct multi_message *message,
			bool say_interrupted)
{
	struct session *session = &multi->session;
	const struct dialect *dialect = session->dialect;
	struct reply_usage usage = {
		.turn_ids = "", .model_id = multi->settings.model_id, .cost_known = true};
	struct buf reply;
	struct buf json;

	buf_init(&json, REPLY_CONTEXT_MAX + 1);
	if (reply_context_id(&json, message->context_id, message->context_id_len) == 0) {
		if (say_interrupted)
			session_send_interrupted(session, json.bytes, NULL);
		session_describe_price(session, &usage);
		if (dialect->context_closed)
			session_send(session, &reply,
				     dialect->context_closed(session_begin(session, &reply),
							     json.bytes, &usage));
	}
	buf_reset(&json);
}

static size_t unspoken(const struct tts_multi *multi)
{
	size_t bytes = 0;

	for (size_t i = 0; i < multi->count; ++i)
		bytes += context_unspoken(multi->contexts[i]);
	return bytes;
}

static size_t open_contexts(const struct tts_multi *multi)
{
	size_t open = 0;

	for (size_t i = 0; i < multi->count; ++i)
		open += context_takes_input(multi->contexts[i]);
	return open;
}

static bool is_full(const struct tts_multi *multi)
{
	return multi->count == TTS_MULTI_CONTEXTS_MAX ||
	       open_contexts(multi) >= multi->door->open_max;
}

static void cut_if_dropped(struct context *context)
{
	if (context_is_dropped(context))
		context_cut(context);
}

/* Contexts that only wait for their rows go, and then, where closing ones yield to a new one, the
 * oldest of these. */
static void tts_multi_cut_for_room(struct tts_multi *multi)
{
	if (is_full(multi))
		for_each(multi, cut_if_dropped);
	if (multi->count < TTS_MULTI_CONTEXTS_MAX || !multi->door->closing_yields ||
	    open_contexts(multi) >= multi->door->open_max)
		return;
	for (size_t i = 0; i < multi->count; ++i) {
		if (!context_takes_input(multi->contexts[i])) {
			context_cut(multi->contexts[i]);
			return;
		}
	}
}

static void add_context(struct tts_multi *multi, const struct multi_message *message)
{
	const struct context_owner owner = {
		.session = &multi->session,
		.idle_ms = multi->idle_ms,
		.leave = on_leave,
		.left = on_left,
		.failed = on_context_failed,
		.arg = multi,
	};
	struct settings settings;

	settings_copy(&settings, &multi->settings);
	settings_merge(&settings, &message->voice);
	if (multi->door->closing_yields)
		for_each(multi, context_yield);
	if (context_alloc(&multi->contexts[multi->count], &owner, message->context_id,
			  message->context_id_len, &settings) != 0)
		send_error(multi, message, WIRE_ERROR_INTERNAL, NULL);
	else
		++multi->count;
	settings_reset(&settings);
}

static bool says_something(const struct multi_message *message)
{
	return message->said.has_text &&
	       (message->said.text_surrogate ||
		!turn_queue_is_blank(message->said.text, message->said.text_len));
}

/* Text, even a blank, or a voice makes a context.  What only asks for an end
 * makes none. */
static bool makes_context(const struct multi_message *message)
{
	const struct stream_message *said = &message->said;

	if (message->stop_context)
		return false; /* what was not flushed would not be spoken */
	if (message->close_context)
		return !message->immediate && says_something(message);
	return message->has_voice_settings ||
	       (said->has_text && (said->text_len > 0 || said->text_surrogate));
}

/* Makes room for the context that a message creates, before any of the message is obeyed.  False
 * when there is none. */
static bool tts_multi_make_room(struct tts_multi *multi, const struct multi_message *message)
{
	const struct context *context = find(multi, message);

	if (!message->context_id || multi->close_code || !makes_context(message) ||
	    (context && context_takes_input(context)))
		return true;
	if (context) /* find_living cuts it, or the message is for it */
		return open_contexts(multi) < multi->door->open_max;
	tts_multi_cut_for_room(multi);
	return !is_full(multi);
}

/* A client that says more to a context that it has closed was interrupted, and wants no more of
 * it: clients flush after the close, close again, or start over. */
static struct context *find_living(struct tts_multi *multi, const struct multi_message *message)
{
	struct context *context = find(multi, message);

	if (!context || context_takes_input(context) ||
	    (!multi->door->reuses_ids && !context_is_dropped(context)))
		return context;
	if (makes_context(message) || message->said.emit || message->stop_context) {
		context_cut(context);
		return NULL;
	}
	return multi->door->reuses_ids ? NULL : context;
}

static struct context *find_or_make(struct tts_multi *multi, const struct multi_message *message)
{
	struct context *context = find_living(multi, message);

	/* A connection that is about to close starts nothing: the client starts it on another one.
	 * When it is full, the error was sent before the message was obeyed. */
	if (context || multi->close_code || !makes_context(message) || is_full(multi))
		return context;
	add_context(multi, message);
	return find(multi, message);
}

static void take_text(struct tts_multi *multi, struct context *context,
		      struct multi_message *message)
{
	size_t bytes = unspoken(multi);
	size_t room = bytes < TTS_MULTI_UNSPOKEN_MAX ? TTS_MULTI_UNSPOKEN_MAX - bytes : 0;

	multi_message_join(message, context_surrogate(context));
	context_set_surrogate(context, message->said.text_surrogate);
	context_text(context, message->said.text, message->said.text_len, room);
}

/* Roles combine in one message; they count in this order. */
static void obey_in(struct tts_multi *multi, struct context *context, struct multi_message *message)
{
	mem_ref(context);
	if (message->has_voice_settings)
		context_configure_voice(context, &message->voice);
	if (message->close_context && message->immediate) {
		context_cut(context);
	} else {
		if (message->said.has_text)
			take_text(multi, context, message);
		if (message->keep_alive)
			context_keep_alive(context);
		if (message->said.flush)
			context_flush(context);
		if (message->said.emit)
			context_emit(context);
		else if (message->said.trigger)
			context_release(context);
		if (message->stop_context)
			context_stop(context);
		if (message->close_context)
			context_close(context);
	}
	mem_deref(context);
}

static void cancel_if_open(struct context *context)
{
	if (context_takes_input(context))
		context_cancel(context);
}

static void cancel(struct tts_multi *multi, const struct multi_message *message)
{
	struct context *context = find(multi, message);

	if (context)
		context_cancel(context);
	else if (message->context_id)
		send_closed(multi, message, true);
	else if (open_contexts(multi) > 0)
		for_each(multi, cancel_if_open);
	else
		session_send_interrupted(&multi->session, NULL, NULL);
}

/* An output_format holds for the connection from the first one on, and has a rate of its own: a
 * sample_rate in the same or a later message has no effect; is_acceptable has checked that it does
 * not conflict. */
static void configure(struct tts_multi *multi, struct multi_message *message)
{
	struct settings *settings = &message->said.settings;

	if ((multi->settings.set | settings->set) & SETTING_OUTPUT_FORMAT)
		settings->set &= ~(unsigned)SETTING_SAMPLE_RATE;
	settings_merge(&multi->settings, settings);
	for (size_t i = 0; settings->set && i < multi->count; ++i)
		context_configure(multi->contexts[i], settings);
	if (!message->inactivity_ms)
		return;
	multi->idle_ms = message->inactivity_ms;
	for (size_t i = 0; i < multi->count; ++i)
		context_set_idle_ms(multi->contexts[i], multi->idle_ms);
}

static void update_settings(struct tts_multi *multi, const struct settings *update)
{
	struct session *session = &multi->session;
	struct buf message;

	settings_merge(&multi->settings, update);
	if (session->dialect->settings_updated)
		session_send(session, &message,
			     session->dialect->settings_updated(session_begin(session, &message),
								&multi->settings));
}

static void obey(struct tts_multi *multi, struct multi_message *message)
{
	struct context *context;

	configure(multi, message);
	if (message->said.has_update)
		update_settings(multi, &message->said.update);
	if (message->said.cancel)
		cancel(multi, message);
	context = message->context_id ? find_or_make(multi, message) : NULL;
	if (context)
		obey_in(multi, context, message);
	else if (message->close_context)
		send_closed(multi, message, false);
	if (message->said.close_socket) {
		multi->close_code = SESSION_CLOSE_NORMAL;
		for_each(multi, context_close);
	}
}

static bool has_voice(struct tts_multi *multi, const struct multi_message *message,
		      struct settings *settings, const struct settings_name *name)
{
	struct stream_fault fault;

	if (session_choose_voice(&multi->session, settings, name, &fault) == 0)
		return true;
	send_error(multi, message, fault.id, fault.detail);
	return false;
}

/* The format that the connection would have; EINVAL with the fault filled in when the message
 * wants another one than was set. */
static int tts_multi_check_format(const struct tts_multi *multi, const struct settings *settings,
				  struct stream_fault *fault)
{
	struct settings both = *settings; /* lent: it is not reset */
	const struct audio_format *is_set = &multi->settings.format;
	struct audio_format format;

	if (!(multi->settings.set & SETTING_OUTPUT_FORMAT))
		return 0;
	if (settings->set & SETTING_OUTPUT_FORMAT) {
		const char *name = audio_format_name(is_set);
		const char *wanted = audio_format_name(&settings->format);

		if (strcmp(name, wanted) == 0)
			return 0;
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "output_format is %s for this connection and cannot become %s",
				 name, wanted);
	}
	both.format = *is_set;
	both.set |= SETTING_OUTPUT_FORMAT;
	if (settings_format(&format, &both) == 0)
		return 0;
	return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
			 "sample_rate %u conflicts with the connection's output_format of %u Hz",
			 settings->sample_rate, is_set->sample_rate);
}

/* What the parser cannot know: whether voices and contexts are there, and which format was
 * set. */
static bool is_acceptable(struct tts_multi *multi, struct multi_message *message)
{
	const struct context *context = find(multi, message);
	struct stream_fault fault;

	if (tts_multi_check_format(multi, &message->said.settings, &fault) != 0) {
		send_error(multi, message, fault.id, fault.detail);
		return false;
	}
	if (!has_voice(multi, message, &message->said.settings, &message->said.voice_name) ||
	    !has_voice(multi, message, &message->voice, &message->voice_name))
		return false;
	if (!message->context_id &&
	    (says_something(message) || message->said.flush || message->close_context)) {
		send_error(multi, message, WIRE_ERROR_INVALID_REQUEST, "context_id is required");
		return false;
	}
	if (context && !context_takes_input(context) && !context_is_dropped(context) &&
	    !multi->door->reuses_ids && !message->said.cancel && !message->immediate &&
	    !multi->close_code && says_something(message)) {
		send_error(multi, message, WIRE_ERROR_INVALID_REQUEST,
			   "the context is closing; its id is free after context_closed");
		return false;
	}
	return true;
}

/* A message that wants one context too many has no effect, unless it also cancels or closes: that
 * is obeyed. */
static void tts_multi_take(struct tts_multi *multi, struct multi_message *message)
{
	bool has_room;

	if (!is_acceptable(multi, message))
		return;
	has_room = tts_multi_make_room(multi, message);
	if (!has_room)
		send_error(multi, message, WIRE_ERROR_TOO_MANY_CONTEXTS, NULL);
	if (has_room || message->said.cancel || message->said.close_socket)
		obey(multi, message);
}

/* It said that it was done, or was told that we are. */
static bool is_deaf(const struct tts_multi *multi)
{
	return multi->closed || multi->close_code == SESSION_CLOSE_NORMAL;
}

static void on_message(struct session *session, char *json, size_t len)
{
	struct tts_multi *multi = multi_of(session);
	struct multi_message message;
	struct stream_fault fault;

	if (is_deaf(multi))
		return;
	multi->obeying = true;
	if (multi->door->parse(&message, &fault, json, len) != 0)
		send_error(multi, &message, fault.id, fault.detail);
	else
		tts_multi_take(multi, &message);
	multi_message_reset(&message);
	multi->obeying = false;
	close_if_done(multi);
}

static void on_binary(struct session *session)
{
	if (!is_deaf(multi_of(session)))
		session_send_error(session, NULL, WIRE_ERROR_INVALID_REQUEST,
				   "messages must be text frames");
}

static void tts_multi_on_filled(struct session *session)
{
	struct tts_multi *multi = multi_of(session);

	for (size_t i = 0; i < multi->count; ++i)
		context_filled(multi->contexts[i]);
}

static void on_drained(struct session *session)
{
	struct tts_multi *multi = multi_of(session);

	/* The first one may use all the room, so another one is first each time. */
	tts_multi_visit(multi, multi->drains++, context_drained);
}

static void on_sent(struct session *session, uint64_t tag)
{
	struct tts_multi *multi = multi_of(session);

	for (size_t i = multi->count; i-- > 0;) /* from the last: one may close */
		context_sent(multi->contexts[i], tag);
}

static void on_go_away(struct session *session)
{
	struct tts_multi *multi = multi_of(session);

	leave(multi, SESSION_CLOSE_RESTART);
	close_if_done(multi);
}

static void on_shut(struct session *session, const struct stream_fault *fault)
{
	struct tts_multi *multi = multi_of(session);

	if (multi->closed)
		return;
	multi->closed = true;
	for_each(multi, context_cut);
	session_send_fault(session, NULL, fault);
	session_close(session, code_after(multi, fault->id));
}

static void on_open(struct session *session, const struct session_opening *opening)
{
	struct tts_multi *multi = multi_of(session);
	const struct stream_fault *fault = opening->fault;

	settings_reset(&multi->settings);
	settings_copy(&multi->settings, opening->settings);
	multi->idle_ms = opening->idle_ms;
	if (!fault && (opening->settings->set & SETTING_VOICE_ID))
		return;
	session_send_error(session, NULL, fault ? fault->id : WIRE_ERROR_VOICE_NOT_FOUND,
			   fault ? fault->detail : NULL);
	multi->closed = true;
	session_close(session, ELEVENLABS_CLOSE_ERROR);
}

static const struct session_ops multi_ops = {
	.open = on_open,
	.message = on_message,
	.binary = on_binary,
	.filled = tts_multi_on_filled,
	.drained = on_drained,
	.sent = on_sent,
	.go_away = on_go_away,
	.shut = on_shut,
	.is_idle = is_idle,
};

static void tts_multi_destroy(void *object)
{
	struct tts_multi *multi = object;

	while (multi->count > 0)
		forget(multi, multi->contexts[multi->count - 1]);
	settings_reset(&multi->settings);
	session_reset(&multi->session);
}

static int alloc(struct session **sessionp, const struct session_services *services,
		 const struct peer *peer, const char *request_id, struct member *member,
		 const struct multi_door *door)
{
	struct tts_multi *multi = mem_zalloc(sizeof(*multi), tts_multi_destroy);

	if (!multi)
		return ENOMEM;
	session_init(&multi->session, &multi_ops, services, peer, request_id, member);
	multi->door = door;
	multi->session.dialect = door->dialect;
	settings_copy(&multi->settings, &settings_default);
	multi->idle_ms = TTS_MULTI_IDLE_MS;
	*sessionp = &multi->session;
	return 0;
}

int tts_multi_alloc(struct session **sessionp, const struct session_services *services,
		    const struct peer *peer, const char *request_id, struct member *member)
{
	return alloc(sessionp, services, peer, request_id, member, &door_native);
}

int tts_multi_alloc_elevenlabs(struct session **sessionp, const struct session_services *services,
			       const struct peer *peer, const char *request_id,
			       struct member *member)
{
	return alloc(sessionp, services, peer, request_id, member, &door_elevenlabs);
}
