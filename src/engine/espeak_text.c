/*
 * espeak_text.c: text in a form that is safe to give to eSpeak NG (see espeak_text.h).
 */
#include "engine/espeak_text.h"

#include <errno.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "engine/words.h"

/* Longer than any real word; stacked prefixes and endings overflow the library's buffers from
 * 140 letters on. */
#define WORD_MAX 80

/* A chunk has up to 20,000 bytes, and a message never more than a megabyte; phonemes become up
 * to three times as long. */
#define TEXT_MAX (16u << 20)

/* Styled letters and digits: each range repeats the alphabet after `period` characters. */
static const struct disguise {
	uint32_t first, last;
	char plain;
	uint32_t period;
} espeak_text_disguises[] = {
	{0x249c, 0x24b5, 'a', 26},   {0x24b6, 0x24cf, 'A', 26},   {0x24d0, 0x24e9, 'a', 26},
	{0xff10, 0xff19, '0', 10},   {0xff21, 0xff3a, 'A', 26},   {0xff41, 0xff5a, 'a', 26},
	{0x1d400, 0x1d6a3, 'A', 52}, {0x1d7ce, 0x1d7ff, '0', 10}, {0x1f110, 0x1f129, 'A', 26},
	{0x1f130, 0x1f149, 'A', 26}, {0x1f150, 0x1f169, 'A', 26}, {0x1f170, 0x1f189, 'A', 26},
	{0x1f1e6, 0x1f1ff, 'A', 26},
};

/* What a run of characters without a blank consists of so far. */
enum begun { NOTHING, STOPS, OTHER_PUNCTUATION, SIGNS, LETTERS };

struct espeak_text_writer {
	struct espeak_text *out;
	const struct engine_text *given;
	bool is_kyrgyz;
	unsigned run; /* letters since the last possible end of a word */
	enum begun begun; /* the kind of the run, up to the last character */
	bool follows_picture; /* after a sign that is not in ASCII */
	int err;
};

static void espeak_text_destroy(void *object)
{
	struct espeak_text *text = object;

	buf_reset(&text->text);
	buf_reset(&text->origins);
}

static void espeak_text_put(struct espeak_text_writer *writer, uint32_t c, size_t byte)
{
	uint32_t origin = (uint32_t)byte;
	char bytes[4];
	size_t len = utf8_encode(bytes, c);

	if (!writer->err)
		writer->err = buf_append(&writer->out->text, bytes, len);
	if (!writer->err)
		writer->err = buf_append(&writer->out->origins, &origin, sizeof(origin));
}

static void espeak_text_put_string(struct espeak_text_writer *writer, const char *string,
				   size_t len, size_t byte)
{
	while (len > 0) {
		uint32_t c;
		size_t n = utf8_decode(&c, string, len);

		espeak_text_put(writer, c, byte);
		string += n;
		len -= n;
	}
}

/* Outside the basic plane the library only knows pictures and Chinese characters; for other
 * letters it would spell the code point. */
