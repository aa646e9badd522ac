/*
 * turn_speak.c: whether a turn may speak now, and what follows from it (see turn.h).
 */
#include <errno.h>

#include "base/log.h"
#include "metrics/metrics.h"
#include "session/denial.h"
#include "session/turn_private.h"

/* A turn that has not spoken yet fails with the reason.  One that has is curtailed: the chunk that
 * its listener hears is spoken to its end, and paid for. */
void turn_refuse(struct turn *turn, const struct denied *denied)
{
	struct stream_fault fault;
	struct wire_notice notice = {.request_id = turn->owner.session->request_id};

	if (turn_has_spoken(turn)) {
		if (turn->cut_short_by.why == DENIAL_NONE)
			turn->cut_short_by = *denied;
		turn_handle(turn, TURN_EVENT_CURTAIL);
		return;
	}
	denial_describe(&fault, denied);
	notice.id = fault.id;
	notice.retry_s = fault.retry_s;
	notice.detail = fault.detail;
	charge_waive(&turn->charge);
	turn_fail_with(turn, &notice);
}

/* What a step of the speech that could not be made means for the turn (see speech_stream_step). */
static void turn_mind_fault(struct turn *turn, int err)
{
	switch (err) {
	case ECANCELED: /* turn_on_frame has noted why */
		turn_handle(turn, TURN_EVENT_CURTAIL);
		break;
	case EIO:
		turn_fail(turn, WIRE_ERROR_GENERATION_FAILED, NULL);
		break;
	case ENOENT:
		turn_fail(turn, WIRE_ERROR_UNAVAILABLE, NULL);
		break;
	default:
		turn_fail(turn, WIRE_ERROR_INTERNAL, NULL);
		break;
	}
}

/* Gives the speech its next chunk.  ENOENT when there is none that may be begun. */
static int turn_find_chunk(struct turn *turn)
{
	struct text_chunk chunk;
	int err;

	if (turn->cut_short_by.why != DENIAL_NONE)
		return ENOENT;
	if (speech_stream_chunk(turn->speech))
		return 0;
	err = text_source_next(turn->text, &chunk);
	if (err == ENOENT && turn->state == TURN_OPEN && turn_samples(turn) > 0 &&
	    !speech_stream_holds(turn->speech) &&
	    text_source_release_before(turn->text, speech_stream_dry_us(turn->speech)))
		err = text_source_next(turn->text, &chunk);
	if (!err)
		speech_stream_take(turn->speech, &chunk);
	return err;
}

/* Why the chunk that is spoken, or would be next, is held: the first reason, if there are several.
 * TURN_WAIT_NOTHING: it is not held. */
static enum turn_wait turn_held_by(const struct turn *turn)
{
	unsigned held_by = speech_stream_held_by(turn->speech);

	if (held_by & SPEECH_HOLD_PEER)
		return TURN_WAIT_PEER;
	if (held_by & SPEECH_HOLD_LEAD)
		return TURN_WAIT_LEAD;
	return held_by & SPEECH_HOLD_ENCODER ? TURN_WAIT_ENCODER : TURN_WAIT_NOTHING;
}

/* May this turn speak now?  TURN_WAIT_NOTHING when the speech may make its next step, otherwise the
 * first reason why not.  Once a chunk has begun it is paid for, and only what makes sound waits for
 * room. */
static enum turn_wait turn_may_speak(struct turn *turn)
{
	struct denied denied;
	enum turn_wait held;
	int err;

	if (!turn->in_front)
		return TURN_WAIT_FRONT;
	if (turn->state != TURN_OPEN && turn->state != TURN_DRAINING)
		return TURN_WAIT_OVER;
	if (charge_is_waiting(&turn->charge))
		return TURN_WAIT_CREDIT;
	if (!speech_stream_has_begun(turn->speech)) {
		err = turn_find_chunk(turn);
		if (err == ENOENT)
			return TURN_WAIT_TEXT;
		if (err) {
			turn_fail(turn, WIRE_ERROR_INTERNAL, NULL);
			return TURN_WAIT_OVER;
		}
	}
	held = turn_held_by(turn);
	if (held)
		return held;
	if (speech_stream_awaits_engine(turn->speech))
		return TURN_WAIT_ENGINE;
	if (speech_stream_awaits_encoder(turn->speech))
		return TURN_WAIT_ENCODER;
	if (speech_stream_has_begun(turn->speech))
		return TURN_WAIT_NOTHING;
	switch (charge_chunk(&turn->charge, turn_samples(turn),
			     speech_stream_estimate_ms(turn->speech), &denied)) {
	case CHARGE_YES:
		return TURN_WAIT_NOTHING;
	case CHARGE_LATER:
		return TURN_WAIT_CREDIT;
	case CHARGE_NO:
		break;
	}
	turn_refuse(turn, &denied);
	return TURN_WAIT_OVER;
}

