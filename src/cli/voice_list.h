/*
 * voice_list.h: the voices of a server or of local engines, for commands that list or choose
 * them.
 */
#ifndef CLI_VOICE_LIST_H
#define CLI_VOICE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "cli/api_client.h"
#include "speech/voice.h"

#define VOICE_LIST_NAME_SIZE 256

struct voice_entry {
	int64_t id;
	char name[VOICE_LIST_NAME_SIZE];
	char handle[VOICE_HANDLE_MAX];
	char languages[64]; /* "de" or "de,en" */
	char sex[12]; /* "-" if not known */
	char quality[8];
	char engine[VOICE_ENGINE_MAX];
	char licence[VOICE_LICENCE_MAX];
};

/* A list initialized with zeros is empty. */
struct voice_list {
	struct voice_entry *entries;
	size_t count, size;
	char *notes; /* problems with files in the voices folder, one per line; NULL if not known */
};

void voice_list_reset(struct voice_list *list);

/* Copies all voices of a catalogue. ENOMEM. */
int voice_list_copy(struct voice_list *list, const struct voices *voices);

/* Gets all voices that a key can use from a server. On failure, `why` has the reason. */
int voice_list_ask(struct voice_list *list, const struct api_client_options *server, char *why,
		   size_t why_size);

/* Adds one page of the server's answer to the list; *total is the number of all voices. The text
 * is modified. EBADMSG, ENOMEM. */
int voice_list_read(struct voice_list *list, int64_t *total, char *json, size_t len);

/* Whether the text is an id, in decimal digits. */
bool voice_list_is_id(int64_t *id, const char *text);

/* Finds a voice by id, handle, name or vendor name, ignoring case. ENOENT if there is none,
 * EEXIST if there are several; `why` then has the reason, with candidates. */
int voice_list_find(int64_t *id, const struct voice_list *list, const char *text, char *why,
		    size_t why_size);

#endif
