/*
 * stream.c: bytes over a connected socket (see stream.h).
 *
 *   stream_queue -> queue --flush (deferred, or when writable)--> gather
 *                         --> sendmsg, or SSL_write --> kernel
 *
 * States: OPEN -> CLOSING (sends what is queued) -> LINGERING (has said its end,
 * waits for the peer's, so that the kernel does not throw the last bytes away
 * because of unread ones) -> CLOSED (waits for the watch).
 */
#include "net/stream.h"

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
#include "metrics/metrics.h"

#define READS_MAX 4 /* per wake-up, so that one sender does not keep the loop */
#define PIECES_MAX 64 /* messages in one sendmsg */
#define RECORD_MAX (16u * 1024u) /* the longest TLS record */

/* How long to wait for the peer's end after ours, and for how long in all while more of what it was
 * sending keeps coming.  A client that writes a large body before it reads the answer that
 * refuses it would lose that answer if the connection were reset under it. */
#define LINGER_MS 2000u
#define LINGER_ALL_MS 20000u

enum { OPEN, CLOSING, LINGERING, CLOSED };

/* What a write or read says besides a count of bytes. */
enum { BLOCKED = 0, ENDED = -1, FAILED = -2 };

struct stream {
	struct watch watch;
	SSL *ssl; /* NULL: plain */
	const struct stream_handlers *handlers;
	void *arg;
	struct deferred wake;
	struct timer timer; /* the stall when open, else the limit of this state */
	struct list queue;
	struct list sent; /* messages that were handed on and whose owner is to be told */
	size_t queued; /* bytes, without those already handed on */
	size_t begun; /* bytes of the first message already handed on */
	size_t pinned; /* bytes at the front that SSL_write must be given again */
	size_t budget; /* bytes the kernel may still be given */
	uint64_t progress_us;
	struct keyless_member *keyless; /* who is charged for the queue's memory; NULL: nobody */
	uint32_t memory[OUTGOING_KINDS]; /* of the messages in the queue */
	uint32_t stall_ms;
	int fd;
	int err;
	uint16_t read_kib; /* that are read at once */
	uint8_t state;
	bool is_connecting;
	bool is_opening; /* `opened` is still to come */
	bool is_shaken; /* the TLS handshake is done */
	bool is_paused;
	bool is_ended; /* the peer has sent all it will */
	bool is_blocked;
	bool is_full;
	bool is_overrun; /* a reply was queued beyond the limit; not handled yet */
	bool wants_write; /* TLS must write before it can go on */
};

/* Every read of the thread lands here; handlers are done with it when they
 * return. */
static _Thread_local char read_scratch[STREAM_READ_MAX];
static _Thread_local char record_scratch[RECORD_MAX];

static struct outgoing *first(const struct stream *stream)
{
	struct link *link = list_first(&stream->queue);

	return link ? LIST_OBJECT(link, struct outgoing, link) : NULL;
}

static void stream_take_from_queue(struct stream *stream, struct outgoing *message)
{
	stream->memory[message->kind] -= outgoing_memory(message);
	if (stream->keyless)
		keyless_count_queued(stream->keyless, -(ptrdiff_t)outgoing_memory(message));
	list_remove(&stream->queue, &message->link);
}

static void discard(struct stream *stream, struct outgoing *message)
{
	stream_take_from_queue(stream, message);
	outgoing_free(message);
}

static struct outgoing *take_sent(struct stream *stream)
{
	struct link *link = list_first(&stream->sent);

	if (!link)
		return NULL;
	list_remove(&stream->sent, link);
	return LIST_OBJECT(link, struct outgoing, link);
}

static void on_watch_closed(void *arg)
{
	struct stream *stream = arg;
	struct outgoing *message;

	if (stream->handlers)
		stream->handlers->closed(stream->arg, stream->err);
	while ((message = first(stream)))
		discard(stream, message);
	while ((message = take_sent(stream)))
		outgoing_free(message);
	mem_deref(stream);
}

