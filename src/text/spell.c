/*
 * spell.c: characters read one by one (see spell.h).
 */
#include "text/spell.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"
#include "text/reading.h"
#include "text/tag.h"
#include "text/unicode.h"

/* Listeners write down four characters at a time: bank cards, licence plates. */
#define GROUP_DEFAULT 4
#define GROUP_MAX 100 /* a larger group is ignored */

struct speller {
	struct reader_parts *parts;
	const struct reading_rules *reading; /* NULL: the language has no rules */
	const struct sign *signs; /* NULL: the language has no names of signs */
	unsigned group;
	unsigned in_group; /* characters since the last pause */
	bool is_first;
};

unsigned spell_group(const char *tag, size_t len)
{
	struct tag_attribute attribute;
	unsigned group = 0;

	if (!tag_attribute_find(&attribute, tag, len, "group"))
		return GROUP_DEFAULT;
	for (size_t i = 0; i < attribute.value_len; ++i) {
		char digit = attribute.value[i];

		if (digit < '0' || digit > '9')
			return GROUP_DEFAULT;
		group = group * 10 + (unsigned)(digit - '0');
		if (group > GROUP_MAX)
			return 0;
	}
	return group;
}

static const char *spell_sign_word(const struct sign *signs, const char *bytes, size_t n)
{
	for (const struct sign *sign = signs; sign && sign->written; ++sign) {
		if (strlen(sign->written) == n && memcmp(sign->written, bytes, n) == 0)
			return sign->spoken;
	}
	return NULL;
}

/* The word for one character; empty when there is none. */
static int spell_put_word(struct buf *word, const struct speller *speller, uint32_t c,
			  const char *bytes, size_t n)
{
	const struct reading_rules *reading = speller->reading;
	enum unicode_kind kind = unicode_kind(c);
	const char *spoken = spell_sign_word(speller->signs, bytes, n);
	char upper[4];

	if (spoken)
		return buf_append_str(word, spoken);
	if (unicode_is_blank(kind))
		return buf_append_str(word, reading && reading->space ? reading->space : "");
	if (c >= '0' && c <= '9')
		return reading ? number_say(word, reading->numbers, 'c', c - '0')
			       : buf_append(word, bytes, n);
	if (unicode_is_spoken(kind))
		return buf_append(word, upper, utf8_encode(upper, unicode_upper(c)));
	return 0;
}

static bool spell_begins_group(uint32_t c)
{
	return c == ' ' || c == '.' || c == '-' || c == '@';
}

static bool spell_has_blank(const char *text, size_t n)
{
	return memchr(text, ' ', n) || memchr(text, '\t', n) || memchr(text, '\n', n);
}

/* A combining mark belongs to its letter. */
static void spell_character(struct speller *speller, uint32_t c, const char *bytes, size_t n,
			    uint32_t index)
{
	char memory[256];
	struct buf word = {.bytes = memory, .size = sizeof(memory), .max = sizeof(memory)};
	struct mapped *part = &speller->parts->part;

	if (unicode_kind(c) == UNICODE_MARK && !speller->is_first) {
		mapped_put(part, bytes, n, index, index + 1);
		return;
	}
	if (spell_put_word(&word, speller, c, bytes, n) != 0 || word.len == 0)
		return;
	if (spell_begins_group(c))
		speller->in_group = 0;
	if (!speller->is_first)
		mapped_put(part, ",", 1, index, index); /* it precedes a pause between groups */
	if (speller->group > 0 && speller->in_group == speller->group) {
		reader_parts_pause(speller->parts, SPELL_GROUP_PAUSE_MS);
		speller->in_group = 0;
	}
	if (part->text.len > 0 && part->text.bytes[part->text.len - 1] != ' ')
		mapped_put(part, " ", 1, index, index);
	mapped_put(part, word.bytes, word.len, index, index + 1);
	speller->is_first = false;
	speller->in_group = spell_begins_group(c) ? 0 : speller->in_group + 1;
}

void spell_read(struct reader_parts *parts, const struct language *language, const char *text,
		size_t n, uint32_t from, unsigned group)
{
	struct speller speller = {
		.parts = parts,
		.reading = language->reading,
		.signs = language->reading ? language->reading->spelled_signs
					   : language->spelled_signs,
		.group = spell_has_blank(text, n) ? 0 : group,
		.is_first = true,
	};
	size_t at = 0;

	while (at < n) {
		struct tag tag;
		uint32_t c;
		size_t len = utf8_decode(&c, text + at, n - at);
		size_t tag_len = c == '<' ? tag_read(&tag, text + at, n - at) : 0;

		if (tag_len > 0) {
			from += (uint32_t)utf8_count(text + at, tag_len);
			at += tag_len;
			continue;
		}
		spell_character(&speller, c, text + at, len, from);
		at += len;
		++from;
	}
}
