/*
 * usage_ledger.h: the ledger as sessions see it.
 *
 * A session says what was used, by which caller and at what price; the async_store turns that into
 * a row of the store (usage_ledger.c).  Nothing of the store is visible here, so that sessions do
 * not depend on it.  The interface has several implementations: the async_store's, one that books
 * nothing for a program that speaks without a server, and the tests'.
 *
 * Everything runs on the loop's thread.
 */
#ifndef ACCOUNT_USAGE_LEDGER_H
#define ACCOUNT_USAGE_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define USAGE_ID_MAX 40
#define USAGE_MODEL_SIZE 64 /* longer names of models are truncated */

/* Audio is marked at its beginning and then each time this much more of it was sent or heard. */
#define USAGE_MARK_SECONDS 10

struct caller;

enum usage_status {
	USAGE_FINISHED,
	USAGE_CANCELLED,
	USAGE_FAILED,
	USAGE_LOST, /* the server died: the figures are those of the last mark */
};

enum usage_kind {
	USAGE_SPEECH, /* its quantity is in samples */
	USAGE_HEARING, /* audio that was transcribed, in samples */
	USAGE_MODEL_INPUT, /* tokens sent to a language model */
	USAGE_MODEL_OUTPUT, /* tokens that the model generated */
};

/* What is booked in one row.  Entries with the same id are booked once. */
struct usage_entry {
	char id[USAGE_ID_MAX + 1];
	const struct caller *caller; /* who is charged; NULL: nobody */
	enum usage_status status;
	enum usage_kind kind;
	uint64_t quantity; /* samples that were handed to the socket or transcribed, or tokens */
	bool is_estimated; /* the quantity was estimated, not counted */
	uint32_t sample_rate; /* 0 for tokens */
	uint64_t characters; /* only for speech, like the next field */
	int64_t voice_id;
	char model_id[USAGE_MODEL_SIZE];
	int64_t amount_microcents;
};

struct usage_ledger;
struct usage_booking; /* an entry that is being booked */

/* Called with 0 when the entry is durable, or with EIO when that is unknown. */
typedef void(usage_booked_h)(int err, void *arg);

struct usage_ledger_ops {
	/* Appends an entry; nothing refers to it after the call.  `mark` is the one that was made
	 * for it.  The handler may be NULL and is never called from inside this call.  The booking
	 * must not be used after the handler was called or removed with `unlisten`.  ENOBUFS,
	 * ENOMEM: the entry is only in the log. */
	int (*book)(struct usage_booking **bookingp, struct usage_ledger *ledger,
		    const struct usage_entry *entry, size_t mark, usage_booked_h *booked,
		    void *arg);
	void (*unlisten)(struct usage_booking *booking); /* it is still booked */
	/* Records how far something has come, in case the process dies before it is booked.  *mark
	 * is USAGE_NO_MARK at first.  NULL: marks are not kept. */
	void (*mark)(struct usage_ledger *ledger, size_t *mark, const struct usage_entry *entry);
	/* Whether there is room for one more entry.  NULL: always. */
	bool (*can_book)(struct usage_ledger *ledger);
};
#define USAGE_NO_MARK SIZE_MAX

/* Embedded in each implementation. */
struct usage_ledger {
	const struct usage_ledger_ops *ops;
};

static inline bool usage_ledger_can_book(struct usage_ledger *ledger)
{
	return !ledger->ops->can_book || ledger->ops->can_book(ledger);
}

static inline void usage_ledger_mark(struct usage_ledger *ledger, size_t *mark,
				     const struct usage_entry *entry)
{
	if (ledger->ops->mark)
		ledger->ops->mark(ledger, mark, entry);
}

#endif
