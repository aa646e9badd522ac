/*
 * normalize.c: what is written becomes what is said (see normalize.h).
 *
 * The loop asks the readers of each token's kind in turn; the first that knows
 * it says it.  What none knows is kept, and only copied when something else
 * ends the stretch, so that plain text costs little more than looking at it.
 */
#include "text/normalize.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/utf8.h"
#include "text/compose.h"
#include "text/normalize_private.h"

/* What a reader may say of one thing: a number of a thousand digits, read one
 * by one, is the longest. */
#define WORDS_MAX (256u * 1024u)

/* In order: what stands first wins. */
static normalize_reader *const digit_readers[] = {
	read_abbreviation, read_rating, read_date,    read_postcode,
	read_phone,        read_time,   read_feet,    read_fraction,
	read_named_date,   read_decade, read_ordinal, read_hyphened_unit,
	read_quantity,     read_mixed,  read_year,    read_plain_number,
};
static normalize_reader *const address_readers[] = {
	read_abbreviation, /* "m.in." is no host */
	read_address,
};
static normalize_reader *const word_readers[] = {
	read_abbreviation,     read_month,     read_weekday, read_quantity, read_iban,
	read_country_postcode, read_direction, read_roman,   read_mixed,    read_lone_unit,
	read_acronym,
};
static normalize_reader *const sign_readers[] = {
	read_abbreviation, read_mark,     read_phone,         read_fraction,
	read_decade,       read_quantity, read_lone_currency, read_sign,
};

struct loop_state {
	struct normalizer n;
	struct mapped *out;
	struct mapped_cursor *in;
	struct fixed_list fixed;
	size_t kept; /* bytes before it are in `out`, or gone */
	bool is_line_start;
};

static bool ends_blank(const struct mapped *out)
{
	return out->text.len == 0 || out->text.bytes[out->text.len - 1] == ' ';
}

static void cut_blanks(struct mapped *out)
{
	while (out->text.len > 0 && ends_blank(out))
		mapped_cut(out, 1);
}

static void keep_until(struct loop_state *s, size_t byte)
{
	if (byte > s->kept)
		mapped_keep(s->out, s->in, s->kept, byte);
	s->kept = byte;
}

/* Tokens [i, j) are said so; nothing at all when the words are empty. */
static void say_instead(struct loop_state *s, size_t i, size_t j, const char *words, size_t len)
{
	size_t begin = token_at(&s->n, i)->begin;
	size_t end = token_at(&s->n, j)->begin;

	keep_until(s, begin);
	if (len > 0 && words[0] == ',')
		cut_blanks(s->out);
	if (len > 0 && end > begin)
		mapped_replace(s->out, s->in, begin, end, words, len);
	s->kept = end;
}

/* One blank, and none at the beginning or where one is already. */
static void say_blank(struct loop_state *s, size_t i)
{
	const struct token *token = token_at(&s->n, i);

	if (token->end - token->begin == 1 && s->n.text[token->begin] == ' ' &&
	    s->kept < token->begin)
		return; /* it is kept with what stands before it */
	keep_until(s, token->begin);
	say_instead(s, i, i + 1, " ", ends_blank(s->out) ? 0 : 1);
}

static bool is_punctuation(char c)
{
	return c == '.' || c == '!' || c == '?' || c == ':' || c == ';' || c == ',';
}

/* A dot behind what is said, and the blank behind it, if any. */
static void put_stop(struct loop_state *s, const char *blank)
{
	struct mapped *out = s->out;
	uint32_t from, to;

	cut_blanks(out);
	if (out->text.len == 0)
		return;
	mapped_origin(s->in, s->kept - 1, s->kept, &from, &to);
	if (!is_punctuation(out->text.bytes[out->text.len - 1]))
		mapped_put(out, ".", 1, to, to);
	mapped_put(out, blank, strlen(blank), to, to);
}

/* Headings, items and rows of tables end like sentences. */
static void end_line(struct loop_state *s, size_t i)
{
	keep_until(s, token_at(&s->n, i)->begin);
	if (s->n.line_wants_stop)
		put_stop(s, "");
	s->n.line_wants_stop = s->n.in_table = false;
}

static void take_line(struct loop_state *s, size_t i)
{
	if (i > 0) {
		end_line(s, i);
		say_instead(s, i, i + 1, " ", ends_blank(s->out) ? 0 : 1);
	}
	/* What stands behind <spell> goes on in the same line. */
	s->is_line_start = i > 0 || s->out->text.len == 0;
}

/* An emoji takes the blank before it along, unless it parts two words. */
static void drop(struct loop_state *s, size_t i)
{
	struct mapped *out = s->out;
	const struct token *next = token_at(&s->n, i + 1);

	say_instead(s, i, i + 1, "", 0);
	if (token_is_text(&s->n, i + 1) || next->kind == TOKEN_DROP)
		return;
	cut_blanks(out);
}

