/*
 * espeak_text.c: text as eSpeak NG can be given it (see espeak_text.h).
 */
#include "engine/espeak_text.h"

#include <errno.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "engine/words.h"

/* Longer than any word; prefixes and endings that are stacked upon each other
 * overflow the library's buffers from 140 letters on. */
#define WORD_MAX 80

/* A chunk has 20,000 bytes, a message never more than a megabyte; phonemes are
 * three times as long as they were. */
#define TEXT_MAX (16u << 20)

/* Letters and digits in disguise: every `period` of them begin anew. */
static const struct disguise {
	uint32_t first, last;
	char plain;
	uint32_t period;
} disguises[] = {
	{0x249c, 0x24b5, 'a', 26},   {0x24b6, 0x24cf, 'A', 26},   {0x24d0, 0x24e9, 'a', 26},
	{0xff10, 0xff19, '0', 10},   {0xff21, 0xff3a, 'A', 26},   {0xff41, 0xff5a, 'a', 26},
	{0x1d400, 0x1d6a3, 'A', 52}, {0x1d7ce, 0x1d7ff, '0', 10}, {0x1f110, 0x1f129, 'A', 26},
	{0x1f130, 0x1f149, 'A', 26}, {0x1f150, 0x1f169, 'A', 26}, {0x1f170, 0x1f189, 'A', 26},
	{0x1f1e6, 0x1f1ff, 'A', 26},
};

/* A run of characters without a blank. */
enum begun { NOTHING, STOPS, PUNCTUATION, SIGNS, LETTERS };

struct writer {
	struct espeak_text *out;
	const struct engine_text *given;
	bool is_kyrgyz;
	unsigned run; /* letters since the last place where a word can end */
	enum begun begun; /* what the run begins with, up to the last character */
	bool follows_picture; /* a sign that is on no keyboard */
	int err;
};

static void espeak_text_destroy(void *object)
{
	struct espeak_text *text = object;

	buf_reset(&text->text);
	buf_reset(&text->origins);
}

static void put(struct writer *writer, uint32_t c, size_t byte)
{
	uint32_t origin = (uint32_t)byte;
	char bytes[4];
	size_t len = utf8_encode(bytes, c);

	if (!writer->err)
		writer->err = buf_append(&writer->out->text, bytes, len);
	if (!writer->err)
		writer->err = buf_append(&writer->out->origins, &origin, sizeof(origin));
}

static void put_string(struct writer *writer, const char *string, size_t len, size_t byte)
{
	while (len > 0) {
		uint32_t c;
		size_t n = utf8_decode(&c, string, len);

		put(writer, c, byte);
		string += n;
		len -= n;
	}
}

/* Beyond the first plane the library knows pictures and Chinese signs; of other
 * letters there it would spell the number. */
static uint32_t plain_of(uint32_t c)
{
	for (size_t i = 0; i < COUNT(disguises); ++i) {
		const struct disguise *row = &disguises[i];
		uint32_t place = (c - row->first) % row->period;

		if (c < row->first || c > row->last)
			continue;
		if (place >= 26)
			return 'a' + place - 26;
		return (uint32_t)row->plain + place;
	}
	if ((c >= 0x10000 && c < 0x1f000) || (c >= 0x1f100 && c < 0x1f200) ||
	    (c > 0x1faff && c < 0x20000) || c > 0x3ffff)
		return ' ';
	return c;
}

/* An apostrophe inside a word of foreign letters is the end of the Kyrgyz voice. */
static bool is_deadly(const struct writer *writer, uint32_t c)
{
	return writer->is_kyrgyz && (c == '\'' || c == 0x2019);
}

static enum begun kind_of(uint32_t c)
{
	if (words_is_blank(c))
		return NOTHING;
	if (c < 0x80 && strchr(",.;:!?", (int)c))
		return STOPS;
	if (words_is_punctuation(c))
		return PUNCTUATION;
	return words_is_letter(c) ? LETTERS : SIGNS;
}

/* Two signs, or a sign beside brackets or quotes, where a run begins. */
static bool is_deadly_pair(enum begun before, enum begun now)
{
	return (before == SIGNS && (now == SIGNS || now == PUNCTUATION)) ||
	       (before == PUNCTUATION && now == SIGNS);
}

