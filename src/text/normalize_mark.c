/*
 * normalize_mark.c: markdown and signs (see normalize_private.h).
 *
 * Markdown is recognised without tracking what is open: a mark that touches a word on only
 * one side is emphasis, whether or not its counterpart is in the same chunk.
 */
#include <string.h>

#include "text/normalize_private.h"

enum { MATE_BRACKET, MATE_PAREN };

/* Tokens in the longest line that consists only of marks: that of a wide table. */
#define RULE_MAX 1000

static bool normalize_mark_is_line_end(const struct normalizer *n, size_t i)
{
	enum token_kind kind = (enum token_kind)token_at(n, i)->kind;

	return kind == TOKEN_LINE || kind == TOKEN_END;
}

static bool normalize_mark_is_blank(const struct normalizer *n, size_t i)
{
	return token_at(n, i)->kind == TOKEN_BLANK;
}

/* At most seven are counted: a heading has up to six, a fence three. */
static size_t normalize_mark_run_of(const struct normalizer *n, size_t i, uint32_t c)
{
	size_t count = 0;

	while (count < 7 && token_is(n, i + count, c))
		++count;
	return count;
}

static bool normalize_mark_is_single_line(const struct normalizer *n, size_t i)
{
	const struct token *token = token_at(n, i);
	const char *line = n->text + token->begin;

	return token->kind == TOKEN_LINE && token->end > token->begin &&
	       memchr(line, '\n', token->end - token->begin) ==
		       memrchr(line, '\n', token->end - token->begin);
}

/* "---", "* * *", "|---|:--|": only marks up to the end of the line. Returns the end, 0 when
 * there is something else. */
