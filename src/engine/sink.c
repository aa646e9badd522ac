/*
 * sink.c: where an engine puts its samples and word times (see sink.h).
 */
#include "engine/sink.h"

static int sink_wait_null(struct sink *sink, uint64_t *skip)
{
	(void)sink;
	*skip = 0;
	return 0;
}

static int sink_drop_audio(struct sink *sink, const int16_t *samples, size_t n)
{
	(void)sink;
	(void)samples;
	(void)n;
	return 0;
}

static int sink_drop_word(struct sink *sink, size_t byte_start, size_t byte_end,
			  uint64_t sample_start, uint64_t sample_end)
{
	(void)sink;
	(void)byte_start;
	(void)byte_end;
	(void)sample_start;
	(void)sample_end;
	return 0;
}

void sink_init_null(struct sink *sink)
{
	*sink = (struct sink){
		.wait = sink_wait_null, .audio = sink_drop_audio, .word = sink_drop_word};
}
