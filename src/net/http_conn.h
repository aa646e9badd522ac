/*
 * http_conn.h: what the files of the HTTP server share; not for others.
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
	unsigned large_bodies; /* requests that may have one */
	struct deferred emptied;
	bool is_draining;
	bool is_stopped;
};

struct http_conn {
	struct link link;
	struct keyless_member keyless;
	struct http_server *server;
	struct stream *stream;
	struct request *request; /* the one that is being read or answered */
	struct buf waiting; /* bytes that arrived after the request that is being answered */
	struct timer timer;
	struct deferred next;
	uint32_t skip; /* bytes of an unread body, still to be skipped */
	bool is_answering;
	bool has_answered; /* a request, so that the client can do without another */
	bool is_ended; /* the client has sent everything */
	bool is_closing; /* the last answer was given */
};

/* A request and what its answer needs; begins with the public part. */
struct request {
	struct http_request public;
	struct http_conn *conn; /* NULL once answered or gone */
	struct http_parse parse;
	struct buf headers; /* of the answer */
	struct http_server *room; /* its server, while its body may be large; held */
	http_body_h *body_handler; /* NULL: the handler of requests */
	void *body_arg;
	http_gone_h *gone;
	void *gone_arg;
	http_full_h *full;
	void *full_arg;
	void (*sent)(void *arg, uint64_t tag);
	void *sent_arg;
	struct stream *ended; /* the connection's, while its end is told */
	bool awaits_body; /* the body is being read */
	bool has_begun; /* http_reply_begin was called */
	bool is_chunked; /* and the body goes out in chunks */
	bool must_close;
};

static inline struct request *request_of(const struct http_request *request)
{
	return (struct request *)(uintptr_t)request;
}

/* http.c: whether the connection must close after this answer, because more of the body is
 * still to come than we are willing to skip, or because the client waits for 100-continue. */
bool http_conn_must_end(const struct request *request);

/* http.c: the answer is queued; continues with the next request, or closes the connection. */
void http_conn_answered(struct http_conn *conn, struct request *request);

/* http.c: hands the stream over to a WebSocket and frees the connection. */
void http_conn_leave(struct http_conn *conn);

/* http_reply.c: the request is freed without an answer; called by its destructor. */
void http_reply_missing(struct request *request);

#endif
