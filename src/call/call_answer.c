/*
 * call_answer.c: what the agent says: questions, answers, and how much of them was heard (part of
 * call.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "call/call_private.h"
#include "session/session.h"

/* How long ago the caller stopped speaking. */
static int64_t call_answer_us(const struct call *call)
{
	return (int64_t)(timers_real_us(call->options.services->timers) - call->paused_us);
}

/* What the user has said becomes part of the history when the agent is heard, or cannot be. */
static void call_answer_note_question(struct call *call)
{
	if (call->is_asked)
		(void)call_history_add(&call->history, false, call->asked.bytes, call->asked.len);
	call->is_asked = false;
}

/* In writing: sends the agent's words as they arrive. */
static void call_answer_send_part(struct call *call, enum call_part part, const char *text,
				  size_t len)
{
	const struct call_info info = call_info(call);
	const struct call_dialect *dialect = call->options.api->dialect;
	struct buf message;

	if (dialect->agent_part &&
	    (call->settings.is_text_only || call_wants(call, CALL_WANTS_PARTS)))
		call_send(call, &message,
			  dialect->agent_part(call_begin_message(call, &message), &info,
					      call->event_id, part, text, len),
			  0, 0);
}

/* Sends the words that were not sent yet. */
static void call_answer_show_words(struct call *call)
{
	if (call->shown_len == call->written.len)
		return;
	if (!call->has_parts)
		call_answer_send_part(call, CALL_PART_START, "", 0);
	call->has_parts = true;
	call_answer_send_part(call, CALL_PART_WORDS, call->written.bytes + call->shown_len,
			      call->written.len - call->shown_len);
	call->shown_len = call->written.len;
}

static void call_answer_end_parts(struct call *call)
{
	if (call->has_parts)
		call_answer_send_part(call, CALL_PART_END, "", 0);
	call->has_parts = false;
}

/* Forgets the answer that is being written or held. */
static void call_answer_drop(struct call *call)
{
	if (call->answerer && call->is_awaited)
		call->answerer->ops->drop(call->answerer);
	if (call->mouth)
		mouth_cut(call->mouth, 0, NULL);
	call_answer_end_parts(call);
	call->written.len = call->shown_len = 0;
	call->is_awaited = call->is_written = call->has_failed = call->is_announced = false;
	call->is_decided = call->is_unspeakable = false;
}

/* Sends what the agent says as a whole, once it is known and it is its turn. */
static void call_answer_announce(struct call *call)
{
	const struct call_info info = call_info(call);
	const struct call_dialect *dialect = call->options.api->dialect;
	struct buf message;

	if (call->is_announced || call->written.len == 0 || !call->is_decided)
		return;
	call->is_announced = true;
	if (dialect->agent_words && call_wants(call, CALL_WANTS_RESPONSE))
		call_send(call, &message,
			  dialect->agent_words(call_begin_message(call, &message), &info,
					       call->event_id, call->written.bytes,
					       call->written.len),
			  0, 0);
}

static void call_answer_report_cut(struct call *call, const struct buf *heard)
{
	const struct call_info info = call_info(call);
	const struct call_dialect *dialect = call->options.api->dialect;
	struct buf message;

	call_answer_announce(call);
	call_answer_end_parts(call);
	if (dialect->interrupted && call_wants(call, CALL_WANTS_INTERRUPTION))
		call_send(call, &message,
			  dialect->interrupted(call_begin_message(call, &message), &info,
					       call->event_id),
			  0, 0);
	if (dialect->corrected && call_wants(call, CALL_WANTS_CORRECTION))
		call_send(call, &message,
			  dialect->corrected(call_begin_message(call, &message), &info,
					     call->event_id, &call->written, heard),
			  0, 0);
}

/* An answer that was shown but not heard is taken back: the caller goes on before its first sound. */
static void call_answer_take_back(struct call *call)
{
	struct buf nothing;

	if (!call->is_asked || (!call->is_announced && !call->has_parts))
		return;
	buf_init(&nothing, 1);
	call_answer_report_cut(call, &nothing);
}

/* Asks the agent, whose words are held back until it is its turn. */
static void call_answer_ask(struct call *call, const char *text, size_t len)
{
	struct answerer_said *said;
	size_t count;
	int err;

	call_answer_drop(call);
	++call->event_id;
	call->asked.len = 0;
	err = buf_append(&call->asked, text, len);
	call->is_asked = true;
	said = call_history_with(&call->history, call->asked.bytes, call->asked.len, &count);
	if (!err)
		err = said ? call->answerer->ops->ask(call->answerer, call->event_id, said, count)
			   : ENOMEM;
	free(said);
	call->is_awaited = !err;
	call->figures.last.asked_us = call_answer_us(call);
	if (err) {
		log_warn("call", "%s: the agent cannot be asked: %s", call->id, strerror(err));
		call->has_failed = true;
	} else if (call->mouth) {
		mouth_begin(call->mouth, true);
	}
}

