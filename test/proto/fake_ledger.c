/*
 * fake_ledger.c: a ledger in memory that can be slow or fail (see fake_ledger.h).
 */
#include "fake_ledger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct fake_ledger *fake_ledger_of(struct usage_ledger *ledger)
{
	return LIST_OBJECT(ledger, struct fake_ledger, ledger);
}

static int fake_ledger_book(struct usage_booking **bookingp, struct usage_ledger *ledger,
			    const struct usage_entry *entry, size_t mark, usage_booked_h *booked,
			    void *arg)
{
	struct fake_ledger *fake = fake_ledger_of(ledger);
	struct fake_booking *booking;

	if (fake->mood == FAKE_LEDGER_FULL)
		return ENOBUFS;
	if (fake->count == FAKE_LEDGER_ROWS)
		abort();
	booking = &fake->bookings[fake->count++];
	*booking = (struct fake_booking){.mark = mark, .booked = booked, .arg = arg};
	usage_entry_row(&booking->row, entry);
	*bookingp = (struct usage_booking *)(void *)booking;
	return 0;
}

static void fake_ledger_unlisten(struct usage_booking *arg)
{
	struct fake_booking *booking = (struct fake_booking *)(void *)arg;

	booking->booked = NULL;
}

static void fake_ledger_mark(struct usage_ledger *ledger, size_t *mark,
			     const struct usage_entry *entry)
{
	struct fake_ledger *fake = fake_ledger_of(ledger);

	if (*mark == USAGE_NO_MARK)
		*mark = fake->marked++;
	++fake->marks;
	usage_entry_row(&fake->last_mark, entry);
}

static bool fake_ledger_can_book(struct usage_ledger *ledger)
{
	return fake_ledger_of(ledger)->mood != FAKE_LEDGER_SHUT;
}

static const struct usage_ledger_ops ledger_ops = {
	.book = fake_ledger_book,
	.unlisten = fake_ledger_unlisten,
	.mark = fake_ledger_mark,
	.can_book = fake_ledger_can_book,
};

void fake_ledger_init(struct fake_ledger *fake)
{
	*fake = (struct fake_ledger){.ledger = {&ledger_ops}};
}

bool fake_ledger_answer(struct fake_ledger *fake)
{
	bool happened = false;

	if (fake->mood == FAKE_LEDGER_SLOW)
		return false;
	for (size_t i = 0; i < fake->count; ++i) {
		struct fake_booking *booking = &fake->bookings[i];
		usage_booked_h *booked = booking->booked;

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
