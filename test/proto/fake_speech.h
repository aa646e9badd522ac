/*
 * fake_speech.h: a struct speech that runs the tone engine in this process.
 *
 * All samples of a chunk are made at once and kept; the test decides when and how many of them are
 * delivered, and how the job ends.
 */
#ifndef PROTO_FAKE_SPEECH_H
#define PROTO_FAKE_SPEECH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "speech/speech.h"

/* The engine time that is reported for every chunk. */
#define FAKE_SPEECH_BUSY_US 5000

enum fake_ending {
	FAKE_WORKS,
	FAKE_FAILS, /* the job fails after `ending_after` samples of the chunk */
	FAKE_UNAVAILABLE, /* the job ends with SPEECH_UNAVAILABLE before the first sample */
	FAKE_REFUSES, /* the job cannot be started */
};

/* The last request. */
struct fake_asked {
	char *text; /* as the engine receives it */
	char *text_before;
	char ipa[64]; /* the phonemes of the first word that has some */
	char language[8];
	int64_t voice_id;
	float speed;
	float temperature;
	uint64_t seed;
	bool first;
};

/* How many turns may have started a job and not ended yet. */
#define FAKE_SPEECH_TURNS_MAX 64

struct fake_speech {
	struct speech speech;
	void *engine;
	struct list running; /* struct speech_job: at most one of each turn */
	size_t running_max;
	struct fake_asked asked;
	size_t jobs; /* how many were started */
	uint64_t turns[FAKE_SPEECH_TURNS_MAX];
	size_t turns_count;
	size_t cancelled;
	size_t holds; /* how often a job was held or resumed */
	size_t yielded; /* how many jobs were started as yielding, or made so later */
	bool is_manual; /* samples are delivered only by fake_speech_give */
	bool has_own_speed;
	bool reads_phonemes;
	enum fake_ending ending;
	uint64_t ending_after;
};

int fake_speech_open(struct fake_speech *fake);
void fake_speech_close(struct fake_speech *fake);

/* Delivers at most this many samples of each running job that is not held, alternating between the
 * jobs, and the end of a job when all of its samples were delivered; if `text` is not NULL, only for
 * jobs with that text.  True when anything was delivered. */
bool fake_speech_give(struct fake_speech *fake, uint64_t samples, const char *text);
size_t fake_speech_held(const struct fake_speech *fake); /* how many jobs are held */

#endif
