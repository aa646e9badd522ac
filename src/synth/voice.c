/*
 * voice.c: the catalogue of voices (see voice.h).
 *
 * Kept sorted by id in one array of pointers, so that a pointer to a voice
 * stays good while others are added.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "synth/voice.h"

/* Where ids of voices begin that the table does not name, and how many there
 * are: far from the table's own. */
#define FOREIGN_ID_FIRST 1000000
#define FOREIGN_IDS 1000000

struct voices {
	struct voice **sorted;
	size_t count;
};

static void voices_destroy(void *object)
{
	struct voices *voices = object;

	for (size_t i = 0; i < voices->count; ++i)
		mem_deref(voices->sorted[i]);
	free(voices->sorted);
}

int voices_alloc(struct voices **voicesp)
{
	struct voices *voices = mem_zalloc(sizeof(*voices), voices_destroy);

	if (!voices)
		return ENOMEM;
	*voicesp = voices;
	return 0;
}

/* Index of the first voice whose id is not less. */
static size_t lower_bound(const struct voices *voices, int64_t id)
{
	size_t low = 0;
	size_t high = voices->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (voices->sorted[middle]->id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct voice *find(const struct voices *voices, int64_t id)
{
	size_t i = lower_bound(voices, id);

	return i < voices->count && voices->sorted[i]->id == id ? voices->sorted[i] : NULL;
}

const struct voice *voices_find(const struct voices *voices, int64_t id)
{
	return find(voices, id);
}

static int insert(struct voices *voices, const struct voice *row)
{
	size_t i = lower_bound(voices, row->id);
	struct voice **sorted;
	struct voice *voice;

	sorted = realloc(voices->sorted, (voices->count + 1) * sizeof(*sorted));
	if (!sorted)
		return ENOMEM;
	voices->sorted = sorted;
	voice = mem_zalloc(sizeof(*voice), NULL);
	if (!voice)
		return ENOMEM;
	*voice = *row;
	memmove(sorted + i + 1, sorted + i, (voices->count - i) * sizeof(*sorted));
	sorted[i] = voice;
	++voices->count;
	return 0;
}

static void set_speaker(struct voice *voice, const struct voice *offered)
{
	memcpy(voice->engine, offered->engine, sizeof(voice->engine));
	memcpy(voice->engine_voice, offered->engine_voice, sizeof(voice->engine_voice));
}

static bool speaks(const struct voice *offered, const char *engine, const char *engine_voice)
{
	return engine && strcmp(offered->engine, engine) == 0 &&
	       strcmp(offered->engine_voice, engine_voice) == 0;
}

/* Makes or improves the voice of one row of the table. */
static int take_row(struct voices *voices, const struct voice_row *row, const struct voice *offered)
{
	struct voice *there = find(voices, row->id);
	struct voice voice = {
		.id = row->id,
		.sex = row->sex,
		.quality = row->quality,
	};

	if (there) {
		if (speaks(offered, row->engine, row->engine_voice))
			set_speaker(there, offered); /* better than the fallback */
		return 0;
	}
	strncpy(voice.name, row->name, sizeof(voice.name) - 1);
	strncpy(voice.language, row->language, sizeof(voice.language) - 1);
	set_speaker(&voice, offered);
	return insert(voices, &voice);
}

static uint32_t hash(uint32_t h, const char *str)
{
	for (; *str; ++str)
		h = (h ^ (uint8_t)*str) * 16777619u; /* FNV-1a */
	return h;
}

static int take_foreign(struct voices *voices, const struct voice *offered)
{
	struct voice voice = *offered;
	const struct voice *there;

	voice.id = FOREIGN_ID_FIRST +
		   hash(hash(hash(2166136261u, offered->engine), "/"), offered->engine_voice) %
			   FOREIGN_IDS;
	while ((there = find(voices, voice.id))) {
		if (speaks(there, offered->engine, offered->engine_voice))
			return 0;
		++voice.id; /* two names with one hash */
	}
	return insert(voices, &voice);
}

int voices_add(struct voices *voices, const struct voice *offered)
{
	bool known = false;

	for (size_t i = 0; i < voice_table_len; ++i) {
		const struct voice_row *row = &voice_table[i];
		int err;

		if (!speaks(offered, row->engine, row->engine_voice) &&
		    !speaks(offered, row->fallback_engine, row->fallback_voice))
			continue;
		known = true;
		err = take_row(voices, row, offered);
		if (err)
			return err;
	}
	return known ? 0 : take_foreign(voices, offered);
}

size_t voices_count(const struct voices *voices)
{
	return voices->count;
}

const struct voice *voices_at(const struct voices *voices, size_t i)
{
	return voices->sorted[i];
}
