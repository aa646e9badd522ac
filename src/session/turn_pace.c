/*
 * turn_pace.c: how far a turn is ahead of its listener (see turn_private.h).
 */
#include "metrics/metrics.h"
#include "session/turn_private.h"

static uint64_t now_us(const struct turn *turn)
{
	return turn->services->timers->now_us;
}

static uint64_t sent_us(const struct turn *turn)
{
	return turn->samples_sent * 1000000u / turn->format.sample_rate;
}

uint64_t turn_runs_dry_us(const struct turn *turn)
{
	return turn->playback_start_us ? turn->playback_start_us + sent_us(turn) : now_us(turn);
}

static bool awaits_encoder(const struct turn *turn)
{
	return turn->encoding && encoding_is_full(turn->encoding);
}

bool turn_must_wait(const struct turn *turn)
{
	const struct peer *peer = turn->owner.session->peer;

	return turn->held_back || awaits_encoder(turn) || peer->ops->is_full(peer->peer);
}

/* In a context it may be others who have filled the peer, and they fill it again
 * and again: the first chunk is begun all the same, and held after its first
 * frames. */
bool turn_has_room(const struct turn *turn)
{
	return !turn_must_wait(turn) ||
	       (turn->owner.context && turn->samples_sent == 0 && !awaits_encoder(turn));
}

void turn_update_hold(struct turn *turn)
{
	struct speech *speech = turn->services->speech;

	if (turn->utterance.job)
		speech->ops->hold(turn->utterance.job, turn_must_wait(turn));
}

static void on_lead_shrunk(void *arg)
{
	struct turn *turn = arg;

	turn->held_back = false;
	turn_update_hold(turn);
	turn_speak(turn);
}

void turn_mind_lead(struct turn *turn)
{
	uint64_t max_us = turn->services->max_lead_ms * UINT64_C(1000);
	uint64_t dry = turn_runs_dry_us(turn);

	if (max_us == 0 || dry <= now_us(turn) + max_us)
		return;
	turn->held_back = true;
	timer_set(turn->services->timers, &turn->lead_timer, dry - now_us(turn) - max_us,
		  on_lead_shrunk, turn);
}

void turn_mind_gap(struct turn *turn)
{
	uint64_t dry_us = turn_runs_dry_us(turn);

	if (turn->playback_start_us && dry_us >= now_us(turn))
		return;
	/* Text that came too late is nobody's miss but its writer's. */
	if (turn->playback_start_us && turn->utterance.begun_us < dry_us)
		metrics_add(METRIC_DEADLINE_MISSES, 1);
	turn->playback_start_us = now_us(turn) - sent_us(turn);
}
