/*
 * context.c: one conversation on /ws/tts/multi (see context.h).
 *
 * The table below is the specification: an event that has no row has no
 * meaning in that state and changes nothing.  handle is the only function that
 * writes the state; it moves first and acts second.
 */
#include "session/context.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "metrics/metrics.h"
#include "session/session.h"
#include "session/turn_queue.h"

/* A server that goes away waits for the rest of an answer no longer than on
 * /ws/tts/stream. */
#define DRAIN_IDLE_MS TURN_IDLE_MS

typedef void(context_action)(struct context *context);

static context_action listen_on, finish_input, say_final, say_closed, drop_all, interrupt, cut;

static const struct context_row {
	enum context_state to;
	context_action *act; /* NULL: no such edge */
} table[CONTEXT_STATE_COUNT][CONTEXT_EVENT_COUNT] = {
	[CONTEXT_OPEN] =
		{
			[CONTEXT_EVENT_INPUT] = {CONTEXT_OPEN, listen_on},
			[CONTEXT_EVENT_CLOSE] = {CONTEXT_CLOSING, finish_input},
			[CONTEXT_EVENT_IDLE] = {CONTEXT_CLOSING, finish_input},
			[CONTEXT_EVENT_FAULT] = {CONTEXT_BOOKING, drop_all},
			[CONTEXT_EVENT_CANCEL] = {CONTEXT_BOOKING, interrupt},
			[CONTEXT_EVENT_CUT] = {CONTEXT_CLOSED, cut},
		},
	[CONTEXT_CLOSING] =
		{
			[CONTEXT_EVENT_FAULT] = {CONTEXT_BOOKING, drop_all},
			[CONTEXT_EVENT_SPOKEN] = {CONTEXT_BOOKING, say_final},
			[CONTEXT_EVENT_CANCEL] = {CONTEXT_BOOKING, interrupt},
			[CONTEXT_EVENT_CUT] = {CONTEXT_CLOSED, cut},
		},
	[CONTEXT_BOOKING] =
		{
			[CONTEXT_EVENT_BOOKED] = {CONTEXT_CLOSED, say_closed},
			[CONTEXT_EVENT_CANCEL] = {CONTEXT_BOOKING, interrupt},
			[CONTEXT_EVENT_CUT] = {CONTEXT_CLOSED, cut},
		},
};

static const char *const state_names[] = {
#define X(name) #name,
	CONTEXT_STATES(X)
#undef X
};

static const char *const event_names[] = {
#define X(name) #name,
	CONTEXT_EVENTS(X)
#undef X
};

struct context {
	struct context_owner owner;
	char *id; /* as the client means it, then as JSON */
	size_t id_len;
	const char *id_json;
	struct settings settings;
	unsigned own; /* bits of `settings` that voice_settings gave */
	struct turn_queue queue;
	struct turn_counters counters;
	enum context_state state;
	uint16_t surrogate;
	bool goes_away;
	bool owes_final; /* for its close, when no turn's own will answer it */
	bool is_dropped; /* it was interrupted, or has failed */
	bool stops; /* its close speaks only what was flushed */

	struct timer idle_timer;
	uint64_t quiet_since_us; /* the last input, or the last turn's end */

	/* Of the turns that are over. */
	double audio_seconds;
	uint64_t characters;
	int64_t cost_microcents;
	bool cost_unknown;
	const char *model_id; /* of its last turn; NULL: there was none */
	const char *cut_short_by; /* NULL: it was not */
	struct buf turn_ids;
};

const char *context_state_name(enum context_state state)
{
	return state_names[state];
}

const char *context_event_name(enum context_event event)
{
	return event_names[event];
}

bool context_edge(enum context_state *to, enum context_state from, enum context_event event)
{
	*to = table[from][event].to;
	return table[from][event].act != NULL;
}

static void handle(struct context *context, enum context_event event)
{
	const struct context_row *row = &table[context->state][event];

	if (!row->act)
		return;
	mem_ref(context); /* its end is its owner's last reference */
	context->state = row->to;
	row->act(context);
	if (row->to == CONTEXT_CLOSED)
		context->owner.left(context->owner.arg);
	mem_deref(context);
}

