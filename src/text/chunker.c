/*
 * chunker.c: cuts a stream of text into chunks (see chunker.h).
 *
 * Text is kept from the first byte that was not taken out. Each byte has a mark that says
 * what was found there; chunks that are ready exist only as marks, so that memory is bounded
 * by the text alone.
 *
 *         taken            start          now           fed
 *         | ready chunks   | buffered     | open tag    |
 *         '- chunker_next  '- next chunk  '- scanned    '- end of the text
 *
 * Positions count from the beginning of the turn's text and never change; only `base` moves,
 * when bytes that were taken out are dropped.
 */
#include "text/chunker.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/count.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "text/cost.h"
#include "text/grapheme.h"
#include "text/prosody.h"
#include "text/sentence.h"
#include "text/tag.h"

/* The maximum number of bytes that were fed and not taken out. */
#define FED_MAX (256u * 1024u)

/* What a mark says about its byte. */
enum chunker_mark {
	MARK_SPOKEN = 1, /* begins a character that is spoken */
	MARK_TAG = 2, /* begins a tag */
	MARK_SENTENCE = 4, /* ends a sentence */
	MARK_CHUNK = 8, /* ends a chunk that is ready */
	MARK_SILENCE = 16, /* ends a piece that is skipped */
};

struct chunker {
	struct chunker_options options;
	unsigned schedule_most; /* the largest entry */
	struct buf text; /* the text from `base` on */
	struct buf marks; /* one mark per byte of text */
	size_t base;
	size_t taken; /* the first byte that was not taken out */
	size_t ready; /* number of chunks and silences after `taken` */
	size_t index; /* of the next chunk, for the schedule */
	struct text_position start; /* of the next chunk */
	struct text_position now; /* the end of the scanned text */
	struct text_position sentence_start;
	struct text_position sentence_end; /* of the last sentence */
	size_t quiet; /* nothing between start and this byte is spoken */
	bool quiet_has_tag;
	struct sentence sentence;
	struct grapheme grapheme;
	struct text_position cluster; /* where the last character began */
	struct tag tag;
	bool in_tag;
	size_t tag_byte; /* where the next code point of the open tag is */
	bool in_spell;
	bool keeps_word; /* a timeout has kept back the last word */
	struct text_position spell; /* where the open <spell> began */
	struct prosody prosody;
};

const struct chunker_options chunker_options_default = {
	.schedule = {5, 80, 150, 250},
	.schedule_len = 4,
	.buffer_max = 1000,
};

static void chunker_destroy(void *object)
{
	struct chunker *chunker = object;

	buf_reset(&chunker->text);
	buf_reset(&chunker->marks);
}

int chunker_alloc(struct chunker **chunkerp, const struct chunker_options *options)
{
	struct chunker *chunker = mem_zalloc(sizeof(*chunker), chunker_destroy);

	if (!chunker)
		return ENOMEM;
	chunker->options = *options;
	if (chunker->options.schedule_len > CHUNKER_SCHEDULE_MAX)
		chunker->options.schedule_len = CHUNKER_SCHEDULE_MAX;
	if (chunker->options.schedule_len == 0)
		chunker->options.auto_mode = true;
	if (chunker->options.buffer_max == 0)
		chunker->options.buffer_max = chunker_options_default.buffer_max;
	for (size_t i = 0; i < chunker->options.schedule_len; ++i) {
		if (chunker->schedule_most < chunker->options.schedule[i])
			chunker->schedule_most = chunker->options.schedule[i];
	}
	/* Twice the limit: taken bytes are dropped when they are half of all, so that each
	 * byte is moved once on average. */
	buf_init(&chunker->text, 2 * FED_MAX);
	buf_init(&chunker->marks, 2 * FED_MAX);
	sentence_init(&chunker->sentence, chunker->options.language);
	*chunkerp = chunker;
	return 0;
}

static size_t chunker_fed(const struct chunker *chunker)
{
	return chunker->base + chunker->text.len;
}

static uint8_t chunker_mark_at(const struct chunker *chunker, size_t byte)
{
	return (uint8_t)chunker->marks.bytes[byte - chunker->base];
}

static void chunker_set_mark(struct chunker *chunker, size_t byte, enum chunker_mark mark)
{
	char *at = &chunker->marks.bytes[byte - chunker->base];

	*at = (char)((uint8_t)*at | (uint8_t)mark);
}