/* Asks what the caller has said, unless that is what the agent was asked last.  Returns whether it was
 * asked. */
static bool call_answer_ask_said(struct call *call)
{
	size_t len;
	const char *text = ear_text(call->ear, &len);

	if (call->is_asked && !call->was_typed && call->asked.len == len &&
	    memcmp(call->asked.bytes, text, len) == 0)
		return false; /* it was noise that seemed to go on */
	call_answer_take_back(call);
	if (call->was_typed)
		call_answer_note_question(call);
	call->was_typed = false;
	call_answer_ask(call, text, len);
	return true;
}

void call_answer_speculate(struct call *call)
{
	if (call_answer_ask_said(call))
		call_figures_count(&call->figures.speculations, METRIC_CALL_SPECULATIONS);
}

/* What the agent was asked is not all that the caller says.  Its answer is kept until it is known whether
 * more words were said, because it may have been noise. */
void call_answer_reopen(struct call *call)
{
	timer_clear(call->options.services->timers, &call->decide_timer);
	if (!call->is_asked)
		return;
	call_figures_count(&call->figures.reopened, METRIC_CALL_REOPENED);
	call->is_decided = false;
}

bool call_answer_is_waiting(const struct call *call)
{
	return call->is_asked || call->is_decided;
}

/* The client is sent what was said, but not what it has sent itself. */
static void call_answer_show_question(struct call *call)
{
	const struct call_info info = call_info(call);
	const struct call_dialect *dialect = call->options.api->dialect;
	struct buf message;

	if (call->was_typed || call->shown_id == call->event_id)
		return;
	call->shown_id = call->event_id;
	if (dialect->user_words && call_wants(call, CALL_WANTS_TRANSCRIPT))
		call_send(call, &message,
			  dialect->user_words(call_begin_message(call, &message), &info,
					      call->event_id, call->asked.bytes, call->asked.len,
					      false),
			  0, 0);
}

/* Continues with what is known of the answer, now that it is the agent's turn. */
static void call_answer_go_on(struct call *call)
{
	bool is_empty = call->is_written && (!call->mouth || !mouth_is_open(call->mouth));

	call->is_decided = true;
	call_answer_show_words(call);
	if (call->is_written)
		call_answer_announce(call);
	if (call->is_unspeakable || (call->has_failed && call->written.len == 0))
		call_handle(call, CALL_EVENT_FAILED);
	else if (call->mouth && mouth_has_sound(call->mouth))
		call_handle(call, CALL_EVENT_SOUND);
	else if (is_empty)
		call_handle(call, CALL_EVENT_SPOKEN);
}

void call_answer_commit(struct call *call)
{
	call->figures.last.wait_us = call->wait_ms * INT64_C(1000);
	call->figures.last.decided_us = call_answer_us(call);
	(void)call_answer_ask_said(call);
	call_answer_show_question(call);
	call_answer_go_on(call);
}

/* It was noise after all: the answer is still the one to what was asked. */
void call_answer_resume(struct call *call)
{
	timer_clear(call->options.services->timers, &call->decide_timer);
	if (call->was_typed || !call->is_asked)
		ear_next_turn(call->ear);
	else
		call_answer_show_question(call);
	call_answer_go_on(call);
}

/* What was said before the text is part of the history, even if it was not certain that it was all. */
static void call_answer_note_said(struct call *call)
{
	size_t len;
	const char *text;

	if (call->was_typed || !call->ear || !ear_has_words(call->ear)) {
		call_answer_note_question(call);
		return;
	}
	text = ear_text(call->ear, &len);
	(void)call_history_add(&call->history, false, text, len);
	call->is_asked = false;
}

void call_answer_typed(struct call *call)
{
	timer_clear(call->options.services->timers, &call->decide_timer);
	call_answer_take_back(call);
	call_answer_note_said(call);
	if (call->ear)
		ear_next_turn(call->ear);
	call->paused_us = call_now_us(call);
	call->figures.last = CALL_TURN_TIMES_UNKNOWN;
	call->was_typed = true;
	call_answer_ask(call, call->typed.bytes, call->typed.len);
	call_answer_go_on(call);
}

void call_answer_greet(struct call *call)
{
	const char *text = call->settings.first_message;

	++call->event_id;
	(void)buf_append(&call->written, text, strlen(text));
	call->is_written = call->is_decided = true;
	call->paused_us = call_now_us(call);
	if (call->mouth) {
		mouth_begin(call->mouth, true);
		if (mouth_say(call->mouth, text, strlen(text)) != 0)
			call->has_failed = true;
		mouth_end(call->mouth);
	}
	call_answer_show_words(call);
	call_answer_announce(call);
	if (!call->mouth)
		call_handle(call, CALL_EVENT_SPOKEN);
}

