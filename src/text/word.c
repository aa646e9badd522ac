/*
 * word.c: the current word (see word.h).
 */
#include "text/word.h"

#include <string.h>

#include "base/utf8.h"
#include "text/punctuation.h"

static void word_key_put(struct word *word, uint32_t c)
{
	char bytes[4];
	size_t n = utf8_encode(bytes, c);

	if (word->key_len + n >= WORD_KEY_MAX && word->key_begin > 0) {
		word->key_len = (uint8_t)(word->key_len - word->key_begin);
		memmove(word->key, word->key + word->key_begin, word->key_len);
		word->key_begin = 0;
	}
	if (word->key_len + n >= WORD_KEY_MAX) {
		word->key_is_lost = true;
		return;
	}
	memcpy(word->key + word->key_len, bytes, n);
	word->key_len = (uint8_t)(word->key_len + n);
	word->key[word->key_len] = '\0';
}

void word_begin(struct word *word, struct text_position at, bool keep_key)
{
	bool keep = keep_key && !word->key_is_lost && word->key_len > 0;

	word->begin = at;
	word->last = 0;
	word->last_kind = UNICODE_BLANK;
	word->letters = word->digits = 0;
	word->is_capital = word->is_spelled = false;
	word->is_plain = word->is_dotted = true;
	word->has_pieces = word->has_dot = false;
	word->is_address = word->opens_number = false;
	word->key_is_lost = false;
	if (keep)
		word_key_put(word, '.');
	else
		word->key_len = 0;
	word->key_begin = word->key_len;
	word->key[word->key_len] = '\0';
}

static void word_next_piece(struct word *word)
{
	word->is_dotted = word->is_dotted && word->letters == 1;
	word->has_pieces = true;
	word->letters = 0;
}

static void word_take_letter(struct word *word, uint32_t c, enum unicode_kind kind)
{
	if (word->last == '.' && word->is_spelled) {
		word_next_piece(word);
		word->has_dot = true;
		word_key_put(word, '.');
	}
	if (!word->is_spelled) {
		word->is_capital = kind == UNICODE_UPPER;
		word->first_letter = c;
	}
	++word->letters;
	word->is_plain = word->opens_number = false;
	word_key_put(word, unicode_lower(c));
}

static void word_take_digit(struct word *word, struct text_position at)
{
	if (word->last_kind == UNICODE_LETTER)
		word->begin = at;
	word->digits = word->last_kind == UNICODE_DIGIT ? word->digits + 1 : 1;
	word->opens_number = true;
	word->key_is_lost = true;
}

static void word_take_hyphen(struct word *word)
{
	if (word->last == '.')
		word_key_put(word, '.');
	word_next_piece(word);
	word_key_put(word, '-');
	word->opens_number = false;
}

static void word_take_other(struct word *word, uint32_t c)
{
	bool goes_on = c == ',' || c == ':' || c == '/' || c == '\'' || c == 0x2019;

	if (c == '/' || c == '@')
		word->is_address = true;
	if (word->is_spelled)
		word->is_plain = false;
	word->opens_number = word->opens_number && goes_on;
	if (c != '.')
		word->key_begin = word->key_len; /* "l'art.": the lookup begins here */
}

bool word_step(struct word *word, uint32_t c, enum unicode_kind kind, struct text_position at)
{
	bool was_spelled = word->is_spelled;

	if (unicode_is_letter(kind)) {
		word_take_letter(word, c, kind);
		word->is_spelled = true;
	} else if (kind == UNICODE_DIGIT) {
		word_take_digit(word, at);
		word->is_spelled = true;
	} else if (kind == UNICODE_MARK) {
		word_key_put(word, c);
		word->letters += word->letters > 0; /* a letter with a sign is not an initial */
	} else if (c == '-' || c == 0x2010 || c == 0x2011) {
		word_take_hyphen(word);
	} else {
		word_take_other(word, c);
	}
	word->last = c;
	word->last_kind = kind;
	return !was_spelled && word->is_spelled;
}

/* Up to three digits are an ordinal or a list's marker; 2024 is a year, and a year ends
 * sentences. */
static enum hold word_number_hold(const struct word *word, const struct language *language,
				  bool is_first)
{
	if (!word->is_plain || word->digits > 3)
		return HOLD_CAPITAL;
	if (is_first)
		return HOLD_NEVER;
	return language->ordinals ? HOLD_STARTER : HOLD_CAPITAL;
}

