/*
 * postgres_exchange.h: questions and answers over a connection.
 *
 * Nothing waits without an end: the server gives a statement up after a while, and
 * when it does not even say that, we hang up.
 */
#ifndef STORE_POSTGRES_EXCHANGE_H
#define STORE_POSTGRES_EXCHANGE_H

#include "store/postgres_private.h"

/* What takes longer is stuck waiting for a lock, or the server is lost; reports go through
 * millions of rows, migrations through all. */
#define POSTGRES_STATEMENT_MS 5000
#define POSTGRES_REPORT_MS 60000
#define POSTGRES_MIGRATION_MS 600000

/* A message's lines as one. */
#define POSTGRES_LINE_SIZE 256
const char *postgres_one_line(char out[POSTGRES_LINE_SIZE], const char *message);

/* The last result of what was sent (0: it could not be).  EIO, and the connection is
 * ended, when it was lost or nothing came in time. */
int postgres_answer_of(PGresult **resultp, struct postgres *postgres, int sent, int64_t patience_ms,
		       const char *what);
bool postgres_is_good(const PGresult *result);
/* The errno of a result that is not; logged unless the caller is to say it. */
int postgres_failed(const PGresult *result, const char *what);

/* One or more statements without parameters; the last one's number, when it
 * gives one (may be NULL). */
int postgres_execute_now(struct postgres *postgres, const char *sql, int64_t patience_ms,
			 const char *what, int64_t *number);

/* Connects again when the connection is closed: EIO at once while the last try is not
 * long enough ago. */
int postgres_be_connected(struct postgres *postgres);

#endif
