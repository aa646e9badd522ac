/*
 * normalize_private.h: shared by the files of the normalizer.
 *
 *     normalize.c           tokens, the loop over them, what is kept and replaced
 *     normalize_token.c     text → tokens; what a token is, its neighbours
 *     normalize_write.c     words, numbers, templates: used by the readers
 *     normalize_figure.c    numbers by themselves: figures, decades, ordinals
 *     normalize_amount.c    money, units, magnitudes as they are written
 *     normalize_quantity.c  the same as they are said; ranges
 *     normalize_fraction.c  fractions
 *     normalize_date.c      dates, years
 *     normalize_time.c      times, scores
 *     normalize_phone.c     phone numbers, codes of addresses and accounts
 *     normalize_address.c   e-mail, URLs, files, versions, hashtags
 *     normalize_word.c      abbreviations, acronyms, "MP3"
 *     normalize_roman.c     Roman numerals
 *     normalize_mark.c      markdown, signs
 *
 * A reader examines the tokens from i on. If it recognizes them, it writes the spoken form
 * into `words` and returns the index of the first token after them; otherwise it returns 0,
 * and `words` is discarded. Readers look ahead by a bounded number of tokens, or at what was
 * measured before (a run without blanks, a matching bracket), so that the total time is
 * linear.
 *
 * Functions carry the name of their file, except that those of normalize_token.c begin with
 * token_: readers consist of little else, and a longer prefix would hide what they ask.
 */
#ifndef TEXT_NORMALIZE_PRIVATE_H
#define TEXT_NORMALIZE_PRIVATE_H

#include <stdbool.h>

#include "text/normalize.h"
#include "text/reading.h"
#include "text/unicode.h"

enum token_kind {
	TOKEN_WORD, /* letters, their marks, apostrophes between them */
	TOKEN_DIGITS, /* 0 to 9 */
	TOKEN_BLANK, /* a run of blanks */
	TOKEN_LINE, /* line ends, with the blanks around them */
	TOKEN_SIGN, /* any other single character */
	TOKEN_DROP, /* emoji, zero-width characters: not spoken */
	TOKEN_FIXED, /* see normalize.h: not examined by readers */
	TOKEN_END, /* after the last token */
};

enum {
	TOKEN_CAPITAL = 1, /* a word that begins with one */
	TOKEN_UPPER = 2, /* only capitals, at least two */
	TOKEN_MARKED = 4, /* has combining marks */
	TOKEN_BEGINS = 8, /* preceded by a blank or an opening sign */
	TOKEN_CLOSES = 32, /* a '"' that closes another one in its line */
	/* TOKEN_BEGINS, and the text up to the next blank has signs of an address */
	TOKEN_ADDRESS = 16,
};

struct token {
	uint32_t begin, end; /* bytes */
	uint32_t c; /* the code point of a sign; the index of fixed words */
	uint8_t kind;
	uint8_t flags;
};

struct normalizer {
	const struct language *language;
	const struct reading_rules *reading;
	const char *text;
	const struct token *tokens; /* the first is a TOKEN_LINE that is not in the text */
	size_t tokens_len; /* not counting TOKEN_END */
	struct buf words; /* output of the reader */
	int err; /* ENOMEM: some of it could not be written */
	size_t mates[2]; /* the ']' and ')' found last, see normalize_mark.c */
	size_t no_rule; /* no horizontal rule begins before this token */
	bool shouts; /* text in capitals: words are not acronyms */
	bool line_wants_stop; /* a heading or an item: it ends with a dot */
	bool in_table;
	char last_ordinal; /* the key of the previous ordinal */
};

typedef size_t(normalize_reader)(struct normalizer *n, size_t i);

/* normalize_token.c */
struct fixed_list {
	struct normalize_fixed *list;
	size_t count;
};
/* The caller frees the array. ENOMEM. */
int token_scan(struct token **tokensp, size_t *count, const char *text, size_t len, bool elides,
	       const struct fixed_list *fixed);

/* Any index is allowed: after the last token there is only TOKEN_END. */
static inline const struct token *token_at(const struct normalizer *n, size_t i)
{
	return &n->tokens[i < n->tokens_len ? i : n->tokens_len];
}

bool token_is(const struct normalizer *n, size_t i, uint32_t c); /* true for this sign */
bool token_is_digits(const struct normalizer *n, size_t i);
bool token_is_short(const struct normalizer *n, size_t i); /* at most two digits */
bool token_is_word(const struct normalizer *n, size_t i);
bool token_is_text(const struct normalizer *n, size_t i); /* word, digits, fixed words */
bool token_holds_fixed(const struct normalizer *n, size_t i, size_t next);
size_t token_len(const struct normalizer *n, size_t i);
bool token_equals(const struct normalizer *n, size_t i, const char *word); /* case-sensitive */
/* Whether a list contains the token in lower case. */
bool token_listed(const struct normalizer *n, size_t i, const char *list);
/* The value of digits; NUMBER_MAX when it is too large. */
uint64_t token_value(const struct normalizer *n, size_t i);
bool token_is_dash(const struct normalizer *n, size_t i); /* - – − */
size_t token_skip_blank(const struct normalizer *n, size_t i); /* past one blank, if it is one */

/* Matches the spellings of a list as bytes from token i on; a match must end at the end of a
 * word. Returns the token after the longest match of more than `longest` bytes, 0 when there
 * is none. */
size_t token_match_spelling(const struct normalizer *n, size_t i, const char *list, size_t longest);

