/*
 * normalize_write.c: what the normalizer's readers ask and say (see
 * normalize_private.h).
 */
#include <errno.h>
#include <string.h>

#include "base/utf8.h"
#include "text/normalize_private.h"

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

bool tokens_hold_fixed(const struct normalizer *n, size_t i, size_t next)
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

/* The token that begins at a byte, 0 when none does. */
static size_t token_from(const struct normalizer *n, size_t i, size_t byte)
{
	while (token_at(n, i)->begin < byte && token_at(n, i)->kind != TOKEN_END)
		++i;
	return token_at(n, i)->begin == byte ? i : 0;
}

static size_t blank_length(const char *text, size_t len)
{
	uint32_t c;
	size_t n;

	if (len == 0)
		return 0;
	n = utf8_decode(&c, text, len);
	return unicode_kind(c) == UNICODE_BLANK ? n : 0;
}

/* How many bytes of the text one spelling takes, 0 when it is another. */
static size_t spelling_fits(const char *text, size_t left, const char *spelling, size_t len)
{
	size_t at = 0;

	for (size_t i = 0; i < len; ++i) {
		if (spelling[i] == '_') {
			at += blank_length(text + at, left - at);
			continue;
		}
		if (at >= left || text[at] != spelling[i])
			return 0;
		++at;
	}
	return at;
}

/* A word must not go on behind it. */
static bool is_whole(const struct normalizer *n, size_t next)
{
	return !token_is_word(n, next - 1) || !(token_is_word(n, next) || token_is_digits(n, next));
}

size_t match_spelling(const struct normalizer *n, size_t i, const char *list, size_t longest)
{
	size_t begin = token_at(n, i)->begin;
	size_t left = token_at(n, n->tokens_len)->begin - begin;
	char first = left > 0 ? n->text[begin] : '\0';
	size_t found = 0;

	for (const char *at = list; at && at[0] && at[1];) {
		size_t len = 0;
		size_t taken = 0;

		if (*++at != first) { /* most are another */
			at += strcspn(at, " ");
			continue;
		}
		len = strcspn(at, " ");
		taken = spelling_fits(n->text + begin, left, at, len);
		if (taken > longest) {
			size_t next = token_from(n, i, begin + taken);

			if (next && is_whole(n, next) && !tokens_hold_fixed(n, i, next)) {
				longest = taken;
				found = next;
			}
		}
		at += len;
	}
	return found;
}

/* There is room for far more than a reader says; what would not fit is cut. */
void write_note(struct normalizer *n, int err)
{
	if (err == ENOMEM)
		n->err = err;
}

void write_text(struct normalizer *n, const char *text)
{
	write_note(n, buf_append_str(&n->words, text));
}

/* None after a blank, and none after an elision: "un'ora". */
static void write_gap(struct normalizer *n)
{
	char last = n->words.len > 0 ? n->words.bytes[n->words.len - 1] : ' ';

	if (last != ' ' && last != '\'')
		write_text(n, " ");
}

void write_bytes(struct normalizer *n, const char *bytes, size_t len)
{
	write_gap(n);
	write_note(n, buf_append(&n->words, bytes, len));
}

void write_word(struct normalizer *n, const char *word)
{
	if (!word || word[0] == '\0')
		return;
	write_gap(n);
	write_text(n, word);
}

void write_token(struct normalizer *n, size_t i)
{
	write_bytes(n, n->text + token_at(n, i)->begin, token_len(n, i));
}

void write_number(struct normalizer *n, char key, uint64_t value)
{
	write_gap(n);
	write_note(n, number_say(&n->words, n->reading->numbers, key, value));
}

void write_digits(struct normalizer *n, const char *digits, size_t len)
{
	for (size_t i = 0; i < len; ++i) {
		if (digits[i] >= '0' && digits[i] <= '9')
			write_number(n, 'c', (uint64_t)(digits[i] - '0'));
	}
}

static const struct place_value *find_place(const struct place_value *places, size_t count,
					    const char *name, size_t len)
{
	for (size_t i = 0; i < count; ++i) {
		if (strlen(places[i].name) == len && memcmp(places[i].name, name, len) == 0)
			return &places[i];
	}
	return NULL;
}

