/*
 * http.h: the server's end of HTTP/1.1.
 *
 * One thread.  A server has no socket of its own: connected descriptors are
 * given to it with http_accept (by a listener, or by a test).  A connection
 * reads one request, has it answered, then reads the next, so pipelined
 * requests are answered in order.  Memory for a request exists only from its
 * first byte to its answer.
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
	HTTP_HEAD_MAX = 16 * 1024, /* request line and headers: 431 */
	HTTP_BODY_MAX = 1024 * 1024, /* default: 413 */
	HTTP_LARGE_BODIES_MAX = 16, /* larger ones in memory at once: 503 */
	HTTP_SKIP_MAX =
		16 * 1024, /* of an unread body that is skipped to keep the connection open */
	HTTP_HEAD_MS = 10000, /* for a whole request head: 408 */
	HTTP_BODY_MS = 60000, /* and for its body */
	HTTP_IDLE_MS = 60000, /* between two requests */
	HTTP_PEER_SIZE = 64, /* for http_peer */
};

struct http_server;
struct http_conn;

/* A complete request, or its head alone (http_settings.at_head).  Lent for the handler's
 * call; a handler that answers later takes a reference.  A request whose last reference is
 * released without an answer is answered with 500. */
struct http_request {
	const char *method; /* "GET" */
	const char *path; /* percent-decoded, without the query; "": its escapes are broken */
	const char *query; /* raw, without '?'; "" when there is none */
	char *body; /* owned, may be modified; followed by a NUL; NULL: not read yet */
	size_t body_len;
};

/* How large the body of this request may be, when it may be larger than
 * body_max.  Called with its head alone.  There may be few of them at once. */
typedef size_t(http_body_max_h)(const char *method, const char *path, void *arg);

typedef void(http_request_h)(struct http_request *request, void *arg);

/* Writes the body of an answer that the server itself makes (400, 408, 413, 417,
 * 426, 431, 500, 505), as JSON. */
typedef void(http_error_h)(struct buf *body, int status, const char *reason, void *arg);

struct http_settings {
	http_request_h *request;
	http_error_h *error; /* NULL: {"error":"reason"} */
	http_body_max_h *body_max_of; /* NULL: body_max for all */
	void (*empty)(void *arg); /* the last connection has gone; may be NULL */
	void *arg; /* for all four */
	/* `request` is called as soon as the head is complete, and the body is not read
	 * before http_read_body is called: no body takes memory before its sender has been
	 * authenticated. */
	bool at_head;
	size_t body_max; /* 0: HTTP_BODY_MAX */
	size_t ws_message_max; /* 0: WS_MESSAGE_MAX */
	struct tls *tls; /* NULL: plain */
};

int http_server_alloc(struct http_server **serverp, struct loop *loop,
		      const struct http_settings *settings);

/* A new connection: takes the descriptor.  Fits listener_accept_h with the
 * server as its argument (arg). */
void http_accept(void *arg, int fd);

/* The connections that have not presented a valid key: every connection is a member until
 * http_present_key.  WebSocket connections leave at the upgrade. */
struct keyless *http_keyless(struct http_server *server);

/* The request has a valid key: its connection is authenticated from now on. */
void http_present_key(struct http_request *request);

/* The number of connections that are not WebSockets. */
size_t http_conn_count(const struct http_server *server);

/* From now on every answer closes its connection, and those that wait for another
 * request close at once.  Those that were just made may send their first. */
void http_server_drain(struct http_server *server);

/* Closes those whose request has not come, or not all of it. */
void http_server_close_unasked(struct http_server *server);

/* Connections that are accepted from now on use these certificates; the server takes a
 * reference.  One that was made without TLS stays so. */
void http_server_set_tls(struct http_server *server, struct tls *tls);

/* Ends all connections (WebSockets are their owners' business).  The server's
 * memory goes when they and the caller's reference have. */
void http_server_stop(struct http_server *server);

/* The value of a header, or NULL; names in any case.  Of several, the first. */
const char *http_header(const struct http_request *request, const char *name);

