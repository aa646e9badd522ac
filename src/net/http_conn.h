/*
 * http_conn.h: internals that the files of the HTTP server share.
 *
 * A connection is on its server's list until its stream has closed or it has become a WebSocket.
 * While a request is read, the connection owns it.  While it is answered, the two only point to
 * each other, and the one that is freed first clears the pointer of the other.
 */
#ifndef NET_HTTP_CONN_H
#define NET_HTTP_CONN_H

#include "net/http.h"
#include "net/http_parse.h"
#include "net/stream.h"

struct http_server {
	struct loop *loop;
	struct http_settings settings;
	struct list conns;
	struct keyless keyless;
	unsigned large_bodies; /* requests that may have a larger body than settings.body_max */
	unsigned streamed_bodies; /* requests whose body is being read in pieces */
	struct deferred emptied;
	bool is_draining;
	bool is_stopped;
};

struct http_conn {
	struct link link;
	struct keyless_member keyless;
	struct http_server *server;
	struct stream *stream;
	struct http_exchange *request; /* the one that is being read or answered */
	struct buf early; /* bytes that arrived after the request that is being answered */
	struct timer timer;
	struct deferred next;
	uint32_t skip; /* bytes of an unread body, still to be skipped */
	bool is_answering;
	bool has_answered; /* at least one request, so that it may be closed when idle */
	bool is_ended; /* the client has closed its end */
	bool is_closing; /* the last answer has been given */
};

/* A request and its answer.  The public part must be the first member. */
struct http_exchange {
	struct http_request public;
	struct http_conn *conn; /* NULL once the request is answered or the client is gone */
	struct http_parse parse;
	struct buf headers; /* of the answer */
	/* The server, with a reference, and its counter in which this request is counted now. */
	struct http_server *counted_by;
	unsigned *counter;
	http_body_h *body_handler; /* NULL: settings.request is called with the body */
	http_piece_h *piece_handler; /* NULL: the body is collected */
	void *body_arg; /* for both */
	uint64_t body_left_us; /* what was left of the time limit when the clock was stopped */
	size_t body_timed; /* the length of the body when the time limit began */
	http_gone_h *gone;
	void *gone_arg;
	http_full_h *full;
	void *full_arg;
	void (*sent)(void *arg, uint64_t tag);
	void *sent_arg;
	struct stream *ended; /* the connection's stream, while `gone` is being called */
	bool awaits_body; /* the body is being read */
	bool is_body_held; /* the handler of pieces takes no more for now */
	bool has_begun; /* http_reply_begin was called */
	bool is_chunked; /* the body is sent with the chunked transfer coding */
	bool must_close;
};

static inline struct http_exchange *http_exchange_of(const struct http_request *request)
{
	return (struct http_exchange *)(uintptr_t)request;
}

/* http.c: whether the connection must be closed after this answer, because the unread rest of the
 * body is longer than HTTP_SKIP_MAX, or because the client waits for 100-continue. */
bool http_conn_must_end(const struct http_exchange *request);

/* http.c: called when the answer is queued; continues with the next request, or closes the
 * connection. */
void http_conn_answered(struct http_conn *conn, struct http_exchange *request);

/* http.c: removes and frees a connection whose stream was closed or now belongs to a WebSocket. */
void http_conn_remove(struct http_conn *conn);

/* http.c: sets the time limit of what the connection is doing. */
void http_conn_set_timer(struct http_conn *conn, uint64_t us);

/* http.c: continues with bytes that have arrived already, from the loop. */
void http_conn_continue(struct http_conn *conn);

/* http_body.c: begins to read the body of the connection's request.  EBUSY if too many of its kind
 * are being read already. */
int http_body_begin(struct http_conn *conn);

/* http_body.c: passes what has arrived of a body to its handler of pieces, and the end of the body if
 * it is complete.  The handler may answer the request. */
void http_body_pass_on(struct http_conn *conn);

/* http_body.c: the request does not count among those whose bodies are being read any more. */
void http_body_uncount(struct http_exchange *request);

/* http_body.c: the reason of a 503 when http_body_begin has returned EBUSY. */
extern const char http_body_no_room[];

/* http_reply.c: called by the destructor of a request that was not answered; answers with 500. */
void http_reply_missing(struct http_exchange *request);

#endif
