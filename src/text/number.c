/*
 * number.c: numbers as words (see number.h).
 */
#include "text/number.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* A number of eighteen digits needs a dozen levels; more is an error in a table. */
#define DEPTH_MAX 40

struct number_speller {
	struct buf *out;
	const struct number_set *sets;
};

static const struct number_set *number_set_of(const struct number_set *sets, char key)
{
	for (const struct number_set *set = sets; set->key; ++set) {
		if (set->key == key)
			return set;
	}
	return key == 'c' ? NULL : number_set_of(sets, 'c');
}

static const struct number_rule *number_rule_of(const struct number_set *set, uint64_t n)
{
	const struct number_rule *rule = set->rules;

	while (rule[1].base != NUMBER_RULES_END && rule[1].base <= n)
		++rule;
	return rule;
}

static uint64_t number_divisor_of(const struct number_rule *rule)
{
	uint64_t power = 1;

	if (rule->divisor)
		return rule->divisor;
	while (power <= rule->base / 10)
		power *= 10;
	return power;
}

static int number_say_by_set(const struct number_speller *speller, const struct number_set *set,
			     uint64_t n, unsigned depth);

/* The set named in "<x<", or the same set for "<<"; moves past it. */
static const struct number_set *number_named_set(const struct number_speller *speller,
						 const struct number_set *set, const char **text)
{
	char sign = **text;
	char key = (*text)[1];

	if (key == sign) {
		*text += 2;
		return set;
	}
	assert((*text)[2] == sign);
	*text += 3;
	return number_set_of(speller->sets, key);
}

static int number_say_rule(const struct number_speller *speller, const struct number_set *set,
			   const struct number_rule *rule, uint64_t n, unsigned depth)
{
	uint64_t divisor = number_divisor_of(rule);
	uint64_t rest = n % divisor;
	const char *text = rule->text;
	int err = 0;

	while (*text && !err) {
		const struct number_set *named;

		switch (*text) {
		case '[':
			++text;
			/* skips to the alternative for no remainder, if there is one */
			if (rest == 0)
				text += strcspn(text, "|]") + (text[strcspn(text, "|]")] == '|');
			break;
		case '|':
			text = strchr(text, ']');
			break;
		case ']':
			++text;
			break;
		case '<':
			named = number_named_set(speller, set, &text);
			err = number_say_by_set(speller, named, n / divisor, depth);
			break;
		case '>':
			named = number_named_set(speller, set, &text);
			err = number_say_by_set(speller, named, rest, depth);
			break;
		case '=':
			named = number_named_set(speller, set, &text);
			err = number_say_by_set(speller, named, n, depth);
			break;
		default: {
			size_t plain = strcspn(text, "[]<>=|");

			err = buf_append(speller->out, text, plain);
			text += plain;
		}
		}
	}
	return err;
}

static int number_say_by_set(const struct number_speller *speller, const struct number_set *set,
			     uint64_t n, unsigned depth)
{
	if (depth == 0)
		return ELOOP;
	if (!set)
		return ENOENT;
	return number_say_rule(speller, set, number_rule_of(set, n), n, depth - 1);
}

int number_say(struct buf *out, const struct number_set *sets, char key, uint64_t n)
{
	struct number_speller speller = {.out = out, .sets = sets};

	return number_say_by_set(&speller, number_set_of(sets, key), n, DEPTH_MAX);
}
