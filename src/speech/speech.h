/*
 * speech.h: asking for a chunk to be spoken.
 *
 * What a turn sees of the engines: it asks for a chunk, gets samples and word
 * times, may hold them up, may call it off.  Behind it is the pool of worker
 * processes (pool.c); protocol tests put the tone engine behind it directly.
 */
#ifndef SPEECH_SPEECH_H
#define SPEECH_SPEECH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "speech/voice.h"
#include "text/spoken.h"

/* Nothing of it is kept beyond the call. */
struct speech_request {
	const struct voice *voice;
	const char *language; /* of the text; "" is the voice's own */
	const char *text; /* UTF-8, no markup */
	size_t text_len;
	const char *text_before; /* the chunk before, for engines that use it */
	size_t text_before_len;
	/* How places of the text are pronounced, in its order: for engines that
	 * read phonemes; others get the text alone.  A span that engines could not
	 * take (workers/message.h) is left out. */
	const struct spoken_phonemes *phonemes;
	size_t phonemes_len;
	uint64_t turn;
	uint64_t due_us; /* monotonic: when the listener runs dry */
	float speed;
	float temperature;
	uint64_t seed; /* chooses among readings of the text; 0: always the same one */
	bool first; /* of its turn: refused when it cannot start soon */
	bool yields; /* as after `yield` */
};

/* Times of a word, in samples at the engine's rate from the chunk's start,
 * and its place in bytes of the request's text. */
struct speech_word {
	uint64_t sample_start, sample_end;
	uint32_t byte_start, byte_end;
};

/* How a chunk ended. */
enum speech_end {
	SPEECH_DONE,
	SPEECH_FAILED, /* this text cannot be spoken */
	SPEECH_UNAVAILABLE, /* no worker could be had in time */
};

/* None of these is called from inside speech_start. */
struct speech_listener {
	void (*audio)(void *arg, const int16_t *samples, size_t count, unsigned sample_rate);
	void (*word)(void *arg, const struct speech_word *word);
	/* The last call: the job is gone when it returns. */
	void (*end)(void *arg, enum speech_end how, uint32_t busy_us);
};

struct speech_job;
struct speech;

struct speech_ops {
	int (*start)(struct speech_job **jobp, struct speech *speech,
		     const struct speech_request *request, const struct speech_listener *listener,
		     void *arg);
	/* A job that is held gets no more credit; what is under way still comes. */
	void (*hold)(struct speech_job *job, bool held);
	/* Its listener may be gone: from now on it is never urgent, and others are served first. */
	void (*yield)(struct speech_job *job);
	/* No handler is called any more; the job is gone. */
	void (*cancel)(struct speech_job *job);
	/* True when the engine of this voice changes the speed itself. */
	bool (*has_own_speed)(struct speech *speech, const struct voice *voice);
	/* True when the engine of this voice can be given phonemes. */
	bool (*reads_phonemes)(struct speech *speech, const struct voice *voice);
};

struct speech {
	const struct speech_ops *ops;
};

#endif
