/*
 * reader.c: converts the text of one turn to what engines speak (see reader.h).
 *
 * Tags divide a chunk into runs. A run is processed by the dictionaries, and the rest of it
 * is normalized. An unknown tag is ignored and does not end the run: "<b>Dr.</b> Smith" is
 * one run.
 */
#include "text/reader.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "text/ipa.h"
#include "text/markup.h"
#include "text/normalize.h"
#include "text/pause.h"
#include "text/prosody.h"
#include "text/reader_parts.h"
#include "text/spell.h"
#include "text/tag.h"
#include "text/unicode.h"

/* The maximum size of a chunk after the dictionaries, in bytes: minutes of speech. Entries
 * that would exceed it are not used. */
#define SAID_MAX (64u * 1024u)

/* How much longer words may be than the text they replace: a digit becomes a word of a dozen
 * letters, and an entry of a dictionary up to four kilobytes. */
#define GROWTH_FACTOR 64
#define GROWTH_EXTRA (256u * 1024u)

struct pass {
	struct reader *reader;
	struct reader_parts parts;
	struct mapped run; /* the text since the last known tag */
	struct mapped said; /* the run after the dictionaries */
	struct buf fixed; /* struct normalize_fixed: the parts of `said` that are fixed */
	struct buf ipa; /* struct pronunciation, one for each of `fixed` */
	const char *text;
	size_t len;
	size_t at; /* byte */
	uint32_t index; /* the same position in code points */
};

struct pronunciation {
	const char *ipa; /* points into the run or a dictionary */
	size_t len;
};

static bool reader_is_plain(const struct pass *pass, size_t at)
{
	unsigned char b = (unsigned char)pass->text[at];

	/* 0xc2 begins the controls from U+0080 on. */
	return b >= 0x20 && b != '<' && b != '[' && b != 0x7f && b != 0xc2;
}

static void reader_keep_all(struct pass *pass, struct mapped_cursor *cursor, size_t len,
			    struct normalize_fixed *fixed, size_t fixed_len)
{
	size_t before = pass->parts.part.text.len;

	mapped_keep(&pass->parts.part, cursor, 0, len);
	for (size_t i = 0; i < fixed_len; ++i) {
		fixed[i].said = before + fixed[i].begin;
		fixed[i].is_said = true;
	}
}

static void reader_pronounce(struct pass *pass, const struct normalize_fixed *fixed,
			     size_t fixed_len)
{
	const struct pronunciation *ipa =
		(const struct pronunciation *)(const void *)pass->ipa.bytes;

	for (size_t i = 0; i < fixed_len && pass->reader->reads_phonemes; ++i) {
		size_t end = fixed[i].said + fixed[i].end - fixed[i].begin;

		if (fixed[i].is_said)
			reader_parts_pronounce(&pass->parts, fixed[i].said, end, ipa[i].ipa,
					       ipa[i].len);
	}
	pass->fixed.len = pass->ipa.len = 0;
}

static void reader_say(struct pass *pass, const struct mapped *text)
{
	struct normalize_fixed *fixed = (struct normalize_fixed *)(void *)pass->fixed.bytes;
	size_t fixed_len = pass->fixed.len / sizeof(*fixed);
	struct mapped_cursor cursor;

	if (text->text.len == 0)
		return;
	mapped_read(&cursor, text);
	if (pass->reader->normalizes)
		normalize(&pass->parts.part, &cursor, text->text.len, pass->reader->language, fixed,
			  fixed_len);
	else
		reader_keep_all(pass, &cursor, text->text.len, fixed, fixed_len);
	reader_pronounce(pass, fixed, fixed_len);
}

/* Matches of dictionaries and pronunciations, from left to right; each is searched for again
 * only after it was passed, so that the cost is linear. */
struct finds {
	struct lexicon_search *search; /* NULL: no dictionary */
	struct lexicon_hit hit;
	struct ipa_span span;
	bool has_hit, has_span;
};

static void reader_find_next(const struct pass *pass, struct finds *finds, size_t from)
{
	const struct buf *run = &pass->run.text;

	if (finds->has_hit && finds->hit.begin < from)
		finds->has_hit = lexicon_next(finds->search, &finds->hit, from);
	if (finds->has_span && finds->span.begin < from)
		finds->has_span = ipa_find(&finds->span, run->bytes, run->len, from);
}

static bool reader_find_first(struct pass *pass, struct finds *finds)
{
	const struct buf *run = &pass->run.text;
	int err = 0;

	*finds = (struct finds){0};
	if (pass->reader->lexicon)
		err = lexicon_search(&finds->search, pass->reader->lexicon, run->bytes, run->len);
	if (err && !pass->said.err)
		pass->said.err = err;
	finds->has_hit = finds->search && lexicon_next(finds->search, &finds->hit, 0);
	finds->has_span = ipa_find(&finds->span, run->bytes, run->len, 0);
	return finds->has_hit || finds->has_span;
}

