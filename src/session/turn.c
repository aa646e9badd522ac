/*
 * turn.c: the life of a turn (see turn.h, turn_private.h).
 *
 * The table below is the specification: an event that has no row has no
 * meaning in that state and changes nothing.  turn_handle is the only function
 * that writes the state; it moves first and acts second.
 */
#include "session/turn.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "session/denial.h"
#include "session/turn_private.h"
#include "session/word_choice.h"

/* Before it is in front a turn can have a warning or an error and its
 * session_closed to say. */
#define PENDING_MAX 8192

typedef void(turn_action)(struct turn *turn);

static turn_action go_on, speak_all, drain, warn_and_drain, curtail, tell_fault, give_up, finish,
	say_end, abandon, abandon_and_wait, forget, keep_waiting;

static const struct turn_row {
	enum turn_state to;
	turn_action *act; /* NULL: no such edge */
} table[TURN_STATE_COUNT][TURN_EVENT_COUNT] = {
	[TURN_OPEN] =
		{
			[TURN_EVENT_TEXT] = {TURN_OPEN, go_on},
			[TURN_EVENT_FLUSH] = {TURN_OPEN, speak_all},
			[TURN_EVENT_END] = {TURN_DRAINING, drain},
			[TURN_EVENT_IDLE] = {TURN_DRAINING, warn_and_drain},
			[TURN_EVENT_CURTAIL] = {TURN_DRAINING, curtail},
			[TURN_EVENT_FAULT] = {TURN_FAILED, tell_fault},
			[TURN_EVENT_CANCEL] = {TURN_CLOSED, abandon},
			[TURN_EVENT_DROP] = {TURN_BOOKING, abandon_and_wait},
		},
	[TURN_DRAINING] =
		{
			[TURN_EVENT_CURTAIL] = {TURN_DRAINING, curtail},
			[TURN_EVENT_FAULT] = {TURN_BOOKING, give_up},
			[TURN_EVENT_SENT] = {TURN_BOOKING, finish},
			[TURN_EVENT_CANCEL] = {TURN_CLOSED, abandon},
			[TURN_EVENT_DROP] = {TURN_BOOKING, abandon_and_wait},
		},
	[TURN_BOOKING] =
		{
			[TURN_EVENT_BOOKED] = {TURN_CLOSED, say_end},
			[TURN_EVENT_CANCEL] = {TURN_BOOKING, keep_waiting},
		},
	[TURN_FAILED] =
		{
			[TURN_EVENT_TEXT] = {TURN_FAILED, go_on},
			[TURN_EVENT_END] = {TURN_BOOKING, forget},
			[TURN_EVENT_IDLE] = {TURN_CLOSED, forget},
			[TURN_EVENT_CANCEL] = {TURN_CLOSED, forget},
			[TURN_EVENT_DROP] = {TURN_CLOSED, forget},
		},
};

static const char *const state_names[] = {
#define X(name) #name,
	TURN_STATES(X)
#undef X
};

static const char *const event_names[] = {
#define X(name) #name,
	TURN_EVENTS(X)
#undef X
};

const char *turn_state_name(enum turn_state state)
{
	return state_names[state];
}

const char *turn_event_name(enum turn_event event)
{
	return event_names[event];
}

bool turn_edge(enum turn_state *to, enum turn_state from, enum turn_event event)
{
	*to = table[from][event].to;
	return table[from][event].act != NULL;
}

static void turn_handle(struct turn *turn, enum turn_event event)
{
	const struct turn_row *row = &table[turn->state][event];

	if (!row->act)
		return;
	mem_ref(turn); /* its end may be its owner's last reference */
	turn->state = row->to;
	row->act(turn);
	if (turn->in_front && turn_is_over(turn))
		turn->owner.ops->over(turn->owner.arg);
	mem_deref(turn);
}

static const struct dialect *dialect_of(const struct turn *turn)
{
	return turn->owner.session->dialect;
}

static struct timers *timers_of(const struct turn *turn)
{
	return turn->services->timers;
}