static void finish(struct stream *stream, int err)
{
	struct loop *loop = stream->watch.loop;

	if (stream->state == CLOSED)
		return;
	stream->state = CLOSED;
	stream->err = err;
	stream_set_keyless(stream, NULL);
	/* The messages stay until `closed` has returned: it asks what was lost. */
	stream->queued = stream->begun = stream->pinned = 0;
	timer_clear(&loop->timers, &stream->timer);
	loop_undefer(loop, &stream->wake);
	SSL_free(stream->ssl);
	stream->ssl = NULL;
	watch_close(&stream->watch, on_watch_closed);
	close(stream->fd);
	stream->fd = -1;
}

static void on_limit(void *arg)
{
	struct stream *stream = arg;

	finish(stream, stream->state == LINGERING ? 0 : ETIMEDOUT);
}

static void on_stall(void *arg)
{
	struct stream *stream = arg;
	struct loop *loop = stream->watch.loop;
	uint64_t due_us = stream->progress_us + stream->stall_ms * UINT64_C(1000);

	if (!stream->is_blocked || stream->queued == 0)
		return; /* set again when it blocks again */
	if (loop_now_us(loop) >= due_us)
		finish(stream, ETIMEDOUT);
	else
		timer_set(&loop->timers, &stream->timer, due_us - loop_now_us(loop), on_stall,
			  stream);
}

static void update_watch(struct stream *stream)
{
	struct loop *loop = stream->watch.loop;
	int events = 0;

	if (stream->state == CLOSED)
		return;
	if (!stream->is_ended && !(stream->is_paused && stream->state == OPEN))
		events |= WATCH_READ;
	if ((stream->is_blocked && stream->queued > 0) || stream->wants_write)
		events |= WATCH_WRITE;
	if (stream->is_blocked && stream->queued > 0 && stream->state == OPEN &&
	    !timer_is_set(&stream->timer)) {
		stream->progress_us = loop_now_us(loop);
		timer_set(&loop->timers, &stream->timer, stream->stall_ms * UINT64_C(1000),
			  on_stall, stream);
	}
	watch_set(&stream->watch, events);
}

static bool is_transient(int err)
{
	return err == EAGAIN || err == EINTR;
}

/* What an SSL_* call that returned n <= 0 meant. */
static int tls_outcome(struct stream *stream, int n)
{
	switch (SSL_get_error(stream->ssl, n)) {
	case SSL_ERROR_WANT_READ:
		return BLOCKED;
	case SSL_ERROR_WANT_WRITE:
		stream->wants_write = true;
		return BLOCKED;
	case SSL_ERROR_ZERO_RETURN:
		return ENDED;
	case SSL_ERROR_SYSCALL:
		finish(stream, errno ? errno : ECONNRESET);
		return FAILED;
	default:
		finish(stream, SSL_is_server(stream->ssl) ? EPROTO : tls_errno(stream->ssl));
		return FAILED;
	}
}

/* Messages from the front, up to max bytes and PIECES_MAX pieces. */
static size_t gather(const struct stream *stream, struct iovec *pieces, int *count, size_t max)
{
	const struct list *queue = &stream->queue;
	size_t skip = stream->begun;
	size_t total = 0;

	*count = 0;
	for (struct link *l = list_first(queue); l && total < max && *count < PIECES_MAX;
	     l = list_next(queue, l)) {
		struct outgoing *message = LIST_OBJECT(l, struct outgoing, link);
		size_t len = outgoing_total(message) - skip;

		if (len > max - total)
			len = max - total;
		pieces[*count].iov_base = message->bytes + OUTGOING_ROOM - message->head + skip;
		pieces[*count].iov_len = len;
		++*count;
		total += len;
		skip = 0;
	}
	return total;
}

