/*
 * reading.h: how a language says what is written in figures and signs.
 *
 * One row per language, in language_XX.c, and nothing about a language stands
 * anywhere else.  docs/text.md shows how to add to it.
 *
 * Lists of words are strings with a blank before and after each word, in lower
 * case unless said otherwise.  Arrays end with an empty row.  A pointer that is
 * NULL says that the language has no such thing.
 *
 * A template is a phrase with places in braces; {x:k} says number x by set k
 * of `numbers`.  Sets that are asked for by their keys:
 *
 *     c  counting, and whatever has no set of its own
 *     m  masculine, f feminine, n neuter, before what is counted ("ein", "eine")
 *     o  ordinal ("third"); p the feminine one
 *     y  a year; k a decade ("nineties")
 *     q  a denominator of one part ("third"), Q of several ("thirds"), R of five and
 *        more where the language counts so (Polish)
 *
 * Other keys are a language's own.  In {x:*} the key of an ordinal is found by
 * its neighbours (ordinals), in times that of an hour (hours).
 */
#ifndef TEXT_READING_H
#define TEXT_READING_H

#include <stdbool.h>
#include <stddef.h>

#include "text/number.h"

/* Which form of a noun goes with a number. */
enum plural_rule {
	PLURAL_TWO, /* one: exactly 1; else many (en de nl es it pt) */
	PLURAL_FRENCH, /* one: below 2, also 1.5; else many */
	PLURAL_POLISH, /* one; few: 2-4, 22-24 but not 12-14; many; part: 2,5 */
};

/* What can be counted: a unit, a coin.  few and many default to one, part to many. */
struct counted {
	const char *one, *few, *many, *part;
	char key; /* of its gender: m, f, n; 0 is c */
	const char *dative; /* many after a word of `datives`: "Metern"; NULL: the same */
};

/* "km", "km/h", "%", "°C".  `written` lists all spellings, case counts. */
struct unit {
	const char *written;
	struct counted name;
	bool joined; /* only without a blank before it: "5m" but not "5 m" is metres */
	bool last; /* after a blank only where no word follows: Spanish "ha" is a verb too */
	bool tight; /* said without a blank: "zweimal" */
	const char *per; /* after a '/': "all'ora"; NULL: by reading.per */
	const char *below; /* its form there: "na godzinę"; NULL: as one of it */
	const char *beside; /* only next to a number of these: the minutes of "1h 30m" */
};

/* Digits of an address that are read one by one. */
struct postcode {
	unsigned digits; /* 0: there are none */
	const char *before; /* capitals before them: " NY CA "; NULL: none */
	const char *countries; /* bound to them with a hyphen: " D CH "; NULL: none */
	bool letters; /* two capitals behind them: "1017 GC Amsterdam" */
	bool after_house; /* behind a house's number: "Weg 3, 10115 Berlin" */
};

struct currency {
	const char *written; /* signs, codes and words: " € EUR " */
	struct counted name;
	struct counted cent; /* one == NULL: it has none */
};

/* "1.2M", "5 Mio.": `written` after a number, with or without a blank. */
struct magnitude {
	const char *written; /* case counts; a final dot is written */
	struct counted name; /* "million" */
	const char *of; /* before a currency or unit: "de "; NULL: nothing but a blank */
	const char *of_vowel; /* the same before a vowel: "d'" */
	bool money_only; /* "k", "M", "B" are others' units as well */
	uint64_t times; /* 1000: "50k" is said as 50000; 0: by its name */
	const char *before; /* or before one of these: "2.3m people"; NULL: none */
};

struct ordinal_mark {
	const char *written; /* after the digits: " st nd rd th " */
	char key;
	/* Words before a number above twelve, or its sign, that make it one of degrees. */
	const char *degrees_after;
};

