/*
 * tts_multi.c: the kind of session with contexts (see tts_multi.h).
 */
#include "session/tts_multi.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "session/context.h"
#include "session/turn_queue.h"
#include "wire/multi_message.h"
#include "wire/reply.h"

struct tts_multi {
	struct session session;
	struct context *contexts[TTS_MULTI_CONTEXTS_MAX]; /* in order of creation */
	size_t count;
	size_t drains; /* counts calls of `drained` */
	unsigned idle_ms;
	bool applying; /* a message is being applied, and more of it may need an answer */
	double audio_seconds; /* the sum of the contexts that are closed */
};

static struct tts_multi *tts_multi_of(struct session *session)
{
	return SESSION_OBJECT(session, struct tts_multi, &tts_multi_ops);
}

static void tts_multi_forget(struct tts_multi *multi, struct context *context)
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

static bool tts_multi_is_idle(const struct session *session)
{
	const struct tts_multi *multi =
		SESSION_OBJECT(session, const struct tts_multi, &tts_multi_ops);

	for (size_t i = 0; i < multi->count; ++i) {
		if (!context_is_idle(multi->contexts[i]))
			return false;
	}
	return true;
}

/* During shutdown, a context with nothing to speak gets no context_closed, because a client that
 * reconnects creates it again. */
static void tts_multi_close_if_done(struct tts_multi *multi)
{
	const struct dialect *dialect = multi->session.dialect;
	bool is_shutdown = multi->session.close_code != SESSION_CLOSE_NORMAL;
	struct buf message;

	if (!multi->session.close_code || multi->session.closed || multi->applying)
		return;
	if (is_shutdown ? !tts_multi_is_idle(&multi->session) : multi->count > 0)
		return;
	multi->session.closed = true;
	while (multi->count > 0)
		tts_multi_forget(multi, multi->contexts[multi->count - 1]);
	if (!is_shutdown && dialect->contexts_closed)
		session_send(&multi->session, &message,
			     dialect->contexts_closed(session_begin(&multi->session, &message),
						      multi->audio_seconds));
	session_close(&multi->session, multi->session.close_code);
}

/* Closes the connection when the current turns have been spoken; turns that wait are dropped. */
static void tts_multi_close_when_spoken(struct tts_multi *multi, uint16_t code)
{
	if (multi->session.close_code)
		return;
	multi->session.close_code = code;
	for (size_t i = 0; i < multi->count; ++i)
		context_go_away(multi->contexts[i]);
}

static uint16_t tts_multi_code_after(const struct tts_multi *multi, enum wire_error_id id)
{
	uint16_t code = wire_error_close_code(id);

	return code && multi->session.api->error_code ? multi->session.api->error_code : code;
}

/* A context has ended with an error that affects the whole connection. */
static void tts_multi_on_context_failed(void *arg, enum wire_error_id id)
{
	struct tts_multi *multi = arg;
	uint16_t code = tts_multi_code_after(multi, id);

	if (code)
		tts_multi_close_when_spoken(multi, code);
}

static void tts_multi_on_context_closing(void *arg, struct context *context)
{
	tts_multi_forget(arg, context);
}

static void tts_multi_on_context_closed(void *arg)
{
	tts_multi_close_if_done(arg);
}

/* Visits all contexts in order of creation, beginning with index `start`.  Contexts may be removed
 * meanwhile; all that existed at the beginning are visited. */
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

static void tts_multi_for_each(struct tts_multi *multi, void (*act)(struct context *context))
{
	tts_multi_visit(multi, 0, act);
}

static struct context *tts_multi_find(const struct tts_multi *multi,
				      const struct multi_message *message)
{
	for (size_t i = 0; message->context_id && i < multi->count; ++i) {
		if (context_has_id(multi->contexts[i], message->context_id,
				   message->context_id_len))
			return multi->contexts[i];
	}
	return NULL;
}

