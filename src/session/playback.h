/*
 * playback.h: how far the listener of a turn is, reckoned from what was sent.
 *
 * Listeners play audio as soon as they have it and without pauses of their own.  When they have
 * heard everything, playback begins again with the next frame: as if it had begun so much later
 * and had never stopped.
 */
#ifndef SESSION_PLAYBACK_H
#define SESSION_PLAYBACK_H

#include <stdbool.h>
#include <stdint.h>

struct playback_clock {
	uint64_t start_us; /* when it would have begun had it never stopped; 0: nothing was sent */
	uint64_t samples; /* that were sent */
	unsigned sample_rate;
};

static inline uint64_t playback_sent_us(const struct playback_clock *clock)
{
	return clock->samples * 1000000u / clock->sample_rate;
}

/* When the listener has heard everything that was sent. */
static inline uint64_t playback_dry_us(const struct playback_clock *clock, uint64_t now_us)
{
	return clock->start_us ? clock->start_us + playback_sent_us(clock) : now_us;
}

/* More is being sent.  True when the listener had heard everything before, and not only because
 * nothing was sent yet. */
static inline bool playback_send(struct playback_clock *clock, uint64_t samples, uint64_t now_us)
{
	bool has_begun = clock->start_us != 0;
	bool is_dry = !has_begun || playback_dry_us(clock, now_us) < now_us;

	if (is_dry)
		clock->start_us = now_us - playback_sent_us(clock);
	clock->samples += samples;
	return has_begun && is_dry;
}

#endif
