/*
 * call.c: the states of a call, its client's messages, its timers and its end (see call.h).
 */
#include "call/call.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "call/call_private.h"
#include "session/session.h"

#define CLOSE_REASON_SIZE 256 /* as much of it is sent as fits into a frame */

typedef void(call_action)(struct call *call);

static call_action call_do_nothing, call_duck, call_resume, call_close;

/* Speech in QUIET and PAUSED states, and after the agent's last word, needs no decision: whoever speaks
 * has the turn.  While the agent is heard, only DUCK and CUT matter (call_listen.c). */
static const struct call_row {
	enum call_state to;
	call_action *act; /* NULL: no such edge */
} call_table[CALL_STATE_COUNT][CALL_EVENT_COUNT] = {
	[CALL_OPENING] =
		{
			[CALL_EVENT_START] = {CALL_QUIET, call_listen_catch_up},
			[CALL_EVENT_GREET] = {CALL_ANSWERING, call_answer_greet},
			[CALL_EVENT_HANG_UP] = {CALL_CLOSED, call_close},
		},
	[CALL_QUIET] =
		{
			[CALL_EVENT_SPEECH] = {CALL_HEARING, call_do_nothing},
			[CALL_EVENT_TEXT] = {CALL_ANSWERING, call_answer_typed},
			[CALL_EVENT_CONTINUE] = {CALL_ANSWERING, call_answer_continue},
			[CALL_EVENT_HANG_UP] = {CALL_CLOSED, call_close},
		},
	[CALL_HEARING] =
		{
			[CALL_EVENT_PAUSE] = {CALL_PAUSED, call_listen_pause},
			[CALL_EVENT_TEXT] = {CALL_ANSWERING, call_answer_typed},
			[CALL_EVENT_HANG_UP] = {CALL_CLOSED, call_close},
		},
	[CALL_PAUSED] =
		{
			[CALL_EVENT_SPEECH] = {CALL_HEARING, call_answer_reopen},
			[CALL_EVENT_WORDS] = {CALL_PAUSED, call_listen_words},
			[CALL_EVENT_NOTHING] = {CALL_QUIET, call_listen_forget},
			[CALL_EVENT_NOISE] = {CALL_ANSWERING, call_answer_resume},
			[CALL_EVENT_DECIDED] = {CALL_ANSWERING, call_answer_commit},
			[CALL_EVENT_TEXT] = {CALL_ANSWERING, call_answer_typed},
			[CALL_EVENT_HANG_UP] = {CALL_CLOSED, call_close},
		},
	[CALL_ANSWERING] =
		{
			[CALL_EVENT_SPEECH] = {CALL_HEARING, call_answer_reopen},
			[CALL_EVENT_TEXT] = {CALL_ANSWERING, call_answer_typed},
			[CALL_EVENT_SOUND] = {CALL_SPEAKING, call_answer_speak},
			[CALL_EVENT_SPOKEN] = {CALL_QUIET, call_answer_finish},
			[CALL_EVENT_FAILED] = {CALL_QUIET, call_answer_give_up},
			[CALL_EVENT_HANG_UP] = {CALL_CLOSED, call_close},
		},
	[CALL_SPEAKING] =
		{
			[CALL_EVENT_TEXT] = {CALL_ANSWERING, call_answer_typed_over},
			[CALL_EVENT_SPOKEN] = {CALL_QUIET, call_answer_finish},
			[CALL_EVENT_FAILED] = {CALL_QUIET, call_answer_give_up},
			[CALL_EVENT_DUCK] = {CALL_DUCKED, call_duck},
			[CALL_EVENT_CUT] = {CALL_HEARING, call_answer_interrupt},
			[CALL_EVENT_CUT_PAUSED] = {CALL_PAUSED, call_answer_interrupt_paused},
			[CALL_EVENT_HANG_UP] = {CALL_CLOSED, call_close},
		},
	[CALL_DUCKED] =
		{
			[CALL_EVENT_TEXT] = {CALL_ANSWERING, call_answer_typed_over},
			[CALL_EVENT_SPOKEN] = {CALL_QUIET, call_answer_finish},
			[CALL_EVENT_FAILED] = {CALL_QUIET, call_answer_give_up},
			[CALL_EVENT_RESUME] = {CALL_SPEAKING, call_resume},
			[CALL_EVENT_CUT] = {CALL_HEARING, call_answer_interrupt},
			[CALL_EVENT_CUT_PAUSED] = {CALL_PAUSED, call_answer_interrupt_paused},
			[CALL_EVENT_HANG_UP] = {CALL_CLOSED, call_close},
		},
};

