/*
 * http.h: an HTTP/1.1 server.
 *
 * Everything runs on the loop's thread.  The server does not listen: a listener or a test gives it
 * connected descriptors with http_accept.  A connection reads one request, waits for its answer,
 * then reads the next, so pipelined requests are answered in order.  Memory for a request is
 * allocated with its first byte and freed after its answer.  Servers and requests are released with
 * mem_deref.
 */
#ifndef NET_HTTP_H
#define NET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "loop/loop.h"
#include "net/keyless.h"
#include "net/tls.h"
#include "net/ws.h"

enum {
	/* The status after each limit is the answer to a request that exceeds it. */
	HTTP_HEAD_MAX = 16 * 1024, /* bytes of request line and headers: 431 */
	HTTP_BODY_MAX = 1024 * 1024, /* bytes of a body, unless the settings say otherwise: 413 */
	HTTP_LARGE_BODIES_MAX = 16, /* concurrent requests with a larger body than that: 503 */
	HTTP_STREAMED_BODIES_MAX = 256, /* concurrent http_stream_body, each 256 KiB at most: 503 */
	HTTP_HEAD_MS = 10000, /* to receive a complete head: 408 */
	HTTP_BODY_MS = 60000, /* to receive a complete body: 408 */
	/* Bytes of a streamed body that must arrive in each HTTP_BODY_MS, a megabyte as for other
	 * bodies: an upload may be slow, but must not stand still. */
	HTTP_STREAMED_PACE = 1024 * 1024,

	/* If more of a body than this is unread when the request is answered, the connection is
	 * closed; otherwise the rest is skipped and the connection stays open. */
	HTTP_SKIP_MAX = 16 * 1024,
	HTTP_IDLE_MS = 60000, /* between two requests, after which the connection is closed */
	HTTP_PEER_SIZE = 64, /* for http_peer */
};

struct http_server;
struct http_conn;

/* A complete request, or only its head (see http_settings.at_head).  It is valid during the call of
 * the handler, so a handler that answers later must take a reference.  A request whose last
 * reference is released without an answer is answered with 500. */
struct http_request {
	const char *method; /* "GET" */
	const char *path; /* percent-decoded, without the query; "" if an escape is invalid */
	const char *query; /* raw, without '?'; "" if there is none */
	char *body; /* owned by the request, may be modified, ends with a NUL; NULL: not read yet */
	size_t body_len;
};

/* Returns the maximum length of this request's body, for requests that may have a larger body than
 * body_max.  Called when only the head has been read.  At most HTTP_LARGE_BODIES_MAX such requests
 * are read as a whole at the same time. */
typedef size_t(http_body_max_h)(const char *method, const char *path, void *arg);

typedef void(http_request_h)(struct http_request *request, void *arg);

/* Writes the JSON body of an answer that the server itself gives (400, 408, 413, 417, 426, 431,
 * 500, 501, 503, 505) or that http_reply_error gives. */
typedef void(http_error_h)(struct buf *body, int status, const char *reason, void *arg);

struct http_settings {
	http_request_h *request;
	http_error_h *error; /* NULL: the body is {"error":"reason"} */
	http_body_max_h *body_max_of; /* NULL: body_max applies to all requests */
	void (*empty)(void *arg); /* called when the last connection has ended; may be NULL */
	void *arg; /* for all four handlers */
	/* Calls `request` as soon as the head is complete.  The body is read only when
	 * http_read_body or http_stream_body is called, so no body takes memory before its sender has been
	 * authenticated. */
	bool at_head;
	size_t body_max; /* 0: HTTP_BODY_MAX */
	size_t ws_message_max; /* 0: WS_MESSAGE_MAX */
	struct tls *tls; /* NULL: without TLS */
};

/* Copies the settings, and takes a reference to settings->tls. */
int http_server_alloc(struct http_server **serverp, struct loop *loop,
		      const struct http_settings *settings);

/* Adds a connection; takes ownership of the descriptor.  This is a listener_accept_h whose `arg` is
 * the server. */
void http_accept(void *arg, int fd);

/* The connections that have not presented a valid key: every connection is a member until
 * http_present_key.  WebSocket connections leave at the upgrade. */
struct keyless *http_keyless(struct http_server *server);

/* Call this when the request has presented a valid key: its connection counts as authenticated from
 * then on. */
void http_present_key(struct http_request *request);

/* The number of connections that are not WebSockets. */
size_t http_conn_count(const struct http_server *server);

/* Begins to shut down: from now on every answer closes its connection, and connections that wait
 * for another request are closed at once.  A new connection may still send its first request. */
void http_server_drain(struct http_server *server);

/* Closes the connections that have not sent a complete request. */
void http_server_close_unasked(struct http_server *server);

/* Sets the certificates of connections that are accepted from now on; the server takes a reference.
 * A server that was created without TLS stays without it. */
void http_server_set_tls(struct http_server *server, struct tls *tls);

/* Closes all connections except WebSockets, which belong to their owners.  The server is freed when
 * its connections and the caller's reference are gone. */
void http_server_stop(struct http_server *server);

/* Returns the value of the first header with this name, ignoring case, or NULL. */
const char *http_header(const struct http_request *request, const char *name);

/* Whether the name of any header begins with the prefix, ignoring case. */
bool http_has_header_from(const struct http_request *request, const char *prefix);

/* Returns the value of a query parameter without decoding it, or NULL.  It has *len bytes and no
 * NUL. */