/* Waiting messages are stored as length and bytes. */
static int put_aside(struct turn *turn, const struct buf *message)
{
	uint32_t len = (uint32_t)message->len;
	int err = buf_reserve(&turn->pending, sizeof(len) + len);

	if (err)
		return err;
	buf_append(&turn->pending, &len, sizeof(len));
	return buf_append(&turn->pending, message->bytes, len);
}

struct buf *turn_begin_message(const struct turn *turn, struct buf *message)
{
	return peer_begin(turn->owner.session->peer, message);
}

/* If there is no memory for a message, the connection closes: a client must not wait for one that
 * was lost. */
void turn_send(struct turn *turn, struct buf *message, int err, uint64_t tag, uint32_t samples)
{
	const struct peer *peer = turn->owner.session->peer;

	if (!err && message->len > 0 && !turn->in_front) {
		err = put_aside(turn, message) ? ENOMEM : 0;
		message->len = 0;
	}
	peer_send(peer, message, err, tag, samples);
}

void turn_say(struct turn *turn, struct buf *message, int err)
{
	turn_send(turn, message, err, 0, 0);
}

static void send_pending(struct turn *turn)
{
	size_t at = 0;

	while (at < turn->pending.len) {
		struct buf message;
		uint32_t len;

		memcpy(&len, turn->pending.bytes + at, sizeof(len));
		at += sizeof(len);
		turn_say(turn, &message,
			 buf_append(turn_begin_message(turn, &message), turn->pending.bytes + at,
				    len));
		at += len;
	}
	buf_reset(&turn->pending);
}

static void on_stale(void *arg);

void turn_come_to_front(struct turn *turn)
{
	turn->in_front = true;
	send_pending(turn);
	if (turn_is_over(turn)) {
		turn->owner.ops->over(turn->owner.arg);
		return;
	}
	mem_ref(turn); /* it may be refused, and gone with that */
	turn_ask_leave(turn);
	if (turn->is_stale && turn->state == TURN_OPEN)
		on_stale(turn);
	else
		turn_speak(turn);
	mem_deref(turn);
}

static void on_booked(int err, void *arg)
{
	struct turn *turn = arg;

	turn->booking = NULL;
	timer_clear(timers_of(turn), &turn->booking_timer);
	if (err)
		turn->cost_known = turn->is_booked = false;
	turn_handle(turn, TURN_EVENT_BOOKED);
}

static void on_booking_late(void *arg)
{
	struct turn *turn = arg;

	if (turn->booking)
		turn->services->ledger->ops->unlisten(turn->booking);
	on_booked(ETIMEDOUT, turn);
}

/* Also when the ledger did not even take the row: session_closed still comes. */
static void await_row(struct turn *turn)
{
	timer_set(timers_of(turn), &turn->booking_timer, TURN_BOOKING_MS * UINT64_C(1000),
		  on_booking_late, turn);
}

/* Does a failed turn's end, or its context's, say more than its error?  Then not before
 * there is a row of it. */
static bool owes_end(const struct turn *turn)
{
	return turn->booking && (turn->owner.context ||
				 (dialect_of(turn)->closed && !wire_error_close_code(turn->fault)));
}

static void settle_failed(struct turn *turn)
{
	if (turn->state != TURN_BOOKING || turn->fault == WIRE_ERROR_NONE)
		return;
	if (owes_end(turn))
		await_row(turn);
	else
		turn_handle(turn, TURN_EVENT_BOOKED);
}

static void on_idle(void *arg)
{
	turn_handle(arg, TURN_EVENT_IDLE);
}

static void on_confirm(void *arg)
{
	struct turn *turn = arg;

	chunker_pause(turn->chunker);
	turn_speak(turn);
}

static void await_confirmation(struct turn *turn)
{
	unsigned pause_ms = chunker_pause_ms(turn->chunker);

	if (pause_ms)
		timer_set(timers_of(turn), &turn->confirm_timer, pause_ms * UINT64_C(1000),
			  on_confirm, turn);
	else
		timer_clear(timers_of(turn), &turn->confirm_timer);
}