/* Some servers say that an answer is complete and go on later, for instance when they have looked
 * something up.  What was heard before is in the history. */
void call_answer_continue(struct call *call)
{
	call->written.len = call->shown_len = 0;
	call->is_written = call->is_announced = call->has_failed = false;
	call->is_decided = true;
	call->paused_us = call_now_us(call);
	if (call->mouth)
		mouth_begin(call->mouth, true);
}

/* The agent is about to be heard, so the caller's turn is over. */
void call_answer_speak(struct call *call)
{
	struct call_turn_times *last = &call->figures.last;

	call_answer_note_question(call);
	call_figures_count(&call->figures.turns, METRIC_CALL_TURNS);
	last->sound_us = call_answer_us(call);
	call_figures_note_turn(last);
	log_debug("call",
		  "%s: words after %lld us, asked %lld, silence %lld, decided %lld, answer %lld, "
		  "ready %lld, sound %lld",
		  call->id, (long long)last->words_us, (long long)last->asked_us,
		  (long long)last->wait_us, (long long)last->decided_us, (long long)last->answer_us,
		  (long long)last->ready_us, (long long)last->sound_us);
	ear_next_turn(call->ear);
	barge_in_rest(&call->barge_in);
	mouth_release(call->mouth);
}

/* The agent's turn is over.  Words that are known are those of its question; the caller may be saying
 * something else. */
static void call_answer_give_turn(struct call *call)
{
	if (call->ear && ear_has_words(call->ear))
		ear_next_turn(call->ear);
	call_listen_catch_up(call);
}

/* The agent was heard to its end. */
void call_answer_finish(struct call *call)
{
	call_answer_note_question(call);
	call_answer_announce(call);
	call_answer_end_parts(call);
	(void)call_history_add(&call->history, true, call->written.bytes, call->written.len);
	call->is_decided = false;
	call_answer_give_turn(call);
}

void call_answer_give_up(struct call *call)
{
	struct buf heard;

	call_figures_count(&call->figures.failed, METRIC_CALL_FAILED);
	if (!call->is_unspeakable)
		fault_set(&call->fault, WIRE_ERROR_NO_ANSWER, "%s", "");
	call_send_fault(call, &call->fault);
	buf_init(&heard, MOUTH_TEXT_MAX);
	call_answer_note_question(call);
	if (call->mouth)
		mouth_cut(call->mouth, 0, &heard);
	(void)call_history_add(&call->history, true, heard.bytes, heard.len);
	buf_reset(&heard);
	call_answer_drop(call);
	call_answer_give_turn(call);
}

/* The caller interrupts */

void call_answer_interrupt(struct call *call)
{
	unsigned delay_ms = call->round_trip_ms > 0 ? (unsigned)call->round_trip_ms / 2 : 0;
	const struct peer *peer = call->options.peer;
	struct buf heard;

	buf_init(&heard, MOUTH_TEXT_MAX);
	call_figures_count(&call->figures.interruptions, METRIC_CALL_INTERRUPTIONS);
	mouth_take_back(call->mouth, peer->ops->drop(peer->peer, CALL_AUDIO_TAG));
	mouth_cut(call->mouth, delay_ms, &heard);
	call_answer_report_cut(call, &heard);
	(void)call_history_add(&call->history, true, heard.bytes, heard.len);
	buf_reset(&heard);
	call_answer_drop(call);
}

void call_answer_interrupt_paused(struct call *call)
{
	call_answer_interrupt(call);
	call_listen_pause(call);
	if (ear_has_words(call->ear))
		call_handle(call, CALL_EVENT_WORDS);
}

void call_answer_typed_over(struct call *call)
{
	call_answer_interrupt(call);
	call_answer_typed(call);
}

/* What the answerer says */

static void call_answer_on_words(void *arg, int64_t event_id, const char *text, size_t len)
{
	struct call *call = arg;
	int err;

	if (event_id != call->event_id || len == 0)
		return;
	if (call->is_written) /* otherwise it was dropped */
		call_handle(call, CALL_EVENT_CONTINUE);
	if (call->is_written && call->mouth && !mouth_is_open(call->mouth)) {
		if (!call->is_asked || call->is_unspeakable)
			return; /* the agent's turn is over, and the caller has begun theirs */
		mouth_begin(call->mouth, true); /* there were no words before */
	}
	if (call->written.len == 0)
		call->figures.last.answer_us = call_answer_us(call);
	err = buf_append(&call->written, text, len);
	if (!err && call->mouth) {
		err = mouth_say(call->mouth, text, len);
		if (err)
			call->written.len -= len; /* nobody will hear it */
	}
	call->is_written = false;
	call->is_awaited = true;
	if (err)
		log_warn("call", "%s: words of an answer are left out: %s", call->id,
			 strerror(err));
	else if (call->is_decided)
		call_answer_show_words(call);
}

