/*
 * sink.h: where an engine puts what it makes.
 *
 * The engine pushes; the sink decides how fast.  A call may block for as long
 * as the listener needs, and a non-zero return means that nobody wants the
 * rest: the engine stops and returns from speak soon.  Calls after that are
 * harmless and do nothing.
 *
 * In a worker the sink writes to the server (runner.c); tests have their own.
 */
#ifndef ENGINE_SINK_H
#define ENGINE_SINK_H

#include <stddef.h>
#include <stdint.h>

struct sink {
	int (*wait)(struct sink *sink, uint64_t *skip);
	int (*audio)(struct sink *sink, const int16_t *samples, size_t n);
	int (*word)(struct sink *sink, size_t byte_start, size_t byte_end, uint64_t sample_start,
		    uint64_t sample_end);
};

/* For an engine whose samples come in costly blocks: waits until the listener
 * wants more of them, which is also the place where one text stands back for
 * another.  *skip says how many samples from here on nobody wants, because
 * they were heard before: they must be given all the same, but zeros will do. */
static inline int sink_wait(struct sink *sink, uint64_t *skip)
{
	return sink->wait(sink, skip);
}

/* The next n samples, at the voice's rate.  They can be reused on return. */
static inline int sink_audio(struct sink *sink, const int16_t *samples, size_t n)
{
	return sink->audio(sink, samples, n);
}

/* Bytes [byte_start, byte_end) of the text are spoken by samples
 * [sample_start, sample_end), counted from the job's first.  In the order of
 * the samples; before, with or after their audio. */
static inline int sink_word(struct sink *sink, size_t byte_start, size_t byte_end,
			    uint64_t sample_start, uint64_t sample_end)
{
	return sink->word(sink, byte_start, byte_end, sample_start, sample_end);
}

/* A sink that drops everything, for texts that are spoken to nobody. */
void sink_init_null(struct sink *sink);

#endif
