/*
 * context.c: one conversation on /ws/tts/multi (see context.h).
 *
 * The table below is the specification: an event that has no row has no meaning in that state and
 * changes nothing.  context_handle is the only function that writes the state; it changes the state
 * first and then calls the action.
 */
#include "session/context.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "metrics/metrics.h"
#include "session/session.h"
#include "session/turn_queue.h"

/* How long a server that is shutting down waits for the rest of a text, as on /ws/tts/stream. */
#define DRAIN_IDLE_MS TURN_IDLE_MS

typedef void(context_action)(struct context *context);

static context_action context_keep_listening, context_finish_input, context_send_final_reply,
	context_send_closed, context_drop_all, context_interrupt, context_cut_audio;

static const struct context_row {
	enum context_state to;
	context_action *act; /* NULL: no such edge */
} context_table[CONTEXT_STATE_COUNT][CONTEXT_EVENT_COUNT] = {
	[CONTEXT_OPEN] =
		{
			[CONTEXT_EVENT_INPUT] = {CONTEXT_OPEN, context_keep_listening},
			[CONTEXT_EVENT_CLOSE] = {CONTEXT_CLOSING, context_finish_input},
			[CONTEXT_EVENT_IDLE] = {CONTEXT_CLOSING, context_finish_input},
			[CONTEXT_EVENT_FAULT] = {CONTEXT_BOOKING, context_drop_all},
			[CONTEXT_EVENT_CANCEL] = {CONTEXT_BOOKING, context_interrupt},
			[CONTEXT_EVENT_CUT] = {CONTEXT_CLOSED, context_cut_audio},
		},
	[CONTEXT_CLOSING] =
		{
			[CONTEXT_EVENT_FAULT] = {CONTEXT_BOOKING, context_drop_all},
			[CONTEXT_EVENT_SPOKEN] = {CONTEXT_BOOKING, context_send_final_reply},
			[CONTEXT_EVENT_CANCEL] = {CONTEXT_BOOKING, context_interrupt},
			[CONTEXT_EVENT_CUT] = {CONTEXT_CLOSED, context_cut_audio},
		},
	[CONTEXT_BOOKING] =
		{
			[CONTEXT_EVENT_BOOKED] = {CONTEXT_CLOSED, context_send_closed},
			[CONTEXT_EVENT_CANCEL] = {CONTEXT_BOOKING, context_interrupt},
			[CONTEXT_EVENT_CUT] = {CONTEXT_CLOSED, context_cut_audio},
		},
};

static const char *const context_state_names[] = {
#define X(name) #name,
	CONTEXT_STATES(X)
#undef X
};

static const char *const context_event_names[] = {
#define X(name) #name,
	CONTEXT_EVENTS(X)
#undef X
};

struct context {
	struct context_owner owner;
	char *id; /* the id as the client sent it; the same block also contains id_json */
	size_t id_len;
	const char *id_json; /* the id as it is written into JSON */
	struct settings settings;
	unsigned own; /* the bits of the settings that the context's voice_settings have set */
	struct turn_queue queue;
	struct turn_counters counters;
	enum context_state state;
	uint16_t surrogate; /* see context_surrogate */
	bool goes_away; /* it closes when no turn is left */
	bool needs_final; /* the close needs a separate `final`, because no turn will send one */
	bool is_dropped; /* it was interrupted or has failed */
	bool stops; /* context_stop was called: only what was flushed is spoken */

	struct timer idle_timer;
	uint64_t quiet_since_us; /* the time of the last input or of the last turn's end */

	/* Sums of the turns that are over. */
	double audio_seconds;
	uint64_t characters;
	int64_t cost_microcents;
	bool cost_unknown;
	const char *model_id; /* the model of its last turn; NULL: there was no turn */
	const char *cut_short_by; /* why it was cut short; NULL: it was not */
	struct buf turn_ids;
};

const char *context_state_name(enum context_state state)
{
	return context_state_names[state];
}

const char *context_event_name(enum context_event event)
{
	return context_event_names[event];
}