static uint32_t espeak_text_plain_of(uint32_t c)
{
	for (size_t i = 0; i < COUNT(espeak_text_disguises); ++i) {
		const struct disguise *row = &espeak_text_disguises[i];
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

static enum begun espeak_text_kind_of(uint32_t c)
{
	if (words_is_blank(c))
		return NOTHING;
	if (c < 0x80 && strchr(",.;:!?", (int)c))
		return STOPS;
	if (words_is_punctuation(c))
		return OTHER_PUNCTUATION;
	return words_is_letter(c) ? LETTERS : SIGNS;
}

/* Whether a blank is needed before a character. */
static bool espeak_text_needs_blank(struct espeak_text_writer *writer, uint32_t c)
{
	enum begun kind = espeak_text_kind_of(c);
	bool is_picture = kind == SIGNS && c >= 0x80;
	/* Two signs, or a sign next to brackets or quotes, crash the library at the beginning of
	 * a run. */
	bool crashes = (writer->begun == SIGNS && (kind == SIGNS || kind == OTHER_PUNCTUATION)) ||
		       (writer->begun == OTHER_PUNCTUATION && kind == SIGNS);
	bool parted = false;

	if (words_is_mark(c) && writer->begun != NOTHING)
		return false;
	if (kind == NOTHING || words_may_begin_inside(c))
		writer->run = 0;
	else
		parted = ++writer->run > WORD_MAX || crashes ||
			 (writer->follows_picture && is_picture);
	writer->follows_picture = is_picture;
	if (parted)
		writer->run = 1;
	if (kind == NOTHING || parted || writer->begun != LETTERS)
		writer->begun = kind;
	return parted;
}

static void espeak_text_put_character(struct espeak_text_writer *writer, uint32_t c, size_t n,
				      size_t byte)
{
	c = espeak_text_plain_of(c);
	if (c < ' ' || c == 0x7f || (c == 0xfffd && n == 1))
		c = ' ';
	/* An apostrophe inside a word of foreign letters crashes the Kyrgyz voice. */
	if (writer->is_kyrgyz && (c == '\'' || c == 0x2019))
		c = ' ';
	if (c == '[' && writer->out->has_phonemes)
		c = '(';
	if (espeak_text_needs_blank(writer, c))
		espeak_text_put(writer, ' ', byte);
	espeak_text_put(writer, c, byte);
}

static void espeak_text_put_text(struct espeak_text_writer *writer, size_t from, size_t to)
{
	const char *text = writer->given->text;

	while (from < to) {
		uint32_t c;
		size_t n = utf8_decode(&c, text + from, to - from);

		espeak_text_put_character(writer, c, n, from);
		from += n;
	}
}

/* The library recognizes brackets only between blanks, and may end a clause at a blank, so
 * each word gets its own brackets. */
static void espeak_text_put_mnemonics(struct espeak_text_writer *writer, const char *words,
				      size_t byte)
{
	while (*words) {
		size_t len = strcspn(words, " ");

		espeak_text_put_string(writer, " [[", 3, byte);
		espeak_text_put_string(writer, words, len, byte);
		espeak_text_put_string(writer, "]] ", 3, byte);
		words += len + strspn(words + len, " ");
	}
	writer->run = 0;
	writer->begun = NOTHING;
}

/* *at is the position in the given text up to which everything was written. */
static void espeak_text_put_span(struct espeak_text_writer *writer, size_t *at,
				 const struct given_ipa *ipa, espeak_text_ipa_h *handler, void *arg)
{
	struct buf mnemonics;
	int err;

	buf_init(&mnemonics, TEXT_MAX);
	err = handler(&mnemonics, ipa, arg);
	if (!err)
		err = buf_append(&mnemonics, "", 1);
	if (!err) {
		espeak_text_put_text(writer, *at, ipa->byte_start);
		espeak_text_put_mnemonics(writer, mnemonics.bytes, ipa->byte_start);
		*at = ipa->byte_end;
	} else if (err != ENOENT) {
		writer->err = err;
	}
	buf_reset(&mnemonics);
}

static void espeak_text_write_all(struct espeak_text_writer *writer, bool is_english,
				  espeak_text_ipa_h *handler, void *arg)
{
	const struct engine_text *given = writer->given;
	size_t at = 0;

	writer->out->has_phonemes = handler && given->phonemes_count > 0;
	for (size_t i = 0; writer->out->has_phonemes && i < given->phonemes_count; ++i) {
		struct given_ipa ipa;

		given_ipa_read(&ipa, given, i, is_english);
		if (ipa.byte_start >= at && !writer->err)
			espeak_text_put_span(writer, &at, &ipa, handler, arg);
	}
	espeak_text_put_text(writer, at, given->text_len);
	espeak_text_put(writer, '\0', given->text_len);
}

int espeak_text_alloc(struct espeak_text **textp, const struct engine_text *given,
		      const char *language, espeak_text_ipa_h *handler, void *arg)
{
	struct espeak_text_writer writer = {
		.out = mem_zalloc(sizeof(*writer.out), espeak_text_destroy),
		.given = given,
		.is_kyrgyz = strcmp(language, "ky") == 0,
	};

	if (!writer.out)
		return ENOMEM;
	buf_init(&writer.out->text, TEXT_MAX);
	buf_init(&writer.out->origins, sizeof(uint32_t) * TEXT_MAX);
	espeak_text_write_all(&writer, strncmp(language, "en", 2) == 0, handler, arg);
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
