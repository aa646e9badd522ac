/*
 * barge_in.c: see barge_in.h.
 *
 * When is an attempt an interruption?  The recognizer needs longer than a caller is willing to wait, so
 * most decisions are made by sound alone:
 *
 * - A frame counts if the detector is sure of speech and it is louder than the noise and than what the
 *   echo of the agent can be.  A pause of 120 ms ends the attempt; a shorter one is a stop consonant or a
 *   doubt of the detector.
 * - After CUT_MS of it the agent is cut off, if enough frames were bright and enough had a pitch: "mm-hm"
 *   takes up to 450 ms but is a hum through closed lips, while nearly all other words have open vowels or
 *   hisses by then; a cough or a slammed door has no pitch, even if there is speech in the background.
 * - A word of CUT_WORD_MS that passes these tests counts even if a pause follows: "stop" is a sentence.
 * - After CUT_HUM_MS anything is an interruption: acknowledgements are shorter.
 *
 * The echo: its level relative to the agent's falls to the loudest that is heard like speech within a
 * second and a half, so that lines with a good echo canceller become sensitive within a few seconds.  It
 * rises with frames of speech that are not loud enough to be the caller's, and to what was heard when its
 * words turn out to be the agent's own.
 */
#include "call/barge_in.h"

#include <string.h>

#include "base/utf8.h"
#include "call/phrase.h"
#include "text/fold.h"
#include "text/unicode.h"

#define FRAME_MS 32u
#define GAP_MS 120u
#define CUT_MS 256u /* with gaps */
#define CUT_SPEECH_MS 192u /* without them */
#define CUT_WORD_MS 224u /* the same, if nothing follows */
#define CUT_HUM_MS 576u
#define BRIGHT_MS 96u /* of an attempt, to be more than a hum */
#define VOICED_MS 128u /* of an attempt, to be more than a noise */
#define WORD_MS 96u /* of speech, to contain a word */
#define STALE_MS 2000u

/* Probabilities times 255.  The first frame must be surer than those that continue. */
#define SURE 204u /* 0.8: one frame is enough to duck */
#define LIKELY 128u
#define POSSIBLE 90u /* 0.35, within an attempt */

#define VOICED 0.6F
#define BRIGHT_DB (-19.5F)
#define NOISE_MARGIN_DB 6.0F
#define ECHO_MARGIN_DB 4.0F
#define ECHO_LESS_DB 1.0F /* within an attempt: words have weak syllables */
#define ECHO_BRIGHT_DB (-9.0F) /* the brightness of an echo */
#define LEVEL_MIN_DB (-55.0F)
#define AGENT_MIN_DB (-50.0F) /* quieter ones have no echo that can be heard */

#define ECHO_START_DB (-20.0F)
#define ECHO_MIN_DB (-45.0F)
#define ECHO_MAX_DB (-3.0F)
#define ECHO_WINDOW_MS 1500u
#define ECHO_FALL 0.5F /* of the difference, a window */
#define ECHO_RISE 0.25F /* of the difference, a frame */
#define NOISE_START_DB (-60.0F)
#define NOISE_PACE 0.05F

/* Of the words, to be the agent's own; a single one must also be no louder than an echo can be. */
#define ECHO_WORDS_PERCENT 60u
#define ECHO_WORD_DB 12.0F
#define WORDS_MAX 16u
#define SPOKEN_MAX 800u /* bytes of the agent's words: more than half a minute */

void barge_in_init(struct barge_in *barge_in)
{
	*barge_in = (struct barge_in){
		.echo_db = ECHO_START_DB, .window_db = ECHO_MIN_DB, .noise_db = NOISE_START_DB};
	barge_in_rest(barge_in);
}

/* Forgets the attempt. */
static void barge_in_end_attempt(struct barge_in *barge_in)
{
	barge_in->is_ducked = false;
	barge_in->speech_ms = barge_in->voiced_ms = barge_in->bright_ms = 0;
	barge_in->gap_ms = barge_in->gaps_ms = 0;
}

void barge_in_rest(struct barge_in *barge_in)
{
	barge_in_end_attempt(barge_in);
	barge_in->is_cut = barge_in->was_speech = false;
	barge_in->since_ms = 0;
}

/* Learns from a frame that is not the caller's. */
static void barge_in_learn(struct barge_in *barge_in, const struct barge_in_frame *frame)
{
	float ratio = frame->level_db - frame->agent_level_db;

	if (frame->probability < POSSIBLE)
		barge_in->noise_db += NOISE_PACE * (frame->level_db - barge_in->noise_db);
	/* Nothing is learned between the syllables of a caller, who would become an echo. */
	if (!(frame->agent_level_db > AGENT_MIN_DB) || barge_in->speech_ms > 0)
		return;
	if (frame->probability >= LIKELY && ratio > barge_in->echo_db)
		barge_in->echo_db += ECHO_RISE * (ratio - barge_in->echo_db);
	if (frame->probability >= POSSIBLE && ratio > barge_in->window_db)
		barge_in->window_db = ratio;
	barge_in->window_ms += FRAME_MS;
	if (barge_in->window_ms >= ECHO_WINDOW_MS) {
		if (barge_in->window_db < barge_in->echo_db)
			barge_in->echo_db += ECHO_FALL * (barge_in->window_db - barge_in->echo_db);
		barge_in->window_ms = 0;
		barge_in->window_db = ECHO_MIN_DB;
	}
	if (barge_in->echo_db < ECHO_MIN_DB)
		barge_in->echo_db = ECHO_MIN_DB;
	if (barge_in->echo_db > ECHO_MAX_DB)
		barge_in->echo_db = ECHO_MAX_DB;
}

