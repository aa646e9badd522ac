/*
 * turn_speak.c: decides whether a turn may speak now, and makes it speak (see turn.h).
 *
 * turn_speak_waits_for is the only place where that is decided.
 */
#include <errno.h>

#include "base/log.h"
#include "metrics/metrics.h"
#include "session/denial.h"
#include "session/turn_private.h"

/* A turn that has not spoken yet fails, with the denial as the error.  A turn that has spoken is
 * curtailed: the chunk that is being spoken is finished and charged. */
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

/* Handles an error of speech_stream_step. */
static void turn_speak_on_fault(struct turn *turn, int err)
{
	switch (err) {
	case ECANCELED: /* turn_speak_on_frame has set cut_short_by */
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

/* Gives the speech stream its next chunk.  ENOENT when there is none that may begin. */
static int turn_speak_find_chunk(struct turn *turn)
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
	    text_source_release_before(turn->text, speech_stream_playback_end_us(turn->speech)))
		err = text_source_next(turn->text, &chunk);
	if (!err)
		speech_stream_take(turn->speech, &chunk);
	return err;
}

/* Why the current or next chunk is held; if there are several reasons, the first of them.
 * TURN_WAIT_NOTHING: it is not held. */
static enum turn_wait turn_speak_held_by(const struct turn *turn)
{
	unsigned held_by = speech_stream_held_by(turn->speech);

	if (held_by & SPEECH_HOLD_PEER)
		return TURN_WAIT_PEER;
	if (held_by & SPEECH_HOLD_LEAD)
		return TURN_WAIT_LEAD;
	return held_by & SPEECH_HOLD_ENCODER ? TURN_WAIT_ENCODER : TURN_WAIT_NOTHING;
}

/* What the turn waits for.  TURN_WAIT_NOTHING: the speech stream may make its next step.  Credit is
 * needed only to begin a chunk, and only steps that produce audio wait for room. */
static enum turn_wait turn_speak_waits_for(struct turn *turn)
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
		err = turn_speak_find_chunk(turn);
		if (err == ENOENT)
			return TURN_WAIT_TEXT;
		if (err) {
			turn_fail(turn, WIRE_ERROR_INTERNAL, NULL);
			return TURN_WAIT_OVER;
		}
	}
	held = turn_speak_held_by(turn);
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

/* Call it when no text is left.  If no more follows, it requests a notification for when the last
 * audio has been handed to the kernel. */
static void turn_speak_ask_when_sent(struct turn *turn)
{
	int err;

	if (turn->state != TURN_DRAINING || turn->awaits_sent)
		return;
	err = speech_stream_finish(turn->speech);
	if (err == EINPROGRESS)
		return;
	if (err) {
		turn_fail(turn, WIRE_ERROR_INTERNAL, NULL);
		return;
	}
	turn->awaits_sent = true;
	if (!turn_reply_notify_when_sent(&turn->reply))
		turn_handle(turn, TURN_EVENT_SENT);
}

void turn_speak(struct turn *turn)
{
	enum turn_wait wait;
	int err;

	while ((wait = turn_speak_waits_for(turn)) == TURN_WAIT_NOTHING) {
		err = speech_stream_step(turn->speech);
		if (err) {
			turn_speak_on_fault(turn, err);
			return;
		}
	}
	if (wait != turn->wait)
		log_debug("turn", "%s waits for %s", turn->charge.entry.id, turn_wait_name(wait));
	turn->wait = wait;
	if (wait == TURN_WAIT_TEXT)
		turn_speak_ask_when_sent(turn);
}

/* turn->wait is not updated when a running job is held, so that is checked here. */
enum turn_wait turn_wait(const struct turn *turn)
{
	enum turn_wait held =
		turn->wait == TURN_WAIT_ENGINE ? turn_speak_held_by(turn) : TURN_WAIT_NOTHING;

	return held ? held : turn->wait;
}

void turn_on_ready(void *arg)
{
	struct turn *turn = arg;

	turn_enter(turn);
	turn_speak(turn);
	turn_leave(turn);
}

static void turn_speak_on_stepped(void *arg, int err)
{
	struct turn *turn = arg;

	turn_enter(turn);
	if (err)
		turn_speak_on_fault(turn, err);
	else
		turn_speak(turn);
	turn_leave(turn);
}

static void turn_speak_on_answered(void *arg, const struct denied *denied)
{
	struct turn *turn = arg;

	turn_enter(turn);
	if (denied)
		turn_refuse(turn, denied);
	else
		turn_speak(turn);
	turn_leave(turn);
}

static void turn_speak_on_booked(void *arg)
{
	turn_handle(arg, TURN_EVENT_BOOKED);
}

const struct charge_ops turn_charge_ops = {
	.answered = turn_speak_on_answered,
	.booked = turn_speak_on_booked,
};

static int turn_speak_on_began(void *arg, const struct text_chunk *chunk)
{
	struct turn *turn = arg;

	if (turn->services->log_texts)
		log_info("turn", "%s chunk %u: %.*s", turn->charge.entry.id,
			 turn->reply.text_chunks, (int)chunk->len, chunk->text);
	else
		log_debug("turn", "%s chunk %u", turn->charge.entry.id, turn->reply.text_chunks);
	metrics_add(METRIC_CHUNKS, 1);
	return turn_reply_began(&turn->reply, chunk) ? ENOMEM : 0;
}

static int turn_speak_on_frame(void *arg, const struct audio_frame *frame)
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

static void turn_speak_on_ended(void *arg, const struct speech_chunk_end *end)
{
	struct turn *turn = arg;

	turn_reply_ended(&turn->reply, end);
}

const struct speech_stream_ops turn_speech_ops = {
	.began = turn_speak_on_began,
	.frame = turn_speak_on_frame,
	.ended = turn_speak_on_ended,
	.stepped = turn_speak_on_stepped,
};
