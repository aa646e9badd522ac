/*
 * reading.h: how a language says what is written in figures and signs.
 *
 * There is one row per language, in language_XX.c, which contains everything specific to
 * that language. docs/text.md explains how to add to it.
 *
 * Lists of words are strings with a blank before and after each word, in lower case unless
 * noted otherwise. In a list of spellings (of units, currencies, magnitudes, marks after
 * numbers, words of a time or date) a '_' is an optional blank. Arrays end with an empty row.
 * A NULL pointer means that the language has no such thing.
 *
 * A template is a phrase with placeholders in braces; {x:k} is number x by set k of
 * `numbers`. Sets with a fixed meaning:
 *
 *         c  counting, and the default for missing sets
 *         m  masculine, f feminine, n neuter, before what is counted ("ein", "eine")
 *         o  ordinal ("third"); p the feminine one
 *         y  a year; k a decade ("nineties")
 *         q  a denominator of one part ("third"), Q of several ("thirds"), R of five and
 *            more where the language distinguishes them (Polish)
 *
 * Other keys are specific to a language. In {x:*} the key of an ordinal is determined by its
 * neighbours (ordinals), in times that of an hour (hours).
 */
#ifndef TEXT_READING_H
#define TEXT_READING_H

#include <stdbool.h>
#include <stddef.h>

#include "text/number.h"

/* Which form of a noun is used with a number. */
enum plural_rule {
	PLURAL_TWO, /* one: exactly 1; else many (en de nl es it pt) */
	PLURAL_FRENCH, /* one: below 2, also 1.5; else many */
	PLURAL_POLISH, /* one; few: 2-4, 22-24 but not 12-14; many; part: 2,5 */
};

/* Something that can be counted: a unit, a coin. few and many default to one, part to many. */
struct counted {
	const char *one, *few, *many, *part;
	char key; /* its gender: m, f, n; 0 means c */
	const char *dative; /* the plural after a word of `datives`: "Metern"; NULL: the same */
};

/* "km", "km/h", "%", "°C". `written` lists all spellings, case-sensitively. */
struct measure_unit {
	const char *written;
	struct counted name;
	bool joined; /* only without a blank before it: "5m" is metres, "5 m" is not */
	bool last; /* after a blank only if no word follows: Spanish "ha" is also a verb */
	bool tight; /* said without a blank: "zweimal" */
	const char *per; /* after a '/': "all'ora"; NULL: according to reading_rules.per */
	const char *below; /* its form after a '/': "na godzinę"; NULL: the singular */
	const char *beside; /* only next to a number of these units: the minutes of "1h 30m" */
};

/* Postcodes, whose digits are read one by one. */
struct postcode {
	unsigned digits; /* 0: the language has none */
	const char *before; /* capitals before them: " NY CA "; NULL: none */
	const char *countries; /* joined to them by a hyphen: " D CH "; NULL: none */
	bool letters; /* two capitals follow: "1017 GC Amsterdam" */
	bool after_house; /* after a house number: "Weg 3, 10115 Berlin" */
};

struct currency {
	const char *written; /* signs, codes and words: " € EUR " */
	struct counted name;
	struct counted cent; /* one == NULL: the currency has none */
};

/* "1.2M", "5 Mio.": `written` follows a number, with or without a blank. */
struct magnitude {
	const char *written; /* case-sensitive; includes a final dot */
	struct counted name; /* "million" */
	const char *of; /* before a currency or unit: "de "; NULL: only a blank */
	const char *of_vowel; /* the same before a vowel: "d'" */
	bool money_only; /* only with a currency: "k", "M", "B" are units otherwise */
	uint64_t times; /* 1000: "50k" is said as 50000; 0: said by its name */
	const char *before; /* also before one of these words: "2.3m people"; NULL: none */
};

struct ordinal_mark {
	const char *written; /* after the digits: " st nd rd th " */
	char key;
	/* Words before a number above twelve, or before its sign, after which the mark means
	 * degrees. */
	const char *degrees_after;
};