static size_t chunker_decode_at(struct chunker *chunker, uint32_t *c, size_t byte)
{
	COST_STEP();
	return utf8_decode(c, chunker->text.bytes + (byte - chunker->base),
			   chunker_fed(chunker) - byte);
}

/* True for the first byte of a code point. */
static bool chunker_is_lead(const struct chunker *chunker, size_t byte)
{
	return ((uint8_t)chunker->text.bytes[byte - chunker->base] & 0xc0) != 0x80;
}

static size_t chunker_length(struct text_position from, struct text_position to)
{
	return to.byte > from.byte ? to.count - from.count : 0;
}

/* The next chunk begins at the first character from here that is not blank. */
static void chunker_start_at(struct chunker *chunker, struct text_position at)
{
	while (at.byte < chunker->now.byte) {
		uint32_t c;
		size_t n = chunker_decode_at(chunker, &c, at.byte);

		if (!unicode_is_blank(unicode_kind(c)))
			break;
		at.byte += n;
		++at.count;
	}
	chunker->start = at;
	chunker->quiet = at.byte;
	chunker->quiet_has_tag = false;
}

/* True when something between start and `end` is spoken. `quiet` never goes back, so text
 * without anything to speak is examined once. */
static bool chunker_is_spoken(struct chunker *chunker, struct text_position end)
{
	for (; chunker->quiet < end.byte; ++chunker->quiet) {
		uint8_t mark = chunker_mark_at(chunker, chunker->quiet);

		COST_STEP();
		if (mark & MARK_SPOKEN)
			return true;
		if (mark & MARK_TAG)
			chunker->quiet_has_tag = true;
	}
	return false;
}

/* What to do with a piece that has nothing to speak. */
enum silence {
	SILENCE_KEEP, /* it joins the text that follows */
	/* if it has a tag, which may affect what follows, it joins that; otherwise it is skipped */
	SILENCE_JOIN_TAGS,
	SILENCE_SKIP, /* it is skipped, unless it has a tag: then it is a chunk */
};

/* Makes a chunk of the text from start to end. */
static void chunker_emit_until(struct chunker *chunker, struct text_position end,
			       enum silence silence)
{
	if (end.byte <= chunker->start.byte)
		return;
	if (chunker_is_spoken(chunker, end) ||
	    (silence == SILENCE_SKIP && chunker->quiet_has_tag)) {
		chunker_set_mark(chunker, end.byte - 1, MARK_CHUNK);
		++chunker->index;
	} else {
		if (silence == SILENCE_KEEP)
			return;
		if (silence == SILENCE_JOIN_TAGS && chunker->quiet_has_tag)
			return;
		chunker_set_mark(chunker, end.byte - 1, MARK_SILENCE);
	}
	++chunker->ready;
	chunker_start_at(chunker, end);
}

static size_t chunker_least_length(const struct chunker *chunker)
{
	size_t last = chunker->options.schedule_len - 1;

	if (chunker->options.auto_mode)
		return 0;
	return chunker->options.schedule[chunker->index < last ? chunker->index : last];
}

static void chunker_mark_sentence(struct chunker *chunker, struct text_position end)
{
	if (end.byte <= chunker->start.byte)
		return;
	chunker_set_mark(chunker, end.byte - 1, MARK_SENTENCE);
	chunker->sentence_start = chunker->sentence_end = end;
}

static void chunker_end_sentence(struct chunker *chunker, struct text_position end)
{
	chunker_mark_sentence(chunker, end);
	if (chunker_length(chunker->start, end) >= chunker_least_length(chunker))
		chunker_emit_until(chunker, end, SILENCE_JOIN_TAGS);
}

/* A sentence that is longer than the largest entry is cut at its last clause. */
static void chunker_cut_run_on(struct chunker *chunker)
{
	struct text_position clause = chunker->sentence.clause;

	if (chunker->options.auto_mode ||
	    chunker_length(chunker->sentence_start, chunker->now) <= chunker->schedule_most)
		return;
	if (clause.byte <= chunker->sentence_start.byte ||
	    chunker->sentence.candidate.stage != CANDIDATE_NONE)
		return;
	chunker_end_sentence(chunker, clause);
}

