/*
 * reader.c: how the text of one turn is read (see reader.h).
 *
 * Tags cut a chunk into runs.  A run goes through the dictionaries, then what
 * they did not fix is normalized.  A tag that is not ours is left out, and the
 * run goes on over it: "<b>Dr.</b> Smith" is one run.
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

/* What dictionaries may make of a chunk, in bytes: minutes of speech.  Entries
 * that would lead beyond it are not used. */
#define SAID_MAX (64u * 1024u)

/* How much longer words may be than what they stand for: a digit becomes a word
 * of a dozen letters, and a dictionary's entry up to four kilobytes of text. */
#define GROWTH_FACTOR 64
#define GROWTH_EXTRA (256u * 1024u)

struct pass {
	struct reader *reader;
	struct reader_parts parts;
	struct mapped run; /* the text since the last tag of ours */
	struct mapped said; /* the same, through the dictionaries */
	struct buf fixed; /* struct normalize_fixed: of `said`, what is pronounced so: */
	struct buf ipa; /* struct pronunciation, one for each */
	const char *text;
	size_t len;
	size_t at; /* byte */
	uint32_t index; /* the same place in code points */
};

struct pronunciation {
	const char *ipa; /* in the run, or a dictionary's */
	size_t len;
};

/* Stands in the run as it is, or reads as a blank: engines take some control
 * characters as commands. */
static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

static bool is_plain(const struct pass *pass, size_t at)
{
	unsigned char b = (unsigned char)pass->text[at];

	/* 0xc2 leads the controls from U+0080 on. */
	return b >= 0x20 && b != '<' && b != '[' && b != 0x7f && b != 0xc2;
}

static void take_plain(struct pass *pass)
{
	size_t end = pass->at;

	while (end < pass->len && is_plain(pass, end))
		++end;
	mapped_copy(&pass->run, pass->text + pass->at, end - pass->at, pass->index);
	pass->index += (uint32_t)utf8_count(pass->text + pass->at, end - pass->at);
	pass->at = end;
}

static void take_character(struct pass *pass)
{
	uint32_t c;
	size_t n = utf8_decode(&c, pass->text + pass->at, pass->len - pass->at);

	/* Lines mean something to the normalizer. */
	if (is_control(c) && !(c == '\n' && pass->reader->normalizes))
		mapped_put(&pass->run, " ", 1, pass->index, pass->index + 1);
	else
		mapped_copy(&pass->run, pass->text + pass->at, n, pass->index);
	pass->at += n;
	++pass->index;
}

static void keep_all(struct pass *pass, struct mapped_cursor *cursor, size_t len,
		     struct normalize_fixed *fixed, size_t fixed_len)
{
	size_t before = pass->parts.part.text.len;

	mapped_keep(&pass->parts.part, cursor, 0, len);
	for (size_t i = 0; i < fixed_len; ++i) {
		fixed[i].said = before + fixed[i].begin;
		fixed[i].is_said = true;
	}
}

static void pronounce(struct pass *pass, const struct normalize_fixed *fixed, size_t fixed_len)
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

static void say(struct pass *pass, const struct mapped *text)
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
		keep_all(pass, &cursor, text->text.len, fixed, fixed_len);
	pronounce(pass, fixed, fixed_len);
}

/* Dictionaries and pronunciations, from left to right; each is looked for anew
 * only when it was passed, so that the cost stays linear. */
struct finds {
	struct lexicon_search *search; /* NULL: no dictionary */
	struct lexicon_hit hit;
	struct ipa_span span;
	bool has_hit, has_span;
};

static void find_next(const struct pass *pass, struct finds *finds, size_t from)
{
	const struct buf *run = &pass->run.text;

	if (finds->has_hit && finds->hit.begin < from)
		finds->has_hit = lexicon_next(finds->search, &finds->hit, from);
	if (finds->has_span && finds->span.begin < from)
		finds->has_span = ipa_find(&finds->span, run->bytes, run->len, from);
}

static bool find_first(struct pass *pass, struct finds *finds)
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

static int note_fixed(struct pass *pass, size_t begin, struct pronunciation ipa)
{
	struct normalize_fixed fixed = {.begin = begin, .end = pass->said.text.len};
	int err = buf_append(&pass->ipa, &ipa, sizeof(ipa));

	return err ? err : buf_append(&pass->fixed, &fixed, sizeof(fixed));
}

/* Fixed text, which nobody changes; its blanks are not said. */
static void say_fixed(struct pass *pass, struct mapped_cursor *cursor, size_t begin, size_t end,
		      const char *text, size_t len, struct pronunciation ipa)
{
	size_t before = pass->said.text.len;
	int err = 0;

	while (len > 0 && text[len - 1] == ' ')
		--len;
	for (; len > 0 && *text == ' '; --len)
		++text;
	mapped_replace(&pass->said, cursor, begin, end, text, len);
	if (pass->said.text.len > before)
		err = note_fixed(pass, before, ipa);
	if (err && !pass->said.err)
		pass->said.err = err;
}

static void say_span(struct pass *pass, struct mapped_cursor *cursor, const struct ipa_span *span)
{
	const char *ipa = pass->run.text.bytes + span->ipa;
	struct buf letters;

	buf_init(&letters, IPA_SPAN_MAX * 2);
	if (ipa_respell(&letters, ipa, span->ipa_len) == 0)
		say_fixed(pass, cursor, span->begin, span->end, letters.bytes, letters.len,
			  (struct pronunciation){ipa, span->ipa_len});
	buf_reset(&letters);
}

