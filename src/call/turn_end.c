/*
 * turn_end.c: adds up what speaks for and against the end of a turn.
 *
 * Each clue is worth points, which are in one table below.  Their sum is a percentage of certainty: 0
 * points are 50 %, 100 points 100 %, -100 points 0 %.  The certainty is mapped to a time by straight lines
 * between three times for each eagerness: that of an end that is certain, of one that is as likely as not,
 * and of a clause that is not finished.
 *
 *   what was said     The last words are the best clue.  Nothing ends with "and" or "my", whatever it
 *                     sounds like; "is" and "on" are weaker, because they do end some sentences.  The
 *                     punctuation is the recognizer's, which puts a full stop behind nearly everything that
 *                     it is given, so that one is worth little; a comma or a question mark is rarer and
 *                     worth more.
 *   digits, letters   Groups of them are dictated with pauses that sound like ends, so they are open,
 *                     unless the agent asked for a number and enough digits were given.  Ten digits that
 *                     nobody asked for are probably a whole telephone number, but not certainly.
 *   how it was said   A falling pitch and loudness are an end; a level or rising pitch means that more
 *                     follows, unless it is a question, whose pitch may rise.  In recordings 9 % of the
 *                     ends and 39 % of the pauses have a level pitch.  A long last syllable counts only
 *                     if the pitch does not fall: at an end it is long as well (63 % of the ends and 40 %
 *                     of the pauses were longer than 330 ms).  The words count more, because sound alone
 *                     is often wrong on the telephone.
 *   what was asked    "Yes" to a question that can be answered so is a whole turn, and the caller expects
 *                     a quick reaction.  After an open question people think while they speak.
 *   a model           A trained model knows more than all of this; four fifths of the certainty are its.
 *
 * Without words the sound alone decides, from the middle value.
 */
#include "call/turn_end.h"

#include <string.h>

#include "call/phrase.h"
#include "call/turn_words.h"

/* Of a caller who talks for minutes only the last words count. */
#define WORDS_LEN_MAX 1024u

struct turn_end_times {
	unsigned quick_ms; /* a short answer to a question */
	unsigned done_ms, middle_ms, open_ms;
};

static const struct turn_end_times turn_end_times[] = {
	[TURN_END_PATIENT] = {500, 650, 1000, 2000},
	[TURN_END_NORMAL] = {240, 300, 500, 1200},
	[TURN_END_EAGER] = {160, 200, 350, 700},
};

static const struct {
	int content, foreign, stop, question, trailing, open, half_open, subordinate,
		open_question_mark, spelling, whole_number, likely_number, closer, one_word,
		asked_open, falls, stays, lengthened;
} turn_end_points = {
	.content = 80, /* ends with a word that can be the last one */
	.foreign = 40, /* the same, in a language without a table */
	.stop = 20,
	.question = 40,
	.trailing = -150,
	.open = -200, /* not even a full stop and a falling pitch make up for it */
	.half_open = -130,
	.subordinate = -120, /* "To change my booking" has no main clause yet */
	.open_question_mark = -40, /* "What is it for?" */
	.spelling = -200,
	.whole_number = 100, /* all the digits that were asked for */
	.likely_number = 10, /* as many as telephone numbers have, but nobody asked */
	.closer = 40,
	.one_word = -20, /* "Hello" is often followed by more */
	.asked_open = -30,
	.falls = 25,
	.stays = -70,
	.lengthened = -30,
};

#define MODEL_PERCENT 80 /* of the certainty, if there is a model */

/* Semitones, decibels and milliseconds from which intonation counts. */
#define FALLING_PITCH (-1.5F)
#define FALLING_ENERGY (-3.0F)
#define STAYING_PITCH (-0.3F)
#define LONG_SYLLABLE_MS 330.0F

#define PHONE_DIGITS 10u
#define SUBORDINATE_MAX 9u /* words; longer ones have the main clause as well */

/* What the agent's last sentence asks for. */
struct turn_end_question {
	bool is_question, is_open, asks_letters;
	unsigned digits; /* of the number that it asks for; 0: none */
};

/* What is known about the caller's words. */
struct turn_end_reading {
	struct phrase_tail tail;
	struct phrase_word last;
	unsigned count, sentence_count; /* of all words, and of the last sentence */
	bool are_answers; /* all of them */
	bool begins_question;
	bool is_subordinate; /* the last sentence begins like a clause that another one follows */
	/* The digits and letters at the end that are spelled out one after another. */
	unsigned run_words, run_digits;
	bool run_ends_in_tens; /* a unit belongs to it: "twenty one" */
};

