/*
 * normalize_word.c: abbreviations, acronyms, letters with digits (see normalize_private.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "text/normalize_private.h"

/* An index of abbreviations by their first byte, and of the first two bytes of everything that
 * readers of words look up, so that most words are skipped after one lookup. */
struct index {
	const struct reading_rules *reading;
	uint16_t first[256]; /* row + 1; 0: none */
	uint16_t *next; /* of each row */
	uint8_t pairs[256 * 256 / 8]; /* a bit for each pair of bytes in lower case */
};

#define INDEXES_MAX 16 /* languages with a table */
#define ROWS_MAX 4096

static uint8_t normalize_word_small(uint8_t byte)
{
	return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
}

static void normalize_word_set_pair(struct index *index, uint8_t first, uint8_t second)
{
	size_t pair = (size_t)first << 8 | second;

	index->pairs[pair / 8] |= (uint8_t)(1u << pair % 8);
}

/* A single letter may be followed by anything, and so may the first byte of a letter outside
 * ASCII, whose capital has another second byte. */
static void normalize_word_add_pair(struct index *index, const char *word)
{
	uint8_t first = normalize_word_small((uint8_t)word[0]);

	if (word[1] && word[1] != ' ' && first < 128) {
		normalize_word_set_pair(index, first, normalize_word_small((uint8_t)word[1]));
		return;
	}
	for (unsigned second = 0; second < 256; ++second)
		normalize_word_set_pair(index, first, (uint8_t)second);
}

static void normalize_word_add_names(struct index *index, const struct calendar_name *names,
				     size_t count)
{
	for (size_t i = 0; names && i < count; ++i) {
		normalize_word_add_pair(index, names[i].spoken);
		for (const char *at = names[i].written; at && at[0] && at[1];) {
			normalize_word_add_pair(index, ++at);
			at += strcspn(at, " ");
		}
	}
}

/* Made once per language and kept, because the tables are constant. There is no lock: only one
 * thread may normalize text (normalize.h). */
static const struct index *normalize_word_index_of(const struct reading_rules *reading)
{
	static struct index indexes[INDEXES_MAX];
	static size_t count;
	struct index *index;
	size_t rows = 0;

	for (size_t i = 0; i < count; ++i) {
		if (indexes[i].reading == reading)
			return &indexes[i];
	}
	while (reading->abbreviations && reading->abbreviations[rows].written && rows < ROWS_MAX)
		++rows;
	if (count == INDEXES_MAX)
		return NULL;
	index = &indexes[count];
	index->next = calloc(rows + 1, sizeof(*index->next));
	if (!index->next)
		return NULL;
	for (size_t row = rows; row-- > 0;) { /* so that the first row is found first */
		uint8_t byte =
			normalize_word_small((uint8_t)reading->abbreviations[row].written[0]);

		index->next[row] = index->first[byte];
		index->first[byte] = (uint16_t)(row + 1);
	}
	for (size_t row = 0; row < rows; ++row)
		normalize_word_add_pair(index, reading->abbreviations[row].written);
	normalize_word_add_names(index, reading->months, 12);
	normalize_word_add_names(index, reading->weekdays, 7);
	index->reading = reading;
	++count;
	return index;
}

/* Tokens that may follow a word without affecting how it is read. */
static bool normalize_word_is_neutral(const struct token *token)
{
	return token->kind == TOKEN_BLANK || token->kind == TOKEN_LINE ||
	       token->kind == TOKEN_END ||
	       (token->kind == TOKEN_SIGN && token->c < 128 && strchr(",;:!?\")", (int)token->c));
}

bool normalize_word_is_ordinary(const struct normalizer *n, size_t i)
{
	const struct token *token = token_at(n, i);
	const struct index *index = normalize_word_index_of(n->reading);
	uint8_t first = (uint8_t)n->text[token->begin];
	uint8_t second = token->end - token->begin > 1 ? (uint8_t)n->text[token->begin + 1] : 0;
	size_t pair = (size_t)normalize_word_small(first) << 8 | normalize_word_small(second);

	if (!index || token->flags & (TOKEN_UPPER | TOKEN_MARKED) || first >= 128 ||
	    !normalize_word_is_neutral(token_at(n, i + 1)) || token_is_digits(n, i + 2))
		return false;
	if (token->flags & TOKEN_CAPITAL && !(second >= 'a' && second <= 'z'))
		return false; /* a numeral, or an acronym with an ending */
	if (n->reading->roman_marks && strchr("IVX", first))
		return false; /* "Ier" */
	return !(index->pairs[pair / 8] >> pair % 8 & 1);
}

