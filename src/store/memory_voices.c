/*
 * memory_voices.c: derived voices in the memory store.
 *
 * A change is made in a copy that then takes the old one's place, so that
 * running out of memory leaves all as it was.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/memory_private.h"
#include "store/voice_row.h"

void memory_forget_voices(struct memory *memory)
{
	for (size_t i = 0; i < memory->voice_count; ++i)
		voice_row_free(&memory->voices[i]);
	free(memory->voices);
}

static struct store_voice *find(struct memory *memory, int64_t project_id, int64_t id)
{
	for (size_t i = 0; i < memory->voice_count; ++i) {
		struct store_voice *voice = &memory->voices[i];

		if (voice->id == id && voice->project_id == project_id)
			return voice;
	}
	return NULL;
}

int memory_voice_list(struct store *store, store_voice_h *each, void *arg)
{
	struct memory *memory = memory_of(store);

	for (size_t i = 0; i < memory->voice_count; ++i) {
		if (!each(&memory->voices[i], arg))
			break;
	}
	return 0;
}

static size_t count_of_project(const struct memory *memory, int64_t project_id)
{
	size_t count = 0;

	for (size_t i = 0; i < memory->voice_count; ++i)
		count += memory->voices[i].project_id == project_id;
	return count;
}

int memory_voice_add(struct store *store, int64_t *id, const struct store_voice *voice)
{
	struct memory *memory = memory_of(store);
	struct store_voice row = *voice;
	struct store_voice *rows;

	if (!memory_project(memory, row.project_id))
		return ENOENT;
	if (count_of_project(memory, row.project_id) >= STORE_VOICES_MAX)
		return EDQUOT;
	row.id = memory->last_voice_id ? memory->last_voice_id + 1 : STORE_VOICE_FIRST;
	row.revision = 1;
	row.updated_ms = row.created_ms;
	rows = memory_grow(memory->voices, memory->voice_count, sizeof(*rows));
	if (!rows)
		return ENOMEM;
	memory->voices = rows;
	if (voice_row_copy(&rows[memory->voice_count], &row) != 0)
		return ENOMEM;
	++memory->voice_count;
	*id = memory->last_voice_id = row.id;
	memory_note_news(memory, STORE_CHANGE_VOICE, row.project_id);
	return 0;
}

int memory_voice_change(struct store *store, int64_t project_id, int64_t id, unsigned fields,
			const struct store_voice *to)
{
	struct store_voice *voice = find(memory_of(store), project_id, id);
	struct store_voice row;
	struct store_voice copy;

	if (!voice)
		return ENOENT;
	row = *voice;
	voice_row_merge(&row, fields, to);
	row.updated_ms = to->updated_ms;
	++row.revision;
	if (voice_row_copy(&copy, &row) != 0)
		return ENOMEM;
	voice_row_free(voice);
	*voice = copy;
	memory_note_news(memory_of(store), STORE_CHANGE_VOICE, project_id);
	return 0;
}

int memory_voice_remove(struct store *store, int64_t project_id, int64_t id)
{
	struct memory *memory = memory_of(store);
	struct store_voice *voice = find(memory, project_id, id);
	size_t behind;

	if (!voice)
		return ENOENT;
	voice_row_free(voice);
	behind = (size_t)(memory->voices + memory->voice_count - voice) - 1;
	memmove(voice, voice + 1, behind * sizeof(*voice));
	--memory->voice_count;
	memory_note_news(memory, STORE_CHANGE_VOICE, project_id);
	return 0;
}
