/*
 * fake_ledger.c: a ledger in memory with moods (see fake_ledger.h).
 */
#include "fake_ledger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int ledger_book(void **bookingp, void *ledger, const struct store_turn *turn, size_t mark,
		       ledger_booked_h *booked, void *arg)
{
	struct fake_ledger *fake = ledger;
	struct fake_booking *booking;

	if (fake->mood == FAKE_LEDGER_FULL)
		return ENOBUFS;
	if (fake->count == FAKE_LEDGER_ROWS)
		abort();
	booking = &fake->bookings[fake->count++];
	*booking = (struct fake_booking){.row = *turn, .mark = mark, .booked = booked, .arg = arg};
	*bookingp = booking;
	return 0;
}

static void ledger_unlisten(void *arg)
{
	struct fake_booking *booking = arg;

	booking->booked = NULL;
}

static void ledger_mark(void *ledger, size_t *mark, const struct store_turn *turn)
{
	struct fake_ledger *fake = ledger;

	if (*mark == LEDGER_NO_MARK)
		*mark = fake->marked++;
	++fake->marks;
	fake->last_mark = *turn;
}

static bool ledger_can_book(void *ledger)
{
	const struct fake_ledger *fake = ledger;

	return fake->mood != FAKE_LEDGER_SHUT;
}

const struct ledger_ops fake_ledger_ops = {
	.book = ledger_book,
	.unlisten = ledger_unlisten,
	.mark = ledger_mark,
	.can_book = ledger_can_book,
};

bool fake_ledger_answer(struct fake_ledger *fake)
{
	bool happened = false;

	if (fake->mood == FAKE_LEDGER_SLOW)
		return false;
	for (size_t i = 0; i < fake->count; ++i) {
		struct fake_booking *booking = &fake->bookings[i];
		ledger_booked_h *booked = booking->booked;

		booking->is_durable |= fake->mood != FAKE_LEDGER_BROKEN;
		if (!booked)
			continue;
		booking->booked = NULL;
		booked(booking->is_durable ? 0 : EIO, booking->arg);
		happened = true;
	}
	return happened;
}

size_t fake_ledger_count(const struct fake_ledger *fake, const char *turn_id)
{
	size_t count = 0;

	for (size_t i = 0; i < fake->count; ++i)
		count += strcmp(fake->bookings[i].row.id, turn_id) == 0;
	return count;
}
