/*
 * encoding.c: passes a turn's samples through an encoder (see encoding.h).
 *
 * The encoder and `err` belong to the thread while a piece is pending, and to the loop otherwise.
 * A piece has a reference to its encoding, so that the turn can close the encoding at any time.
 */
#include "session/encoding.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "audio/encoder.h"
#include "base/mem.h"
#include "loop/thread.h"

/* The most bytes of one piece: 200 ms at 48 kHz are 19,200 bytes of PCM, and MP3 needs room for
 * 20,000. */
#define OUT_MAX 65536u

struct encoding_thread {
	struct thread *thread;
	unsigned encodings; /* open encodings that stay on this thread */
};

struct encoding_threads {
	unsigned count;
	struct encoding_thread threads[];
};

struct encoding {
	struct encoding_thread *thread; /* NULL: the timer does its work */
	struct timers *timers;
	struct timer timer;
	struct list waiting; /* struct encoding_piece: pieces that wait for the timer */
	struct audio_format format;
	struct encoder *encoder;
	int err; /* the error after which nothing more is encoded */
	encoding_h *encoded;
	void *arg;
	atomic_bool is_closed;
	encoding_full_h *on_full; /* may be NULL */
	bool is_full; /* the last argument of on_full */
	bool has_begun; /* something was written */
	bool has_ended;
	size_t pieces_pending; /* pieces whose results were not delivered yet */
	uint64_t samples_pending; /* the samples in those pieces */
	/* Samples that the encoder has consumed without returning bytes for them yet. */
	size_t samples_kept;
};

struct encoding_piece {
	struct task task; /* must be first: the batch is a list of tasks */
	struct encoding *encoding;
	struct buf out;
	int err;
	bool is_last;
	size_t count;
	int16_t samples[];
};

static void encoding_piece_destroy(void *object)
{
	struct encoding_piece *piece = object;

	buf_reset(&piece->out);
	mem_deref(piece->encoding);
}

static void encoding_destroy(void *object)
{
	struct encoding *encoding = object;

	mem_deref(encoding->encoder);
}

/* Runs on the thread.  An encoder is created with its first piece, because that takes as long as
 * encoding a second of audio. */
static void encoding_encode_piece(struct encoding_piece *piece)
{
	struct encoding *encoding = piece->encoding;

	if (atomic_load(&encoding->is_closed))
		return;
	if (!encoding->err && !encoding->encoder)
		encoding->err = encoder_alloc(&encoding->encoder, &encoding->format);
	if (!encoding->err)
		encoding->err =
			encoder_write(encoding->encoder, piece->samples, piece->count, &piece->out);
	if (!encoding->err && piece->is_last)
		encoding->err = encoder_end(encoding->encoder, &piece->out);
	piece->err = encoding->err;
}

static struct encoding_piece *encoding_piece_of(struct link *link)
{
	return (struct encoding_piece *)(void *)LIST_OBJECT(link, struct task, link);
}

static void encoding_run_batch(struct list *batch, void *arg)
{
	(void)arg;
	for (struct link *link = list_first(batch); link; link = list_next(batch, link))
		encoding_encode_piece(encoding_piece_of(link));
}

static void encoding_threads_destroy(void *object)
{
	struct encoding_threads *threads = object;

	for (unsigned i = 0; i < threads->count; ++i) {
		assert(threads->threads[i].encodings == 0);
		mem_deref(threads->threads[i].thread);
	}
}

int encoding_threads_alloc(struct encoding_threads **threadsp, struct loop *loop, unsigned count)
{
	struct encoding_threads *threads = mem_zalloc(
		sizeof(*threads) + count * sizeof(threads->threads[0]), encoding_threads_destroy);

	if (!threads)
		return ENOMEM;
	for (unsigned i = 0; i < count; ++i) {
		int err = thread_alloc(&threads->threads[i].thread, loop, "encode",
				       encoding_run_batch, NULL);

		if (err) {
			mem_deref(threads);
			return err;
		}
		++threads->count;
	}
	*threadsp = threads;
	return 0;
}

void encoding_threads_finish(struct encoding_threads *threads)
{
	for (unsigned i = 0; i < threads->count; ++i)
		thread_finish(threads->threads[i].thread);
}

unsigned encoding_threads_most(const struct encoding_threads *threads)
{
	unsigned most = 0;

	for (unsigned i = 0; i < threads->count; ++i) {
		if (threads->threads[i].encodings > most)
			most = threads->threads[i].encodings;
	}
	return most;
}

static struct encoding_thread *encoding_threads_least_busy(struct encoding_threads *threads)
{
	struct encoding_thread *least = &threads->threads[0];

	for (unsigned i = 1; i < threads->count; ++i) {
		if (threads->threads[i].encodings < least->encodings)
			least = &threads->threads[i];
	}
	return least;
}

