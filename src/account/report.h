/*
 * report.h: what was spoken and what it cost, summed up; as JSON, as CSV, or row by
 * row.
 *
 * Blocking, over the store's verbs (see registry.h).  All figures are sums of the
 * ledger's rows, exact to the micro-cent.  Turns, seconds of audio and characters are
 * those of speech; costs are of every kind of row.
 */
#ifndef ACCOUNT_REPORT_H
#define ACCOUNT_REPORT_H

#include "base/buf.h"
#include "store/store.h"

/* What is summed up by: "day,key".  EINVAL; then *bad is where the unknown name stands. */
#define REPORT_BYS "day, key, voice, model, kind"
int report_parse_by(unsigned *by, const char *list, const char **bad);

struct report_row {
	const struct store_usage *usage;
	const char *key; /* its prefix, when summed up by keys; NULL: nobody's */
};
typedef bool(report_row_h)(const struct report_row *row, void *arg);

/* Each row, in the store's order; *total (may be NULL) has the sums of all. */
int report_each(struct store *store, const struct store_turn_filter *filter, unsigned by,
		report_row_h *each, void *arg, struct store_usage *total);

/* Whole, appended to out.  ENOBUFS when it has no room.  The currency may be NULL: not
 * known. */
int report_write_json(struct buf *out, struct store *store, const struct store_turn_filter *filter,
		      unsigned by, const char *currency);
int report_write_csv(struct buf *out, struct store *store, const struct store_turn_filter *filter,
		     unsigned by);

/* Turns after the cursor `after` (NULL: from the first), at most `limit`, with the
 * cursor of the next page.  EINVAL for a cursor that is none of ours; ENOBUFS. */
int report_write_turns(struct buf *out, struct store *store, const struct store_turn_filter *filter,
		       const char *after, int64_t limit);
#define REPORT_CURSOR_SIZE 24

#endif
