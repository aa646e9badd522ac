/*
 * normalize_mark.c: markdown and signs (see normalize_private.h).
 *
 * Markdown is recognised without keeping count of what is open: a mark that
 * touches a word on one side only is emphasis, whether or not its mate is in
 * the same chunk.
 */
#include <string.h>

#include "text/normalize_private.h"

enum { MATE_BRACKET, MATE_PAREN };

/* Tokens of the longest line of nothing but marks: a wide table's. */
#define RULE_MAX 1000

static bool is_line_end(const struct normalizer *n, size_t i)
{
	enum token_kind kind = (enum token_kind)token_at(n, i)->kind;

	return kind == TOKEN_LINE || kind == TOKEN_END;
}

static bool is_blank(const struct normalizer *n, size_t i)
{
	return token_at(n, i)->kind == TOKEN_BLANK;
}

/* No more than seven are counted: a heading has six at most, a fence three. */
static size_t run_of(const struct normalizer *n, size_t i, uint32_t c)
{
	size_t count = 0;

	while (count < 7 && token_is(n, i + count, c))
		++count;
	return count;
}

/* "---", "* * *", "|---|:--|": nothing but marks up to the line's end.  Gives
 * the end, 0 when there is something else. */
static size_t read_rule(struct normalizer *n, size_t i)
{
	size_t first = i;
	size_t marks = 0;

	if (i < n->no_rule)
		return 0;
	for (; !is_line_end(n, i); ++i) {
		const struct token *token = token_at(n, i);

		if (token->kind == TOKEN_BLANK)
			continue;
		if (token->kind != TOKEN_SIGN || token->c >= 128 || i - first > RULE_MAX ||
		    !strchr("-*_=|:", (int)token->c)) {
			n->no_rule = i;
			return 0;
		}
		++marks;
	}
	return marks >= 3 ? i : 0;
}

/* "```python" */
static size_t read_fence(const struct normalizer *n, size_t i)
{
	size_t end = i;

	if (run_of(n, i, '`') < 3 && run_of(n, i, '~') < 3)
		return 0;
	while (!is_line_end(n, end) && end - i < 16)
		++end;
	if (!is_line_end(n, end)) /* a long line is code between fences */
		return i + 3;
	return end;
}

static size_t skip_checkbox(const struct normalizer *n, size_t i)
{
	if (token_is(n, i, '[') && token_is(n, i + 2, ']') && is_blank(n, i + 3) &&
	    (is_blank(n, i + 1) || token_equals(n, i + 1, "x") || token_equals(n, i + 1, "X")))
		return i + 4;
	return i;
}

static bool is_bullet(const struct normalizer *n, size_t i)
{
	return token_is(n, i, '-') || token_is(n, i, '*') || token_is(n, i, '+') ||
	       token_is(n, i, 0x2022) || token_is(n, i, 0x2013) || token_is(n, i, 0x25e6) ||
	       token_is(n, i, 0x2023);
}

/* "- item", "* item" */
static size_t read_bullet(struct normalizer *n, size_t i)
{
	if (!is_bullet(n, i) || !is_blank(n, i + 1) || is_line_end(n, i + 2))
		return 0;
	if (token_is_digits(n, i + 2) && token_is(n, i, '-') && token_is(n, i + 3, '='))
		return 0;
	n->line_wants_stop = true;
	return skip_checkbox(n, i + 2);
}

static size_t read_heading(struct normalizer *n, size_t i)
{
	size_t marks = run_of(n, i, '#');

	if (marks == 0 || marks > 6 || !is_blank(n, i + marks) || is_line_end(n, i + marks + 1))
		return 0;
	n->line_wants_stop = true;
	return i + marks + 1;
}

/* "1. First", "2) Second" */
static size_t read_numbered(struct normalizer *n, size_t i)
{
	if (!n->reading || !token_is_digits(n, i) || token_len(n, i) > 3 ||
	    !(token_is(n, i + 1, '.') || token_is(n, i + 1, ')')) || !is_blank(n, i + 2) ||
	    is_line_end(n, i + 3) || n->text[token_at(n, i)->begin] == '0')
		return 0;
	if (n->language->ordinals && read_named_date(n, i)) {
		n->words.len = 0;
		return 0; /* "3. Mai" */
	}
	n->words.len = 0;
	write_number(n, 'c', token_value(n, i));
	write_text(n, ".");
	n->line_wants_stop = true;
	return i + 2;
}