/* The set to take between these neighbours: words in lower case, without the
 * dot of an abbreviation.  The first row that fits counts; one with both NULL
 * is for all others, and a list of "" stands for no word at all (the text's
 * end, a comma).  Key '=' is that of the ordinal before ("der 3. und 4. Mai"), '*'
 * in `romans` asks `ordinals`, '-' in `ordinals` says that it is none ("1. Open
 * it, 2. close it").  A key of 0 ends the rows. */
struct by_neighbours {
	const char *before; /* NULL: any */
	const char *after; /* NULL: any */
	char key;
	const char *earlier; /* the word before the one before; NULL: any */
};

/* Before a noun that ends so, the number is said by this set; a lone '*' is
 * for all others. */
struct by_ending {
	const char *endings; /* " a as ción " */
	const char *except; /* whole words: " día mapa problema "; NULL: none */
	char key;
	const char *one; /* endings after the number 1; NULL: the same */
	const char *words; /* or that is one of these; NULL: none */
	const char *begins; /* and that begins so: " a e st z "; NULL: anyhow */
	bool single; /* after the number 1 alone: other numbers count no "part" */
	bool always; /* whatever stands before the number */
};

/* A fraction that has words of its own. */
struct fraction {
	unsigned n, d; /* d 0 ends the list */
	const char *alone; /* "one half" */
	const char *mixed; /* after a whole number: " and a half", or "{w:m}einhalb" */
	const char *feminine; /* the same before such a noun: " y media"; NULL: alike */
};

enum {
	WHEN_BEFORE_CAPITAL = 1, /* the next word has a capital */
	WHEN_BEFORE_NUMBER = 2,
	WHEN_AFTER_NUMBER = 4,
	WHEN_AFTER_CAPITAL = 8, /* the word before has a capital */
	WHEN_BEFORE_LOWER = 16,
	WHEN_SENTENCE_GOES_ON = 32, /* it is not the last thing in the text */
	WHEN_SUFFIX = 64, /* may end a longer word: "Hauptstr." */
	WHEN_AS_WRITTEN = 256, /* not with a first capital: "V." is somebody's initial */
	WHEN_TIGHT = 128, /* a sign right between two numbers: "1920×1080" */
};

/* `written` as it is written, with its dots, case counts ("Dr." "z.B."); blanks
 * after inner dots may be there or not.  Of several rows for the same word the
 * first whose conditions (`when`, all of them) hold is taken, and of several
 * words the longest.  A row in small letters also fits with a first capital,
 * and is then said with one. */
struct abbreviation {
	const char *written;
	const char *spoken;
	unsigned when;
	const char *after; /* the word before it is one of these; NULL: any */
};

/* A sign in running text.  WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER: between two
 * numbers; 0: always. */
struct sign {
	const char *written; /* one character */
	const char *spoken;
	unsigned when;
	const char *after; /* the word before it is one of these; NULL: any */
};

struct month {
	const char *spoken; /* in a date */
	const char *written; /* other spellings, without their dots: " jan " */
	const char *in_range; /* "od poniedziałku do piątku"; NULL: as spoken */
};

/* "from 9 to 5"; NULL: nothing is said. */
struct range_words {
	const char *from, *to;
	char key; /* of both numbers; 0: as elsewhere */
};

/* "1420 W. 7th St.": a letter between a house and its street. */
struct direction {
	const char *written; /* without its dot */
	const char *spoken;
};

enum date_order { DATE_DAY_FIRST, DATE_MONTH_FIRST };

struct reading {
	const struct number_set *numbers;

	/* Decimals and thousands.  NBSP and thin blanks count as blanks. */
	char decimal; /* '.' or ',' */
	const char *thousands; /* characters that part thousands: ",", ". '", "  " */
	const char *decimal_word; /* "point" */
	const char *other_decimal_word; /* for the other of '.' and ',' */
	unsigned decimals_as_number; /* up to so many digits after it are one number; 0: digits */
	const char *minus;
	const char *plus; /* of a phone number too */
	const char *exponent; /* "6.02e23": "times ten to the power of"; NULL: no number */