bool context_edge(enum context_state *to, enum context_state from, enum context_event event)
{
	*to = context_table[from][event].to;
	return context_table[from][event].act != NULL;
}

static void context_handle(struct context *context, enum context_event event)
{
	const struct context_row *row = &context_table[context->state][event];

	if (!row->act)
		return;
	mem_ref(context); /* the owner may release its reference */
	context->state = row->to;
	row->act(context);
	if (row->to == CONTEXT_CLOSED)
		context->owner.closed(context->owner.arg);
	mem_deref(context);
}

static struct session *context_session_of(const struct context *context)
{
	return context->owner.session;
}

static struct timers *context_timers_of(const struct context *context)
{
	return context_session_of(context)->services->timers;
}

static const struct dialect *context_dialect_of(const struct context *context)
{
	return context_session_of(context)->dialect;
}

static void context_send_final(struct context *context)
{
	static const struct reply_totals nothing = {0};
	struct session *session = context_session_of(context);
	struct buf message;

	if (context_dialect_of(context)->final)
		session_send(session, &message,
			     context_dialect_of(context)->final(session_begin(session, &message),
								context->id_json, &nothing));
}

static void context_on_timer(void *arg);

static void context_set_timer(struct context *context, uint64_t delay_us)
{
	timer_set(context_timers_of(context), &context->idle_timer, delay_us, context_on_timer,
		  context);
}

static uint64_t context_idle_us(const struct context *context)
{
	return context->owner.idle_ms * UINT64_C(1000);
}

/* A context that is speaking is not idle: the idle time begins with its last audio.  That time is
 * looked up when the timer fires, so that the timer need not be set for each frame. */
static void context_on_timer(void *arg)
{
	struct context *context = arg;
	const struct turn *turn = turn_queue_front(&context->queue);
	uint64_t turn_us = turn ? turn_quiet_since_us(turn) : 0;
	uint64_t quiet_us = turn_us > context->quiet_since_us ? turn_us : context->quiet_since_us;
	uint64_t due_us = quiet_us + context_idle_us(context);
	uint64_t now_us = context_timers_of(context)->now_us;

	/* If there are several turns, the front one is always speaking or finishing. */
	if (turn && (context->queue.turns.count > 1 || turn_is_busy(turn)))
		context_set_timer(context, context_idle_us(context));
	else if (due_us > now_us)
		context_set_timer(context, due_us - now_us);
	else
		context_handle(context, CONTEXT_EVENT_IDLE);
}

/* INPUT */
static void context_keep_listening(struct context *context)
{
	context->quiet_since_us = context_timers_of(context)->now_us;
	context_set_timer(context, context_idle_us(context));
}

static void context_stop_listening(struct context *context)
{
	timer_clear(context_timers_of(context), &context->idle_timer);
}

/* Closes the context if its last turn is over. */
static void context_check_done(struct context *context)
{
	if (context->queue.turns.count > 0)
		return;
	context_handle(context, CONTEXT_EVENT_SPOKEN);
	if (context->queue.settling.count == 0)
		context_handle(context, CONTEXT_EVENT_BOOKED);
}

/* Half of a surrogate pair that was never completed still counts as a character. */
static void context_finish_surrogate(struct context *context)
{
	if (context->surrogate)
		turn_queue_text(&context->queue, &context->settings, "\xef\xbf\xbd", 3, 3);
	context->surrogate = 0;
}

/* CLOSE, IDLE: the `final` of the open turn answers the close.  Without an open turn the close gets
 * its own `final`, after all others. */
static void context_finish_input(struct context *context)
{
	struct turn *turn;

	context_stop_listening(context);
	context_finish_surrogate(context);
	if (context->state != CONTEXT_CLOSING)
		return; /* the turn has failed because the surrogate did not fit */
	turn = turn_queue_open(&context->queue);
	if (context->stops && turn && turn_is_unflushed(turn)) {
		context_handle(context, CONTEXT_EVENT_CUT);
		return;
	}
	if (context->stops && turn)
		turn_stop(turn);
	else
		context->needs_final = !turn_queue_end(&context->queue);
	context_check_done(context);
}