static void say_hit(struct pass *pass, struct mapped_cursor *cursor, const struct lexicon_hit *hit)
{
	size_t len = strlen(hit->replacement);

	if (pass->said.text.len + pass->parts.part.text.len + len > SAID_MAX + pass->len)
		mapped_keep(&pass->said, cursor, hit->begin, hit->end);
	else if (hit->ipa && pass->reader->reads_phonemes)
		say_fixed(pass, cursor, hit->begin, hit->end, hit->replacement, len,
			  (struct pronunciation){hit->ipa, strlen(hit->ipa)});
	else
		mapped_replace(&pass->said, cursor, hit->begin, hit->end, hit->replacement, len);
}

static void say_finds(struct pass *pass, struct finds *finds)
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
			say_hit(pass, &cursor, &finds->hit);
		else
			say_span(pass, &cursor, &finds->span);
		find_next(pass, finds, at);
	}
	mapped_keep(&pass->said, &cursor, at, pass->run.text.len);
	say(pass, &pass->said);
}

static void end_run(struct pass *pass)
{
	struct finds finds;

	if (find_first(pass, &finds))
		say_finds(pass, &finds);
	else
		say(pass, &pass->run);
	mem_deref(finds.search);
	mapped_clear(&pass->run);
}

/* A tag that leaves nothing else must not glue the words around it together. */
static void part_words(struct pass *pass)
{
	const struct buf *run = &pass->run.text;

	if (run->len > 0 && run->bytes[run->len - 1] != ' ' && pass->at < pass->len)
		mapped_put(&pass->run, " ", 1, pass->index, pass->index);
}

/* False when the chunk ends first. */
static bool find_spell_end(const struct pass *pass, size_t *end, size_t *after)
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

static void pass_by(struct pass *pass, size_t to)
{
	pass->index += (uint32_t)utf8_count(pass->text + pass->at, to - pass->at);
	pass->at = to;
}

/* "<spell>ab</spell>c": the last letter is no part of the word behind it. */
static void part_from_spelled(struct pass *pass)
{
	struct mapped *part = &pass->parts.part;
	uint32_t c;

	if (pass->at >= pass->len || part->text.len == 0)
		return;
	utf8_decode(&c, pass->text + pass->at, pass->len - pass->at);
	if (unicode_is_spoken(unicode_kind(c)) && part->text.bytes[part->text.len - 1] != ' ')
		mapped_put(part, " ", 1, pass->index, pass->index);
}

/* From behind its tag, or from the chunk's beginning when it goes on. */
static void take_spell(struct pass *pass)
{
	size_t end, after;

	pass->reader->in_spell = !find_spell_end(pass, &end, &after);
	end_run(pass);
	spell_read(&pass->parts, pass->reader->language, pass->text + pass->at, end - pass->at,
		   pass->index, pass->reader->spell_group);
	pass_by(pass, after);
	part_from_spelled(pass);
}

static void take_break(struct pass *pass, const char *tag, size_t len)
{
	unsigned ms = pause_ms(tag, len, pass->reader->markup & MARKUP_LONG_BREAKS);

	if (ms == 0) {
		part_words(pass);
		return;
	}
	end_run(pass);
	reader_parts_pause(&pass->parts, ms);
}

/* A faulty one has failed the turn long before, or is none of ours. */
static void take_prosody(struct pass *pass, const struct tag *tag, const char *text, size_t len)
{
	double rate = 0;

	if (!tag->closes && prosody_parse(&rate, text, len))
		return;
	end_run(pass);
	pass->reader->rate = rate;
	reader_parts_rate(&pass->parts, rate);
}

/* False when there is none at the '<'. */
static bool take_tag(struct pass *pass)
{
	const char *text = pass->text + pass->at;
	struct tag tag;
	size_t len = tag_read(&tag, text, pass->len - pass->at);

	if (len == 0)
		return false;
	pass_by(pass, pass->at + len);
	if (tag_is(&tag, "break")) {
		if (!tag.closes) /* <break></break> is one */
			take_break(pass, text, len);
	} else if (tag_is(&tag, "spell")) {
		if (!tag.closes && !tag.is_void) {
			pass->reader->spell_group = spell_group(text, len);
			take_spell(pass);
		}
	} else if (tag_is(&tag, "prosody")) {
		take_prosody(pass, &tag, text, len);
	} else if (tag_is_pause(&tag)) {
		part_words(pass);
	}
	return true;
}

/* False when there is none at the '['. */
static bool take_audio_tag(struct pass *pass)
{
	size_t len = markup_read(pass->text + pass->at, pass->len - pass->at, pass->reader->markup);

	if (len == 0)
		return false;
	pass_by(pass, pass->at + len);
	part_words(pass);
	return true;
}

static bool take_markup(struct pass *pass)
{
	char c = pass->text[pass->at];

	return (c == '<' && take_tag(pass)) || (c == '[' && take_audio_tag(pass));
}

static void read_chunk(struct pass *pass)
{
	if (pass->reader->in_spell)
		take_spell(pass);
	while (pass->at < pass->len) {
		if (is_plain(pass, pass->at))
			take_plain(pass);
		else if (!take_markup(pass))
			take_character(pass);
	}
	end_run(pass);
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
	read_chunk(&pass);
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
