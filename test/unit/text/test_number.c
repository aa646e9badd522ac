/* Numbers as words: the rules' signs, and every language against ICU's spell-out rules. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <unicode/unum.h>
#include <unicode/ustring.h>

#include "base/count.h"
#include "text/language.h"
#include "text/number.h"

#define WORDS_MAX 1024

/* Where we and ICU differ on purpose: both sides are brought to one spelling. */
struct swap {
	const char *from, *to;
};

struct oracle {
	const char *language;
	char key;
	const char *rules; /* ICU's */
	uint64_t least, most; /* what is compared */
	const struct swap *swaps; /* NULL: none */
};

#define ANY 0, UINT64_C(999999999999)

/* A lone one has accents, thousands are followed by a blank as the spelling
 * rules want it, and 1500 is said as people say it. */
static const struct swap dutch[] = {
	{" ", ""},
	{"é", "e"},
	{"elfhonderd", "duizendhonderd"},
	{"twaalfhonderd", "duizendtweehonderd"},
	{"dertienhonderd", "duizenddriehonderd"},
	{"veertienhonderd", "duizendvierhonderd"},
	{"vijftienhonderd", "duizendvijfhonderd"},
	{"zestienhonderd", "duizendzeshonderd"},
	{"zeventienhonderd", "duizendzevenhonderd"},
	{"achttienhonderd", "duizendachthonderd"},
	{"negentienhonderd", "duizendnegenhonderd"},
	{NULL, NULL},
};

static const struct swap english_years[] = {{"oh-", "oh "}, {NULL, NULL}};

/* ICU has the hyphens of the reform of 1990, no s in "deux cents millions", and
 * "cent et unième". */
static const struct swap french[] = {
	{"-et-", " et "},      {"quatre-vingt et ", "quatre-vingt-"},
	{"cent et ", "cent "}, {"mille et ", "mille "},
	{"s mil", " mil"},     {NULL, NULL},
};

/* "tre" has an accent in every compound; "ventun milioni" is as good as ours. */
static const struct swap italian[] = {
	{"é", "e"},
	{"unomil", "unmil"},
	{"uno mil", "un mil"},
	{NULL, NULL},
};

/* Brazil's fourteen. */
static const struct swap portuguese[] = {{"catorze", "quatorze"}, {NULL, NULL}};

static const struct oracle oracles[] = {
	{"de", 'c', "%spellout-numbering", ANY, NULL},
	{"de", 'm', "%spellout-cardinal-neuter", ANY, NULL},
	{"de", 'f', "%spellout-cardinal-feminine", ANY, NULL},
	{"de", 'o', "%spellout-ordinal", 0, 999999, NULL},
	{"de", 'N', "%spellout-ordinal-n", 0, 999999, NULL},
	{"de", 'R', "%spellout-ordinal-r", 0, 999999, NULL},
	{"de", 'y', "%spellout-numbering-year", 0, 9999, NULL},
	{"en", 'c', "%spellout-cardinal", ANY, NULL},
	{"en", 'o', "%spellout-ordinal", ANY, NULL},
	{"en", 'y', "%spellout-numbering-year", 0, 2999, english_years},
	{"es", 'c', "%spellout-numbering", ANY, NULL},
	{"es", 'm', "%spellout-cardinal-masculine", ANY, NULL},
	/* ICU has "doscientos mil" before a feminine noun, the academy "doscientas mil". */
	{"es", 'f', "%spellout-cardinal-feminine", 0, 199999, NULL},
	/* The academy has both "vigesimoprimero" and ICU's two words. */
	{"es", 'o', "%spellout-ordinal-masculine", 30, 99, NULL},
	{"es", 'p', "%spellout-ordinal-feminine", 30, 99, NULL},
	{"fr", 'c', "%spellout-numbering", ANY, french},
	{"fr", 'f', "%spellout-cardinal-feminine", 0, 999999, french},
	{"fr", 'o', "%spellout-ordinal-masculine", 0, 999999, french},
	{"fr", 'p', "%spellout-ordinal-feminine", 0, 999999, french},
	{"it", 'c', "%spellout-numbering", ANY, italian},
	{"it", 'o', "%spellout-ordinal-masculine", 1, 100, NULL},
	{"it", 'p', "%spellout-ordinal-feminine", 1, 100, NULL},
	{"nl", 'c', "%spellout-cardinal", ANY, dutch},
	{"nl", 'o', "%spellout-ordinal", 1, UINT64_C(999999999999), dutch},
	{"pl", 'c', "%spellout-numbering", ANY, NULL},
	{"pl", 'f', "%spellout-cardinal-feminine", 0, 999999999, NULL},
	{"pl", 'n', "%spellout-cardinal-neuter", ANY, NULL},
	{"pl", 'g', "%spellout-cardinal-masculine-genitive", ANY, NULL},
	/* Above a million ICU has an "e" too many. */
	{"pt", 'c', "%spellout-cardinal-masculine", 0, 999999, portuguese},
	{"pt", 'f', "%spellout-cardinal-feminine", 0, 999999, portuguese},
	{"pt", 'o', "%spellout-ordinal-masculine", 0, 299, NULL},
	{"pt", 'p', "%spellout-ordinal-feminine", 0, 299, NULL},
};

