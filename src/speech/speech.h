/*
 * speech.h: asking for a chunk to be spoken.
 *
 * This is what a turn sees of the engines: it asks for a chunk, gets samples and word
 * times, and may pause or cancel it.  The server implements it with a pool of worker
 * processes (pool.c), protocol tests with the tone engine in the same process.
 */
#ifndef SPEECH_SPEECH_H
#define SPEECH_SPEECH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "speech/voice.h"
#include "text/spoken.h"

/* Only valid during the call of `start`. */
struct speech_request {
	const struct voice *voice;
	const char *language; /* the language of the text; "": the voice's own */
	const char *text; /* UTF-8, no markup */
	size_t text_len;
	const char *text_before; /* the previous chunk of the turn, for engines that use it */
	size_t text_before_len;
	/* How parts of the text are pronounced, in the order of the text.  Engines that do not read
	 * phonemes get only the text.  A span that does not fit into a message
	 * (workers/message.h) is left out. */
	const struct spoken_phonemes *phonemes;
	size_t phonemes_len;
	uint64_t turn; /* its chunks must be started in order, one at a time; see end_turn */
	uint64_t due_us; /* monotonic: when the listener will have heard everything it was sent */
	float speed;
	float temperature;
	uint64_t seed; /* chooses among readings of the text; 0: always the same one */
	bool first; /* the first chunk of its turn, which is refused if it cannot start soon */
	bool yields; /* as if `yield` had been called */
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
	SPEECH_UNAVAILABLE, /* no worker was available in time */
};

/* None of these is called from inside speech_start. */
struct speech_listener {
	void (*audio)(void *arg, const int16_t *samples, size_t count, unsigned sample_rate);
	void (*word)(void *arg, const struct speech_word *word);
	/* The last call: the job does not exist any more when it returns. */
	void (*end)(void *arg, enum speech_end how, uint32_t busy_us);
};

struct speech_job;
struct speech;

struct speech_ops {
	int (*start)(struct speech_job **jobp, struct speech *speech,
		     const struct speech_request *request, const struct speech_listener *listener,
		     void *arg);
	/* A job that is held gets no more credit.  Samples for which it has credit still arrive. */
	void (*hold)(struct speech_job *job, bool held);
	/* The listener may not be present any more: from this call on the job is never urgent, and
	 * others are served first. */
	void (*yield)(struct speech_job *job);
	/* Ends the job without calling a handler.  The job does not exist any more. */
	void (*cancel)(struct speech_job *job);
	/* No chunk of this turn follows, and none is being spoken: the state that its engine keeps
	 * is freed.  Must be called for every turn for which a chunk was started. */
	void (*end_turn)(struct speech *speech, uint64_t turn);
	/* True when the engine of this voice changes the speed itself. */
	bool (*has_own_speed)(struct speech *speech, const struct voice *voice);
	/* True when the engine of this voice can be given phonemes. */
	bool (*reads_phonemes)(struct speech *speech, const struct voice *voice);
};

struct speech {
	const struct speech_ops *ops;
};

#endif
