/*
 * normalize_private.h: what the files of the normalizer share.
 *
 *   normalize.c         tokens, the loop over them, what is kept and replaced
 *   normalize_token.c   text → tokens
 *   normalize_write.c   templates, numbers, neighbours: tools of the readers
 *   normalize_figure.c  numbers by themselves: figures, decades, ordinals
 *   normalize_amount.c  money, units, magnitudes as they are written
 *   normalize_quantity.c  the same as they are said; ranges
 *   normalize_fraction.c  fractions
 *   normalize_date.c    dates, years
 *   normalize_time.c    times, scores
 *   normalize_phone.c   phone numbers, codes of addresses and accounts
 *   normalize_address.c e-mail, URLs, files, versions, hashtags
 *   normalize_word.c    abbreviations, acronyms, "MP3"
 *   normalize_roman.c   Roman numerals
 *   normalize_mark.c    markdown, signs
 *
 * A reader looks at the tokens from i on.  When they are its business it writes
 * what is said into `words` and returns the index of the first token that is
 * not; otherwise it returns 0 and has written nothing that counts.  Readers look
 * ahead by a bounded number of tokens, or at what was measured before (a lump,
 * a bracket's mate), so that the whole stays linear.
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
	TOKEN_SIGN, /* one character of anything else */
	TOKEN_DROP, /* emoji, zero-width characters: not said */
	TOKEN_FIXED, /* normalize.h: no reader's business */
	TOKEN_END, /* after the last one */
};

enum {
	TOKEN_CAPITAL = 1, /* a word that begins with one */
	TOKEN_UPPER = 2, /* nothing but capitals, at least two */
	TOKEN_MARKED = 4, /* has combining marks */
	TOKEN_BEGINS = 8, /* a blank or an opening sign stands before it */
	TOKEN_CLOSES = 32, /* a '"' that another one opened in its line */
	TOKEN_ADDRESS = 16, /* and up to the next blank it has signs of an address */
};

struct token {
	uint32_t begin, end; /* bytes */
	uint32_t c; /* a sign's code point; of fixed words their number */
	uint8_t kind;
	uint8_t flags;
};

struct normalizer {
	const struct language *language;
	const struct reading *reading;
	const char *text;
	const struct token *tokens; /* the first is a TOKEN_LINE that is not in the text */
	size_t tokens_len; /* without the end */
	struct buf words; /* what the reader says */
	int err; /* ENOMEM: some of it could not be said */
	size_t mates[2]; /* the next ']' and ')' that were found, see normalize_mark.c */
	size_t no_rule; /* none begins before this token */
	bool shouts; /* capitals are no acronyms here */
	bool line_wants_stop; /* a heading or an item: a dot ends it */
	bool in_table;
	char last_ordinal; /* the key of the one said before */
};

typedef size_t(normalize_reader)(struct normalizer *n, size_t i);

/* normalize_token.c: ENOMEM.  The array is the caller's to free. */
struct fixed_list {
	struct normalize_fixed *list;
	size_t count;
};
int normalize_tokens(struct token **tokensp, size_t *count, const char *text, size_t len,
		     bool elides, const struct fixed_list *fixed);

/* normalize_write.c.  Any index may be asked about: behind the last token there
 * is nothing but the end. */
static inline const struct token *token_at(const struct normalizer *n, size_t i)
{
	return &n->tokens[i < n->tokens_len ? i : n->tokens_len];
}

bool token_is(const struct normalizer *n, size_t i, uint32_t c); /* a sign */
bool token_is_digits(const struct normalizer *n, size_t i);
bool token_is_short(const struct normalizer *n, size_t i); /* digits, two at most */
bool token_is_word(const struct normalizer *n, size_t i);
bool token_is_text(const struct normalizer *n, size_t i); /* word, digits, fixed words */
bool tokens_hold_fixed(const struct normalizer *n, size_t i, size_t next);
size_t token_len(const struct normalizer *n, size_t i);
bool token_equals(const struct normalizer *n, size_t i, const char *word); /* case counts */
bool token_listed(const struct normalizer *n, size_t i, const char *list); /* in lower case */
uint64_t token_value(const struct normalizer *n,
		     size_t i); /* of digits; NUMBER_MAX when too large */
bool token_is_dash(const struct normalizer *n, size_t i); /* - – − */
size_t token_skip_blank(const struct normalizer *n, size_t i); /* past one blank, if it is one */

