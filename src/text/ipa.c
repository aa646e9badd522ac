/*
 * ipa.c: pronunciations written into the text (see ipa.h).
 */
#include "text/ipa.h"

#include <stdint.h>
#include <string.h>

#include "base/count.h"
#include "base/utf8.h"
#include "text/unicode.h"

/* Letters and marks (stress, length) that only IPA uses. */
static bool ipa_is_distinctive(uint32_t c)
{
	return c >= 0x0250 && c <= 0x02ff;
}

static bool ipa_is_allowed(uint32_t c)
{
	enum unicode_kind kind = unicode_kind(c);

	return unicode_is_letter(kind) || kind == UNICODE_MARK || ipa_is_distinctive(c) ||
	       c == ' ' || c == '.' || c == 0x203f || c == 0x0361;
}

/* A letter before the opening sign or after the closing one means that it is not a
 * pronunciation: "km/h". */
static bool ipa_is_bordered(const char *text, size_t len, const struct ipa_span *span)
{
	uint32_t c;
	size_t before = span->begin;

	if (before > 0) {
		do
			--before;
		while (before > 0 && ((uint8_t)text[before] & 0xc0) == 0x80);
		utf8_decode(&c, text + before, span->begin - before);
		if (unicode_is_spoken(unicode_kind(c)))
			return false;
	}
	if (span->end >= len)
		return true;
	utf8_decode(&c, text + span->end, len - span->end);
	return !unicode_is_spoken(unicode_kind(c));
}

/* Reads from the sign at span->begin to the matching one. */
static bool ipa_read_span(struct ipa_span *span, const char *text, size_t len)
{
	char mate = text[span->begin] == '[' ? ']' : '/';
	size_t at = span->begin + 1;
	bool is_ipa = false;

	span->ipa = at;
	while (at < len && at - span->ipa <= IPA_SPAN_MAX) {
		uint32_t c;
		size_t n = utf8_decode(&c, text + at, len - at);

		if (c == (uint32_t)mate) {
			span->ipa_len = at - span->ipa;
			span->end = at + 1;
			return is_ipa && ipa_is_bordered(text, len, span);
		}
		if (!ipa_is_allowed(c))
			return false;
		is_ipa |= ipa_is_distinctive(c);
		at += n;
	}
	return false;
}

/* Marks of IPA are rare, so they are searched for first: these bytes begin U+0240 to U+02FF. */
static bool ipa_is_lead(char b)
{
	return (uint8_t)b >= 0xc9 && (uint8_t)b <= 0xcb;
}

/* The sign that may open the span around a mark: the last one before the mark, but not before
 * `from`. */
static bool ipa_find_opening(size_t *begin, const char *text, size_t mark, size_t from)
{
	size_t least = mark > IPA_SPAN_MAX + from ? mark - IPA_SPAN_MAX : from;

	while (mark > least) {
		--mark;
		if (text[mark] == '/' || text[mark] == '[') {
			*begin = mark;
			return true;
		}
	}
	return false;
}

bool ipa_find(struct ipa_span *span, const char *text, size_t len, size_t from)
{
	for (size_t at = from; at < len; ++at) {
		if (!ipa_is_lead(text[at]))
			continue;
		if (!ipa_find_opening(&span->begin, text, at, from))
			from = at; /* later marks have no opening sign before here either */
		else if (ipa_read_span(span, text, len))
			return true;
		else
			from = span->begin + 1;
	}
	return false;
}

static const struct {
	const char *ipa, *letters;
} ipa_letters[] = {
	{"ɑ", "a"},  {"ɐ", "a"},  {"æ", "a"},  {"ɒ", "o"},  {"ə", "e"},  {"ɚ", "er"}, {"ɛ", "e"},
	{"ɜ", "er"}, {"ɝ", "er"}, {"ɪ", "i"},  {"ɨ", "i"},  {"ɔ", "o"},  {"ø", "oe"}, {"œ", "oe"},
	{"ʊ", "u"},  {"ʌ", "u"},  {"ɯ", "u"},  {"ʏ", "u"},  {"ɡ", "g"},  {"ɣ", "g"},  {"ʃ", "sh"},
	{"ʒ", "zh"}, {"ʂ", "sh"}, {"ʐ", "zh"}, {"ɕ", "sh"}, {"ʑ", "zh"}, {"θ", "th"}, {"ð", "th"},
	{"ŋ", "ng"}, {"ɲ", "ny"}, {"ɹ", "r"},  {"ɾ", "r"},  {"ʁ", "r"},  {"ʀ", "r"},  {"ɻ", "r"},
	{"ɫ", "l"},  {"ʎ", "ly"}, {"ɭ", "l"},  {"β", "v"},  {"ʋ", "v"},  {"χ", "kh"}, {"ħ", "h"},
	{"ɦ", "h"},  {"ç", "h"},  {"x", "kh"}, {"j", "y"},  {"ʔ", ""},   {"ɟ", "dy"}, {"ɱ", "m"},
	{"ɳ", "n"},  {"ʈ", "t"},  {"ɖ", "d"},  {"ʍ", "wh"}, {"ɥ", "w"},  {"ɤ", "o"},  {"ɵ", "o"},
	{"ʉ", "u"},  {"ɘ", "e"},  {"ɞ", "e"},  {"ɶ", "a"},
};

static const char *ipa_letters_of(const char *bytes, size_t n)
{
	for (size_t i = 0; i < COUNT(ipa_letters); ++i) {
		if (strlen(ipa_letters[i].ipa) == n && memcmp(ipa_letters[i].ipa, bytes, n) == 0)
			return ipa_letters[i].letters;
	}
	return NULL;
}

int ipa_respell(struct buf *out, const char *ipa, size_t len)
{
	size_t at = 0;
	int err = 0;

	while (at < len && !err) {
		uint32_t c;
		size_t n = utf8_decode(&c, ipa + at, len - at);
		const char *respelled = ipa_letters_of(ipa + at, n);

		if (respelled)
			err = buf_append_str(out, respelled);
		else if (c == ' ' || unicode_is_letter(unicode_kind(c)))
			err = ipa_is_distinctive(c) ? 0 : buf_append(out, ipa + at, n);
		at += n;
	}
	return err;
}
