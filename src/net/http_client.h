/*
 * http_client.h: a client for HTTP/1.1, plain or TLS, on the loop.
 *
 * A call is one request and its answer, whose body is delivered in pieces as they arrive.
 * mem_deref(call) is allowed at any time, including from its handlers, and closes the connection at
 * once, so that the server stops working on the answer.  When a call is complete, its connection is
 * reused by the next call to the same origin.
 *
 * Redirects are not followed, because an API key must not be sent to a server that the operator did
 * not choose.  Proxies are not used.
 */
#ifndef NET_HTTP_CLIENT_H
#define NET_HTTP_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#include "loop/loop.h"
#include "net/http_client_parse.h"
#include "net/tls.h"
#include "net/url.h"

enum {
	HTTP_CLIENT_IDLE_MS = 30000, /* shorter than the minute or so after which servers close */
	HTTP_CLIENT_DETACH_MS = 1000, /* see http_client_detach */
	HTTP_CLIENT_IDLE_MAX = 64, /* idle connections to all origins together */
	HTTP_CLIENT_IDLE_OF_ORIGIN = 16, /* idle connections to one origin */
};

struct http_client;
struct http_call;

/* Takes a reference to tls; if that is NULL, calls to https fail.  Calls hold a reference to their
 * client. */
int http_client_alloc(struct http_client **clientp, struct loop *loop, struct tls *tls);

/* Everything in it is copied.  There is no limit on the time from the request to the end of the
 * answer: a caller that needs one must set a timer. */
struct http_call_options {
	const struct url *url;
	const char *method;
	const char *path; /* appended to the path of the url, before its query; may be NULL */
	const char *headers; /* besides Host and Content-Length, each with its CR LF; may be NULL */
	const char *body;
	size_t body_len;
	uint32_t connect_ms; /* for name resolution, the connection and the TLS handshake */
	/* Bytes on the wire, including the head and the transfer coding; a longer answer fails with
	 * EMSGSIZE. */
	size_t answer_max;
};

/* No handler is called from inside http_client_call, and none after `done`, after which the caller
 * must still dereference the call.  Each handler may dereference it.  Strings are valid during the
 * call of the handler. */
struct http_call_handlers {
	void (*head)(const struct http_client_parse *head, void *arg);
	void (*body)(const char *bytes, size_t n, void *arg);
	/* err is 0 if the answer is complete, otherwise an errno, with an explanation for the log
	 * in `why`. */
	void (*done)(int err, const char *why, void *arg);
};

/* The handlers are not copied. */
int http_client_call(struct http_call **callp, struct http_client *client,
		     const struct http_call_options *options,
		     const struct http_call_handlers *handlers, void *arg);

/* Takes over the caller's reference to a call of which the rest of the answer is not needed.  Its
 * handlers are not called any more, and if the answer ends within HTTP_CLIENT_DETACH_MS, its
 * connection can be reused.  NULL is allowed. */
void http_client_detach(struct http_call *call);

/* The number of idle connections. */
size_t http_client_idle(const struct http_client *client);

#endif
