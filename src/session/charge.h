/*
 * charge.h: what a turn may use, what it costs, and its entry in the ledger.
 *
 *   charge_ask --> (later: `answered`) --> charge_text, as text comes
 *     --> charge_chunk, before each chunk --> charge_frame and charge_mark, with each frame
 *     --> charge_book, once --> `booked`
 *
 * Permission to speak is asked for when the turn comes to the front.  What is charged is what was
 * handed to the socket: its owner counts samples, and says with each call how many there are.
 *
 * A member of its turn; runs on the loop's thread.
 */
#ifndef SESSION_CHARGE_H
#define SESSION_CHARGE_H

#include <stdbool.h>
#include <stdint.h>

#include "account/member.h"
#include "account/usage_ledger.h"
#include "session/services.h"
#include "wire/settings.h"

#define CHARGE_BOOKING_MS 1000 /* for the ledger, then the cost is unknown */

struct charge_ops {
	/* What CHARGE_LATER announced: NULL when the turn may go on, or why not. */
	void (*answered)(void *arg, const struct denied *denied);
	/* The entry is durable, or that is not known and nobody waits for it any longer. */
	void (*booked)(void *arg);
};

struct charge {
	const struct session_services *services;
	struct member *member; /* who pays: lent by the session while it is there */
	const struct charge_ops *ops;
	void *arg;
	struct permit *permit; /* NULL: not asked for, refused, or given back */
	bool awaits_permit; /* permission to speak was asked for */
	bool awaits_credit; /* the store is asked for credit for the next chunk */
	bool is_free; /* permission was refused: nothing is booked */
	bool is_booked; /* as far as is known */
	bool is_cost_known;
	int64_t microcents_per_minute; /* or PRICE_UNKNOWN */
	size_t mark;
	uint64_t mark_due; /* samples sent at which it is marked next */
	struct usage_entry entry;
	struct account_booking *booking; /* NULL: nobody waits for it */
	struct timer booking_timer;
};

enum charge_answer { CHARGE_YES, CHARGE_LATER, CHARGE_NO };

/* The id of the entry is `id`, at most USAGE_ID_MAX characters.  `voice` may be NULL; nothing is
 * kept of it and of the settings. */
void charge_init(struct charge *charge, const struct session_services *services,
		 struct member *member, const char *id, const struct settings *settings,
		 const struct voice *voice, unsigned sample_rate, const struct charge_ops *ops,
		 void *arg);
void charge_reset(struct charge *charge);

/* Characters of the turn's text.  False with the denial when they are too many. */
bool charge_text(struct charge *charge, uint64_t characters, struct denied *denied);

/* Permission to speak, for all text so far.  CHARGE_NO with the denial. */
enum charge_answer charge_ask(struct charge *charge, struct denied *denied);
bool charge_is_waiting(const struct charge *charge); /* for permission or credit */

/* May one more chunk be begun, of at most `ms` of audio, after so many samples?  CHARGE_NO with
 * the denial. */
enum charge_answer charge_chunk(struct charge *charge, uint64_t samples, double ms,
				struct denied *denied);

/* May a frame be sent, with which so many samples were sent?  False with the denial: the account
 * would be overdrawn by more than a lease. */
bool charge_frame(struct charge *charge, uint64_t samples, struct denied *denied);

/* So many samples are being sent: notes that in case the server dies, when it is time. */
void charge_mark(struct charge *charge, uint64_t samples);

/* Permission was refused: nothing is booked.  Whoever is refused often would fill the ledger. */
void charge_waive(struct charge *charge);

/* Gives the permission back and books the entry.  With `is_awaited`, `booked` follows if the ledger
 * has taken it (charge_is_booking).  charge_await limits how long that takes, and makes `booked`
 * follow in any case. */
void charge_book(struct charge *charge, enum usage_status status, uint64_t samples,
		 bool is_awaited);
bool charge_is_booking(const struct charge *charge);
void charge_await(struct charge *charge);

#endif
