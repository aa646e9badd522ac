/*
 * fake_ledger.h: a ledger that is as quick, slow or broken as a test wants.
 */
#ifndef PROTO_FAKE_LEDGER_H
#define PROTO_FAKE_LEDGER_H

#include <stdbool.h>
#include <stddef.h>

#include "account/account.h"

enum fake_ledger_mood {
	FAKE_LEDGER_WELL, /* rows are durable a moment later */
	FAKE_LEDGER_SLOW, /* not until it is well again */
	FAKE_LEDGER_BROKEN, /* the first try fails; the row comes later */
	FAKE_LEDGER_FULL, /* takes no row, as turns find out */
	FAKE_LEDGER_SHUT, /* has no room, and says so beforehand */
};

#define FAKE_LEDGER_ROWS 1024

struct fake_booking {
	struct store_turn row;
	size_t mark;
	usage_booked_h *booked; /* NULL: nobody waits */
	void *arg;
	bool is_durable;
};

struct fake_ledger {
	struct usage_ledger ledger;
	enum fake_ledger_mood mood;
	struct fake_booking bookings[FAKE_LEDGER_ROWS];
	size_t count;
	size_t marked; /* turns */
	size_t marks; /* how often */
	struct store_turn last_mark;
};

void fake_ledger_init(struct fake_ledger *fake);

/* Answers those who wait, if its mood is so; true when anyone was. */
bool fake_ledger_answer(struct fake_ledger *fake);

/* How many rows have this id. */
size_t fake_ledger_count(const struct fake_ledger *fake, const char *turn_id);

#endif
