/*
 * stream.c: bytes over a connected socket (see stream.h).
 *
 *   stream_queue -> queue --flush (deferred, or when writable)--> gather
 *                         --> sendmsg, or SSL_write --> kernel
 *
 * States: OPEN -> CLOSING (the queue is still sent) -> LINGERING (we have shut down our end and
 * wait for the peer to do so, because the kernel would reset the connection and discard our last
 * bytes if bytes arrived that nobody reads) -> CLOSED (until the watch is closed).
 *
 * Runs on the loop's thread.  stream_private.h lists the other files.
 */
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/stream_private.h"

#define STREAM_READS_MAX 4 /* per wake-up, so that one sender does not occupy the loop */

/* How long a lingering stream waits without receiving anything, and how long in total.  A client
 * that writes a large body before it reads the answer that refuses it would lose that answer if the
 * connection were reset. */
#define STREAM_LINGER_MS 2000u
#define STREAM_LINGER_ALL_MS 20000u

/* All streams of a thread read into this buffer, because handlers do not keep the bytes. */
static _Thread_local char stream_read_scratch[STREAM_READ_BULK];

static void stream_on_watch_closed(void *arg)
{
	struct stream *stream = arg;
	struct outgoing *message;

	if (stream->handlers)
		stream->handlers->closed(stream->arg, stream->err);
	while ((message = stream_queue_first(stream)))
		stream_queue_discard(stream, message);
	while ((message = stream_queue_take_sent(stream)))
		outgoing_free(message);
	mem_deref(stream);
}

void stream_finish(struct stream *stream, int err)
{
	struct loop *loop = stream->watch.loop;

	if (stream->state == STREAM_CLOSED)
		return;
	stream->state = STREAM_CLOSED;
	stream->err = err;
	stream_set_keyless(stream, NULL);
	/* The messages are kept until `closed` has returned, because its handler may ask what was
	 * lost. */
	stream->queued = stream->begun = stream->pinned = 0;
	timer_clear(&loop->timers, &stream->timer);
	loop_undefer(loop, &stream->wake);
	SSL_free(stream->ssl);
	stream->ssl = NULL;
	watch_close(&stream->watch, stream_on_watch_closed);
	close(stream->fd);
	stream->fd = -1;
}

static void stream_on_limit(void *arg)
{
	struct stream *stream = arg;

	stream_finish(stream, stream->state == STREAM_LINGERING ? 0 : ETIMEDOUT);
}

static void stream_on_stall(void *arg)
{
	struct stream *stream = arg;
	struct loop *loop = stream->watch.loop;
	uint64_t due_us = stream->progress_us + stream->stall_ms * UINT64_C(1000);

	if (!stream->is_blocked || stream->queued == 0)
		return; /* the timer is set again when the stream blocks again */
	if (loop_now_us(loop) >= due_us)
		stream_finish(stream, ETIMEDOUT);
	else
		timer_set(&loop->timers, &stream->timer, due_us - loop_now_us(loop),
			  stream_on_stall, stream);
}

static void stream_update_watch(struct stream *stream)
{
	struct loop *loop = stream->watch.loop;
	int events = 0;

	if (stream->state == STREAM_CLOSED)
		return;
	if (!stream->is_ended && !(stream->is_paused && stream->state == STREAM_OPEN))
		events |= WATCH_READ;
	if ((stream->is_blocked && stream->queued > 0) || stream->wants_write)
		events |= WATCH_WRITE;
	if (stream->is_blocked && stream->queued > 0 && stream->state == STREAM_OPEN &&
	    !timer_is_set(&stream->timer)) {
		stream->progress_us = loop_now_us(loop);
		timer_set(&loop->timers, &stream->timer, stream->stall_ms * UINT64_C(1000),
			  stream_on_stall, stream);
	}
	watch_set(&stream->watch, events);
}

static bool stream_is_transient(int err)
{
	return err == EAGAIN || err == EINTR;
}

