/*
 * turn_view.c: the functions that only read a turn (see turn.h).
 */
#include "session/denial.h"
#include "session/finished_turn.h"
#include "session/turn_private.h"

uint64_t turn_samples(const struct turn *turn)
{
	return turn->speech ? speech_stream_playback(turn->speech)->samples : 0;
}

void turn_usage(const struct turn *turn, struct reply_usage *usage)
{
	*usage = (struct reply_usage){
		.turn_id = turn->charge.entry.id,
		.model_id = turn->settings.model_id,
		.audio_seconds = (double)turn_samples(turn) / turn->reply.format.sample_rate,
		.characters = turn->charge.entry.characters,
		.cost_known = turn->charge.is_cost_known,
		.cost_microcents = turn->charge.entry.amount_microcents,
		.cut_short_by = turn->cut_short_by.why == DENIAL_NONE
					? NULL
					: denial_code(turn->cut_short_by.why),
	};
	session_describe_price(turn->owner.session, usage);
}

void turn_heard(struct turn *turn, struct turn_heard *heard, int64_t playback_ms)
{
	struct transcript *transcript;
	const struct text_chunk *chunk;

	*heard = (struct turn_heard){.text_spoken = "", .text_remaining = ""};
	if (!turn->speech)
		return;
	/* Text that was never spoken follows the text that was. */
	transcript = speech_stream_transcript(turn->speech);
	chunk = speech_stream_chunk(turn->speech);
	if (chunk && !speech_stream_has_begun(turn->speech))
		(void)transcript_add(transcript, chunk->text, chunk->len);
	if (turn->text)
		text_source_add_rest(turn->text, transcript);
	finished_turn_compute(heard, transcript, speech_stream_playback(turn->speech),
			      turn->services->timers->now_us, playback_ms);
}

const struct transcript *turn_transcript(const struct turn *turn)
{
	return speech_stream_transcript(turn->speech);
}

const struct playback_clock *turn_playback(const struct turn *turn)
{
	return speech_stream_playback(turn->speech);
}

void turn_figures(const struct turn *turn, struct turn_figures *figures)
{
	const struct turn_reply *reply = &turn->reply;

	*figures = (struct turn_figures){
		.samples = turn_samples(turn),
		.sample_rate = reply->format.sample_rate,
		.frames = reply->audio_chunks,
		.gen_ms = turn->speech ? (double)speech_stream_busy_us(turn->speech) / 1000.0 : 0,
		.first_audio_ms =
			reply->first_audio_us
				? (double)(reply->first_audio_us - turn->begun_us) / 1000.0
				: -1.0,
	};
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

bool turn_was_curtailed(const struct turn *turn, struct stream_fault *fault)
{
	if (turn->cut_short_by.why == DENIAL_NONE)
		return false;
	denial_describe(fault, &turn->cut_short_by);
	return true;
}

bool turn_has_spoken(const struct turn *turn)
{
	return turn->reply.text_chunks > 0;
}

bool turn_was_refused(const struct turn *turn)
{
	return turn->charge.is_free;
}

static bool turn_view_has_chunk(const struct turn *turn)
{
	return turn->speech && speech_stream_chunk(turn->speech);
}

bool turn_is_busy(const struct turn *turn)
{
	return turn_view_has_chunk(turn) || turn->state == TURN_DRAINING;
}

bool turn_is_unflushed(const struct turn *turn)
{
	return turn->state == TURN_OPEN && turn_view_has_chunk(turn) &&
	       !text_source_was_flushed(turn->text);
}

uint64_t turn_quiet_since_us(const struct turn *turn)
{
	return turn->speech ? speech_stream_quiet_since_us(turn->speech) : 0;
}

bool turn_is_finished(const struct turn *turn)
{
	return turn->state == TURN_CLOSED && turn->charge.entry.status == USAGE_FINISHED &&
	       turn_samples(turn) > 0;
}

bool turn_takes_text(const struct turn *turn)
{
	return turn->state == TURN_OPEN || turn->state == TURN_FAILED;
}

size_t turn_unspoken(const struct turn *turn)
{
	return turn->text ? text_source_buffered(turn->text) : 0;
}

const char *turn_wait_name(enum turn_wait wait)
{
	static const char *const names[] = {
#define X(name) #name,
		TURN_WAITS(X)
#undef X
	};

	return names[wait];
}
