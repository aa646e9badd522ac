/*
 * turn.c: the states of a turn, and what its owner can do with it (see turn.h).
 *
 * The table below is the specification: an event that has no row has no meaning in that state and
 * changes nothing.  turn_handle is the only function that writes the state; it changes the state
 * first and then calls the action.
 *
 * A turn has four parts: text_source.c divides its text into chunks, speech_stream.c makes audio
 * from a chunk, charge.c limits and books its usage, turn_reply.c writes its messages.
 * turn_speak_waits_for in turn_speak.c decides whether the next step may be made.
 *
 * Functions that are called from outside of the turn run between turn_enter and turn_leave.  The
 * owner is notified that the turn is over only in the outermost turn_leave, because it may release
 * the turn then.
 */
#include "session/turn.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "session/turn_lexicon.h"
#include "session/turn_private.h"

typedef void(turn_action)(struct turn *turn);

static turn_action turn_go_on, turn_speak_all, turn_drain, turn_warn_and_drain, turn_curtail,
	turn_give_up_open, turn_give_up, turn_finish, turn_send_closed, turn_abandon,
	turn_abandon_and_wait, turn_stop_listening, turn_do_nothing;

static const struct turn_row {
	enum turn_state to;
	turn_action *act; /* NULL: there is no such edge */
} turn_table[TURN_STATE_COUNT][TURN_EVENT_COUNT] = {
	[TURN_OPEN] =
		{
			[TURN_EVENT_TEXT] = {TURN_OPEN, turn_go_on},
			[TURN_EVENT_FLUSH] = {TURN_OPEN, turn_speak_all},
			[TURN_EVENT_END] = {TURN_DRAINING, turn_drain},
			[TURN_EVENT_IDLE] = {TURN_DRAINING, turn_warn_and_drain},
			[TURN_EVENT_CURTAIL] = {TURN_DRAINING, turn_curtail},
			[TURN_EVENT_FAULT] = {TURN_FAILED, turn_give_up_open},
			[TURN_EVENT_CANCEL] = {TURN_CLOSED, turn_abandon},
			[TURN_EVENT_DROP] = {TURN_BOOKING, turn_abandon_and_wait},
		},
	[TURN_DRAINING] =
		{
			[TURN_EVENT_CURTAIL] = {TURN_DRAINING, turn_curtail},
			[TURN_EVENT_FAULT] = {TURN_BOOKING, turn_give_up},
			[TURN_EVENT_SENT] = {TURN_BOOKING, turn_finish},
			[TURN_EVENT_CANCEL] = {TURN_CLOSED, turn_abandon},
			[TURN_EVENT_DROP] = {TURN_BOOKING, turn_abandon_and_wait},
		},
	[TURN_BOOKING] =
		{
			[TURN_EVENT_BOOKED] = {TURN_CLOSED, turn_send_closed},
			[TURN_EVENT_CANCEL] = {TURN_BOOKING, turn_do_nothing},
		},
	[TURN_FAILED] =
		{
			[TURN_EVENT_TEXT] = {TURN_FAILED, turn_go_on},
			[TURN_EVENT_END] = {TURN_BOOKING, turn_stop_listening},
			[TURN_EVENT_IDLE] = {TURN_CLOSED, turn_stop_listening},
			[TURN_EVENT_CANCEL] = {TURN_CLOSED, turn_stop_listening},
			[TURN_EVENT_DROP] = {TURN_CLOSED, turn_stop_listening},
		},
};

static const char *const turn_state_names[] = {
#define X(name) #name,
	TURN_STATES(X)
#undef X
};

static const char *const turn_event_names[] = {
#define X(name) #name,
	TURN_EVENTS(X)
#undef X
};

const char *turn_state_name(enum turn_state state)
{
	return turn_state_names[state];
}

const char *turn_event_name(enum turn_event event)
{
	return turn_event_names[event];
}

bool turn_edge(enum turn_state *to, enum turn_state from, enum turn_event event)
{
	*to = turn_table[from][event].to;
	return turn_table[from][event].act != NULL;
}

/* Calls from outside */

void turn_enter(struct turn *turn)
{
	mem_ref(turn);
	++turn->depth;
}

void turn_leave(struct turn *turn)
{
	if (--turn->depth == 0 && turn->notifies_owner) {
		turn->notifies_owner = false;
		turn->owner.ops->over(turn->owner.arg); /* the owner may release its reference */
	}
	mem_deref(turn);
}

void turn_handle(struct turn *turn, enum turn_event event)
{
	const struct turn_row *row = &turn_table[turn->state][event];

	if (!row->act)
		return;
	turn_enter(turn);
	turn->state = row->to;
	row->act(turn);
	turn->notifies_owner |= turn->in_front && turn_is_over(turn);
	turn_leave(turn);
}