/* Spellings of a list are matched as bytes from token i on, and must end where
 * a word ends.  The token after the longest that fits and takes more than
 * `longest` bytes, 0 when there is none. */
size_t match_spelling(const struct normalizer *n, size_t i, const char *list, size_t longest);

#define WORD_MAX 64 /* longer words are in no list */
size_t token_lower(const struct normalizer *n, size_t i, char lower[WORD_MAX]); /* 0: too long */

void write_note(struct normalizer *n, int err); /* that something could not be written */
void write_text(struct normalizer *n, const char *text); /* as it is */
void write_word(struct normalizer *n, const char *word); /* with a blank before it */
void write_token(struct normalizer *n, size_t i); /* with a blank before it */
void write_bytes(struct normalizer *n, const char *bytes, size_t len); /* with a blank before it */
void write_number(struct normalizer *n, char key, uint64_t value); /* with a blank before it */
void write_digits(struct normalizer *n, const char *digits, size_t len); /* one by one */

/* A template's places. */
struct place_value {
	const char *name;
	const char *text; /* NULL: it is the number */
	uint64_t number;
	char key; /* of the number when the template says none, or '*' */
};
void write_template(struct normalizer *n, const char *template, const struct place_value *places,
		    size_t count);

/* The key of the first row whose words stand before token i and from token j on;
 * j 0: something follows that is no word. */
char key_between(const struct normalizer *n, const struct by_neighbours *rows, size_t i, size_t j,
		 char otherwise);
const char *counted_form(const struct normalizer *n, const struct counted *counted, uint64_t value,
			 bool has_decimals);

bool token_follows(const struct normalizer *n, size_t i, const char *list); /* a word of it */
size_t token_before_colon(const struct normalizer *n, size_t i); /* "Tel.: 123"; i if none is */
void write_from(struct normalizer *n, size_t i, const char *from); /* unless it stands there */

/* A dot that was taken with tokens up to `next` was the sentence's too. */
bool dot_ends_sentence(const struct normalizer *n, size_t next);
void give_dot_back(struct normalizer *n, size_t next);

/* normalize_figure.c */
char key_counting(const struct normalizer *n, size_t i, size_t next); /* of tokens [i, next) */
/* The set of a one in the case that the word before token i asks for. */
char key_in_case(const struct normalizer *n, size_t i, char key, uint64_t value);
bool token_counts_noun(const struct normalizer *n, size_t next); /* behind a number */
bool token_counts_feminine(const struct normalizer *n, size_t next); /* a unit or a noun */
normalize_reader read_ordinal, read_decade, read_plain_number;

/* normalize_quantity.c */
size_t match_unit(const struct normalizer *n, size_t i, bool is_joined, const struct unit **found);
bool token_is_bound(const struct normalizer *n, size_t i); /* to a word before it */
bool token_is_counted(const struct normalizer *n, size_t i); /* a currency, a unit, "mln" */
normalize_reader read_quantity, read_lone_currency, read_lone_unit, read_feet, read_hyphened_unit;

/* normalize_fraction.c */
bool fraction_is_readable(const struct normalizer *n, uint64_t above, uint64_t below);
normalize_reader read_fraction, read_rating;

/* normalize_date.c */
normalize_reader read_date, read_named_date, read_month, read_weekday, read_year;

/* normalize_time.c */
normalize_reader read_time;

/* normalize_phone.c */
bool token_is_direction(const struct normalizer *n, size_t i); /* "1420 W. 7th St." */
normalize_reader read_phone, read_postcode, read_country_postcode, read_direction, read_iban;

/* normalize_address.c */
normalize_reader read_address;

/* normalize_word.c: capital letters one by one, where that is how they are read. */
bool write_letters(struct normalizer *n, const char *letters, size_t len);
bool write_shown_number(struct normalizer *n, size_t i); /* digits of a name: "B12", "2026" */
void normalize_measure(struct normalizer *n);
bool word_is_ordinary(const struct normalizer *n, size_t i); /* no reader has to look at it */
/* The one before token i and its blank; the first token when there is none. */
const struct token *token_before(const struct normalizer *n, size_t i);
bool rest_is_possessive(const char *rest, size_t len); /* "'s" */
normalize_reader read_abbreviation, read_acronym, read_mixed;

/* normalize_roman.c */
normalize_reader read_roman;

/* normalize_mark.c */
normalize_reader read_line_start, read_mark, read_sign;

#endif
