/*
 * utterances.h: what callers say: recordings of three seconds, made before a measurement.
 *
 * Some are spoken by flite, others are prompts of a telephone system, by a human voice, if the Debian
 * package asterisk-core-sounds-en-wav is installed.
 */
#ifndef BENCH_UTTERANCES_H
#define BENCH_UTTERANCES_H

#include <stddef.h>
#include <stdint.h>

#define UTTERANCE_RATE 16000u

/* A recording: silence, three seconds of speech that end here, and silence. What is recognized begins
 * 0.32 s before the speech, so it is the same whether other recordings come before or not. */
#define UTTERANCE_LEAD 6400u
#define UTTERANCE_SPEECH (3u * UTTERANCE_RATE)
#define UTTERANCE_END (UTTERANCE_LEAD + UTTERANCE_SPEECH)
#define UTTERANCE_PAUSE UTTERANCE_RATE
#define UTTERANCE_SAMPLES (UTTERANCE_END + UTTERANCE_PAUSE)

/* What is sent at a time: 20 ms, as in telephone calls. */
#define UTTERANCE_CHUNK (UTTERANCE_RATE / 50u)
#define UTTERANCE_CHUNKS (UTTERANCE_SAMPLES / UTTERANCE_CHUNK)
#define UTTERANCE_END_CHUNKS (UTTERANCE_END / UTTERANCE_CHUNK)

#define UTTERANCES_MAX 12

struct utterance {
	char name[64];
	char path[96]; /* its samples, for other programs */
	int16_t samples[UTTERANCE_SAMPLES];
	char *messages[UTTERANCE_CHUNKS]; /* the chunks as a client sends them */
	char *last_message; /* the last chunk of the speech, with which a client commits */
};

struct utterances {
	char folder[64];
	struct utterance *all;
	size_t count;
};

/* ENOENT if there is none, because flite was not built and the prompts are not installed. */
int utterances_make(struct utterances *utterances, const char *engines_dir);
void utterances_reset(struct utterances *utterances);

#endif
