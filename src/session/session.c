/*
 * session.c: what every kind of session has in common (see session.h).
 */
#include "session/session.h"

#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/log.h"
#include "base/mem.h"
#include "metrics/metrics.h"
#include "session/turn_queue.h"
#include "wire/reply.h"

#define NAME_SHOWN_MAX 64 /* how much of an unknown voice's name the error contains */

void session_init(struct session *session, const struct dialect *dialect,
		  const struct session_services *services, const struct peer *peer,
		  const char *request_id, struct caller *caller)
{
	session->services = services;
	session->peer = peer;
	session->dialect = dialect;
	session->caller = mem_ref(caller);
	settings_copy(&session->settings, &settings_default);
	snprintf(session->request_id, sizeof(session->request_id), "%s", request_id);
}

void session_reset(struct session *session)
{
	session->caller = mem_deref(session->caller);
	settings_reset(&session->settings);
	voice_pins_reset(&session->pins);
}

static void session_destroy(void *object)
{
	struct session *session = object;

	session->ops->end(session);
	session_reset(session);
}

int session_alloc(struct session **sessionp, const struct socket_api *api,
		  const struct session_services *services, const struct peer *peer,
		  const char *request_id, struct caller *caller)
{
	struct session *session = mem_zalloc(api->kind->size, NULL);

	if (!session)
		return ENOMEM;
	session_init(session, api->dialect, services, peer, request_id, caller);
	session->ops = api->kind;
	session->api = api;
	api->kind->init(session);
	mem_set_destructor(session, session_destroy);
	*sessionp = session;
	return 0;
}

void session_refuse_binary(struct session *session, const char *bytes, size_t len)
{
	(void)bytes;
	(void)len;
	if (session->ops->listens(session))
		session->ops->refuse(session, WIRE_ERROR_INVALID_REQUEST,
				     "messages must be text frames");
}

void session_queue_filled(struct session *session)
{
	turn_queue_filled(session->queue);
}

void session_queue_drained(struct session *session)
{
	turn_queue_drained(session->queue);
}

void session_queue_sent(struct session *session, uint64_t tag)
{
	turn_queue_sent(session->queue, tag);
}

bool session_queue_is_idle(const struct session *session)
{
	return session->queue->turns.count == 0;
}

bool session_is_open(const struct session *session)
{
	return !session->closed && session->close_code != SESSION_CLOSE_NORMAL;
}

int64_t session_project_id(const struct session *session)
{
	return caller_project_id(session->caller);
}

void session_describe_price(const struct session *session, struct reply_usage *usage)
{
	const struct prices *prices = session->services->prices;

	usage->currency = prices->currency;
	usage->has_default_price = prices->is_default && !caller_is_charged(session->caller);
}

int session_choose_voice(struct session *session, struct settings *settings,
			 const struct settings_name *name, struct stream_fault *fault)
{
	const struct voices *voices = session->services->voices;
	int64_t project_id = session_project_id(session);
	const struct voice *voice;

	if (!(settings->set & SETTING_VOICE_ID))
		return 0;
	voice = name->text ? voices_find_named(voices, project_id, name->text, name->len)
			   : voices_find_for(voices, project_id, settings->voice_id);
	if (!voice && name->text)
		return fault_set(fault, services_unknown_voice(session->services), "voice_id %.*s",
				 name->len < NAME_SHOWN_MAX ? (int)name->len : NAME_SHOWN_MAX,
				 name->text);
	/* An id is kept if it may belong to an engine that is still loading: turns are refused
	 * until it has loaded, and spoken after that. */
	if (!voice && services_unknown_voice(session->services) == WIRE_ERROR_VOICE_NOT_FOUND)
		return fault_set(fault, WIRE_ERROR_VOICE_NOT_FOUND, "voice_id %lld",
				 (long long)settings->voice_id);
	session->unknown_voice_id = voice ? 0 : settings->voice_id;
	if (voice)
		settings->voice_id = voice->id;
	return 0;
}

bool session_has_voice(struct session *session, struct stream_message *message)
{
	struct stream_fault fault;

	if (session_choose_voice(session, &message->settings, &message->voice_name, &fault) == 0)
		return true;
	session->ops->refuse(session, fault.id, fault.detail);
	return false;
}

void session_update_settings(struct session *session, const struct settings *update)
{
	struct buf message;

	settings_merge(&session->settings, update);
	if (session->dialect->settings_updated)
		session_send(session, &message,
			     session->dialect->settings_updated(session_begin(session, &message),
								&session->settings));
}

struct buf *session_begin(const struct session *session, struct buf *message)
{
	return peer_begin(session->peer, message);
}

void session_send(const struct session *session, struct buf *message, int err)
{
	peer_send(session->peer, message, err, 0, 0);
}

void session_note_error(const struct wire_notice *notice)
{
	const struct wire_error *error = wire_error_get(notice->id);

	metrics_add_named(METRIC_ERRORS, error->code, 1);
	log_line(error->number >= 500 ? LOG_WARN : LOG_DEBUG, "session",
		 "an error code=%s status=%d request=%s", error->code, error->number,
		 notice->request_id ? notice->request_id : "");
}

static void session_send_notice(struct session *session, const char *context,
				const struct wire_notice *notice)
{
	struct buf message;

	session_send(session, &message,
		     session->dialect->error(session_begin(session, &message), context, notice));
	session_note_error(notice);
}

void session_send_error(struct session *session, const char *context, enum wire_error_id id,
			const char *detail)
{
	const struct wire_notice notice = {
		.id = id, .detail = detail, .request_id = session->request_id};

	session_send_notice(session, context, &notice);
}

void session_send_fault(struct session *session, const char *context,
			const struct stream_fault *fault)
{
	const struct wire_notice notice = {
		.id = fault->id,
		.retry_s = fault->retry_s,
		.detail = fault->detail,
		.request_id = session->request_id,
	};

	session_send_notice(session, context, &notice);
}

const char *session_shutdown_reason(const struct session_services *services)
{
	return services->has_successor ? "server restarting" : "server stopping";
}

void session_close(struct session *session, uint16_t code)
{
	const struct {
		uint16_t code;
		const char *reason;
	} reasons[] = {
		{SESSION_CLOSE_POLICY, "the error sent before has the reason"},
		{SESSION_CLOSE_RESTART, session_shutdown_reason(session->services)},
		{SESSION_CLOSE_KEY_ENDED, "Unauthorized"},
		{SESSION_CLOSE_NO_CREDIT, "Insufficient credits"},
		{SESSION_CLOSE_RATE_LIMITED, "Rate limit exceeded"},
	};
	const char *reason = NULL;

	for (size_t i = 0; i < COUNT(reasons); ++i) {
		if (reasons[i].code == code)
			reason = reasons[i].reason;
	}
	session_close_because(session, code, reason);
}

void session_close_because(struct session *session, uint16_t code, const char *reason)
{
	session->peer->ops->close(session->peer->peer, code, reason);
}

void session_send_interrupted(struct session *session, const char *context,
			      const struct reply_interruption *report)
{
	const struct dialect *dialect = session->dialect;
	uint64_t read_us = session->services->timers->now_us;
	uint64_t now_us = clock_monotonic_us();
	struct buf message;

	if (dialect->interrupted)
		session_send(
			session, &message,
			dialect->interrupted(session_begin(session, &message), context, report));
	metrics_add(METRIC_CANCELS, 1);
	metrics_observe(METRIC_CANCEL_TIME, now_us > read_us ? now_us - read_us : 0);
}