/* Counts a frame of the caller's speech, which is so many decibels above what an echo can be. */
static void barge_in_count(struct barge_in *barge_in, const struct barge_in_frame *frame,
			   float excess)
{
	if (barge_in->speech_ms == 0)
		barge_in->peak_db = -120;
	barge_in->gaps_ms += barge_in->gap_ms;
	barge_in->gap_ms = 0;
	barge_in->speech_ms += FRAME_MS;
	if (frame->voicing >= VOICED)
		barge_in->voiced_ms += FRAME_MS;
	/* What is bright must not be the echo of a bright sound beneath a hum. */
	if (frame->brightness_db > BRIGHT_DB && excess + frame->brightness_db > ECHO_BRIGHT_DB)
		barge_in->bright_ms += FRAME_MS;
	if (frame->level_db > barge_in->peak_db) {
		barge_in->peak_db = frame->level_db;
		barge_in->excess_db = excess;
		barge_in->ratio_db = frame->level_db - frame->agent_level_db;
	}
	if (barge_in->speech_ms >= WORD_MS) {
		barge_in->was_speech = true;
		barge_in->since_ms = 0;
	}
}

/* Whether the attempt has become an interruption. */
static bool barge_in_is_enough(const struct barge_in *barge_in)
{
	unsigned elapsed_ms = barge_in->speech_ms + barge_in->gaps_ms + barge_in->gap_ms;
	unsigned wanted_ms = barge_in->gap_ms > 0 ? CUT_WORD_MS : CUT_SPEECH_MS;

	return barge_in->speech_ms >= CUT_HUM_MS ||
	       (elapsed_ms >= CUT_MS && barge_in->speech_ms >= wanted_ms &&
		barge_in->voiced_ms >= VOICED_MS && barge_in->bright_ms >= BRIGHT_MS);
}

enum barge_in_verdict barge_in_frame(struct barge_in *barge_in, const struct barge_in_frame *frame)
{
	bool is_attempt = barge_in->speech_ms > 0;
	bool was_ducked = barge_in->is_ducked;
	float excess = frame->level_db - frame->agent_level_db - barge_in->echo_db;
	bool is_speech = frame->probability >= (is_attempt ? POSSIBLE : LIKELY) &&
			 frame->level_db > LEVEL_MIN_DB &&
			 frame->level_db > barge_in->noise_db + NOISE_MARGIN_DB &&
			 excess > (is_attempt ? ECHO_LESS_DB : ECHO_MARGIN_DB);

	barge_in->since_ms += barge_in->since_ms < STALE_MS ? FRAME_MS : 0;
	if (barge_in->is_cut)
		return BARGE_IN_NOTHING;
	if (is_speech) {
		barge_in_count(barge_in, frame, excess);
	} else {
		barge_in_learn(barge_in, frame);
		if (!is_attempt)
			return BARGE_IN_NOTHING;
		barge_in->gap_ms += FRAME_MS;
	}
	if (barge_in_is_enough(barge_in)) {
		barge_in->is_cut = true;
		return BARGE_IN_CUT;
	}
	if (barge_in->gap_ms >= GAP_MS) {
		barge_in_end_attempt(barge_in);
		return was_ducked ? BARGE_IN_RESUME : BARGE_IN_NOTHING;
	}
	if (was_ducked || !is_speech ||
	    (frame->probability < SURE && barge_in->speech_ms < 2 * FRAME_MS))
		return BARGE_IN_NOTHING;
	barge_in->is_ducked = true;
	return BARGE_IN_DUCK;
}

/* The letters and digits of a text in the form in which terms are compared: folded, and a run of the same
 * one as one. */
struct barge_in_letters {
	struct phrase text;
	uint32_t letter; /* the last one that was read; 0: the end */
	size_t begin; /* where it is */
	bool is_first; /* of a word */
};

static void barge_in_read(struct barge_in_letters *letters)
{
	struct phrase *text = &letters->text;
	uint32_t last = letters->letter;

	letters->is_first = last == 0;
	while (text->at < text->len) {
		uint32_t c;
		size_t step = utf8_decode(&c, text->text + text->at, text->len - text->at);
		enum unicode_kind kind = unicode_kind(c);

		letters->begin = text->at;
		text->at += step;
		if (unicode_is_letter(kind) || kind == UNICODE_DIGIT) {
			letters->letter = fold_letter(c);
			if (letters->letter != last)
				return;
		} else if (kind != UNICODE_MARK && c != '\'' && c != 0x2019) {
			letters->is_first = true;
			last = 0;
		}
	}
	letters->letter = 0;
	letters->begin = text->len;
	letters->is_first = true;
}

