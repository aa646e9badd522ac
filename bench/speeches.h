/*
 * speeches.h: what callers say in calls: recordings of a person, joined with known pauses.
 *
 * They are prompts of a telephone system, from the Debian package asterisk-core-sounds-en-wav.  Speech
 * that was made by a machine ends more clearly than a person's, so nothing else is used.
 */
#ifndef BENCH_SPEECHES_H
#define BENCH_SPEECHES_H

#include <stddef.h>
#include <stdint.h>

#define SPEECH_RATE 16000u
#define SPEECH_CHUNK (SPEECH_RATE / 50u) /* what is sent at a time: 20 ms */
#define SPEECH_PROMPTS_MAX 48
#define SPEECHES_PACKAGE "asterisk-core-sounds-en-wav"

/* A recording without the silence around it. */
struct prompt {
	char name[64];
	int16_t *samples;
	size_t count;
};

struct prompts {
	struct prompt all[SPEECH_PROMPTS_MAX];
	size_t count;
};

/* Prompts joined with pauses, as messages of a client.  It begins with the first prompt. */
struct speech {
	int16_t *samples;
	size_t count;
	size_t end; /* of the last prompt, in samples */
	char **messages; /* one for each chunk; the last chunk is filled with silence */
	size_t chunks;
};

/* ENOENT if the package is not installed. */
int prompts_read(struct prompts *prompts);
void prompts_reset(struct prompts *prompts);

/* Joins `count` prompts from number `first` on, which is taken modulo their number, with this much
 * silence between them. */
int speech_join(struct speech *speech, const struct prompts *prompts, size_t first, size_t count,
		unsigned pause_ms);

/* Joins prompts with short pauses until they last about this long. */
int speech_fill(struct speech *speech, const struct prompts *prompts, size_t first,
		unsigned length_ms);
void speech_reset(struct speech *speech);

/* Where in a recording somebody speaks; ENOENT if nobody does. */
int speeches_find(const int16_t *samples, size_t count, size_t *begin, size_t *end);

/* The message with which a client sends samples; NULL if there is no memory. */
char *speeches_write_message(const int16_t *samples, size_t count);

#endif
