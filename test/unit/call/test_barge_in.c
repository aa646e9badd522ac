/*
 * Tests of barge_in.c with frames as a detector gives them for speech, hums, echoes and noises.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "call/barge_in.h"

#define FRAME_MS 32u

static const struct barge_in_frame speech = {250, -25, -8, 0.9F, -20};
static const struct barge_in_frame hum = {250, -28, -22, 0.95F, -20};
static const struct barge_in_frame quiet = {3, -70, -2, 0.2F, -20};

/* Gives a frame for this long.  Returns the last verdict that is not NOTHING; *when is its time from the
 * beginning of the first frame to the end of its own. */
static enum barge_in_verdict hear(struct barge_in *barge_in, struct barge_in_frame frame,
				  unsigned ms, unsigned *when)
{
	enum barge_in_verdict last = BARGE_IN_NOTHING;

	for (unsigned at = FRAME_MS; at <= ms; at += FRAME_MS) {
		enum barge_in_verdict verdict = barge_in_frame(barge_in, &frame);

		if (verdict != BARGE_IN_NOTHING) {
			last = verdict;
			if (when)
				*when = at;
		}
	}
	return last;
}

static struct barge_in fresh(void)
{
	struct barge_in barge_in;

	barge_in_init(&barge_in);
	assert_int_equal(hear(&barge_in, quiet, 960, NULL), BARGE_IN_NOTHING);
	return barge_in;
}

static void speech_ducks_at_once_and_cuts_within_300_ms(void **state)
{
	struct barge_in barge_in = fresh();
	unsigned when;

	(void)state;
	assert_int_equal(hear(&barge_in, speech, 64, &when), BARGE_IN_DUCK);
	assert_int_equal(when, 32);
	barge_in = fresh();
	assert_int_equal(hear(&barge_in, speech, 320, &when), BARGE_IN_CUT);
	assert_in_range(when, 250, 300);
	/* once */
	assert_int_equal(hear(&barge_in, speech, 960, &when), BARGE_IN_NOTHING);
	assert_int_equal(hear(&barge_in, quiet, 960, &when), BARGE_IN_NOTHING);
	barge_in_rest(&barge_in);
	assert_int_equal(hear(&barge_in, speech, 960, &when), BARGE_IN_CUT);
}

static void an_uncertain_frame_ducks_with_the_next(void **state)
{
	struct barge_in barge_in = fresh();
	struct barge_in_frame frame = speech;
	unsigned when;

	(void)state;
	frame.probability = 140;
	assert_int_equal(hear(&barge_in, frame, 96, &when), BARGE_IN_DUCK);
	assert_int_equal(when, 64);
}

static void a_short_noise_ducks_and_resumes(void **state)
{
	struct barge_in barge_in = fresh();
	unsigned when;

	(void)state;
	assert_int_equal(hear(&barge_in, speech, 192, NULL), BARGE_IN_DUCK);
	assert_int_equal(hear(&barge_in, quiet, 512, &when), BARGE_IN_RESUME);
	assert_int_equal(when, 128);
	/* Many of them in a row do not add up. */
	for (unsigned i = 0; i < 20; ++i) {
		assert_int_equal(hear(&barge_in, speech, 96, NULL), BARGE_IN_DUCK);
		assert_int_equal(hear(&barge_in, quiet, 128, NULL), BARGE_IN_RESUME);
	}
}

static void a_word_that_is_clearly_one_cuts_although_nothing_follows(void **state)
{
	struct barge_in barge_in = fresh();
	unsigned when;

	(void)state;
	assert_int_equal(hear(&barge_in, speech, 224, NULL), BARGE_IN_DUCK);
	assert_int_equal(hear(&barge_in, quiet, 96, &when), BARGE_IN_CUT);
	assert_int_equal(when, 32);
}

static void a_noise_without_a_pitch_does_not_cut(void **state)
{
	struct barge_in barge_in = fresh();
	struct barge_in_frame cough = speech;

	(void)state;
	cough.voicing = 0.3F; /* the detector may take it for speech */
	assert_int_equal(hear(&barge_in, cough, 416, NULL), BARGE_IN_DUCK);
	assert_int_equal(hear(&barge_in, quiet, 320, NULL), BARGE_IN_RESUME);
}

static void short_gaps_do_not_disarm(void **state)
{
	struct barge_in barge_in = fresh();

	(void)state;
	assert_int_equal(hear(&barge_in, speech, 128, NULL), BARGE_IN_DUCK);
	assert_int_equal(hear(&barge_in, quiet, 96, NULL), BARGE_IN_NOTHING);
	assert_int_equal(hear(&barge_in, speech, 64, NULL), BARGE_IN_CUT);
}