/* Sends an error with the context_id of the message, whether the context exists or not. */
static void tts_multi_send_error(struct tts_multi *multi, const struct multi_message *message,
				 enum wire_error_id id, const char *detail)
{
	struct buf json;

	buf_init(&json, REPLY_CONTEXT_MAX + 1);
	if (!message->context_id ||
	    reply_context_id(&json, message->context_id, message->context_id_len) == 0)
		session_send_error(&multi->session, json.bytes, id, detail);
	buf_reset(&json);
}

/* Answers a message that closes or cancels a context that does not exist.  The usage is that of a
 * context that never spoke, with the model of the session, so that every context_closed has the
 * same keys. */
static void tts_multi_send_closed(struct tts_multi *multi, const struct multi_message *message,
				  bool say_interrupted)
{
	struct session *session = &multi->session;
	const struct dialect *dialect = session->dialect;
	struct reply_usage usage = {
		.turn_ids = "", .model_id = multi->session.settings.model_id, .cost_known = true};
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

static size_t tts_multi_unspoken(const struct tts_multi *multi)
{
	size_t bytes = 0;

	for (size_t i = 0; i < multi->count; ++i)
		bytes += context_unspoken(multi->contexts[i]);
	return bytes;
}

static size_t tts_multi_open_contexts(const struct tts_multi *multi)
{
	size_t open = 0;

	for (size_t i = 0; i < multi->count; ++i)
		open += context_takes_input(multi->contexts[i]);
	return open;
}

static bool tts_multi_is_full(const struct tts_multi *multi)
{
	return multi->count == TTS_MULTI_CONTEXTS_MAX ||
	       tts_multi_open_contexts(multi) >= multi->session.api->contexts_max;
}

static void tts_multi_cut_if_dropped(struct context *context)
{
	if (context_is_dropped(context))
		context_cut(context);
}

/* If the connection is full, cuts contexts that only wait for their rows.  If that is not enough
 * and the API lets contexts that are closing yield to new ones (closing_yields), cuts the oldest of
 * those. */
static void tts_multi_cut_for_room(struct tts_multi *multi)
{
	if (tts_multi_is_full(multi))
		tts_multi_for_each(multi, tts_multi_cut_if_dropped);
	if (multi->count < TTS_MULTI_CONTEXTS_MAX || !multi->session.api->closing_yields ||
	    tts_multi_open_contexts(multi) >= multi->session.api->contexts_max)
		return;
	for (size_t i = 0; i < multi->count; ++i) {
		if (!context_takes_input(multi->contexts[i])) {
			context_cut(multi->contexts[i]);
			return;
		}
	}
}

static void tts_multi_add_context(struct tts_multi *multi, const struct multi_message *message)
{
	const struct context_owner owner = {
		.session = &multi->session,
		.idle_ms = multi->idle_ms,
		.closing = tts_multi_on_context_closing,
		.closed = tts_multi_on_context_closed,
		.failed = tts_multi_on_context_failed,
		.arg = multi,
	};
	struct settings settings;

	settings_copy(&settings, &multi->session.settings);
	settings_merge(&settings, &message->voice);
	if (multi->session.api->closing_yields)
		tts_multi_for_each(multi, context_yield);
	if (context_alloc(&multi->contexts[multi->count], &owner, message->context_id,
			  message->context_id_len, &settings) != 0)
		tts_multi_send_error(multi, message, WIRE_ERROR_INTERNAL, NULL);
	else
		++multi->count;
	settings_reset(&settings);
}

static bool tts_multi_says_something(const struct multi_message *message)
{
	return message->said.has_text &&
	       (message->said.text_surrogate ||
		!turn_queue_is_blank(message->said.text, message->said.text_len));
}

/* Text, even a space, or voice settings create a context.  A message that only ends one does
 * not. */
static bool tts_multi_makes_context(const struct multi_message *message)
{
	const struct stream_message *said = &message->said;

	if (message->stop_context)
		return false; /* text that is not flushed would not be spoken */
	if (message->close_context)
		return !message->immediate && tts_multi_says_something(message);
	return message->has_voice_settings ||
	       (said->has_text && (said->text_len > 0 || said->text_surrogate));
}

/* Makes room for the context that a message creates, before any of the message is applied.  False
 * when there is none. */
static bool tts_multi_make_room(struct tts_multi *multi, const struct multi_message *message)
{
	const struct context *context = tts_multi_find(multi, message);

	if (!message->context_id || multi->session.close_code ||
	    !tts_multi_makes_context(message) || (context && context_takes_input(context)))
		return true;
	if (context) /* tts_multi_find_living cuts it, or the message is for it */
		return tts_multi_open_contexts(multi) < multi->session.api->contexts_max;
	tts_multi_cut_for_room(multi);
	return !tts_multi_is_full(multi);
}

/* A client that sends more to a context that it has closed was interrupted and does not want the
 * rest: clients flush after the close, close again, or start over. */
static struct context *tts_multi_find_living(struct tts_multi *multi,
					     const struct multi_message *message)
{
	struct context *context = tts_multi_find(multi, message);

	if (!context || context_takes_input(context) ||
	    (!multi->session.api->reuses_ids && !context_is_dropped(context)))
		return context;
	if (tts_multi_makes_context(message) || message->said.emit || message->stop_context) {
		context_cut(context);
		return NULL;
	}
	return multi->session.api->reuses_ids ? NULL : context;
}

static struct context *tts_multi_find_or_make(struct tts_multi *multi,
					      const struct multi_message *message)
{
	struct context *context = tts_multi_find_living(multi, message);

	/* A connection that is about to close starts nothing: the client starts it on another one.
	 * If the connection is full, the error was sent before. */
	if (context || multi->session.close_code || !tts_multi_makes_context(message) ||
	    tts_multi_is_full(multi))
		return context;
	tts_multi_add_context(multi, message);
	return tts_multi_find(multi, message);
}

static void tts_multi_take_text(struct tts_multi *multi, struct context *context,
				struct multi_message *message)
{
	size_t bytes = tts_multi_unspoken(multi);
	size_t room = bytes < TTS_MULTI_UNSPOKEN_MAX ? TTS_MULTI_UNSPOKEN_MAX - bytes : 0;

	multi_message_join(message, context_surrogate(context));
	context_set_surrogate(context, message->said.text_surrogate);
	context_text(context, message->said.text, message->said.text_len, room);
}

/* A message may have several roles; they are applied in this order. */
static void tts_multi_apply_in(struct tts_multi *multi, struct context *context,
			       struct multi_message *message)
{
	mem_ref(context);
	if (message->has_voice_settings)
		context_configure_voice(context, &message->voice);
	if (message->close_context && message->immediate) {
		context_cut(context);
	} else {
		if (message->said.has_text)
			tts_multi_take_text(multi, context, message);
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

static void tts_multi_cancel_if_open(struct context *context)
{
	if (context_takes_input(context))
		context_cancel(context);
}

static void tts_multi_cancel(struct tts_multi *multi, const struct multi_message *message)
{
	struct context *context = tts_multi_find(multi, message);

	if (context)
		context_cancel(context);
	else if (message->context_id)
		tts_multi_send_closed(multi, message, true);
	else if (tts_multi_open_contexts(multi) > 0)
		tts_multi_for_each(multi, tts_multi_cancel_if_open);
	else
		session_send_interrupted(&multi->session, NULL, NULL);
}

/* The first output_format applies to the whole connection and sets its sample rate: a sample_rate
 * in the same or a later message has no effect; tts_multi_is_acceptable has checked that they do
 * not conflict. */
static void tts_multi_configure(struct tts_multi *multi, struct multi_message *message)
{
	struct settings *settings = &message->said.settings;

	if ((multi->session.settings.set | settings->set) & SETTING_OUTPUT_FORMAT)
		settings->set &= ~(unsigned)SETTING_SAMPLE_RATE;
	settings_merge(&multi->session.settings, settings);
	for (size_t i = 0; settings->set && i < multi->count; ++i)
		context_configure(multi->contexts[i], settings);
	if (!message->inactivity_ms)
		return;
	multi->idle_ms = message->inactivity_ms;
	for (size_t i = 0; i < multi->count; ++i)
		context_set_idle_ms(multi->contexts[i], multi->idle_ms);
}

static void tts_multi_apply(struct tts_multi *multi, struct multi_message *message)
{
	struct context *context;

	tts_multi_configure(multi, message);
	if (message->said.has_update)
		session_update_settings(&multi->session, &message->said.update);
	if (message->said.cancel)
		tts_multi_cancel(multi, message);
	context = message->context_id ? tts_multi_find_or_make(multi, message) : NULL;
	if (context)
		tts_multi_apply_in(multi, context, message);
	else if (message->close_context)
		tts_multi_send_closed(multi, message, false);
	if (message->said.close_socket) {
		multi->session.close_code = SESSION_CLOSE_NORMAL;
		tts_multi_for_each(multi, context_close);
	}
}

static bool tts_multi_has_voice(struct tts_multi *multi, const struct multi_message *message,
				struct settings *settings, const struct settings_name *name)
{
	struct stream_fault fault;

	if (session_choose_voice(&multi->session, settings, name, &fault) == 0)
		return true;
	tts_multi_send_error(multi, message, fault.id, fault.detail);
	return false;
}

/* Checks that the message does not request another format than the connection has.  EINVAL with the
 * fault filled in. */
static int tts_multi_check_format(const struct tts_multi *multi, const struct settings *settings,
				  struct stream_fault *fault)
{
	struct settings both = *settings; /* a shallow copy, which must not be reset */
	const struct audio_format *is_set = &multi->session.settings.format;
	struct audio_format format;

	if (!(multi->session.settings.set & SETTING_OUTPUT_FORMAT))
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

/* Checks what the parser cannot know: whether voices and contexts exist, and which format was
 * set. */
static bool tts_multi_is_acceptable(struct tts_multi *multi, struct multi_message *message)
{
	const struct context *context = tts_multi_find(multi, message);
	struct stream_fault fault;

	if (tts_multi_check_format(multi, &message->said.settings, &fault) != 0) {
		tts_multi_send_error(multi, message, fault.id, fault.detail);
		return false;
	}
	if (!tts_multi_has_voice(multi, message, &message->said.settings,
				 &message->said.voice_name) ||
	    !tts_multi_has_voice(multi, message, &message->voice, &message->voice_name))
		return false;
	if (!message->context_id &&
	    (tts_multi_says_something(message) || message->said.flush || message->close_context)) {
		tts_multi_send_error(multi, message, WIRE_ERROR_INVALID_REQUEST,
				     "context_id is required");
		return false;
	}
	if (context && !context_takes_input(context) && !context_is_dropped(context) &&
	    !multi->session.api->reuses_ids && !message->said.cancel && !message->immediate &&
	    !multi->session.close_code && tts_multi_says_something(message)) {
		tts_multi_send_error(multi, message, WIRE_ERROR_INVALID_REQUEST,
				     "the context is closing; its id is free after context_closed");
		return false;
	}
	return true;
}

/* A message that would create one context too many is answered with an error.  It is applied
 * nevertheless if it also cancels, or closes the socket. */
static void tts_multi_take(struct tts_multi *multi, struct multi_message *message)
{
	bool has_room;

	if (!tts_multi_is_acceptable(multi, message))
		return;
	has_room = tts_multi_make_room(multi, message);
	if (!has_room)
		tts_multi_send_error(multi, message, WIRE_ERROR_TOO_MANY_CONTEXTS, NULL);
	if (has_room || message->said.cancel || message->said.close_socket)
		tts_multi_apply(multi, message);
}

static void tts_multi_on_message(struct session *session, char *json, size_t len)
{
	struct tts_multi *multi = tts_multi_of(session);
	struct multi_message message;
	struct stream_fault fault;

	if (!session_is_open(session))
		return;
	multi->applying = true;
	if (session->api->parse_multi(&message, &fault, json, len) != 0)
		tts_multi_send_error(multi, &message, fault.id, fault.detail);
	else
		tts_multi_take(multi, &message);
	multi_message_reset(&message);
	multi->applying = false;
	tts_multi_close_if_done(multi);
}

static void tts_multi_refuse(struct session *session, enum wire_error_id id, const char *detail)
{
	session_send_error(session, NULL, id, detail);
}

static void tts_multi_on_filled(struct session *session)
{
	struct tts_multi *multi = tts_multi_of(session);

	for (size_t i = 0; i < multi->count; ++i)
		context_filled(multi->contexts[i]);
}

static void tts_multi_on_drained(struct session *session)
{
	struct tts_multi *multi = tts_multi_of(session);

	/* The first context may use all of the room, so each time a different one is first. */
	tts_multi_visit(multi, multi->drains++, context_drained);
}

static void tts_multi_on_sent(struct session *session, uint64_t tag)
{
	struct tts_multi *multi = tts_multi_of(session);

	/* Backwards, because a context may be removed. */
	for (size_t i = multi->count; i-- > 0;)
		context_sent(multi->contexts[i], tag);
}

static void tts_multi_on_go_away(struct session *session)
{
	struct tts_multi *multi = tts_multi_of(session);

	tts_multi_close_when_spoken(multi, SESSION_CLOSE_RESTART);
	tts_multi_close_if_done(multi);
}

static void tts_multi_on_shut(struct session *session, const struct stream_fault *fault)
{
	struct tts_multi *multi = tts_multi_of(session);

	if (multi->session.closed)
		return;
	multi->session.closed = true;
	tts_multi_for_each(multi, context_cut);
	session_send_fault(session, NULL, fault);
	session_close(session, tts_multi_code_after(multi, fault->id));
}

static void tts_multi_on_open(struct session *session, const struct session_opening *opening)
{
	struct tts_multi *multi = tts_multi_of(session);
	const struct stream_fault *fault = opening->fault;

	settings_reset(&multi->session.settings);
	settings_copy(&multi->session.settings, opening->settings);
	multi->idle_ms = opening->idle_ms;
	if (!fault && (opening->settings->set & SETTING_VOICE_ID))
		return;
	session_send_error(session, NULL, fault ? fault->id : WIRE_ERROR_VOICE_NOT_FOUND,
			   fault ? fault->detail : NULL);
	multi->session.closed = true;
	session_close(session, session->api->error_code);
}

static void tts_multi_init(struct session *session)
{
	tts_multi_of(session)->idle_ms = TTS_MULTI_IDLE_MS;
}

static void tts_multi_end(struct session *session)
{
	struct tts_multi *multi = tts_multi_of(session);

	while (multi->count > 0)
		tts_multi_forget(multi, multi->contexts[multi->count - 1]);
}

const struct session_ops tts_multi_ops = {
	.size = sizeof(struct tts_multi),
	.init = tts_multi_init,
	.end = tts_multi_end,
	.open = tts_multi_on_open,
	.message = tts_multi_on_message,
	.binary = session_refuse_binary,
	.filled = tts_multi_on_filled,
	.drained = tts_multi_on_drained,
	.sent = tts_multi_on_sent,
	.go_away = tts_multi_on_go_away,
	.shut = tts_multi_on_shut,
	.is_idle = tts_multi_is_idle,
	.refuse = tts_multi_refuse,
	.listens = session_is_open,
};
