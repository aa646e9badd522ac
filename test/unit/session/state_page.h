/*
 * state_page.h: writes the page in docs/ that shows a table of states, and reads it, so that both
 * can be compared.
 */
#ifndef UNIT_SESSION_STATE_PAGE_H
#define UNIT_SESSION_STATE_PAGE_H

#include <stdbool.h>

struct state_page {
	const char *title; /* "States of a turn" */
	const char *source; /* the file that contains the table */
	const char *program; /* the test that writes the page */
	const char *name; /* the name of the page in docs/ */
	const char *path; /* the path of the page in the source tree */
	unsigned state_count, event_count; /* the last state is the final one */
	const char *const *state_texts;
	const char *const *event_texts;
	const char *(*state_name)(unsigned state);
	const char *(*event_name)(unsigned event);
	bool (*edge)(unsigned *to, unsigned from, unsigned event);
};

/* The page as it should be; release it with free. */
char *state_page_text(const struct state_page *page);

/* The page as it is; NULL if it does not exist.  Release it with free. */
char *state_page_read(const struct state_page *page);

/* Writes the page to a file; returns the exit status of the program. */
int state_page_write(const struct state_page *page, const char *path);

#endif
