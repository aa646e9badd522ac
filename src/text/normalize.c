/*
 * normalize.c: text normalization (see normalize.h).
 *
 * The loop tries the readers for each kind of token in turn; the first that recognizes the
 * token writes its words. Unrecognized text is kept, and copied only when something else
 * ends the stretch, so that plain text costs little more than scanning it.
 */
#include "text/normalize.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/utf8.h"
#include "text/compose.h"
#include "text/normalize_private.h"

/* The maximum output of one reader: a number of a thousand digits, read one by one, is the
 * longest. */
#define WORDS_MAX (256u * 1024u)

/* In order of precedence. */
static normalize_reader *const normalize_digit_readers[] = {
	normalize_word_read_abbreviation,
	normalize_fraction_read_rating,
	normalize_date_read,
	normalize_phone_read_postcode,
	normalize_phone_read,
	normalize_time_read,
	normalize_quantity_read_feet,
	normalize_fraction_read,
	normalize_date_read_named,
	normalize_figure_read_decade,
	normalize_figure_read_ordinal,
	normalize_quantity_read_hyphened,
	normalize_quantity_read,
	normalize_word_read_mixed,
	normalize_date_read_year,
	normalize_figure_read_plain,
};
static normalize_reader *const normalize_address_readers[] = {
	normalize_word_read_abbreviation, /* "m.in." is not a host */
	normalize_address_read,
};
static normalize_reader *const normalize_word_readers[] = {
	normalize_word_read_abbreviation, normalize_date_read_month,
	normalize_date_read_weekday,      normalize_quantity_read,
	normalize_phone_read_iban,        normalize_phone_read_country_postcode,
	normalize_phone_read_direction,   normalize_roman_read,
	normalize_word_read_mixed,        normalize_quantity_read_lone_unit,
	normalize_word_read_acronym,
};
/* for languages whose numbers and words are not normalized */
static normalize_reader *const normalize_unread_readers[] = {normalize_mark_read};
static normalize_reader *const normalize_sign_readers[] = {
	normalize_word_read_abbreviation,
	normalize_mark_read,
	normalize_phone_read,
	normalize_fraction_read,
	normalize_figure_read_decade,
	normalize_quantity_read,
	normalize_quantity_read_lone_currency,
	normalize_mark_read_sign,
};

struct loop_state {
	struct normalizer n;
	struct mapped *out;
	struct mapped_cursor *in;
	struct fixed_list fixed;
	size_t kept; /* bytes before it are in `out` or dropped */
	bool is_line_start;
};

static bool normalize_ends_blank(const struct mapped *out)
{
	return out->text.len == 0 || out->text.bytes[out->text.len - 1] == ' ';
}

static void normalize_cut_blanks(struct mapped *out)
{
	while (out->text.len > 0 && normalize_ends_blank(out))
		mapped_cut(out, 1);
}

static void normalize_keep_until(struct loop_state *s, size_t byte)
{
	if (byte > s->kept)
		mapped_keep(s->out, s->in, s->kept, byte);
	s->kept = byte;
}

/* Replaces tokens [i, j) by the words, which may be empty. */
static void normalize_say_instead(struct loop_state *s, size_t i, size_t j, const char *words,
				  size_t len)
{
	size_t begin = token_at(&s->n, i)->begin;
	size_t end = token_at(&s->n, j)->begin;

	normalize_keep_until(s, begin);
	if (len > 0 && words[0] == ',')
		normalize_cut_blanks(s->out);
	if (len > 0 && end > begin)
		mapped_replace(s->out, s->in, begin, end, words, len);
	s->kept = end;
}

/* Writes one blank, unless at the beginning or after another. */
static void normalize_say_blank(struct loop_state *s, size_t i)
{
	const struct token *token = token_at(&s->n, i);

	if (token->end - token->begin == 1 && s->n.text[token->begin] == ' ' &&
	    s->kept < token->begin)
		return; /* it is copied with the text before it */
	normalize_keep_until(s, token->begin);
	normalize_say_instead(s, i, i + 1, " ", normalize_ends_blank(s->out) ? 0 : 1);
}

