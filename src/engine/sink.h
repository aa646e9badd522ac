/*
 * sink.h: where an engine puts its samples and word times.
 *
 * The engine pushes, and the sink decides how fast: a call may block for as long as the listener
 * needs. A nonzero return value means that the rest of the text is not wanted: the engine stops
 * and returns from speak soon. Further calls are allowed and do nothing.
 *
 * In a worker the sink writes to the server (runner_one.c, runner_many.c); tests have their own.
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

/* For an engine that makes its samples in costly blocks: waits until the listener needs more of
 * them. Here one text can also yield to another. *skip is the number of samples from here on
 * that were heard before and are not needed: the engine must still put that many, but they may be
 * zeros. */
static inline int sink_wait(struct sink *sink, uint64_t *skip)
{
	return sink->wait(sink, skip);
}

/* Puts the next n samples, at the voice's rate. The sink does not keep the pointer. */
static inline int sink_audio(struct sink *sink, const int16_t *samples, size_t n)
{
	return sink->audio(sink, samples, n);
}

/* Bytes [byte_start, byte_end) of the text are spoken by samples [sample_start, sample_end),
 * counted from the first sample of the job. Words are put in the order of their samples, at any
 * time before or after the samples themselves. */
static inline int sink_word(struct sink *sink, size_t byte_start, size_t byte_end,
			    uint64_t sample_start, uint64_t sample_end)
{
	return sink->word(sink, byte_start, byte_end, sample_start, sample_end);
}

/* A sink that drops everything. */
void sink_init_null(struct sink *sink);

#endif
