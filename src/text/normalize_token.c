/*
 * normalize_token.c: text → tokens (see normalize_private.h).
 */
#include <errno.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "text/normalize_private.h"

/* An apostrophe between letters belongs to the word: "isn't", "l’été". */
static bool is_apostrophe(uint32_t c)
{
	return c == '\'' || c == 0x2019;
}

struct scanner {
	bool elides;
	bool is_quoted; /* a '"' is open in this line */
	const char *text;
	size_t at, end;
	struct token *tokens;
	size_t count;
	size_t lump; /* the token that began it */
	size_t fixed; /* how many fixed words have been passed */
};

static size_t peek(const struct scanner *s, size_t at, uint32_t *c)
{
	if (at >= s->end) {
		*c = 0;
		return 0;
	}
	if ((uint8_t)s->text[at] < 0x80) {
		*c = (uint8_t)s->text[at];
		return 1;
	}
	return utf8_decode(c, s->text + at, s->end - at);
}

static bool is_dropped(uint32_t c, enum unicode_kind kind)
{
	if (kind == UNICODE_PICTURE)
		return c >= 0x2190 && c != 0x2192 && c != 0x2212; /* © and ™ are said by some */
	if (c == 0x200b || c == 0x2060 || c == 0xfeff)
		return true;
	/* Joiners shape letters in some scripts; here they follow none. */
	if (kind == UNICODE_FORMAT)
		return true;
	return (c >= 0xfe00 && c <= 0xfe0f) || c == 0x20e3 || (c >= 0x1f1e6 && c <= 0x1f1ff) ||
	       (c >= 0x1f3fb && c <= 0x1f3ff);
}

/* A zero-width character inside a word: joiners stay where they shape letters
 * (Persian, Indic scripts), the others go. */
static bool is_shaping(uint32_t c, uint32_t before)
{
	return (c == 0x200c || c == 0x200d) && before >= 0x0600 && before < 0x1000;
}

static void scan_word(struct scanner *s, struct token *token, uint32_t c, enum unicode_kind kind)
{
	bool all_upper = true;
	unsigned letters = 0;
	uint32_t before = c;

	token->kind = TOKEN_WORD;
	token->flags |= kind == UNICODE_UPPER ? TOKEN_CAPITAL : 0;
	for (;;) {
		uint32_t next, after;
		size_t n = peek(s, s->at, &c);

		kind = unicode_kind(c);
		if (n == 0)
			break;
		if (unicode_is_letter(kind)) {
			all_upper &= kind == UNICODE_UPPER;
			++letters;
		} else if (kind == UNICODE_MARK && !is_dropped(c, kind)) {
			token->flags |= TOKEN_MARKED;
		} else if (is_apostrophe(c)) {
			size_t more = peek(s, s->at + n, &next);

			if (more == 0 || !unicode_is_letter(unicode_kind(next)))
				break;
			all_upper = false;
			if (s->elides) {
				s->at += n;
				break;
			}
		} else if (is_shaping(c, before) && peek(s, s->at + n, &after) > 0) {
			/* stays */
		} else {
			break;
		}
		before = c;
		s->at += n;
	}
	if (all_upper && letters >= 2)
		token->flags |= TOKEN_UPPER;
}

static void scan_digits(struct scanner *s, struct token *token)
{
	token->kind = TOKEN_DIGITS;
	while (s->at < s->end && s->text[s->at] >= '0' && s->text[s->at] <= '9')
		++s->at;
}

static void scan_blanks(struct scanner *s, struct token *token)
{
	token->kind = TOKEN_BLANK;
	for (;;) {
		uint32_t c;
		size_t n = peek(s, s->at, &c);
		enum unicode_kind kind = unicode_kind(c);

		if (n == 0 || !unicode_is_blank(kind) || is_dropped(c, kind))
			return;
		if (kind == UNICODE_NEWLINE)
			token->kind = TOKEN_LINE;
		s->at += n;
	}
}

