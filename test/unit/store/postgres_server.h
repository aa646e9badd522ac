/*
 * postgres_server.h: a real PostgreSQL server on the loopback, for one test program.
 *
 * It is made anew in a directory of its own, and ends with the program however that
 * ends.  PostgreSQL refuses to run as root: then it runs as the user postgres, or as
 * nobody.
 */
#ifndef TEST_STORE_POSTGRES_SERVER_H
#define TEST_STORE_POSTGRES_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of the user "syrinx"; in an address it is written with %XX. */
#define POSTGRES_PASSWORD "p/ss:w@rd"
#define POSTGRES_PASSWORD_WRITTEN "p%2Fss%3Aw%40rd"

/* Starts it when it does not run yet.  ENOTSUP, and a line that says why, when the
 * package is not installed. */
int postgres_server_start(void);

/* "postgresql://syrinx:...@127.0.0.1:PORT/DATABASE": one database is always there,
 * "syrinx"; `more` is put after it ("?sslmode=require"). */
void postgres_server_address(char *address, size_t size, const char *database, const char *more);
int postgres_server_port(void);

/* As if its machine had lost power; and on again, on the same files and port. */
void postgres_server_stop(void);
void postgres_server_restart(void);

/* Stops and goes on all of its processes, as a machine that hangs does. */
void postgres_server_freeze(void);
void postgres_server_thaw(void);

/* SQL as it stands, in the database "syrinx"; the first value of the last statement, or
 * -1.  It must be well. */
int64_t postgres_server_ask(const char *sql);

/* Does the database refuse it? */
bool postgres_server_refuses(const char *sql);

/* No tables of ours. */
void postgres_server_empty(void);

/* What the store takes for the time from now on; its own clock at -1. */
void postgres_server_set_now(int64_t now_ms);

#endif
