/*
 * fake_ledger.h: a ledger in memory that can be slow or fail.
 */
#ifndef PROTO_FAKE_LEDGER_H
#define PROTO_FAKE_LEDGER_H

#include <stdbool.h>
#include <stddef.h>

#include "account/async_store.h"

enum fake_ledger_mood {
	FAKE_LEDGER_WELL, /* rows become durable at the next fake_ledger_answer */
	FAKE_LEDGER_SLOW, /* rows do not become durable until it is FAKE_LEDGER_WELL again */
	FAKE_LEDGER_BROKEN, /* the first attempt fails; the row is booked later */
	FAKE_LEDGER_FULL, /* `book` fails */
	FAKE_LEDGER_SHUT, /* `can_book` returns false */
};

#define FAKE_LEDGER_ROWS 1024

struct fake_booking {
	struct store_turn row;
	size_t mark;
	usage_booked_h *booked; /* NULL: it is not awaited */
	void *arg;
	bool is_durable;
};

struct fake_ledger {
	struct usage_ledger ledger;
	enum fake_ledger_mood mood;
	struct fake_booking bookings[FAKE_LEDGER_ROWS];
	size_t count;
	size_t marked; /* how many turns were marked */
	size_t marks; /* how many marks were made */
	struct store_turn last_mark;
};

void fake_ledger_init(struct fake_ledger *fake);

/* Calls the handlers that are due in the current mood; returns whether there were any. */
bool fake_ledger_answer(struct fake_ledger *fake);

/* How many rows have this id. */
size_t fake_ledger_count(const struct fake_ledger *fake, const char *turn_id);

#endif
