/*
 * normalize_roman.c: Roman numerals (see normalize_private.h).
 */
#include <string.h>

#include "text/normalize_private.h"

static unsigned normalize_roman_digit(char c)
{
	static const char letters[] = "IVXLCDM";
	static const unsigned values[] = {1, 5, 10, 50, 100, 500, 1000};
	const char *found = c ? strchr(letters, c) : NULL;

	return found ? values[found - letters] : 0;
}

/* Converts the value back and compares: "IIX" and "VX" are not numerals. */
static bool normalize_roman_is_canonical(unsigned value, const char *text, size_t len)
{
	static const struct {
		unsigned value;
		const char *text;
	} steps[] = {
		{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"},
		{90, "XC"},  {50, "L"},   {40, "XL"}, {10, "X"},   {9, "IX"},
		{5, "V"},    {4, "IV"},   {1, "I"},
	};
	size_t at = 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); ++i) {
		size_t step = strlen(steps[i].text);

		while (value >= steps[i].value) {
			if (len - at < step || memcmp(text + at, steps[i].text, step) != 0)
				return false;
			at += step;
			value -= steps[i].value;
		}
	}
	return at == len;
}

/* The length of the Roman numeral that the word begins with, 0 when there is none. */
static size_t normalize_roman_parse(const char *word, size_t len, unsigned *value)
{
	size_t n = 0;
	unsigned sum = 0;

	while (n < len && normalize_roman_digit(word[n]))
		++n;
	if (n == 0 || n > 15)
		return 0;
	for (size_t i = 0; i < n; ++i) {
		unsigned digit = normalize_roman_digit(word[i]);
		unsigned after = i + 1 < n ? normalize_roman_digit(word[i + 1]) : 0;

		sum = digit < after ? sum - digit : sum + digit;
	}
	*value = sum;
	return sum > 0 && sum < 4000 && normalize_roman_is_canonical(sum, word, n) ? n : 0;
}

static size_t normalize_roman_end(struct normalizer *n, size_t next)
{
	/* "Ludwig XIV. baute": the dot belongs to the numeral and may also end the sentence */
	if (!n->language->ordinals || !token_is(n, next, '.'))
		return next;
	if (token_at(n, next + 1)->kind == TOKEN_END)
		return next;
	return next + 1;
}

/* "XIXe siècle" */
static size_t normalize_roman_read_marked(struct normalizer *n, size_t i, unsigned value,
					  size_t len)
{
	const struct token *token = token_at(n, i);
	size_t rest = token_len(n, i) - len;

	if (len == 1 && !strchr("IVX", n->text[token->begin]))
		return 0; /* "De", "Les" */
	for (const struct ordinal_mark *mark = n->reading->roman_marks; mark && mark->written;
	     ++mark) {
		if (reading_lists(mark->written, n->text + token->begin + len, rest)) {
			normalize_write_number(n, mark->key, value);
			return i + 1;
		}
	}
	return 0;
}

/* Whether a name precedes: a capitalised word that is not an acronym. */
static bool normalize_roman_follows_name(const struct normalizer *n, size_t i, bool is_single)
{
	const struct token *before = token_before(n, i);
	size_t name = (size_t)(before - n->tokens);

	if (before->kind != TOKEN_WORD || !(before->flags & TOKEN_CAPITAL) ||
	    before->flags & TOKEN_UPPER || token_at(n, i - 1)->kind != TOKEN_BLANK)
		return false;
	if (is_single)
		return token_listed(n, name, n->reading->names);
	return before->end - before->begin > 2;
}

/* "Friedrich der Zweite", "unter Katharina der Zweiten" */
static const char *normalize_roman_template_of_name(const struct normalizer *n, size_t name)
{
	const struct reading_rules *reading = n->reading;
	bool is_feminine =
		reading->roman_name_feminine && token_listed(n, name, reading->feminine_names);

	if (reading->roman_name_dative &&
	    normalize_write_key_between(n, reading->datives, name, 0, '\0') == '3')
		return is_feminine ? reading->roman_name_feminine_dative
				   : reading->roman_name_dative;
	return is_feminine ? reading->roman_name_feminine : reading->roman_name;
}

static void normalize_roman_say_name_number(struct normalizer *n, size_t i, unsigned value)
{
	const struct reading_rules *reading = n->reading;
	size_t name = (size_t)(token_before(n, i) - n->tokens);
	struct place_value place = {
		.name = "n",
		.number = value,
		.key = normalize_write_key_between(n, reading->ordinals, i, i + 1, 'o'),
	};

	if (reading->roman_ordinal_max && value > reading->roman_ordinal_max) {
		normalize_write_number(n, 'c', value);
		return;
	}
	normalize_write_template(n, normalize_roman_template_of_name(n, name), &place, 1);
}

/* "Robert V. Smith" */
static bool normalize_roman_is_initial(const struct normalizer *n, size_t i)
{
	return !n->language->ordinals && token_is(n, i + 1, '.') &&
	       token_at(n, i + 2)->kind == TOKEN_BLANK && token_is_word(n, i + 3) &&
	       token_at(n, i + 3)->flags & TOKEN_CAPITAL && !token_dot_ends_sentence(n, i + 2);
}

size_t normalize_roman_read(struct normalizer *n, size_t i)
{
	const struct token *token = token_at(n, i);
	size_t dot = token_is(n, i + 1, '.') && n->language->ordinals ? i + 2 : i + 1;
	unsigned value;
	size_t len;
	char key;

	if (!(token->flags & TOKEN_CAPITAL) || n->shouts)
		return 0;
	len = normalize_roman_parse(n->text + token->begin, token_len(n, i), &value);
	if (len == 0 || (token_is(n, i + 1, '-') && token_is_digits(n, i + 2)))
		return 0; /* "Model X-200" */
	if (len < token_len(n, i) &&
	    !normalize_word_is_possessive(n->text + token->begin + len, token_len(n, i) - len))
		return normalize_roman_read_marked(n, i, value, len);
	if (len == 1 && (!strchr("IVX", n->text[token->begin]) || normalize_roman_is_initial(n, i)))
		return 0; /* "group C" */
	key = normalize_write_key_between(n, n->reading->romans, i, dot, '\0');
	if (key == '*')
		key = normalize_write_key_between(n, n->reading->ordinals, i, dot, 'o');
	if (key)
		normalize_write_number(n, key, value);
	else if (n->reading->roman_name && normalize_roman_follows_name(n, i, len == 1))
		normalize_roman_say_name_number(n, i, value);
	else
		return 0;
	if (len < token_len(n, i))
		normalize_write_text(n, "'s");
	return normalize_roman_end(n, i + 1);
}