/* Selects a set by the neighbouring words: lower case, without the dot of an abbreviation. The
 * first row that matches is used; a row with both NULL matches always, and a list of ""
 * matches the absence of a word (the end of the text, a comma). Key '=' is the key of the
 * previous ordinal ("der 3. und 4. Mai"), '*' in `romans` refers to `ordinals`, '-' in
 * `ordinals` means that it is not an ordinal ("1. Open it, 2. close it"). A key of 0 ends the
 * rows. */
struct by_neighbours {
	const char *before; /* NULL: any */
	const char *after; /* NULL: any */
	char key;
	const char *earlier; /* the word before `before`; NULL: any */
};

/* Selects the set of a number by the ending of the noun after it; a lone '*' matches every
 * noun. */
struct by_ending {
	const char *endings; /* " a as ción " */
	const char *except; /* whole words: " día mapa problema "; NULL: none */
	char key;
	const char *one; /* endings after the number 1; NULL: the same */
	const char *words; /* whole nouns that match as well; NULL: none */
	const char *begins; /* required beginnings: " a e st z "; NULL: any */
	bool single; /* only after the number 1: other numbers do not count a "part" */
	bool always; /* regardless of the word before the number */
};

/* A fraction with a name of its own. */
struct fraction {
	unsigned n, d; /* d 0 ends the list */
	const char *alone; /* "one half" */
	const char *mixed; /* after a whole number: " and a half", or "{w:m}einhalb" */
	const char *feminine; /* the same before a feminine noun: " y media"; NULL: the same */
};

enum {
	WHEN_BEFORE_CAPITAL = 1, /* the next word is capitalised */
	WHEN_BEFORE_NUMBER = 2,
	WHEN_AFTER_NUMBER = 4,
	WHEN_AFTER_CAPITAL = 8, /* the previous word is capitalised */
	WHEN_BEFORE_LOWER = 16,
	WHEN_SENTENCE_GOES_ON = 32, /* it is not at the end of the text */
	WHEN_SUFFIX = 64, /* can be the end of a longer word: "Hauptstr." */
	WHEN_AS_WRITTEN = 256, /* not when capitalised: "V." is an initial */
	WHEN_TIGHT = 128, /* a sign directly between two numbers: "1920×1080" */
};

/* `written` includes the dots and is case-sensitive ("Dr." "z.B."); blanks after inner dots
 * are optional. Of several rows for the same word the first whose conditions (all of `when`)
 * hold is used, and of several words the longest. A row in lower case also matches a
 * capitalised word and is then capitalised. */
struct abbreviation {
	const char *written;
	const char *spoken;
	unsigned when;
	const char *after; /* the previous word must be one of these; NULL: any */
};

/* A sign in running text. `when` is WHEN_AFTER_NUMBER and WHEN_BEFORE_NUMBER for a sign
 * between two numbers, 0 for any position. */
struct sign {
	const char *written; /* one character */
	const char *spoken;
	unsigned when;
	const char *after; /* the previous word must be one of these; NULL: any */
};

struct calendar_name {
	const char *spoken; /* in a date */
	const char *written; /* other spellings, without their dots: " jan " */
	const char *in_range; /* "od poniedziałku do piątku"; NULL: as spoken */
};

/* The words of a range, "from 9 to 5"; NULL: none. */
struct range_words {
	const char *from, *to;
	char key; /* of both numbers; 0: as outside of ranges */
};

/* "1420 W. 7th St.": a letter between a house number and its street. */
struct direction {
	const char *written; /* without its dot */
	const char *spoken;
};

enum date_order { DATE_DAY_FIRST, DATE_MONTH_FIRST };

struct reading_rules {
	const struct number_set *numbers;

	/* Decimals and thousands. No-break and thin spaces count as blanks. */
	char decimal; /* '.' or ',' */
	const char *thousands; /* characters that separate thousands: ",", ". '", "  " */
	const char *decimal_word; /* "point" */
	const char *other_decimal_word; /* for '.' where `decimal` is ',' and vice versa */
	/* up to this many decimals are said as one number; 0: always as digits */
	unsigned decimals_as_number;
	const char *minus;
	const char *plus; /* also in phone numbers */
	/* "6.02e23": "times ten to the power of"; NULL: not read as a number */
	const char *exponent;