static void chunker_cut_at(struct chunker *chunker, struct text_position at)
{
	struct sentence *sentence = &chunker->sentence;

	if (sentence_awaits_pause(sentence) && sentence->candidate.end.byte == at.byte)
		sentence_confirm(sentence, &at);
	sentence_cut(sentence, at);
	if (chunker->sentence_start.byte < at.byte)
		chunker->sentence_start = at;
	chunker_emit_until(chunker, at, SILENCE_SKIP);
}

/* The best position to cut a full buffer without dividing a word. */
static bool chunker_find_cut(const struct chunker *chunker, struct text_position *at)
{
	const struct sentence *sentence = &chunker->sentence;
	const struct text_position places[] = {
		sentence_awaits_pause(sentence) ? sentence->candidate.end : chunker->sentence_end,
		chunker->sentence_end,
		sentence->clause,
		sentence->gap,
	};

	for (size_t i = 0; i < COUNT(places); ++i) {
		if (places[i].byte > chunker->start.byte) {
			*at = places[i];
			return true;
		}
	}
	return false;
}

/* Makes room for n code points in a buffer that would exceed its maximum; is_border: a
 * character begins here. */
static void chunker_make_room(struct chunker *chunker, size_t n, bool is_border)
{
	while (chunker_length(chunker->start, chunker->now) + n > chunker->options.buffer_max) {
		struct text_position at;

		if (chunker->start.byte >= chunker->now.byte)
			return;
		if (!chunker_find_cut(chunker, &at)) {
			at = chunker->now;
			if (!is_border && chunker->cluster.byte > chunker->start.byte)
				at = chunker->cluster;
		}
		chunker_cut_at(chunker, at);
	}
}

/* Cuts a full buffer: at the end of a word or better at once, at the end of a character only
 * when the next code point shows where it is. */
static void chunker_cut_full(struct chunker *chunker)
{
	struct text_position at;

	if (chunker_length(chunker->start, chunker->now) >= chunker->options.buffer_max &&
	    chunker_find_cut(chunker, &at))
		chunker_cut_at(chunker, at);
}

static void chunker_advance(struct chunker *chunker, size_t bytes, size_t count)
{
	chunker->now.byte += bytes;
	chunker->now.count += count;
}

static void chunker_take_blank_start(struct chunker *chunker, struct text_position before,
				     uint32_t c)
{
	if (!unicode_is_blank(unicode_kind(c)))
		return;
	if (chunker->sentence_start.byte == before.byte)
		chunker->sentence_start = chunker->now;
	if (chunker->start.byte == before.byte)
		chunker_start_at(chunker, before);
}

static void chunker_take_text(struct chunker *chunker, uint32_t c, size_t n)
{
	bool is_border = grapheme_step(&chunker->grapheme, c);
	struct text_position before = chunker->now;
	struct text_position end;
	bool ended = false;

	chunker_make_room(chunker, 1, is_border);
	if (is_border)
		chunker->cluster = before;
	chunker_advance(chunker, n, 1);
	if (chunker->in_spell || unicode_is_spoken(unicode_kind(c)))
		chunker_set_mark(chunker, before.byte, MARK_SPOKEN);
	if (chunker->in_spell)
		sentence_spell(&chunker->sentence, chunker->now);
	else
		ended = sentence_step(&chunker->sentence, c, before, chunker->now, &end);
	if (ended)
		chunker_end_sentence(chunker, end);
	chunker_take_blank_start(chunker, before, c);
	if (!chunker->in_spell)
		chunker_cut_run_on(chunker);
	chunker_cut_full(chunker);
}

static void chunker_take_spell(struct chunker *chunker, struct text_position before)
{
	if (chunker->tag.closes) {
		chunker->in_spell = false;
		sentence_spell(&chunker->sentence, chunker->now);
	} else if (!chunker->tag.is_void && !chunker->in_spell) {
		chunker->in_spell = true;
		chunker->spell = before;
		chunker->sentence.gap = before; /* a full buffer is cut before it */
	}
}

/* Processes a complete tag, from now to its '>'. */
static void chunker_take_tag(struct chunker *chunker, size_t end_byte)
{
	size_t bytes = end_byte - chunker->now.byte;
	const char *tag = chunker->text.bytes + (chunker->now.byte - chunker->base);
	size_t count = utf8_count(tag, bytes);
	struct text_position before = chunker->now;
	struct text_position end;

	chunker_make_room(chunker, count, true);
	chunker_set_mark(chunker, before.byte, MARK_TAG);
	chunker_advance(chunker, bytes, count);
	chunker->grapheme = (struct grapheme){0};
	chunker->cluster = chunker->now;
	if (!chunker->in_spell && tag_is(&chunker->tag, "prosody"))
		prosody_tag(&chunker->prosody, &chunker->tag, tag, bytes);
	if (!chunker->in_spell &&
	    sentence_tag(&chunker->sentence, &chunker->tag, before, chunker->now, &end))
		chunker_end_sentence(chunker, end);
	if (tag_is(&chunker->tag, "spell"))
		chunker_take_spell(chunker, before);
	chunker_cut_full(chunker);
}

