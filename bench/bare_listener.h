/*
 * bare_listener.h: drives bare-hear, the models that listen with nothing around them.
 *
 * The process stays open, so that it can be measured alternately with the server.
 */
#ifndef BENCH_BARE_LISTENER_H
#define BENCH_BARE_LISTENER_H

#include <stddef.h>
#include <stdint.h>

#include "bench/utterances.h"

#define BARE_LISTENER_TEXT_SIZE 512

struct bare_listener;

/* An object of base/mem.h.  The models are those of SYRINX_MODELS. */
int bare_listener_alloc(struct bare_listener **barep, const char *engines_dir);

/* Writes the probability of speech, times 255, of each of the `count` frames of a file, and the middle
 * of the times for a frame. */
int bare_listener_score(struct bare_listener *bare, const char *path, uint8_t *probabilities,
			size_t count, double *frame_s);

struct bare_listener_words {
	double wall_s, cpu_s; /* the middle one of three times */
	char text[BARE_LISTENER_TEXT_SIZE];
};

/* Recognizes samples [from, to) of a file. */
int bare_listener_hear(struct bare_listener *bare, const char *path, size_t from, size_t to,
		       struct bare_listener_words *words);

/* Listens for some seconds on some threads, as `arguments` say: files, each followed by the pieces that
 * are recognized.  Returns the CPU time for a second of audio; -1 if it failed. */
double bare_listener_pace(const char *engines_dir, unsigned seconds, unsigned threads,
			  const char *arguments);

#endif
