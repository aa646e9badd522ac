/*
 * call_listen.c: what the caller says: when a turn is over, and whether it interrupts the agent (part of
 * call.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/mem.h"
#include "call/call_private.h"
#include "call/turn_end.h"

static bool call_listen_agent_is_heard(const struct call *call)
{
	return call->state == CALL_SPEAKING || call->state == CALL_DUCKED;
}

/* The end of a turn */

static void call_listen_nothing(struct call *call)
{
	call_handle(call, call_answer_is_waiting(call) ? CALL_EVENT_NOISE : CALL_EVENT_NOTHING);
}

/* If the words are not known yet, it is decided when they are. */
static void call_listen_on_decided(void *arg)
{
	struct call *call = arg;

	if (ear_has_words(call->ear))
		call_handle(call, CALL_EVENT_DECIDED);
	else if (!ear_awaits_words(call->ear))
		call_listen_nothing(call);
}

static unsigned call_listen_wait_ms(const struct call *call)
{
	struct turn_end_clues clues = {.language = call->settings.language,
				       .model_probability = -1};

	clues.question = call_history_agent_last(&call->history, &clues.question_len);
	clues.words = "";
	if (ear_has_words(call->ear))
		clues.words = ear_text(call->ear, &clues.len);
	clues.has_intonation = call->has_intonation;
	clues.pitch_change = call->intonation.pitch_change;
	clues.energy_change = call->intonation.energy_change;
	clues.last_syllable_ms = call->intonation.syllable_ms;
	return turn_end_wait_ms(&call->settings.turn_end, &clues);
}

/* Sets the timer to the rest of the silence that is needed. */
static void call_listen_time(struct call *call)
{
	uint64_t silent_us = call_now_us(call) - call->paused_us;
	uint64_t wait_us;

	call->wait_ms = call_listen_wait_ms(call);
	wait_us = call->wait_ms * UINT64_C(1000);
	timer_set(call->options.services->timers, &call->decide_timer,
		  wait_us > silent_us ? wait_us - silent_us : 0, call_listen_on_decided, call);
}

void call_listen_pause(struct call *call)
{
	size_t count;
	const int16_t *tail = ear_tail(call->ear, &count);

	call->has_intonation = intonation_measure(&call->intonation, tail, count);
	call->paused_us = call_now_us(call) - ear_silence_ms(call->ear) * UINT64_C(1000);
	call->figures.last = CALL_TURN_TIMES_UNKNOWN;
	call_listen_time(call);
}

static void call_listen_show(struct call *call, const char *text, size_t len)
{
	const struct call_info info = call_info(call);
	const struct call_dialect *dialect = call->options.api->dialect;
	struct buf message;

	if (dialect->user_words && call_wants(call, CALL_WANTS_TENTATIVE))
		call_send(call, &message,
			  dialect->user_words(call_begin_message(call, &message), &info,
					      call->event_id + 1, text, len, true),
			  0, 0);
}

void call_listen_words(struct call *call)
{
	size_t len;
	const char *text = ear_text(call->ear, &len);

	call->figures.last.words_us =
		(int64_t)(timers_real_us(call->options.services->timers) - call->paused_us);
	call_listen_show(call, text, len);
	if (call->settings.is_speculative)
		call_answer_speculate(call);
	call_listen_time(call);
}

void call_listen_forget(struct call *call)
{
	timer_clear(call->options.services->timers, &call->decide_timer);
	ear_next_turn(call->ear);
}

/* Whether the caller interrupts */

static void call_listen_judge(struct call *call, enum barge_in_verdict verdict)
{
	switch (verdict) {
	case BARGE_IN_NOTHING:
		break;
	case BARGE_IN_DUCK:
		call_handle(call, CALL_EVENT_DUCK);
		break;
	case BARGE_IN_RESUME:
		call_handle(call, CALL_EVENT_RESUME);
		break;
	case BARGE_IN_CUT:
		call_handle(call,
			    ear_is_speech(call->ear) ? CALL_EVENT_CUT : CALL_EVENT_CUT_PAUSED);
		break;
	}
}

/* Words that were said while the agent speaks either interrupt it or are forgotten. */
static void call_listen_judge_words(struct call *call, const char *text, size_t len, bool is_final)
{
	size_t spoken_len;
	const char *spoken = mouth_recent_text(call->mouth, &spoken_len);
	enum barge_in_verdict verdict;

	if (!call->settings.is_interruptible)
		verdict = BARGE_IN_RESUME;
	else
		verdict = barge_in_words(&call->barge_in, text, len, spoken, spoken_len,
					 call->ignored_terms);
	call_listen_judge(call, verdict);
	if (is_final && verdict != BARGE_IN_CUT && call->ear)
		ear_next_turn(call->ear);
}

/* What the ear reports */