static bool turn_end_is_one(const struct phrase_word *word, const char *table)
{
	struct phrase_tail tail = {.len = 0};

	phrase_tail_add(&tail, word);
	return phrase_tail_is(&tail, table);
}

static struct turn_end_question turn_end_question(const struct turn_words *words, const char *text,
						  size_t len)
{
	struct turn_end_question question = {.digits = 0};
	struct phrase phrase = {text, len, 0};
	struct phrase_tail tail = {.len = 0};
	struct phrase_word word;
	bool is_over = true, is_request = false;

	while (phrase_next(&phrase, &word)) {
		phrase_tail_add(&tail, &word);
		if (is_over) { /* only the last sentence is asked; what it asks for may be named before */
			question.is_open = question.is_question = is_request = false;
			is_over = false;
		}
		if (words) {
			question.is_open |= phrase_tail_is(&tail, words->interrogatives);
			is_request |= phrase_tail_is(&tail, words->invitations);
			question.asks_letters |= phrase_tail_is(&tail, words->spelled);
			for (size_t i = 0; words->numbers[i].word; ++i)
				if (phrase_tail_is(&tail, words->numbers[i].word) &&
				    words->numbers[i].digits > question.digits)
					question.digits = words->numbers[i].digits;
		}
		is_over = word.mark == PHRASE_STOP || word.mark == PHRASE_QUESTION;
		question.is_question |= word.mark == PHRASE_QUESTION;
	}
	/* A number is not something to think about. */
	question.is_open =
		question.digits == 0 && (is_request || (question.is_open && question.is_question));
	return question;
}

/* Counts a word that may belong to a number or a name that is spelled out. */
static void turn_end_run(struct turn_end_reading *reading, const struct turn_words *words,
			 const struct phrase_word *word)
{
	bool is_unit = words && turn_end_is_one(word, words->units);
	bool is_tens = words && turn_end_is_one(word, words->tens);
	unsigned digits = word->digits;

	if (is_unit)
		digits = reading->run_ends_in_tens ? 0 : 1;
	else if (is_tens || (words && turn_end_is_one(word, words->teens)))
		digits = 2;
	if (word->is_figure || (digits == 0 && !is_unit && word->letters + word->digits != 1)) {
		reading->run_words = reading->run_digits = 0;
	} else {
		++reading->run_words;
		reading->run_digits += digits;
	}
	reading->run_ends_in_tens = is_tens;
}

static struct turn_end_reading turn_end_read(const struct turn_words *words, const char *text,
					     size_t len)
{
	size_t skipped = len > WORDS_LEN_MAX ? len - WORDS_LEN_MAX : 0;
	struct turn_end_reading reading = {.are_answers = words};
	struct phrase phrase = {text + skipped, len - skipped, 0};
	struct phrase_word word;
	bool is_first = true;

	while (phrase_next(&phrase, &word)) {
		phrase_tail_add(&reading.tail, &word);
		/* The main clause follows after a comma. */
		if (reading.last.mark == PHRASE_TRAILING)
			reading.is_subordinate = false;
		reading.last = word;
		if (words) {
			reading.are_answers &= turn_end_is_one(&word, words->answers);
			if (is_first) {
				reading.begins_question =
					turn_end_is_one(&word, words->interrogatives);
				reading.is_subordinate =
					turn_end_is_one(&word, words->subordinators);
				reading.sentence_count = 0;
			}
		}
		++reading.count;
		++reading.sentence_count;
		is_first = word.mark == PHRASE_STOP || word.mark == PHRASE_QUESTION;
		turn_end_run(&reading, words, &word);
	}
	return reading;
}

/* Whether the words end in something that is spelled out.  "Plan B", "in 2024" and "I want 2" do not,
 * unless that was asked for. */
static bool turn_end_spells(const struct turn_end_reading *reading,
			    const struct turn_end_question *question)
{
	bool is_year = reading->run_words == 1 && reading->last.digits == 4;

	if (reading->run_words == 0)
		return false;
	if (question->digits > 0 || question->asks_letters)
		return true;
	return reading->run_words >= 2 || (reading->run_digits >= 3 && !is_year);
}