static enum hold word_key_hold(const struct word *word, const struct language *language)
{
	const char *own = word->key + word->key_begin;
	const char *hyphen = strrchr(own, '-');
	enum hold hold;

	if (word->key_is_lost)
		return HOLD_NONE;
	hold = language_hold(language, word->key, word->is_capital);
	if (hold == HOLD_NONE && word->key_begin > 0)
		hold = language_hold(language, own, word->is_capital);
	if (hold == HOLD_NONE && hyphen)
		hold = language_hold(language, hyphen + 1, word->is_capital);
	return hold;
}

/* A single letter before the dot. Letters of scripts without case are words ("네."), but in
 * Arabic they abbreviate titles. */
static bool word_is_initial(const struct word *word)
{
	uint32_t c = word->last;

	if (word->letters != 1 || !word->is_dotted)
		return false;
	return c < 0x80 || word->last_kind == UNICODE_UPPER || (c >= 0x0620 && c <= 0x064a);
}

/* The previous word was also an initial: a name must follow ("J. R. R."). */
static bool word_follows_initial(const struct word *word)
{
	size_t end = word->key_begin > 0 ? word->key_begin - 1u : 0; /* its dot */
	size_t begin = end;

	while (begin > 0 && word->key[begin - 1] != '.')
		--begin;
	return utf8_count(word->key + begin, end - begin) == 1;
}

static bool word_is_roman(const struct word *word)
{
	const char *own = word->key + word->key_begin;

	return word->is_capital && own[0] != '\0' && own[strspn(own, "ivxlc")] == '\0';
}

enum hold word_hold(const struct word *word, const struct language *language, bool is_first)
{
	enum hold hold;

	if (word->last_kind == UNICODE_DIGIT)
		return word_number_hold(word, language, is_first);
	if (!unicode_is_letter(word->last_kind) && word->last_kind != UNICODE_MARK)
		return HOLD_NONE;
	if (word->is_address)
		return HOLD_NONE;
	hold = word_key_hold(word, language);
	if (hold != HOLD_NONE)
		return hold;
	if (word_is_initial(word))
		return (is_first && !word->has_pieces) || word_follows_initial(word) ? HOLD_NEVER
										     : HOLD_STARTER;
	return language->ordinals && word_is_roman(word) ? HOLD_STARTER : HOLD_NONE;
}

bool word_is_plain(const struct word *word)
{
	const char *own = word->key + word->key_begin;

	if (word->key_is_lost || word->letters == 0)
		return true;
	if (word->letters == 1)
		return false;
	for (; *own; ++own) {
		if (strchr("aeiouy", *own) || (unsigned char)*own >= 0x80)
			return true;
	}
	return false;
}

/* Chinese, Japanese, Thai and related scripts; Korean has blanks. */
static bool word_has_no_blanks(uint32_t c)
{
	bool is_hangul = c >= 0xac00 && c <= 0xd7a3;

	return (c >= 0x2e80 && c < 0xfb00 && !is_hangul) || (c >= 0x0e00 && c <= 0x0eff) ||
	       (c >= 0x1000 && c <= 0x109f) || (c >= 0x1780 && c <= 0x17ff);
}

bool word_may_go_on(const struct word *word)
{
	if (word->opens_number || word->last == '\'' || word->last == 0x2019)
		return true;
	switch (punctuation_of(word->last)) {
	case PUNCTUATION_NONE:
		break;
	case PUNCTUATION_DOT:
	case PUNCTUATION_DASH:
		return true;
	case PUNCTUATION_ELLIPSIS:
	case PUNCTUATION_STRONG:
	case PUNCTUATION_FULL:
	case PUNCTUATION_COMMA:
	case PUNCTUATION_PAUSE:
	case PUNCTUATION_CLOSE:
	case PUNCTUATION_OPEN:
	case PUNCTUATION_INVERTED:
		return false;
	}
	return word->last_kind != UNICODE_PICTURE && word->last_kind != UNICODE_FORMAT &&
	       !word_has_no_blanks(word->last);
}

bool word_is(const struct word *word, const char *wanted)
{
	return !word->key_is_lost && strcmp(word->key + word->key_begin, wanted) == 0;
}
