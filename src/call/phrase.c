/*
 * phrase.c: see phrase.h.
 */
#include "call/phrase.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "text/fold.h"
#include "text/unicode.h"

static bool phrase_is_apostrophe(uint32_t c)
{
	return c == '\'' || c == 0x2019;
}

static bool phrase_is_part(uint32_t c)
{
	enum unicode_kind kind = unicode_kind(c);

	return unicode_is_letter(kind) || kind == UNICODE_MARK || kind == UNICODE_DIGIT;
}

static bool phrase_digit_at(const struct phrase *phrase, size_t at)
{
	uint32_t c = 0;

	if (at < phrase->len)
		utf8_decode(&c, phrase->text + at, phrase->len - at);
	return unicode_kind(c) == UNICODE_DIGIT;
}

/* The strongest of the marks after a word counts: in `…?"` that is the question mark.  Dots that are not
 * alone are a pause. */
static enum phrase_mark phrase_mark_of(uint32_t c, uint32_t before, enum phrase_mark mark)
{
	switch (c) {
	case '?':
	case 0x61F: /* Arabic */
	case 0xFF1F: /* full width */
		return PHRASE_QUESTION;
	case '.':
		if (before == '.')
			return PHRASE_TRAILING;
		return mark == PHRASE_NOTHING ? PHRASE_STOP : mark;
	case '!':
	case 0x3002: /* ideographic full stop */
	case 0xFF01:
		return mark == PHRASE_NOTHING ? PHRASE_STOP : mark;
	case ',':
	case ';':
	case ':':
	case '-':
	case 0x2013:
	case 0x2014:
	case 0x2026: /* an ellipsis */
	case 0x3001: /* ideographic comma */
	case 0xFF0C:
		return mark == PHRASE_NOTHING ? PHRASE_TRAILING : mark;
	default:
		return mark;
	}
}

/* Adds a character to a word. */
static void phrase_add(struct phrase_word *word, uint32_t c)
{
	enum unicode_kind kind = unicode_kind(c);
	char bytes[4];
	size_t len = utf8_encode(bytes, phrase_is_apostrophe(c) ? '\'' : fold_letter(c));

	word->letters += unicode_is_letter(kind);
	word->digits += kind == UNICODE_DIGIT;
	if (word->len + len < PHRASE_WORD_SIZE && kind != UNICODE_MARK) {
		memcpy(word->text + word->len, bytes, len);
		word->len += len;
	}
}

bool phrase_next(struct phrase *phrase, struct phrase_word *word)
{
	uint32_t c, before = 0;
	size_t step;

	memset(word, 0, sizeof(*word));
	for (; phrase->at < phrase->len; phrase->at += step) {
		step = utf8_decode(&c, phrase->text + phrase->at, phrase->len - phrase->at);
		if (phrase_is_part(c))
			break;
	}
	if (phrase->at >= phrase->len)
		return false;
	for (; phrase->at < phrase->len; phrase->at += step, before = c) {
		step = utf8_decode(&c, phrase->text + phrase->at, phrase->len - phrase->at);
		if (phrase_is_part(c) || (phrase_is_apostrophe(c) && word->letters > 0)) {
			phrase_add(word, c);
		} else if ((c == '.' || c == ',' || c == ':' || c == '/') &&
			   unicode_kind(before) == UNICODE_DIGIT &&
			   phrase_digit_at(phrase, phrase->at + step)) {
			word->is_figure = true;
		} else {
			break;
		}
	}
	while (word->len > 0 && word->text[word->len - 1] == '\'')
		word->text[--word->len] = '\0';
	before = 0;
	for (; phrase->at < phrase->len; phrase->at += step, before = c) {
		step = utf8_decode(&c, phrase->text + phrase->at, phrase->len - phrase->at);
		if (phrase_is_part(c))
			break;
		word->mark = phrase_mark_of(c, before, word->mark);
	}
	return true;
}

void phrase_tail_add(struct phrase_tail *tail, const struct phrase_word *word)
{
	size_t needed = word->len + 1;

	if (tail->len + needed > sizeof(tail->text)) {
		size_t dropped = tail->len + needed - sizeof(tail->text);

		memmove(tail->text, tail->text + dropped, tail->len - dropped);
		tail->len -= dropped;
	}
	/* The blank before the first word makes the beginning of the text the beginning of a word. */
	tail->text[tail->len++] = ' ';
	memcpy(tail->text + tail->len, word->text, word->len);
	tail->len += word->len;
}

bool phrase_tail_is(const struct phrase_tail *tail, const char *table)
{
	while (*table) {
		size_t len = strcspn(table, ",");

		if (len > 0 && tail->len > len && tail->text[tail->len - len - 1] == ' ' &&
		    memcmp(tail->text + tail->len - len, table, len) == 0)
			return true;
		table += len + (table[len] == ',');
	}
	return false;
}
