/*
 * http_client.h: a client for HTTP/1.1, plain or TLS, on the loop.
 *
 * A call is one request and its answer, whose body is delivered in pieces as they arrive.
 * mem_deref(call) at any time, including from its handlers, closes its connection at once, so that
 * the server knows that nobody listens any more.  A call that is done leaves its connection to the
 * next one to the same origin.
 *
 * Redirects are not followed, because a key must not be sent where the operator did not send it.
 * Proxies are not used.
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
	HTTP_CLIENT_IDLE_MAX = 64, /* connections that wait for another call, to all origins */
	HTTP_CLIENT_IDLE_OF_ORIGIN = 16, /* those of them to one origin */
};

struct http_client;
struct http_call;

/* Takes a reference to tls; without it, calls to https fail. */
int http_client_alloc(struct http_client **clientp, struct loop *loop, struct tls *tls);

/* Everything in it is copied. */
struct http_call_options {
	const struct url *url;
	const char *method;
	const char *path; /* appended to the path of the url, before its query; may be NULL */
	const char *
		headers; /* in addition to Host and Content-Length, each with its CR LF; may be NULL */
	const char *body;
	size_t body_len;
	uint32_t connect_ms; /* the name, the connection and TLS */
	size_t answer_max; /* bytes on the wire, head and codings included */
};

/* No handler is called from inside http_client_call, and none after `done`.  Each may dereference
 * the call. */
struct http_call_handlers {
	void (*head)(const struct http_client_parse *head, void *arg);
	void (*body)(const char *bytes, size_t n, void *arg);
	/* err is 0 when the answer is complete, else an errno with words for the log. */
	void (*done)(int err, const char *why, void *arg);
};

/* The handlers are not copied. */
int http_client_call(struct http_call **callp, struct http_client *client,
		     const struct http_call_options *options,
		     const struct http_call_handlers *handlers, void *arg);

/* Takes the call, of whose answer the caller needs no more: the handlers are not called any more,
 * and if it ends within HTTP_CLIENT_LEAVE_MS its connection can be used again.  NULL is allowed. */
void http_client_leave(struct http_call *call);

/* The number of connections that wait for another call. */
size_t http_client_idle(const struct http_client *client);

#endif
