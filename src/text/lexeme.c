/*
 * lexeme.c: divides text into the words, signs and blanks that dictionaries compare (see
 * lexeme.h).
 */
#include "text/lexeme.h"

#include "base/count.h"
#include "text/compose.h"
#include "text/cost.h"
#include "text/fold.h"
#include "text/unicode.h"

/* Combining marks begin with this byte or a higher one. */
#define MARK_LEAD_FIRST 0xcc

/* Knuth's multiplier: its high bits depend on all bits of the symbol. */
#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

enum role {
	ROLE_SIGN, /* a lexeme by itself */
	ROLE_BLANK,
	ROLE_WORD, /* joins adjacent letters */
	ROLE_DIGIT, /* like ROLE_WORD */
	ROLE_POINT, /* a sign, but part of a word between digits */
	ROLE_MARK, /* joins anything but a blank */
	ROLE_NOTHING, /* ignored */
};

struct character {
	uint32_t c; /* composed */
	size_t n; /* bytes */
	enum role role;
};

static const uint8_t lexeme_roles[] = {
	[UNICODE_OTHER] = ROLE_SIGN,    [UNICODE_BLANK] = ROLE_BLANK,
	[UNICODE_NEWLINE] = ROLE_BLANK, [UNICODE_UPPER] = ROLE_WORD,
	[UNICODE_LOWER] = ROLE_WORD,    [UNICODE_LETTER] = ROLE_WORD,
	[UNICODE_DIGIT] = ROLE_DIGIT,   [UNICODE_NUMBER] = ROLE_WORD,
	[UNICODE_MARK] = ROLE_MARK,     [UNICODE_OPEN] = ROLE_SIGN,
	[UNICODE_CLOSE] = ROLE_SIGN,    [UNICODE_SIGN] = ROLE_SIGN,
	[UNICODE_PICTURE] = ROLE_SIGN,  [UNICODE_FORMAT] = ROLE_NOTHING,
};

/* Letters of scripts that are written without blanks. */
static bool lexeme_is_alone(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} scripts[] = {
		{0x0e00, 0x0eff}, /* Thai, Lao */
		{0x1000, 0x109f}, /* Burmese */
		{0x1780, 0x17ff}, /* Khmer */
		{0x1950, 0x19df}, /* Tai Le, New Tai Lue */
		{0x1a20, 0x1aaf}, /* Tai Tham */
		{0x2e80, 0x312f}, /* radicals, Kana, Bopomofo */
		{0x31a0, 0x9fff}, /* more Bopomofo and Kana, Han */
		{0xa9e0, 0xa9ff}, /* more Burmese */
		{0xaa60, 0xaadf}, /* more Burmese, Tai Viet */
		{0xf900, 0xfaff}, /* more Han */
		{0xff66, 0xff9f}, /* narrow Kana */
		{0x16fe0, 0x18cff}, /* Tangut, Khitan */
		{0x1aff0, 0x1b2ff}, /* more Kana, Nüshu */
		{0x20000, 0x3ffff}, /* the rest of Han */
	};

	for (size_t i = 0; i < COUNT(scripts); ++i) {
		if (c < scripts[i].first)
			return false;
		if (c <= scripts[i].last)
			return true;
	}
	return false;
}

/* 々 and ー continue the character before them. */
static bool lexeme_continues(uint32_t c)
{
	return c == 0x3005 || c == 0x30fc || c == 0xff70;
}

static enum role lexeme_role_of(uint32_t c)
{
	enum unicode_kind kind = unicode_kind(c);

	if (c == '.' || c == ',')
		return ROLE_POINT;
	if (c < 0x80)
		return (enum role)lexeme_roles[kind];
	if (c >= 0xfe00 && c <= 0xfe0f) /* variation selectors */
		return ROLE_NOTHING;
	if (lexeme_continues(c))
		return ROLE_MARK;
	if (kind == UNICODE_LETTER && lexeme_is_alone(c))
		return ROLE_SIGN;
	return (enum role)lexeme_roles[kind];
}

static void lexeme_read_character(struct character *ch, const char *text, size_t len, size_t at)
{
	uint8_t byte = (uint8_t)text[at];

	if (byte < 0x80 && (at + 1 == len || (uint8_t)text[at + 1] < MARK_LEAD_FIRST)) {
		ch->c = byte;
		ch->n = 1;
	} else {
		ch->n = compose_decode(&ch->c, text + at, len - at);
	}
	ch->role = lexeme_role_of(ch->c);
}