static const char *const call_state_names[] = {
#define X(name) #name,
	CALL_STATES(X)
#undef X
};

static const char *const call_event_names[] = {
#define X(name) #name,
	CALL_EVENTS(X)
#undef X
};

bool call_edge(enum call_state *to, enum call_state from, enum call_event event)
{
	*to = call_table[from][event].to;
	return call_table[from][event].act != NULL;
}

const char *call_state_name(enum call_state state)
{
	return call_state_names[state];
}

const char *call_event_name(enum call_event event)
{
	return call_event_names[event];
}

uint64_t call_now_us(const struct call *call)
{
	return call->options.services->timers->now_us;
}

static void call_on_silence(void *arg)
{
	call_hang_up(arg, SESSION_CLOSE_NORMAL, "silence");
}

/* The silence counts only while nobody speaks and nobody is expected to answer. */
static void call_time_silence(struct call *call)
{
	struct timers *timers = call->options.services->timers;

	timer_clear(timers, &call->silence_timer);
	if (call->state == CALL_QUIET && call->away_reason)
		call_hang_up(call, SESSION_CLOSE_RESTART, call->away_reason);
	else if (call->state == CALL_QUIET && call->settings.silence_end_s >= 0)
		timer_set(timers, &call->silence_timer,
			  (uint64_t)call->settings.silence_end_s * 1000000u, call_on_silence, call);
}

void call_handle(struct call *call, enum call_event event)
{
	const struct call_row *row = &call_table[call->state][event];

	if (!row->act)
		return;
	if (row->to != call->state)
		log_debug("call", "%s %s: %s to %s", call->id, call_event_name(event),
			  call_state_name(call->state), call_state_name(row->to));
	mem_ref(call);
	call->state = row->to;
	row->act(call);
	call_time_silence(call);
	mem_deref(call);
}

static void call_do_nothing(struct call *call)
{
	(void)call;
}

static void call_duck(struct call *call)
{
	mouth_duck(call->mouth, true);
}

static void call_resume(struct call *call)
{
	call_figures_count(&call->figures.resumed, METRIC_CALL_RESUMED);
	mouth_duck(call->mouth, false);
}

/* Messages to the client */

struct call_info call_info(const struct call *call)
{
	return (struct call_info){
		.id = call->id, .stream = call->stream, .settings = &call->settings};
}

bool call_wants(const struct call *call, enum call_wants message)
{
	return call->settings.wants & message;
}

struct buf *call_begin_message(const struct call *call, struct buf *message)
{
	return peer_begin(call->options.peer, message);
}

void call_send(const struct call *call, struct buf *message, int err, uint64_t tag,
	       uint32_t samples)
{
	if (call->is_closed)
		buf_reset(message);
	else
		peer_send(call->options.peer, message, err, tag, samples);
}

void call_send_fault(struct call *call, const struct stream_fault *fault)
{
	const struct wire_notice notice = {
		.id = fault->id,
		.retry_s = fault->retry_s,
		.detail = fault->detail,
		.field = fault->field,
		.request_id = call->request_id,
	};
	const struct call_info info = call_info(call);
	const struct call_dialect *dialect = call->options.api->dialect;
	struct buf message;

	session_note_error(&notice);
	if (dialect->error)
		call_send(call, &message,
			  dialect->error(call_begin_message(call, &message), &info, &notice), 0, 0);
}

void call_fail(struct call *call, const struct stream_fault *fault)
{
	/* A client that has not begun shows its user only the reason of the end. */
	bool has_detail = fault->detail[0] != '\0';
	char reason[CLOSE_REASON_SIZE];

	snprintf(reason, sizeof(reason), "%s%s%s", wire_error_get(fault->id)->text,
		 has_detail ? ": " : "", fault->detail);
	call_send_fault(call, fault);
	call_hang_up(call, SESSION_CLOSE_POLICY, reason);
}

/* Pings, which measure how long sound takes to reach the client. */

static void call_on_ping(void *arg)
{
	struct call *call = arg;
	const struct call_info info = call_info(call);
	const struct call_dialect *dialect = call->options.api->dialect;
	struct buf message;

	timer_set(call->options.services->timers, &call->ping_timer, CALL_PING_MS * 1000u,
		  call_on_ping, call);
	if (!dialect->ping || !call_wants(call, CALL_WANTS_PING))
		return;
	call->pinged_us = call_now_us(call);
	call_send(call, &message,
		  dialect->ping(call_begin_message(call, &message), &info, ++call->ping_number,
				call->round_trip_ms),
		  0, 0);
}

