/*
 * charge.c: what a turn may use, what it costs, and its entry in the ledger (see charge.h).
 */
#include "session/charge.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "account/price.h"
#include "base/mem.h"
#include "hearing/hearing.h"
#include "metrics/metrics.h"

/* A derived voice costs what its base costs.  The voice object names the engine that speaks the
 * whole turn, so a voice whose usual engine is not available has the price of the engine that
 * replaces it. */
static int64_t charge_price(const struct session_services *services,
			    const struct settings *settings, const struct voice *voice)
{
	const struct price_subject subject = {
		.model_id = settings->model_id,
		.voice_id = voice ? (voice->base_id ? voice->base_id : voice->id) : 0,
		.engine = voice ? voice->engine : "",
		.quality = voice ? voice->quality : VOICE_LOW,
	};

	return price_find(services->prices, &subject);
}

void charge_init(struct charge *charge, const struct session_services *services,
		 struct caller *caller, const char *id, const struct settings *settings,
		 const struct voice *voice, unsigned sample_rate, const struct charge_ops *ops,
		 void *arg)
{
	*charge = (struct charge){
		.services = services,
		.caller = caller,
		.ops = ops,
		.arg = arg,
		.microcents_per_minute = charge_price(services, settings, voice),
		.mark = USAGE_NO_MARK,
		.entry =
			{
				.caller = caller,
				.kind = USAGE_SPEECH,
				.sample_rate = sample_rate,
				.voice_id = voice ? voice->id : 0,
			},
	};
	snprintf(charge->entry.id, sizeof(charge->entry.id), "%s", id);
	snprintf(charge->entry.model_id, sizeof(charge->entry.model_id), "%s", settings->model_id);
}

void charge_init_hearing(struct charge *charge, const struct session_services *services,
			 struct caller *caller, const char *id, const char *model,
			 const struct charge_ops *ops, void *arg)
{
	*charge = (struct charge){
		.services = services,
		.caller = caller,
		.ops = ops,
		.arg = arg,
		.microcents_per_minute = price_find_heard(services->prices, model),
		.mark = USAGE_NO_MARK,
		.entry = {.caller = caller, .kind = USAGE_HEARING, .sample_rate = HEARING_RATE},
	};
	snprintf(charge->entry.id, sizeof(charge->entry.id), "%s", id);
	snprintf(charge->entry.model_id, sizeof(charge->entry.model_id), "%s", model);
}

void charge_reset(struct charge *charge)
{
	timer_clear(charge->services->timers, &charge->booking_timer);
	if (charge->booking)
		charge->services->ledger->ops->unlisten(charge->booking);
	charge->booking = NULL;
	charge->permit = mem_deref(charge->permit);
}

/* The cost of an amount of audio. */
static int64_t charge_amount(const struct charge *charge, uint64_t samples, unsigned rate)
{
	return charge->microcents_per_minute < 0
		       ? 0
		       : price_microcents(samples, rate, charge->microcents_per_minute);
}

static int64_t charge_spent(const struct charge *charge, uint64_t samples)
{
	return charge_amount(charge, samples, charge->entry.sample_rate);
}

bool charge_text(struct charge *charge, uint64_t characters, struct denied *denied)
{
	charge->entry.characters += characters;
	return !charge->permit || charge->awaits_permit ||
	       permit_text(charge->permit, characters, denied);
}

/* The text that came before permission was given. */
static bool charge_text_so_far(struct charge *charge, struct denied *denied)
{
	return charge->entry.kind == USAGE_HEARING ||
	       permit_text(charge->permit, charge->entry.characters, denied);
}

static void charge_on_permit(int err, const struct denied *denied, void *arg)
{
	struct charge *charge = arg;
	struct denied too_long;
	bool begins = charge->awaits_permit;

	charge->awaits_permit = charge->awaits_credit = false;
	if (!err && begins && !charge_text_so_far(charge, &too_long)) {
		err = EACCES;
		denied = &too_long;
	}
	charge->ops->answered(charge->arg, err ? denied : NULL);
}

enum charge_answer charge_ask(struct charge *charge, struct denied *denied)
{
	int err;

	*denied = (struct denied){.why = DENIAL_LEDGER, .limit = -1};
	if (!usage_ledger_can_book(charge->services->ledger))
		return CHARGE_NO;
	*denied = (struct denied){.why = DENIAL_NONE, .limit = -1};
	err = charge->entry.kind == USAGE_HEARING
		      ? permit_ask_to_hear(&charge->permit, charge->caller, denied,
					   charge_on_permit, charge)
		      : permit_ask(&charge->permit, charge->caller, denied, charge_on_permit,
				   charge);
	if (err && err != EINPROGRESS)
		return CHARGE_NO;
	permit_wait_for_chunks(charge->permit);
	charge->awaits_permit = err == EINPROGRESS;
	if (charge->awaits_permit)
		return CHARGE_LATER;
	return charge_text_so_far(charge, denied) ? CHARGE_YES : CHARGE_NO;
}

