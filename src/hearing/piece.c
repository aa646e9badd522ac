/*
 * piece.c: which piece is recognized next, and what was said in it.
 *
 * A piece waits until its worker has its audio and there is a slot.  Finals come first: they have
 * slots that others cannot take from them.  Pieces that are not final have the slots that are left
 * over, of which sentences that are being spoken also take some; and of a stream only the latest one
 * is worth recognizing.
 */
#include <errno.h>

#include "base/mem.h"
#include "hearing/hearing_private.h"
#include "metrics/metrics.h"

/* In the order of the values of METRIC_HEARING_PIECES. */
enum piece_kind { PIECE_FINAL, PIECE_PARTIAL, PIECE_LEFT_OUT };

static struct piece *piece_first(const struct hearing_stream *stream)
{
	struct link *link = list_first(&stream->pieces);

	return link ? LIST_OBJECT(link, struct piece, link) : NULL;
}

static struct piece *piece_next(const struct piece *piece)
{
	struct link *link = list_next(&piece->stream->pieces, &piece->link);

	return link ? LIST_OBJECT(link, struct piece, link) : NULL;
}

static void piece_drop(struct piece *piece)
{
	struct hearing_stream *stream = piece->stream;

	if (link_is_on_list(&piece->waiting))
		list_remove(&stream->recognizer->waiting, &piece->waiting);
	list_remove(&stream->pieces, &piece->link);
	mem_deref(piece);
}

void piece_drop_all(struct hearing_stream *stream)
{
	while (piece_first(stream))
		piece_drop(piece_first(stream));
}

uint64_t piece_needs_from(const struct hearing_stream *stream)
{
	uint64_t from = UINT64_MAX;

	for (struct piece *p = piece_first(stream); p; p = piece_next(p))
		from = p->asked.from_sample < from ? p->asked.from_sample : from;
	return from;
}

uint64_t piece_needs_to(const struct hearing_stream *stream)
{
	uint64_t to = 0;

	for (struct piece *p = piece_first(stream); p; p = piece_next(p))
		to = p->asked.to_sample > to ? p->asked.to_sample : to;
	return to;
}

/* Pieces that no worker has and that are not final: the next piece has all that they have. */
static void piece_leave_out(struct hearing_stream *stream)
{
	struct piece *next;

	for (struct piece *p = piece_first(stream); p; p = next) {
		next = piece_next(p);
		if (p->asked.is_final || p->state == PIECE_SENT)
			continue;
		piece_drop(p);
		++stream->pool->left_out;
		metrics_add_at(METRIC_HEARING_PIECES, PIECE_LEFT_OUT, 1);
	}
}

int piece_ask(struct hearing_stream *stream, const struct hearing_piece *asked)
{
	struct piece *piece;

	if (asked->to_sample <= asked->from_sample || asked->to_sample > stream->tape.end ||
	    asked->from_sample < stream->released || stream->is_finished ||
	    asked->to_sample - asked->from_sample > stream->piece_max)
		return EINVAL;
	piece_leave_out(stream);
	if (stream->pieces.count >= HEARING_PIECES_MAX)
		return ENOBUFS;
	piece = mem_zalloc(sizeof(*piece), NULL);
	if (!piece)
		return ENOMEM;
	piece->stream = stream;
	piece->asked = *asked;
	piece->asked_us = loop_now_us(stream->pool->loop);
	list_append(&stream->pieces, &piece->link);
	list_append(&stream->recognizer->waiting, &piece->waiting);
	return 0;
}

/* The piece is at the worker of its stream now (by 1), or is not any more (by -1). */
static void piece_count(const struct piece *piece, int by)
{
	struct hearing_stream *stream = piece->stream;
	struct recognizer *recognizer = stream->recognizer;

	stream->pieces_sent += (unsigned)by;
	stream->load->pieces += (unsigned)by;
	recognizer->pieces_sent += (unsigned)by;
	if (piece->asked.is_final)
		recognizer->finals_sent += (unsigned)by;
	else
		stream->has_partial_there = by > 0;
	if (piece->is_suspect)
		stream->load->is_taken_alone = by > 0;
}

/* Whether a worker can be given the piece now.  A suspect shares its worker with no other piece, so
 * that it is known which of them ends the worker. */
static bool piece_can_go(const struct piece *piece)
{
	const struct hearing_stream *stream = piece->stream;

	return stream->seat && stream->sent >= piece->asked.to_sample &&
	       !stream->load->is_taken_alone && (!piece->is_suspect || stream->load->pieces == 0) &&
	       (piece->asked.is_final || !stream->has_partial_there);
}

static bool piece_precedes(const struct piece *piece, const struct piece *other)
{
	if (piece->asked.is_final != other->asked.is_final)
		return piece->asked.is_final;
	return piece->asked.due_us < other->asked.due_us;
}

/* There are about as many as streams that speak, and for each of them it can change at any time
 * whether it may go: so they are compared anew each time instead of being kept in order. */
static struct piece *piece_choose(const struct recognizer *recognizer, struct piece *best)
{
	const struct list *waiting = &recognizer->waiting;

	for (struct link *l = list_first(waiting); l; l = list_next(waiting, l)) {
		struct piece *piece = LIST_OBJECT(l, struct piece, waiting);

		if ((!best || piece_precedes(piece, best)) && piece_can_go(piece))
			best = piece;
	}
	return best;
}

