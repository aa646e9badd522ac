/*
 * turn_leave.c: what a turn may, and what it costs (see turn.h, turn_private.h).
 *
 * Leave to speak is asked for when the turn comes to the front, credit before each
 * chunk; text is told as it comes.  A turn that has not spoken yet fails with the
 * reason; one that has is curtailed: the chunk that is being spoken is its last, and
 * ends at once where it would overdraw the account by more than a lease.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "metrics/metrics.h"
#include "session/denial.h"
#include "session/turn_private.h"

/* Speech has 10 to 20 letters a second, and more bytes where a letter says more. */
#define BYTE_MS 100

/* A derived voice costs what its base costs.  The voice object names the engine that speaks
 * the whole turn, so a voice whose usual engine is not there has the price of the engine that
 * is heard instead. */
int64_t turn_price(const struct turn *turn)
{
	const struct voice *voice = turn->voice;
	const struct price_subject subject = {
		.model_id = turn->settings.model_id,
		.voice_id = voice ? (voice->base_id ? voice->base_id : voice->id) : 0,
		.engine = voice ? voice->engine : "",
		.quality = voice ? voice->quality : VOICE_LOW,
	};

	return price_find(turn->services->prices, &subject);
}

static int64_t amount_of_samples(const struct turn *turn, uint64_t samples)
{
	if (turn->microcents_per_minute < 0)
		return 0;
	return price_microcents(samples, turn->format.sample_rate, turn->microcents_per_minute);
}

/* What it has cost so far, or would if it ended now. */
static int64_t amount_of(const struct turn *turn)
{
	return amount_of_samples(turn, turn->samples_sent);
}

/* Whoever has heard a part of it hears that part's end, and pays for it. */
static void refuse(struct turn *turn, const struct denied *denied)
{
	struct stream_fault fault;
	struct wire_notice notice = {.request_id = turn->owner.session->request_id};

	if (turn_has_spoken(turn)) {
		if (turn->curtailed_by.why == DENIAL_NONE)
			turn->curtailed_by = *denied;
		turn_curtail(turn);
		return;
	}
	denial_describe(&fault, denied);
	notice.id = fault.id;
	notice.retry_s = fault.retry_s;
	notice.detail = fault.detail;
	turn->was_refused = true;
	turn_fail_with(turn, &notice);
}

bool turn_tell_text(struct turn *turn, uint64_t characters)
{
	struct denied denied;

	if (!turn->permit || turn->awaits_leave || permit_text(turn->permit, characters, &denied))
		return true;
	refuse(turn, &denied);
	return false;
}

static void on_leave(int err, const struct denied *denied, void *arg)
{
	struct turn *turn = arg;
	bool begins = turn->awaits_leave;

	turn->awaits_leave = false;
	turn->awaits_credit = false;
	if (err)
		refuse(turn, denied);
	else if (!begins || turn_tell_text(turn, turn->characters))
		turn_speak(turn);
}

void turn_ask_leave(struct turn *turn)
{
	static const struct denied no_ledger = {.why = DENIAL_LEDGER, .limit = -1};
	const struct session_services *services = turn->services;
	struct denied denied = {.why = DENIAL_NONE, .limit = -1};
	int err;

	if (turn->state != TURN_OPEN && turn->state != TURN_DRAINING)
		return;
	if (!usage_ledger_can_book(services->ledger)) {
		refuse(turn, &no_ledger);
		return;
	}
	err = permit_ask(&turn->permit, turn->owner.session->member, &denied, on_leave, turn);
	if (!err || err == EINPROGRESS)
		permit_wait_for_chunks(turn->permit);
	if (err == EINPROGRESS)
		turn->awaits_leave = true;
	else if (err)
		refuse(turn, &denied);
	else
		(void)turn_tell_text(turn, turn->characters);
}

/* What the chunk at hand may cost: not for a bill, but so that many turns that speak at
 * once do not spend the same credit. */
static int64_t chunk_amount(const struct turn *turn)
{
	const struct spoken *spoken = turn->utterance.spoken;
	double ms = 0;

	for (size_t i = 0; i < spoken->parts_len; ++i) {
		const struct spoken_part *part = &spoken->parts[i];

		ms += part->pause_ms + (double)part->len * BYTE_MS / turn_speed(turn, part);
	}
	return turn->microcents_per_minute < 0
		       ? 0
		       : price_microcents((uint64_t)ms, 1000, turn->microcents_per_minute);
}

bool turn_may_go_on(struct turn *turn)
{
	struct denied denied;

	if (permit_go_on(turn->permit, amount_of(turn), chunk_amount(turn), &denied))
		return true;
	turn->awaits_credit = denied.why == DENIAL_PENDING; /* on_leave continues */
	if (!turn->awaits_credit)
		refuse(turn, &denied);
	return false;
}

bool turn_may_send(struct turn *turn, size_t samples)
{
	struct denied denied;

	if (!turn->permit ||
	    permit_advance(turn->permit, amount_of_samples(turn, turn->samples_sent + samples),
			   &denied))
		return true;
	turn->curtailed_by = denied;
	return false;
}

bool turn_was_curtailed(const struct turn *turn, struct stream_fault *fault)
{
	if (turn->curtailed_by.why == DENIAL_NONE)
		return false;
	denial_describe(fault, &turn->curtailed_by);
	return true;
}

/* The row of the ledger, as of now. */
static void fill_row(struct turn *turn, enum usage_status status)
{
	struct usage_entry *row = &turn->row;

	memcpy(row->id, turn->id, sizeof(row->id));
	row->member = turn->owner.session->member;
	row->status = status;
	row->quantity = turn->samples_sent;
	row->sample_rate = turn->format.sample_rate;
	row->characters = turn->characters;
	row->voice_id = turn->voice ? turn->voice->id : 0;
	snprintf(row->model_id, sizeof(row->model_id), "%s", turn->settings.model_id);
}

void turn_note_progress(struct turn *turn)
{
	const struct session_services *services = turn->services;

	if (turn->samples_sent < turn->mark_due)
		return;
	turn->mark_due += (uint64_t)USAGE_MARK_SECONDS * turn->format.sample_rate;
	fill_row(turn, USAGE_LOST);
	usage_ledger_mark(services->ledger, &turn->mark, &turn->row);
}

static void count_row(const struct usage_entry *row)
{
	metrics_add_at(METRIC_TURNS, row->status, 1);
	metrics_add(METRIC_AUDIO, row->quantity * 1000000u / row->sample_rate);
	metrics_add(METRIC_CHARACTERS, row->characters);
}

/* What is charged is what was handed to the socket.  A turn that was refused has
 * none: who is refused often would fill the ledger. */
void turn_book(struct turn *turn, enum usage_status status, usage_booked_h *booked)
{
	const struct session_services *services = turn->services;
	int err;

	if (turn->was_refused) {
		turn->permit = mem_deref(turn->permit);
		return;
	}
	fill_row(turn, status);
	if (status != USAGE_FAILED)
		turn->row.amount_microcents = amount_of(turn);
	if (turn->permit)
		permit_settle(turn->permit, turn->row.amount_microcents);
	turn->permit = mem_deref(turn->permit);
	err = services->ledger->ops->book(&turn->booking, services->ledger, &turn->row, turn->mark,
					  booked, turn);
	count_row(&turn->row);
	turn->is_booked = !err;
	turn->cost_known = turn->microcents_per_minute >= 0 && !err;
	if (err || !booked)
		turn->booking = NULL; /* nobody waits for it */
}