/* What can stand before the first word of an address, markdown's marks too. */
static bool is_opening(uint32_t c)
{
	return c == '(' || c == '[' || c == '"' || c == '\'' || c == '<' || c == '{' || c == '`' ||
	       c == '*' || unicode_kind(c) == UNICODE_OPEN;
}

static bool begins_lump(const struct scanner *s)
{
	const struct token *before = &s->tokens[s->count - 1];

	if (before->kind == TOKEN_BLANK || before->kind == TOKEN_LINE)
		return true;
	return before->kind == TOKEN_SIGN && is_opening(before->c) && before->flags & TOKEN_BEGINS;
}

static bool is_sign_of_address(uint32_t c)
{
	return c == '.' || c == '@' || c == '/' || c == '#' || c == ':' || c == '_';
}

static void scan_one(struct scanner *s)
{
	struct token *token = &s->tokens[s->count];
	uint32_t c;
	size_t n = peek(s, s->at, &c);
	enum unicode_kind kind = unicode_kind(c);

	*token = (struct token){.begin = (uint32_t)s->at, .c = c};
	if (begins_lump(s)) {
		token->flags |= TOKEN_BEGINS;
		s->lump = s->count;
	}
	if (unicode_is_letter(kind) || (kind == UNICODE_MARK && !is_dropped(c, kind))) {
		scan_word(s, token, c, kind);
	} else if (c >= '0' && c <= '9') {
		scan_digits(s, token);
	} else if (unicode_is_blank(kind) && !is_dropped(c, kind)) {
		scan_blanks(s, token);
		s->is_quoted &= token->kind != TOKEN_LINE;
	} else {
		token->kind = is_dropped(c, kind) ? TOKEN_DROP : TOKEN_SIGN;
		if (c == '"') {
			token->flags |= s->is_quoted ? TOKEN_CLOSES : 0;
			s->is_quoted = !s->is_quoted;
		}
		if (is_sign_of_address(c))
			s->tokens[s->lump].flags |= TOKEN_ADDRESS;
		s->at += n;
	}
	if (s->at == token->begin) /* a mark that begins nothing */
		s->at += n;
	token->end = (uint32_t)s->at;
	++s->count;
}

/* The fixed words that begin here are one token, whatever they hold. */
static void scan_fixed(struct scanner *s, const struct normalize_fixed *fixed)
{
	struct token *token = &s->tokens[s->count];
	uint32_t c;

	utf8_decode(&c, s->text + fixed->begin, fixed->end - fixed->begin);
	*token = (struct token){
		.begin = (uint32_t)fixed->begin,
		.end = (uint32_t)fixed->end,
		.c = (uint32_t)s->fixed++,
		.kind = TOKEN_FIXED,
		.flags = unicode_kind(c) == UNICODE_UPPER ? TOKEN_CAPITAL : 0,
	};
	s->lump = s->count++;
	s->at = fixed->end;
}

int normalize_tokens(struct token **tokensp, size_t *count, const char *text, size_t len,
		     bool elides, const struct fixed_list *fixed)
{
	/* A token for each byte at worst, the line before and the end behind. */
	struct token *tokens = malloc((len + 2) * sizeof(*tokens));
	struct scanner s = {.elides = elides, .text = text, .tokens = tokens, .count = 1};

	if (!tokens)
		return ENOMEM;
	tokens[0] = (struct token){.kind = TOKEN_LINE};
	while (s.at < len) {
		const struct normalize_fixed *next =
			s.fixed < fixed->count ? &fixed->list[s.fixed] : NULL;

		s.end = next ? next->begin : len;
		if (s.at == s.end)
			scan_fixed(&s, next);
		else
			scan_one(&s);
	}
	tokens[s.count] =
		(struct token){.begin = (uint32_t)len, .end = (uint32_t)len, .kind = TOKEN_END};
	*tokensp = tokens;
	*count = s.count;
	return 0;
}
