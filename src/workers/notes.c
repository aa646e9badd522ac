/*
 * notes.c: what an engine wants the operator to know (see notes.h).
 */
#include "workers/notes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

#define NOTES_MAX 64

int notes_add(struct notes *notes, const struct message_note *offered)
{
	struct note *list;

	if (notes->count == NOTES_MAX)
		return 0;
	list = realloc(notes->list, (notes->count + 1) * sizeof(*list));
	if (!list)
		return ENOMEM;
	notes->list = list;
	message_str_copy(list[notes->count].about, NOTES_ABOUT_MAX, &offered->about);
	message_str_copy(list[notes->count].text, NOTES_TEXT_MAX, &offered->text);
	++notes->count;
	return 0;
}

static bool notes_have(const struct notes *notes, const struct note *note)
{
	for (size_t i = 0; i < notes->count; ++i) {
		if (strcmp(notes->list[i].about, note->about) == 0 &&
		    strcmp(notes->list[i].text, note->text) == 0)
			return true;
	}
	return false;
}

void notes_log(const struct notes *notes, const struct notes *before, const char *area,
	       const char *engine)
{
	for (size_t i = 0; i < notes->count; ++i) {
		const struct note *note = &notes->list[i];

		if (!notes_have(before, note))
			log_warn(area, "%s: %s%s%s", engine, note->about,
				 note->about[0] ? ": " : "", note->text);
	}
}

void notes_reset(struct notes *notes)
{
	free(notes->list);
	*notes = (struct notes){0};
}