static size_t read_table_start(struct normalizer *n, size_t i)
{
	if (!token_is(n, i, '|'))
		return 0;
	n->in_table = n->line_wants_stop = true;
	return token_skip_blank(n, i + 1);
}

static size_t read_quote(struct normalizer *n, size_t i)
{
	(void)n;
	return token_is(n, i, '>') && is_blank(n, i + 1) ? i + 2 : 0;
}

size_t read_line_start(struct normalizer *n, size_t i)
{
	size_t next = read_fence(n, i);

	if (!next)
		next = read_rule(n, i);
	if (!next)
		next = read_heading(n, i);
	if (!next)
		next = read_bullet(n, i);
	if (!next)
		next = read_numbered(n, i);
	if (!next)
		next = read_table_start(n, i);
	return next ? next : read_quote(n, i);
}

/* The next closing sign after token i.  What was found is kept, so that many
 * opening ones cost one search. */
static size_t find_mate(struct normalizer *n, size_t i, size_t which)
{
	uint32_t c = which == MATE_BRACKET ? ']' : ')';
	size_t *mate = &n->mates[which];

	if (*mate <= i) {
		*mate = i + 1;
		while (*mate < n->tokens_len && !token_is(n, *mate, c))
			++*mate;
	}
	return *mate < n->tokens_len ? *mate : 0;
}

/* "[text](url)": the text stays, and its brackets and the address go. */
static size_t read_link(struct normalizer *n, size_t i)
{
	size_t open = token_is(n, i, '!') ? i + 1 : i;
	size_t close;

	if (!token_is(n, open, '['))
		return 0;
	close = find_mate(n, open, MATE_BRACKET);
	if (!close || !token_is(n, close + 1, '(') || !find_mate(n, close + 1, MATE_PAREN))
		return 0;
	return open + 1;
}

static bool address_has_paren(const struct normalizer *n, size_t i, size_t end)
{
	while (i < end && !token_is(n, i, '('))
		++i;
	return i < end;
}

static size_t read_link_end(struct normalizer *n, size_t i)
{
	size_t end;

	if (!token_is(n, i, ']') || !token_is(n, i + 1, '('))
		return 0;
	/* find_mate looks ahead only: this bracket must have been opened */
	if (n->mates[MATE_BRACKET] != i)
		return 0;
	end = find_mate(n, i + 1, MATE_PAREN);
	if (!end)
		return 0;
	if (token_is(n, end + 1, ')') && address_has_paren(n, i + 2, end))
		++end; /* ".../C_(language))" */
	return end + 1;
}

static bool is_emphasis_sign(const struct normalizer *n, size_t i)
{
	return token_is(n, i, '*') || token_is(n, i, '_') || token_is(n, i, '~') ||
	       token_is(n, i, '`');
}

/* Emphasis and code.  "snake_case" is read as two words, "3*4" and "~5" are
 * signs. */
static size_t read_emphasis(struct normalizer *n, size_t i)
{
	size_t end = i;
	bool before = i > 0 && token_is_text(n, i - 1);
	bool after;

	while (is_emphasis_sign(n, end) && token_at(n, end)->c == token_at(n, i)->c)
		++end;
	if (end == i)
		return 0;
	after = token_is_text(n, end);
	if (token_is(n, i, '~') && end == i + 1)
		return 0;
	if ((token_is(n, i, '_') && before && after) ||
	    (end > i + 1 && token_is_digits(n, i - 1) && token_is_digits(n, end))) {
		write_text(n, " ");
		return end;
	}
	if (token_is(n, i, '*') && end == i + 1 && before == after)
		return before ? 0 : (is_blank(n, i + 1) ? 0 : end);
	return end;
}