static void a_hum_of_450_ms_does_not_cut_and_a_long_one_does(void **state)
{
	struct barge_in barge_in = fresh();

	(void)state;
	assert_int_equal(hear(&barge_in, hum, 480, NULL), BARGE_IN_DUCK);
	assert_int_equal(hear(&barge_in, quiet, 320, NULL), BARGE_IN_RESUME);
	assert_int_equal(hear(&barge_in, hum, 640, NULL), BARGE_IN_CUT);
}

static void the_agents_echo_neither_ducks_nor_cuts(void **state)
{
	struct barge_in barge_in;
	struct barge_in_frame echo = speech;

	(void)state;
	barge_in_init(&barge_in); /* nothing was learned yet */
	echo.level_db = echo.agent_level_db - 20;
	assert_int_equal(hear(&barge_in, echo, 10000, NULL), BARGE_IN_NOTHING);
	/* and a caller who is louder is still heard */
	assert_int_equal(hear(&barge_in, speech, 320, NULL), BARGE_IN_CUT);
}

static void an_echo_that_becomes_stronger_slowly_is_followed(void **state)
{
	struct barge_in barge_in;
	struct barge_in_frame echo = speech;

	(void)state;
	barge_in_init(&barge_in);
	for (float db = -20; db < -8; db += 2) {
		echo.level_db = echo.agent_level_db + db;
		assert_int_equal(hear(&barge_in, echo, 640, NULL), BARGE_IN_NOTHING);
	}
}

static void without_echo_a_quiet_caller_is_heard_after_some_seconds(void **state)
{
	struct barge_in barge_in;
	struct barge_in_frame whisper = speech;

	(void)state;
	whisper.level_db = -42;
	barge_in_init(&barge_in);
	assert_int_equal(hear(&barge_in, whisper, 640, NULL), BARGE_IN_NOTHING);
	barge_in_init(&barge_in);
	hear(&barge_in, quiet, 5000, NULL);
	assert_int_equal(hear(&barge_in, whisper, 640, NULL), BARGE_IN_CUT);
}

static void loud_noise_that_is_not_speech_does_nothing(void **state)
{
	struct barge_in barge_in = fresh();
	struct barge_in_frame noise = {60, -15, -2, 0.2F, -20};

	(void)state;
	assert_int_equal(hear(&barge_in, noise, 3000, NULL), BARGE_IN_NOTHING);
}

static enum barge_in_verdict words(struct barge_in *barge_in, const char *text, const char *spoken)
{
	return barge_in_words(barge_in, text, strlen(text), spoken, strlen(spoken),
			      barge_in_default_terms("en"));
}

static void a_word_cuts_and_an_acknowledgement_resumes(void **state)
{
	static const char *const ignored[] = {"Mm-hmm.",     "MHM",          "uh-huh",
					      "Yeah, yeah.", "Okay, I see.", "Hmmm",
					      "Oh, right",   "all right…",   "mm hm mm hm"};
	static const char *const words_that_cut[] = {
		"Stop.", "Yeah, but wait", "No.", "okay so", "mhmx", "I", "yeahs"};

	(void)state;
	for (size_t i = 0; i < COUNT(ignored); ++i) {
		struct barge_in barge_in = fresh();

		hear(&barge_in, speech, 192, NULL);
		hear(&barge_in, quiet, 64, NULL);
		if (words(&barge_in, ignored[i], "") != BARGE_IN_RESUME)
			fail_msg("%s", ignored[i]);
	}
	for (size_t i = 0; i < COUNT(words_that_cut); ++i) {
		struct barge_in barge_in = fresh();

		hear(&barge_in, speech, 128, NULL);
		if (words(&barge_in, words_that_cut[i], "") != BARGE_IN_CUT)
			fail_msg("%s", words_that_cut[i]);
		assert_int_equal(words(&barge_in, words_that_cut[i], ""), BARGE_IN_NOTHING);
	}
}

static void words_that_arrive_after_the_speech_still_cut(void **state)
{
	struct barge_in barge_in = fresh();

	(void)state;
	hear(&barge_in, speech, 192, NULL);
	assert_int_equal(hear(&barge_in, quiet, 640, NULL), BARGE_IN_RESUME);
	assert_int_equal(words(&barge_in, "stop", ""), BARGE_IN_CUT);
}