static ssize_t write_plain(struct stream *stream)
{
	struct iovec pieces[PIECES_MAX];
	struct msghdr header = {.msg_iov = pieces};
	int count;
	ssize_t n;

	gather(stream, pieces, &count, stream->budget);
	header.msg_iovlen = (size_t)count;
	n = sendmsg(stream->fd, &header, MSG_NOSIGNAL);
	if (n >= 0)
		return n;
	if (is_transient(errno))
		return BLOCKED;
	finish(stream, errno);
	return FAILED;
}

/* One record.  A write that could not be finished must be tried again with the
 * same bytes: they stay at the front, pinned. */
static ssize_t write_tls(struct stream *stream)
{
	struct iovec pieces[PIECES_MAX];
	size_t max = stream->budget < RECORD_MAX ? stream->budget : RECORD_MAX;
	size_t total = 0;
	int count;
	int n;

	if (stream->pinned > 0)
		max = stream->pinned;
	gather(stream, pieces, &count, max);
	for (int i = 0; i < count; ++i) {
		memcpy(record_scratch + total, pieces[i].iov_base, pieces[i].iov_len);
		total += pieces[i].iov_len;
	}
	ERR_clear_error();
	n = SSL_write(stream->ssl, record_scratch, (int)total);
	if (n > 0) {
		stream->pinned = 0;
		return n;
	}
	stream->pinned = total;
	return tls_outcome(stream, n);
}

static void put_with_sent(struct stream *stream, struct outgoing *message)
{
	stream_take_from_queue(stream, message);
	list_append(&stream->sent, &message->link);
}

/* n bytes from the front were handed on. */
static void take_off(struct stream *stream, size_t n)
{
	metrics_add(METRIC_BYTES, n);
	stream->queued -= n;
	stream->budget -= n < stream->budget ? n : stream->budget;
	stream->progress_us = loop_now_us(stream->watch.loop);
	while (n > 0) {
		struct outgoing *message = first(stream);
		size_t left;

		assert(message); /* as many bytes are queued */
		left = outgoing_total(message) - stream->begun;
		if (n < left) {
			stream->begun += n;
			return;
		}
		n -= left;
		stream->begun = 0;
		if (message->tells_sent)
			put_with_sent(stream, message);
		else
			discard(stream, message);
	}
}

/* Asking the kernel directly is one system call; being told by the loop takes
 * four and a turn of it, so that is left for those who must wait. */
static bool renew_budget(struct stream *stream)
{
	struct pollfd fd = {.fd = stream->fd, .events = POLLOUT};

	if (poll(&fd, 1, 0) <= 0 || !(fd.revents & POLLOUT))
		return false;
	stream->budget = STREAM_BUDGET;
	return true;
}

static void write_queued(struct stream *stream)
{
	while (stream->queued > 0 && !stream->is_blocked) {
		ssize_t n;

		if (stream->budget == 0 && !renew_budget(stream)) {
			stream->is_blocked = true;
			return;
		}
		n = stream->ssl ? write_tls(stream) : write_plain(stream);
		if (n > 0)
			take_off(stream, (size_t)n);
		else if (n == BLOCKED)
			stream->is_blocked = true;
		else
			return;
	}
}

static void say_end(struct stream *stream)
{
	struct loop *loop = stream->watch.loop;

	if (stream->is_ended) {
		finish(stream, 0);
		return;
	}
	stream->state = LINGERING;
	if (stream->ssl) {
		ERR_clear_error();
		SSL_shutdown(stream->ssl); /* as far as it goes: the peer has every byte */
	}
	shutdown(stream->fd, SHUT_WR);
	stream->progress_us = loop_now_us(loop);
	timer_set(&loop->timers, &stream->timer, LINGER_MS * 1000u, on_limit, stream);
}

/* More came after our end, and was thrown away. */
static void stream_linger_on(struct stream *stream)
{
	struct loop *loop = stream->watch.loop;
	uint64_t end_us = stream->progress_us + LINGER_ALL_MS * UINT64_C(1000);
	uint64_t now_us = loop_now_us(loop);
	uint64_t left_us = end_us > now_us ? end_us - now_us : 0;

	timer_set(&loop->timers, &stream->timer,
		  left_us < LINGER_MS * 1000u ? left_us : LINGER_MS * 1000u, on_limit, stream);
}

