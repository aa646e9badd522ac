/*
 * state_page.h: the page of docs/ that shows a table of states, written from
 * the table and compared with it.
 */
#ifndef UNIT_SESSION_STATE_PAGE_H
#define UNIT_SESSION_STATE_PAGE_H

#include <stdbool.h>

struct state_page {
	const char *title; /* "States of a turn" */
	const char *source; /* the file that has the table */
	const char *program; /* the test that writes the page */
	const char *name; /* of the page, in docs/ */
	const char *path; /* where the tree has it */
	unsigned state_count, event_count; /* the last state is the end */
	const char *const *state_texts;
	const char *const *event_texts;
	const char *(*state_name)(unsigned state);
	const char *(*event_name)(unsigned event);
	bool (*edge)(unsigned *to, unsigned from, unsigned event);
};

/* The page as it should be; the caller's to free. */
char *state_page_text(const struct state_page *page);

/* The page as it is; NULL when it is not there.  The caller's to free. */
char *state_page_read(const struct state_page *page);

/* Writes it to a file; the exit status. */
int state_page_write(const struct state_page *page, const char *path);

#endif
