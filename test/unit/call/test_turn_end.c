/*
 * Tests of turn_end.c: which of three kinds of pauses is granted after what was said.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "call/turn_end.h"
#include "call/turn_words.h"

static struct turn_end_clues said(const char *words)
{
	return (struct turn_end_clues){.words = words,
				       .len = strlen(words),
				       .language = "en",
				       .question = "",
				       .model_probability = -1};
}

static struct turn_end_clues answered(const char *question, const char *words)
{
	struct turn_end_clues clues = said(words);

	clues.question = question;
	clues.question_len = strlen(question);
	return clues;
}

static unsigned wait_of(enum turn_end_eagerness eagerness, struct turn_end_clues clues)
{
	const struct turn_end_settings settings = {eagerness, true};

	return turn_end_wait_ms(&settings, &clues);
}

static unsigned normal(struct turn_end_clues clues)
{
	return wait_of(TURN_END_NORMAL, clues);
}

static void check(const char *words, unsigned wait, unsigned min, unsigned max)
{
	if (wait < min || wait > max)
		fail_msg("\"%s\": %u ms", words, wait);
}

static void a_finished_sentence_is_decided_at_the_time_of_its_eagerness(void **state)
{
	static const char *const sentences[] = {
		"I'd like to book a table for two.",
		"My flight was cancelled yesterday.",
		"What time do you open?",
		"What is it for?",
		"I want to speak to a human please",
		"Thank you.",
		"That's it",
		"It starts at 5:30.",
		"The invoice is from 2024.",
		"I live in Berlin.",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(sentences); ++i) {
		check(sentences[i], wait_of(TURN_END_EAGER, said(sentences[i])), 200, 230);
		check(sentences[i], wait_of(TURN_END_NORMAL, said(sentences[i])), 300, 350);
		check(sentences[i], wait_of(TURN_END_PATIENT, said(sentences[i])), 650, 730);
	}
}

static void an_unfinished_clause_is_waited_for(void **state)
{
	static const char *const clauses[] = {
		"I'd like to book a table and",
		"I'd like to book a table for.",
		"my number is",
		"So I was trying to",
		"Um.",
		"I need it because, uh",
		"Hold on.",
		"The problem with the",
		"Well, you know...",
		"I wanted to ask about my,",
		"My name is.",
		"I think that I",
		"To change my booking",
		"If it is broken",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(clauses); ++i) {
		check(clauses[i], wait_of(TURN_END_EAGER, said(clauses[i])), 460, 700);
		check(clauses[i], wait_of(TURN_END_NORMAL, said(clauses[i])), 700, 1200);
		check(clauses[i], wait_of(TURN_END_PATIENT, said(clauses[i])), 1300, 2000);
	}
	check("and", normal(said("I'd like two tickets and")), 1200, 1200);
}

static void every_language_knows_finished_and_unfinished(void **state)
{
	static const char *const pairs[][3] = {
		{"de", "Ich möchte einen Tisch reservieren.", "Ich möchte einen Tisch für"},
		{"de-AT", "Mein Flug wurde gestern storniert.", "Der Flug wurde storniert, weil"},
		{"fr", "Je voudrais réserver une table.", "Je voudrais réserver une table pour le"},
		{"es", "Quiero reservar una mesa.", "Quiero reservar una mesa para"},
		{"it", "Vorrei prenotare un tavolo.", "Vorrei prenotare un tavolo per"},
		{"pt_BR", "Eu queria reservar uma mesa.", "Eu queria reservar uma mesa para"},
		{"nl", "Ik wil een tafel reserveren.", "Ik wil een tafel voor"},
		{"pl", "Chciałbym zarezerwować stolik.", "Chciałbym zarezerwować stolik dla"},
		{"", "I want a table.", "I want a"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(pairs); ++i) {
		struct turn_end_clues done = said(pairs[i][1]), open = said(pairs[i][2]);

		done.language = open.language = pairs[i][0];
		check(pairs[i][1], normal(done), 300, 350);
		check(pairs[i][2], normal(open), 1000, 1200);
	}
}

static void a_language_without_a_table_is_judged_by_its_marks(void **state)
{
	struct turn_end_clues clues = said("予約をお願いします。");

	(void)state;
	clues.language = "ja";
	check("ja", normal(clues), 300, 450);
	clues = said("予約を、");
	clues.language = "jpn";
	check("ja", normal(clues), 700, 1200);
}

static void digits_that_are_dictated_are_waited_for(void **state)
{
	const char *question = "What's your phone number?";
	struct turn_end_clues clues = said("it's 555 12");
	const struct turn_end_settings impatient = {TURN_END_NORMAL, false};

	(void)state;
	check("555", normal(clues), 1200, 1200);
	assert_in_range(turn_end_wait_ms(&impatient, &clues), 300, 350);
	check("5", normal(answered(question, "five five five")), 1200, 1200);
	check("555", normal(answered(question, "555-1234")), 1200, 1200);
	check("B", normal(answered("Can you spell your name?", "B")), 1200, 1200);
	check("b r a", normal(said("b r a")), 1200, 1200);
	check("dot", normal(answered("And your email address?", "john dot")), 1000, 1200);
	check("plan", normal(said("I would like plan B")), 300, 350);
	check("2", normal(said("There were 2.")), 300, 350);
}

static void a_whole_number_that_was_asked_for_is_an_end(void **state)
{
	const char *question = "Sure. What's your phone number?";

	(void)state;
	check("numerals", normal(answered(question, "It's 212 555 1234.")), 300, 350);
	check("words", normal(answered(question, "two one two five five five one two three four")),
	      300, 350);
	check("tens", normal(answered("Your zip code, please.", "nine oh two ten")), 300, 350);
	check("tens", normal(answered("Your zip code, please.", "ninety two ten")), 1200, 1200);
	check("pin", normal(answered("Please tell me your PIN.", "4 7 1 1")), 300, 380);
	check("unasked", normal(said("My number is 212 555 1234.")), 400, 600);
}

static void a_short_answer_to_a_question_is_decided_quickly(void **state)
{
	(void)state;
	check("yes", normal(answered("Shall I book it?", "Yes.")), 200, 250);
	check("no thanks", normal(answered("Anything else? Is that all?", "no thanks")), 200, 250);
	check("sure", wait_of(TURN_END_EAGER, answered("Is Monday fine?", "Sure")), 120, 180);
	check("but", normal(answered("Shall I book it?", "Yes, but")), 1200, 1200);
	check("yes,", normal(answered("Shall I book it?", "Yes,")), 600, 1200);
	check("yes", normal(said("yes")), 300, 400);
	check("yes", normal(answered("What is your name?", "yes")), 300, 460);
}

static void an_open_question_makes_the_agent_a_bit_more_patient(void **state)
{
	unsigned plain = normal(said("It broke yesterday."));
	unsigned open = normal(answered("What happened?", "It broke yesterday."));

	(void)state;
	assert_in_range(open, plain + 20, plain + 150);
	assert_int_equal(open, normal(answered("Tell me about it.", "It broke yesterday.")));
	assert_int_equal(plain, normal(answered("What? Is it broken?", "It broke yesterday.")));
}

static void unknown_words_give_a_middle_value(void **state)
{
	(void)state;
	check("", wait_of(TURN_END_EAGER, said("")), 350, 350);
	check("", wait_of(TURN_END_NORMAL, said("")), 500, 500);
	check("", wait_of(TURN_END_PATIENT, said("?!")), 1000, 1000);
}

static void intonation_shortens_and_lengthens(void **state)
{
	struct turn_end_clues falls = said("I want a table");
	struct turn_end_clues stays, question;

	(void)state;
	falls.has_intonation = true;
	falls.pitch_change = -4;
	falls.energy_change = -8;
	falls.last_syllable_ms = 180;
	stays = falls;
	stays.pitch_change = 1;
	assert_true(normal(falls) < normal(said("I want a table")));
	assert_true(normal(stays) > normal(said("I want a table")));
	question = stays;
	question.words = "What is a table";
	question.len = strlen(question.words);
	assert_true(normal(question) < normal(stays));
	stays.last_syllable_ms = 450;
	assert_in_range(normal(stays), 400, 700);
	falls.last_syllable_ms = 450; /* ends are drawn out, too */
	assert_true(normal(falls) < normal(said("I want a table")));
	stays.pitch_change = stays.energy_change = stays.last_syllable_ms = NAN;
	assert_int_equal(normal(stays), normal(said("I want a table")));
}