	/* What is counted. */
	enum plural_rule plural;
	const struct measure_unit *units;
	const char *per; /* "per {u}": after a '/' between two units */
	const char *money_per; /* the same after money; NULL: like per */
	const struct currency *currencies;
	const char *money_cents; /* "{n} {unit} and {c} {cent}" */
	const char *money_only_cents; /* "{c} {cent}" */
	const struct magnitude *magnitudes;
	const struct by_neighbours *cardinals; /* selects the set of a plain number; NULL: c */
	const struct by_ending *agreement; /* with the noun after a number that would use set c */
	const char *no_noun; /* words after a number that are not counted by it: " is and or " */
	const struct by_ending *adjectives; /* before a noun, in languages that capitalise nouns */
	/* The case of the number 1 by the word before it, and the sets of each case and
	 * gender: "3fF" means that the feminine of case 3 is set F. */
	const struct by_neighbours *cases;
	const char *case_keys;
	const struct by_neighbours *datives; /* key 3 before the dative of a unit or a name */
	/* Words after which a quantity describes what follows and its unit is
	 * singular: "a 5 km run", but "5 km of road" (no_noun). */
	const char *describing;
	/* Words that look like possessives but are not: " it's that's ". A real possessive is
	 * treated like `describing` ("NASA's 10 km run"). NULL: the language has no possessive
	 * ending. */
	const char *no_possessive;
	const char *between; /* words that may precede the noun: " other new "; NULL: none */
	const char *or_words; /* "1 ou 2 minutes": " ou "; NULL: numbers do not depend on gender */

	/* Ordinals and fractions. */
	const struct ordinal_mark *ordinal_marks;
	const struct by_neighbours *ordinals; /* for "3." and {x:*} */
	const struct by_neighbours *ordinals_at_end; /* for "3." at the end of the text */
	const struct fraction *fractions;
	const char *fraction; /* "{n:c} {d}"; {d} is set q or Q */
	const char *fraction_mixed; /* "{w:c} and {n:c} {d}" */
	unsigned fraction_max; /* the largest denominator that is read so */
	const char *over; /* "over", for all other fractions: "28/30" */
	const char *rating; /* "out of", when the first number has decimals; NULL: like over */
	const struct by_neighbours *ratings; /* the same between these words, with key r */

	/* Dates: {day} {month} {year}; {,} is a comma if the text has one. */
	enum date_order date_order;
	const char *date_marks; /* between numbers: "/-." */
	const struct calendar_name *months; /* 12 */
	const struct calendar_name *weekdays; /* 7, from Monday */
	const char *date; /* 15/01/2024 */
	const struct by_neighbours *days; /* for {day:*}; NULL: like `ordinals` */
	const char *date_before; /* words before "4/5" that make it a date: " le du " */
	const char *dashed_date_before; /* words before "12-11" that make it a date: " op " */
	const struct by_neighbours *expiries; /* selects "04/27" as a month and a year: key m */
	/* "od 1 do 15 sierpnia": " do "; the first number is said like a day */
	const char *day_links;
	/* spellings after the date that its template already says: " r. roku " */
	const char *date_tail;
	bool short_years; /* "07.09.23" is said with 23, not 2023 */
	const char *date_without_year; /* 15/01, 15.1. */
	const char *date_first; /* the first of "5–7 June": "the {day:o}"; NULL: the number */
	/* for 15 January 2024 and so on */
	const char *date_dmy, *date_mdy, *date_dm, *date_md, *date_my;
	unsigned year_least, year_most; /* the range of numbers that can be a year by themselves */
	/* selects the set of years; without a matching row, a plain number */
	const struct by_neighbours *years;
	const char *decade_marks; /* after the digits: " s 's " */
	/* words before "30s" that make it a decade and not a time; NULL: any */
	const char *decade_before;
	const char *decade; /* "{n:k}" */