/* Whether the next character that is not ignored is a digit. */
static bool lexeme_is_digit_at(const char *text, size_t len, size_t at)
{
	struct character ch = {.role = ROLE_NOTHING};

	for (; at < len && ch.role == ROLE_NOTHING; at += ch.n)
		lexeme_read_character(&ch, text, len, at);
	return ch.role == ROLE_DIGIT;
}

static bool lexeme_is_word(enum role role)
{
	return role == ROLE_WORD || role == ROLE_DIGIT || role == ROLE_MARK;
}

/* Whether the character continues a lexeme that began as `first` and whose last role is
 * `last`. */
static bool lexeme_joins(const struct character *ch, enum role first, enum role last,
			 const char *text, size_t len, size_t after)
{
	if (ch->role == ROLE_NOTHING)
		return true;
	if (first == ROLE_BLANK)
		return ch->role == ROLE_BLANK;
	if (ch->role == ROLE_MARK)
		return true;
	if (!lexeme_is_word(first))
		return false;
	if (ch->role == ROLE_POINT)
		return last == ROLE_DIGIT && lexeme_is_digit_at(text, len, after);
	return lexeme_is_word(ch->role);
}

static uint32_t lexeme_symbol_of(const struct character *ch)
{
	if (ch->role == ROLE_BLANK)
		return ' ';
	return ch->c == 0x2019 ? '\'' : ch->c;
}

static void lexeme_add_symbol(struct lexeme *lexeme, uint32_t symbol)
{
	lexeme->exact = (lexeme->exact ^ symbol) * HASH_FACTOR;
	lexeme->folded = (lexeme->folded ^ fold_letter(symbol)) * HASH_FACTOR;
	++lexeme->len;
}

bool lexeme_read(struct lexeme *lexeme, const char *text, size_t len, size_t at)
{
	struct character ch = {.role = ROLE_NOTHING};
	enum role first;
	enum role last;

	*lexeme = (struct lexeme){0};
	for (; at < len && ch.role == ROLE_NOTHING; at += ch.n, COST_STEP())
		lexeme_read_character(&ch, text, len, at);
	if (ch.role == ROLE_NOTHING)
		return false;
	first = last = ch.role;
	lexeme->begin = at - ch.n;
	lexeme->is_blank = first == ROLE_BLANK;
	lexeme_add_symbol(lexeme, lexeme_symbol_of(&ch));
	for (; at < len; at += ch.n, COST_STEP()) {
		lexeme_read_character(&ch, text, len, at);
		if (!lexeme_joins(&ch, first, last, text, len, at + ch.n))
			break;
		if (ch.role == ROLE_NOTHING || lexeme->is_blank)
			continue;
		last = ch.role;
		lexeme_add_symbol(lexeme, lexeme_symbol_of(&ch));
	}
	lexeme->end = at;
	return true;
}

/* The symbol at *at, which is moved past it and ignored characters. */
static uint32_t lexeme_next_symbol(const struct lexeme *lexeme, const char *text, size_t *at,
				   bool folds)
{
	struct character ch;

	do {
		lexeme_read_character(&ch, text, lexeme->end, *at);
		*at += ch.n;
	} while (ch.role == ROLE_NOTHING);
	return folds ? fold_letter(lexeme_symbol_of(&ch)) : lexeme_symbol_of(&ch);
}

void lexeme_symbols(uint32_t *symbols, const struct lexeme *lexeme, const char *text, bool folds)
{
	size_t at = lexeme->begin;

	for (size_t i = 0; i < lexeme->len; ++i)
		symbols[i] = lexeme_next_symbol(lexeme, text, &at, folds);
}

int lexeme_compare(const struct lexeme *lexeme, const char *text, const uint32_t *symbols,
		   size_t len, bool folds)
{
	size_t at = lexeme->begin;

	if (lexeme->len != len)
		return lexeme->len < len ? -1 : 1;
	for (size_t i = 0; i < len; ++i) {
		uint32_t symbol = lexeme_next_symbol(lexeme, text, &at, folds);

		if (symbol != symbols[i])
			return symbol < symbols[i] ? -1 : 1;
	}
	return 0;
}