/* Returns the place after a term, or that of the words if the term is not there. */
static size_t barge_in_after(const struct phrase *words, const char *term)
{
	struct barge_in_letters here = {.text = *words};
	struct barge_in_letters wanted = {.text = {term, strlen(term), 0}};

	for (barge_in_read(&wanted); wanted.letter != 0; barge_in_read(&wanted)) {
		barge_in_read(&here);
		if (here.letter != wanted.letter)
			return words->at;
	}
	barge_in_read(&here);
	return here.is_first && here.begin > words->at ? here.begin : words->at;
}

/* Whether the words consist of ignored terms: the longest that fits is taken each time. */
static bool barge_in_is_ignored(const char *words, size_t len, const char *ignored)
{
	struct barge_in_letters rest = {.text = {words, len, 0}};

	barge_in_read(&rest);
	while (rest.letter != 0) {
		struct phrase here = {words, len, rest.begin};
		size_t longest = here.at;

		for (const char *term = ignored; *term; term += strlen(term) + 1) {
			size_t end = barge_in_after(&here, term);

			longest = end > longest ? end : longest;
		}
		if (longest == here.at)
			return false;
		rest = (struct barge_in_letters){.text = {words, len, longest}};
		barge_in_read(&rest);
	}
	return true;
}

/* How many of the words are in what follows this place of the agent's speech, in order, with at most two
 * other words between them, because the recognizer leaves out and invents some. */
static unsigned barge_in_follow(const struct phrase *words, struct phrase spoken)
{
	struct phrase caller = *words;
	struct phrase_word word, other;
	unsigned found = 0, count = 0;

	while (count++ < WORDS_MAX && phrase_next(&caller, &word)) {
		struct phrase look = spoken;

		for (unsigned i = 0; i < 3 && phrase_next(&look, &other); ++i)
			if (word.len == other.len && memcmp(word.text, other.text, word.len) == 0) {
				spoken = look;
				++found;
				break;
			}
	}
	return found;
}

/* Whether the words are those of the agent. */
static bool barge_in_is_echo(const struct barge_in *barge_in, const char *words, size_t len,
			     const char *spoken, size_t spoken_len)
{
	struct phrase caller = {words, len, 0}, count_all = caller;
	struct phrase agent = {spoken, spoken_len, 0};
	struct phrase_word word;
	unsigned count = 0, best = 0;

	while (count < WORDS_MAX && phrase_next(&count_all, &word))
		++count;
	do {
		unsigned found = barge_in_follow(&caller, agent);

		best = found > best ? found : best;
	} while (phrase_next(&agent, &word));
	if (count < 2)
		return best > 0 && barge_in->excess_db < ECHO_WORD_DB;
	return 100 * best >= ECHO_WORDS_PERCENT * count;
}

enum barge_in_verdict barge_in_words(struct barge_in *barge_in, const char *words, size_t len,
				     const char *spoken, size_t spoken_len, const char *ignored)
{
	bool was_ducked = barge_in->is_ducked;
	struct phrase phrase = {words, len, 0};
	struct phrase_word word;
	bool is_echo;

	if (!barge_in->was_speech || barge_in->since_ms >= STALE_MS || !phrase_next(&phrase, &word))
		return BARGE_IN_NOTHING;
	if (spoken_len > SPOKEN_MAX) {
		spoken += spoken_len - SPOKEN_MAX;
		spoken_len = SPOKEN_MAX;
	}
	is_echo = barge_in_is_echo(barge_in, words, len, spoken, spoken_len);
	if (is_echo &&
	    barge_in->ratio_db > barge_in->echo_db) /* also if it is too late for this time */
		barge_in->echo_db =
			barge_in->ratio_db < ECHO_MAX_DB ? barge_in->ratio_db : ECHO_MAX_DB;
	if (barge_in->is_cut)
		return BARGE_IN_NOTHING;
	if (!is_echo && !barge_in_is_ignored(words, len, ignored)) {
		barge_in->is_cut = true;
		return BARGE_IN_CUT;
	}
	barge_in->was_speech = false;
	/* If the caller is still speaking, the agent stays quiet, but these words do not count towards an
	 * interruption. */
	if (!is_echo && barge_in->speech_ms > 0 && barge_in->gap_ms == 0) {
		barge_in->speech_ms = FRAME_MS;
		barge_in->voiced_ms = barge_in->bright_ms = barge_in->gaps_ms = 0;
		return BARGE_IN_NOTHING;
	}
	barge_in_end_attempt(barge_in);
	return was_ducked ? BARGE_IN_RESUME : BARGE_IN_NOTHING;
}