static void a_model_dominates(void **state)
{
	struct turn_end_clues clues = said("I want a table for");

	(void)state;
	clues.model_probability = 1;
	check("sure", normal(clues), 300, 400);
	clues = said("I want a table.");
	clues.model_probability = 0;
	check("unsure", normal(clues), 850, 1200);
	clues.model_probability = 7;
	check("too sure", normal(clues), 300, 300);
	clues.model_probability = NAN;
	check("none", normal(clues), 300, 350);
}

static void tables_are_well_formed(void **state)
{
	static const char *const languages[] = {"en", "de", "fr", "es", "it", "pt", "nl", "pl"};

	(void)state;
	for (size_t i = 0; i < COUNT(languages); ++i) {
		const struct turn_words *words = turn_words_find(languages[i]);
		const char *const lists[] = {
			words->open,           words->half_open,   words->fillers,
			words->holds,          words->closers,     words->answers,
			words->interrogatives, words->invitations, words->subordinators,
			words->units,          words->teens,       words->tens,
			words->connectors,     words->spelled,
		};

		for (size_t j = 0; j < COUNT(lists); ++j) {
			assert_null(strstr(lists[j], ",,"));
			assert_null(strstr(lists[j], ", "));
			assert_null(strstr(lists[j], " ,"));
			assert_null(strstr(lists[j], "-")); /* separates words */
			assert_true(strlen(lists[j]) == 0 || lists[j][strlen(lists[j]) - 1] != ',');
			for (const char *c = lists[j]; *c; ++c)
				assert_false(*c >= 'A' && *c <= 'Z');
		}
		assert_true(words->numbers[0].digits > 0);
	}
	assert_null(turn_words_find("xx"));
	assert_null(turn_words_find("e"));
	assert_null(turn_words_find("eng"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_finished_sentence_is_decided_at_the_time_of_its_eagerness),
		cmocka_unit_test(an_unfinished_clause_is_waited_for),
		cmocka_unit_test(every_language_knows_finished_and_unfinished),
		cmocka_unit_test(a_language_without_a_table_is_judged_by_its_marks),
		cmocka_unit_test(digits_that_are_dictated_are_waited_for),
		cmocka_unit_test(a_whole_number_that_was_asked_for_is_an_end),
		cmocka_unit_test(a_short_answer_to_a_question_is_decided_quickly),
		cmocka_unit_test(an_open_question_makes_the_agent_a_bit_more_patient),
		cmocka_unit_test(unknown_words_give_a_middle_value),
		cmocka_unit_test(intonation_shortens_and_lengthens),
		cmocka_unit_test(a_model_dominates),
		cmocka_unit_test(tables_are_well_formed),
	};

	return cmocka_run_group_tests_name("call turn_end", tests, NULL, NULL);
}
