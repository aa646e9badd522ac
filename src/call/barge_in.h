/*
 * barge_in.h: decides whether a caller who is heard while the agent speaks interrupts it.
 *
 * A cough, "mm-hm" or the echo of the agent's own voice must not interrupt, a sentence must, quickly.
 * Frames of HEARING_FRAME samples are judged as they arrive: the agent becomes quieter at the first sign
 * of speech (DUCK), and is cut off when enough of it was heard, or a word that is not a mere
 * acknowledgement (CUT); if the speech ends before that, the agent becomes loud again (RESUME).
 *
 *   speech      ____██_█__________▁███████████████████
 *                    ┊     ┊       ┊       ┊
 *   verdicts       DUCK  RESUME  DUCK     CUT
 *
 * Pure: no clock, no allocation.
 */
#ifndef CALL_BARGE_IN_H
#define CALL_BARGE_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum barge_in_verdict { BARGE_IN_NOTHING, BARGE_IN_DUCK, BARGE_IN_RESUME, BARGE_IN_CUT };

/* One frame of 32 ms. */
struct barge_in_frame {
	uint8_t probability; /* of speech, times 255 */
	/* Of the caller; see intonation_of_frame in audio/intonation.h. */
	float level_db, brightness_db, voicing;
	/* The loudest level of the agent in the last half second as it was sent, which is what an echo
	 * could be of; -120: it is silent. */
	float agent_level_db;
};

struct barge_in {
	bool is_ducked;
	bool is_cut; /* until barge_in_rest */
	/* The attempt: what was heard without a gap that is long enough to end it. */
	unsigned speech_ms; /* without gaps */
	unsigned voiced_ms; /* of it, what has a pitch */
	unsigned bright_ms; /* of it, what is not a hum: open vowels, and hisses */
	unsigned gap_ms; /* since the last frame of speech */
	unsigned gaps_ms; /* all before it */
	/* The loudest frame of this or the last attempt: its level, how far it was above what an echo can
	 * be, and above the agent. */
	float peak_db, excess_db, ratio_db;
	/* Words can arrive after the end of the attempt: whether there was one that was long enough to
	 * contain a word, and for how long it has been over. */
	bool was_speech;
	unsigned since_ms;
	/* Estimates of the echo: how much weaker the caller's side is than the agent's while only the
	 * agent speaks; and of the caller's background noise. */
	float echo_db;
	float noise_db;
	/* The loudest possible echo since the estimate was last lowered, and for how long that is. */
	float window_db;
	unsigned window_ms;
};

/* For a call, at its beginning. */
void barge_in_init(struct barge_in *barge_in);

/* The agent begins to speak: attempts are forgotten, estimates are kept. */
void barge_in_rest(struct barge_in *barge_in);

/* Takes the next frame, while the agent can be heard. */
enum barge_in_verdict barge_in_frame(struct barge_in *barge_in, const struct barge_in_frame *frame);

/* Takes words that were recognized while the agent speaks.  `spoken` is what the agent has said lately:
 * words that are mostly contained in it, in the same order, are its echo.  `ignored` are the terms that
 * do not interrupt, each ended by a NUL, the last one followed by another NUL; compared without regard
 * to case, punctuation, blanks and repeated letters ("Mmm-hmm" is "mhm").  Words without any speech in
 * the last two seconds are stale and do nothing. */
enum barge_in_verdict barge_in_words(struct barge_in *barge_in, const char *words, size_t len,
				     const char *spoken, size_t spoken_len, const char *ignored);

/* The terms that are ignored by default in a language (a code such as "en"; "" and languages without
 * terms of their own: English), in the format of barge_in_words. */
const char *barge_in_default_terms(const char *language);

#endif