static struct session *session_of(const struct context *context)
{
	return context->owner.session;
}

static struct timers *timers_of(const struct context *context)
{
	return session_of(context)->services->timers;
}

static const struct dialect *dialect_of(const struct context *context)
{
	return session_of(context)->dialect;
}

static void send_final(struct context *context)
{
	static const struct reply_totals nothing = {0};
	struct session *session = session_of(context);
	struct buf message;

	if (dialect_of(context)->final)
		session_send(session, &message,
			     dialect_of(context)->final(session_begin(session, &message),
							context->id_json, &nothing));
}

static void on_timer(void *arg);

static void set_timer(struct context *context, uint64_t delay_us)
{
	timer_set(timers_of(context), &context->idle_timer, delay_us, on_timer, context);
}

static uint64_t idle_us(const struct context *context)
{
	return context->owner.idle_ms * UINT64_C(1000);
}

static uint64_t quiet_since_us(const struct context *context)
{
	const struct turn *turn = turn_queue_front(&context->queue);
	uint64_t turn_us = turn ? turn_quiet_since_us(turn) : 0;

	return turn_us > context->quiet_since_us ? turn_us : context->quiet_since_us;
}

/* More than one turn: the front one drains. */
static bool is_speaking(const struct context *context)
{
	const struct turn *turn = turn_queue_front(&context->queue);

	return turn && (context->queue.turns.count > 1 || turn_is_busy(turn));
}

/* While it speaks it is not idle: the time counts from its last word, which is
 * looked up when the timer fires instead of setting it with each one. */
static void on_timer(void *arg)
{
	struct context *context = arg;
	uint64_t now = timers_of(context)->now_us;
	uint64_t due = quiet_since_us(context) + idle_us(context);

	if (is_speaking(context))
		set_timer(context, idle_us(context));
	else if (due > now)
		set_timer(context, due - now);
	else
		handle(context, CONTEXT_EVENT_IDLE);
}

/* INPUT */
static void listen_on(struct context *context)
{
	context->quiet_since_us = timers_of(context)->now_us;
	set_timer(context, idle_us(context));
}

static void stop_listening(struct context *context)
{
	timer_clear(timers_of(context), &context->idle_timer);
}

/* What is over when it is asked for: a turn may have been the last one. */
static void look_whether_done(struct context *context)
{
	if (context->queue.turns.count > 0)
		return;
	handle(context, CONTEXT_EVENT_SPOKEN);
	if (context->queue.settling.count == 0)
		handle(context, CONTEXT_EVENT_BOOKED);
}

/* Half a character that nothing completed any more is still a character. */
static void finish_surrogate(struct context *context)
{
	if (context->surrogate)
		turn_queue_text(&context->queue, &context->settings, "\xef\xbf\xbd", 3, 3);
	context->surrogate = 0;
}

/* CLOSE, IDLE: the open turn's `final` is the close's; without one the close
 * has its own behind all others. */
static void finish_input(struct context *context)
{
	struct turn *turn;

	stop_listening(context);
	finish_surrogate(context);
	if (context->state != CONTEXT_CLOSING)
		return; /* the half character was too much */
	turn = turn_queue_open(&context->queue);
	if (context->stops && turn && turn_is_unflushed(turn)) {
		handle(context, CONTEXT_EVENT_CUT);
		return;
	}
	if (context->stops && turn)
		turn_stop(turn);
	else
		context->owes_final = !turn_queue_end(&context->queue);
	look_whether_done(context);
}

/* SPOKEN */
static void say_final(struct context *context)
{
	if (context->owes_final)
		send_final(context);
}

/* A context without a turn has a usage, too: zeros, no rows, and the model that it would have
 * used. */
static int write_closed(struct context *context, struct buf *message)
{
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

	session_describe_price(session_of(context), &usage);
	return dialect_of(context)->context_closed(message, context->id_json, &usage);
}

/* BOOKED, and the end of every other way. */
static void say_closed(struct context *context)
{
	struct session *session = session_of(context);
	const struct dialect *dialect = dialect_of(context);
	struct buf message;

	context->owner.leave(context->owner.arg, context);
	if (dialect->context_closed)
		session_send(session, &message,
			     write_closed(context, session_begin(session, &message)));
}