/* The points of what was said. */
static int turn_end_lexical(const struct turn_end_settings *settings,
			    const struct turn_words *words, const struct turn_end_reading *reading,
			    const struct turn_end_question *question)
{
	const struct phrase_tail *tail = &reading->tail;
	enum phrase_mark mark = reading->last.mark;
	int points = words ? turn_end_points.content : turn_end_points.foreign;

	if (settings->is_patient_with_spelling && turn_end_spells(reading, question)) {
		if (question->digits > 0 && reading->run_digits >= question->digits)
			return turn_end_points.whole_number;
		if (question->digits == 0 && reading->run_digits >= PHONE_DIGITS)
			return turn_end_points.likely_number;
		return turn_end_points.spelling;
	}
	if (mark == PHRASE_QUESTION)
		points += turn_end_points.question;
	else if (mark == PHRASE_STOP)
		points += turn_end_points.stop;
	else if (mark == PHRASE_TRAILING)
		points += turn_end_points.trailing;
	if (reading->count == 1)
		points += turn_end_points.one_word;
	if (!words)
		return points;
	/* A longer phrase means something else than its last word: "that's it", "hold on". */
	if (phrase_tail_is(tail, words->closers))
		return points + turn_end_points.closer;
	if (phrase_tail_is(tail, words->holds) || phrase_tail_is(tail, words->fillers))
		return points + turn_end_points.open;
	if (settings->is_patient_with_spelling && phrase_tail_is(tail, words->connectors) &&
	    (question->digits > 0 || question->asks_letters))
		return points + turn_end_points.spelling;
	if (phrase_tail_is(tail, words->open))
		return points + (mark == PHRASE_QUESTION ? turn_end_points.open_question_mark
							 : turn_end_points.open);
	if (phrase_tail_is(tail, words->half_open) && mark != PHRASE_QUESTION)
		return points + turn_end_points.half_open;
	/* "To Berlin" is an answer. */
	if (reading->is_subordinate && reading->sentence_count <= SUBORDINATE_MAX &&
	    !question->is_question && mark != PHRASE_QUESTION)
		return points + turn_end_points.subordinate;
	return points;
}

/* The points of how it was said. */
static int turn_end_spoken(const struct turn_end_clues *clues, bool is_question)
{
	int points = 0;

	if (!clues->has_intonation)
		return 0;
	if (clues->pitch_change <= FALLING_PITCH && clues->energy_change <= FALLING_ENERGY)
		return turn_end_points.falls;
	if (clues->pitch_change >= STAYING_PITCH && !is_question)
		points += turn_end_points.stays;
	if (clues->last_syllable_ms >= LONG_SYLLABLE_MS)
		points += turn_end_points.lengthened;
	return points;
}

static unsigned turn_end_time(const struct turn_end_times *times, int percent)
{
	unsigned slow = percent < 50 ? times->open_ms : times->middle_ms;
	unsigned fast = percent < 50 ? times->middle_ms : times->done_ms;

	percent = percent < 0 ? 0 : percent > 100 ? 100 : percent;
	percent = percent < 50 ? percent : percent - 50;
	return slow - (slow - fast) * (unsigned)percent / 50;
}

unsigned turn_end_wait_ms(const struct turn_end_settings *settings,
			  const struct turn_end_clues *clues)
{
	const struct turn_end_times *times = &turn_end_times[settings->eagerness];
	const struct turn_words *words = turn_words_find(clues->language);
	struct turn_end_question question =
		turn_end_question(words, clues->question, clues->question_len);
	struct turn_end_reading reading = turn_end_read(words, clues->words, clues->len);
	bool is_quick = question.is_question && !question.is_open && reading.are_answers &&
			reading.count > 0 && reading.count <= 3 &&
			reading.last.mark != PHRASE_TRAILING;
	int spoken = turn_end_spoken(clues, reading.begins_question ||
						    reading.last.mark == PHRASE_QUESTION);
	int points = 0, percent;

	/* A "yes" that is drawn out is the beginning of something. */
	is_quick &= spoken > turn_end_points.stays + turn_end_points.lengthened;
	if (is_quick)
		points = turn_end_points.whole_number;
	else if (reading.count > 0)
		points = turn_end_lexical(settings, words, &reading, &question);
	if (question.is_open && !is_quick)
		points += turn_end_points.asked_open;
	points += spoken;
	percent = 50 + points / 2;
	percent = percent < 0 ? 0 : percent > 100 ? 100 : percent;
	if (clues->model_probability >= 0) {
		float model = clues->model_probability < 1 ? clues->model_probability : 1;

		percent = (MODEL_PERCENT * (int)(100 * model) + (100 - MODEL_PERCENT) * percent) /
			  100;
		is_quick &= model >= 0.5F;
	}
	return is_quick ? times->quick_ms : turn_end_time(times, percent);
}