#define WORD_MAX 64 /* no list has longer words */
size_t token_lower(const struct normalizer *n, size_t i, char lower[WORD_MAX]); /* 0: too long */

/* The token before token i and its blank; the first token when there is none. */
const struct token *token_before(const struct normalizer *n, size_t i);
/* The word before token i with only a blank (or the dot of an abbreviation and a blank) between;
 * 0 when there is none. */
size_t token_word_before(const struct normalizer *n, size_t i);
/* The token of the colon in "Tel.: 123", where i is the number; i if there is no colon. */
size_t token_before_colon(const struct normalizer *n, size_t i);
/* Whether a word of the list precedes token i. */
bool token_follows(const struct normalizer *n, size_t i, const char *list);
/* Whether a dot that belongs to the tokens up to `next` also ends the sentence. */
bool token_dot_ends_sentence(const struct normalizer *n, size_t next);

/* normalize_write.c */
/* Records that something could not be written. */
void normalize_write_note(struct normalizer *n, int err);
void normalize_write_text(struct normalizer *n, const char *text); /* without a blank */
/* These write a blank first. */
void normalize_write_word(struct normalizer *n, const char *word);
void normalize_write_token(struct normalizer *n, size_t i);
void normalize_write_bytes(struct normalizer *n, const char *bytes, size_t len);
void normalize_write_number(struct normalizer *n, char key, uint64_t value);
void normalize_write_digits(struct normalizer *n, const char *digits, size_t len); /* one by one */

/* The values of a template's placeholders. */
struct place_value {
	const char *name;
	const char *text; /* NULL: the value is the number */
	uint64_t number;
	char key; /* of the number when the template has none, or '*' */
};
void normalize_write_template(struct normalizer *n, const char *template,
			      const struct place_value *places, size_t count);

/* The key of the first row that matches the words before token i and from token j on. With j
 * 0, something that is not a word follows. */
char normalize_write_key_between(const struct normalizer *n, const struct by_neighbours *rows,
				 size_t i, size_t j, char otherwise);
const char *normalize_write_counted_form(const struct normalizer *n, const struct counted *counted,
					 uint64_t value, bool has_decimals);

/* Writes `from`, unless that word or one of reading_rules.no_from already precedes token i. */
void normalize_write_from(struct normalizer *n, size_t i, const char *from);

/* Writes the dot that belongs to the tokens up to `next` if it also ends the sentence. */
void normalize_write_final_dot(struct normalizer *n, size_t next);

/* normalize_figure.c */
/* The set for the number in tokens [i, next), by its neighbours. */
char normalize_figure_key_counting(const struct normalizer *n, size_t i, size_t next);
/* The set for the number 1 in the grammatical case required by the word before token i. */
char normalize_figure_key_in_case(const struct normalizer *n, size_t i, char key, uint64_t value);
bool normalize_figure_counts_noun(const struct normalizer *n, size_t next); /* after a number */
/* Whether a feminine unit or noun follows a number. */
bool normalize_figure_counts_feminine(const struct normalizer *n, size_t next);
normalize_reader normalize_figure_read_ordinal, normalize_figure_read_decade,
	normalize_figure_read_plain;

/* normalize_amount.c */
size_t normalize_amount_match_unit(const struct normalizer *n, size_t i, bool is_joined,
				   const struct measure_unit **found);
/* Whether a currency, a unit or a magnitude ("mln") follows, with or without a blank before it. */
bool normalize_amount_is_counted(const struct normalizer *n, size_t i);

/* normalize_quantity.c */
bool normalize_quantity_is_bound(const struct normalizer *n, size_t i); /* to the word before it */
normalize_reader normalize_quantity_read, normalize_quantity_read_lone_currency,
	normalize_quantity_read_lone_unit, normalize_quantity_read_feet,
	normalize_quantity_read_hyphened;

/* normalize_fraction.c */
bool normalize_fraction_is_readable(const struct normalizer *n, uint64_t above, uint64_t below);
normalize_reader normalize_fraction_read, normalize_fraction_read_rating;

/* normalize_date.c */
normalize_reader normalize_date_read, normalize_date_read_named, normalize_date_read_month,
	normalize_date_read_weekday, normalize_date_read_year;

/* normalize_time.c */
normalize_reader normalize_time_read;

/* normalize_phone.c */
bool normalize_phone_is_direction(const struct normalizer *n, size_t i); /* "1420 W. 7th St." */
normalize_reader normalize_phone_read, normalize_phone_read_postcode,
	normalize_phone_read_country_postcode, normalize_phone_read_direction,
	normalize_phone_read_iban;

/* normalize_address.c */
normalize_reader normalize_address_read;

/* normalize_word.c: writes capitals letter by letter if they are read so. */
bool normalize_word_write_letters(struct normalizer *n, const char *letters, size_t len);
/* Writes digits in a name: "B12", "2026". */
bool normalize_word_write_shown_number(struct normalizer *n, size_t i);
void normalize_word_measure(struct normalizer *n); /* sets `shouts` */
/* Whether no reader needs to examine the token. */
bool normalize_word_is_ordinary(const struct normalizer *n, size_t i);
bool normalize_word_is_possessive(const char *rest, size_t len); /* "'s" */
normalize_reader normalize_word_read_abbreviation, normalize_word_read_acronym,
	normalize_word_read_mixed;

/* normalize_roman.c */
normalize_reader normalize_roman_read;

/* normalize_mark.c */
normalize_reader normalize_mark_read_line_start, normalize_mark_read, normalize_mark_read_sign;

#endif
