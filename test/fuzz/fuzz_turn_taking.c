/*
 * fuzz_turn_taking.c: any words, valid UTF-8 or not, of a caller and of an agent, and any frames.
 *
 * The first three bytes choose the language, the eagerness and what else is known; the fourth divides the
 * rest into the words of the agent and those of the caller.  The time to wait is always within the limits
 * of the eagerness and the same when it is asked for again.  The caller's bytes are also frames of a call;
 * verdicts are in an order that makes sense.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "call/barge_in.h"
#include "call/turn_end.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* A copy of exactly this size, so that a read past the end is detected. */
static char *copy(const uint8_t *bytes, size_t len)
{
	char *copied = malloc(len ? len : 1);

	assert(copied);
	if (len > 0)
		memcpy(copied, bytes, len);
	return copied;
}

static void check_wait(const struct turn_end_settings *settings, const struct turn_end_clues *clues)
{
	static const unsigned limits[][2] = {[TURN_END_PATIENT] = {400, 2000},
					     [TURN_END_NORMAL] = {200, 1200},
					     [TURN_END_EAGER] = {120, 700}};
	unsigned wait = turn_end_wait_ms(settings, clues);

	assert(wait >= limits[settings->eagerness][0] && wait <= limits[settings->eagerness][1]);
	assert(turn_end_wait_ms(settings, clues) == wait);
}

static void check_verdict(enum barge_in_verdict verdict, bool *is_ducked, bool *is_cut)
{
	assert(verdict == BARGE_IN_NOTHING || !*is_cut);
	assert(verdict != BARGE_IN_DUCK || !*is_ducked);
	assert(verdict != BARGE_IN_RESUME || *is_ducked);
	*is_ducked = verdict == BARGE_IN_DUCK || (*is_ducked && verdict == BARGE_IN_NOTHING);
	*is_cut |= verdict == BARGE_IN_CUT;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static const char *const languages[] = {"",   "en", "de", "fr-CA", "es", "it",
						"pt", "nl", "pl", "ja",    "x"};
	struct turn_end_settings settings;
	struct turn_end_clues clues = {.model_probability = -1};
	struct barge_in barge_in;
	bool is_ducked = false, is_cut = false;
	char *agent, *caller;
	size_t agent_len;

	if (len < 4)
		return 0;
	agent_len = (len - 4) * bytes[3] / 255;
	agent = copy(bytes + 4, agent_len);
	caller = copy(bytes + 4 + agent_len, len - 4 - agent_len);
	settings = (struct turn_end_settings){bytes[1] % 3, bytes[1] & 4};
	clues.language = languages[bytes[0] % (sizeof(languages) / sizeof(*languages))];
	clues.words = caller;
	clues.len = len - 4 - agent_len;
	clues.question = agent;
	clues.question_len = agent_len;
	clues.has_intonation = bytes[2] & 1;
	clues.pitch_change = (float)(bytes[2] >> 4) - 8;
	clues.energy_change = -clues.pitch_change;
	clues.last_syllable_ms = (float)bytes[2] * 3;
	if (bytes[2] & 2)
		clues.model_probability = (float)bytes[2] / 255;
	check_wait(&settings, &clues);
	barge_in_init(&barge_in);
	for (size_t i = 0; i < clues.len; ++i) {
		struct barge_in_frame frame = {(uint8_t)caller[i], (float)-(caller[i] & 63), -10,
					       0.8F, (float)-(int)(i * 7 % 60)};

		check_verdict(barge_in_frame(&barge_in, &frame), &is_ducked, &is_cut);
		if (i % 16 == 15)
			check_verdict(barge_in_words(&barge_in, caller, i, agent, agent_len,
						     barge_in_default_terms(clues.language)),
				      &is_ducked, &is_cut);
		if (is_cut) {
			barge_in_rest(&barge_in);
			is_cut = is_ducked = false;
		}
	}
	free(agent);
	free(caller);
	return 0;
}
