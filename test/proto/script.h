/*
 * script.h: one case of a script, while it is played.
 *
 *   run_script.c     reads files, plays cases, reports them as TAP
 *   script_say.c     `>` what the client says, `+` time, `!` the world's doing
 *   script_expect.c  `<` what the session must reply
 *   script_check.c   `?` what must be so around it
 */
#ifndef PROTO_SCRIPT_H
#define PROTO_SCRIPT_H

#include "multi_witness.h"
#include "witness.h"
#include "world.h"

struct script;

/* The socket that scripts are for. */
struct script_door {
	const char *name; /* as the program is called with */
	int (*connect)(struct world *world);
	/* NULL, or what is wrong with a reply. */
	const char *(*see)(struct script *script, const json_t *reply);
	bool is_multi; /* each context has a witness */
	const char *context_key; /* of the member that names it */
};

struct script {
	const char *path;
	unsigned line;
	struct world world;
	const struct script_door *door;
	struct witness witness; /* on sockets without contexts */
	struct multi_witness multi_witness; /* on /ws/tts/multi */
	char from[MULTI_WITNESS_ID_MAX]; /* the context whose replies are read; "": any */
	size_t rows_seen; /* of the ledger, by `? ledger` */
	bool has_failed; /* then nothing more is played */
	char why[8192];
};

/* The case fails, with this reason; only the first one counts. */
void script_fail(struct script *script, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* "60ms", "5s": microseconds.  Anything else fails the case. */
uint64_t script_time_us(struct script *script, const char *text);

/* What follows a word at the start of a line, or NULL when it is not there. */
const char *script_after(const char *line, const char *word);

/* Who watches over the replies that are read now. */
struct witness *script_witness(struct script *script);

/* Each plays the rest of one line. */
void script_say(struct script *script, const char *line);
void script_say_binary(struct script *script);
void script_say_filled(struct script *script, const char *line);
void script_pass(struct script *script, const char *line);
void script_control(struct script *script, const char *line);
void script_expect(struct script *script, const char *line);
void script_expect_of(struct script *script, const char *line);
void script_check(struct script *script, const char *line);

#endif