/* The open tag is not a tag: its '<' is text, and what follows is scanned again. */
static void chunker_give_up_tag(struct chunker *chunker)
{
	chunker->in_tag = false;
	if (!chunker->in_spell && tag_is(&chunker->tag, "prosody"))
		prosody_malformed(&chunker->prosody);
	chunker_take_text(chunker, '<', 1);
}

/* Processes the next code point of the open tag. */
static void chunker_scan_tag(struct chunker *chunker)
{
	uint32_t c;
	size_t n = chunker_decode_at(chunker, &c, chunker->tag_byte);
	enum tag_verdict verdict = tag_step(&chunker->tag, c, n);
	bool is_too_long = chunker->tag.len > chunker->options.buffer_max;

	if (verdict == TAG_TEXT || is_too_long) {
		chunker_give_up_tag(chunker);
		return;
	}
	chunker->tag_byte += n;
	if (verdict == TAG_WHOLE) {
		chunker->in_tag = false;
		chunker_take_tag(chunker, chunker->tag_byte);
	}
}

static void chunker_scan(struct chunker *chunker)
{
	for (;;) {
		size_t at = chunker->in_tag ? chunker->tag_byte : chunker->now.byte;
		uint32_t c;
		size_t n;

		if (at >= chunker_fed(chunker))
			return;
		if (chunker->in_tag) {
			chunker_scan_tag(chunker);
			continue;
		}
		n = chunker_decode_at(chunker, &c, at);
		if (c == '<') {
			tag_begin(&chunker->tag);
			chunker->in_tag = true;
			chunker->tag_byte = at + n;
		} else {
			chunker_take_text(chunker, c, n);
		}
	}
}

static void chunker_drop_taken(struct chunker *chunker)
{
	size_t n = chunker->taken - chunker->base;

	if (n == 0 || n < chunker->text.len / 2)
		return;
	buf_consume(&chunker->text, n);
	buf_consume(&chunker->marks, n);
	chunker->base = chunker->taken;
}

int chunker_feed(struct chunker *chunker, const char *text, size_t len)
{
	int err;

	if (chunker->ready == 0)
		chunker->taken = chunker->start.byte;
	if (len > FED_MAX - chunker_buffered(chunker))
		return ENOBUFS;
	chunker_drop_taken(chunker);
	err = buf_reserve(&chunker->text, len);
	if (!err)
		err = buf_reserve(&chunker->marks, len);
	if (err || len == 0)
		return err;
	buf_append(&chunker->text, text, len);
	for (size_t i = 0; i < len; ++i)
		chunker->marks.bytes[chunker->marks.len + i] = 0;
	chunker->marks.len += len;
	chunker->keeps_word = false;
	chunker_scan(chunker);
	return 0;
}

void chunker_end_message(struct chunker *chunker)
{
	struct text_position end;

	if (chunker->in_tag) /* it may belong to the sentence before it */
		chunker->sentence.message = chunker_fed(chunker);
	else if (sentence_end_message(&chunker->sentence, chunker_fed(chunker), &end))
		chunker_end_sentence(chunker, end);
}

unsigned chunker_pause_ms(const struct chunker *chunker)
{
	if (!sentence_awaits_pause(&chunker->sentence))
		return 0;
	return sentence_is_doubtful(&chunker->sentence) ? CHUNKER_DOUBT_MS : CHUNKER_CONFIRM_MS;
}

void chunker_pause(struct chunker *chunker)
{
	struct text_position end;

	if (!sentence_awaits_pause(&chunker->sentence))
		return;
	sentence_confirm(&chunker->sentence, &end);
	chunker_end_sentence(chunker, end);
}

/* Makes one chunk per sentence up to `end`. */
static void chunker_emit_sentences(struct chunker *chunker, struct text_position end,
				   enum silence rest)
{
	struct text_position at = chunker->start;

