/*
 * usage_ledger.h: the ledger as sessions see it.
 *
 * A session says what was used, by whom and at what price; the account turns that into a row
 * of the store (usage_ledger.c).  Nothing of the store is visible here, so that sessions do not
 * depend on it.  The interface has several implementations: the account's, one that books
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
#define USAGE_MODEL_SIZE 64 /* longer names of models are cut */

/* Spoken audio is marked at its beginning and then each time this much more of it was sent. */
#define USAGE_MARK_SECONDS 10

struct member;

enum usage_status {
	USAGE_FINISHED,
	USAGE_CANCELLED,
	USAGE_FAILED,
	USAGE_LOST, /* the server died: the figures are those of the last mark */
};

enum usage_kind {
	USAGE_SPEECH, /* its quantity is in samples */
	USAGE_MODEL_INPUT, /* tokens sent to a language model */
	USAGE_MODEL_OUTPUT, /* tokens that the model generated */
};

/* What is booked in one row.  Entries with the same id are booked once. */
struct usage_entry {
	char id[USAGE_ID_MAX + 1];
	const struct member *member; /* who pays; NULL: nobody */
	enum usage_status status;
	enum usage_kind kind;
	uint64_t quantity; /* samples that were handed to the socket, or tokens */
	bool is_estimated; /* the quantity was estimated, not counted */
	uint32_t sample_rate; /* speech only, as the next two */
	uint64_t characters;
	int64_t voice_id;
	char model_id[USAGE_MODEL_SIZE];
	int64_t amount_microcents;
};

struct usage_ledger;
struct account_booking; /* an entry on its way into the ledger */

/* Hears 0 when the entry is durable, or EIO when that is not known. */
typedef void(usage_booked_h)(int err, void *arg);

struct usage_ledger_ops {
	/* Appends an entry, of which nothing is kept beyond the call.  `mark` is the one that was
	 * made for it.  The handler is never called from inside this call, and may be NULL.  The
	 * booking is gone for its owner when the handler was called or unlistened.  ENOBUFS,
	 * ENOMEM: the entry is in the log alone. */
	int (*book)(struct account_booking **bookingp, struct usage_ledger *ledger,
		    const struct usage_entry *entry, size_t mark, usage_booked_h *booked,
		    void *arg);
	void (*unlisten)(struct account_booking *booking); /* it is still booked */
	/* Notes how far something has come, in case the process dies before it is booked.  *mark
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
