/*
 * attack.h: what an engine controlled by an attacker would try.
 */
#ifndef TEST_ATTACK_H
#define TEST_ATTACK_H

#include <stddef.h>

/* What an attempt gives: 0 when it worked, an errno when it was refused. */
typedef int(attack_h)(const char *argument);

struct attack {
	const char *name;
	attack_h *run;
	/* What the attempt needs and a caller has to name, else NULL: "data" is the
	 * server's data directory, "voices" a folder that may be read, with a file
	 * old.txt, in which modes would allow everything. */
	const char *needs;
};

extern const struct attack attack_table[];
extern const size_t attack_count;

/* First: finds the parent, which an open engine in C may not ask for any more. */
void attack_prepare(void);

const struct attack *attack_find(const char *name);

#endif