/* Whether a blank is needed before a character. */
static bool is_to_be_parted(struct writer *writer, uint32_t c)
{
	enum begun kind = kind_of(c);
	bool is_picture = kind == SIGNS && c >= 0x80;
	bool parted = false;

	if (words_is_mark(c) && writer->begun != NOTHING)
		return false;
	if (kind == NOTHING || words_may_begin_inside(c))
		writer->run = 0;
	else
		parted = ++writer->run > WORD_MAX || is_deadly_pair(writer->begun, kind) ||
			 (writer->follows_picture && is_picture);
	writer->follows_picture = is_picture;
	if (parted)
		writer->run = 1;
	if (kind == NOTHING || parted || writer->begun != LETTERS)
		writer->begun = kind;
	return parted;
}

static void put_character(struct writer *writer, uint32_t c, size_t n, size_t byte)
{
	c = plain_of(c);
	if (c < ' ' || c == 0x7f || (c == 0xfffd && n == 1) || is_deadly(writer, c))
		c = ' ';
	if (c == '[' && writer->out->has_phonemes)
		c = '(';
	if (is_to_be_parted(writer, c))
		put(writer, ' ', byte);
	put(writer, c, byte);
}

static void put_text(struct writer *writer, size_t from, size_t to)
{
	const char *text = writer->given->text;

	while (from < to) {
		uint32_t c;
		size_t n = utf8_decode(&c, text + from, to - from);

		put_character(writer, c, n, from);
		from += n;
	}
}

/* The library takes brackets as such only between blanks, and may end a clause at
 * a blank: each word gets its own. */
static void put_mnemonics(struct writer *writer, const char *words, size_t byte)
{
	while (*words) {
		size_t len = strcspn(words, " ");

		put_string(writer, " [[", 3, byte);
		put_string(writer, words, len, byte);
		put_string(writer, "]] ", 3, byte);
		words += len + strspn(words + len, " ");
	}
	writer->run = 0;
	writer->begun = NOTHING;
}

/* *at: what was written so far of the text. */
static void put_span(struct writer *writer, size_t *at, const struct ipa *ipa,
		     espeak_text_ipa_h *handler, void *arg)
{
	struct buf mnemonics;
	int err;

	buf_init(&mnemonics, TEXT_MAX);
	err = handler(&mnemonics, ipa, arg);
	if (!err)
		err = buf_append(&mnemonics, "", 1);
	if (!err) {
		put_text(writer, *at, ipa->byte_start);
		put_mnemonics(writer, mnemonics.bytes, ipa->byte_start);
		*at = ipa->byte_end;
	} else if (err != ENOENT) {
		writer->err = err;
	}
	buf_reset(&mnemonics);
}

static void write_all(struct writer *writer, bool is_english, espeak_text_ipa_h *handler, void *arg)
{
	const struct engine_text *given = writer->given;
	size_t at = 0;

	writer->out->has_phonemes = handler && given->phonemes_count > 0;
	for (size_t i = 0; writer->out->has_phonemes && i < given->phonemes_count; ++i) {
		struct ipa ipa;

		ipa_read(&ipa, given, i, is_english);
		if (ipa.byte_start >= at && !writer->err)
			put_span(writer, &at, &ipa, handler, arg);
	}
	put_text(writer, at, given->text_len);
	put(writer, '\0', given->text_len);
}

int espeak_text_alloc(struct espeak_text **textp, const struct engine_text *given,
		      const char *language, espeak_text_ipa_h *handler, void *arg)
{
	struct writer writer = {
		.out = mem_zalloc(sizeof(*writer.out), espeak_text_destroy),
		.given = given,
		.is_kyrgyz = strcmp(language, "ky") == 0,
	};

	if (!writer.out)
		return ENOMEM;
	buf_init(&writer.out->text, TEXT_MAX);
	buf_init(&writer.out->origins, sizeof(uint32_t) * TEXT_MAX);
	write_all(&writer, strncmp(language, "en", 2) == 0, handler, arg);
	if (writer.err)
		mem_deref(writer.out);
	else
		*textp = writer.out;
	return writer.err ? ENOMEM : 0;
}

size_t espeak_text_origin(const struct espeak_text *text, size_t character)
{
	size_t count = text->origins.len / sizeof(uint32_t);
	uint32_t origin;

	if (character >= count)
		character = count - 1;
	memcpy(&origin, text->origins.bytes + character * sizeof(origin), sizeof(origin));
	return origin;
}
