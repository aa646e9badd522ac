/*
 * normalize_token.c: text → tokens, and the functions with which readers examine tokens (see
 * normalize_private.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "text/normalize_private.h"

/* An apostrophe between letters belongs to the word: "isn't", "l’été". */
static bool normalize_token_is_apostrophe(uint32_t c)
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
	size_t lump; /* the token that began the current run without blanks */
	size_t fixed; /* number of fixed words already read */
};

static size_t normalize_token_peek(const struct scanner *s, size_t at, uint32_t *c)
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

static bool normalize_token_is_dropped(uint32_t c, enum unicode_kind kind)
{
	if (kind == UNICODE_PICTURE)
		/* © and ™ are spoken in some languages */
		return c >= 0x2190 && c != 0x2192 && c != 0x2212;
	if (c == 0x200b || c == 0x2060 || c == 0xfeff)
		return true;
	/* A joiner after a letter may shape it; this one does not follow a letter. */
	if (kind == UNICODE_FORMAT)
		return true;
	return (c >= 0xfe00 && c <= 0xfe0f) || c == 0x20e3 || (c >= 0x1f1e6 && c <= 0x1f1ff) ||
	       (c >= 0x1f3fb && c <= 0x1f3ff);
}

/* A zero-width character inside a word: joiners are kept where they shape letters (Persian,
 * Indic scripts), others are dropped. */
static bool normalize_token_is_shaping(uint32_t c, uint32_t before)
{
	return (c == 0x200c || c == 0x200d) && before >= 0x0600 && before < 0x1000;
}

static void normalize_token_scan_word(struct scanner *s, struct token *token, uint32_t c,
				      enum unicode_kind kind)
{
	bool all_upper = true;
	unsigned letters = 0;
	uint32_t before = c;

	token->kind = TOKEN_WORD;
	token->flags |= kind == UNICODE_UPPER ? TOKEN_CAPITAL : 0;
	for (;;) {
		uint32_t next, after;
		size_t n = normalize_token_peek(s, s->at, &c);

		kind = unicode_kind(c);
		if (n == 0)
			break;
		if (unicode_is_letter(kind)) {
			all_upper &= kind == UNICODE_UPPER;
			++letters;
		} else if (kind == UNICODE_MARK && !normalize_token_is_dropped(c, kind)) {
			token->flags |= TOKEN_MARKED;
		} else if (normalize_token_is_apostrophe(c)) {
			size_t more = normalize_token_peek(s, s->at + n, &next);

			if (more == 0 || !unicode_is_letter(unicode_kind(next)))
				break;
			all_upper = false;
			if (s->elides) {
				s->at += n;
				break;
			}
		} else if (normalize_token_is_shaping(c, before) &&
			   normalize_token_peek(s, s->at + n, &after) > 0) {
			/* kept */
		} else {
			break;
		}
		before = c;
		s->at += n;
	}
	if (all_upper && letters >= 2)
		token->flags |= TOKEN_UPPER;
}

static void normalize_token_scan_digits(struct scanner *s, struct token *token)
{
	token->kind = TOKEN_DIGITS;
	while (s->at < s->end && s->text[s->at] >= '0' && s->text[s->at] <= '9')
		++s->at;
}

static void normalize_token_scan_blanks(struct scanner *s, struct token *token)
{
	token->kind = TOKEN_BLANK;
	for (;;) {
		uint32_t c;
		size_t n = normalize_token_peek(s, s->at, &c);
		enum unicode_kind kind = unicode_kind(c);

		if (n == 0 || !unicode_is_blank(kind) || normalize_token_is_dropped(c, kind))
			return;
		if (kind == UNICODE_NEWLINE)
			token->kind = TOKEN_LINE;
		s->at += n;
	}
}

/* Signs that can precede the first word of an address, including markdown's marks. */
static bool normalize_token_is_opening(uint32_t c)
{
	return c == '(' || c == '[' || c == '"' || c == '\'' || c == '<' || c == '{' || c == '`' ||
	       c == '*' || unicode_kind(c) == UNICODE_OPEN;
}

static bool normalize_token_begins_lump(const struct scanner *s)
{
	const struct token *before = &s->tokens[s->count - 1];

	if (before->kind == TOKEN_BLANK || before->kind == TOKEN_LINE)
		return true;
	return before->kind == TOKEN_SIGN && normalize_token_is_opening(before->c) &&
	       before->flags & TOKEN_BEGINS;
}

static bool normalize_token_is_sign_of_address(uint32_t c)
{
	return c == '.' || c == '@' || c == '/' || c == '#' || c == ':' || c == '_';
}