static struct timers *turn_timers(const struct turn *turn)
{
	return turn->services->timers;
}

/* BOOKED: sends the last message of a turn without a context; a context reports the sum of its
 * turns instead.  A failed turn reports that it costs nothing, unless its connection closes. */
static void turn_send_closed(struct turn *turn)
{
	struct reply_usage usage = {
		.turn_id = turn->charge.is_booked ? turn->charge.entry.id : NULL,
		.model_id = turn->settings.model_id,
		.cost_known = true,
	};

	if (turn->owner.context || wire_error_close_code(turn->fault))
		return;
	if (turn->fault == WIRE_ERROR_NONE) {
		turn_usage(turn, &usage);
		turn_reply_closed(&turn->reply, turn_samples(turn), &usage);
	} else {
		session_describe_price(turn->owner.session, &usage);
		turn_reply_closed_empty(&turn->reply, &usage);
	}
}

/* A failed turn waits for the ledger only if a message with the usage follows its error: its own, or
 * that of its context. */
static void turn_settle_failed(struct turn *turn)
{
	bool reports_usage = turn->owner.context || (turn->owner.session->dialect->closed &&
						     !wire_error_close_code(turn->fault));

	if (turn->state != TURN_BOOKING || turn->fault == WIRE_ERROR_NONE)
		return;
	if (reports_usage && charge_is_booking(&turn->charge))
		charge_await(&turn->charge);
	else
		turn_handle(turn, TURN_EVENT_BOOKED);
}

void turn_fail_with(struct turn *turn, const struct wire_notice *notice)
{
	enum turn_state to;

	if (!turn_edge(&to, turn->state, TURN_EVENT_FAULT))
		return;
	turn_enter(turn);
	turn->fault = notice->id;
	turn_reply_error(&turn->reply, notice);
	if (turn->owner.ops->failed)
		turn->owner.ops->failed(turn->owner.arg, notice);
	turn_handle(turn, TURN_EVENT_FAULT);
	turn_settle_failed(turn);
	turn_leave(turn);
}

void turn_fail(struct turn *turn, enum wire_error_id id, const char *detail)
{
	const struct wire_notice notice = {
		.id = id,
		.retry_s = wire_error_retry_s(id),
		.detail = detail,
		.request_id = turn->owner.session->request_id,
	};

	turn_fail_with(turn, &notice);
}

/* Actions of the table */

static void turn_on_idle(void *arg)
{
	turn_handle(arg, TURN_EVENT_IDLE);
}

/* Stops the timers that wait for more text. */
static void turn_stop_listening(struct turn *turn)
{
	timer_clear(turn_timers(turn), &turn->idle_timer);
	if (turn->text)
		text_source_await_nothing(turn->text);
}

/* TEXT: restarts the timers, and continues to speak. */
static void turn_go_on(struct turn *turn)
{
	if (turn->owner.idle_ms)
		timer_set(turn_timers(turn), &turn->idle_timer,
			  turn->owner.idle_ms * UINT64_C(1000), turn_on_idle, turn);
	if (turn->state != TURN_OPEN)
		return;
	text_source_await_more(turn->text);
	turn_speak(turn);
}

/* Fails the turn if its markup is invalid. */
static bool turn_fail_if_faulty(struct turn *turn)
{
	const char *fault = text_source_fault(turn->text);

	if (fault)
		turn_fail(turn, WIRE_ERROR_INVALID_REQUEST, fault);
	return fault != NULL;
}

static void turn_speak_all(struct turn *turn)
{
	text_source_flush(turn->text);
	turn_speak(turn);
}

static void turn_drain(struct turn *turn)
{
	turn_stop_listening(turn);
	text_source_end(turn->text);
	if (!turn_fail_if_faulty(turn))
		turn_speak(turn);
}

static void turn_warn_and_drain(struct turn *turn)
{
	turn_reply_idle(&turn->reply);
	turn_drain(turn);
}

/* CURTAIL: no further chunk is begun.  The text that was not spoken is kept for clients that
 * request a report of what was heard. */
static void turn_curtail(struct turn *turn)
{
	turn_stop_listening(turn);
	turn_speak(turn);
}

/* FAULT: ends speech and books the turn.  The text is released, because it would count in the
 * connection's limit of unspoken text. */
static void turn_give_up(struct turn *turn)
{
	turn_stop_listening(turn);
	if (turn->speech)
		speech_stream_stop(turn->speech);
	turn->text = mem_deref(turn->text);
	charge_book(&turn->charge, USAGE_FAILED, turn_samples(turn), true);
}

