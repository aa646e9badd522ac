/*
 * stream_queue.c: the messages of a stream that wait to be sent, with their tags, their memory and
 * the watermarks (see stream.h).
 *
 * Runs on the loop's thread.  The queue owns its messages.
 */
#include <assert.h>

#include "metrics/metrics.h"
#include "net/stream_private.h"

struct outgoing *stream_queue_first(const struct stream *stream)
{
	struct link *link = list_first(&stream->queue);

	return link ? LIST_OBJECT(link, struct outgoing, link) : NULL;
}

static void stream_queue_remove(struct stream *stream, struct outgoing *message)
{
	stream->memory[message->kind] -= outgoing_memory(message);
	if (stream->keyless)
		keyless_count_queued(stream->keyless, -(ptrdiff_t)outgoing_memory(message));
	list_remove(&stream->queue, &message->link);
}

void stream_queue_discard(struct stream *stream, struct outgoing *message)
{
	stream_queue_remove(stream, message);
	outgoing_free(message);
}

struct outgoing *stream_queue_take_sent(struct stream *stream)
{
	struct link *link = list_first(&stream->sent);

	if (!link)
		return NULL;
	list_remove(&stream->sent, link);
	return LIST_OBJECT(link, struct outgoing, link);
}

size_t stream_queue_gather(const struct stream *stream, struct iovec *pieces, int *count,
			   size_t max)
{
	const struct list *queue = &stream->queue;
	size_t skip = stream->begun;
	size_t total = 0;

	*count = 0;
	for (struct link *l = list_first(queue); l && total < max && *count < STREAM_PIECES_MAX;
	     l = list_next(queue, l)) {
		struct outgoing *message = LIST_OBJECT(l, struct outgoing, link);
		size_t len = outgoing_total(message) - skip;

		if (len > max - total)
			len = max - total;
		pieces[*count].iov_base = outgoing_start(message) + skip;
		pieces[*count].iov_len = len;
		++*count;
		total += len;
		skip = 0;
	}
	return total;
}

void stream_queue_take_off(struct stream *stream, size_t n)
{
	if (!stream->is_uncounted)
		metrics_add(METRIC_BYTES, n);
	stream->queued -= n;
	stream->budget -= n < stream->budget ? n : stream->budget;
	stream->progress_us = loop_now_us(stream->watch.loop);
	while (n > 0) {
		struct outgoing *message = stream_queue_first(stream);
		size_t left;

		assert(message); /* at least n bytes are queued */
		left = outgoing_total(message) - stream->begun;
		if (n < left) {
			stream->begun += n;
			return;
		}
		n -= left;
		stream->begun = 0;
		stream_queue_remove(stream, message);
		if (message->notifies_sent)
			list_append(&stream->sent, &message->link);
		else
			outgoing_free(message);
	}
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

void stream_queue(struct stream *stream, struct outgoing *message)
{
	if (stream->state != STREAM_OPEN || outgoing_total(message) == 0) {
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
	/* This is needed even if the stream is blocked: a drop may have emptied the queue, and then
	 * the socket is not watched for writing any more. */
	stream_wake(stream);
	if (stream->is_full || stream->queued <= STREAM_HIGH)
		return;
	stream->is_full = true;
	if (stream->handlers && stream->handlers->filled)
		stream->handlers->filled(stream->arg);
}

/* Drops the messages of a tag, or all replies if the tag is 0. */
static uint64_t stream_queue_drop(struct stream *stream, uint64_t tag)
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
		stream_queue_discard(stream, message);
	}
	if (len > 0 && stream->state != STREAM_CLOSED) {
		stream->queued -= len;
		stream_wake(stream); /* it may be drained now */
	}
	return weight;
}

uint64_t stream_drop(struct stream *stream, uint64_t tag)
{
	assert(tag != 0);
	return stream_queue_drop(stream, tag);
}

void stream_drop_replies(struct stream *stream)
{
	stream_queue_drop(stream, 0);
}

/* Searches from the end, where the last message of a tag usually is. */
bool stream_notify_when_sent(struct stream *stream, uint64_t tag)
{
	assert(tag != 0);
	if (stream->state == STREAM_CLOSED)
		return false;
	for (struct link *l = list_last(&stream->queue); l; l = list_prev(&stream->queue, l)) {
		struct outgoing *message = LIST_OBJECT(l, struct outgoing, link);

		if (message->tag == tag) {
			message->notifies_sent = true;
			return true;
		}
	}
	return false;
}

bool stream_is_full(const struct stream *stream)
{
	return stream->is_full;
}

size_t stream_queued_memory(const struct stream *stream, enum outgoing_kind kind)
{
	return stream->memory[kind];
}