/* Everything was spoken: asks to be told when the last audio was handed over. */
static void turn_ask_when_sent(struct turn *turn)
{
	int err;

	if (turn->state != TURN_DRAINING || turn->asked_when_sent)
		return;
	err = speech_stream_finish(turn->speech);
	if (err == EINPROGRESS)
		return;
	if (err) {
		turn_fail(turn, WIRE_ERROR_INTERNAL, NULL);
		return;
	}
	turn->asked_when_sent = true;
	if (!turn_reply_tell_when_sent(&turn->reply))
		turn_handle(turn, TURN_EVENT_SENT);
}

/* Only a chunk waits for room and for playback.  When there is no chunk and no more text comes, the
 * turn is over, and its last words follow its last audio. */
void turn_speak(struct turn *turn)
{
	enum turn_wait wait;
	int err;

	while ((wait = turn_may_speak(turn)) == TURN_WAIT_NOTHING) {
		err = speech_stream_step(turn->speech);
		if (err) {
			turn_mind_fault(turn, err);
			return;
		}
	}
	if (wait != turn->wait)
		log_debug("turn", "%s waits for %s", turn->charge.entry.id, turn_wait_name(wait));
	turn->wait = wait;
	if (wait == TURN_WAIT_TEXT)
		turn_ask_when_sent(turn);
}

/* A job that runs may be held without the turn being asked whether it may speak. */
enum turn_wait turn_wait(const struct turn *turn)
{
	enum turn_wait held =
		turn->wait == TURN_WAIT_ENGINE ? turn_held_by(turn) : TURN_WAIT_NOTHING;

	return held ? held : turn->wait;
}

void turn_on_ready(void *arg)
{
	struct turn *turn = arg;

	turn_enter(turn);
	turn_speak(turn);
	turn_leave(turn);
}

static void turn_on_stepped(void *arg, int err)
{
	struct turn *turn = arg;

	turn_enter(turn);
	if (err)
		turn_mind_fault(turn, err);
	else
		turn_speak(turn);
	turn_leave(turn);
}

static void turn_on_answered(void *arg, const struct denied *denied)
{
	struct turn *turn = arg;

	turn_enter(turn);
	if (denied)
		turn_refuse(turn, denied);
	else
		turn_speak(turn);
	turn_leave(turn);
}

static void turn_on_booked(void *arg)
{
	turn_handle(arg, TURN_EVENT_BOOKED);
}

const struct charge_ops turn_charge_ops = {
	.answered = turn_on_answered,
	.booked = turn_on_booked,
};

static int turn_on_began(void *arg, const struct text_chunk *chunk)
{
	struct turn *turn = arg;

	if (turn->services->log_texts)
		log_info("turn", "%s chunk %u: %.*s", turn->charge.entry.id,
			 turn->reply.text_chunks, (int)chunk->len, chunk->text);
	metrics_add(METRIC_CHUNKS, 1);
	return turn_reply_began(&turn->reply, chunk) ? ENOMEM : 0;
}

static int turn_on_frame(void *arg, const struct audio_frame *frame)
{
	struct turn *turn = arg;
	uint64_t samples = turn_samples(turn) + frame->samples;
	struct denied denied;

	if (!charge_frame(&turn->charge, samples, &denied)) {
		turn->cut_short_by = denied;
		return ECANCELED;
	}
	if (turn_reply_frame(&turn->reply, frame) != 0)
		return ENOMEM;
	if (samples == frame->samples)
		metrics_observe(METRIC_FIRST_AUDIO, turn->reply.first_audio_us - turn->begun_us);
	metrics_add(METRIC_FRAMES, 1);
	charge_mark(&turn->charge, samples);
	return 0;
}

static void turn_on_ended(void *arg, const struct speech_chunk_end *end)
{
	struct turn *turn = arg;

	turn_reply_ended(&turn->reply, end);
}

const struct speech_stream_ops turn_speech_ops = {
	.began = turn_on_began,
	.frame = turn_on_frame,
	.ended = turn_on_ended,
	.stepped = turn_on_stepped,
};