/* FAULT */
static void drop_all(struct context *context)
{
	context->is_dropped = true;
	stop_listening(context);
	turn_queue_drop(&context->queue);
	look_whether_done(context);
}

/* CANCEL: whoever interrupts is not kept waiting for the ledger.  Audio that stands before
 * this in the peer's queue is taken back. */
static void interrupt(struct context *context)
{
	session_send_interrupted(session_of(context), context->id_json, NULL);
	drop_all(context);
}

/* CUT: what was handed over is what will be booked. */
static void cut(struct context *context)
{
	stop_listening(context);
	turn_queue_cancel(&context->queue);
	say_closed(context);
}

/* What waits is not begun, and when no turn is left it closes. */
static void end_early(struct context *context)
{
	context->goes_away = true;
	turn_queue_cancel_waiting(&context->queue);
}

/* The last word of a turn is a sign of life. */
static void on_spoken(void *arg, struct turn *turn, unsigned flushes)
{
	struct context *context = arg;
	struct stream_fault fault;

	context->quiet_since_us = timers_of(context)->now_us;
	if (turn_has_failed(turn)) {
		handle(context, CONTEXT_EVENT_FAULT);
		return;
	}
	while (flushes-- > 0)
		send_final(context);
	if (turn_was_curtailed(turn, &fault)) {
		session_send_fault(session_of(context), context->id_json, &fault);
		end_early(context);
		context->owner.failed(context->owner.arg, fault.id);
	}
}

static void on_failed(void *arg, const struct wire_notice *notice)
{
	struct context *context = arg;

	context->owner.failed(context->owner.arg, notice->id);
}

static void note_turn_id(struct context *context, const struct reply_usage *usage)
{
	/* Full, or no memory: the row is in the ledger all the same. */
	(void)buf_append(&context->turn_ids, usage->turn_id, strlen(usage->turn_id) + 1);
}

static void on_gone(void *arg, struct turn *turn)
{
	struct context *context = arg;
	struct reply_usage usage;

	if (turn_was_refused(turn))
		return;
	turn_usage(turn, &usage);
	note_turn_id(context, &usage);
	context->model_id = usage.model_id;
	context->cut_short_by = usage.cut_short_by; /* then it is the last one */
	if (turn_has_failed(turn))
		return; /* it costs nothing */
	context->audio_seconds += usage.audio_seconds;
	context->characters += usage.characters;
	context->cost_microcents += usage.cost_microcents;
	context->cost_unknown |= !usage.cost_known;
}

static void on_empty(void *arg)
{
	struct context *context = arg;

	if (context->goes_away)
		context_close(context);
	look_whether_done(context);
}

static const struct turn_queue_ops queue_ops = {
	.spoken = on_spoken,
	.gone = on_gone,
	.empty = on_empty,
	.failed = on_failed,
};

/* Errors that no turn could tell. */
static void fail(struct context *context, enum wire_error_id id, const char *detail)
{
	session_send_error(session_of(context), context->id_json, id, detail);
	handle(context, CONTEXT_EVENT_FAULT);
}

/* When the server goes away only what has begun is finished.  A flush of text
 * that was not taken has no `final`: the client says it all again elsewhere. */
static bool can_go_on(const struct context *context)
{
	return context_takes_input(context) &&
	       (!context->goes_away || turn_queue_takes_text(&context->queue));
}

void context_text(struct context *context, const char *text, size_t len, size_t room)
{
	size_t unspoken = context_unspoken(context);
	size_t own_room = unspoken < CONTEXT_UNSPOKEN_MAX ? CONTEXT_UNSPOKEN_MAX - unspoken : 0;
	int err;

	if (!can_go_on(context))
		return;
	handle(context, CONTEXT_EVENT_INPUT);
	err = turn_queue_text(&context->queue, &context->settings, text, len,
			      room < own_room ? room : own_room);
	if (err)
		fail(context, err == ENOBUFS ? WIRE_ERROR_TOO_MANY_FLUSHES : WIRE_ERROR_INTERNAL,
		     NULL);
}