bool charge_is_waiting(const struct charge *charge)
{
	return charge->awaits_permit || charge->awaits_credit;
}

/* The estimate `ms` is not charged: it is reserved, so that concurrent turns do not spend the same
 * credit. */
enum charge_answer charge_chunk(struct charge *charge, uint64_t samples, double ms,
				struct denied *denied)
{
	if (permit_begin_chunk(charge->permit, charge_spent(charge, samples),
			       charge_amount(charge, (uint64_t)ms, 1000), denied))
		return CHARGE_YES;
	charge->awaits_credit = denied->why == DENIAL_PENDING; /* charge_on_permit will be called */
	return charge->awaits_credit ? CHARGE_LATER : CHARGE_NO;
}

bool charge_frame(struct charge *charge, uint64_t samples, struct denied *denied)
{
	return !charge->permit ||
	       permit_advance(charge->permit, charge_spent(charge, samples), denied);
}

void charge_mark(struct charge *charge, uint64_t samples)
{
	if (samples < charge->mark_due)
		return;
	charge->mark_due += (uint64_t)USAGE_MARK_SECONDS * charge->entry.sample_rate;
	charge->entry.status = USAGE_LOST;
	charge->entry.quantity = samples;
	usage_ledger_mark(charge->services->ledger, &charge->mark, &charge->entry);
}

bool charge_heard(struct charge *charge, uint64_t samples, struct denied *denied)
{
	uint64_t seconds = (samples + HEARING_RATE - 1) / HEARING_RATE;
	struct denied too_much;
	bool is_within = true;

	charge_mark(charge, samples);
	if (seconds > charge->heard_s) {
		is_within = permit_heard(charge->permit, seconds - charge->heard_s, &too_much);
		charge->heard_s = seconds;
	}
	/* The lack of credit comes first, because not every transcription ends at the limit. */
	if (!permit_advance(charge->permit, charge_spent(charge, samples), denied))
		return false;
	if (!is_within)
		*denied = too_much;
	return is_within;
}

void charge_waive(struct charge *charge)
{
	charge->is_free = true;
}

static void charge_on_booked(int err, void *arg)
{
	struct charge *charge = arg;

	charge->booking = NULL;
	timer_clear(charge->services->timers, &charge->booking_timer);
	if (err)
		charge->is_cost_known = charge->is_booked = false;
	charge->ops->booked(charge->arg);
}

static void charge_note(const struct usage_entry *entry)
{
	uint64_t us = entry->quantity * 1000000u / entry->sample_rate;

	if (entry->kind == USAGE_HEARING) {
		metrics_add_at(METRIC_TRANSCRIPTIONS, entry->status, 1);
		metrics_add(METRIC_HEARD, us);
		return;
	}
	metrics_add_at(METRIC_TURNS, entry->status, 1);
	metrics_add(METRIC_AUDIO, us);
	metrics_add(METRIC_CHARACTERS, entry->characters);
}

void charge_book(struct charge *charge, enum usage_status status, uint64_t samples, bool is_awaited)
{
	struct usage_ledger *ledger = charge->services->ledger;
	struct usage_entry *entry = &charge->entry;
	int err;

	if (charge->is_free) {
		charge->permit = mem_deref(charge->permit);
		return;
	}
	entry->status = status;
	entry->quantity = samples;
	if (status != USAGE_FAILED)
		entry->amount_microcents = charge_spent(charge, samples);
	if (charge->permit)
		permit_settle(charge->permit, entry->amount_microcents);
	charge->permit = mem_deref(charge->permit);
	err = ledger->ops->book(&charge->booking, ledger, entry, charge->mark,
				is_awaited ? charge_on_booked : NULL, charge);
	charge_note(entry);
	charge->is_booked = !err;
	charge->is_cost_known = charge->microcents_per_minute >= 0 && !err;
	if (err || !is_awaited)
		charge->booking = NULL;
}

bool charge_is_booking(const struct charge *charge)
{
	return charge->booking != NULL;
}

static void charge_on_late(void *arg)
{
	struct charge *charge = arg;

	if (charge->booking)
		charge->services->ledger->ops->unlisten(charge->booking);
	charge_on_booked(ETIMEDOUT, charge);
}

void charge_await(struct charge *charge)
{
	timer_set(charge->services->timers, &charge->booking_timer,
		  CHARGE_BOOKING_MS * UINT64_C(1000), charge_on_late, charge);
}
