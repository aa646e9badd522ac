/*
 * normalize_write.c: the functions with which readers write words, and choose their forms (see
 * normalize_private.h).
 */
#include <errno.h>
#include <string.h>

#include "base/utf8.h"
#include "text/normalize_private.h"

/* ENOBUFS is ignored: there is room for far more than a reader writes, and anything beyond that is
 * cut off. */
void normalize_write_note(struct normalizer *n, int err)
{
	if (err == ENOMEM)
		n->err = err;
}

void normalize_write_text(struct normalizer *n, const char *text)
{
	normalize_write_note(n, buf_append_str(&n->words, text));
}

/* No blank after another one, nor after an elision: "un'ora". */
static void normalize_write_gap(struct normalizer *n)
{
	char last = n->words.len > 0 ? n->words.bytes[n->words.len - 1] : ' ';

	if (last != ' ' && last != '\'')
		normalize_write_text(n, " ");
}

void normalize_write_bytes(struct normalizer *n, const char *bytes, size_t len)
{
	normalize_write_gap(n);
	normalize_write_note(n, buf_append(&n->words, bytes, len));
}

void normalize_write_word(struct normalizer *n, const char *word)
{
	if (!word || word[0] == '\0')
		return;
	normalize_write_gap(n);
	normalize_write_text(n, word);
}

void normalize_write_token(struct normalizer *n, size_t i)
{
	normalize_write_bytes(n, n->text + token_at(n, i)->begin, token_len(n, i));
}

void normalize_write_number(struct normalizer *n, char key, uint64_t value)
{
	normalize_write_gap(n);
	normalize_write_note(n, number_say(&n->words, n->reading->numbers, key, value));
}

void normalize_write_digits(struct normalizer *n, const char *digits, size_t len)
{
	for (size_t i = 0; i < len; ++i) {
		if (digits[i] >= '0' && digits[i] <= '9')
			normalize_write_number(n, 'c', (uint64_t)(digits[i] - '0'));
	}
}

static const struct place_value *normalize_write_find_place(const struct place_value *places,
							    size_t count, const char *name,
							    size_t len)
{
	for (size_t i = 0; i < count; ++i) {
		if (strlen(places[i].name) == len && memcmp(places[i].name, name, len) == 0)
			return &places[i];
	}
	return NULL;
}

/* "{day:o}": the name, and the key if there is one. */
static const char *normalize_write_place(struct normalizer *n, const char *at,
					 const struct place_value *places, size_t count)
{
	const char *end = strchr(at, '}');
	size_t len = strcspn(at, ":}");
	const struct place_value *place = normalize_write_find_place(places, count, at, len);
	char key = at[len] == ':' && at[len + 1] != '*' ? at[len + 1] : '\0';

	if (place && place->text)
		normalize_write_text(n, place->text);
	else if (place)
		normalize_write_note(n, number_say(&n->words, n->reading->numbers,
						   key          ? key
						   : place->key ? place->key
								: 'c',
						   place->number));
	return end + 1;
}

void normalize_write_template(struct normalizer *n, const char *template,
			      const struct place_value *places, size_t count)
{
	if (!template)
		return;
	normalize_write_gap(n);
	while (*template) {
		size_t plain = strcspn(template, "{");

		normalize_write_note(n, buf_append(&n->words, template, plain));
		template += plain;
		if (*template == '{')
			template = normalize_write_place(n, template + 1, places, count);
	}
}

void normalize_write_from(struct normalizer *n, size_t i, const char *from)
{
	size_t before = token_word_before(n, i);
	char lower[WORD_MAX];

	if (!from)
		return;
	if (before && token_lower(n, before, lower) && strcmp(lower, from) == 0)
		return;
	if (token_follows(n, i, n->reading->no_from))
		return;
	normalize_write_word(n, from);
}

void normalize_write_final_dot(struct normalizer *n, size_t next)
{
	if (token_is(n, next - 1, '.') && token_dot_ends_sentence(n, next))
		normalize_write_text(n, ".");
}

static bool normalize_write_neighbour_fits(const char *list, const char *word, size_t len)
{
	if (!list)
		return true;
	if (list[0] == '\0')
		return len == 0;
	return reading_lists(list, word, len);
}

char normalize_write_key_between(const struct normalizer *n, const struct by_neighbours *rows,
				 size_t i, size_t j, char otherwise)
{
	char before[WORD_MAX], after[WORD_MAX] = "?";
	size_t word, sign, before_len = 0, after_len = 1;

	if (!rows)
		return otherwise;
	word = token_word_before(n, i);
	sign = i > 0 && token_at(n, i - 1)->kind == TOKEN_BLANK ? i - 1 : i;
	if (word) {
		before_len = token_lower(n, word, before);
	} else if (sign > 0 && (token_is(n, sign - 1, '~') || token_is(n, sign - 1, 0x2248))) {
		/* "~50" is spoken with a word, which determines the case. */
		before[0] = '~';
		before_len = 1;
	}
	if (j > 0) {
		j = token_skip_blank(n, j);
		after_len = token_is_word(n, j) ? token_lower(n, j, after) : 0;
	}
	for (; rows->key; ++rows) {
		if (!normalize_write_neighbour_fits(rows->before, before, before_len) ||
		    !normalize_write_neighbour_fits(rows->after, after, after_len))
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

static const char *normalize_write_polish_form(const struct counted *counted, uint64_t value)
{
	uint64_t ones = value % 10;
	uint64_t tens = value % 100;

	if (value == 1)
		return counted->one;
	if (ones >= 2 && ones <= 4 && (tens < 12 || tens > 14) && counted->few)
		return counted->few;
	return counted->many ? counted->many : counted->one;
}

const char *normalize_write_counted_form(const struct normalizer *n, const struct counted *counted,
					 uint64_t value, bool has_decimals)
{
	const char *many = counted->many ? counted->many : counted->one;

	switch (n->reading->plural) {
	case PLURAL_POLISH:
		if (has_decimals)
			return counted->part ? counted->part : many;
		return normalize_write_polish_form(counted, value);
	case PLURAL_FRENCH:
		return value < 2 ? counted->one : many;
	case PLURAL_TWO:
		break;
	}
	return value == 1 && !has_decimals ? counted->one : many;
}