static void turn_give_up_open(struct turn *turn)
{
	turn_give_up(turn);
	turn_go_on(turn); /* a failed turn ends after the idle time as well */
}

/* SENT: the turn is finished only when all audio was handed to the kernel. */
static void turn_finish(struct turn *turn)
{
	turn_reply_final(&turn->reply, turn_samples(turn));
	charge_book(&turn->charge, USAGE_FINISHED, turn_samples(turn), true);
	charge_await(&turn->charge);
}

/* Drops what was not sent, and books the rest. */
static void turn_cancel_rest(struct turn *turn, bool is_awaited)
{
	turn_stop_listening(turn);
	speech_stream_stop(turn->speech);
	speech_stream_take_back(turn->speech, turn_reply_drop(&turn->reply));
	charge_book(&turn->charge, USAGE_CANCELLED, turn_samples(turn), is_awaited);
}

static void turn_abandon(struct turn *turn)
{
	turn_cancel_rest(turn, false);
}

static void turn_abandon_and_wait(struct turn *turn)
{
	turn_cancel_rest(turn, true);
	charge_await(&turn->charge);
}

static void turn_do_nothing(struct turn *turn)
{
	(void)turn;
}

/* Calls of the owner and notifications of the peer */

void turn_come_to_front(struct turn *turn)
{
	struct denied denied;

	turn_enter(turn);
	turn->in_front = true;
	turn_reply_open(&turn->reply);
	if (turn_is_over(turn)) {
		turn->notifies_owner = true;
	} else if (turn->state == TURN_OPEN || turn->state == TURN_DRAINING) {
		speech_stream_hold(turn->speech, SPEECH_HOLD_PEER,
				   turn->owner.session->peer->is_full);
		if (charge_ask(&turn->charge, &denied) == CHARGE_NO)
			turn_refuse(turn, &denied);
		if (turn->state == TURN_OPEN)
			text_source_resume(turn->text);
		turn_speak(turn);
	}
	turn_leave(turn);
}

void turn_count_blanks(struct turn *turn, uint64_t characters)
{
	turn->blanks += characters;
}

/* False when the turn has failed because of the text. */
static bool turn_take_text(struct turn *turn, const char *text, size_t len)
{
	int err = text_source_feed(turn->text, text, len);
	uint64_t characters = turn->blanks + utf8_count(text, len);
	struct denied denied;

	if (err) {
		turn_fail(turn, err == ENOBUFS ? WIRE_ERROR_TEXT_TOO_LONG : WIRE_ERROR_INTERNAL,
			  NULL);
		return false;
	}
	turn->blanks = 0;
	if (!charge_text(&turn->charge, characters, &denied)) {
		turn_refuse(turn, &denied);
		return false;
	}
	return !turn_fail_if_faulty(turn);
}

void turn_text(struct turn *turn, const char *text, size_t len)
{
	assert(turn_takes_text(turn));
	turn_enter(turn);
	if (turn->state != TURN_OPEN || turn_take_text(turn, text, len))
		turn_handle(turn, TURN_EVENT_TEXT);
	turn_leave(turn);
}

void turn_end(struct turn *turn)
{
	turn_enter(turn);
	turn_handle(turn, TURN_EVENT_END);
	turn_settle_failed(turn);
	turn_leave(turn);
}

void turn_flush(struct turn *turn)
{
	turn_handle(turn, TURN_EVENT_FLUSH);
}

void turn_release(struct turn *turn)
{
	if (turn->state != TURN_OPEN)
		return;
	turn_enter(turn);
	text_source_release(turn->text);
	turn_speak(turn);
	turn_leave(turn);
}

void turn_stop(struct turn *turn)
{
	const struct text_chunk *chunk = turn->speech ? speech_stream_chunk(turn->speech) : NULL;

	turn_enter(turn);
	if (turn->text)
		text_source_drop_unflushed(turn->text);
	if (turn->state == TURN_OPEN && chunk && !text_source_has_flushed(turn->text, chunk))
		speech_stream_cut(turn->speech);
	turn_end(turn);
	turn_leave(turn);
}

void turn_yield(struct turn *turn)
{
	if (turn->speech)
		speech_stream_yield(turn->speech);
}

int turn_cancel(struct turn *turn)
{
	if (turn->state == TURN_BOOKING)
		return EBUSY;
	turn->in_front = false; /* the owner cancelled it, and is not notified */
	turn_handle(turn, TURN_EVENT_CANCEL);
	return 0;
}

void turn_drop(struct turn *turn)
{
	turn->in_front = false; /* the owner dropped it, and is notified only when it is booked */
	turn_handle(turn, TURN_EVENT_DROP);
	turn->in_front = true;
}

