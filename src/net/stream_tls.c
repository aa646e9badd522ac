/*
 * stream_tls.c: reads and writes a stream through OpenSSL (see stream_private.h).
 *
 * Runs on the loop's thread.  The stream owns the SSL object.
 */
#include <errno.h>
#include <openssl/err.h>
#include <string.h>

#include "net/stream_private.h"

#define STREAM_TLS_RECORD_MAX (16u * 1024u) /* the longest TLS record */

static _Thread_local char stream_tls_scratch[STREAM_TLS_RECORD_MAX];

/* Converts the result of an SSL_* call, n <= 0, to an outcome, and closes the stream on an error. */
static int stream_tls_outcome(struct stream *stream, int n)
{
	switch (SSL_get_error(stream->ssl, n)) {
	case SSL_ERROR_WANT_READ:
		return STREAM_BLOCKED;
	case SSL_ERROR_WANT_WRITE:
		stream->wants_write = true;
		return STREAM_BLOCKED;
	case SSL_ERROR_ZERO_RETURN:
		return STREAM_ENDED;
	case SSL_ERROR_SYSCALL:
		stream_finish(stream, errno ? errno : ECONNRESET);
		return STREAM_FAILED;
	default:
		stream_finish(stream, SSL_is_server(stream->ssl) ? EPROTO : tls_errno(stream->ssl));
		return STREAM_FAILED;
	}
}

/* OpenSSL wants a write that could not be finished to be repeated with the same bytes, so those are
 * pinned at the front of the queue. */
ssize_t stream_tls_write(struct stream *stream)
{
	struct iovec pieces[STREAM_PIECES_MAX];
	size_t max =
		stream->budget < STREAM_TLS_RECORD_MAX ? stream->budget : STREAM_TLS_RECORD_MAX;
	size_t total = 0;
	int count;
	int n;

	if (stream->pinned > 0)
		max = stream->pinned;
	stream_queue_gather(stream, pieces, &count, max);
	for (int i = 0; i < count; ++i) {
		memcpy(stream_tls_scratch + total, pieces[i].iov_base, pieces[i].iov_len);
		total += pieces[i].iov_len;
	}
	ERR_clear_error();
	n = SSL_write(stream->ssl, stream_tls_scratch, (int)total);
	if (n > 0) {
		stream->pinned = 0;
		return n;
	}
	stream->pinned = total;
	return stream_tls_outcome(stream, n);
}

ssize_t stream_tls_read(struct stream *stream, char *bytes, size_t max)
{
	int n;

	ERR_clear_error();
	n = SSL_read(stream->ssl, bytes, (int)max);
	return n > 0 ? n : stream_tls_outcome(stream, n);
}

bool stream_tls_holds_bytes(const struct stream *stream)
{
	return stream->ssl && SSL_pending(stream->ssl) > 0;
}

bool stream_tls_handshake(struct stream *stream)
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
	if (stream_tls_outcome(stream, n) == STREAM_ENDED)
		stream_finish(stream, ECONNRESET);
	return false;
}