/* Text is spoken even if no more of it follows. */
static void await_rest(struct turn *turn)
{
	turn->is_stale = false;
	timer_set(timers_of(turn), &turn->stale_timer,
		  turn->settings.flush_timeout_ms * UINT64_C(1000), on_stale, turn);
}

static void on_stale(void *arg)
{
	struct turn *turn = arg;

	if (!turn->in_front) { /* nothing could be spoken, and more text may still come */
		turn->is_stale = true;
		return;
	}
	if (chunker_timeout(turn->chunker))
		await_rest(turn);
	turn_speak(turn);
}

static void stop_listening(struct turn *turn)
{
	timer_clear(timers_of(turn), &turn->idle_timer);
	timer_clear(timers_of(turn), &turn->confirm_timer);
	timer_clear(timers_of(turn), &turn->stale_timer);
	timer_clear(timers_of(turn), &turn->dry_timer);
}

/* TEXT: the clock of the turn's end starts anew. */
static void go_on(struct turn *turn)
{
	if (turn->owner.idle_ms)
		timer_set(timers_of(turn), &turn->idle_timer, turn->owner.idle_ms * UINT64_C(1000),
			  on_idle, turn);
	if (turn->state != TURN_OPEN)
		return;
	await_rest(turn);
	await_confirmation(turn);
	turn_speak(turn);
}

/* Markup that means something and is written wrong; true: the turn may be gone. */
static bool fail_if_faulty(struct turn *turn)
{
	const char *fault = chunker_fault(turn->chunker);

	if (fault)
		turn_fail(turn, WIRE_ERROR_INVALID_REQUEST, fault);
	return fault != NULL;
}

void turn_count_blanks(struct turn *turn, uint64_t characters)
{
	turn->blanks += characters;
}

void turn_text(struct turn *turn, const char *text, size_t len)
{
	uint64_t count;

	assert(turn_takes_text(turn));
	if (turn->state == TURN_OPEN) {
		int err = chunker_feed(turn->chunker, text, len);

		if (err) {
			turn_fail(turn,
				  err == ENOBUFS ? WIRE_ERROR_TEXT_TOO_LONG : WIRE_ERROR_INTERNAL,
				  NULL);
			return;
		}
		turn->bytes += len;
		chunker_end_message(turn->chunker);
		count = turn->blanks + utf8_count(text, len);
		turn->blanks = 0;
		turn->characters += count;
		if (!turn_tell_text(turn, count) || fail_if_faulty(turn))
			return;
	}
	turn_handle(turn, TURN_EVENT_TEXT);
}

void turn_end(struct turn *turn)
{
	mem_ref(turn); /* it may be its owner's no more */
	turn_handle(turn, TURN_EVENT_END);
	settle_failed(turn);
	mem_deref(turn);
}

void turn_flush(struct turn *turn)
{
	turn_handle(turn, TURN_EVENT_FLUSH);
}

void turn_release(struct turn *turn)
{
	if (turn->state != TURN_OPEN)
		return;
	chunker_pause(turn->chunker);
	chunker_release(turn->chunker);
	turn_speak(turn);
}

void turn_stop(struct turn *turn)
{
	turn->drops_rest = true;
	if (turn->state == TURN_OPEN && turn->utterance.text &&
	    turn->utterance.end > turn->bytes_flushed)
		turn_cut_chunk(turn);
	turn_end(turn);
}

static void speak_all(struct turn *turn)
{
	turn->bytes_flushed = turn->bytes;
	timer_clear(timers_of(turn), &turn->confirm_timer);
	timer_clear(timers_of(turn), &turn->stale_timer);
	chunker_emit(turn->chunker);
	turn_speak(turn);
}

static void drain(struct turn *turn)
{
	stop_listening(turn);
	if (!turn->drops_rest)
		chunker_flush(turn->chunker);
	if (!fail_if_faulty(turn))
		turn_speak(turn);
}

static void warn_and_drain(struct turn *turn)
{
	const struct dialect *dialect = dialect_of(turn);
	struct buf message;

	if (dialect->idle_warning)
		turn_say(turn, &message, dialect->idle_warning(turn_begin_message(turn, &message)));
	drain(turn);
}

