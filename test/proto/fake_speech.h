/*
 * fake_speech.h: the tone engine behind struct speech, without a process.
 *
 * A chunk is hummed at once into a store; the test decides when its samples
 * come, how many, and whether it ends well.
 */
#ifndef PROTO_FAKE_SPEECH_H
#define PROTO_FAKE_SPEECH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "speech/speech.h"

/* Engine time that every chunk is said to have taken. */
#define FAKE_SPEECH_BUSY_US 5000

enum fake_ending {
	FAKE_WORKS,
	FAKE_FAILS, /* after `ending_after` samples of the chunk */
	FAKE_UNAVAILABLE, /* before the first */
	FAKE_REFUSES, /* the job is not even taken */
};

/* What was asked for last. */
struct fake_asked {
	char *text; /* as the engine gets it */
	char *text_before;
	char ipa[64]; /* of the first place that has phonemes */
	char language[8];
	int64_t voice_id;
	float speed;
	float temperature;
	uint64_t seed;
	bool first;
};

struct fake_speech {
	struct speech speech;
	void *engine;
	struct list running; /* struct speech_job: one of each speaker */
	size_t running_max;
	struct fake_asked asked;
	size_t jobs; /* so far */
	size_t cancelled;
	size_t holds; /* how often a job was held or let go on */
	size_t yielded; /* jobs that were told to, or asked for so */
	bool is_manual; /* samples come only when told */
	bool has_own_speed;
	bool reads_phonemes;
	enum fake_ending ending;
	uint64_t ending_after;
};

int fake_speech_open(struct fake_speech *fake);
void fake_speech_close(struct fake_speech *fake);

/* Lets each job that runs, by turns and unless it is held, give so many samples
 * at most, and its end when it comes to it; with `text` only those that speak
 * that.  True when anything happened. */
bool fake_speech_give(struct fake_speech *fake, uint64_t samples, const char *text);
size_t fake_speech_held(const struct fake_speech *fake); /* jobs */

#endif
