/*
 * session.h: what every kind of session has in common.
 *
 * A session is the state of a connection.  tts_once.c, tts_stream.c, tts_multi.c and listen_stream.c are
 * the kinds (see socket_api.h); the server and the tests see only this header.  Release it with mem_deref
 * when the client has disconnected: its turns are cancelled, and booked.  Runs on the loop's
 * thread.
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/caller.h"
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

/* The most replies of one kind that may be pending: they are only counted until they can be sent.
 * When they are sent, they count like other replies that wait in the stream (STREAM_REPLIES_MAX);
 * this many, of about 200 bytes each, stay below that limit. */
#define SESSION_PENDING_MAX 1024u

struct listen_settings;
struct session;
struct turn_queue;

/* The settings in the URL of a connection, for endpoints that have them there. */
struct session_opening {
	/* All settings; without a voice if the URL names none that exists. */
	const struct settings *settings;
	unsigned idle_ms;
	const struct stream_fault *fault; /* NULL: the URL is valid */
	const struct listen_settings
		*listening; /* only for listen_stream_ops, and instead of those */
};

/* A kind of session. */
struct session_ops {
	size_t size; /* the size of its struct, whose first member is a struct session */
	void (*init)(struct session *session); /* initializes the rest of the struct */
	void (*end)(struct session *session);

	/* Called before the first message; NULL: the URL has no settings. */
	void (*open)(struct session *session, const struct session_opening *opening);

	/* A message, in a buffer that it may write to. */
	void (*message)(struct session *session, char *json, size_t len);
	void (*binary)(struct session *session, const char *bytes, size_t len);

	/* Notifications of the peer.  `filled`: no more audio should be produced; the handler may
	 * only take note of it, because the peer may be in the middle of sending.  `drained`: the
	 * peer has room again.  `sent`: everything with this tag was handed to the kernel. */
	void (*filled)(struct session *session);
	void (*drained)(struct session *session);
	void (*sent)(struct session *session, uint64_t tag);

	/* The server is shutting down: what is being spoken is finished, turns that wait are
	 * dropped, then the connection closes (1012). */
	void (*go_away)(struct session *session);
	/* Ends it at once: what is being spoken is cut off and booked, the error is sent, and the
	 * connection closes. */
	void (*shut)(struct session *session, const struct stream_fault *fault);
	bool (*is_idle)(const struct session *session);

	/* Used by session.c: `refuse` sends an error about a message as a whole; `listens` returns
	 * whether messages still have an effect. */
	void (*refuse)(struct session *session, enum wire_error_id id, const char *detail);
	bool (*listens)(const struct session *session);
};

/* The first member of each kind's struct; a tts_call has one without ops. */
struct session {
	const struct session_ops *ops;
	const struct socket_api *api; /* NULL: it is not a connection */
	const struct session_services *services;
	const struct peer *peer;
	const struct dialect *dialect;
	struct caller *caller; /* whose session it is; a reference */
	struct turn_queue *queue; /* NULL if the kind has no queue for the whole connection */
	struct settings settings; /* the settings of the next text */
	struct voice_pin pins; /* the voices it has used */
	int64_t unknown_voice_id; /* accepted while engines were loading; 0: none */
	char request_id[SESSION_REQUEST_ID_SIZE];
	/* The code to close with when everything has been spoken; 0: it stays open. */
	uint16_t close_code;
	bool closed; /* the close of the peer was called */
};

/* The kind's struct that contains a session. */
#define SESSION_OBJECT(object, type, kind)                                                         \
	(assert((object)->ops == (kind)),                                                          \
	 (type *)(uintptr_t)((const char *)(object)-offsetof(type, session)))

/* Makes the session of a connection.  `api`, `services` and `peer` are not copied and must outlive
 * it; request_id (23 characters at most) is copied, and a reference to the caller is taken. */
int session_alloc(struct session **sessionp, const struct socket_api *api,
		  const struct session_services *services, const struct peer *peer,
		  const char *request_id, struct caller *caller);

int64_t session_project_id(const struct session *session);

/* Checks that the voice in a message's settings, if there is one, exists for the session's project,
 * which the parser cannot know.  A name is replaced by its id.  EINVAL with the fault filled in. */
int session_choose_voice(struct session *session, struct settings *settings,
			 const struct settings_name *name, struct stream_fault *fault);

/* Fills in the currency, and whether the price is only the program's default. */
void session_describe_price(const struct session *session, struct reply_usage *usage);

/* Initialize and release a session that is not a connection (tts_call.c). */
void session_init(struct session *session, const struct dialect *dialect,
		  const struct session_services *services, const struct peer *peer,
		  const char *request_id, struct caller *caller);
void session_reset(struct session *session);

/* Implementations of session_ops that several kinds share: one refuses binary messages, the others
 * are for kinds with a queue. */
void session_refuse_binary(struct session *session, const char *bytes, size_t len);
void session_queue_filled(struct session *session);
void session_queue_drained(struct session *session);
void session_queue_sent(struct session *session, uint64_t tag);
bool session_queue_is_idle(const struct session *session);

/* Whether the connection accepts messages: it is not closed, and the client has not said that it
 * is finished. */
bool session_is_open(const struct session *session);

/* Like session_choose_voice; sends the error for an unknown voice. */
bool session_has_voice(struct session *session, struct stream_message *message);

/* Merges the settings, and acknowledges that. */
void session_update_settings(struct session *session, const struct settings *update);

/* peer_begin and peer_send for a message without a tag. */
struct buf *session_begin(const struct session *session, struct buf *message);
void session_send(const struct session *session, struct buf *message, int err);

/* Counts and logs an error that is sent to a client, with the id that the client has. */
void session_note_error(const struct wire_notice *notice);

/* Send an error.  `context` is a context_id as in reply.h; NULL: none. */
void session_send_error(struct session *session, const char *context, enum wire_error_id id,
			const char *detail);
void session_send_fault(struct session *session, const char *context,
			const struct stream_fault *fault);

/* The reason with which connections close on shutdown; it depends on whether another process takes
 * over. */
const char *session_shutdown_reason(const struct session_services *services);

/* Closes the peer, with the usual reason for the code. */
void session_close(struct session *session, uint16_t code);
/* The same with another reason; NULL: none. */
void session_close_because(struct session *session, uint16_t code, const char *reason);

/* Acknowledges a barge-in, if the dialect has a message for that. */
void session_send_interrupted(struct session *session, const char *context,
			      const struct reply_interruption *report);

#endif
