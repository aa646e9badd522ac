/*
 * postgres_server.h: a real PostgreSQL server on the loopback, for one test program.
 *
 * It is created in a new directory, and ends with the program however that ends.  PostgreSQL
 * refuses to run as root, so in a test run by root it runs as the user postgres, or as nobody.
 */
#ifndef TEST_STORE_POSTGRES_SERVER_H
#define TEST_STORE_POSTGRES_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The password of the user "syrinx"; its special characters are written as %XX in an address. */
#define POSTGRES_PASSWORD "p/ss:w@rd"
#define POSTGRES_PASSWORD_WRITTEN "p%2Fss%3Aw%40rd"

/* Starts the server if it does not run yet.  If the package is not installed, prints that and
 * returns ENOTSUP. */
int postgres_server_start(void);

/* Writes "postgresql://syrinx:...@127.0.0.1:PORT/DATABASE" followed by `more` ("?sslmode=require").
 * The database "syrinx" always exists. */
void postgres_server_address(char *address, size_t size, const char *database, const char *more);
int postgres_server_port(void);

/* Stops the server as if its machine had lost power, and starts it again with the same files and
 * port. */
void postgres_server_stop(void);
void postgres_server_restart(void);

/* Suspends and resumes all of its processes, like a machine that hangs. */
void postgres_server_freeze(void);
void postgres_server_thaw(void);

/* Runs SQL in the database "syrinx", which must succeed; returns the first value of the last
 * statement, or -1. */
int64_t postgres_server_ask(const char *sql);

/* Whether the database refuses the SQL. */
bool postgres_server_refuses(const char *sql);

/* Removes all our tables. */
void postgres_server_empty(void);

/* Sets the time that the store uses from now on; -1 selects its own clock again. */
void postgres_server_set_now(int64_t now_ms);

#endif