static ssize_t stream_write_plain(struct stream *stream)
{
	struct iovec pieces[STREAM_PIECES_MAX];
	struct msghdr header = {.msg_iov = pieces};
	int count;
	ssize_t n;

	stream_queue_gather(stream, pieces, &count, stream->budget);
	header.msg_iovlen = (size_t)count;
	n = sendmsg(stream->fd, &header, MSG_NOSIGNAL);
	if (n >= 0)
		return n;
	if (stream_is_transient(errno))
		return STREAM_BLOCKED;
	stream_finish(stream, errno);
	return STREAM_FAILED;
}

/* Polling the socket here takes one system call.  Waiting for the loop takes four and another
 * iteration, so that is done only if the kernel accepts nothing. */
static bool stream_renew_budget(struct stream *stream)
{
	struct pollfd fd = {.fd = stream->fd, .events = POLLOUT};

	if (poll(&fd, 1, 0) <= 0 || !(fd.revents & POLLOUT))
		return false;
	stream->budget = STREAM_BUDGET;
	return true;
}

static void stream_write_queued(struct stream *stream)
{
	while (stream->queued > 0 && !stream->is_blocked) {
		ssize_t n;

		if (stream->budget == 0 && !stream_renew_budget(stream)) {
			stream->is_blocked = true;
			return;
		}
		n = stream->ssl ? stream_tls_write(stream) : stream_write_plain(stream);
		if (n > 0)
			stream_queue_take_off(stream, (size_t)n);
		else if (n == STREAM_BLOCKED)
			stream->is_blocked = true;
		else
			return;
	}
}

static void stream_say_end(struct stream *stream)
{
	struct loop *loop = stream->watch.loop;

	if (stream->is_ended) {
		stream_finish(stream, 0);
		return;
	}
	stream->state = STREAM_LINGERING;
	if (stream->ssl) {
		ERR_clear_error();
		SSL_shutdown(stream->ssl); /* as far as possible: the peer already has every byte */
	}
	shutdown(stream->fd, SHUT_WR);
	stream->progress_us = loop_now_us(loop);
	timer_set(&loop->timers, &stream->timer, STREAM_LINGER_MS * 1000u, stream_on_limit, stream);
}

/* Extends the wait for the peer's end after more bytes have arrived and were discarded. */
static void stream_linger_on(struct stream *stream)
{
	struct loop *loop = stream->watch.loop;
	uint64_t end_us = stream->progress_us + STREAM_LINGER_ALL_MS * UINT64_C(1000);
	uint64_t now_us = loop_now_us(loop);
	uint64_t left_us = end_us > now_us ? end_us - now_us : 0;

	timer_set(&loop->timers, &stream->timer,
		  left_us < STREAM_LINGER_MS * 1000u ? left_us : STREAM_LINGER_MS * 1000u,
		  stream_on_limit, stream);
}

static void stream_tell_of_sent(struct stream *stream)
{
	struct outgoing *message;

	while (stream->state == STREAM_OPEN && (message = stream_queue_take_sent(stream))) {
		uint64_t tag = message->tag;

		outgoing_free(message);
		if (stream->handlers && stream->handlers->sent)
			stream->handlers->sent(stream->arg, tag);
	}
}

static bool stream_can_write(const struct stream *stream)
{
	return stream->state != STREAM_CLOSED && !stream->is_connecting &&
	       (!stream->ssl || stream->is_shaken);
}

void stream_push(struct stream *stream)
{
	if (stream_can_write(stream))
		stream_write_queued(stream);
}

bool stream_is_overrun(struct stream *stream)
{
	if (!stream->is_overrun)
		return false;
	stream_push(stream);
	stream->is_overrun =
		stream->state == STREAM_OPEN && stream->memory[OUTGOING_REPLY] > STREAM_REPLIES_MAX;
	return stream->is_overrun;
}

static void stream_flush(struct stream *stream)
{
	if (!stream_can_write(stream))
		return;
	stream_write_queued(stream);
	if (stream_is_overrun(stream) && stream->handlers && stream->handlers->overrun)
		stream->handlers->overrun(stream->arg);
	if (stream->state == STREAM_OPEN && stream->is_full && stream->queued <= STREAM_LOW) {
		stream->is_full = false;
		if (stream->handlers && stream->handlers->drained)
			stream->handlers->drained(stream->arg);
	}
	stream_tell_of_sent(stream);
	if (stream->state == STREAM_CLOSING && stream->queued == 0)
		stream_say_end(stream);
}