static size_t read_table_mark(struct normalizer *n, size_t i)
{
	size_t next = token_skip_blank(n, i + 1);

	if (!n->in_table || !token_is(n, i, '|'))
		return 0;
	if (!is_line_end(n, next))
		write_text(n, ", ");
	return next;
}

size_t read_mark(struct normalizer *n, size_t i)
{
	size_t next = read_link(n, i);

	if (!next)
		next = read_link_end(n, i);
	if (!next)
		next = read_table_mark(n, i);
	if (!next)
		next = read_emphasis(n, i);
	return next;
}

static bool is_number_before(const struct normalizer *n, size_t i)
{
	if (i > 0 && is_blank(n, i - 1))
		--i;
	return i > 0 && token_is_digits(n, i - 1);
}

static bool is_number_after(const struct normalizer *n, size_t i)
{
	i = token_skip_blank(n, i + 1);
	if (token_is(n, i, '$') || token_is(n, i, 0x20ac) || token_is(n, i, 0xa3))
		++i;
	return token_is_digits(n, i) || (token_is_dash(n, i) && token_is_digits(n, i + 1));
}

static bool sign_fits(const struct normalizer *n, const struct sign *sign, size_t i)
{
	if (!token_equals(n, i, sign->written))
		return false;
	if (sign->when & WHEN_TIGHT && !(token_is_digits(n, i - 1) && token_is_digits(n, i + 1)))
		return false;
	if (token_is(n, i, '-') && !(is_blank(n, i - 1) && is_blank(n, i + 1)))
		return false; /* "XK7-42B": no minus */
	if (sign->when & WHEN_AFTER_CAPITAL &&
	    !(token_is_word(n, i - 1) && token_at(n, i - 1)->flags & TOKEN_CAPITAL) &&
	    !token_is(n, i - 1, token_at(n, i)->c))
		return false;
	if (sign->when & WHEN_AFTER_NUMBER && !is_number_before(n, i))
		return false;
	return !(sign->when & WHEN_BEFORE_NUMBER && !is_number_after(n, i));
}

/* "==" and "===" of code are said once. */
static size_t sign_end(const struct normalizer *n, size_t i)
{
	size_t end = i + 1;

	while (token_is(n, i, '=') && token_is(n, end, '=') && end < i + 3)
		++end;
	return end;
}

/* "&amp;", "&#39;": what was written for a page is read as what it shows. */
static size_t read_entity(struct normalizer *n, size_t i)
{
	static const struct {
		const char *name, *shown;
	} entities[] = {
		{"lt", "<"},   {"gt", ">"}, {"quot", "\""}, {"apos", "'"},
		{"nbsp", " "}, {"39", "'"}, {"34", "\""},
	};
	size_t name = token_is(n, i + 1, '#') ? i + 2 : i + 1;

	if (!token_is(n, i, '&') || !token_is(n, name + 1, ';'))
		return 0;
	if (token_equals(n, name, "amp"))
		return name + 2; /* said by its caller */
	for (size_t k = 0; k < sizeof(entities) / sizeof(entities[0]); ++k) {
		if (token_equals(n, name, entities[k].name)) {
			write_text(n, entities[k].shown);
			return name + 2;
		}
	}
	return 0;
}

size_t read_sign(struct normalizer *n, size_t i)
{
	size_t entity = read_entity(n, i);
	size_t end = entity ? entity : sign_end(n, i);

	if (entity && n->words.len > 0)
		return entity;
	for (const struct sign *sign = n->reading->signs; sign && sign->written; ++sign) {
		if (!sign_fits(n, sign, i))
			continue;
		if (sign->spoken[0] &&
		    (token_is_text(n, i - 1) || token_is(n, i - 1, token_at(n, i)->c)))
			write_text(n, " ");
		write_text(n, sign->spoken);
		if (sign->spoken[0] && !is_blank(n, end) && is_number_after(n, end - 1))
			write_text(n, " ");
		else if (sign->spoken[0] && token_is_text(n, end))
			write_text(n, " ");
		return end;
	}
	return unicode_kind(token_at(n, i)->c) == UNICODE_PICTURE ? i + 1 : 0;
}
