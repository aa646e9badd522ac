/*
 * session.c: what every kind of connection shares (see session.h).
 */
#include "session/session.h"

#include <stdio.h>

#include "wire/reply.h"

void session_init(struct session *session, const struct session_ops *ops,
		  const struct session_services *services, const struct peer *peer,
		  const char *request_id, int64_t key_id, int64_t project_id)
{
	session->ops = ops;
	session->services = services;
	session->peer = peer;
	session->dialect = &dialect_native;
	session->key_id = key_id;
	session->project_id = project_id;
	snprintf(session->request_id, sizeof(session->request_id), "%s", request_id);
}

bool session_has_voice(const struct session *session, const struct settings *settings)
{
	return voices_find_for(session->services->voices, session->project_id,
			       settings->voice_id) != NULL;
}

struct buf *session_scratch(struct session *session)
{
	session->services->scratch->len = 0;
	return session->services->scratch;
}

void session_send(struct session *session, int err)
{
	const struct buf *message = session->services->scratch;

	if (err || message->len == 0)
		return;
	session->peer->ops->send(session->peer->peer, message->bytes, message->len, 0, 0);
}

void session_send_error(struct session *session, const char *context, enum wire_error_id id,
			const char *detail)
{
	const struct wire_notice notice = {
		.id = id, .detail = detail, .request_id = session->request_id};

	session_send(session, session->dialect->error(session_scratch(session), context, &notice));
}