static void tell_of_sent(struct stream *stream)
{
	struct outgoing *message;

	while (stream->state == OPEN && (message = take_sent(stream))) {
		uint64_t tag = message->tag;

		outgoing_free(message);
		if (stream->handlers && stream->handlers->sent)
			stream->handlers->sent(stream->arg, tag);
	}
}

static bool stream_can_write(const struct stream *stream)
{
	return stream->state != CLOSED && !stream->is_connecting &&
	       (!stream->ssl || stream->is_shaken);
}

void stream_push(struct stream *stream)
{
	if (stream_can_write(stream))
		write_queued(stream);
}

bool stream_is_overrun(struct stream *stream)
{
	if (!stream->is_overrun)
		return false;
	stream_push(stream);
	stream->is_overrun =
		stream->state == OPEN && stream->memory[OUTGOING_REPLY] > STREAM_REPLIES_MAX;
	return stream->is_overrun;
}

static void flush(struct stream *stream)
{
	if (!stream_can_write(stream))
		return;
	write_queued(stream);
	if (stream_is_overrun(stream) && stream->handlers && stream->handlers->overrun)
		stream->handlers->overrun(stream->arg);
	if (stream->state == OPEN && stream->is_full && stream->queued <= STREAM_LOW) {
		stream->is_full = false;
		if (stream->handlers && stream->handlers->drained)
			stream->handlers->drained(stream->arg);
	}
	tell_of_sent(stream);
	if (stream->state == CLOSING && stream->queued == 0)
		say_end(stream);
}

static void on_end(struct stream *stream)
{
	stream->is_ended = true;
	if (stream->state == OPEN && stream->handlers)
		stream->handlers->read(stream->arg, NULL, 0);
	else if (stream->state != CLOSING)
		finish(stream, 0);
}

static ssize_t read_once(struct stream *stream)
{
	ssize_t n;

	if (stream->ssl) {
		ERR_clear_error();
		n = SSL_read(stream->ssl, read_scratch, stream->read_kib * 1024);
		return n > 0 ? n : tls_outcome(stream, (int)n);
	}
	n = recv(stream->fd, read_scratch, stream->read_kib * (size_t)1024, 0);
	if (n > 0)
		return n;
	if (n == 0)
		return ENDED;
	if (is_transient(errno))
		return BLOCKED;
	finish(stream, errno);
	return FAILED;
}

/* TLS may hold bytes that the poll knows nothing of: those are always read. */
static bool holds_bytes(const struct stream *stream)
{
	return stream->ssl && SSL_pending(stream->ssl) > 0;
}

static void read_some(struct stream *stream)
{
	for (int i = 0; i < READS_MAX || holds_bytes(stream); ++i) {
		ssize_t n = read_once(stream);

		if (n == ENDED)
			on_end(stream);
		if (n <= 0)
			return;
		if (stream->state == OPEN && stream->handlers)
			stream->handlers->read(stream->arg, read_scratch, (size_t)n);
		else if (stream->state == LINGERING)
			stream_linger_on(stream);
		if (stream->state == CLOSED || (stream->is_paused && stream->state == OPEN))
			return;
		if (!stream->ssl && (size_t)n < stream->read_kib * (size_t)1024)
			return; /* that was all: saves a call to hear so */
	}
}

/* True when the handshake is done (or there is none). */
static bool shake_hands(struct stream *stream)
{
	int n;

	if (!stream->ssl || stream->is_shaken)
		return true;
	ERR_clear_error();
	n = SSL_do_handshake(stream->ssl);
	if (n == 1) {
		stream->is_shaken = true;
		return true;
	}
	if (tls_outcome(stream, n) == ENDED)
		finish(stream, ECONNRESET);
	return false;
}