static int reader_note_fixed(struct pass *pass, size_t begin, struct pronunciation ipa)
{
	struct normalize_fixed fixed = {.begin = begin, .end = pass->said.text.len};
	int err = buf_append(&pass->ipa, &ipa, sizeof(ipa));

	return err ? err : buf_append(&pass->fixed, &fixed, sizeof(fixed));
}

/* Copies fixed text without its blanks. */
static void reader_say_fixed(struct pass *pass, struct mapped_cursor *cursor, size_t begin,
			     size_t end, const char *text, size_t len, struct pronunciation ipa)
{
	size_t before = pass->said.text.len;
	int err = 0;

	while (len > 0 && text[len - 1] == ' ')
		--len;
	for (; len > 0 && *text == ' '; --len)
		++text;
	mapped_replace(&pass->said, cursor, begin, end, text, len);
	if (pass->said.text.len > before)
		err = reader_note_fixed(pass, before, ipa);
	if (err && !pass->said.err)
		pass->said.err = err;
}

static void reader_say_span(struct pass *pass, struct mapped_cursor *cursor,
			    const struct ipa_span *span)
{
	const char *ipa = pass->run.text.bytes + span->ipa;
	struct buf letters;

	buf_init(&letters, IPA_SPAN_MAX * 2);
	if (ipa_respell(&letters, ipa, span->ipa_len) == 0)
		reader_say_fixed(pass, cursor, span->begin, span->end, letters.bytes, letters.len,
				 (struct pronunciation){ipa, span->ipa_len});
	buf_reset(&letters);
}

static void reader_say_hit(struct pass *pass, struct mapped_cursor *cursor,
			   const struct lexicon_hit *hit)
{
	size_t len = strlen(hit->replacement);

	if (pass->said.text.len + pass->parts.part.text.len + len > SAID_MAX + pass->len)
		mapped_keep(&pass->said, cursor, hit->begin, hit->end);
	else if (hit->ipa && pass->reader->reads_phonemes)
		reader_say_fixed(pass, cursor, hit->begin, hit->end, hit->replacement, len,
				 (struct pronunciation){hit->ipa, strlen(hit->ipa)});
	else
		mapped_replace(&pass->said, cursor, hit->begin, hit->end, hit->replacement, len);
}

static void reader_say_finds(struct pass *pass, struct finds *finds)
{
	struct mapped_cursor cursor;
	size_t at = 0;

	mapped_read(&cursor, &pass->run);
	mapped_clear(&pass->said);
	while (finds->has_hit || finds->has_span) {
		bool is_hit = finds->has_hit &&
			      (!finds->has_span || finds->hit.begin < finds->span.begin);
		size_t begin = is_hit ? finds->hit.begin : finds->span.begin;

		mapped_keep(&pass->said, &cursor, at, begin);
		at = is_hit ? finds->hit.end : finds->span.end;
		if (is_hit)
			reader_say_hit(pass, &cursor, &finds->hit);
		else
			reader_say_span(pass, &cursor, &finds->span);
		reader_find_next(pass, finds, at);
	}
	mapped_keep(&pass->said, &cursor, at, pass->run.text.len);
	reader_say(pass, &pass->said);
}

static void reader_end_run(struct pass *pass)
{
	struct finds finds;

	if (reader_find_first(pass, &finds))
		reader_say_finds(pass, &finds);
	else
		reader_say(pass, &pass->run);
	mem_deref(finds.search);
	mapped_clear(&pass->run);
}

/* Separates the words around a tag that leaves nothing else. */
static void reader_part_words(struct pass *pass)
{
	const struct buf *run = &pass->run.text;

	if (run->len > 0 && run->bytes[run->len - 1] != ' ' && pass->at < pass->len)
		mapped_put(&pass->run, " ", 1, pass->index, pass->index);
}

/* False when the chunk ends first. */
static bool reader_find_spell_end(const struct pass *pass, size_t *end, size_t *after)
{
	size_t at = pass->at;

	while (at < pass->len) {
		const char *found = memchr(pass->text + at, '<', pass->len - at);
		struct tag tag;
		size_t n;

		if (!found)
			break;
		at = (size_t)(found - pass->text);
		n = tag_read(&tag, found, pass->len - at);
		if (n > 0 && tag.closes && tag_is(&tag, "spell")) {
			*end = at;
			*after = at + n;
			return true;
		}
		++at;
	}
	*end = *after = pass->len;
	return false;
}

static void reader_skip(struct pass *pass, size_t to)
{
	pass->index += (uint32_t)utf8_count(pass->text + pass->at, to - pass->at);
	pass->at = to;
}

