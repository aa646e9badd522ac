/*
 * segmenter.h: finds where speech begins and ends, from the probability of speech in each frame.
 *
 * It decides which pieces of a stream are recognized:
 *
 *   probability  ____▁▂█████▇██▅▂___▂▇███████▃______________
 *                    ┊   ┊             ┊         ┊     ┊
 *   segment      [before]┊             ┊         [after]┊
 *   events             START        PARTIAL …         END
 *
 * Speech begins when enough frames are above `start_level`, and ends when none was for `end_ms`,
 * counted from the first frame below `end_level`.  While it lasts, a partial result is due every
 * `partial_ms`.  Speech that becomes longer than a piece may be is cut at its quietest place.
 *
 * Pure: no clock, no allocation.  All times are positions in the stream, so the same probabilities
 * give the same events, however fast they arrive.
 */
#ifndef HEARING_SEGMENTER_H
#define HEARING_SEGMENTER_H

#include <stdbool.h>
#include <stdint.h>

#include "hearing/hearing.h"

/* The limits of piece_max: shorter pieces would cut words, and while the longest one is recognized
 * there must be room for the audio that follows. */
#define SEGMENTER_PIECE_MIN (2u * HEARING_RATE)
#define SEGMENTER_PIECE_MAX (HEARING_KEPT_MAX / 2u)

struct segmenter_options {
	/* Probabilities times 255.  A frame at or above the first is speech.  A frame below the second
	 * is a pause; what is between them continues what was before. */
	uint8_t start_level;
	uint8_t end_level;
	unsigned start_ms; /* speech begins when this much of it was heard */
	unsigned end_ms; /* a pause of this length ends it; 0: only segmenter_flush does */
	unsigned before_ms; /* audio before the first frame of speech that belongs to the segment */
	unsigned after_ms; /* audio after its last frame; at most end_ms is used */
	unsigned partial_ms; /* a partial result is due each time; 0: never */
	uint32_t piece_max; /* the longest segment, in samples; see the limits below */
};

/* The values that the models were tuned with, for a model whose longest piece has this many samples:
 * 0.5 and 0.35 of 1; speech of 96 ms; a pause of 500 ms; 320 ms before and 200 ms after; a partial
 * result every 500 ms. */
struct segmenter_options segmenter_defaults(uint32_t piece_max);

enum segmenter_type {
	SEGMENTER_START, /* somebody has begun to speak; the segment begins at from_sample */
	SEGMENTER_PARTIAL, /* [from, to) is what there is of the segment so far */
	SEGMENTER_END, /* [from, to) is the whole segment */
};

struct segmenter_event {
	enum segmenter_type type;
	uint64_t from_sample, to_sample;
	/* Of SEGMENTER_END: the speech goes on, and the next segment follows without a gap and without
	 * a SEGMENTER_START. */
	bool is_cut;
};

#define SEGMENTER_FRAMES_MAX (SEGMENTER_PIECE_MAX / HEARING_FRAME)

enum segmenter_phase { SEGMENTER_SILENCE, SEGMENTER_RISING, SEGMENTER_SPEECH };

/* Counts of frames are from the frame at `first_sample`. */
struct segmenter {
	struct segmenter_options options;
	uint64_t first_sample;
	uint64_t frames; /* how many there have been */
	enum segmenter_phase phase;
	unsigned speech_frames; /* frames of speech since the end of silence */
	uint64_t pause_frame; /* the first frame of the pause, if there is one */
	bool is_pause;
	uint64_t ended_sample; /* the end of the last segment */
	uint64_t from_sample; /* the beginning of this one */
	uint64_t partial_sample; /* the end of its last partial result, or its beginning */
	uint8_t levels[SEGMENTER_FRAMES_MAX]; /* of the last frames; frame n is at n % MAX */
};

/* The stream's first frame begins at this sample. */
void segmenter_init(struct segmenter *segmenter, const struct segmenter_options *options,
		    uint64_t first_sample);

/* Takes the probability of the next frame.  Returns whether it caused an event; it never causes more
 * than one. */
bool segmenter_take(struct segmenter *segmenter, uint8_t probability,
		    struct segmenter_event *event);

/* Ends the segment here, because the stream ends or its user says so.  `to_sample` is the end of the
 * audio: that of the last frame that was taken, or within the frame after it.  False: nobody has spoken
 * since the last segment. */
bool segmenter_flush(struct segmenter *segmenter, uint64_t to_sample,
		     struct segmenter_event *event);

/* Audio before this sample will not be in any segment. */
uint64_t segmenter_needs_from(const struct segmenter *segmenter);

#endif