/* True when the socket is connected; it is writable then, not before. */
static bool has_connected(struct stream *stream, int events)
{
	int err = 0;
	socklen_t len = sizeof(err);

	if (!stream->is_connecting)
		return true;
	if (getsockopt(stream->fd, SOL_SOCKET, SO_ERROR, &err, &len) != 0)
		err = errno;
	if (err)
		finish(stream, err);
	stream->is_connecting = stream->wants_write = !(events & WATCH_WRITE);
	return !err && !stream->is_connecting;
}

static void tell_opened(struct stream *stream)
{
	if (stream->is_opening && stream->handlers && stream->handlers->opened)
		stream->handlers->opened(stream->arg);
	stream->is_opening = false;
}

static void on_event(void *arg, int events)
{
	struct stream *stream = arg;

	stream->wants_write = false;
	if (events & WATCH_WRITE) {
		stream->budget = STREAM_BUDGET;
		stream->is_blocked = false;
	}
	if (has_connected(stream, events) && shake_hands(stream)) {
		tell_opened(stream);
		/* TLS reads after a write too: the write may be what it waited for. */
		if (((events & WATCH_READ) || stream->ssl) && !stream->is_ended &&
		    stream->state != CLOSED && !(stream->is_paused && stream->state == OPEN))
			read_some(stream);
		if (stream->state != CLOSED)
			flush(stream);
	}
	update_watch(stream);
}

static void on_wake(void *arg)
{
	struct stream *stream = arg;

	if (holds_bytes(stream) && !stream->is_paused && !stream->is_ended)
		read_some(stream); /* left inside TLS by a pause */
	if (stream->state != CLOSED)
		flush(stream);
	update_watch(stream);
}

static void wake(struct stream *stream)
{
	loop_defer(stream->watch.loop, &stream->wake, on_wake, stream);
}