	while (at.byte < end.byte) {
		uint8_t mark = chunker_mark_at(chunker, at.byte);

		COST_STEP();
		at.count += chunker_is_lead(chunker, at.byte);
		++at.byte;
		if (mark & MARK_SENTENCE)
			chunker_emit_until(chunker, at, SILENCE_JOIN_TAGS);
	}
	chunker_emit_until(chunker, end, rest);
}

/* The end of the text that can be spoken without waiting for more. */
static struct text_position chunker_finished(const struct chunker *chunker)
{
	if (chunker->in_spell)
		return chunker->spell;
	if (grapheme_is_open(&chunker->grapheme))
		return chunker->cluster;
	return chunker->now;
}

static void chunker_hand_over(struct chunker *chunker, struct text_position until)
{
	struct text_position end;

	if (until.byte <= chunker->start.byte)
		return;
	if (chunker->sentence.candidate.end.byte <= until.byte &&
	    sentence_finish(&chunker->sentence, &end))
		chunker_mark_sentence(chunker, end);
	chunker_emit_sentences(chunker, until, SILENCE_KEEP);
	sentence_cut(&chunker->sentence, until);
	if (chunker->sentence_start.byte < until.byte)
		chunker->sentence_start = until;
}

bool chunker_timeout(struct chunker *chunker)
{
	struct text_position until = chunker_finished(chunker);
	struct text_position word = chunker->sentence.word.begin;

	chunker->keeps_word = !chunker->keeps_word && !chunker->in_tag && !chunker->in_spell &&
			      sentence_has_open_word(&chunker->sentence);
	if (chunker->keeps_word && word.byte < until.byte)
		until = word;
	chunker_hand_over(chunker, until);
	return chunker->keeps_word;
}

void chunker_emit(struct chunker *chunker)
{
	if (!chunker->in_spell) {
		chunker->grapheme = (struct grapheme){0};
		chunker->cluster = chunker->now;
	}
	chunker_hand_over(chunker, chunker->in_spell ? chunker->spell : chunker->now);
}

const char *chunker_fault(const struct chunker *chunker)
{
	return chunker->prosody.fault;
}

bool chunker_has_sentence(const struct chunker *chunker)
{
	return chunker->sentence_end.byte > chunker->start.byte;
}

void chunker_release(struct chunker *chunker)
{
	if (chunker_has_sentence(chunker))
		chunker_emit_until(chunker, chunker->sentence_end, SILENCE_JOIN_TAGS);
}

void chunker_flush(struct chunker *chunker)
{
	struct text_position end;

	if (chunker->in_tag) {
		chunker_give_up_tag(chunker);
		chunker_scan(chunker);
	}
	prosody_end(&chunker->prosody);
	if (sentence_finish(&chunker->sentence, &end))
		chunker_mark_sentence(chunker, end);
	chunker_emit_sentences(chunker, chunker->now, SILENCE_SKIP);
}

static void chunker_trim(struct chunk *chunk)
{
	uint32_t c;

	while (chunk->len > 0) {
		size_t n = utf8_decode(&c, chunk->text, chunk->len);

		if (!unicode_is_blank(unicode_kind(c)))
			break;
		chunk->text += n;
		chunk->len -= n;
		COST_STEP();
	}
	while (chunk->len > 0) {
		size_t n = 1;

		while (n < chunk->len && ((uint8_t)chunk->text[chunk->len - n] & 0xc0) == 0x80)
			++n;
		utf8_decode(&c, chunk->text + chunk->len - n, n);
		if (!unicode_is_blank(unicode_kind(c)))
			break;
		chunk->len -= n;
		COST_STEP();
	}
}

bool chunker_next(struct chunker *chunker, struct chunk *chunk)
{
	while (chunker->ready > 0) {
		size_t from = chunker->taken;
		uint8_t mark;

		do {
			mark = chunker_mark_at(chunker, chunker->taken++);
			COST_STEP();
		} while (!(mark & (MARK_CHUNK | MARK_SILENCE)));
		--chunker->ready;
		if (mark & MARK_SILENCE)
			continue;
		chunk->text = chunker->text.bytes + (from - chunker->base);
		chunk->len = chunker->taken - from;
		chunker_trim(chunk);
		return true;
	}
	chunker->taken = chunker->start.byte;
	return false;
}

size_t chunker_buffered(const struct chunker *chunker)
{
	return chunker_fed(chunker) - chunker->taken;
}
