/*
 * local_ledger.c: a ledger that records nothing (see local_ledger.h).
 */
#include "cli/local_ledger.h"

const struct prices local_ledger_prices = {.microcents_per_minute = PRICE_UNKNOWN,
					   .heard_microcents_per_minute = PRICE_UNKNOWN};

static void local_ledger_on_booked(void *arg)
{
	struct local_ledger *ledger = arg;

	ledger->booked(0, ledger->arg);
}

static int local_ledger_book(struct usage_booking **bookingp, struct usage_ledger *usage,
			     const struct usage_entry *entry, size_t mark, usage_booked_h *booked,
			     void *arg)
{
	struct local_ledger *ledger = (struct local_ledger *)(void *)usage;

	(void)entry;
	(void)mark;
	*bookingp = (struct usage_booking *)(void *)ledger;
	if (!booked)
		return 0;
	ledger->booked = booked;
	ledger->arg = arg;
	loop_defer(ledger->loop, &ledger->done, local_ledger_on_booked, ledger);
	return 0;
}

static void local_ledger_unlisten(struct usage_booking *booking)
{
	struct local_ledger *ledger = (struct local_ledger *)(void *)booking;

	loop_undefer(ledger->loop, &ledger->done);
}

void local_ledger_init(struct local_ledger *ledger, struct loop *loop)
{
	static const struct usage_ledger_ops ops = {
		.book = local_ledger_book,
		.unlisten = local_ledger_unlisten,
	};

	*ledger = (struct local_ledger){.ledger = {&ops}, .loop = loop};
}
