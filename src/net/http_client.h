/*
 * http_client.h: HTTP/1.1 requests of ours, plain or TLS, on the loop.
 *
 * A call is one request and its answer, whose body is given in pieces as they
 * come.  mem_deref(call) at any time, from its handlers too, closes its
 * connection at once, so that the server knows that nobody listens any more; a
 * call that is done leaves its connection to the next one of the same origin.
 *
 * Redirects are not followed (a key must not go where the operator did not send
 * it), and proxies are not asked.
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
	HTTP_CLIENT_IDLE_MS = 30000, /* servers close theirs after a minute or so */
	HTTP_CLIENT_LEAVE_MS = 1000, /* for the last bytes of an answer */
	HTTP_CLIENT_IDLE_MAX = 64, /* connections that wait for a next call … */
	HTTP_CLIENT_IDLE_OF_ORIGIN = 16, /* … and of them to one origin */
};

struct http_client;
struct http_call;

/* tls is referenced; NULL: calls to https fail. */
int http_client_alloc(struct http_client **clientp, struct loop *loop, struct tls *tls);

/* All of it is copied. */
struct http_call_options {
	const struct url *url;
	const char *method;
	const char *path; /* behind the url's own and before its query; may be NULL */
	const char *headers; /* besides Host and Content-Length, each with its CR LF; may be NULL */
	const char *body;
	size_t body_len;
	uint32_t connect_ms; /* the name, the connection and TLS */
	size_t answer_max; /* bytes on the wire, head and codings included */
};

/* None is called from inside http_client_call, and none after `done`.  Each may
 * dereference the call. */
struct http_call_handlers {
	void (*head)(const struct http_client_parse *head, void *arg);
	void (*body)(const char *bytes, size_t n, void *arg);
	/* 0 when the answer is whole, else an errno and words for the log. */
	void (*done)(int err, const char *why, void *arg);
};

/* The handlers are not copied. */
int http_client_call(struct http_call **callp, struct http_client *client,
		     const struct http_call_options *options,
		     const struct http_call_handlers *handlers, void *arg);

/* Takes the call, whose answer has said all that matters: the handlers hear
 * nothing more, and if it ends within HTTP_CLIENT_LEAVE_MS its connection may be
 * used again.  NULL is allowed. */
void http_client_leave(struct http_call *call);

/* Connections that wait for a next call. */
size_t http_client_idle(const struct http_client *client);

#endif