static void stale_words_and_words_without_speech_do_nothing(void **state)
{
	struct barge_in barge_in = fresh();

	(void)state;
	assert_int_equal(words(&barge_in, "stop", ""), BARGE_IN_NOTHING);
	hear(&barge_in, speech, 192, NULL);
	hear(&barge_in, quiet, 2560, NULL);
	assert_int_equal(words(&barge_in, "stop", ""), BARGE_IN_NOTHING);
	hear(&barge_in, speech, 192, NULL);
	assert_int_equal(words(&barge_in, " ...", ""), BARGE_IN_NOTHING);
	assert_int_equal(words(&barge_in, "stop", ""), BARGE_IN_CUT);
}

static void a_caller_who_goes_on_after_an_acknowledgement_cuts(void **state)
{
	struct barge_in barge_in = fresh();

	(void)state;
	hear(&barge_in, speech, 224, NULL);
	assert_int_equal(words(&barge_in, "Okay.", ""), BARGE_IN_NOTHING); /* stays ducked */
	assert_int_equal(hear(&barge_in, speech, 192, NULL), BARGE_IN_NOTHING);
	assert_int_equal(hear(&barge_in, speech, 64, NULL), BARGE_IN_CUT);
}

static void the_agents_own_words_resume_and_teach_the_echo(void **state)
{
	const char *spoken = "Your appointment is on Tuesday, the fourth, at nine. Is that right?";
	struct barge_in barge_in = fresh();
	struct barge_in_frame echo = speech;

	(void)state;
	echo.level_db = echo.agent_level_db - 9;
	assert_int_equal(hear(&barge_in, echo, 128, NULL), BARGE_IN_DUCK);
	assert_int_equal(words(&barge_in, "appointment is on choose day the fourth", spoken),
			 BARGE_IN_RESUME);
	assert_int_equal(hear(&barge_in, echo, 3000, NULL), BARGE_IN_NOTHING);
	/* The same words in another order are the caller's. */
	barge_in = fresh();
	hear(&barge_in, speech, 128, NULL);
	assert_int_equal(words(&barge_in, "right on nine is the Tuesday", spoken), BARGE_IN_CUT);
	/* So is a single one that is far louder than an echo. */
	barge_in = fresh();
	hear(&barge_in, quiet, 3000, NULL);
	hear(&barge_in, speech, 128, NULL);
	assert_int_equal(words(&barge_in, "Tuesday?", spoken), BARGE_IN_CUT);
}

static void every_language_has_terms(void **state)
{
	static const char *const examples[][2] = {
		{"en", "gotcha"}, {"de-DE", "Ach so"}, {"fr", "D’accord"}, {"es", "Vale."},
		{"it", "Capito"}, {"pt_BR", "Tá bom"}, {"nl", "Precies!"}, {"pl", "ROZUMIEM"},
		{"ja", "mm-hm"},  {"", "yeah"}};

	(void)state;
	for (size_t i = 0; i < COUNT(examples); ++i) {
		struct barge_in barge_in = fresh();
		const char *terms = barge_in_default_terms(examples[i][0]);

		hear(&barge_in, speech, 128, NULL);
		hear(&barge_in, quiet, 32, NULL);
		if (barge_in_words(&barge_in, examples[i][1], strlen(examples[i][1]), "", 0,
				   terms) != BARGE_IN_RESUME)
			fail_msg("%s", examples[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(speech_ducks_at_once_and_cuts_within_300_ms),
		cmocka_unit_test(an_uncertain_frame_ducks_with_the_next),
		cmocka_unit_test(a_short_noise_ducks_and_resumes),
		cmocka_unit_test(a_word_that_is_clearly_one_cuts_although_nothing_follows),
		cmocka_unit_test(a_noise_without_a_pitch_does_not_cut),
		cmocka_unit_test(short_gaps_do_not_disarm),
		cmocka_unit_test(a_hum_of_450_ms_does_not_cut_and_a_long_one_does),
		cmocka_unit_test(the_agents_echo_neither_ducks_nor_cuts),
		cmocka_unit_test(an_echo_that_becomes_stronger_slowly_is_followed),
		cmocka_unit_test(without_echo_a_quiet_caller_is_heard_after_some_seconds),
		cmocka_unit_test(loud_noise_that_is_not_speech_does_nothing),
		cmocka_unit_test(a_word_cuts_and_an_acknowledgement_resumes),
		cmocka_unit_test(words_that_arrive_after_the_speech_still_cut),
		cmocka_unit_test(stale_words_and_words_without_speech_do_nothing),
		cmocka_unit_test(a_caller_who_goes_on_after_an_acknowledgement_cuts),
		cmocka_unit_test(the_agents_own_words_resume_and_teach_the_echo),
		cmocka_unit_test(every_language_has_terms),
	};

	return cmocka_run_group_tests_name("call barge_in", tests, NULL, NULL);
}
