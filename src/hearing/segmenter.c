/*
 * segmenter.c: finds where speech begins and ends (see segmenter.h).
 */
#include "hearing/segmenter.h"

#include <string.h>

/* The quietest place of a segment is the middle of the frames, this many, that are quietest together:
 * as long as a short pause between two words. */
#define SEGMENTER_QUIET_FRAMES 5u

struct segmenter_options segmenter_defaults(uint32_t piece_max)
{
	return (struct segmenter_options){
		.start_level = 128,
		.end_level = 89,
		.start_ms = 96,
		.end_ms = 500,
		.before_ms = 320,
		.after_ms = 200,
		.partial_ms = 500,
		.piece_max = piece_max,
	};
}

void segmenter_init(struct segmenter *segmenter, const struct segmenter_options *options,
		    uint64_t first_sample)
{
	memset(segmenter, 0, sizeof(*segmenter));
	segmenter->options = *options;
	if (segmenter->options.piece_max < SEGMENTER_PIECE_MIN)
		segmenter->options.piece_max = SEGMENTER_PIECE_MIN;
	if (segmenter->options.piece_max > SEGMENTER_PIECE_MAX)
		segmenter->options.piece_max = SEGMENTER_PIECE_MAX;
	segmenter->first_sample = first_sample;
	segmenter->ended_sample = first_sample;
}

static uint64_t segmenter_samples(unsigned ms)
{
	return (uint64_t)ms * HEARING_RATE / 1000u;
}

/* The position of a frame's first sample. */
static uint64_t segmenter_position(const struct segmenter *segmenter, uint64_t frame)
{
	return segmenter->first_sample + frame * HEARING_FRAME;
}

/* The end of the last frame. */
static uint64_t segmenter_now(const struct segmenter *segmenter)
{
	return segmenter_position(segmenter, segmenter->frames);
}

/* `sample` less `before` samples, but not within the last segment. */
static uint64_t segmenter_earlier(const struct segmenter *segmenter, uint64_t sample,
				  uint64_t before)
{
	uint64_t least = segmenter->ended_sample;

	return sample > least + before ? sample - before : least;
}

uint64_t segmenter_needs_from(const struct segmenter *segmenter)
{
	return segmenter->phase == SEGMENTER_SILENCE
		       ? segmenter_earlier(segmenter, segmenter_now(segmenter),
					   segmenter_samples(segmenter->options.before_ms))
		       : segmenter->from_sample;
}

/* How long the current pause is, in samples; 0: there is none. */
static uint64_t segmenter_pause(const struct segmenter *segmenter)
{
	return segmenter->is_pause ? segmenter_now(segmenter) -
					     segmenter_position(segmenter, segmenter->pause_frame)
				   : 0;
}

static void segmenter_end(struct segmenter *segmenter, uint64_t to_sample, bool is_cut,
			  struct segmenter_event *event)
{
	*event = (struct segmenter_event){.type = SEGMENTER_END,
					  .from_sample = segmenter->from_sample,
					  .to_sample = to_sample,
					  .is_cut = is_cut};
	segmenter->ended_sample = to_sample;
	segmenter->from_sample = to_sample;
	segmenter->partial_sample = to_sample;
	if (!is_cut)
		segmenter->phase = SEGMENTER_SILENCE;
}

/* The middle of the quietest frames in the second half of the segment.  Of several places that are
 * equally quiet it is the last, so that pieces are long. */
static uint64_t segmenter_quietest(const struct segmenter *segmenter)
{
	uint64_t half = segmenter->from_sample + segmenter->options.piece_max / 2u;
	uint64_t first = (half - segmenter->first_sample) / HEARING_FRAME;
	uint64_t best = segmenter->frames;
	unsigned least = UINT32_MAX;

	for (uint64_t f = first; f + SEGMENTER_QUIET_FRAMES <= segmenter->frames; ++f) {
		unsigned sum = 0;

		for (unsigned i = 0; i < SEGMENTER_QUIET_FRAMES; ++i)
			sum += segmenter->levels[(f + i) % SEGMENTER_FRAMES_MAX];
		if (sum <= least) {
			least = sum;
			best = f + SEGMENTER_QUIET_FRAMES / 2u;
		}
	}
	return best;
}