static size_t normalize_word_skip_blank_bytes(const char *text, size_t left)
{
	uint32_t c;
	size_t n;

	if (left == 0)
		return 0;
	n = utf8_decode(&c, text, left);
	return unicode_kind(c) == UNICODE_BLANK ? n : 0;
}

/* The length in bytes of this abbreviation in the text, 0 when it does not match. The first
 * letter may be a capital, at the beginning of a sentence. */
static size_t normalize_word_abbreviation_fits(const char *text, size_t left, const char *written)
{
	size_t at = 0;

	for (size_t i = 0; written[i]; ++i) {
		bool same = at < left &&
			    (text[at] == written[i] ||
			     (i == 0 && written[0] >= 'a' && written[0] <= 'z' &&
			      normalize_word_small((uint8_t)text[at]) == (uint8_t)written[0]));

		if (!same)
			return 0;
		++at;
		if (written[i] == '.' && written[i + 1] && written[i + 1] != ' ')
			at += normalize_word_skip_blank_bytes(text + at, left - at);
	}
	return at;
}

static size_t normalize_word_token_after(const struct normalizer *n, size_t i, size_t byte)
{
	while (token_at(n, i)->begin < byte && token_at(n, i)->kind != TOKEN_END)
		++i;
	return token_at(n, i)->begin == byte ? i : 0;
}

static bool normalize_word_conditions_hold(const struct normalizer *n,
					   const struct abbreviation *row, size_t i, size_t next)
{
	unsigned when = row->when;
	const struct token *before = token_before(n, i);
	const struct token *after = token_at(n, token_skip_blank(n, next));
	bool is_word = after->kind == TOKEN_WORD || after->kind == TOKEN_FIXED;

	if (when & WHEN_BEFORE_CAPITAL && !(is_word && after->flags & TOKEN_CAPITAL))
		return false;
	if (when & WHEN_BEFORE_LOWER && !(is_word && !(after->flags & TOKEN_CAPITAL)))
		return false;
	if (when & WHEN_BEFORE_NUMBER && after->kind != TOKEN_DIGITS)
		return false;
	if (when & WHEN_AFTER_NUMBER && before->kind != TOKEN_DIGITS)
		return false;
	if (when & WHEN_AFTER_CAPITAL &&
	    !(before->kind == TOKEN_WORD && before->flags & TOKEN_CAPITAL))
		return false;
	if (row->after && !token_follows(n, i, row->after))
		return false;
	if (when & WHEN_AS_WRITTEN && n->text[token_at(n, i)->begin] != row->written[0])
		return false;
	return !(when & WHEN_SENTENCE_GOES_ON && after->kind == TOKEN_END);
}

static void normalize_word_write_capitalised(struct normalizer *n, const char *spoken)
{
	char letter[5] = {0};
	uint32_t c;
	size_t len = utf8_decode(&c, spoken, strlen(spoken));

	utf8_encode(letter, unicode_upper(c));
	normalize_write_text(n, letter);
	normalize_write_text(n, spoken + len);
}

/* Titles and "for example" never end a sentence. */
static bool normalize_word_may_end_sentence(const struct normalizer *n, const char *written)
{
	char key[WORD_MAX];
	size_t len = strlen(written) - 1;

	if (len >= sizeof(key))
		return false;
	for (size_t i = 0; i < len; ++i)
		key[i] = (char)normalize_word_small((uint8_t)written[i]);
	key[len] = '\0';
	return language_hold(n->language, key, false) != HOLD_NEVER;
}

static size_t normalize_word_say_abbreviation(struct normalizer *n, size_t i, size_t next,
					      const struct abbreviation *row)
{
	char first = n->text[token_at(n, i)->begin];

	if (first != row->written[0] && row->spoken[0])
		normalize_word_write_capitalised(n, row->spoken);
	else
		normalize_write_text(n, row->spoken);
	if ((token_is_word(n, next) || token_is_digits(n, next)) && row->spoken[0] &&
	    !strchr("-'", row->spoken[strlen(row->spoken) - 1]))
		normalize_write_text(n, " "); /* "n°12" */
	/* The dot of the abbreviation may also end the sentence. */
	if (row->written[strlen(row->written) - 1] == '.' &&
	    (token_at(n, next)->kind == TOKEN_END ||
	     (!(row->when & WHEN_BEFORE_CAPITAL) &&
	      normalize_word_may_end_sentence(n, row->written) &&
	      token_dot_ends_sentence(n, next))))
		normalize_write_text(n, ".");
	return next;
}

