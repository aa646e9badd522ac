/*
 * voice.h: the catalogue of voices.
 *
 * A voice is an integer id, what people want to know of it, and the engine and
 * the engine's own name that speak it.  The rows of engines that we know are a
 * table (voice_table.c) so that an id means the same on every machine; voices
 * of other engines get an id from a hash of their names.
 */
#ifndef SYNTH_VOICE_H
#define SYNTH_VOICE_H

#include <stddef.h>
#include <stdint.h>

enum voice_sex { VOICE_SEX_UNKNOWN, VOICE_FEMALE, VOICE_MALE };
enum voice_quality { VOICE_LOW, VOICE_MID, VOICE_HIGH };

#define VOICE_ENGINE_MAX 32
#define VOICE_NAME_MAX 48

struct voice {
	int64_t id;
	char name[VOICE_NAME_MAX];
	char language[8];
	enum voice_sex sex;
	enum voice_quality quality;
	char engine[VOICE_ENGINE_MAX];
	char engine_voice[VOICE_NAME_MAX];
};

/* A row of the built-in table; `fallback_*` speak it where the engine is not
 * installed (NULL: then there is no such voice). */
struct voice_row {
	int64_t id;
	const char *name;
	const char *language;
	enum voice_sex sex;
	enum voice_quality quality;
	const char *engine, *engine_voice;
	const char *fallback_engine, *fallback_voice;
};

extern const struct voice_row voice_table[];
extern const size_t voice_table_len;

struct voices;

int voices_alloc(struct voices **voicesp);

/* An engine says that it has this voice: the rows of the table that name it
 * become voices; one that no row names gets a row of its own.  Telling twice
 * changes nothing. */
int voices_add(struct voices *voices, const struct voice *offered);

/* The voice of an id, or NULL. */
const struct voice *voices_find(const struct voices *voices, int64_t id);

/* In order of id. */
size_t voices_count(const struct voices *voices);
const struct voice *voices_at(const struct voices *voices, size_t i);

#endif
