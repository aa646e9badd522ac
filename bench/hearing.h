/*
 * hearing.h: what the measurements of listening share.
 */
#ifndef BENCH_HEARING_H
#define BENCH_HEARING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/bare_listener.h"
#include "bench/bench.h"
#include "bench/target.h"
#include "bench/utterances.h"

#define HEARING_FRAMES (UTTERANCE_SAMPLES / 512u)
#define HEARING_PLAN_PIECES 16

/* The parameters of a caller's URL.  The pauses and levels are those of the segmenter's defaults. */
#define HEARING_SEGMENTS                                                                           \
	"vad_threshold=0.5&min_speech_duration_ms=96&vad_silence_threshold_secs=0.5&"              \
	"include_voice_activity=true"
#define HEARING_MANUAL "commit_strategy=manual&" HEARING_SEGMENTS
#define HEARING_AT_PAUSES "commit_strategy=vad&" HEARING_SEGMENTS

/* What the server does with an utterance at the beginning of a stream, computed from the probabilities
 * that the detector gives without a server. */
struct hearing_plan {
	uint64_t speech_sample; /* the frame that decides that somebody speaks ends here */
	uint64_t silence_sample; /* the same for the end */
	struct {
		size_t from, to;
	} pieces[HEARING_PLAN_PIECES]; /* partial ones, and the final one at the end */
	size_t piece_count;
	char committed
		[BARE_LISTENER_TEXT_SIZE]; /* the words if the caller commits after three seconds */
};

struct hearing_bench {
	const struct bench_options *options;
	unsigned cores;
	struct utterances utterances;
	struct hearing_plan plans[UTTERANCES_MAX]; /* of each utterance */
	double frame_s; /* the detector's time for a frame */
	struct bare_listener *bare;
	struct target target;
};

/* Each prints its result. */
int hearing_latency(struct hearing_bench *bench);
int hearing_streams(struct hearing_bench *bench);
int hearing_deaths(struct hearing_bench *bench);

#endif