static void encoding_signal_full(struct encoding *encoding)
{
	bool is_full = encoding->samples_pending * 1000 >=
		       (uint64_t)ENCODING_FULL_MS * encoding->format.sample_rate;

	if (is_full == encoding->is_full || atomic_load(&encoding->is_closed))
		return;
	encoding->is_full = is_full;
	if (encoding->on_full)
		encoding->on_full(encoding->arg, is_full);
}

void encoding_on_full(struct encoding *encoding, encoding_full_h *handler)
{
	encoding->on_full = handler;
}

/* Delivers the result of a piece; runs on the loop. */
static void encoding_on_encoded(struct task *task)
{
	struct encoding_piece *piece = (struct encoding_piece *)(void *)task;
	struct encoding *encoding = piece->encoding;
	struct audio_frame frame = {
		.bytes = (const uint8_t *)piece->out.bytes,
		.len = piece->out.len,
	};

	--encoding->pieces_pending;
	encoding->samples_pending -= piece->count;
	encoding->samples_kept += piece->count;
	if (frame.len > 0) {
		frame.samples = encoding->samples_kept;
		encoding->samples_kept = 0;
	}
	if (!atomic_load(&encoding->is_closed))
		encoding->encoded(encoding->arg, piece->err, &frame);
	encoding_signal_full(encoding);
	mem_deref(piece); /* may be the last reference to the encoding */
}

static void encoding_on_timer(void *arg)
{
	struct encoding *encoding = mem_ref(arg);
	struct link *link;

	while ((link = list_first(&encoding->waiting))) {
		list_remove(&encoding->waiting, link);
		encoding_encode_piece(encoding_piece_of(link));
		encoding_on_encoded(&encoding_piece_of(link)->task);
	}
	mem_deref(encoding);
}

int encoding_alloc(struct encoding **encodingp, struct encoding_threads *threads,
		   struct timers *timers, const struct audio_format *format, encoding_h *encoded,
		   void *arg)
{
	struct encoding *encoding;

	if (!audio_format_needs_encoder(format->encoding))
		return EINVAL;
	encoding = mem_zalloc(sizeof(*encoding), encoding_destroy);
	if (!encoding)
		return ENOMEM;
	if (threads) {
		encoding->thread = encoding_threads_least_busy(threads);
		++encoding->thread->encodings;
	}
	encoding->timers = timers;
	encoding->format = *format;
	encoding->encoded = encoded;
	encoding->arg = arg;
	list_init(&encoding->waiting);
	*encodingp = encoding;
	return 0;
}

static int encoding_send_piece(struct encoding *encoding, const int16_t *samples, size_t count,
			       bool is_last)
{
	struct encoding_piece *piece =
		mem_zalloc(sizeof(*piece) + count * sizeof(*samples), encoding_piece_destroy);

	assert(!encoding->has_ended);
	if (!piece)
		return ENOMEM;
	buf_init(&piece->out, OUT_MAX);
	piece->encoding = mem_ref(encoding);
	piece->is_last = is_last;
	piece->count = count;
	if (count > 0)
		memcpy(piece->samples, samples, count * sizeof(*samples));
	encoding->has_begun |= count > 0;
	encoding->has_ended = is_last;
	++encoding->pieces_pending;
	encoding->samples_pending += count;
	if (encoding->thread) {
		thread_submit(encoding->thread->thread, &piece->task, encoding_on_encoded);
	} else {
		list_append(&encoding->waiting, &piece->task.link);
		timer_set(encoding->timers, &encoding->timer, 0, encoding_on_timer, encoding);
	}
	encoding_signal_full(encoding);
	return 0;
}

int encoding_write(struct encoding *encoding, const int16_t *samples, size_t count)
{
	return encoding_send_piece(encoding, samples, count, false);
}

int encoding_end(struct encoding *encoding)
{
	return encoding_send_piece(encoding, NULL, 0, true);
}

bool encoding_is_empty(const struct encoding *encoding)
{
	return !encoding->has_begun;
}

bool encoding_is_idle(const struct encoding *encoding)
{
	return encoding->pieces_pending == 0;
}

bool encoding_has_ended(const struct encoding *encoding)
{
	return encoding->has_ended;
}

struct encoding *encoding_close(struct encoding *encoding)
{
	struct link *link;

	if (!encoding)
		return NULL;
	atomic_store(&encoding->is_closed, true);
	if (encoding->thread)
		--encoding->thread->encodings;
	timer_clear(encoding->timers, &encoding->timer);
	while ((link = list_first(&encoding->waiting))) {
		list_remove(&encoding->waiting, link);
		mem_deref(encoding_piece_of(link));
	}
	return mem_deref(encoding);
}