/* One `final` for each: the turn's, or behind the last turn's, or now. */
void context_flush(struct context *context)
{
	int err;

	if (!can_go_on(context))
		return;
	handle(context, CONTEXT_EVENT_INPUT);
	finish_surrogate(context);
	if (context->state != CONTEXT_OPEN)
		return;
	if (turn_queue_end(&context->queue))
		return;
	err = turn_queue_note_flush(&context->queue);
	if (err == ENOENT)
		send_final(context);
	else if (err)
		fail(context, WIRE_ERROR_TOO_MANY_FLUSHES, "1024 without text wait for one turn");
}

void context_keep_alive(struct context *context)
{
	handle(context, CONTEXT_EVENT_INPUT);
}

void context_close(struct context *context)
{
	handle(context, CONTEXT_EVENT_CLOSE);
}

void context_emit(struct context *context)
{
	struct turn *turn = turn_queue_open(&context->queue);

	if (!can_go_on(context))
		return;
	handle(context, CONTEXT_EVENT_INPUT);
	if (turn)
		turn_flush(turn);
}

void context_release(struct context *context)
{
	struct turn *turn = turn_queue_open(&context->queue);

	if (turn && can_go_on(context))
		turn_release(turn);
}

void context_stop(struct context *context)
{
	context->stops = true;
	handle(context, CONTEXT_EVENT_CLOSE);
}

void context_cancel(struct context *context)
{
	handle(context, CONTEXT_EVENT_CANCEL);
}

void context_cut(struct context *context)
{
	handle(context, CONTEXT_EVENT_CUT);
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

static void merge(struct context *context, const struct settings *from, unsigned without)
{
	struct settings some = *from; /* lent: it is not reset */

	some.set &= ~without;
	settings_merge(&context->settings, &some);
}

void context_configure(struct context *context, const struct settings *settings)
{
	merge(context, settings, context->own | (context->settings.set & SETTING_VOICE_ID));
}

void context_configure_voice(struct context *context, const struct settings *voice)
{
	merge(context, voice, context->settings.set & SETTING_VOICE_ID);
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
	if (context->queue.turns.count > 1) /* the last of them would have said it */
		context->owes_final = true;
	end_early(context);
	if (context->owner.idle_ms <= DRAIN_IDLE_MS)
		return;
	context->owner.idle_ms = DRAIN_IDLE_MS;
	if (timer_is_set(&context->idle_timer))
		set_timer(context, idle_us(context));
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
	stop_listening(context);
	turn_queue_reset(&context->queue);
	settings_reset(&context->settings);
	buf_reset(&context->turn_ids);
	mem_deref(context->id);
}

/* The id twice: as it is compared, and as it is sent. */
static int keep_id(struct context *context, const char *id, size_t id_len)
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

static void init_queue(struct context *context)
{
	const struct turn_owner owner = {
		.session = session_of(context),
		.context = context->id_json,
		.counters = &context->counters,
	};

	turn_queue_init(&context->queue, &owner, CONTEXT_FLUSHES_MAX, &queue_ops, context);
}

int context_alloc(struct context **contextp, const struct context_owner *owner, const char *id,
		  size_t id_len, const struct settings *settings)
{
	struct context *context = mem_zalloc(sizeof(*context), NULL);
	struct buf message;
	int err;

	if (!context)
		return ENOMEM;
	context->owner = *owner;
	err = keep_id(context, id, id_len);
	if (err) {
		mem_deref(context);
		return err;
	}
	settings_copy(&context->settings, settings);
	buf_init(&context->turn_ids, CONTEXT_TURN_IDS_MAX * (USAGE_ID_MAX + 1));
	init_queue(context);
	mem_set_destructor(context, context_destroy);
	metrics_add(METRIC_CONTEXTS, 1);
	if (dialect_of(context)->context_created)
		session_send(
			session_of(context), &message,
			dialect_of(context)->context_created(
				session_begin(session_of(context), &message), context->id_json));
	listen_on(context);
	*contextp = context;
	return 0;
}