/* The segment is as long as a piece may be.  If it is cut within the pause at its end, it has just
 * ended. */
static void segmenter_cut(struct segmenter *segmenter, struct segmenter_event *event)
{
	uint64_t frame = segmenter_quietest(segmenter);
	bool has_ended = segmenter->is_pause && frame >= segmenter->pause_frame;

	segmenter_end(segmenter, segmenter_position(segmenter, frame), !has_ended, event);
}

/* Somebody may have begun to speak.  This is certain after start_ms of speech; a pause of the same
 * length before that means that it was a noise. */
static bool segmenter_rise(struct segmenter *segmenter, struct segmenter_event *event)
{
	uint64_t enough = segmenter_samples(segmenter->options.start_ms);

	if ((uint64_t)segmenter->speech_frames * HEARING_FRAME >= enough) {
		segmenter->phase = SEGMENTER_SPEECH;
		segmenter->partial_sample = segmenter->from_sample;
		*event = (struct segmenter_event){.type = SEGMENTER_START,
						  .from_sample = segmenter->from_sample,
						  .to_sample = segmenter_now(segmenter)};
		return true;
	}
	if (segmenter->is_pause && segmenter_pause(segmenter) >= enough)
		segmenter->phase = SEGMENTER_SILENCE;
	return false;
}

static bool segmenter_continue(struct segmenter *segmenter, struct segmenter_event *event)
{
	const struct segmenter_options *options = &segmenter->options;
	uint64_t now = segmenter_now(segmenter);
	uint64_t pause = segmenter_pause(segmenter);
	uint64_t after = segmenter_samples(options->after_ms);
	uint64_t every = segmenter_samples(options->partial_ms);

	if (options->end_ms > 0 && pause > 0 && pause >= segmenter_samples(options->end_ms)) {
		segmenter_end(segmenter, now - pause + (after < pause ? after : pause), false,
			      event);
		return true;
	}
	if (now + HEARING_FRAME > segmenter->from_sample + options->piece_max) {
		segmenter_cut(segmenter, event);
		return true;
	}
	/* What follows the last partial result must not be a pause alone. */
	if (every > 0 && now >= segmenter->partial_sample + every &&
	    now - pause > segmenter->partial_sample) {
		segmenter->partial_sample = now;
		*event = (struct segmenter_event){.type = SEGMENTER_PARTIAL,
						  .from_sample = segmenter->from_sample,
						  .to_sample = now};
		return true;
	}
	return false;
}

bool segmenter_take(struct segmenter *segmenter, uint8_t probability, struct segmenter_event *event)
{
	uint64_t frame = segmenter->frames++;
	bool is_speech = probability >= segmenter->options.start_level;

	segmenter->levels[frame % SEGMENTER_FRAMES_MAX] = probability;
	if (segmenter_now(segmenter) <= segmenter->ended_sample)
		return false; /* a segment that was ended by segmenter_flush has this frame */
	if (is_speech) {
		segmenter->is_pause = false;
	} else if (probability < segmenter->options.end_level && !segmenter->is_pause) {
		segmenter->is_pause = true;
		segmenter->pause_frame = frame;
	}
	if (segmenter->phase == SEGMENTER_SILENCE) {
		if (!is_speech)
			return false;
		segmenter->phase = SEGMENTER_RISING;
		segmenter->speech_frames = 0;
		segmenter->from_sample =
			segmenter_earlier(segmenter, segmenter_position(segmenter, frame),
					  segmenter_samples(segmenter->options.before_ms));
	}
	segmenter->speech_frames += is_speech;
	return segmenter->phase == SEGMENTER_RISING ? segmenter_rise(segmenter, event)
						    : segmenter_continue(segmenter, event);
}

bool segmenter_flush(struct segmenter *segmenter, uint64_t to_sample, struct segmenter_event *event)
{
	bool is_speech = segmenter->phase == SEGMENTER_SPEECH && to_sample > segmenter->from_sample;

	if (is_speech)
		segmenter_end(segmenter, to_sample, false, event);
	segmenter->phase = SEGMENTER_SILENCE;
	segmenter->is_pause = false;
	if (to_sample > segmenter->ended_sample)
		segmenter->ended_sample = to_sample;
	return is_speech;
}
