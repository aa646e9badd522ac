/*
 * server_checks.h: the checks in a line of a script (see test_server_cases.c), which an answer or a
 * message must pass.
 */
#ifndef TEST_SERVER_CHECKS_H
#define TEST_SERVER_CHECKS_H

#include "server_client.h"

#define CHECKS_VARIABLES_MAX 64
#define CHECKS_WHY_SIZE 1200

/* Values that later lines refer to as $name. */
struct variables {
	struct {
		char name[32];
		char *value; /* malloc'd */
	} rows[CHECKS_VARIABLES_MAX];
	size_t count;
};

void variables_set(struct variables *variables, const char *name, const char *value);
void variables_reset(struct variables *variables);
/* Returns a copy of the line in which each $name is replaced by its value; to be freed.  If several
 * names match, the longest counts.  An unknown $name and "$name=" stay as they are. */
char *variables_expand(const struct variables *variables, const char *line);

/* What is checked: the headers of the client's answer, and a body or message. */
struct subject {
	const struct client *client;
	const char *body;
	size_t body_len;
};

/* Takes the next word, which ends at a blank that is not inside '...', "..." or `...`; the quotes are
 * removed.  Overwrites the line.  NULL: no word is left, or only a comment (#). */
char *checks_word(char **cursor);

/* Makes every check that is left in the line.  Returns false, with the reason in `why`, at the first
 * one that fails. */
bool checks_hold(char *cursor, const struct subject *subject, struct variables *variables,
		 char why[CHECKS_WHY_SIZE]);

#endif