static void call_answer_on_complete(void *arg, int64_t event_id)
{
	struct call *call = arg;

	if (event_id != call->event_id || call->is_written)
		return;
	call->is_written = true;
	call->is_awaited = false;
	call_answer_announce(call);
	if (call->mouth)
		mouth_end(call->mouth);
	else if (call->is_decided)
		call_handle(call, CALL_EVENT_SPOKEN);
}

/* Words that have arrived are still spoken. */
static void call_answer_on_failed(void *arg, int64_t event_id, enum answerer_fault fault,
				  const char *why)
{
	struct call *call = arg;

	(void)fault;
	if (event_id != call->event_id)
		return;
	log_warn("call", "%s: no answer: %s", call->id, why);
	call->has_failed = true;
	call->is_awaited = false;
	if (call->written.len > 0)
		call_answer_on_complete(call, event_id);
	else if (call->is_decided)
		call_handle(call, CALL_EVENT_FAILED);
}

static void call_answer_on_closed(void *arg, const char *why)
{
	struct call *call = arg;
	struct stream_fault fault;

	fault_set(&fault, WIRE_ERROR_NO_ANSWER, "%s", why);
	call_send_fault(call, &fault);
	call_hang_up(call, SESSION_CLOSE_INTERNAL, "the agent's server has ended the conversation");
}

const struct answerer_listener call_answer_listener = {
	.words = call_answer_on_words,
	.complete = call_answer_on_complete,
	.failed = call_answer_on_failed,
	.closed = call_answer_on_closed,
};

/* Marks */

/* Clients that return marks know what they have played better than a clock can. */
static void call_answer_mark(struct call *call)
{
	const struct call_info info = call_info(call);
	const struct call_dialect *dialect = call->options.api->dialect;
	int64_t number = ++call->mark_number;
	struct buf message;

	call->marks[number % CALL_MARKS] =
		(struct call_mark){number, call->event_id, mouth_sent(call->mouth)};
	call_send(call, &message, dialect->mark(call_begin_message(call, &message), &info, number),
		  CALL_AUDIO_TAG, 0);
}

void call_answer_played(struct call *call, int64_t mark)
{
	struct call_mark *found = &call->marks[(uint64_t)mark % CALL_MARKS];

	if (call->mouth && found->number == mark && found->event_id == call->event_id)
		mouth_note_played(call->mouth, found->samples);
	if (found->number == mark)
		found->event_id = -1; /* a mark that is returned again means nothing */
}

/* What the mouth says */

static void call_answer_on_audio(void *arg, const uint8_t *bytes, size_t len, uint32_t samples)
{
	struct call *call = arg;
	const struct call_info info = call_info(call);
	struct buf message;

	if (call_wants(call, CALL_WANTS_AUDIO))
		call_send(call, &message,
			  call->options.api->dialect->audio(call_begin_message(call, &message),
							    &info, call->event_id, bytes, len),
			  CALL_AUDIO_TAG, samples);
	if (call->options.api->dialect->mark)
		call_answer_mark(call);
}

static void call_answer_on_ready(void *arg)
{
	struct call *call = arg;

	call->figures.last.ready_us = call_answer_us(call);
	if (call->is_decided)
		call_handle(call, CALL_EVENT_SOUND);
}

static void call_answer_on_finished(void *arg)
{
	call_handle(arg, CALL_EVENT_SPOKEN);
}

static void call_answer_on_mouth_failed(void *arg, const struct stream_fault *fault)
{
	struct call *call = arg;

	call->is_unspeakable = true;
	call->fault = *fault;
	if (call->is_decided) /* otherwise nobody expects it yet */
		call_handle(call, CALL_EVENT_FAILED);
}

static const struct mouth_ops call_answer_mouth_ops = {
	.audio = call_answer_on_audio,
	.ready = call_answer_on_ready,
	.finished = call_answer_on_finished,
	.failed = call_answer_on_mouth_failed,
};

int call_answer_open(struct call *call)
{
	struct settings settings;
	const struct mouth_request request = {
		.services = call->options.services,
		.caller = call->caller,
		.request_id = call->request_id,
		.settings = &settings,
	};
	int err = 0;

	settings_copy(&settings, &settings_default);
	settings.voice_id = call->settings.voice_id;
	settings.speed = call->settings.speed;
	settings.format = call->settings.output;
	settings.set = SETTING_VOICE_ID | SETTING_SPEED | SETTING_OUTPUT_FORMAT;
	if (!call->settings.is_text_only)
		err = mouth_alloc(&call->mouth, &request, &call_answer_mouth_ops, call);
	settings_reset(&settings);
	if (!err)
		err = call->options.open_answerer(call->options.arg, &call->answerer,
						  &call->settings, &call_answer_listener, call);
	return err;
}