static void normalize_token_scan_one(struct scanner *s)
{
	struct token *token = &s->tokens[s->count];
	uint32_t c;
	size_t n = normalize_token_peek(s, s->at, &c);
	enum unicode_kind kind = unicode_kind(c);

	*token = (struct token){.begin = (uint32_t)s->at, .c = c};
	if (normalize_token_begins_lump(s)) {
		token->flags |= TOKEN_BEGINS;
		s->lump = s->count;
	}
	if (unicode_is_letter(kind) ||
	    (kind == UNICODE_MARK && !normalize_token_is_dropped(c, kind))) {
		normalize_token_scan_word(s, token, c, kind);
	} else if (c >= '0' && c <= '9') {
		normalize_token_scan_digits(s, token);
	} else if (unicode_is_blank(kind) && !normalize_token_is_dropped(c, kind)) {
		normalize_token_scan_blanks(s, token);
		s->is_quoted &= token->kind != TOKEN_LINE;
	} else {
		token->kind = normalize_token_is_dropped(c, kind) ? TOKEN_DROP : TOKEN_SIGN;
		if (c == '"') {
			token->flags |= s->is_quoted ? TOKEN_CLOSES : 0;
			s->is_quoted = !s->is_quoted;
		}
		if (normalize_token_is_sign_of_address(c))
			s->tokens[s->lump].flags |= TOKEN_ADDRESS;
		s->at += n;
	}
	if (s->at == token->begin) /* a mark that follows no character */
		s->at += n;
	token->end = (uint32_t)s->at;
	++s->count;
}

/* The fixed words that begin here are one token, whatever they contain. */
static void normalize_token_scan_fixed(struct scanner *s, const struct normalize_fixed *fixed)
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

int token_scan(struct token **tokensp, size_t *count, const char *text, size_t len, bool elides,
	       const struct fixed_list *fixed)
{
	/* At worst a token for each byte, plus the first line and the end. */
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
			normalize_token_scan_fixed(&s, next);
		else
			normalize_token_scan_one(&s);
	}
	tokens[s.count] =
		(struct token){.begin = (uint32_t)len, .end = (uint32_t)len, .kind = TOKEN_END};
	*tokensp = tokens;
	*count = s.count;
	return 0;
}

bool token_is(const struct normalizer *n, size_t i, uint32_t c)
{
	const struct token *token = token_at(n, i);

	return token->kind == TOKEN_SIGN && token->c == c;
}

bool token_is_digits(const struct normalizer *n, size_t i)
{
	return token_at(n, i)->kind == TOKEN_DIGITS;
}

bool token_is_short(const struct normalizer *n, size_t i)
{
	return token_is_digits(n, i) && token_len(n, i) <= 2;
}

bool token_is_word(const struct normalizer *n, size_t i)
{
	return token_at(n, i)->kind == TOKEN_WORD;
}

bool token_is_text(const struct normalizer *n, size_t i)
{
	enum token_kind kind = (enum token_kind)token_at(n, i)->kind;

	return kind == TOKEN_WORD || kind == TOKEN_DIGITS || kind == TOKEN_FIXED;
}

bool token_holds_fixed(const struct normalizer *n, size_t i, size_t next)
{
	while (i < next && token_at(n, i)->kind != TOKEN_FIXED)
		++i;
	return i < next;
}

size_t token_len(const struct normalizer *n, size_t i)
{
	return token_at(n, i)->end - token_at(n, i)->begin;
}

bool token_equals(const struct normalizer *n, size_t i, const char *word)
{
	size_t len = token_len(n, i);

	return len > 0 && word[0] == n->text[token_at(n, i)->begin] && strlen(word) == len &&
	       token_at(n, i)->kind != TOKEN_FIXED &&
	       memcmp(n->text + token_at(n, i)->begin, word, len) == 0;
}

size_t token_lower(const struct normalizer *n, size_t i, char lower[WORD_MAX])
{
	const struct token *token = token_at(n, i);
	size_t at = token->begin;
	size_t len = 0;

	if (token->end - token->begin > WORD_MAX - 5)
		return 0;
	while (at < token->end) {
		uint32_t c;

		at += utf8_decode(&c, n->text + at, token->end - at);
		len += utf8_encode(lower + len, unicode_lower(c));
	}
	lower[len] = '\0';
	return len;
}

bool token_listed(const struct normalizer *n, size_t i, const char *list)
{
	char lower[WORD_MAX];

	return list && reading_lists(list, lower, token_lower(n, i, lower));
}

uint64_t token_value(const struct normalizer *n, size_t i)
{
	const struct token *token = token_at(n, i);
	uint64_t value = 0;

	for (size_t at = token->begin; at < token->end; ++at) {
		if (value > NUMBER_MAX / 10)
			return NUMBER_MAX;
		value = value * 10 + (uint64_t)(n->text[at] - '0');
	}
	return value;
}

