/*
 * match.c: checks whether a reply is what a script expects (see match.h).
 */
#include "match.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-6

static bool match_is_wildcard(const json_t *expected, const char *sign)
{
	return json_is_string(expected) && strcmp(json_string_value(expected), sign) == 0;
}

static bool match_object(const json_t *expected, const json_t *got)
{
	void *i;

	/* jansson's iterators are not const, though they only read. */
	for (i = json_object_iter((json_t *)(uintptr_t)expected); i;
	     i = json_object_iter_next((json_t *)(uintptr_t)expected, i)) {
		const json_t *value = json_object_get(got, json_object_iter_key(i));
		const json_t *wanted = json_object_iter_value(i);

		if (match_is_wildcard(wanted, "-") ? value != NULL
						   : !value || !match_json(wanted, value))
			return false;
	}
	return true;
}

static bool match_list(const json_t *expected, const json_t *got)
{
	if (json_array_size(expected) != json_array_size(got))
		return false;
	for (size_t i = 0; i < json_array_size(expected); ++i) {
		if (!match_json(json_array_get(expected, i), json_array_get(got, i)))
			return false;
	}
	return true;
}

static bool match_is_near(double a, double b)
{
	return fabs(a - b) <= TOLERANCE * fmax(1, fabs(b));
}

bool match_json(const json_t *expected, const json_t *got)
{
	if (match_is_wildcard(expected, "*"))
		return true;
	if (json_is_number(expected))
		return json_is_number(got) &&
		       match_is_near(json_number_value(expected), json_number_value(got));
	if (json_typeof(expected) != json_typeof(got))
		return false;
	if (json_is_object(expected))
		return match_object(expected, got);
	if (json_is_array(expected))
		return match_list(expected, got);
	return json_equal(expected, got) != 0;
}

static const struct match_fact *match_find_fact(const char *name, size_t len,
						const struct match_fact *facts, size_t count)
{
	for (size_t i = 0; i < count; ++i) {
		if (strlen(facts[i].name) == len && memcmp(facts[i].name, name, len) == 0)
			return &facts[i];
	}
	return NULL;
}

static bool match_is_equal(const struct match_fact *fact, const char *value, size_t len,
			   const struct match_fact *facts, size_t count)
{
	const struct match_fact *other = match_find_fact(value, len, facts, count);

	if (fact->text)
		return strlen(fact->text) == len && memcmp(fact->text, value, len) == 0;
	return match_is_near(other ? other->number : strtod(value, NULL), fact->number);
}

static const char *match_describe(const char *word, size_t len, const struct match_fact *fact)
{
	static char line[4096];

	if (!fact)
		snprintf(line, sizeof(line), "no such fact: %.*s", (int)len, word);
	else if (fact->text)
		snprintf(line, sizeof(line), "expected %.*s, got \"%s\"", (int)len, word,
			 fact->text);
	else
		snprintf(line, sizeof(line), "expected %.*s, got %.10g", (int)len, word,
			 fact->number);
	return line;
}

/* Reads the value at the start of `from`, without its quotes; returns what follows it. */
static const char *match_cut_value(const char **value, size_t *len, const char *from)
{
	bool is_quoted = *from == '"';

	*value = from + is_quoted;
	*len = strcspn(*value, is_quoted ? "\"" : " ");
	return *value + *len + (is_quoted && (*value)[*len]);
}

const char *match_facts(const char *words, const struct match_fact *facts, size_t count)
{
	const char *at = words + strspn(words, " ");

	while (*at) {
		size_t name_len = strcspn(at, "= ");
		const struct match_fact *fact = match_find_fact(at, name_len, facts, count);
		const char *value;
		size_t len;
		const char *end =
			match_cut_value(&value, &len, at + name_len + (at[name_len] == '='));

		if (!fact || !match_is_equal(fact, value, len, facts, count))
			return match_describe(at, (size_t)(end - at), fact);
		at = end + strspn(end, " ");
	}
	return NULL;
}
