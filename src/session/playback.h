/*
 * playback.h: estimates how much of a turn its listener has heard, from what was sent.
 *
 * Clients are assumed to play audio as soon as they receive it, without pauses.  When a client has
 * played everything, playback continues with the next frame; start_us is then moved by the length
 * of the gap, as if playback had begun later and never stopped.
 */
#ifndef SESSION_PLAYBACK_H
#define SESSION_PLAYBACK_H

#include <stdbool.h>
#include <stdint.h>

struct playback_clock {
	uint64_t start_us; /* when playback began, plus all gaps; 0: nothing was sent */
	uint64_t samples; /* how many were sent */
	unsigned sample_rate;
};

static inline uint64_t playback_sent_us(const struct playback_clock *clock)
{
	return clock->samples * 1000000u / clock->sample_rate;
}

/* When the listener has heard everything that was sent. */
static inline uint64_t playback_end_us(const struct playback_clock *clock, uint64_t now_us)
{
	return clock->start_us ? clock->start_us + playback_sent_us(clock) : now_us;
}

/* Counts samples that are being sent.  Returns whether there was a gap: the listener had already
 * heard everything that was sent before. */
static inline bool playback_send(struct playback_clock *clock, uint64_t samples, uint64_t now_us)
{
	bool has_begun = clock->start_us != 0;
	bool has_stopped = !has_begun || playback_end_us(clock, now_us) < now_us;

	if (has_stopped)
		clock->start_us = now_us - playback_sent_us(clock);
	clock->samples += samples;
	return has_begun && has_stopped;
}

#endif
