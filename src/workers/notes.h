/*
 * notes.h: what an engine wants the operator to know, such as why a file is not a voice or a model
 * (the NOTE messages of a worker).
 */
#ifndef WORKERS_NOTES_H
#define WORKERS_NOTES_H

#include <stddef.h>

#include "workers/message.h"

#define NOTES_ABOUT_MAX 128
#define NOTES_TEXT_MAX 500

struct note {
	char about[NOTES_ABOUT_MAX]; /* a file's name, or "" */
	char text[NOTES_TEXT_MAX];
};

/* All zero: there are none. */
struct notes {
	struct note *list;
	size_t count;
};

/* Adds a note, cut to fit.  Their number is bounded, because engines are not trusted: those beyond it
 * are left out.  ENOMEM. */
int notes_add(struct notes *notes, const struct message_note *offered);

/* Logs the notes of an engine as warnings, without those that an earlier worker sent, too. */
void notes_log(const struct notes *notes, const struct notes *before, const char *area,
	       const char *engine);

void notes_reset(struct notes *notes);

#endif