/* "{day:o}": the name, and the key if there is one. */
static const char *write_place(struct normalizer *n, const char *at,
			       const struct place_value *places, size_t count)
{
	const char *end = strchr(at, '}');
	size_t len = strcspn(at, ":}");
	const struct place_value *place = find_place(places, count, at, len);
	char key = at[len] == ':' && at[len + 1] != '*' ? at[len + 1] : '\0';

	if (place && place->text)
		write_text(n, place->text);
	else if (place)
		write_note(n, number_say(&n->words, n->reading->numbers,
					 key          ? key
					 : place->key ? place->key
						      : 'c',
					 place->number));
	return end + 1;
}

void write_template(struct normalizer *n, const char *template, const struct place_value *places,
		    size_t count)
{
	if (!template)
		return;
	write_gap(n);
	while (*template) {
		size_t plain = strcspn(template, "{");

		write_note(n, buf_append(&n->words, template, plain));
		template += plain;
		if (*template == '{')
			template = write_place(n, template + 1, places, count);
	}
}

/* The word that stands before token i with nothing but a blank (or the dot of
 * an abbreviation and a blank) between; 0 when there is none. */
static size_t word_before(const struct normalizer *n, size_t i)
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
	size_t before = word_before(n, token_before_colon(n, i));

	return before && token_listed(n, before, list);
}

void write_from(struct normalizer *n, size_t i, const char *from)
{
	size_t before = word_before(n, i);
	char lower[WORD_MAX];

	if (!from)
		return;
	if (before && token_lower(n, before, lower) && strcmp(lower, from) == 0)
		return;
	if (token_follows(n, i, n->reading->no_from))
		return;
	write_word(n, from);
}

static size_t word_after(const struct normalizer *n, size_t j, char lower[WORD_MAX])
{
	if (j == 0) {
		lower[0] = '?';
		return 1;
	}
	j = token_skip_blank(n, j);
	return token_is_word(n, j) ? token_lower(n, j, lower) : 0;
}

/* "~50" is said with a word, and takes the case that goes with it. */
static size_t sign_before(const struct normalizer *n, size_t i, char before[WORD_MAX])
{
	if (i > 0 && token_at(n, i - 1)->kind == TOKEN_BLANK)
		--i;
	if (i == 0 || !(token_is(n, i - 1, '~') || token_is(n, i - 1, 0x2248)))
		return 0;
	before[0] = '~';
	return 1;
}

bool dot_ends_sentence(const struct normalizer *n, size_t next)
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

void give_dot_back(struct normalizer *n, size_t next)
{
	if (token_is(n, next - 1, '.') && dot_ends_sentence(n, next))
		write_text(n, ".");
}

static bool neighbour_fits(const char *list, const char *word, size_t len)
{
	if (!list)
		return true;
	if (list[0] == '\0')
		return len == 0;
	return reading_lists(list, word, len);
}

char key_between(const struct normalizer *n, const struct by_neighbours *rows, size_t i, size_t j,
		 char otherwise)
{
	char before[WORD_MAX];
	char after[WORD_MAX];
	size_t word, before_len, after_len;

	if (!rows)
		return otherwise;
	word = word_before(n, i);
	before_len = word ? token_lower(n, word, before) : sign_before(n, i, before);
	after_len = word_after(n, j, after);
	for (; rows->key; ++rows) {
		if (!neighbour_fits(rows->before, before, before_len) ||
		    !neighbour_fits(rows->after, after, after_len))
			continue;
		if (rows->earlier && !(word && token_follows(n, word, rows->earlier)))
			continue;
		if (rows->key != '=')
			return rows->key;
		if (n->last_ordinal)
			return n->last_ordinal;
	}
	return otherwise;
}

static const char *polish_form(const struct counted *counted, uint64_t value)
{
	uint64_t ones = value % 10;
	uint64_t tens = value % 100;

	if (value == 1)
		return counted->one;
	if (ones >= 2 && ones <= 4 && (tens < 12 || tens > 14) && counted->few)
		return counted->few;
	return counted->many ? counted->many : counted->one;
}

const char *counted_form(const struct normalizer *n, const struct counted *counted, uint64_t value,
			 bool has_decimals)
{
	const char *many = counted->many ? counted->many : counted->one;

	switch (n->reading->plural) {
	case PLURAL_POLISH:
		if (has_decimals)
			return counted->part ? counted->part : many;
		return polish_form(counted, value);
	case PLURAL_FRENCH:
		return value < 2 ? counted->one : many;
	case PLURAL_TWO:
		break;
	}
	return value == 1 && !has_decimals ? counted->one : many;
}
