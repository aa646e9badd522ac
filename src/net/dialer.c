/*
 * dialer.c: connects to servers without blocking (see dialer.h).
 *
 *   resolve ─> connect, address by address ─> TLS
 */
#include "net/dialer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "loop/resolve.h"

#define WHY_SIZE 512

struct dialer {
	struct loop *loop;
	struct tls *tls;
	struct resolver *resolver;
};

struct dialing {
	struct dialer *dialer;
	struct url url;
	dialer_h *handler;
	void *arg;
	struct resolve *resolve;
	const struct addrinfo *next; /* the address to try when the current one fails */
	struct stream *stream; /* to the current address; NULL: none, or it was passed on */
	struct timer timer; /* the limit for the current address */
	uint64_t deadline_us; /* for all of them */
};

static void dialer_on_opened(void *arg);
static void dialer_on_read(void *arg, char *bytes, size_t n);
static void dialer_on_closed(void *arg, int err);

static const struct stream_handlers dialer_stream_handlers = {
	.opened = dialer_on_opened, .read = dialer_on_read, .closed = dialer_on_closed};

static struct timers *dialer_timers(const struct dialing *dialing)
{
	return &dialing->dialer->loop->timers;
}

static void dialer_close_stream(struct dialing *dialing)
{
	if (!dialing->stream)
		return;
	stream_set_handlers(dialing->stream, NULL, NULL);
	stream_abort(dialing->stream, 0);
	dialing->stream = NULL;
}

/* Nothing may be done after this, because the handler may have released the dialing. */
static void dialer_fail(struct dialing *dialing, int err, const char *why)
{
	timer_clear(dialer_timers(dialing), &dialing->timer);
	dialing->handler(NULL, err, why, dialing->arg);
}

static void dialer_on_opened(void *arg)
{
	struct dialing *dialing = arg;
	struct stream *stream = dialing->stream;

	timer_clear(dialer_timers(dialing), &dialing->timer);
	dialing->resolve = mem_deref(dialing->resolve);
	dialing->next = NULL;
	dialing->stream = NULL;
	dialing->handler(stream, 0, NULL, dialing->arg);
}

/* Nothing is delivered before a connection is open, and then it has other handlers. */
static void dialer_on_read(void *arg, char *bytes, size_t n)
{
	(void)arg;
	(void)bytes;
	(void)n;
}

static int dialer_start_connecting(struct dialing *dialing, const struct addrinfo *to)
{
	struct dialer *dialer = dialing->dialer;
	int fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return errno;
	if (connect(fd, to->ai_addr, to->ai_addrlen) != 0 && errno != EINPROGRESS) {
		int err = errno;

		close(fd);
		return err;
	}
	return stream_connect(&dialing->stream, dialer->loop, fd,
			      dialing->url.is_tls ? dialer->tls : NULL, dialing->url.host,
			      &dialer_stream_handlers, dialing);
}

static void dialer_try_next(struct dialing *dialing, int err);

static void dialer_on_late(void *arg)
{
	struct dialing *dialing = arg;

	dialer_close_stream(dialing);
	dialer_try_next(dialing, ETIMEDOUT);
}

/* Each address gets an equal share of the remaining time, so that one that does not answer leaves
 * time for the others. */
static void dialer_set_share(struct dialing *dialing)
{
	uint64_t now_us = dialing->dialer->loop->timers.now_us;
	uint64_t left_us = dialing->deadline_us > now_us ? dialing->deadline_us - now_us : 0;
	unsigned count = 0;

	for (const struct addrinfo *a = dialing->next; a; a = a->ai_next)
		++count;
	timer_set(dialer_timers(dialing), &dialing->timer, left_us / (count ? count : 1),
		  dialer_on_late, dialing);
}

/* `err` is the error of the previous address. */
static void dialer_try_next(struct dialing *dialing, int err)
{
	char why[WHY_SIZE];

	while (dialing->next) {
		const struct addrinfo *to = dialing->next;

		dialer_set_share(dialing);
		dialing->next = to->ai_next;
		err = dialer_start_connecting(dialing, to);
		if (!err)
			return;
	}
	/* Before its time the peer may also close the connection without an error. */
	err = err ? err : ECONNRESET;
	url_explain(why, sizeof(why), &dialing->url, err, false, false);
	dialing->resolve = mem_deref(dialing->resolve); /* it may be too late for an answer */
	dialer_fail(dialing, err, why);
}

static void dialer_on_closed(void *arg, int err)
{
	struct dialing *dialing = arg;

	dialing->stream = NULL;
	dialer_try_next(dialing, err);
}

static void dialer_on_resolved(const struct addrinfo *found, const char *words, void *arg)
{
	struct dialing *dialing = arg;
	char why[WHY_SIZE];

	if (found) {
		dialing->next = found;
		dialer_try_next(dialing, EADDRNOTAVAIL);
		return;
	}
	snprintf(why, sizeof(why), "%s: %s", dialing->url.authority, words);
	dialer_fail(dialing, EADDRNOTAVAIL, why);
}

static void dialer_dialing_destroy(void *object)
{
	struct dialing *dialing = object;

	timer_clear(dialer_timers(dialing), &dialing->timer);
	mem_deref(dialing->resolve);
	dialer_close_stream(dialing);
	mem_deref(dialing->dialer);
}

int dialer_dial(struct dialing **dialingp, struct dialer *dialer, const struct url *url,
		uint32_t timeout_ms, dialer_h *handler, void *arg)
{
	struct dialing *dialing;

	if (url->is_tls && !dialer->tls)
		return EPROTONOSUPPORT;
	dialing = mem_zalloc(sizeof(*dialing), dialer_dialing_destroy);
	if (!dialing)
		return ENOMEM;
	dialing->dialer = mem_ref(dialer);
	dialing->url = *url;
	dialing->url.target = NULL; /* it points into the caller's text, which may be freed */
	dialing->handler = handler;
	dialing->arg = arg;
	dialing->deadline_us = dialer->loop->timers.now_us + timeout_ms * UINT64_C(1000);
	timer_set(dialer_timers(dialing), &dialing->timer, timeout_ms * UINT64_C(1000),
		  dialer_on_late, dialing);
	if (resolve_start(&dialing->resolve, dialer->resolver, dialing->url.host, dialing->url.port,
			  dialer_on_resolved, dialing) != 0) {
		mem_deref(dialing);
		return ENOMEM;
	}
	*dialingp = dialing;
	return 0;
}

static void dialer_destroy(void *object)
{
	struct dialer *dialer = object;

	mem_deref(dialer->resolver);
	mem_deref(dialer->tls);
}

int dialer_alloc(struct dialer **dialerp, struct loop *loop, struct tls *tls)
{
	struct dialer *dialer = mem_zalloc(sizeof(*dialer), dialer_destroy);
	int err;

	if (!dialer)
		return ENOMEM;
	dialer->loop = loop;
	dialer->tls = mem_ref(tls);
	err = resolver_alloc(&dialer->resolver, loop);
	if (err)
		mem_deref(dialer);
	else
		*dialerp = dialer;
	return err;
}

struct loop *dialer_loop(const struct dialer *dialer)
{
	return dialer->loop;
}