static void keep_fixed(struct loop_state *s, size_t i)
{
	const struct token *token = token_at(&s->n, i);
	struct normalize_fixed *fixed = &s->fixed.list[token->c];

	keep_until(s, token->begin);
	fixed->said = s->out->text.len;
	fixed->is_said = true;
	keep_until(s, token->end);
	s->is_line_start = false;
}

/* Letters with marks of their own become single characters, which engines know. */
static void compose_word(struct loop_state *s, size_t i)
{
	const struct token *token = token_at(&s->n, i);
	struct buf *words = &s->n.words;
	size_t at = token->begin;

	words->len = 0;
	while (at < token->end) {
		char bytes[4];
		uint32_t c;

		at += compose_decode(&c, s->n.text + at, token->end - at);
		write_note(&s->n, buf_append(words, bytes, utf8_encode(bytes, c)));
	}
	say_instead(s, i, i + 1, words->bytes, words->len);
}

static size_t ask(struct loop_state *s, size_t i, normalize_reader *const *readers, size_t count)
{
	for (size_t k = 0; k < count; ++k) {
		size_t next;

		s->n.words.len = 0;
		next = readers[k](&s->n, i);
		if (next > i) {
			say_instead(s, i, next, s->n.words.bytes, s->n.words.len);
			return next;
		}
	}
	return 0;
}

/* What stood before a heading or an item has ended too. */
static size_t ask_line_start(struct loop_state *s, size_t i)
{
	size_t next;

	s->n.words.len = 0;
	next = read_line_start(&s->n, i);
	if (next <= i)
		return 0;
	keep_until(s, token_at(&s->n, i)->begin);
	if (s->n.line_wants_stop && s->kept > 0)
		put_stop(s, " ");
	say_instead(s, i, next, s->n.words.bytes, s->n.words.len);
	return next;
}

static size_t ask_one(struct loop_state *s, size_t i, normalize_reader *reader)
{
	return ask(s, i, &reader, 1);
}

/* No reader has to look at it. */
static bool is_plain_punctuation(const struct normalizer *n, size_t i)
{
	const struct token *token = token_at(n, i);

	return token->kind == TOKEN_SIGN && token->c < 128 && strchr(".,;:!?\")", (int)token->c) &&
	       !token_is_digits(n, i + 1) && !token_is(n, i + 1, '[') &&
	       !(token->flags & TOKEN_BEGINS && token->c != '"') && !token_is(n, i + 1, '=');
}

static size_t take_spoken(struct loop_state *s, size_t i)
{
	const struct token *token = token_at(&s->n, i);
	size_t next = 0;

	if (s->is_line_start)
		next = ask_line_start(s, i);
	if (next)
		return next;
	s->is_line_start = false;
	if (!s->n.reading) {
		if (token->kind == TOKEN_SIGN)
			next = ask_one(s, i, read_mark);
	} else if (token->flags & TOKEN_ADDRESS &&
		   (next = ask(s, i, address_readers, COUNT(address_readers))) > 0) {
		return next;
	} else if (token->kind == TOKEN_WORD ? word_is_ordinary(&s->n, i)
					     : is_plain_punctuation(&s->n, i)) {
		return i + 1;
	} else if (token->kind == TOKEN_WORD) {
		next = ask(s, i, word_readers, COUNT(word_readers));
	} else if (token->kind == TOKEN_DIGITS) {
		next = ask(s, i, digit_readers, COUNT(digit_readers));
	} else {
		next = ask(s, i, sign_readers, COUNT(sign_readers));
	}
	if (next == 0 && token->flags & TOKEN_MARKED)
		compose_word(s, i);
	return next ? next : i + 1;
}

static size_t take_token(struct loop_state *s, size_t i)
{
	switch ((enum token_kind)token_at(&s->n, i)->kind) {
	case TOKEN_BLANK:
		say_blank(s, i);
		return i + 1;
	case TOKEN_LINE:
		take_line(s, i);
		return i + 1;
	case TOKEN_DROP:
		drop(s, i);
		return i + 1;
	case TOKEN_FIXED:
		keep_fixed(s, i);
		return i + 1;
	case TOKEN_WORD:
	case TOKEN_DIGITS:
	case TOKEN_SIGN:
	case TOKEN_END:
		break;
	}
	return take_spoken(s, i);
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

	if (normalize_tokens(&tokens, &s.n.tokens_len, in->text, len,
			     language->reading && language->reading->elides, &s.fixed) != 0) {
		out->err = ENOMEM;
		return;
	}
	s.n.tokens = tokens;
	buf_init(&s.n.words, WORDS_MAX);
	normalize_measure(&s.n);
	for (size_t i = 0; i < s.n.tokens_len;)
		i = take_token(&s, i);
	end_line(&s, s.n.tokens_len);
	if (s.n.err && !out->err)
		out->err = s.n.err;
	if (token_at(&s.n, s.n.tokens_len - 1)->kind != TOKEN_BLANK)
		cut_blanks(out); /* that stood before something dropped */
	buf_reset(&s.n.words);
	free(tokens);
}
