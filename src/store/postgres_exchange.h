/*
 * postgres_exchange.h: sends statements over a connection and receives results.
 *
 * Every wait has a limit: the server cancels a statement that takes too long, and if it does not
 * even report that, the connection is closed.
 */
#ifndef STORE_POSTGRES_EXCHANGE_H
#define STORE_POSTGRES_EXCHANGE_H

#include "store/postgres_private.h"

/* A statement that takes longer than the first limit waits for a lock, or the server is
 * unreachable. Reports read millions of rows and migrations read all of them, so they have other
 * limits. */
#define POSTGRES_STATEMENT_MS 5000
#define POSTGRES_REPORT_MS 60000
#define POSTGRES_MIGRATION_MS 600000

/* Joins the lines of a message from the database, for the log; returns `out`.  A longer message is
 * truncated. */
#define POSTGRES_LINE_SIZE 256
const char *postgres_one_line(char out[POSTGRES_LINE_SIZE], const char *message);

/* Receives the last result of what was sent, which the caller must clear (PQclear) and which may be
 * a failure.  `sent` is what a PQsend function returned: 0 if it failed.  If the connection is lost
 * or nothing arrives within patience_ms and two more seconds, the connection is closed and the
 * reason is logged, with `what` before it: EIO. */
int postgres_answer_of(PGresult **resultp, struct postgres *postgres, int sent, int64_t patience_ms,
		       const char *what);
/* Whether the result is that of a successful statement. */
bool postgres_is_good(const PGresult *result);

/* Returns the errno of a failed result, and logs it unless it is an answer to the store's
 * caller. */
int postgres_failed(const PGresult *result, const char *what);

/* Runs one or more statements without parameters.  `number`, which may be NULL, receives the number
 * that the last one returns, if any. */
int postgres_execute_now(struct postgres *postgres, const char *sql, int64_t patience_ms,
			 const char *what, int64_t *number);

/* Reconnects if the connection is closed; EIO without an attempt if the last one was too recent. */
int postgres_be_connected(struct postgres *postgres);

#endif