static void stream_on_end(struct stream *stream)
{
	stream->is_ended = true;
	if (stream->state == STREAM_OPEN && stream->handlers)
		stream->handlers->read(stream->arg, NULL, 0);
	else if (stream->state != STREAM_CLOSING)
		stream_finish(stream, 0);
}

static ssize_t stream_read_once(struct stream *stream)
{
	const size_t max = stream->read_kib * (size_t)1024;
	ssize_t n;

	if (stream->ssl)
		return stream_tls_read(stream, stream_read_scratch, max);
	n = recv(stream->fd, stream_read_scratch, max, 0);
	if (n > 0)
		return n;
	if (n == 0)
		return STREAM_ENDED;
	if (stream_is_transient(errno))
		return STREAM_BLOCKED;
	stream_finish(stream, errno);
	return STREAM_FAILED;
}

static void stream_read_some(struct stream *stream)
{
	for (int i = 0; i < STREAM_READS_MAX || stream_tls_holds_bytes(stream); ++i) {
		ssize_t n = stream_read_once(stream);

		if (n == STREAM_ENDED)
			stream_on_end(stream);
		if (n <= 0)
			return;
		if (stream->state == STREAM_OPEN && stream->handlers)
			stream->handlers->read(stream->arg, stream_read_scratch, (size_t)n);
		else if (stream->state == STREAM_LINGERING)
			stream_linger_on(stream);
		if (stream->state == STREAM_CLOSED ||
		    (stream->is_paused && stream->state == STREAM_OPEN))
			return;
		if (!stream->ssl && (size_t)n < stream->read_kib * (size_t)1024)
			return; /* nothing is left, so another read would only return EAGAIN */
	}
}

/* Whether the socket is connected; it becomes writable when it is. */
static bool stream_has_connected(struct stream *stream, int events)
{
	int err = 0;
	socklen_t len = sizeof(err);

	if (!stream->is_connecting)
		return true;
	if (getsockopt(stream->fd, SOL_SOCKET, SO_ERROR, &err, &len) != 0)
		err = errno;
	if (err)
		stream_finish(stream, err);
	stream->is_connecting = stream->wants_write = !(events & WATCH_WRITE);
	return !err && !stream->is_connecting;
}

static void stream_tell_opened(struct stream *stream)
{
	if (stream->is_opening && stream->handlers && stream->handlers->opened)
		stream->handlers->opened(stream->arg);
	stream->is_opening = false;
}

static void stream_on_event(void *arg, int events)
{
	struct stream *stream = arg;

	stream->wants_write = false;
	if (events & WATCH_WRITE) {
		stream->budget = STREAM_BUDGET;
		stream->is_blocked = false;
	}
	if (stream_has_connected(stream, events) && stream_tls_handshake(stream)) {
		stream_tell_opened(stream);
		/* With TLS, reads after a write too, because TLS may have been waiting for that
		 * write. */
		if (((events & WATCH_READ) || stream->ssl) && !stream->is_ended &&
		    stream->state != STREAM_CLOSED &&
		    !(stream->is_paused && stream->state == STREAM_OPEN))
			stream_read_some(stream);
		if (stream->state != STREAM_CLOSED)
			stream_flush(stream);
	}
	stream_update_watch(stream);
}

static void stream_on_wake(void *arg)
{
	struct stream *stream = arg;

	if (stream_tls_holds_bytes(stream) && !stream->is_paused && !stream->is_ended)
		stream_read_some(stream); /* bytes that a pause has left inside TLS */
	if (stream->state != STREAM_CLOSED)
		stream_flush(stream);
	stream_update_watch(stream);
}

void stream_wake(struct stream *stream)
{
	loop_defer(stream->watch.loop, &stream->wake, stream_on_wake, stream);
}