const char *http_query_raw(const struct http_request *request, const char *name, size_t *len);

/* Decodes the value of a query parameter ('+' is a space) into out and adds a NUL.  ENOENT if there
 * is no such parameter, EINVAL for an invalid escape or %00, ENOBUFS if it does not fit. */
int http_query(const struct http_request *request, const char *name, char *out, size_t size);

/* Like http_query for a parameter that may occur several times.  Each call decodes the next value;
 * *at must be NULL before the first call. */
int http_query_next(const struct http_request *request, const char *name, const char **at,
		    char *out, size_t size);

/* Reads the body of a request whose handler was called after the head.  Returns 0 if the body is
 * complete or there is none; EINPROGRESS if `handler` will be called when it is complete, or the
 * handler of http_on_gone if it never arrives (the caller must hold a reference meanwhile);
 * ECONNRESET if the client is gone; EBUSY if too many large bodies are being read, and then the
 * request has been answered with 503. */
typedef void(http_body_h)(void *arg);
int http_read_body(struct http_request *request, http_body_h *handler, void *arg);

/* Reads the body of a request whose handler was called after the head in pieces, as they arrive, so
 * that it is never in memory as a whole.  `handler` gets the next bytes, which are valid during the
 * call, and returns how many of them it takes.  If it takes fewer than all, it is called again only
 * after http_resume_body, with the rest and what came meanwhile, and the connection soon stops
 * reading; that time does not count towards the time limit.  After the last byte it is called once
 * with n = 0.  It may answer the request, and then is not called again.
 *
 * Returns what http_read_body returns: 0 if there is no body, and then the handler is not called.
 * The handler of http_on_gone is called if the rest of the body never arrives, exceeds the maximum
 * or is malformed, which is answered with 408, 413 or 400, or breaks off an answer that has begun.  A
 * client that goes away while the handler takes nothing may not be noticed. */
typedef size_t(http_piece_h)(void *arg, const char *bytes, size_t n);
int http_stream_body(struct http_request *request, http_piece_h *handler, void *arg);

/* The handler of http_stream_body can take more: it is called from the loop. */
void http_resume_body(struct http_request *request);

/* Writes the client's address without its port; "" if it is unknown. */
void http_peer(const struct http_request *request, char out[HTTP_PEER_SIZE]);

/* Sets the handler that is called once if the client closes the connection, or its sending end,
 * before the request has been answered, or if the body that is being read does not
 * arrive; NULL removes it.  An answer may still be given.  It reaches a client that has closed only
 * its sending end; otherwise it is discarded. */
typedef void(http_gone_h)(void *arg);
void http_on_gone(struct http_request *request, http_gone_h *handler, void *arg);

/* Adds a header to the answer; must be called before the answer is given or begun.  EINVAL if the
 * name or the value contains a character that a header cannot, ENOBUFS if all headers together
 * exceed HTTP_HEAD_MAX. */
int http_reply_header(struct http_request *request, const char *name, const char *value);

/* Answers the request; may be called once.  The body is copied; type is NULL if there is none.  To
 * a HEAD request only the head is sent.  ECONNRESET if the client is gone.  ENOMEM closes the
 * connection. */
int http_reply(struct http_request *request, int status, const char *type, const void *body,
	       size_t len);

/* Answers with a body that settings.error writes. */
int http_reply_error(struct http_request *request, int status, const char *reason);

/* Answers in pieces, as they become ready: begin, any number of pieces, end.  The server takes over
 * each piece (see net/outgoing.h), and discards it if the client is gone.  The caller must hold a
 * reference meanwhile; if it releases the last one without http_reply_end, the answer is broken off
 * as by http_abort.  http_reply_begin returns the errors of http_reply.  In HTTP/1.0 the end of the
 * connection marks the end of the body. */
int http_reply_begin(struct http_request *request, int status, const char *type);
void http_reply_piece(struct http_request *request, struct outgoing *message);
void http_reply_end(struct http_request *request);

/* Sets the handler for backpressure, or NULL.  It is called with true from inside the
 * http_reply_piece after which the caller should stop, and with false when it may continue: these
 * are `filled` and `drained` of stream.h.  http_is_full returns the present state. */
typedef void(http_full_h)(void *arg, bool is_full);
void http_on_full(struct http_request *request, http_full_h *handler, void *arg);
bool http_is_full(const struct http_request *request);

/* stream_drop and stream_notify_when_sent for the pieces of this answer; http_on_sent sets the
 * handler that is called for each http_notify_when_sent.  Called from the http_on_gone handler,
 * http_drop returns what was lost with the connection. */
uint64_t http_drop(struct http_request *request, uint64_t tag);
bool http_notify_when_sent(struct http_request *request, uint64_t tag);
void http_on_sent(struct http_request *request, void (*sent)(void *arg, uint64_t tag), void *arg);

/* Breaks off an answer that has begun, so that no client mistakes it for a complete one. */
void http_abort(struct http_request *request);

/* Whether the request asks for a WebSocket. */
bool http_wants_upgrade(const struct http_request *request);

/* Makes the connection a WebSocket.  The response has the headers that were added so far, and the
 * handlers, which are not copied, are called later, from the loop.  EPROTO if the request violates
 * RFC 6455, section 4.2.1, and then it has been answered with 400 or 426; ECONNRESET if the client
 * is gone or has closed its sending end; other errors close the connection. */
int http_upgrade(struct ws **wsp, struct http_request *request, const struct ws_handlers *handlers,
		 void *arg);

#endif