void turn_curtail(struct turn *turn)
{
	turn_handle(turn, TURN_EVENT_CURTAIL);
}

/* CURTAIL: nothing more is begun; what it has not said is not forgotten, for whoever
 * asks what was heard. */
static void curtail(struct turn *turn)
{
	stop_listening(turn);
	turn_speak(turn);
}

/* Its text goes: the connection has a limit of what may wait. */
static void give_up(struct turn *turn)
{
	stop_listening(turn);
	turn_hush(turn);
	turn->chunker = mem_deref(turn->chunker);
	turn_book(turn, USAGE_FAILED, on_booked);
}

static void tell_fault(struct turn *turn)
{
	give_up(turn);
	go_on(turn); /* five seconds of silence end a failed turn as well */
}

void turn_fail_with(struct turn *turn, const struct wire_notice *notice)
{
	const struct dialect *dialect = dialect_of(turn);
	enum turn_state to;
	struct buf message;

	if (!turn_edge(&to, turn->state, TURN_EVENT_FAULT))
		return;
	turn->fault = notice->id;
	if (dialect->error) {
		session_note_error(notice);
		turn_say(turn, &message,
			 dialect->error(turn_begin_message(turn, &message), turn->owner.context,
					notice));
	}
	mem_ref(turn); /* it may be its owner's no more */
	if (turn->owner.ops->failed)
		turn->owner.ops->failed(turn->owner.arg, notice);
	turn_handle(turn, TURN_EVENT_FAULT);
	settle_failed(turn);
	mem_deref(turn);
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

static void totals_of(const struct turn *turn, struct reply_totals *totals)
{
	*totals = (struct reply_totals){
		.audio_seconds = (double)turn->samples_sent / turn->format.sample_rate,
		.text_chunks = turn->text_chunks,
		.audio_chunks = turn->audio_chunks,
	};
}

static void say_final(struct turn *turn)
{
	const struct dialect *dialect = dialect_of(turn);
	struct reply_totals totals;
	struct buf message;

	totals_of(turn, &totals);
	if (dialect->final)
		turn_say(turn, &message,
			 dialect->final(turn_begin_message(turn, &message), turn->owner.context,
					&totals));
}

static void say_closed(struct turn *turn, const struct reply_totals *totals,
		       const struct reply_usage *usage)
{
	const struct dialect *dialect = dialect_of(turn);
	struct buf message;

	if (dialect->closed)
		turn_say(turn, &message,
			 dialect->closed(turn_begin_message(turn, &message), totals, usage));
}

/* SENT: all audio was handed over, and only now is the turn finished. */
static void finish(struct turn *turn)
{
	say_final(turn);
	turn_book(turn, USAGE_FINISHED, on_booked);
	await_row(turn);
}

void turn_usage(const struct turn *turn, struct reply_usage *usage)
{
	*usage = (struct reply_usage){
		.turn_id = turn->id,
		.model_id = turn->settings.model_id,
		.audio_seconds = (double)turn->samples_sent / turn->format.sample_rate,
		.characters = turn->characters,
		.cost_known = turn->cost_known,
		.cost_microcents = turn->row.amount_microcents,
		.cut_short_by = turn->curtailed_by.why == DENIAL_NONE
					? NULL
					: denial_code(turn->curtailed_by.why),
	};
	session_describe_price(turn->owner.session, usage);
}

/* A failed turn costs nothing and says so, unless its connection closes for it. */
static void say_nothing_said(struct turn *turn)
{
	struct reply_totals totals = {0};
	struct reply_usage usage = {
		.turn_id = turn->is_booked ? turn->id : NULL,
		.model_id = turn->settings.model_id,
		.cost_known = true,
	};

	session_describe_price(turn->owner.session, &usage);
	if (!wire_error_close_code(turn->fault))
		say_closed(turn, &totals, &usage);
}

static void say_usage(struct turn *turn)
{
	struct reply_totals totals;
	struct reply_usage usage;

	totals_of(turn, &totals);
	turn_usage(turn, &usage);
	say_closed(turn, &totals, &usage);
}

/* BOOKED */
static void say_end(struct turn *turn)
{
	if (turn->owner.context)
		return; /* which sums its turns up */
	if (turn->fault != WIRE_ERROR_NONE)
		say_nothing_said(turn);
	else
		say_usage(turn);
}

static void take_back(struct turn *turn)
{
	const struct peer *peer = turn->owner.session->peer;

	stop_listening(turn);
	turn_hush(turn);
	turn->samples_sent -= peer->ops->drop(peer->peer, turn->tag);
}

static void abandon(struct turn *turn)
{
	take_back(turn);
	turn_book(turn, USAGE_CANCELLED, NULL);
}

static void abandon_and_wait(struct turn *turn)
{
	take_back(turn);
	turn_book(turn, USAGE_CANCELLED, on_booked);
	await_row(turn);
}

static void forget(struct turn *turn)
{
	stop_listening(turn);
}

static void keep_waiting(struct turn *turn)
{
	(void)turn;
}

int turn_cancel(struct turn *turn)
{
	if (turn->state == TURN_BOOKING)
		return EBUSY;
	turn->in_front = false; /* its owner asked: it need not be told */
	turn_handle(turn, TURN_EVENT_CANCEL);
	return 0;
}

void turn_drop(struct turn *turn)
{
	turn->in_front = false; /* its owner asked: it need not be told … */
	turn_handle(turn, TURN_EVENT_DROP);
	turn->in_front = true; /* … but of the row */
}

void turn_sent(struct turn *turn, uint64_t tag)
{
	if (turn->asked_when_sent && tag == turn->tag)
		turn_handle(turn, TURN_EVENT_SENT);
}

static void turn_destroy(void *object)
{
	struct turn *turn = object;

	stop_listening(turn);
	timer_clear(timers_of(turn), &turn->booking_timer);
	if (turn->booking)
		turn->services->ledger->ops->unlisten(turn->booking);
	mem_deref(turn->permit);
	turn_speech_close(turn);
	turn->voice = voice_drop(turn->voice);
	settings_reset(&turn->settings);
	mem_deref(turn->lexicon);
	buf_reset(&turn->pending);
}

static int make_id(char id[USAGE_ID_MAX + 1], uint64_t *tag)
{
	uint8_t bytes[16];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return EIO;
	for (size_t i = 0; i < sizeof(bytes); ++i)
		snprintf(id + 2 * i, 3, "%02x", bytes[i]);
	memcpy(tag, bytes, sizeof(*tag));
	*tag |= 1; /* 0 is no tag */
	return 0;
}

/* Before any audio: a turn whose dictionaries are not there does not speak. */
static void choose_words(struct turn *turn)
{
	const struct settings *settings = &turn->settings;
	const char *language = settings->language[0] ? settings->language : turn->voice->language;
	struct stream_fault fault;

	if (word_choice_lexicon(&turn->lexicon, &fault, turn->services,
				session_project_id(turn->owner.session), settings, language) != 0)
		turn_fail(turn, fault.id, fault.detail);
	turn->reader.lexicon = turn->lexicon;
}

/* A voice that was named has been there, unless it was named while engines were loading. */
static enum wire_error_id why_no_voice(const struct turn *turn)
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
	int err;

	if (!turn)
		return ENOMEM;
	turn->owner = *owner;
	turn->services = owner->session->services;
	turn->begun_us = timers_of(turn)->now_us;
	turn->counters = owner->counters ? owner->counters : &turn->own_counters;
	settings_copy(&turn->settings, settings);
	turn->voice = voice_keep(voice);
	turn->microcents_per_minute = turn_price(turn);
	turn->mark = USAGE_NO_MARK;
	buf_init(&turn->pending, PENDING_MAX);
	mem_set_destructor(turn, turn_destroy);
	err = settings_format(&turn->format, settings);
	if (!err)
		err = make_id(turn->id, &turn->tag);
	if (!err && voice)
		err = turn_speech_open(turn);
	if (err) {
		mem_deref(turn);
		return err;
	}
	if (voice)
		choose_words(turn);
	else
		turn_fail(turn, why_no_voice(turn), NULL);
	*turnp = turn;
	return 0;
}
