/*
 * charge.h: what a turn may use, what it costs, and its entry in the ledger.
 *
 *   charge_ask --> (later: `answered`) --> charge_text, as text arrives
 *     --> charge_chunk, before each chunk --> charge_frame and charge_mark, with each frame
 *     --> charge_book, once --> `booked`
 *
 * Permission to speak is requested when the turn comes to the front.  The audio that was handed to
 * the socket is charged: the turn counts samples, and passes their number with each call.
 *
 * A transcription is charged in the same way.  It has no text; its chunks are parts of the audio that
 * it receives, and charge_heard takes the place of charge_frame and charge_mark.
 *
 * A member of its turn or transcription; runs on the loop's thread.
 */
#ifndef SESSION_CHARGE_H
#define SESSION_CHARGE_H

#include <stdbool.h>
#include <stdint.h>

#include "account/caller.h"
#include "account/usage_ledger.h"
#include "session/services.h"
#include "wire/settings.h"

#define CHARGE_BOOKING_MS 1000 /* when the ledger takes longer, the cost is reported as unknown */

struct charge_ops {
	/* Called after CHARGE_LATER, with NULL if the turn may continue, or with the denial. */
	void (*answered)(void *arg, const struct denied *denied);
	/* The entry is durable, or the wait for that has ended. */
	void (*booked)(void *arg);
};

struct charge {
	const struct session_services *services;
	struct caller *caller; /* who is charged; the session holds the reference */
	const struct charge_ops *ops;
	void *arg;
	struct permit *permit; /* NULL: not requested, refused, or released */
	bool awaits_permit; /* permission to speak has been requested */
	bool awaits_credit; /* credit for the next chunk is being requested from the store */
	bool is_free; /* permission was refused: nothing is booked */
	bool is_booked; /* the ledger has accepted the entry */
	bool is_cost_known;
	int64_t microcents_per_minute; /* or PRICE_UNKNOWN */
	size_t mark; /* the entry's mark in the ledger, or USAGE_NO_MARK */
	uint64_t mark_due; /* the entry is marked again when this many samples have been sent */
	uint64_t heard_s; /* seconds of audio that were counted in the limits */
	struct usage_entry entry;
	struct usage_booking *booking; /* NULL: no booking is awaited */
	struct timer booking_timer;
};

enum charge_answer { CHARGE_YES, CHARGE_LATER, CHARGE_NO };

/* `id` becomes the id of the entry; it has at most USAGE_ID_MAX characters.  `voice` may be NULL.
 * The voice and the settings are used only during this call. */
void charge_init(struct charge *charge, const struct session_services *services,
		 struct caller *caller, const char *id, const struct settings *settings,
		 const struct voice *voice, unsigned sample_rate, const struct charge_ops *ops,
		 void *arg);
/* The same for a transcription by this model. */
void charge_init_hearing(struct charge *charge, const struct session_services *services,
			 struct caller *caller, const char *id, const char *model,
			 const struct charge_ops *ops, void *arg);
void charge_reset(struct charge *charge);

/* Counts characters of the turn's text.  False with the denial when there are too many. */
bool charge_text(struct charge *charge, uint64_t characters, struct denied *denied);

/* Requests permission to speak, for all text so far, or to listen.  CHARGE_NO with the denial. */
enum charge_answer charge_ask(struct charge *charge, struct denied *denied);

/* Whether permission or credit has been requested, and `answered` will be called. */
bool charge_is_waiting(const struct charge *charge);

/* Whether a chunk of at most `ms` of audio may begin after `samples`.  CHARGE_NO with the
 * denial. */
enum charge_answer charge_chunk(struct charge *charge, uint64_t samples, double ms,
				struct denied *denied);

/* Whether a frame may be sent that brings the turn to `samples`.  False with the denial: the
 * account would be overdrawn by more than a lease. */
bool charge_frame(struct charge *charge, uint64_t samples, struct denied *denied);

/* Marks the turn if it is time to, in case the server dies; `samples` are being sent. */
void charge_mark(struct charge *charge, uint64_t samples);

/* Counts audio that brings the transcription to `samples`, and marks it if it is time to.  False with
 * the denial: with DENIAL_HEARD it exceeds what the caller may have transcribed in a minute; with any
 * other reason the account would be overdrawn by more than a lease. */
bool charge_heard(struct charge *charge, uint64_t samples, struct denied *denied);

/* Call it when permission was refused: nothing is booked, because clients that are refused often
 * would fill the ledger. */
void charge_waive(struct charge *charge);

/* Releases the permission and books the entry.  With `is_awaited`, `booked` is called later if the
 * ledger has accepted the entry (charge_is_booking).  charge_await limits how long that takes, and
 * makes sure that `booked` is called in any case. */
void charge_book(struct charge *charge, enum usage_status status, uint64_t samples,
		 bool is_awaited);
bool charge_is_booking(const struct charge *charge);
void charge_await(struct charge *charge);

#endif