static size_t normalize_mark_read_rule(struct normalizer *n, size_t i)
{
	size_t first = i;
	size_t marks = 0;

	if (i < n->no_rule)
		return 0;
	for (; !normalize_mark_is_line_end(n, i); ++i) {
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
	if (marks < 3)
		return 0;
	if (normalize_mark_is_single_line(n, first - 1))
		n->line_wants_stop = true; /* it underlines a heading */
	return i;
}

/* "```python" */
static size_t normalize_mark_read_fence(const struct normalizer *n, size_t i)
{
	size_t end = i;

	if (normalize_mark_run_of(n, i, '`') < 3 && normalize_mark_run_of(n, i, '~') < 3)
		return 0;
	while (!normalize_mark_is_line_end(n, end) && end - i < 16)
		++end;
	if (!normalize_mark_is_line_end(n, end)) /* a long line is code between fences */
		return i + 3;
	return end;
}

static size_t normalize_mark_skip_checkbox(const struct normalizer *n, size_t i)
{
	if (token_is(n, i, '[') && token_is(n, i + 2, ']') && normalize_mark_is_blank(n, i + 3) &&
	    (normalize_mark_is_blank(n, i + 1) || token_equals(n, i + 1, "x") ||
	     token_equals(n, i + 1, "X")))
		return i + 4;
	return i;
}

static bool normalize_mark_is_bullet(const struct normalizer *n, size_t i)
{
	return token_is(n, i, '-') || token_is(n, i, '*') || token_is(n, i, '+') ||
	       token_is(n, i, 0x2022) || token_is(n, i, 0x2013) || token_is(n, i, 0x25e6) ||
	       token_is(n, i, 0x2023);
}

/* "- item", "* item" */
static size_t normalize_mark_read_bullet(struct normalizer *n, size_t i)
{
	if (!normalize_mark_is_bullet(n, i) || !normalize_mark_is_blank(n, i + 1) ||
	    normalize_mark_is_line_end(n, i + 2))
		return 0;
	if (token_is_digits(n, i + 2) && token_is(n, i, '-') && token_is(n, i + 3, '='))
		return 0;
	n->line_wants_stop = true;
	return normalize_mark_skip_checkbox(n, i + 2);
}

static size_t normalize_mark_read_heading(struct normalizer *n, size_t i)
{
	size_t marks = normalize_mark_run_of(n, i, '#');

	if (marks == 0 || marks > 6 || !normalize_mark_is_blank(n, i + marks) ||
	    normalize_mark_is_line_end(n, i + marks + 1))
		return 0;
	n->line_wants_stop = true;
	return i + marks + 1;
}

/* Whether a noun follows that the language's ordinals list; list items usually begin with a
 * capital. */
static bool normalize_mark_is_named_ordinal(const struct normalizer *n, size_t i)
{
	if (!token_is(n, i + 1, '.') || token_at(n, i + 3)->flags & TOKEN_CAPITAL)
		return false;
	for (const struct by_neighbours *row = n->reading->ordinals; row && row->key; ++row) {
		if (row->after && row->key != '-' && token_listed(n, i + 3, row->after))
			return true;
	}
	return false;
}

/* "1. First", "2) Second" */
static size_t normalize_mark_read_numbered(struct normalizer *n, size_t i)
{
	if (!n->reading || !token_is_digits(n, i) || token_len(n, i) > 3 ||
	    !(token_is(n, i + 1, '.') || token_is(n, i + 1, ')')) ||
	    !normalize_mark_is_blank(n, i + 2) || normalize_mark_is_line_end(n, i + 3) ||
	    n->text[token_at(n, i)->begin] == '0')
		return 0;
	if (n->language->ordinals &&
	    (normalize_date_read_named(n, i) || normalize_mark_is_named_ordinal(n, i))) {
		n->words.len = 0;
		return 0; /* "3. Mai", "100. rocznica" */
	}
	n->words.len = 0;
	normalize_write_number(n, 'c', token_value(n, i));
	normalize_write_text(n, ".");
	n->line_wants_stop = true;
	return i + 2;
}

static size_t normalize_mark_read_table_start(struct normalizer *n, size_t i)
{
	if (!token_is(n, i, '|'))
		return 0;
	n->in_table = n->line_wants_stop = true;
	return token_skip_blank(n, i + 1);
}

static size_t normalize_mark_read_quote(struct normalizer *n, size_t i)
{
	(void)n;
	return token_is(n, i, '>') && normalize_mark_is_blank(n, i + 1) ? i + 2 : 0;
}

size_t normalize_mark_read_line_start(struct normalizer *n, size_t i)
{
	size_t next = normalize_mark_read_fence(n, i);

	if (!next)
		next = normalize_mark_read_rule(n, i);
	if (!next)
		next = normalize_mark_read_heading(n, i);
	if (!next)
		next = normalize_mark_read_bullet(n, i);
	if (!next)
		next = normalize_mark_read_numbered(n, i);
	if (!next)
		next = normalize_mark_read_table_start(n, i);
	return next ? next : normalize_mark_read_quote(n, i);
}

/* The next closing sign after token i. The result is cached, so that many opening signs cost
 * one search. */
static size_t normalize_mark_find_mate(struct normalizer *n, size_t i, size_t which)
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

/* The number in "[text][1]". */
static bool normalize_mark_is_reference(const struct normalizer *n, size_t i)
{
	return token_is(n, i, '[') && token_is_digits(n, i + 1) && token_is(n, i + 2, ']');
}

/* "[text](url)": the text is kept, its brackets and the address are dropped. */
static size_t normalize_mark_read_link(struct normalizer *n, size_t i)
{
	size_t open = token_is(n, i, '!') ? i + 1 : i;
	size_t close;

	if (!token_is(n, open, '['))
		return 0;
	close = normalize_mark_find_mate(n, open, MATE_BRACKET);
	if (!close)
		return 0;
	if (token_is(n, open + 1, '^'))
		return close + 1; /* a footnote */
	if (normalize_mark_is_reference(n, close + 1))
		return open + 1; /* "[text][1]" */
	if (!token_is(n, close + 1, '(') || !normalize_mark_find_mate(n, close + 1, MATE_PAREN))
		return 0;
	return open + 1;
}

static bool normalize_mark_address_has_paren(const struct normalizer *n, size_t i, size_t end)
{
	while (i < end && !token_is(n, i, '('))
		++i;
	return i < end;
}

static size_t normalize_mark_read_link_end(struct normalizer *n, size_t i)
{
	size_t end;

	if (!token_is(n, i, ']'))
		return 0;
	/* normalize_mark_find_mate looks ahead only: this bracket must have been opened */
	if (n->mates[MATE_BRACKET] != i)
		return 0;
	if (normalize_mark_is_reference(n, i + 1))
		return i + 4;
	if (!token_is(n, i + 1, '('))
		return 0;
	end = normalize_mark_find_mate(n, i + 1, MATE_PAREN);
	if (!end)
		return 0;
	if (token_is(n, end + 1, ')') && normalize_mark_address_has_paren(n, i + 2, end))
		++end; /* ".../C_(language))" */
	return end + 1;
}

static bool normalize_mark_is_emphasis_sign(const struct normalizer *n, size_t i)
{
	return token_is(n, i, '*') || token_is(n, i, '_') || token_is(n, i, '~') ||
	       token_is(n, i, '`');
}

/* "==this==" */
static size_t normalize_mark_read_highlight(const struct normalizer *n, size_t i)
{
	bool before = token_is_text(n, i - 1);
	bool after = token_is_text(n, i + 2);

	if (!token_is(n, i, '=') || !token_is(n, i + 1, '=') || token_is(n, i + 2, '='))
		return 0;
	return before != after && normalize_mark_is_blank(n, after ? i - 1 : i + 2) ? i + 2 : 0;
}

/* A telephone key before a number. */
static bool normalize_mark_is_key(const struct normalizer *n, size_t i)
{
	if (!n->reading || !token_is(n, i, '*') || !token_is_digits(n, i + 1))
		return false;
	for (const struct sign *sign = n->reading->signs; sign && sign->written; ++sign) {
		if (sign->after && sign->written[0] == '*')
			return token_follows(n, i, sign->after);
	}
	return false;
}

/* Emphasis and code. "snake_case" is read as two words; "3*4" and "~5" are signs. */
static size_t normalize_mark_read_emphasis(struct normalizer *n, size_t i)
{
	size_t end = i;
	bool before = i > 0 && token_is_text(n, i - 1);
	bool after;

	while (normalize_mark_is_emphasis_sign(n, end) && token_at(n, end)->c == token_at(n, i)->c)
		++end;
	if (end == i)
		return normalize_mark_read_highlight(n, i);
	if (end == i + 1 && normalize_mark_is_key(n, i))
		return 0; /* "Dial *67" */
	after = token_is_text(n, end);
	if (token_is(n, i, '~') && end == i + 1)
		return 0;
	if ((token_is(n, i, '_') && before && after) ||
	    (end > i + 1 && token_is_digits(n, i - 1) && token_is_digits(n, end))) {
		normalize_write_text(n, " ");
		return end;
	}
	if (token_is(n, i, '*') && end == i + 1 && before == after)
		return before ? 0 : (normalize_mark_is_blank(n, i + 1) ? 0 : end);
	return end;
}

static size_t normalize_mark_read_table(struct normalizer *n, size_t i)
{
	size_t next = token_skip_blank(n, i + 1);

	if (!n->in_table || !token_is(n, i, '|'))
		return 0;
	if (!normalize_mark_is_line_end(n, next))
		normalize_write_text(n, ", ");
	return next;
}

/* "\\*": only the sign is kept. */
static size_t normalize_mark_read_escape(const struct normalizer *n, size_t i)
{
	const struct token *next = token_at(n, i + 1);

	return token_is(n, i, '\\') && next->kind == TOKEN_SIGN && next->c < 128 &&
			       strchr("*_`#[]()~>|+-.!$", (int)next->c)
		       ? i + 1
		       : 0;
}

/* "Kund*innen" is said like "Kund:innen". */
static size_t normalize_mark_read_gender(struct normalizer *n, size_t i)
{
	if (!n->reading || !token_is(n, i, '*') || !token_is_word(n, i - 1) ||
	    !token_listed(n, i + 1, n->reading->gender_endings))
		return 0;
	normalize_write_text(n, ":");
	return i + 1;
}

/* ":-)", ":)", ";-)" */
static size_t normalize_mark_read_face(const struct normalizer *n, size_t i)
{
	size_t mouth = token_is(n, i + 1, '-') ? i + 2 : i + 1;

	if (!(token_is(n, i, ':') || token_is(n, i, ';')) || !normalize_mark_is_blank(n, i - 1) ||
	    !(token_is(n, mouth, ')') || token_is(n, mouth, '(')) ||
	    !(normalize_mark_is_blank(n, mouth + 1) || normalize_mark_is_line_end(n, mouth + 1)))
		return 0;
	return normalize_mark_is_blank(n, mouth + 1) ? mouth + 2 : mouth + 1;
}

size_t normalize_mark_read(struct normalizer *n, size_t i)
{
	size_t next = normalize_mark_read_link(n, i);

	if (!next)
		next = normalize_mark_read_link_end(n, i);
	if (!next)
		next = normalize_mark_read_table(n, i);
	if (!next)
		next = normalize_mark_read_escape(n, i);
	if (!next)
		next = normalize_mark_read_face(n, i);
	if (!next)
		next = normalize_mark_read_gender(n, i);
	if (!next)
		next = normalize_mark_read_emphasis(n, i);
	return next;
}

static bool normalize_mark_is_number_before(const struct normalizer *n, size_t i)
{
	if (i > 0 && normalize_mark_is_blank(n, i - 1))
		--i;
	return i > 0 && token_is_digits(n, i - 1);
}

static bool normalize_mark_is_number_after(const struct normalizer *n, size_t i)
{
	i = token_skip_blank(n, i + 1);
	if (token_is(n, i, '$') || token_is(n, i, 0x20ac) || token_is(n, i, 0xa3))
		++i;
	return token_is_digits(n, i) || (token_is_dash(n, i) && token_is_digits(n, i + 1));
}

/* The value of a superscript or subscript digit. */
static bool normalize_mark_is_raised(uint32_t c, unsigned *digit)
{
	static const uint32_t first[] = {0x2070, 0xb9, 0xb2, 0xb3};

	for (unsigned k = 0; k < 10; ++k) {
		*digit = k;
		if (c == (k < 4 ? first[k] : 0x2070 + k))
			return true;
	}
	return false;
}

static bool normalize_mark_sign_fits(const struct normalizer *n, const struct sign *sign,
				     const char *shown, size_t i, size_t end)
{
	unsigned digit;

	if (shown ? strcmp(shown, sign->written) != 0 : !token_equals(n, i, sign->written))
		return false;
	if (sign->when & WHEN_TIGHT && (!(token_is_digits(n, i - 1) && token_is_digits(n, i + 1)) ||
					normalize_mark_is_raised(token_at(n, i + 2)->c, &digit)))
		return false; /* "1.5×10⁸" is not a size */
	if ((token_is(n, i, '-') || token_is(n, i, ':')) &&
	    !(normalize_mark_is_blank(n, i - 1) && normalize_mark_is_blank(n, end)))
		return false; /* "XK7-42B": not a minus */
	if (sign->after && !(token_follows(n, i, sign->after) && normalize_mark_is_blank(n, i - 1)))
		return false;
	if (sign->when & WHEN_AFTER_CAPITAL &&
	    !(token_is_word(n, i - 1) && token_at(n, i - 1)->flags & TOKEN_CAPITAL) &&
	    !token_is(n, i - 1, token_at(n, i)->c))
		return false;
	if (sign->when & WHEN_AFTER_NUMBER && !normalize_mark_is_number_before(n, i))
		return false;
	return !(sign->when & WHEN_BEFORE_NUMBER && !normalize_mark_is_number_after(n, end - 1));
}

/* The sign that a two-character operator of a programming language means. */
static const char *normalize_mark_code_sign(const struct normalizer *n, size_t i)
{
	static const struct {
		char first, second;
		const char *shown;
	} pairs[] = {
		{'!', '=', "≠"}, {'>', '=', "≥"}, {'<', '=', "≤"}, {'-', '>', "→"}, {'=', '>', "→"},
	};

	for (size_t k = 0; k < sizeof(pairs) / sizeof(pairs[0]); ++k) {
		if (token_is(n, i, (uint32_t)pairs[k].first) &&
		    token_is(n, i + 1, (uint32_t)pairs[k].second))
			return pairs[k].shown;
	}
	return NULL;
}

static const char *normalize_mark_spoken_sign(const struct normalizer *n, const char *written)
{
	for (const struct sign *sign = n->reading->signs; sign && sign->written; ++sign) {
		if (strcmp(sign->written, written) == 0)
			return sign->spoken;
	}
	return NULL;
}

/* "10⁶", "x⁴"; 2 and 3 alone have their own words. */
static size_t normalize_mark_read_power(struct normalizer *n, size_t i)
{
	const char *power = normalize_mark_spoken_sign(n, "^");
	bool is_negative = token_is(n, i, 0x207b);
	size_t end = is_negative ? i + 1 : i;
	uint64_t value = 0;
	unsigned digit;

	if (!power || !token_is_text(n, i - 1))
		return 0;
	while (end < i + 4 && normalize_mark_is_raised(token_at(n, end)->c, &digit)) {
		value = value * 10 + digit;
		++end;
	}
	if (end == i + is_negative || (token_is_word(n, i - 1) && token_len(n, i - 1) > 1) ||
	    ((value == 2 || value == 3) && !is_negative && normalize_mark_spoken_sign(n, "²")))
		return 0; /* a footnote, or "squared" */
	normalize_write_text(n, " ");
	normalize_write_text(n, power);
	if (is_negative)
		normalize_write_word(n, n->reading->minus);
	normalize_write_number(n, 'c', value);
	if (token_is_text(n, end))
		normalize_write_text(n, " ");
	return end;
}

/* "CO₂" */
static size_t normalize_mark_read_lowered(struct normalizer *n, size_t i)
{
	uint32_t c = token_at(n, i)->c;

	if (c < 0x2080 || c > 0x2089 || !token_is_word(n, i - 1))
		return 0;
	normalize_write_text(n, " ");
	normalize_write_number(n, 'c', c - 0x2080);
	if (token_is_text(n, i + 1))
		normalize_write_text(n, " ");
	return i + 1;
}

/* The word next to token i, skipping blanks and emphasis. */
static const struct token *normalize_mark_text_beside(const struct normalizer *n, size_t i,
						      int step)
{
	for (size_t k = 0; k < 4; ++k) {
		i = step < 0 ? i - 1 : i + 1;
		if (i == 0 ||
		    !(normalize_mark_is_blank(n, i) || token_is(n, i, '*') || token_is(n, i, '`')))
			break;
	}
	return token_at(n, i);
}

/* "Settings > Privacy → Location": a path through menus, read with pauses. */
static size_t normalize_mark_read_path_arrow(struct normalizer *n, size_t i)
{
	const char *shown = normalize_mark_code_sign(n, i);
	bool is_pair = shown && strcmp(shown, "→") == 0;
	size_t last = is_pair ? i + 1 : i;
	const struct token *before = normalize_mark_text_beside(n, i, -1);
	const struct token *after = normalize_mark_text_beside(n, last, 1);
	bool is_arrow = is_pair || token_is(n, i, 0x2192);

	if (!normalize_mark_is_blank(n, i - 1) || !normalize_mark_is_blank(n, last + 1) ||
	    before->kind != TOKEN_WORD || after->kind != TOKEN_WORD)
		return 0;
	if (!is_arrow &&
	    !((token_is(n, i, '>') || token_is(n, i, 0x203a)) && before->end - before->begin > 1 &&
	      after->end - after->begin > 1 && before->flags & after->flags & TOKEN_CAPITAL))
		return 0;
	normalize_write_text(n, ",");
	return last + 1;
}

/* "<https://example.org>" */
static size_t normalize_mark_read_angle(const struct normalizer *n, size_t i)
{
	if (token_is(n, i, '<') && token_at(n, i + 1)->flags & TOKEN_ADDRESS &&
	    token_is_word(n, i + 1) && token_is(n, i + 2, ':') && token_is(n, i + 3, '/'))
		return i + 1;
	if (token_is(n, i, '>') && !normalize_mark_is_blank(n, i - 1) && !token_is_text(n, i + 1) &&
	    !token_is(n, i + 1, '='))
		return i + 1;
	return 0;
}

static size_t normalize_mark_read_rare_sign(struct normalizer *n, size_t i)
{
	size_t next = normalize_mark_read_power(n, i);

	if (!next)
		next = normalize_mark_read_lowered(n, i);
	if (!next)
		next = normalize_mark_read_path_arrow(n, i);
	return next ? next : normalize_mark_read_angle(n, i);
}

/* "==" and "===" in code are spoken once. */
static size_t normalize_mark_sign_end(const struct normalizer *n, size_t i)
{
	size_t end = i + 1;

	while (token_is(n, i, '=') && token_is(n, end, '=') && end < i + 3)
		++end;
	return end;
}

/* "&amp;", "&#39;": HTML entities are read as the characters they represent. */
static size_t normalize_mark_read_entity(struct normalizer *n, size_t i)
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
		return name + 2; /* the caller writes it */
	for (size_t k = 0; k < sizeof(entities) / sizeof(entities[0]); ++k) {
		if (token_equals(n, name, entities[k].name)) {
			normalize_write_text(n, entities[k].shown);
			return name + 2;
		}
	}
	return 0;
}

size_t normalize_mark_read_sign(struct normalizer *n, size_t i)
{
	size_t rare = normalize_mark_read_rare_sign(n, i);
	size_t entity = normalize_mark_read_entity(n, i);
	const char *shown = normalize_mark_code_sign(n, i);
	size_t end = entity ? entity : shown ? i + 2 : normalize_mark_sign_end(n, i);

	if (rare)
		return rare;
	if (entity && n->words.len > 0)
		return entity;
	for (const struct sign *sign = n->reading->signs; sign && sign->written; ++sign) {
		if (!normalize_mark_sign_fits(n, sign, shown, i, end))
			continue;
		if (sign->spoken[0] &&
		    (token_is_text(n, i - 1) || token_is(n, i - 1, token_at(n, i)->c)))
			normalize_write_text(n, " ");
		normalize_write_text(n, sign->spoken);
		if (sign->spoken[0] && !normalize_mark_is_blank(n, end) &&
		    normalize_mark_is_number_after(n, end - 1))
			normalize_write_text(n, " ");
		else if (sign->spoken[0] && token_is_text(n, end))
			normalize_write_text(n, " ");
		return end;
	}
	return unicode_kind(token_at(n, i)->c) == UNICODE_PICTURE ? i + 1 : 0;
}