/* "Hauptstr. 5" */
static size_t normalize_word_read_suffix(struct normalizer *n, size_t i)
{
	const char *word = n->text + token_at(n, i)->begin;
	size_t len = token_len(n, i);

	if (!token_is_word(n, i) || !token_is(n, i + 1, '.'))
		return 0;
	for (const struct abbreviation *row = n->reading->abbreviations; row && row->written;
	     ++row) {
		size_t row_len;

		if (!(row->when & WHEN_SUFFIX))
			continue;
		row_len = strlen(row->written) - 1;
		if (row_len >= len || memcmp(word + len - row_len, row->written, row_len) != 0 ||
		    !normalize_word_conditions_hold(n, row, i, i + 2))
			continue;
		normalize_write_note(n, buf_append(&n->words, word, len - row_len));
		normalize_write_text(n, row->spoken);
		if (token_at(n, i + 2)->kind == TOKEN_END)
			normalize_write_text(n, ".");
		return i + 2;
	}
	return 0;
}

/* The word must not continue; after its dot only a capital may follow. */
static bool normalize_word_ends_well(const struct normalizer *n, size_t next)
{
	if (token_is_word(n, next - 1))
		return !token_is_word(n, next) && !token_is_digits(n, next);
	if (token_is_digits(n, next - 1))
		return !token_is_digits(n, next);
	if (token_is(n, next - 1, '.'))
		return !token_is_word(n, next) || token_at(n, next)->flags & TOKEN_CAPITAL;
	return true;
}

size_t normalize_word_read_abbreviation(struct normalizer *n, size_t i)
{
	const struct index *index = normalize_word_index_of(n->reading);
	const char *text = n->text + token_at(n, i)->begin;
	size_t left = token_at(n, n->tokens_len)->begin - token_at(n, i)->begin;
	const struct abbreviation *best = NULL;
	size_t best_next = 0;
	size_t row;

	if (!index || normalize_quantity_is_bound(n, i))
		return 0;
	for (row = index->first[normalize_word_small((uint8_t)text[0])]; row;
	     row = index->next[row - 1]) {
		const struct abbreviation *abbreviation = &n->reading->abbreviations[row - 1];
		size_t taken = normalize_word_abbreviation_fits(text, left, abbreviation->written);
		size_t next =
			taken ? normalize_word_token_after(n, i, token_at(n, i)->begin + taken) : 0;

		if (next > best_next && !(abbreviation->when & WHEN_SUFFIX) &&
		    normalize_word_ends_well(n, next) && !token_holds_fixed(n, i, next) &&
		    normalize_word_conditions_hold(n, abbreviation, i, next)) {
			best = abbreviation;
			best_next = next;
		}
	}
	return best ? normalize_word_say_abbreviation(n, i, best_next, best)
		    : normalize_word_read_suffix(n, i);
}

static bool normalize_word_is_vowel(uint32_t c)
{
	return (c < 128 && strchr("AEIOUY", (int)c)) || (c >= 0xc0 && c != 0xc7 && c != 0xd1);
}

static bool normalize_word_has_vowel(const char *letters, size_t len)
{
	for (size_t at = 0; at < len;) {
		uint32_t c;

		at += utf8_decode(&c, letters + at, len - at);
		if (normalize_word_is_vowel(c))
			return true;
	}
	return false;
}

void normalize_word_measure(struct normalizer *n)
{
	size_t words = 0;
	size_t upper = 0;
	size_t loud = 0; /* words that would not be spelled */

	for (size_t i = 0; i < n->tokens_len; ++i) {
		const struct token *token = token_at(n, i);

		if (token->kind != TOKEN_WORD)
			continue;
		++words;
		upper += (token->flags & TOKEN_UPPER) != 0;
		loud += token->flags & TOKEN_UPPER && token->end - token->begin >= 4 &&
			normalize_word_has_vowel(n->text + token->begin, token->end - token->begin);
	}
	n->shouts = loud >= 2 && upper * 3 >= words * 2;
}

/* Short acronyms and those without a vowel are spelled, unless a list says otherwise. */
static bool normalize_word_is_spelled(const struct normalizer *n, const char *letters, size_t len)
{
	if (reading_lists(n->reading->said, letters, len))
		return false;
	if (reading_lists(n->reading->spelled, letters, len))
		return true;
	return utf8_count(letters, len) <= 3 || !normalize_word_has_vowel(letters, len);
}

