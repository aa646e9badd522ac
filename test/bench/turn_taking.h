/*
 * turn_taking.h: the sounds that turn_taking.c builds calls from.
 *
 * Prompts are recordings of a person with their texts.  Those whose place in their half is known are never
 * in both, so that what is tuned with one half can be reported for the other.
 */
#ifndef TEST_TURN_TAKING_H
#define TEST_TURN_TAKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define RATE 16000u
#define PROMPTS_MAX 700
#define VOICED_MAX 64

struct sound {
	int16_t *samples;
	size_t count;
};

enum prompt_kind {
	PROMPT_SENTENCE, /* complete, with at least three words */
	PROMPT_FRAGMENT, /* it is meant to be followed by something */
	PROMPT_DIGIT,
	PROMPT_AND,
	PROMPT_OTHER,
};

struct prompt {
	char name[64], text[256];
	enum prompt_kind kind;
	unsigned half;
	struct sound sound; /* without the silence around it */
};

struct prompts {
	struct prompt prompts[PROMPTS_MAX];
	size_t count;
};

/* A number below n, the same in every run with the same seed. */
void sounds_seed(uint32_t number);
size_t sounds_random(size_t n);

/* Reads lines "NAME: TEXT", and DIR/NAME.wav of each. */
int sounds_read_prompts(struct prompts *prompts, const char *dir, FILE *texts);

/* A prompt of this kind and half, chosen by chance. */
const struct prompt *sounds_pick(const struct prompts *prompts, enum prompt_kind kind,
				 unsigned half);

/* Adds a sound to others, changed by so many decibels. */
void sounds_mix(struct sound *into, size_t at, const struct sound *sound, float gain_db);
void sounds_hiss(struct sound *into, size_t at, size_t count, float level_db);

/* Has voices of the neural engine say something; returns how many sounds were made. */
size_t sounds_say(struct sound *sounds, size_t max, const char *voices_dir,
		  const char *const *texts, size_t text_count);

/* "Mm-hm" of this length, out of harmonics through closed lips. */
int sounds_hum(struct sound *sound, unsigned ms, double hz);

/* The level of the louder half of its frames, which is about how loud a person takes it to be. */
float sounds_level(const struct sound *sound);

#endif