static void piece_send(struct piece *piece)
{
	struct hearing_stream *stream = piece->stream;
	uint64_t now_us = loop_now_us(stream->pool->loop);
	uint64_t samples = piece->asked.to_sample - piece->asked.from_sample;
	struct message message = {
		.type = MESSAGE_RECOGNIZE,
		.recognize = {.number = ++stream->numbers,
			      .from_sample = piece->asked.from_sample,
			      .to_sample = piece->asked.to_sample,
			      .is_final = piece->asked.is_final},
	};

	if (piece->asked.due_us > now_us)
		message.recognize.deadline_ms = (uint32_t)((piece->asked.due_us - now_us) / 1000u);
	piece->number = stream->numbers;
	piece->state = PIECE_SENT;
	list_remove(&stream->recognizer->waiting, &piece->waiting);
	piece_count(piece, 1);
	/* A model that is as slow as speech itself does not hang. */
	seat_excuse(stream->seat, samples * UINT64_C(1000000) / HEARING_RATE);
	seat_ask(stream->seat, &message, 1);
}

static bool piece_shares(const struct recognizer *recognizer, const struct recognizer *only)
{
	return only ? recognizer == only : recognizer->slots == 0;
}

void piece_dispatch(struct hearing_pool *pool, const struct recognizer *only, unsigned slots)
{
	const unsigned *cores_busy = pool->options.cores_busy;
	unsigned others = !only && cores_busy ? *cores_busy : 0;
	unsigned finals = 0;
	unsigned all = 0;

	for (struct recognizer *r = hearing_pool_first(pool); r; r = hearing_pool_next(pool, r)) {
		if (!piece_shares(r, only))
			continue;
		finals += r->finals_sent;
		all += r->pieces_sent;
	}
	for (;;) {
		struct piece *best = NULL;

		for (struct recognizer *r = hearing_pool_first(pool); r;
		     r = hearing_pool_next(pool, r)) {
			if (piece_shares(r, only))
				best = piece_choose(r, best);
		}
		if (!best || (best->asked.is_final ? finals >= slots : all + others >= slots))
			return;
		finals += best->asked.is_final;
		++all;
		piece_send(best);
	}
}

void piece_take_back(struct hearing_stream *stream)
{
	for (struct piece *p = piece_first(stream); p; p = piece_next(p)) {
		if (p->state != PIECE_SENT)
			continue;
		piece_count(p, -1);
		p->state = PIECE_WAITING;
		list_append(&stream->recognizer->waiting, &p->waiting);
	}
}

void piece_suspect_sent(struct hearing_stream *stream)
{
	for (struct piece *p = piece_first(stream); p; p = piece_next(p)) {
		if (p->state == PIECE_SENT)
			p->is_suspect = true;
	}
}

bool piece_has_suspect(const struct hearing_stream *stream)
{
	for (struct piece *p = piece_first(stream); p; p = piece_next(p)) {
		if (p->is_suspect)
			return true;
	}
	return false;
}

static uint64_t piece_within(const struct hearing_piece *asked, uint64_t sample)
{
	if (sample < asked->from_sample)
		return asked->from_sample;
	return sample < asked->to_sample ? sample : asked->to_sample;
}

/* The times of words are estimates: what is outside of the piece is moved to its border. */
static size_t piece_read_words(struct hearing_word *list, const struct hearing_piece *asked,
			       struct message_spans words)
{
	struct message_heard heard;
	size_t count = 0;

	while (count < MESSAGE_WORDS_MAX && message_heard_take(&heard, &words)) {
		list[count++] = (struct hearing_word){
			.byte_start = heard.word.byte_start,
			.byte_end = heard.word.byte_end,
			.sample_start = piece_within(asked, heard.word.sample_start),
			.sample_end = piece_within(asked, heard.word.sample_end),
			.probability = heard.probability,
		};
	}
	return count;
}

static void piece_deliver(struct hearing_stream *stream, const struct hearing_piece *asked,
			  const struct message_words *words)
{
	struct hearing_pool *pool = stream->pool;
	char language[HEARING_LANGUAGE_MAX];
	struct hearing_result result = {
		.piece = *asked,
		.text = words->text.bytes,
		.text_len = words->text.len,
		.words = pool->words,
		.times_are_approximate = words->flags & MESSAGE_WORDS_APPROXIMATE,
		.language = language,
		.language_probability = words->language_probability,
		.busy_us = words->busy_us,
	};

	message_str_copy(language, sizeof(language), &words->language);
	if (stream->want_times)
		result.word_count = piece_read_words(pool->words, asked, words->words);
	stream->listener->result(stream->arg, &result);
}

const char *piece_take_words(struct hearing_stream *stream, const struct message_words *words)
{
	struct piece *piece = piece_first(stream);
	struct hearing_piece asked;
	uint64_t took_us;

	while (piece && (piece->state != PIECE_SENT || piece->number != words->number))
		piece = piece_next(piece);
	if (!piece)
		return "words that nobody has asked for";
	asked = piece->asked;
	took_us = loop_now_us(stream->pool->loop) - piece->asked_us;
	piece_count(piece, -1);
	piece_drop(piece);
	metrics_add_at(METRIC_HEARING_PIECES, asked.is_final ? PIECE_FINAL : PIECE_PARTIAL, 1);
	if (asked.is_final)
		metrics_observe(METRIC_HEARING_FINAL, took_us);
	seat_progress(stream->seat, UINT64_MAX);
	hearing_stream_trim(stream);
	mem_ref(stream); /* its session may cancel it */
	piece_deliver(stream, &asked, words);
	if (stream->listener) {
		suspect_check_progress(stream);
		feed_push(stream);
	}
	hearing_pool_run_soon(stream->pool);
	mem_deref(stream);
	return NULL;
}