static void normalize_word_spell_letters(struct normalizer *n, const char *letters, size_t len)
{
	for (size_t at = 0; at < len;) {
		char letter[5] = {0};
		uint32_t c;

		at += utf8_decode(&c, letters + at, len - at);
		utf8_encode(letter, c);
		normalize_write_word(n, letter);
	}
}

bool normalize_word_write_letters(struct normalizer *n, const char *letters, size_t len)
{
	if (!normalize_word_is_spelled(n, letters, len))
		return false;
	normalize_word_spell_letters(n, letters, len);
	return true;
}

/* "U.S.", "D.C." */
static size_t normalize_word_read_dotted_letters(struct normalizer *n, size_t i)
{
	size_t next = i;

	while (token_is_word(n, next) && token_at(n, next)->flags & TOKEN_CAPITAL &&
	       utf8_count(n->text + token_at(n, next)->begin, token_len(n, next)) == 1 &&
	       token_is(n, next + 1, '.') && next - i < 16)
		next += 2;
	if (next < i + 4)
		return 0;
	for (size_t k = i; k < next; k += 2)
		normalize_write_token(n, k);
	if (token_at(n, next)->kind == TOKEN_END)
		normalize_write_text(n, ".");
	return next;
}

/* The length in bytes of the capitals at the beginning of a word. */
static size_t normalize_word_capitals(const char *word, size_t len)
{
	size_t at = 0;

	while (at < len) {
		uint32_t c;
		size_t n = utf8_decode(&c, word + at, len - at);

		if (unicode_kind(c) != UNICODE_UPPER)
			break;
		at += n;
	}
	return at;
}

bool normalize_word_is_possessive(const char *rest, size_t len)
{
	return (len == 2 && memcmp(rest, "'s", 2) == 0) ||
	       (len == 4 && memcmp(rest, "\xe2\x80\x99s", 4) == 0);
}

/* "APIs", "CEO's" */
static size_t normalize_word_read_inflected(struct normalizer *n, size_t i)
{
	const char *word = n->text + token_at(n, i)->begin;
	size_t len = token_len(n, i);
	size_t upper = normalize_word_capitals(word, len);
	size_t rest = len - upper;

	if (utf8_count(word, upper) < 2 || rest == 0 || rest > 4)
		return 0;
	if (!(rest == 1 && word[upper] == 's') && !normalize_word_is_possessive(word + upper, rest))
		return 0;
	if (!normalize_word_write_letters(n, word, upper))
		return 0;
	normalize_write_text(n, "'s");
	return i + 1;
}

static bool normalize_word_is_lone_letter(const struct normalizer *n, size_t i)
{
	return token_is_word(n, i) && token_len(n, i) == 1 &&
	       token_at(n, i)->flags & TOKEN_CAPITAL && !token_is(n, i + 1, '-') &&
	       !token_is_digits(n, i + 1);
}

size_t normalize_word_read_acronym(struct normalizer *n, size_t i)
{
	const struct token *token = token_at(n, i);
	size_t next;

	if (!(token->flags & TOKEN_CAPITAL))
		return 0;
	next = normalize_word_read_dotted_letters(n, i);
	if (next || n->shouts)
		return next;
	if (!(token->flags & TOKEN_UPPER))
		return normalize_word_read_inflected(n, i);
	if (!normalize_word_write_letters(n, n->text + token->begin, token_len(n, i)))
		return 0;
	if (!normalize_word_is_lone_letter(n, i + 2) || !token_is(n, i + 1, '-'))
		return i + 1;
	normalize_write_token(n, i + 2); /* "USB-C" */
	return i + 3;
}

bool normalize_word_write_shown_number(struct normalizer *n, size_t i)
{
	const struct token *token = token_at(n, i);
	uint64_t value = token_value(n, i);
	size_t len = token->end - token->begin;

	if ((len > 1 && n->text[token->begin] == '0') || len > 6)
		normalize_write_digits(n, n->text + token->begin, len);
	else if (len == 4 && value >= n->reading->year_least && value <= n->reading->year_most)
		normalize_write_number(n, 'y', value);
	else
		normalize_write_number(n, 'c', value);
	return true;
}

static void normalize_word_say_mixed_part(struct normalizer *n, size_t i)
{
	const struct token *token = token_at(n, i);

	if (!(token->flags & TOKEN_UPPER) ||
	    !normalize_word_write_letters(n, n->text + token->begin, token_len(n, i)))
		normalize_write_token(n, i);
}