	/* What is counted. */
	enum plural_rule plural;
	const struct unit *units;
	const char *per; /* "per {u}": what follows a '/' between two units */
	const char *money_per; /* the same after money; NULL: as per */
	const struct currency *currencies;
	const char *money_cents; /* "{n} {unit} and {c} {cent}" */
	const char *money_only_cents; /* "{c} {cent}" */
	const struct magnitude *magnitudes;
	const struct by_neighbours *cardinals; /* which set a plain number takes; NULL: c */
	const struct by_ending *agreement; /* with a noun in the text, where it is set c */
	const char *no_noun; /* words after a number that it does not count: " is and or " */
	const struct by_ending *adjectives; /* before a noun, where nouns have capitals */
	/* The case of a one by the word before it, and the sets of each case and
	 * gender: "3fF" says that the feminine of case 3 is set F. */
	const struct by_neighbours *cases;
	const char *case_keys;
	const struct by_neighbours *datives; /* before the dative of a unit or a name, key 3 */
	/* Words after which a quantity describes what follows and its unit is
	 * singular: "a 5 km run", but "5 km of road" (no_noun). */
	const char *describing;
	/* Behind a possessive too ("NASA's 10 km run"), but for these: " it's that's ";
	 * NULL: the language has no such endings. */
	const char *no_possessive;
	const char *between; /* words that may stand before the noun: " other new "; NULL: none */
	const char *or_words; /* "1 ou 2 minutes": " ou "; NULL: genders are alike */

	/* Ordinals and fractions. */
	const struct ordinal_mark *ordinal_marks;
	const struct by_neighbours *ordinals; /* for "3." and {x:*} */
	const struct by_neighbours *ordinals_at_end; /* for "3." with nothing behind it */
	const struct fraction *fractions;
	const char *fraction; /* "{n:c} {d}"; {d} is set q or Q */
	const char *fraction_mixed; /* "{w:c} and {n:c} {d}" */
	unsigned fraction_max; /* largest denominator read so */
	const char *over; /* "over", for all others: "28/30" */
	const char *rating; /* "out of", where the first has decimals; NULL: as over */
	const struct by_neighbours *ratings; /* or between these, key r */

	/* Dates: {day} {month} {year}; {,} is the comma if there is one. */
	enum date_order date_order;
	const char *date_marks; /* between numbers: "/-." */
	const struct month *months; /* 12 */
	const struct month *weekdays; /* 7, from Monday */
	const char *date; /* 15/01/2024 */
	const struct by_neighbours *days; /* for {day:*}; NULL: as `ordinals` */
	const char *date_before; /* words that make "4/5" a date: " le du " */
	const char *dashed_date_before; /* and "12-11": " op " */
	const struct by_neighbours *expiries; /* "04/27" is a month and its year: key m */
	const char *day_links; /* "od 1 do 15 sierpnia": " do "; the first is said like a day */
	const char *date_tail; /* spellings after it that it says already: " r. roku " */
	bool short_years; /* "07.09.23" is said with 23, not 2023 */
	const char *date_without_year; /* 15/01, 15.1. */
	const char *date_first; /* the first of "5–7 June": "the {day:o}"; NULL: the number */
	const char *date_dmy, *date_mdy, *date_dm, *date_md, *date_my; /* 15 January 2024, ... */
	unsigned year_least, year_most; /* what may be a year on its own */
	const struct by_neighbours *years; /* for them; the first row that fits, else a number */
	const char *decade_marks; /* after the digits: " s 's " */
	const char *decade_before; /* words that make "30s" one and no time; NULL: any */
	const char *decade; /* "{n:k}" */

