/*
 * turn_view.c: what others may know of a turn (see turn.h).
 */
#include "session/finished_turn.h"
#include "session/turn_private.h"

/* What never came to be spoken follows what did. */
static void collect_unspoken(struct turn *turn)
{
	struct chunk chunk;

	if (turn_awaits_room(turn))
		(void)transcript_add(&turn->transcript, turn->utterance.text,
				     turn->utterance.text_len);
	if (!turn->chunker)
		return;
	chunker_flush(turn->chunker);
	while (chunker_next(turn->chunker, &chunk)) {
		if (transcript_add(&turn->transcript, chunk.text, chunk.len) != 0)
			return;
	}
}

void turn_heard(struct turn *turn, struct turn_heard *heard, int64_t playback_ms)
{
	const struct turn_playback playback = {
		.start_us = turn->playback_start_us,
		.samples = turn->samples_sent,
		.sample_rate = turn->format.sample_rate,
	};

	collect_unspoken(turn);
	finished_turn_reckon(heard, &turn->transcript, &playback, turn->services->timers->now_us,
			     playback_ms);
}

void turn_figures(const struct turn *turn, struct turn_figures *figures)
{
	*figures = (struct turn_figures){
		.samples = turn->samples_sent,
		.sample_rate = turn->format.sample_rate,
		.frames = turn->audio_chunks,
		.gen_ms = (double)turn->busy_us / 1000.0,
		.first_audio_ms = turn->first_audio_us
					  ? (double)(turn->first_audio_us - turn->begun_us) / 1000.0
					  : -1.0,
	};
}

const struct audio_format *turn_format(const struct turn *turn)
{
	return &turn->format;
}

enum turn_state turn_state(const struct turn *turn)
{
	return turn->state;
}

bool turn_is_over(const struct turn *turn)
{
	return turn->state == TURN_CLOSED ||
	       (turn->owner.context && (turn->state == TURN_FAILED || turn->state == TURN_BOOKING));
}

bool turn_has_failed(const struct turn *turn)
{
	return turn->fault != WIRE_ERROR_NONE;
}

enum wire_error_id turn_fault(const struct turn *turn)
{
	return turn->fault;
}

bool turn_has_spoken(const struct turn *turn)
{
	return turn->text_chunks > 0;
}

bool turn_was_refused(const struct turn *turn)
{
	return turn->was_refused;
}

bool turn_is_busy(const struct turn *turn)
{
	return turn->utterance.text || turn->state == TURN_DRAINING;
}

bool turn_is_unflushed(const struct turn *turn)
{
	return turn->state == TURN_OPEN && turn->utterance.text && turn->bytes_flushed == 0;
}

uint64_t turn_quiet_since_us(const struct turn *turn)
{
	return turn->quiet_since_us;
}

bool turn_is_finished(const struct turn *turn)
{
	return turn->state == TURN_CLOSED && turn->row.status == USAGE_FINISHED &&
	       turn->samples_sent > 0;
}

bool turn_takes_text(const struct turn *turn)
{
	return turn->state == TURN_OPEN || turn->state == TURN_FAILED;
}

size_t turn_unspoken(const struct turn *turn)
{
	return turn->chunker ? chunker_buffered(turn->chunker) : 0;
}
