/*
 * voice.h: the catalogue of voices.
 *
 * A voice is an integer id, what people want to know of it, and the engine and
 * the engine's own name that speak it.  The rows of engines that we know are a
 * table (voice_table.c) so that an id means the same on every machine; voices
 * of other engines get an id from a hash of their names.
 *
 * Engines come, go and change what they offer while the server runs.  A voice
 * object never changes: what it says holds as long as somebody keeps it.  When
 * an id gets another speaker the catalogue has a new object for it, and a turn
 * that began with the old one is spoken by the old one to its end.
 */
#ifndef SYNTH_VOICE_H
#define SYNTH_VOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum voice_sex { VOICE_SEX_UNKNOWN, VOICE_FEMALE, VOICE_MALE };
enum voice_quality { VOICE_LOW, VOICE_MID, VOICE_HIGH };

#define VOICE_ENGINE_MAX 32
#define VOICE_NAME_MAX 48
#define VOICE_LICENCE_MAX 128

struct voice {
	int64_t id;
	char name[VOICE_NAME_MAX];
	char language[8];
	enum voice_sex sex;
	enum voice_quality quality;
	char engine[VOICE_ENGINE_MAX];
	char engine_voice[VOICE_NAME_MAX];
	unsigned sample_rate; /* 0: not known before it speaks */
	char licence[VOICE_LICENCE_MAX]; /* of what it is made from; "": nobody said */
};

/* Keeps a voice of the catalogue beyond the next turn of the loop. */
const struct voice *voice_keep(const struct voice *voice);
const struct voice *voice_drop(const struct voice *voice); /* always NULL */

/* Who can speak a row of the table. */
struct voice_speaker {
	const char *engine, *engine_voice;
	enum voice_quality quality;
};

#define VOICE_SPEAKERS_MAX 3

/* A row of the built-in table.  The first of its speakers that is there speaks
 * it; when none is there is no such voice. */
struct voice_row {
	int64_t id;
	const char *name;
	const char *language;
	enum voice_sex sex;
	struct voice_speaker speakers[VOICE_SPEAKERS_MAX]; /* the best first, then NULLs */
};

extern const struct voice_row voice_table[];
extern const size_t voice_table_len;

struct voices;

/* Without fallback an id keeps the speaker it once had, also while that one
 * cannot speak. */
int voices_alloc(struct voices **voicesp, bool fallback);

/* An engine says that it has this voice: the rows of the table that name it
 * become voices, or are spoken better; one that no row names gets a row of its
 * own.  Telling twice changes nothing. */
int voices_add(struct voices *voices, const struct voice *offered);

struct voices_change {
	size_t added, removed; /* of the engine's own voices */
};

/* An engine says that these are all it has.  ENOMEM: nothing has changed. */
int voices_replace(struct voices *voices, const char *engine, const struct voice *offered,
		   size_t count, struct voices_change *change);

/* An engine cannot speak for the time being, or can again.  What nobody else
 * speaks stays in the catalogue. */
int voices_set_missing(struct voices *voices, const char *engine, bool missing);

/* The voice of an id, or NULL.  Lent: see voice_keep. */
const struct voice *voices_find(const struct voices *voices, int64_t id);

/* In order of id. */
size_t voices_count(const struct voices *voices);
const struct voice *voices_at(const struct voices *voices, size_t i);

#endif