static void call_take_pong(struct call *call, int64_t number)
{
	if (number != call->ping_number || call->pinged_us == 0)
		return;
	call->round_trip_ms = (int64_t)((call_now_us(call) - call->pinged_us) / 1000);
	metrics_observe(METRIC_CALL_ROUND_TRIP, call_now_us(call) - call->pinged_us);
	call->pinged_us = 0;
}

/* The beginning */

static void call_on_opening(void *arg)
{
	call_hang_up(arg, SESSION_CLOSE_POLICY, "the client has not begun");
}

static void call_on_duration(void *arg)
{
	struct call *call = arg;
	struct stream_fault fault;

	fault_set(&fault, WIRE_ERROR_CALL_TOO_LONG, "at most %u s", call->settings.duration_max_s);
	call_send_fault(call, &fault);
	call_hang_up(call, SESSION_CLOSE_NORMAL, "the call has reached its maximum duration");
}

/* The client has had time to prepare for more than the first reply.  It may have sent something meanwhile:
 * an agent that speaks answers it instead of greeting. */
static void call_on_gap(void *arg)
{
	struct call *call = arg;
	bool is_asked = call->typed.len > 0;
	bool greets = call->settings.first_message[0] && !(is_asked && call->mouth);

	mem_ref(call);
	call_on_ping(call);
	call_handle(call, greets ? CALL_EVENT_GREET : CALL_EVENT_START);
	if (is_asked)
		call_handle(call, CALL_EVENT_TEXT);
	mem_deref(call);
}

/* Prepares everything and sends the first reply. */
static void call_start(struct call *call)
{
	struct timers *timers = call->options.services->timers;
	const struct call_info info = call_info(call);
	struct stream_fault fault;
	struct buf message;

	if (call->settings.voice_name[0] && call->options.find_voice &&
	    call->options.find_voice(call->options.arg, &call->settings) != 0) {
		fault_set(&fault, WIRE_ERROR_VOICE_NOT_FOUND, "%s", call->settings.voice_name);
		call_fail(call, &fault);
		return;
	}
	fault_set(&fault, WIRE_ERROR_UNAVAILABLE, "nobody answers this agent's calls");
	if (call_answer_open(call) != 0 ||
	    (!call->settings.is_text_only && call_listen_open(call, &fault) != 0)) {
		call_fail(call, &fault);
		return;
	}
	metrics_add(METRIC_CALLS_STARTED, 1);
	call_send(call, &message,
		  call->options.api->dialect->started(call_begin_message(call, &message), &info), 0,
		  0);
	timer_set(timers, &call->duration_timer, call->settings.duration_max_s * UINT64_C(1000000),
		  call_on_duration, call);
	timer_set(timers, &call->gap_timer, call->options.api->start_gap_ms * UINT64_C(1000),
		  call_on_gap, call);
	if (call->ear)
		ear_begin(call->ear, call->settings.keywords);
}

static bool call_has_started(const struct call *call)
{
	return call->answerer || call->state != CALL_OPENING;
}

/* Messages of the client */

/* Whether the text has a length that is allowed; otherwise the client is told. */
static bool call_check_text(struct call *call, const struct call_message *message)
{
	bool is_valid = message->text_len > 0 && message->text_len <= CALL_TEXT_MAX;
	struct stream_fault fault;

	if (!is_valid) {
		fault_set(&fault, WIRE_ERROR_BAD_MESSAGE, "text must have 1 to %u bytes",
			  CALL_TEXT_MAX);
		call_send_fault(call, &fault);
	}
	return is_valid;
}

static void call_take_text(struct call *call, const struct call_message *message)
{
	call->typed.len = 0;
	if (call_check_text(call, message) &&
	    buf_append(&call->typed, message->text, message->text_len) == 0)
		call_handle(call, CALL_EVENT_TEXT); /* in OPENING, call_on_gap does */
}

/* The protocol of developers' servers has only two roles, so context is something the user says, marked
 * as a note. */
static void call_take_context(struct call *call, const struct call_message *message)
{
	struct buf note;

	buf_init(&note, CALL_TEXT_MAX + 16);
	if (call_check_text(call, message) &&
	    buf_printf(&note, "[context] %.*s", (int)message->text_len, message->text) == 0)
		(void)call_history_add(&call->history, false, note.bytes, note.len);
	buf_reset(&note);
}