	/* Times: {h} {m} {s} {half}. */
	const char
		*time_marks; /* between hours and minutes: ":h."; '.' only with the words below */
	const char *time_words; /* after it, and part of what is said: " Uhr h " */
	/* Before it, where it cannot be a day and its month: "od 8.00". */
	const char *time_before_maybe;
	const char *time_before; /* before it, which make "6.45" a time: " o godz " */
	const char *hour_words; /* before a bare hour: " godz " */
	const char *hour_unit; /* of time_words: alone it counts hours: " h " ... */
	const char *hour_before; /* ... but after these: " um " */
	const char *time_hm, *time_hm_small, *time_h, *time_hms; /* small: 1 to 9 minutes */
	const char *time_h_late; /* full hours from 13 on, and 0; NULL: as time_h */
	const char *time_h_word; /* full hours with one of time_words; NULL: as the others */
	const char *time_hm_half, *time_hm_small_half, *time_h_half; /* with AM or PM */
	const char *am, *pm; /* spellings, in any case: " am a.m. " */
	const char *am_word, *pm_word; /* templates of {h} */
	const struct by_neighbours *hours; /* for {h:*} */

	/* Ranges. */
	const char *from; /* before the first number; NULL: nothing */
	const char *no_from; /* words after which it is not said: " in tra " */
	const char *to; /* "to" */
	char to_key; /* set of the number after it; 0: as before it */
	struct range_words range_times, range_years, range_days; /* without `to`: as above */
	const char *score; /* "3:2", where it is no time: "to", "zu"; NULL: a time */
	const char *law_words; /* before "6:162", an article of a book: " art " */
	const char *score_dash; /* "3-1": "" says nothing between; NULL: as a range */
	/* Sizes of the groups of digits that make a phone number: " 334 34 1334 ".
	 * What begins with '+' is one anyway, and so is "030 1234567".  A 'w' is a word
	 * in capitals: "1-800-FLOWERS". */
	const char *phone_shapes;
	const char *phone_words; /* before any groups of digits: " tel telefon " */
	const char *digit_words; /* before three digits read one by one: " call dial " */
	bool phone_in_pairs; /* "douze, trente-quatre" */
	struct postcode postcode;
	const struct direction *directions; /* of streets */
	const char *street_words; /* behind a street's name: " st ave " */

	/* Roman numerals. */
	const char *roman_name; /* after a name: "the {n:o}" */
	unsigned roman_ordinal_max; /* above it {n:c}; 0: no limit */
	const char *roman_name_feminine; /* after a name of `feminine_names`; NULL: the same */
	/* Of a name after a word of `datives`: "unter Friedrich dem Zweiten"; NULL: the same. */
	const char *roman_name_dative, *roman_name_feminine_dative;
	const char *names; /* after which a single I, V or X is a numeral too */
	const char *feminine_names;
	const struct by_neighbours *romans; /* chapters, wars, centuries; the first that fits */
	const struct ordinal_mark *roman_marks; /* after the numeral: " e ème " */

	/* Words. */
	const struct abbreviation *abbreviations;
	const char
		*spelled; /* acronyms read letter by letter although they could be said: " USA " */
	const char *said; /* and capitals that are words: " OK NATO " */
	const struct sign *signs;
	const char *feet; /* 5'10": "{f} foot {i}" */
	bool elides; /* "l'UE": what stands before an apostrophe is a word of its own */
	const char *gender_endings; /* after a star: "Kund*innen" */
	const char *joined_suffixes; /* "3-mal" is one word, said with set j: " mal jährig " */

	/* Addresses, and <spell>. */
	const struct sign *spelled_signs; /* every sign of ASCII */
	const char *space; /* the word for a blank */
	const char *version; /* "version" */
	const char *version_words; /* before a number that is one: " version python " */
	const char *hashtag; /* "hashtag" */
	const char *domains; /* top-level ones read letter by letter: " de at " */
	const char *extensions; /* of files, spelled as capitals: " pdf csv " */
};

/* In spellings a '_' stands for a blank that may be there or not. */

/* True when the list holds the word. */
bool reading_lists(const char *list, const char *word, size_t len);

#endif