static void call_listen_on_frame(void *arg, const struct ear_frame *frame)
{
	struct call *call = arg;
	const struct call_info info = call_info(call);
	const struct call_dialect *dialect = call->options.api->dialect;
	struct buf message;

	if (dialect->activity && call_wants(call, CALL_WANTS_ACTIVITY) &&
	    call->state != CALL_OPENING)
		call_send(call, &message,
			  dialect->activity(call_begin_message(call, &message), &info,
					    frame->probability / 255.0),
			  0, 0);
	if (call_listen_agent_is_heard(call) && call->settings.is_interruptible) {
		const struct barge_in_frame heard = {
			.probability = frame->probability,
			.level_db = frame->level_db,
			.brightness_db = frame->brightness_db,
			.voicing = frame->voicing,
			.agent_level_db = mouth_level_db(call->mouth),
		};

		call_listen_judge(call, barge_in_frame(&call->barge_in, &heard));
	}
}

static void call_listen_on_speech(void *arg)
{
	struct call *call = arg;

	if (!call_listen_agent_is_heard(call))
		call_handle(call, CALL_EVENT_SPEECH);
}

static void call_listen_on_pause(void *arg)
{
	struct call *call = arg;

	if (!call_listen_agent_is_heard(call))
		call_handle(call, CALL_EVENT_PAUSE);
}

static void call_listen_on_partial(void *arg, const char *text, size_t len)
{
	struct call *call = arg;

	if (call_listen_agent_is_heard(call))
		call_listen_judge_words(call, text, len, false);
	else
		call_listen_show(call, text, len);
}

static void call_listen_on_words(void *arg, const char *text, size_t len)
{
	struct call *call = arg;

	if (call_listen_agent_is_heard(call))
		call_listen_judge_words(call, text, len, true);
	else if (len > 0)
		call_handle(call, CALL_EVENT_WORDS);
	else
		call_listen_nothing(call);
}

/* What the caller has said before anything could be answered: a client may send audio at once, and faster
 * than it is spoken. */
void call_listen_catch_up(struct call *call)
{
	size_t len = 0;

	if (!call->ear || (!ear_is_speech(call->ear) && !ear_awaits_words(call->ear) &&
			   !ear_has_words(call->ear)))
		return;
	call_handle(call, CALL_EVENT_SPEECH);
	if (ear_is_speech(call->ear))
		return;
	call_handle(call, CALL_EVENT_PAUSE);
	if (!ear_has_words(call->ear))
		return;
	(void)ear_text(call->ear, &len);
	call_handle(call, len > 0 ? CALL_EVENT_WORDS : CALL_EVENT_NOTHING);
}

static void call_listen_on_failed(void *arg, const struct stream_fault *fault)
{
	call_fail(arg, fault);
}

static void call_listen_on_flow(void *arg, bool pause)
{
	struct call *call = arg;
	const struct peer *peer = call->options.peer;

	if (peer->ops->pause && !call->is_closed)
		peer->ops->pause(peer->peer, pause);
}

static const struct ear_ops call_listen_ear_ops = {
	.frame = call_listen_on_frame,
	.speech = call_listen_on_speech,
	.pause = call_listen_on_pause,
	.partial = call_listen_on_partial,
	.words = call_listen_on_words,
	.failed = call_listen_on_failed,
	.flow = call_listen_on_flow,
};

/* Joins the terms of the settings and those of the language. */
static void call_listen_set_terms(struct call *call)
{
	const char *const lists[] = {
		call->settings.ignored_terms,
		call->settings.adds_default_terms ? barge_in_default_terms(call->settings.language)
						  : "",
	};
	size_t at = 0;

	for (size_t i = 0; i < 2; ++i) {
		for (const char *term = lists[i]; *term; term += strlen(term) + 1) {
			size_t size = strlen(term) + 1;

			if (at + size >= sizeof(call->ignored_terms))
				break;
			memcpy(call->ignored_terms + at, term, size);
			at += size;
		}
	}
	call->ignored_terms[at] = '\0';
}

int call_listen_open(struct call *call, struct stream_fault *fault)
{
	const struct ear_request request = {
		.services = call->options.services,
		.caller = call->caller,
		.model = "",
		.language = call->settings.language,
		.format = call->settings.input,
		.want_partials = true,
	};

	call_listen_set_terms(call);
	return ear_alloc(&call->ear, &request, &call_listen_ear_ops, call, fault);
}

void call_listen_audio(struct call *call, const char *base64, size_t len)
{
	struct stream_fault fault;
	uint8_t *bytes;
	size_t count;
	int err;

	if (!call->ear)
		return;
	bytes = malloc(base64_decoded_max(len) + 1);
	err = bytes ? base64_decode(bytes, &count, base64, len) : ENOMEM;
	if (err == ENOMEM)
		fault_set(&fault, WIRE_ERROR_INTERNAL, "%s", "");
	else if (err)
		fault_set(&fault, WIRE_ERROR_BAD_MESSAGE, "the audio is not base64");
	if (!err) {
		err = ear_audio(call->ear, bytes, count);
		if (err == EMSGSIZE)
			fault_set(&fault, WIRE_ERROR_AUDIO_TOO_LONG, "at most %u s in one message",
				  EAR_MESSAGE_S);
		else if (err)
			fault_set(&fault, WIRE_ERROR_INTERNAL, "%s", "");
	}
	free(bytes);
	if (err)
		call_send_fault(call, &fault);
}