void call_message(struct call *call, char *json, size_t len)
{
	struct call_message message = {0};
	struct stream_fault fault;

	if (call->state == CALL_CLOSED)
		return;
	mem_ref(call);
	if (call->options.api->parse(&message, call_has_started(call) ? NULL : &call->settings,
				     &fault, json, len) != 0) {
		if (call_has_started(call))
			call_send_fault(call, &fault);
		else
			call_fail(call, &fault); /* what it overrides may be essential */
		mem_deref(call);
		return;
	}
	if (message.stream[0])
		snprintf(call->stream, sizeof(call->stream), "%s", message.stream);
	if (!call_has_started(call) && message.kind != CALL_MESSAGE_IGNORED &&
	    message.kind != CALL_MESSAGE_STOP)
		call_start(call);
	switch (message.kind) {
	case CALL_MESSAGE_AUDIO:
		call_listen_audio(call, message.audio, message.audio_len);
		break;
	case CALL_MESSAGE_TEXT:
		call_take_text(call, &message);
		break;
	case CALL_MESSAGE_CONTEXT:
		call_take_context(call, &message);
		break;
	case CALL_MESSAGE_ACTIVITY:
		call_time_silence(call);
		break;
	case CALL_MESSAGE_PONG:
		call_take_pong(call, message.number);
		break;
	case CALL_MESSAGE_STOP:
		call_hang_up(call, SESSION_CLOSE_NORMAL, NULL);
		break;
	case CALL_MESSAGE_PLAYED:
		call_answer_played(call, message.number);
		break;
	case CALL_MESSAGE_IGNORED:
	case CALL_MESSAGE_START:
		break;
	}
	mem_deref(call);
}

void call_filled(struct call *call)
{
	if (call->mouth)
		mouth_pause(call->mouth, true);
}

void call_drained(struct call *call)
{
	if (call->mouth)
		mouth_pause(call->mouth, false);
}

/* The end */

static void call_close(struct call *call)
{
	struct timers *timers = call->options.services->timers;

	timer_clear(timers, &call->gap_timer);
	timer_clear(timers, &call->decide_timer);
	timer_clear(timers, &call->silence_timer);
	timer_clear(timers, &call->duration_timer);
	timer_clear(timers, &call->ping_timer);
	call->mouth = mouth_close(call->mouth);
	call->ear = ear_close(call->ear);
	if (call->answerer)
		call->answerer->ops->close(call->answerer);
	call->answerer = NULL;
}

void call_hang_up(struct call *call, uint16_t code, const char *reason)
{
	if (call->is_closed)
		return;
	mem_ref(call);
	call_handle(call, CALL_EVENT_HANG_UP);
	call->is_closed = true;
	call->options.peer->ops->close(call->options.peer->peer, code, reason);
	if (call->options.over)
		call->options.over(call->options.arg);
	mem_deref(call);
}

void call_go_away(struct call *call, const char *reason)
{
	call->away_reason = reason;
	if (call->state == CALL_OPENING)
		call_hang_up(call, SESSION_CLOSE_RESTART, reason);
	else
		call_time_silence(call);
}

void call_figures(const struct call *call, struct call_figures *figures)
{
	*figures = call->figures;
}

const char *call_id(const struct call *call)
{
	return call->id;
}

enum call_state call_state(const struct call *call)
{
	return call->state;
}

static void call_destroy(void *object)
{
	struct call *call = object;

	call_close(call);
	call_history_reset(&call->history);
	buf_reset(&call->typed);
	buf_reset(&call->asked);
	buf_reset(&call->written);
	mem_deref(call->caller);
}

int call_alloc(struct call **callp, const struct call_options *options)
{
	struct call *call = mem_zalloc(sizeof(*call), call_destroy);

	if (!call)
		return ENOMEM;
	call->options = *options;
	call->settings = *options->settings;
	call->options.settings = NULL;
	call->caller = mem_ref(options->caller);
	snprintf(call->id, sizeof(call->id), "%s", options->id);
	snprintf(call->request_id, sizeof(call->request_id), "%s", options->request_id);
	call->round_trip_ms = -1;
	call->figures.last = CALL_TURN_TIMES_UNKNOWN;
	barge_in_init(&call->barge_in);
	call_history_init(&call->history);
	buf_init(&call->typed, CALL_TEXT_MAX);
	buf_init(&call->asked, EAR_TEXT_MAX);
	buf_init(&call->written, MOUTH_TEXT_MAX);
	timer_set(call->options.services->timers, &call->duration_timer,
		  CALL_OPENING_S * UINT64_C(1000000), call_on_opening, call);
	*callp = call;
	return 0;
}