static bool normalize_is_punctuation(char c)
{
	return c == '.' || c == '!' || c == '?' || c == ':' || c == ';' || c == ',';
}

/* Writes a dot and the blank after it, if any. */
static void normalize_put_stop(struct loop_state *s, const char *blank)
{
	struct mapped *out = s->out;
	uint32_t from, to;

	normalize_cut_blanks(out);
	if (out->text.len == 0)
		return;
	mapped_origin(s->in, s->kept - 1, s->kept, &from, &to);
	if (!normalize_is_punctuation(out->text.bytes[out->text.len - 1]))
		mapped_put(out, ".", 1, to, to);
	mapped_put(out, blank, strlen(blank), to, to);
}

/* Headings, items and rows of tables end like sentences. */
static void normalize_end_line(struct loop_state *s, size_t i)
{
	normalize_keep_until(s, token_at(&s->n, i)->begin);
	if (s->n.line_wants_stop)
		normalize_put_stop(s, "");
	s->n.line_wants_stop = s->n.in_table = false;
}

static void normalize_take_line(struct loop_state *s, size_t i)
{
	if (i > 0) {
		normalize_end_line(s, i);
		normalize_say_instead(s, i, i + 1, " ", normalize_ends_blank(s->out) ? 0 : 1);
	}
	/* Text after <spell> continues the same line. */
	s->is_line_start = i > 0 || s->out->text.len == 0;
}

/* Drops an emoji and the blank before it, unless that separates two words. */
static void normalize_drop(struct loop_state *s, size_t i)
{
	struct mapped *out = s->out;
	const struct token *next = token_at(&s->n, i + 1);

	normalize_say_instead(s, i, i + 1, "", 0);
	if (token_is_text(&s->n, i + 1) || next->kind == TOKEN_DROP)
		return;
	normalize_cut_blanks(out);
}

static void normalize_keep_fixed(struct loop_state *s, size_t i)
{
	const struct token *token = token_at(&s->n, i);
	struct normalize_fixed *fixed = &s->fixed.list[token->c];

	normalize_keep_until(s, token->begin);
	fixed->said = s->out->text.len;
	fixed->is_said = true;
	normalize_keep_until(s, token->end);
	s->is_line_start = false;
}

/* Composes letters and their marks, because engines know the composed characters. */
static void normalize_compose_word(struct loop_state *s, size_t i)
{
	const struct token *token = token_at(&s->n, i);
	struct buf *words = &s->n.words;
	size_t at = token->begin;

	words->len = 0;
	while (at < token->end) {
		char bytes[4];
		uint32_t c;

		at += compose_decode(&c, s->n.text + at, token->end - at);
		normalize_write_note(&s->n, buf_append(words, bytes, utf8_encode(bytes, c)));
	}
	normalize_say_instead(s, i, i + 1, words->bytes, words->len);
}

static size_t normalize_try_readers(struct loop_state *s, size_t i,
				    normalize_reader *const *readers, size_t count)
{
	for (size_t k = 0; k < count; ++k) {
		size_t next;

		s->n.words.len = 0;
		next = readers[k](&s->n, i);
		if (next > i) {
			normalize_say_instead(s, i, next, s->n.words.bytes, s->n.words.len);
			return next;
		}
	}
	return 0;
}

/* The text before a heading or an item also ends. */
static size_t normalize_try_line_start(struct loop_state *s, size_t i)
{
	size_t next;

	s->n.words.len = 0;
	next = normalize_mark_read_line_start(&s->n, i);
	if (next <= i)
		return 0;
	normalize_keep_until(s, token_at(&s->n, i)->begin);
	if (s->n.line_wants_stop && s->kept > 0)
		normalize_put_stop(s, " ");
	normalize_say_instead(s, i, next, s->n.words.bytes, s->n.words.len);
	return next;
}