/* SPOKEN */
static void context_send_final_reply(struct context *context)
{
	if (context->needs_final)
		context_send_final(context);
}

/* BOOKED; the last step of every other way to close as well.  A context without a turn reports a
 * usage too: zeros, no rows, and the model that it would have used. */
static void context_send_closed(struct context *context)
{
	struct session *session = context_session_of(context);
	const struct dialect *dialect = context_dialect_of(context);
	struct reply_usage usage = {
		.turn_ids = context->turn_ids.len > 0 ? context->turn_ids.bytes : "",
		.turn_ids_len = context->turn_ids.len,
		.model_id = context->model_id ? context->model_id : context->settings.model_id,
		.audio_seconds = context->audio_seconds,
		.characters = context->characters,
		.cost_known = !context->cost_unknown,
		.cost_microcents = context->cost_microcents,
		.cut_short_by = context->cut_short_by,
	};
	struct buf message;

	context->owner.closing(context->owner.arg, context);
	session_describe_price(session, &usage);
	if (dialect->context_closed)
		session_send(session, &message,
			     dialect->context_closed(session_begin(session, &message),
						     context->id_json, &usage));
}

/* FAULT */
static void context_drop_all(struct context *context)
{
	context->is_dropped = true;
	context_stop_listening(context);
	turn_queue_drop(&context->queue);
	context_check_done(context);
}

/* CANCEL: `interrupted` does not wait for the ledger.  Audio that is still queued in the peer is
 * dropped. */
static void context_interrupt(struct context *context)
{
	session_send_interrupted(context_session_of(context), context->id_json, NULL);
	context_drop_all(context);
}

/* CUT: only audio that was already sent is booked. */
static void context_cut_audio(struct context *context)
{
	context_stop_listening(context);
	turn_queue_cancel(&context->queue);
	context_send_closed(context);
}

/* Drops the turns that have not begun, and closes when no turn is left. */
static void context_end_early(struct context *context)
{
	context->goes_away = true;
	turn_queue_cancel_waiting(&context->queue);
}

/* The end of a turn counts as activity. */
static void context_on_spoken(void *arg, struct turn *turn, unsigned flushes)
{
	struct context *context = arg;
	struct stream_fault fault;

	context->quiet_since_us = context_timers_of(context)->now_us;
	if (turn_has_failed(turn)) {
		context_handle(context, CONTEXT_EVENT_FAULT);
		return;
	}
	while (flushes-- > 0)
		context_send_final(context);
	if (turn_was_curtailed(turn, &fault)) {
		session_send_fault(context_session_of(context), context->id_json, &fault);
		context_end_early(context);
		context->owner.failed(context->owner.arg, fault.id);
	}
}

static void context_on_failed(void *arg, const struct wire_notice *notice)
{
	struct context *context = arg;

	context->owner.failed(context->owner.arg, notice->id);
}

/* Adds the usage of a turn to that of the context. */
static void context_on_turn_removed(void *arg, struct turn *turn)
{
	struct context *context = arg;
	struct reply_usage usage;

	if (turn_was_refused(turn))
		return;
	turn_usage(turn, &usage);
	/* If the list is full or there is no memory, the row is in the ledger nevertheless. */
	(void)buf_append(&context->turn_ids, usage.turn_id, strlen(usage.turn_id) + 1);
	context->model_id = usage.model_id;
	context->cut_short_by = usage.cut_short_by; /* a turn that was cut short is the last one */
	if (turn_has_failed(turn))
		return; /* a turn that has failed costs nothing */
	context->audio_seconds += usage.audio_seconds;
	context->characters += usage.characters;
	context->cost_microcents += usage.cost_microcents;
	context->cost_unknown |= !usage.cost_known;
}

static void context_on_empty(void *arg)
{
	struct context *context = arg;

	if (context->goes_away)
		context_close(context);
	context_check_done(context);
}

