/*
 * session.h: what every kind of connection has in common, whatever its protocol.
 *
 * tts_once.c, tts_stream.c and tts_multi.c are the kinds; the server's glue and the tests see only
 * this.  mem_deref when the client is gone: what still runs is cancelled, and booked.
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/member.h"
#include "session/services.h"
#include "session/socket_api.h"
#include "session/voice_pins.h"
#include "wire/fault.h"

/* Close codes of RFC 6455 and the IANA registry, and the protocol's own
 * (wire_error_close_code). */
enum {
	SESSION_CLOSE_NORMAL = 1000,
	SESSION_CLOSE_POLICY = 1008,
	SESSION_CLOSE_INTERNAL = 1011,
	SESSION_CLOSE_RESTART = 1012,
	SESSION_CLOSE_KEY_ENDED = 4001,
	SESSION_CLOSE_NO_CREDIT = 4003,
	SESSION_CLOSE_RATE_LIMITED = 4029,
};

#define SESSION_REQUEST_ID_SIZE 24

/* Limits replies of one kind that are owed and only counted until they can be sent.  Once
 * sent, they count like any other reply waiting in the stream (STREAM_REPLIES_MAX): this
 * many, of about 200 bytes each, stay below that limit. */
#define SESSION_OWED_MAX 1024u

struct session;
struct turn_queue;

/* What the address of a connection said, where an endpoint reads settings there. */
struct session_opening {
	const struct settings *settings; /* all of them; without a voice none was found */
	unsigned idle_ms;
	const struct stream_fault *fault; /* NULL: it can be understood */
};

/* A kind of session. */
struct session_ops {
	size_t size; /* of its struct, whose first member is a struct session */
	void (*init)(struct session *session); /* the rest of it */
	void (*end)(struct session *session);

	/* Before the first message; NULL: its addresses say nothing. */
	void (*open)(struct session *session, const struct session_opening *opening);

	/* A message, in a buffer that it may write to. */
	void (*message)(struct session *session, char *json, size_t len);
	void (*binary)(struct session *session, const char *bytes, size_t len);

	/* From the peer: nothing more should be made, which is only taken note of, because the peer
	 * may be sending; it has room again; all of a tag was handed over. */
	void (*filled)(struct session *session);
	void (*drained)(struct session *session);
	void (*sent)(struct session *session, uint64_t tag);

	/* The server is going away: what speaks is finished, what waits is not begun, then the
	 * connection closes (1012). */
	void (*go_away)(struct session *session);
	/* At once: what speaks is cut off and booked, the error is sent, and the connection
	 * closes. */
	void (*shut)(struct session *session, const struct stream_fault *fault);
	bool (*is_idle)(const struct session *session);

	/* For session.c: sends an error about a message as a whole; whether messages are still
	 * obeyed. */
	void (*refuse)(struct session *session, enum wire_error_id id, const char *detail);
	bool (*listens)(const struct session *session);
};

/* The first member of each kind; a tts_call has one without ops. */
struct session {
	const struct session_ops *ops;
	const struct socket_api *api; /* NULL: it is no connection's */
	const struct session_services *services;
	const struct peer *peer;
	const struct dialect *dialect;
	struct member *member; /* whose it is */
	struct turn_queue *queue; /* the kind's, if it has one for the whole connection */
	struct settings settings; /* of what is said next */
	struct voice_pin pins; /* the voices it has used */
	int64_t unknown_voice_id; /* accepted while engines were loading; 0: none */
	char request_id[SESSION_REQUEST_ID_SIZE];
	uint16_t close_code; /* to close with when all has been spoken; 0: it stays open */
	bool closed; /* the peer was told to close */
};

/* The kind's struct around a session. */
#define SESSION_OBJECT(object, type, kind)                                                         \
	(assert((object)->ops == (kind)),                                                          \
	 (type *)(uintptr_t)((const char *)(object)-offsetof(type, session)))

/* A connection's session.  `api`, `services` and `peer` are not copied; request_id (23 characters
 * at most) is, and a reference to the member is kept. */
int session_alloc(struct session **sessionp, const struct socket_api *api,
		  const struct session_services *services, const struct peer *peer,
		  const char *request_id, struct member *member);

int64_t session_project_id(const struct session *session);

/* What the parser cannot know: the voice of a message's settings, when they have one, is
 * there for the session's project.  A name is made its number; EINVAL with the fault
 * filled in. */
int session_choose_voice(struct session *session, struct settings *settings,
			 const struct settings_name *name, struct stream_fault *fault);

/* Fills in the currency, and whether the price is only the program's default. */
void session_describe_price(const struct session *session, struct reply_usage *usage);

/* Fills in a session that is no connection's, and resets it. */
void session_init(struct session *session, const struct dialect *dialect,
		  const struct session_services *services, const struct peer *peer,
		  const char *request_id, struct member *member);
void session_reset(struct session *session);

/* Parts of the kinds.  Binary messages are refused; the queue's are for those that have one. */
void session_refuse_binary(struct session *session, const char *bytes, size_t len);
void session_queue_filled(struct session *session);
void session_queue_drained(struct session *session);
void session_queue_sent(struct session *session, uint64_t tag);
bool session_queue_is_idle(const struct session *session);

/* Whether the connection takes messages: it is not closed, and the client has not said that it is
 * done. */
bool session_is_open(const struct session *session);

/* As session_choose_voice; a voice that is not there is refused. */
bool session_has_voice(struct session *session, struct stream_message *message);

/* Merges the settings, and acknowledges that. */
void session_update_settings(struct session *session, const struct settings *update);

/* peer_begin and peer_send for a message without a tag. */
struct buf *session_begin(const struct session *session, struct buf *message);
void session_send(const struct session *session, struct buf *message, int err);

/* Counts an error that a client reads, and leaves a line in the log with the id that the
 * client has. */
void session_note_error(const struct wire_notice *notice);

/* context: as in reply.h. */
void session_send_error(struct session *session, const char *context, enum wire_error_id id,
			const char *detail);
void session_send_fault(struct session *session, const char *context,
			const struct stream_fault *fault);

/* Why the server sends its clients away: another process takes its place, or none does. */
const char *session_leave_reason(const struct session_services *services);

/* Closes the peer, with the reason that goes with the code. */
void session_close(struct session *session, uint16_t code);
/* The same with a reason that the code does not imply; NULL: none. */
void session_close_because(struct session *session, uint16_t code, const char *reason);

/* A barge-in is acknowledged, where the dialect has a word for it. */
void session_send_interrupted(struct session *session, const char *context,
			      const struct reply_interruption *report);

#endif