/* Punctuation that no reader needs to examine. */
static bool normalize_is_plain_punctuation(const struct normalizer *n, size_t i)
{
	const struct token *token = token_at(n, i);

	return token->kind == TOKEN_SIGN && token->c < 128 && strchr(".,;:!?\")", (int)token->c) &&
	       !token_is_digits(n, i + 1) && !token_is(n, i + 1, '[') &&
	       !(token->flags & TOKEN_BEGINS && token->c != '"') && !token_is(n, i + 1, '=');
}

static size_t normalize_take_spoken(struct loop_state *s, size_t i)
{
	const struct token *token = token_at(&s->n, i);
	size_t next = 0;

	if (s->is_line_start)
		next = normalize_try_line_start(s, i);
	if (next)
		return next;
	s->is_line_start = false;
	if (!s->n.reading) {
		if (token->kind == TOKEN_SIGN)
			next = normalize_try_readers(s, i, normalize_unread_readers,
						     COUNT(normalize_unread_readers));
	} else if (token->flags & TOKEN_ADDRESS &&
		   (next = normalize_try_readers(s, i, normalize_address_readers,
						 COUNT(normalize_address_readers))) > 0) {
		return next;
	} else if (token->kind == TOKEN_WORD ? normalize_word_is_ordinary(&s->n, i)
					     : normalize_is_plain_punctuation(&s->n, i)) {
		return i + 1;
	} else if (token->kind == TOKEN_WORD) {
		next = normalize_try_readers(s, i, normalize_word_readers,
					     COUNT(normalize_word_readers));
	} else if (token->kind == TOKEN_DIGITS) {
		next = normalize_try_readers(s, i, normalize_digit_readers,
					     COUNT(normalize_digit_readers));
	} else {
		next = normalize_try_readers(s, i, normalize_sign_readers,
					     COUNT(normalize_sign_readers));
	}
	if (next == 0 && token->flags & TOKEN_MARKED)
		normalize_compose_word(s, i);
	return next ? next : i + 1;
}

static size_t normalize_take_token(struct loop_state *s, size_t i)
{
	switch ((enum token_kind)token_at(&s->n, i)->kind) {
	case TOKEN_BLANK:
		normalize_say_blank(s, i);
		return i + 1;
	case TOKEN_LINE:
		normalize_take_line(s, i);
		return i + 1;
	case TOKEN_DROP:
		normalize_drop(s, i);
		return i + 1;
	case TOKEN_FIXED:
		normalize_keep_fixed(s, i);
		return i + 1;
	case TOKEN_WORD:
	case TOKEN_DIGITS:
	case TOKEN_SIGN:
	case TOKEN_END:
		break;
	}
	return normalize_take_spoken(s, i);
}

void normalize(struct mapped *out, struct mapped_cursor *in, size_t len,
	       const struct language *language, struct normalize_fixed *fixed, size_t fixed_len)
{
	struct loop_state s = {
		.n = {.language = language, .reading = language->reading, .text = in->text},
		.out = out,
		.in = in,
		.fixed = {.list = fixed, .count = fixed_len},
	};
	struct token *tokens = NULL;

	if (token_scan(&tokens, &s.n.tokens_len, in->text, len,
		       language->reading && language->reading->elides, &s.fixed) != 0) {
		out->err = ENOMEM;
		return;
	}
	s.n.tokens = tokens;
	buf_init(&s.n.words, WORDS_MAX);
	normalize_word_measure(&s.n);
	for (size_t i = 0; i < s.n.tokens_len;)
		i = normalize_take_token(&s, i);
	normalize_end_line(&s, s.n.tokens_len);
	if (s.n.err && !out->err)
		out->err = s.n.err;
	if (token_at(&s.n, s.n.tokens_len - 1)->kind != TOKEN_BLANK)
		normalize_cut_blanks(out); /* blanks before something that was dropped */
	buf_reset(&s.n.words);
	free(tokens);
}