void turn_filled(struct turn *turn)
{
	if (turn->speech)
		speech_stream_hold(turn->speech, SPEECH_HOLD_PEER, true);
}

void turn_drained(struct turn *turn)
{
	if (!turn->speech)
		return;
	turn_enter(turn);
	/* Another turn with the same peer may have been notified first and have filled it again. */
	speech_stream_hold(turn->speech, SPEECH_HOLD_PEER, turn->owner.session->peer->is_full);
	turn_speak(turn);
	turn_leave(turn);
}

void turn_sent(struct turn *turn, uint64_t tag)
{
	if (turn->awaits_sent && tag == turn->reply.tag)
		turn_handle(turn, TURN_EVENT_SENT);
}

static void turn_destroy(void *object)
{
	struct turn *turn = object;

	turn_stop_listening(turn);
	charge_reset(&turn->charge);
	mem_deref(turn->text);
	mem_deref(turn->speech);
	turn->voice = voice_drop(turn->voice);
	settings_reset(&turn->settings);
	turn_reply_reset(&turn->reply);
}

static int turn_make_id(char id[USAGE_ID_MAX + 1], uint64_t *tag)
{
	uint8_t bytes[16];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return EIO;
	for (size_t i = 0; i < sizeof(bytes); ++i)
		snprintf(id + 2 * i, 3, "%02x", bytes[i]);
	memcpy(tag, bytes, sizeof(*tag));
	*tag |= 1; /* 0 means that there is no tag */
	return 0;
}

static int turn_open_speech(struct turn *turn, const char *language)
{
	struct speech *speech = turn->services->speech;
	const struct speech_stream_options options = {
		.services = turn->services,
		.settings = &turn->settings,
		.voice = turn->voice,
		.format = turn->reply.format,
		.tag = turn->reply.tag,
		.turn_id = turn->charge.entry.id,
		.shares_peer = turn->owner.context != NULL,
	};
	int err = text_source_alloc(&turn->text, turn_timers(turn), &turn->settings, language,
				    speech->ops->reads_phonemes(speech, turn->voice), turn_on_ready,
				    turn);

	return err ? err : speech_stream_alloc(&turn->speech, &options, &turn_speech_ops, turn);
}

/* Called before any audio is made, because a turn fails if its dictionaries are not available. */
static void turn_find_lexicon(struct turn *turn, const char *language)
{
	struct lexicon *lexicon;
	struct stream_fault fault;

	if (turn_lexicon_find(&lexicon, &fault, turn->services,
			      session_project_id(turn->owner.session), &turn->settings,
			      language) != 0)
		turn_fail(turn, fault.id, fault.detail);
	else
		text_source_set_lexicon(turn->text, lexicon);
	mem_deref(lexicon);
}

/* The error of a turn without a voice.  A voice that the client has named existed then, unless
 * engines were still loading (session.unknown_voice_id). */
static enum wire_error_id turn_why_no_voice(const struct turn *turn)
{
	if (!(turn->settings.set & SETTING_VOICE_ID))
		return WIRE_ERROR_MISSING_VOICE;
	return turn->settings.voice_id == turn->owner.session->unknown_voice_id
		       ? services_unknown_voice(turn->services)
		       : WIRE_ERROR_UNAVAILABLE;
}

int turn_alloc(struct turn **turnp, const struct turn_owner *owner, const struct settings *settings,
	       const struct voice *voice)
{
	struct turn *turn = mem_zalloc(sizeof(*turn), NULL);
	const char *language =
		settings->language[0] || !voice ? settings->language : voice->language;
	struct audio_format format = {0};
	char id[USAGE_ID_MAX + 1] = "";
	uint64_t tag = 0;
	int err;

	if (!turn)
		return ENOMEM;
	turn->owner = *owner;
	turn->services = owner->session->services;
	turn->begun_us = turn_timers(turn)->now_us;
	settings_copy(&turn->settings, settings);
	turn->voice = voice_keep(voice);
	err = settings_format(&format, settings);
	if (!err)
		err = turn_make_id(id, &tag);
	turn_reply_init(&turn->reply, owner, &turn->settings, &format, tag);
	charge_init(&turn->charge, turn->services, owner->session->caller, id, settings, voice,
		    format.sample_rate, &turn_charge_ops, turn);
	mem_set_destructor(turn, turn_destroy);
	if (!err && voice)
		err = turn_open_speech(turn, language);
	if (err) {
		mem_deref(turn);
		return err;
	}
	if (voice)
		turn_find_lexicon(turn, language);
	else
		turn_fail(turn, turn_why_no_voice(turn), NULL);
	*turnp = turn;
	return 0;
}