/* Replaces each `from` by `to`. */
static void test_number_swap_all(char *words, const char *from, const char *to)
{
	char copy[WORDS_MAX];
	const char *rest = copy;
	const char *at;
	size_t len = 0;

	snprintf(copy, sizeof(copy), "%s", words);
	while ((at = strstr(rest, from))) {
		len += (size_t)snprintf(words + len, WORDS_MAX - len, "%.*s%s", (int)(at - rest),
					rest, to);
		assert_true(len < WORDS_MAX);
		rest = at + strlen(from);
	}
	snprintf(words + len, WORDS_MAX - len, "%s", rest);
}

static void test_number_say_ours(char *words, const char *language, char key, uint64_t n)
{
	const struct language *row = language_find(language);
	struct buf buf;

	buf_init(&buf, WORDS_MAX - 1);
	assert_non_null(row->reading);
	assert_int_equal(number_say(&buf, row->reading->numbers, key, n), 0);
	snprintf(words, WORDS_MAX, "%.*s", (int)buf.len, buf.bytes ? buf.bytes : "");
	buf_reset(&buf);
}

static void test_number_say_theirs(char *words, UNumberFormat *format, uint64_t n)
{
	UErrorCode err = U_ZERO_ERROR;
	UChar wide[WORDS_MAX];

	unum_formatInt64(format, (int64_t)n, wide, COUNT(wide), NULL, &err);
	u_strToUTF8(words, WORDS_MAX, NULL, wide, -1, &err);
	assert_true(U_SUCCESS(err));
	test_number_swap_all(words, "\u00ad", "");
}

static size_t test_number_compare(const struct oracle *oracle, UNumberFormat *format, uint64_t n)
{
	char ours[WORDS_MAX];
	char theirs[WORDS_MAX];

	if (n < oracle->least || n > oracle->most)
		return 0;
	test_number_say_ours(ours, oracle->language, oracle->key, n);
	test_number_say_theirs(theirs, format, n);
	for (const struct swap *swap = oracle->swaps; swap && swap->from; ++swap) {
		test_number_swap_all(ours, swap->from, swap->to);
		test_number_swap_all(theirs, swap->from, swap->to);
	}
	if (strcmp(ours, theirs) == 0)
		return 0;
	print_error("%s %c %ju\n  ours   %s\n  theirs %s\n", oracle->language, oracle->key,
		    (uintmax_t)n, ours, theirs);
	return 1;
}

/* Of every size, the same in each run. */
static uint64_t test_number_scattered(uint64_t *seed)
{
	uint64_t power = 10000;

	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	for (uint64_t zeros = *seed >> 61; zeros > 0; --zeros)
		power *= 10;
	return (*seed >> 8) % power;
}

static size_t test_number_compare_all(const struct oracle *oracle, UNumberFormat *format)
{
	uint64_t seed = 7;
	size_t failed = 0;

	for (uint64_t n = 0; n <= 10000; ++n)
		failed += test_number_compare(oracle, format, n);
	for (uint64_t power = 10000; power < NUMBER_MAX; power *= 10) {
		failed += test_number_compare(oracle, format, power - 1);
		failed += test_number_compare(oracle, format, power);
		failed += test_number_compare(oracle, format, power + 1);
		failed += test_number_compare(oracle, format, 2 * power);
	}
	for (unsigned i = 0; i < 10000; ++i)
		failed += test_number_compare(oracle, format, test_number_scattered(&seed));
	return failed;
}