bool token_is_dash(const struct normalizer *n, size_t i)
{
	return token_is(n, i, '-') || token_is(n, i, 0x2013) || token_is(n, i, 0x2212) ||
	       token_is(n, i, 0x2010) || token_is(n, i, 0x2011);
}

size_t token_skip_blank(const struct normalizer *n, size_t i)
{
	return token_at(n, i)->kind == TOKEN_BLANK ? i + 1 : i;
}

/* The token that begins at a byte, 0 when there is none. */
static size_t normalize_token_from_byte(const struct normalizer *n, size_t i, size_t byte)
{
	while (token_at(n, i)->begin < byte && token_at(n, i)->kind != TOKEN_END)
		++i;
	return token_at(n, i)->begin == byte ? i : 0;
}

static size_t normalize_token_blank_length(const char *text, size_t len)
{
	uint32_t c;
	size_t n;

	if (len == 0)
		return 0;
	n = utf8_decode(&c, text, len);
	return unicode_kind(c) == UNICODE_BLANK ? n : 0;
}

/* The length in bytes of a spelling at the beginning of the text, 0 when it does not match. */
static size_t normalize_token_spelling_fits(const char *text, size_t left, const char *spelling,
					    size_t len)
{
	size_t at = 0;

	for (size_t i = 0; i < len; ++i) {
		if (spelling[i] == '_') {
			at += normalize_token_blank_length(text + at, left - at);
			continue;
		}
		if (at >= left || text[at] != spelling[i])
			return 0;
		++at;
	}
	return at;
}

/* A word must not continue after it. */
static bool normalize_token_is_whole(const struct normalizer *n, size_t next)
{
	return !token_is_word(n, next - 1) || !(token_is_word(n, next) || token_is_digits(n, next));
}

size_t token_match_spelling(const struct normalizer *n, size_t i, const char *list, size_t longest)
{
	size_t begin = token_at(n, i)->begin;
	size_t left = token_at(n, n->tokens_len)->begin - begin;
	char first = left > 0 ? n->text[begin] : '\0';
	size_t found = 0;

	for (const char *at = list; at && at[0] && at[1];) {
		size_t len = 0;
		size_t taken = 0;

		if (*++at != first) { /* most have another first byte */
			at += strcspn(at, " ");
			continue;
		}
		len = strcspn(at, " ");
		taken = normalize_token_spelling_fits(n->text + begin, left, at, len);
		if (taken > longest) {
			size_t next = normalize_token_from_byte(n, i, begin + taken);

			if (next && normalize_token_is_whole(n, next) &&
			    !token_holds_fixed(n, i, next)) {
				longest = taken;
				found = next;
			}
		}
		at += len;
	}
	return found;
}

const struct token *token_before(const struct normalizer *n, size_t i)
{
	if (i > 0 && token_at(n, i - 1)->kind == TOKEN_BLANK)
		--i;
	return token_at(n, i > 0 ? i - 1 : 0);
}

size_t token_word_before(const struct normalizer *n, size_t i)
{
	if (i > 0 && token_at(n, i - 1)->kind == TOKEN_BLANK)
		--i;
	if (i > 1 && token_is(n, i - 1, '.') && token_is_word(n, i - 2))
		--i;
	return i > 0 && token_is_word(n, i - 1) ? i - 1 : 0;
}

size_t token_before_colon(const struct normalizer *n, size_t i)
{
	size_t sign = i > 0 && token_at(n, i - 1)->kind == TOKEN_BLANK ? i - 1 : i;

	return sign > 1 && token_is(n, sign - 1, ':') && !token_is_digits(n, sign - 2) ? sign - 1
										       : i;
}

bool token_follows(const struct normalizer *n, size_t i, const char *list)
{
	size_t before = token_word_before(n, token_before_colon(n, i));

	return before && token_listed(n, before, list);
}

bool token_dot_ends_sentence(const struct normalizer *n, size_t next)
{
	char lower[WORD_MAX];

	if (token_at(n, next)->kind == TOKEN_END)
		return true;
	if (token_at(n, next)->kind != TOKEN_BLANK || !token_is_word(n, next + 1) ||
	    !(token_at(n, next + 1)->flags & TOKEN_CAPITAL) || token_lower(n, next + 1, lower) == 0)
		return false;
	if (lower[1] == '\0' && token_at(n, next + 2)->kind != TOKEN_BLANK)
		return false; /* "Bât. C, app. 14" */
	return language_starts(n->language, lower);
}