	/* Times: {h} {m} {s} {half}. */
	const char *time_marks; /* between hours and minutes: ":h."; '.' only with words */
	const char *time_words; /* after the time, and part of its spoken form: " Uhr h " */
	/* Words before "8.00" that make it a time if it cannot be a day and month: "od 8.00". */
	const char *time_before_maybe;
	const char *time_before; /* words before "6.45" that make it a time: " o godz " */
	const char *hour_words; /* before an hour without minutes: " godz " */
	/* of time_words: alone it counts hours, " h ", except after hour_before */
	const char *hour_unit;
	const char *hour_before; /* words before an hour_unit that make it a time: " um " */
	const char *time_hm, *time_hm_small, *time_h, *time_hms; /* small: 1 to 9 minutes */
	const char *time_h_late; /* for full hours from 13 on, and 0; NULL: like time_h */
	const char *time_h_word; /* for full hours with one of time_words; NULL: like the others */
	const char *time_hm_half, *time_hm_small_half, *time_h_half; /* with AM or PM */
	const char *am, *pm; /* spellings, case-sensitive: " am AM a.m. " */
	const char *am_word, *pm_word; /* templates of {h} */
	const struct by_neighbours *hours; /* for {h:*} */

	/* Ranges. */
	const char *from; /* before the first number; NULL: nothing */
	const char *no_from; /* words after which `from` is omitted: " in tra " */
	const char *to; /* "to" */
	char to_key; /* set of the second number; 0: that of the first */
	struct range_words range_times, range_years, range_days; /* without `to`: as above */
	const char *score; /* "3:2" when it is not a time: "to", "zu"; NULL: a time */
	const char *law_words; /* before "6:162", an article of a law: " art " */
	const char *score_dash; /* "3-1": "" for nothing in between; NULL: like a range */
	/* Sizes of the groups of digits of phone numbers: " 334 34 1334 ". A number that
	 * begins with '+' or is like "030 1234567" is always a phone number. 'w' is a word in
	 * capitals: "1-800-FLOWERS". */
	const char *phone_shapes;
	const char *phone_words; /* before any groups of digits: " tel telefon " */
	const char *digit_words; /* before three digits that are read one by one: " call dial " */
	bool phone_in_pairs; /* "douze, trente-quatre" */
	struct postcode postcode;
	const struct direction *directions; /* of streets */
	const char *street_words; /* after a street's name: " st ave " */

	/* Roman numerals. */
	const char *roman_name; /* after a name: "the {n:o}" */
	unsigned roman_ordinal_max; /* above it {n:c} is used; 0: no limit */
	const char *roman_name_feminine; /* after a name of `feminine_names`; NULL: the same */
	/* For a name after a word of `datives`: "unter Friedrich dem Zweiten"; NULL: the same. */
	const char *roman_name_dative, *roman_name_feminine_dative;
	const char *names; /* names after which a single I, V or X is also a numeral */
	const char *feminine_names;
	const struct by_neighbours *romans; /* selects by chapters, wars, centuries */
	const struct ordinal_mark *roman_marks; /* after the numeral: " e ème " */

	/* Words. */
	const struct abbreviation *abbreviations;
	const char *spelled; /* pronounceable acronyms that are spelled: " USA " */
	const char *said; /* words in capitals that are not spelled: " OK NATO " */
	const struct sign *signs;
	const char *feet; /* 5'10": "{f} foot {i}" */
	bool elides; /* "l'UE": the part before an apostrophe is a separate word */
	const char *gender_endings; /* after an asterisk: "Kund*innen" */
	const char *joined_suffixes; /* "3-mal" is one word, with set j: " mal jährig " */

	/* Addresses, and <spell>. */
	const struct sign *spelled_signs; /* all signs of ASCII */
	const char *space; /* the word for a blank */
	const char *version; /* "version" */
	const char *version_words; /* before a number that is a version: " version python " */
	const char *hashtag; /* "hashtag" */
	const char *domains; /* top-level domains that are spelled: " de at " */
	const char *extensions; /* file extensions, spelled as capitals: " pdf csv " */
};

/* True when the list contains the word. */
bool reading_lists(const char *list, const char *word, size_t len);

#endif