/* Whether the name of any header begins with the prefix, ignoring case. */
bool http_has_header_from(const struct http_request *request, const char *prefix);

/* The value of a query parameter as it came (not NUL-terminated; *len), or
 * NULL. */
const char *http_query_raw(const struct http_request *request, const char *name, size_t *len);

/* The same percent-decoded ('+' is a space) into out, NUL-terminated: ENOENT when
 * there is none, EINVAL for bad escapes or %00, ENOBUFS when it does not fit. */
int http_query(const struct http_request *request, const char *name, char *out, size_t size);

/* The values of a name that may come several times, one after the other: *at is NULL before
 * the first.  As http_query. */
int http_query_next(const struct http_request *request, const char *name, const char **at,
		    char *out, size_t size);

/* Reads the body of a request whose handler was called with the head alone.  0: the body is
 * complete, or there is none.  EINPROGRESS: `handler` is called when it is complete, or the
 * handler of http_on_gone if it never arrives; the caller holds the request meanwhile.
 * ECONNRESET: the client is gone.  EBUSY: too many large bodies are being read, and the
 * request was answered with 503. */
typedef void(http_body_h)(void *arg);
int http_read_body(struct http_request *request, http_body_h *handler, void *arg);

/* The client's address without its port, "" when unknown. */
void http_peer(const struct http_request *request, char out[HTTP_PEER_SIZE]);

/* Told once, if the client goes away before the answer; NULL handler: not any
 * more.  The answer may still be given (it is thrown away). */
typedef void(http_gone_h)(void *arg);
void http_on_gone(struct http_request *request, http_gone_h *handler, void *arg);

/* A header of the answer, before it is given.  EINVAL when name or value holds
 * what a header cannot. */
int http_reply_header(struct http_request *request, const char *name, const char *value);

/* The answer, once.  The body is copied; type NULL when there is none.
 * ECONNRESET when the client is gone, ENOMEM (the connection is closed). */
int http_reply(struct http_request *request, int status, const char *type, const void *body,
	       size_t len);

/* The server's own kind of answer: its body comes from settings.error. */
int http_reply_error(struct http_request *request, int status, const char *reason);

/* An answer in pieces, as they become ready: begin, any number of pieces (each
 * taken over; tag and payload as for ws_send_text), end.  The request is held
 * by the caller meanwhile.  For HTTP/1.0 the end of the connection ends the
 * body. */
int http_reply_begin(struct http_request *request, int status, const char *type);
void http_reply_piece(struct http_request *request, struct outgoing *message);
void http_reply_end(struct http_request *request);

/* The handler (NULL: none) hears true from inside the http_reply_piece after which no more should
 * be made, and false when there is room again: `filled` and `drained` of stream.h.  How it is now
 * tells http_is_full. */
typedef void(http_full_h)(void *arg, bool is_full);
void http_on_full(struct http_request *request, http_full_h *handler, void *arg);
bool http_is_full(const struct http_request *request);

/* stream_drop and stream_tell_when_sent for its pieces.  In the `gone` handler
 * http_drop tells what the end threw away. */
uint64_t http_drop(struct http_request *request, uint64_t tag);
bool http_tell_when_sent(struct http_request *request, uint64_t tag);
void http_on_sent(struct http_request *request, void (*sent)(void *arg, uint64_t tag), void *arg);

/* Ends an answer that has begun in such a way that no client takes the part for
 * the whole. */
void http_abort(struct http_request *request);

/* Whether the request asks for a WebSocket. */
bool http_wants_upgrade(const struct http_request *request);

/* Makes the connection a WebSocket, with the reply headers set so far; the
 * handlers are called from the loop, later.  When the request does not fit
 * RFC 6455, section 4.2.1, it is answered 400 or 426 and EPROTO returned;
 * ECONNRESET when the client is gone. */
int http_upgrade(struct ws **wsp, struct http_request *request, const struct ws_handlers *handlers,
		 void *arg);

#endif