static const struct turn_queue_ops context_queue_ops = {
	.spoken = context_on_spoken,
	.removed = context_on_turn_removed,
	.empty = context_on_empty,
	.failed = context_on_failed,
};

/* Sends an error of the context itself; turns send their own. */
static void context_fail(struct context *context, enum wire_error_id id, const char *detail)
{
	session_send_error(context_session_of(context), context->id_json, id, detail);
	context_handle(context, CONTEXT_EVENT_FAULT);
}

/* Whether input has an effect.  While the server is shutting down, only turns that have begun are
 * finished.  A flush of text that was not accepted gets no `final`, because the client repeats the
 * text on another connection. */
static bool context_can_continue(const struct context *context)
{
	return context_takes_input(context) &&
	       (!context->goes_away || turn_queue_takes_text(&context->queue));
}

void context_text(struct context *context, const char *text, size_t len, size_t room)
{
	size_t unspoken = context_unspoken(context);
	size_t own_room = unspoken < CONTEXT_UNSPOKEN_MAX ? CONTEXT_UNSPOKEN_MAX - unspoken : 0;
	int err;

	if (!context_can_continue(context))
		return;
	context_handle(context, CONTEXT_EVENT_INPUT);
	err = turn_queue_text(&context->queue, &context->settings, text, len,
			      room < own_room ? room : own_room);
	if (err)
		context_fail(context,
			     err == ENOBUFS ? WIRE_ERROR_TOO_MANY_FLUSHES : WIRE_ERROR_INTERNAL,
			     NULL);
}

/* Each flush gets one `final`: that of its turn, or one after the last turn's, or one at once. */
void context_flush(struct context *context)
{
	int err;

	if (!context_can_continue(context))
		return;
	context_handle(context, CONTEXT_EVENT_INPUT);
	context_finish_surrogate(context);
	if (context->state != CONTEXT_OPEN)
		return;
	if (turn_queue_end(&context->queue))
		return;
	err = turn_queue_note_flush(&context->queue);
	if (err == ENOENT)
		context_send_final(context);
	else if (err)
		context_fail(context, WIRE_ERROR_TOO_MANY_FLUSHES,
			     "1024 without text wait for one turn");
}

void context_keep_alive(struct context *context)
{
	context_handle(context, CONTEXT_EVENT_INPUT);
}

void context_close(struct context *context)
{
	context_handle(context, CONTEXT_EVENT_CLOSE);
}

void context_emit(struct context *context)
{
	struct turn *turn = turn_queue_open(&context->queue);

	if (!context_can_continue(context))
		return;
	context_handle(context, CONTEXT_EVENT_INPUT);
	if (turn)
		turn_flush(turn);
}

void context_release(struct context *context)
{
	struct turn *turn = turn_queue_open(&context->queue);

	if (turn && context_can_continue(context))
		turn_release(turn);
}

void context_stop(struct context *context)
{
	context->stops = true;
	context_handle(context, CONTEXT_EVENT_CLOSE);
}

void context_cancel(struct context *context)
{
	context_handle(context, CONTEXT_EVENT_CANCEL);
}

void context_cut(struct context *context)
{
	context_handle(context, CONTEXT_EVENT_CUT);
}

void context_yield(struct context *context)
{
	struct turn *turn = turn_queue_front(&context->queue);
	struct turn_figures figures;

	if (context->state != CONTEXT_CLOSING || !turn)
		return;
	turn_figures(turn, &figures);
	if (figures.samples > 0)
		turn_yield(turn);
}

static void context_merge_settings(struct context *context, const struct settings *from,
				   unsigned without)
{
	struct settings some = *from; /* a shallow copy, which must not be reset */

	some.set &= ~without;
	settings_merge(&context->settings, &some);
}

void context_configure(struct context *context, const struct settings *settings)
{
	context_merge_settings(context, settings,
			       context->own | (context->settings.set & SETTING_VOICE_ID));
}

void context_configure_voice(struct context *context, const struct settings *voice)
{
	context_merge_settings(context, voice, context->settings.set & SETTING_VOICE_ID);
	context->own |= voice->set;
}

