/*
 * report.h: what was spoken and what it cost, summed up; as JSON, as CSV, or row by row.
 *
 * Blocking, on top of the store's operations (see registry.h).  All figures are sums of the
 * ledger's rows, exact to the micro-cent.  Turns, seconds of audio and characters are those of
 * speech; costs are of every kind of row.
 */
#ifndef ACCOUNT_REPORT_H
#define ACCOUNT_REPORT_H

#include "base/buf.h"
#include "store/store.h"

/* Parses what to group by, such as "day,key", into bits of enum store_usage_by.  EINVAL; then *bad
 * points to the unknown name. */
#define REPORT_BYS "day, key, voice, model, kind"
int report_parse_by(unsigned *by, const char *list, const char **bad);

struct report_row {
	const struct store_usage *usage;
	const char *key; /* its prefix, if grouped by key; NULL: no key */
};
/* Returns whether more rows are wanted. */
typedef bool(report_row_h)(const struct report_row *row, void *arg);

/* Calls `each` for each row, in the store's order; *total (may be NULL) has the sums of all rows
 * that were passed to it. */
int report_each(struct store *store, const struct store_turn_filter *filter, unsigned by,
		report_row_h *each, void *arg, struct store_usage *total);

/* Append the whole report to out.  ENOBUFS when it does not fit.  The currency may be NULL:
 * unknown. */
int report_write_json(struct buf *out, struct store *store, const struct store_turn_filter *filter,
		      unsigned by, const char *currency);
int report_write_csv(struct buf *out, struct store *store, const struct store_turn_filter *filter,
		     unsigned by);

/* Writes the turns after the cursor `after` (NULL: from the first), at most `limit`, with the
 * cursor of the next page.  EINVAL for an invalid cursor; ENOBUFS. */
#define REPORT_CURSOR_SIZE 24 /* of a cursor as a string, including the NUL */
int report_write_turns(struct buf *out, struct store *store, const struct store_turn_filter *filter,
		       const char *after, int64_t limit);

#endif