/* "<spell>ab</spell>c": the last letter does not belong to the word after it. */
static void reader_part_from_spelled(struct pass *pass)
{
	struct mapped *part = &pass->parts.part;
	uint32_t c;

	if (pass->at >= pass->len || part->text.len == 0)
		return;
	utf8_decode(&c, pass->text + pass->at, pass->len - pass->at);
	if (unicode_is_spoken(unicode_kind(c)) && part->text.bytes[part->text.len - 1] != ' ')
		mapped_put(part, " ", 1, pass->index, pass->index);
}

/* Starts after the opening tag, or at the beginning of the chunk when it continues. */
static void reader_take_spell(struct pass *pass)
{
	size_t end, after;

	pass->reader->in_spell = !reader_find_spell_end(pass, &end, &after);
	reader_end_run(pass);
	spell_read(&pass->parts, pass->reader->language, pass->text + pass->at, end - pass->at,
		   pass->index, pass->reader->spell_group);
	reader_skip(pass, after);
	reader_part_from_spelled(pass);
}

/* False when there is no tag at the '<'. */
static bool reader_take_tag(struct pass *pass)
{
	const char *text = pass->text + pass->at;
	struct tag tag;
	size_t len = tag_read(&tag, text, pass->len - pass->at);
	double rate = 0;

	if (len == 0)
		return false;
	reader_skip(pass, pass->at + len);
	if (tag_is(&tag, "break")) {
		unsigned ms = pause_ms(text, len, pass->reader->markup & MARKUP_LONG_BREAKS);

		if (tag.closes)
			return true; /* <break></break> is a single pause */
		if (ms == 0) {
			reader_part_words(pass);
			return true;
		}
		reader_end_run(pass);
		reader_parts_pause(&pass->parts, ms);
	} else if (tag_is(&tag, "spell")) {
		if (!tag.closes && !tag.is_void) {
			pass->reader->spell_group = spell_group(text, len);
			reader_take_spell(pass);
		}
	} else if (tag_is(&tag, "prosody")) {
		if (!tag.closes && prosody_parse(&rate, text, len))
			return true; /* it has already failed the turn, or is ignored */
		reader_end_run(pass);
		pass->reader->rate = rate;
		reader_parts_rate(&pass->parts, rate);
	} else if (tag_is_pause(&tag)) {
		reader_part_words(pass);
	}
	return true;
}

static void reader_read_chunk(struct pass *pass)
{
	if (pass->reader->in_spell)
		reader_take_spell(pass);
	while (pass->at < pass->len) {
		const char *at = pass->text + pass->at;
		size_t left = pass->len - pass->at;
		size_t n = 0;
		uint32_t c;

		while (n < left && reader_is_plain(pass, pass->at + n))
			++n;
		if (n > 0) {
			mapped_copy(&pass->run, at, n, pass->index);
			pass->index += (uint32_t)utf8_count(at, n);
			pass->at += n;
			continue;
		}
		if (*at == '<' && reader_take_tag(pass))
			continue;
		if (*at == '[' && (n = markup_read(at, left, pass->reader->markup)) > 0) {
			reader_skip(pass, pass->at + n);
			reader_part_words(pass);
			continue;
		}
		n = utf8_decode(&c, at, left);
		/* Control characters become blanks, because engines interpret some as commands;
		 * but line ends matter to the normalizer. */
		if ((c < 0x20 || (c >= 0x7f && c < 0xa0)) &&
		    !(c == '\n' && pass->reader->normalizes))
			mapped_put(&pass->run, " ", 1, pass->index, pass->index + 1);
		else
			mapped_copy(&pass->run, at, n, pass->index);
		pass->at += n;
		++pass->index;
	}
	reader_end_run(pass);
}

int reader_read(struct spoken **spokenp, struct reader *reader, const char *text, size_t len)
{
	size_t max = len * GROWTH_FACTOR + GROWTH_EXTRA;
	struct pass pass = {.reader = reader, .text = text, .len = len};
	int err;

	reader_parts_init(&pass.parts, max, reader->rate);
	mapped_init(&pass.run, max);
	mapped_init(&pass.said, max);
	buf_init(&pass.fixed, len * sizeof(struct normalize_fixed));
	buf_init(&pass.ipa, len * sizeof(struct pronunciation));
	reader_read_chunk(&pass);
	err = pass.run.err ? pass.run.err : pass.said.err;
	if (!err)
		err = reader_parts_take(spokenp, &pass.parts);
	reader_parts_reset(&pass.parts);
	mapped_reset(&pass.run);
	mapped_reset(&pass.said);
	buf_reset(&pass.fixed);
	buf_reset(&pass.ipa);
	return err;
}