void context_set_idle_ms(struct context *context, unsigned idle_ms)
{
	context->owner.idle_ms = idle_ms;
}

uint16_t context_surrogate(const struct context *context)
{
	return context->surrogate;
}

void context_set_surrogate(struct context *context, uint16_t surrogate)
{
	context->surrogate = surrogate;
}

void context_filled(struct context *context)
{
	turn_queue_filled(&context->queue);
}

void context_drained(struct context *context)
{
	turn_queue_drained(&context->queue);
}

void context_sent(struct context *context, uint64_t tag)
{
	turn_queue_sent(&context->queue, tag);
}

void context_go_away(struct context *context)
{
	if (context->queue.turns.count > 1) /* turns that would send a `final` are dropped */
		context->needs_final = true;
	context_end_early(context);
	if (context->owner.idle_ms <= DRAIN_IDLE_MS)
		return;
	context->owner.idle_ms = DRAIN_IDLE_MS;
	if (timer_is_set(&context->idle_timer))
		context_set_timer(context, context_idle_us(context));
}

enum context_state context_state(const struct context *context)
{
	return context->state;
}

bool context_takes_input(const struct context *context)
{
	return context->state == CONTEXT_OPEN;
}

bool context_is_dropped(const struct context *context)
{
	return context->is_dropped;
}

bool context_is_idle(const struct context *context)
{
	return context->state == CONTEXT_OPEN && context->queue.turns.count == 0 &&
	       context->queue.settling.count == 0;
}

bool context_has_id(const struct context *context, const char *id, size_t len)
{
	return context->id_len == len && memcmp(context->id, id, len) == 0;
}

size_t context_unspoken(const struct context *context)
{
	return turn_queue_unspoken(&context->queue);
}

double context_audio_seconds(const struct context *context)
{
	return context->audio_seconds;
}

static void context_destroy(void *object)
{
	struct context *context = object;

	metrics_take(METRIC_CONTEXTS, 1);
	context_stop_listening(context);
	turn_queue_reset(&context->queue);
	settings_reset(&context->settings);
	buf_reset(&context->turn_ids);
	mem_deref(context->id);
}

/* Keeps the id in two forms: for comparison, and for messages. */
static int context_keep_id(struct context *context, const char *id, size_t id_len)
{
	struct buf json;
	int err;

	buf_init(&json, REPLY_CONTEXT_MAX + 1);
	err = reply_context_id(&json, id, id_len);
	if (!err && !(context->id = mem_zalloc(id_len + json.len, NULL)))
		err = ENOMEM;
	if (!err) {
		memcpy(context->id, id, id_len);
		memcpy(context->id + id_len, json.bytes, json.len);
		context->id_len = id_len;
		context->id_json = context->id + id_len;
	}
	buf_reset(&json);
	return err;
}

int context_alloc(struct context **contextp, const struct context_owner *owner, const char *id,
		  size_t id_len, const struct settings *settings)
{
	struct context *context = mem_zalloc(sizeof(*context), NULL);
	struct turn_owner turn_owner = {.session = owner->session};
	struct buf message;
	int err;

	if (!context)
		return ENOMEM;
	context->owner = *owner;
	err = context_keep_id(context, id, id_len);
	if (err) {
		mem_deref(context);
		return err;
	}
	settings_copy(&context->settings, settings);
	buf_init(&context->turn_ids, CONTEXT_TURN_IDS_MAX * (USAGE_ID_MAX + 1));
	turn_owner.context = context->id_json;
	turn_owner.counters = &context->counters;
	turn_queue_init(&context->queue, &turn_owner, CONTEXT_FLUSHES_MAX, &context_queue_ops,
			context);
	mem_set_destructor(context, context_destroy);
	metrics_add(METRIC_CONTEXTS, 1);
	if (context_dialect_of(context)->context_created)
		session_send(context_session_of(context), &message,
			     context_dialect_of(context)->context_created(
				     session_begin(context_session_of(context), &message),
				     context->id_json));
	context_keep_listening(context);
	*contextp = context;
	return 0;
}