static void stream_set_options(struct stream *stream)
{
	const int on = 1;
	const int lowat = STREAM_BUDGET;

	/* Errors are ignored, because a socket pair has none of these options. */
	setsockopt(stream->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(stream->fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &lowat, sizeof(lowat));
	stream_set_stall_ms(stream, STREAM_STALL_MS);
}

static int stream_make(struct stream **streamp, struct loop *loop, int fd, struct tls *tls,
		       const char *host, const struct stream_handlers *handlers, void *arg)
{
	struct stream *stream = mem_zalloc(sizeof(*stream), NULL);
	int err = ENOMEM;

	if (!stream)
		goto out;
	if (tls && !(stream->ssl = tls_open(tls, fd, host)))
		goto out;
	err = watch_open(&stream->watch, loop, fd, stream_on_event, stream);
	if (err)
		goto out;
	list_init(&stream->queue);
	list_init(&stream->sent);
	stream->fd = fd;
	stream->handlers = handlers;
	stream->arg = arg;
	stream->budget = STREAM_BUDGET;
	stream_set_read_max(stream, STREAM_READ_MAX);
	stream_set_options(stream);
	watch_set(&stream->watch, WATCH_READ);
	*streamp = stream;
	return 0;
out:
	if (stream)
		SSL_free(stream->ssl);
	mem_deref(stream);
	close(fd);
	return err;
}

int stream_alloc(struct stream **streamp, struct loop *loop, int fd, struct tls *tls,
		 const struct stream_handlers *handlers, void *arg)
{
	return stream_make(streamp, loop, fd, tls, NULL, handlers, arg);
}

int stream_connect(struct stream **streamp, struct loop *loop, int fd, struct tls *tls,
		   const char *host, const struct stream_handlers *handlers, void *arg)
{
	struct stream *stream;
	int err = stream_make(&stream, loop, fd, tls, host, handlers, arg);

	if (err)
		return err;
	stream->is_connecting = stream->is_opening = stream->wants_write = true;
	stream_update_watch(stream);
	*streamp = stream;
	return 0;
}

void stream_set_handlers(struct stream *stream, const struct stream_handlers *handlers, void *arg)
{
	stream->handlers = handlers;
	stream->arg = arg;
}

struct loop *stream_loop(const struct stream *stream)
{
	return stream->watch.loop;
}

int stream_fd(const struct stream *stream)
{
	return stream->fd;
}

void stream_set_stall_ms(struct stream *stream, uint32_t stall_ms)
{
	stream->stall_ms = stall_ms;
	setsockopt(stream->fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &stall_ms, sizeof(stall_ms));
}

void stream_set_read_max(struct stream *stream, size_t read_max)
{
	assert(read_max > 0 && read_max <= STREAM_READ_BULK && read_max % 1024 == 0);
	stream->read_kib = (uint16_t)(read_max / 1024);
}

void stream_set_uncounted(struct stream *stream)
{
	stream->is_uncounted = true;
}

void stream_pause(struct stream *stream, bool pause)
{
	if (stream->state == STREAM_CLOSED || stream->is_paused == pause)
		return;
	stream->is_paused = pause;
	stream_update_watch(stream);
	if (!pause && stream_tls_holds_bytes(stream))
		stream_wake(stream);
}

void stream_close(struct stream *stream)
{
	struct loop *loop = stream->watch.loop;

	if (stream->state != STREAM_OPEN)
		return;
	stream->state = STREAM_CLOSING;
	if (stream->ssl && !stream->is_shaken) {
		stream_finish(stream, 0);
		return;
	}
	timer_set(&loop->timers, &stream->timer, STREAM_CLOSE_MS * 1000u, stream_on_limit, stream);
	stream_wake(stream);
}

void stream_abort(struct stream *stream, int err)
{
	stream_finish(stream, err);
}

void stream_evict(struct stream *stream, int err)
{
	struct outgoing *message;

	while ((message = stream_queue_first(stream)))
		stream_queue_discard(stream, message);
	stream_finish(stream, err);
}
