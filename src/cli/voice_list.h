/*
 * voice_list.h: voices as commands list and choose them, from a server or from engines of one's
 * own.
 */
#ifndef CLI_VOICE_LIST_H
#define CLI_VOICE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "cli/asking.h"
#include "speech/voice.h"

#define VOICE_LIST_NAME_SIZE 256

struct voice_entry {
	int64_t id;
	char name[VOICE_LIST_NAME_SIZE];
	char handle[VOICE_HANDLE_MAX];
	char languages[64]; /* "de" or "de,en" */
	char sex[12]; /* "-": not known */
	char quality[8];
	char engine[VOICE_ENGINE_MAX];
	char licence[VOICE_LICENCE_MAX];
};

/* A list that is all zero is empty. */
struct voice_list {
	struct voice_entry *entries;
	size_t count, size;
	char *notes; /* what is wrong with files of the folder, in lines; NULL: nothing is known */
};

void voice_list_reset(struct voice_list *list);

/* All voices of a catalogue.  ENOMEM. */
int voice_list_copy(struct voice_list *list, const struct voices *voices);

/* All voices that a key can use on a server.  On failure `why` has the words. */
int voice_list_ask(struct voice_list *list, const struct asking_place *place, char *why,
		   size_t why_size);

/* One page of the server's answer, added to the list; *total is how many there are in all.  The
 * text is changed.  EBADMSG, ENOMEM. */
int voice_list_read(struct voice_list *list, int64_t *total, char *json, size_t len);

/* Whether the text is an id, in digits. */
bool voice_list_is_id(int64_t *id, const char *text);

/* The voice that a person means by an id, a handle, a name or a vendor's name for it, without
 * regard to case.  ENOENT: none; EEXIST: several; `why` then has the words, with candidates. */
int voice_list_find(int64_t *id, const struct voice_list *list, const char *text, char *why,
		    size_t why_size);

#endif
