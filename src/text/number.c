/*
 * number.c: numbers as words (see number.h).
 */
#include "text/number.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* A number of eighteen digits needs a dozen; more is a mistake in a table. */
#define DEPTH_MAX 40

struct speller {
	struct buf *out;
	const struct number_set *sets;
};

static const struct number_set *set_of(const struct number_set *sets, char key)
{
	for (const struct number_set *set = sets; set->key; ++set) {
		if (set->key == key)
			return set;
	}
	return key == 'c' ? NULL : set_of(sets, 'c');
}

static const struct number_rule *rule_of(const struct number_set *set, uint64_t n)
{
	const struct number_rule *rule = set->rules;

	while (rule[1].base != NUMBER_RULES_END && rule[1].base <= n)
		++rule;
	return rule;
}

static uint64_t divisor_of(const struct number_rule *rule)
{
	uint64_t power = 1;

	if (rule->divisor)
		return rule->divisor;
	while (power <= rule->base / 10)
		power *= 10;
	return power;
}

static int say(const struct speller *speller, const struct number_set *set, uint64_t n,
	       unsigned depth);

/* The set named inside "<x<", or the same one for "<<"; moves past it. */
static const struct number_set *named_set(const struct speller *speller,
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
	return set_of(speller->sets, key);
}

static int say_rule(const struct speller *speller, const struct number_set *set,
		    const struct number_rule *rule, uint64_t n, unsigned depth)
{
	uint64_t divisor = divisor_of(rule);
	uint64_t rest = n % divisor;
	const char *text = rule->text;
	int err = 0;

	while (*text && !err) {
		const struct number_set *named;

		switch (*text) {
		case '[':
			++text;
			if (rest == 0) /* to what stands for nothing, if it is there */
				text += strcspn(text, "|]") + (text[strcspn(text, "|]")] == '|');
			break;
		case '|':
			text = strchr(text, ']');
			break;
		case ']':
			++text;
			break;
		case '<':
			named = named_set(speller, set, &text);
			err = say(speller, named, n / divisor, depth);
			break;
		case '>':
			named = named_set(speller, set, &text);
			err = say(speller, named, rest, depth);
			break;
		case '=':
			named = named_set(speller, set, &text);
			err = say(speller, named, n, depth);
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

static int say(const struct speller *speller, const struct number_set *set, uint64_t n,
	       unsigned depth)
{
	if (depth == 0)
		return ELOOP;
	if (!set)
		return ENOENT;
	return say_rule(speller, set, rule_of(set, n), n, depth - 1);
}

int number_say(struct buf *out, const struct number_set *sets, char key, uint64_t n)
{
	struct speller speller = {.out = out, .sets = sets};

	return say(&speller, set_of(sets, key), n, DEPTH_MAX);
}
