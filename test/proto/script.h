/*
 * script.h: one case of a script while it runs.
 *
 *   run_script.c     reads files, runs cases, reports them as TAP
 *   script_say.c     `>` messages of the client, `+` time, `!` events and settings of the world
 *   script_expect.c  `<` replies that are expected
 *   script_check.c   `?` checks of the engine, the ledger and the like
 */
#ifndef PROTO_SCRIPT_H
#define PROTO_SCRIPT_H

#include "multi_witness.h"
#include "witness.h"
#include "world.h"

struct script;

/* The WebSocket endpoint that scripts are for. */
struct script_endpoint {
	const char *name; /* the argument of the program */
	int (*connect)(struct world *world);
	/* Checks a reply; NULL, or what is wrong with it. */
	const char *(*check)(struct script *script, const json_t *reply);
	bool is_multi; /* it has contexts, each with its own witness */
	const char *context_key; /* the key of the context's id in replies */
};

struct script {
	const char *path;
	unsigned line;
	struct world world;
	const struct script_endpoint *endpoint;
	struct witness witness; /* for endpoints without contexts */
	struct multi_witness multi_witness; /* for endpoints with contexts */
	char from[MULTI_WITNESS_ID_MAX]; /* the context whose replies are read; "": any */
	size_t rows_seen; /* how many rows of the ledger `? ledger` has checked */
	bool has_failed; /* the rest of the case is skipped */
	char why[8192];
};

/* Makes the case fail with this reason; only the first reason is kept. */
void script_fail(struct script *script, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Converts a time such as "60ms" or "5s" to microseconds.  Anything else makes the case fail. */
uint64_t script_time_us(struct script *script, const char *text);

/* What follows a word at the start of a line; NULL if the line does not begin with it. */
const char *script_after(const char *line, const char *word);

/* The witness of the replies that are being read. */
struct witness *script_witness(struct script *script);

/* Each of these runs the rest of one line. */
void script_say(struct script *script, const char *line);
void script_say_binary(struct script *script);
void script_say_filled(struct script *script, const char *line);
void script_say_audio(struct script *script, const char *line);
void script_pass(struct script *script, const char *line);
void script_control(struct script *script, const char *line);
void script_expect(struct script *script, const char *line);
void script_expect_of(struct script *script, const char *line);
void script_check(struct script *script, const char *line);

#endif
