/*
 * golden.h: the chunker's golden cases, read from test/unit/text/chunks.
 *
 * A file is lines:
 *
 *     # a comment
 *     language de            for the cases that follow; others reset it
 *     = name                 begins a case; auto mode unless a schedule is given
 *     schedule 5 80          chunk_length_schedule
 *     max 50                 max_buffer_length
 *     < text                 a feed
 *     | message              ends here; or pause, timeout, emit, flush
 *     > chunk                comes out of the step above it
 *
 * A case without "| flush" is flushed with its last step.  In text, \n is a
 * line end, \s a blank (for the ends of lines) and \\ a backslash.
 */
#ifndef TEST_TEXT_GOLDEN_H
#define TEST_TEXT_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>

#include "text/chunker.h"

#define GOLDEN_STEPS_MAX 24
#define GOLDEN_CHUNKS_MAX 64

enum golden_kind {
	GOLDEN_FEED,
	GOLDEN_MESSAGE,
	GOLDEN_PAUSE,
	GOLDEN_TIMEOUT,
	GOLDEN_EMIT,
	GOLDEN_FLUSH
};

struct golden_step {
	enum golden_kind kind;
	char *text; /* of a feed */
	size_t first, last; /* the chunks that come out of it: [first, last) */
};

struct golden_case {
	char where[160]; /* file:line name */
	struct chunker_options options;
	struct golden_step steps[GOLDEN_STEPS_MAX];
	size_t steps_len;
	char *chunks[GOLDEN_CHUNKS_MAX];
	size_t chunks_len;
	bool is_timed; /* has a message's end, a pause, a timeout or an emit */
};

typedef void(golden_h)(const struct golden_case *golden, void *arg);

/* Calls the handler for each case of each file; gives the number of cases,
 * and stops the program at a line that makes no sense. */
size_t golden_each(const char *directory, golden_h *handler, void *arg);

#endif