static UNumberFormat *test_number_open_rules(const struct oracle *oracle)
{
	UErrorCode err = U_ZERO_ERROR;
	UNumberFormat *format = unum_open(UNUM_SPELLOUT, NULL, 0, oracle->language, NULL, &err);
	UChar rules[64];

	u_uastrcpy(rules, oracle->rules);
	unum_setTextAttribute(format, UNUM_DEFAULT_RULESET, rules, -1, &err);
	assert_true(U_SUCCESS(err));
	return format;
}

static void test_numbers_are_said_as_icu_says_them(void **state)
{
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(oracles); ++i) {
		UNumberFormat *format = test_number_open_rules(&oracles[i]);

		failed += test_number_compare_all(&oracles[i], format);
		unum_close(format);
	}
	assert_int_equal(failed, 0);
}

/* No set of any language gets lost in itself or calls one that is not there. */
static void test_number_every_set_says_every_size(void **state)
{
	static const char *const codes[] = {"de", "en", "es", "fr", "it", "nl", "pl", "pt"};

	(void)state;
	for (size_t i = 0; i < COUNT(codes); ++i) {
		const struct reading_rules *reading = language_find(codes[i])->reading;

		assert_non_null(reading);
		for (const struct number_set *set = reading->numbers; set->key; ++set) {
			char words[WORDS_MAX];

			for (uint64_t n = 1; n < NUMBER_MAX / 10; n = n * 10 + n % 7)
				test_number_say_ours(words, codes[i], set->key, n);
			test_number_say_ours(words, codes[i], set->key, NUMBER_MAX);
		}
	}
}

static const struct number_rule plain_rules[] = {
	{0, 0, "none"},        {1, 0, "one"},          {2, 0, "many"},
	{10, 0, "<<ten[+>>]"}, {60, 60, "<< min >x>"}, {NUMBER_RULES_END, 0, NULL},
};
static const struct number_rule other_rules[] = {
	{0, 0, "even"},
	{1, 0, "=c= more"},
	{NUMBER_RULES_END, 0, NULL},
};
static const struct number_rule endless_rules[] = {
	{0, 0, "=l="},
	{NUMBER_RULES_END, 0, NULL},
};
static const struct number_set plain_sets[] = {
	{'c', plain_rules},
	{'x', other_rules},
	{'l', endless_rules},
	{0, NULL},
};

static void test_number_a_rule_names_quotient_rest_and_other_sets(void **state)
{
	static const struct {
		char key;
		uint64_t n;
		const char *words;
	} rows[] = {
		{'c', 0, "none"},
		{'c', 9, "many"},
		{'c', 10, "oneten"},
		{'c', 21, "manyten+one"},
		{'c', 120, "many min even"},
		{'c', 61, "one min one more"},
		{'x', 10, "oneten more"},
		{'z', 1, "one"}, /* no such set: c */
	};
	struct buf buf;

	(void)state;
	buf_init(&buf, WORDS_MAX);
	for (size_t i = 0; i < COUNT(rows); ++i) {
		buf_consume(&buf, buf.len);
		assert_int_equal(number_say(&buf, plain_sets, rows[i].key, rows[i].n), 0);
		assert_int_equal(buf.len, strlen(rows[i].words));
		assert_memory_equal(buf.bytes, rows[i].words, buf.len);
	}
	buf_reset(&buf);
}

static void test_number_rules_that_never_end_are_refused(void **state)
{
	struct buf buf;

	(void)state;
	buf_init(&buf, WORDS_MAX);
	assert_int_equal(number_say(&buf, plain_sets, 'l', 5), ELOOP);
	buf_reset(&buf);
}

static void test_number_a_full_buffer_is_told(void **state)
{
	struct buf buf;

	(void)state;
	buf_init(&buf, 5);
	assert_int_equal(number_say(&buf, plain_sets, 'c', 21), ENOBUFS);
	buf_reset(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_number_a_rule_names_quotient_rest_and_other_sets),
		cmocka_unit_test(test_number_rules_that_never_end_are_refused),
		cmocka_unit_test(test_number_a_full_buffer_is_told),
		cmocka_unit_test(test_number_every_set_says_every_size),
		cmocka_unit_test(test_numbers_are_said_as_icu_says_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