static void set_options(struct stream *stream)
{
	const int on = 1;
	const int lowat = STREAM_BUDGET;

	/* None of these is fatal: a socket pair knows none of them. */
	setsockopt(stream->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(stream->fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &lowat, sizeof(lowat));
	stream_set_stall_ms(stream, STREAM_STALL_MS);
}

static int make(struct stream **streamp, struct loop *loop, int fd, struct tls *tls,
		const char *host, const struct stream_handlers *handlers, void *arg)
{
	struct stream *stream = mem_zalloc(sizeof(*stream), NULL);
	int err = ENOMEM;

	if (!stream)
		goto out;
	if (tls && !(stream->ssl = tls_open(tls, fd, host)))
		goto out;
	err = watch_open(&stream->watch, loop, fd, on_event, stream);
	if (err)
		goto out;
	list_init(&stream->queue);
	list_init(&stream->sent);
	stream->fd = fd;
	stream->handlers = handlers;
	stream->arg = arg;
	stream->budget = STREAM_BUDGET;
	stream_set_read_max(stream, STREAM_READ_MAX);
	set_options(stream);
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
	return make(streamp, loop, fd, tls, NULL, handlers, arg);
}

int stream_connect(struct stream **streamp, struct loop *loop, int fd, struct tls *tls,
		   const char *host, const struct stream_handlers *handlers, void *arg)
{
	struct stream *stream;
	int err = make(&stream, loop, fd, tls, host, handlers, arg);

	if (err)
		return err;
	stream->is_connecting = stream->is_opening = stream->wants_write = true;
	update_watch(stream);
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
	assert(read_max > 0 && read_max <= STREAM_READ_MAX && read_max % 1024 == 0);
	stream->read_kib = (uint16_t)(read_max / 1024);
}

void stream_set_keyless(struct stream *stream, struct keyless_member *member)
{
	ptrdiff_t memory = 0;

	for (size_t i = 0; i < OUTGOING_KINDS; ++i)
		memory += stream->memory[i];
	if (stream->keyless)
		keyless_count_queued(stream->keyless, -memory);
	if (member)
		keyless_count_queued(member, memory);
	stream->keyless = member;
}

void stream_pause(struct stream *stream, bool pause)
{
	if (stream->state == CLOSED || stream->is_paused == pause)
		return;
	stream->is_paused = pause;
	update_watch(stream);
	if (!pause && holds_bytes(stream))
		wake(stream);
}

void stream_queue(struct stream *stream, struct outgoing *message)
{
	if (stream->state != OPEN || outgoing_total(message) == 0) {
		outgoing_free(message);
		return;
	}
	list_append(&stream->queue, &message->link);
	stream->queued += outgoing_total(message);
	if (message->kind == OUTGOING_REPLY && stream->memory[OUTGOING_REPLY] > STREAM_REPLIES_MAX)
		stream->is_overrun = true;
	stream->memory[message->kind] += outgoing_memory(message);
	if (stream->keyless)
		keyless_count_queued(stream->keyless, (ptrdiff_t)outgoing_memory(message));
	if (stream->queued > STREAM_HIGH)
		stream->is_full = true;
	/* Also when it is blocked: a drop may have emptied the queue since, and then nothing
	 * waits for the kernel any more. */
	wake(stream);
}

/* Drops messages of a tag or, when it is 0, all replies. */
static uint64_t stream_drop_some(struct stream *stream, uint64_t tag)
{
	size_t seen = 0; /* bytes of the queue before this message */
	uint64_t weight = 0;
	size_t len = 0;
	struct link *next;

	for (struct link *l = list_first(&stream->queue); l; l = next) {
		struct outgoing *message = LIST_OBJECT(l, struct outgoing, link);
		size_t total = outgoing_total(message);
		bool has_begun = seen < stream->begun + stream->pinned;

		next = list_next(&stream->queue, l);
		if (!(tag ? message->tag == tag : message->kind == OUTGOING_REPLY) || has_begun) {
			seen += total;
			continue;
		}
		weight += message->weight;
		len += total;
		discard(stream, message);
	}
	if (len > 0 && stream->state != CLOSED) {
		stream->queued -= len;
		wake(stream); /* it may be drained now */
	}
	return weight;
}

uint64_t stream_drop(struct stream *stream, uint64_t tag)
{
	assert(tag != 0);
	return stream_drop_some(stream, tag);
}

void stream_drop_replies(struct stream *stream)
{
	stream_drop_some(stream, 0);
}

/* The last one is looked for from the end, where it mostly is. */
bool stream_tell_when_sent(struct stream *stream, uint64_t tag)
{
	assert(tag != 0);
	if (stream->state == CLOSED)
		return false;
	for (struct link *l = list_last(&stream->queue); l; l = list_prev(&stream->queue, l)) {
		struct outgoing *message = LIST_OBJECT(l, struct outgoing, link);

		if (message->tag == tag) {
			message->tells_sent = true;
			return true;
		}
	}
	return false;
}

size_t stream_queued_bytes(const struct stream *stream)
{
	return stream->queued;
}

bool stream_is_full(const struct stream *stream)
{
	return stream->is_full;
}

size_t stream_queued_memory(const struct stream *stream, enum outgoing_kind kind)
{
	return stream->memory[kind];
}

void stream_close(struct stream *stream)
{
	struct loop *loop = stream->watch.loop;

	if (stream->state != OPEN)
		return;
	stream->state = CLOSING;
	if (stream->ssl && !stream->is_shaken) {
		finish(stream, 0);
		return;
	}
	timer_set(&loop->timers, &stream->timer, STREAM_CLOSE_MS * 1000u, on_limit, stream);
	wake(stream);
}

void stream_abort(struct stream *stream, int err)
{
	finish(stream, err);
}

void stream_evict(struct stream *stream, int err)
{
	struct outgoing *message;

	while ((message = first(stream)))
		discard(stream, message);
	finish(stream, err);
}