/* "v2.1.3" */
static size_t normalize_word_read_version(struct normalizer *n, size_t i)
{
	const struct reading_rules *reading = n->reading;
	size_t next = i + 2;

	if (!reading->version || !token_is_digits(n, i + 1) ||
	    !(token_equals(n, i, "v") || token_equals(n, i, "V")))
		return 0;
	normalize_write_from(n, i, reading->version); /* "version v2" says it once */
	normalize_word_write_shown_number(n, i + 1);
	while (token_is(n, next, '.') && token_is_digits(n, next + 1)) {
		normalize_write_word(n, reading->decimal == '.' ? reading->decimal_word
								: reading->other_decimal_word);
		normalize_write_number(n, 'c', token_value(n, next + 1));
		next += 2;
	}
	return next;
}

/* "GPT-3.5" */
static size_t normalize_word_say_point_release(struct normalizer *n, size_t i)
{
	const struct reading_rules *reading = n->reading;

	if (!token_is_digits(n, i - 1) || !token_is(n, i, '.') || !token_is_digits(n, i + 1))
		return i;
	normalize_write_word(n, reading->decimal == '.' ? reading->decimal_word
							: reading->other_decimal_word);
	normalize_word_write_shown_number(n, i + 1);
	return i + 2;
}

/* Runs of letters and digits; a hyphen separates letters from the digits after it. */
static size_t normalize_word_say_mixed(struct normalizer *n, size_t i)
{
	bool is_code = token_is_word(n, i); /* "XK7-42B" */

	for (size_t count = 0; count < 16; ++count) {
		if (token_is_word(n, i))
			normalize_word_say_mixed_part(n, i);
		else
			normalize_word_write_shown_number(n, i);
		++i;
		i = normalize_word_say_point_release(n, i);
		if (token_is_word(n, i) || token_is_digits(n, i))
			continue;
		if (token_is(n, i, '-') &&
		    ((is_code && token_is_digits(n, i + 1)) ||
		     (token_is_word(n, i - 1) && token_is_digits(n, i + 1)) ||
		     (token_is_digits(n, i - 1) && token_is_word(n, i + 1) &&
		      token_is_digits(n, i + 2))))
			++i;
		else
			break;
	}
	return i;
}

/* "1920x1080": as the sign between two numbers; "0x80" is one number */
static size_t normalize_word_read_cross(struct normalizer *n, size_t i)
{
	if (token_equals(n, i, "0") ||
	    !(token_equals(n, i + 1, "x") || token_equals(n, i + 1, "X")) ||
	    !token_is_digits(n, i + 2))
		return 0;
	for (const struct sign *sign = n->reading->signs; sign && sign->written; ++sign) {
		if (!(sign->when & WHEN_TIGHT) || strcmp(sign->written, "\xc3\x97") != 0)
			continue;
		normalize_word_write_shown_number(n, i);
		normalize_write_word(n, sign->spoken);
		normalize_write_text(n, " ");
		return i + 2;
	}
	return 0;
}

/* "3-mal", "10-jährig" */
static size_t normalize_word_read_joined(struct normalizer *n, size_t i)
{
	char suffix[WORD_MAX]; /* in lower case: "der 35-Jährige" */

	if (!n->reading->joined_suffixes || !token_is(n, i + 1, '-') ||
	    !token_listed(n, i + 2, n->reading->joined_suffixes))
		return 0;
	normalize_write_number(n, 'j', token_value(n, i));
	normalize_write_note(n, buf_append(&n->words, suffix, token_lower(n, i + 2, suffix)));
	return i + 3;
}

size_t normalize_word_read_mixed(struct normalizer *n, size_t i)
{
	size_t next;

	if (token_is_digits(n, i)) {
		next = normalize_word_read_joined(n, i);
		if (!next)
			next = normalize_word_read_cross(n, i);
		if (next)
			return next;
		if (token_is(n, i + 1, '-') &&
		    normalize_word_is_lone_letter(n, i + 2)) { /* "11-S" */
			normalize_word_write_shown_number(n, i);
			normalize_write_token(n, i + 2);
			return i + 3;
		}
		return token_is_word(n, i + 1) ? normalize_word_say_mixed(n, i) : 0;
	}
	next = normalize_word_read_version(n, i);
	if (next)
		return next;
	if (token_is_digits(n, i + 1))
		return normalize_word_say_mixed(n, i);
	if (token_is(n, i + 1, '-') && token_is_digits(n, i + 2) &&
	    token_at(n, i)->flags & TOKEN_CAPITAL)
		return normalize_word_say_mixed(n, i);
	return 0;
}
