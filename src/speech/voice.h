/*
 * voice.h: the catalogue of voices.
 *
 * A voice has an integer id, properties for people to read, and a speaker: an
 * engine, and that engine's own name for the voice.  Voices with fixed ids are rows
 * of a table (voice_table.c), so that their ids mean the same on every machine;
 * other voices get an id from a hash of the names of their speaker.
 *
 * Engines start, fail and change what they offer while the server runs.  A voice
 * object never changes: when the speaker or another property of a voice changes,
 * the catalogue gets a new object for its id, and a turn that began with the old
 * object uses that to its end.
 *
 * A derived voice is another voice, its base, with another pitch, pace or variant.
 * It belongs to a project.  While its base is missing, the derived voice stays in
 * the catalogue without a speaker.
 */
#ifndef SPEECH_VOICE_H
#define SPEECH_VOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum voice_sex { VOICE_SEX_UNKNOWN, VOICE_FEMALE, VOICE_MALE };
enum voice_quality { VOICE_LOW, VOICE_MID, VOICE_HIGH };

/* Whether a voice can be used now. */
enum voice_status {
	VOICE_READY,
	VOICE_LOADING, /* its engine is installed and has not said yet that it is ready */
	VOICE_STANDS_IN, /* it can be used, but its speaker is not the best one of its row */
	VOICE_UNAVAILABLE, /* its engine has failed, and no other engine can speak it */
};

#define VOICE_ENGINE_MAX 32
#define VOICE_NAME_MAX 48
#define VOICE_LICENCE_MAX 128
#define VOICE_HANDLE_MAX 64
#define VOICE_VARIANT_MAX 16

/* What the engine of a voice can change about it. */
enum voice_feature { VOICE_HAS_PITCH = 1 << 0, VOICE_HAS_VARIANTS = 1 << 1 };

/* Limits of derived voices. */
#define VOICE_PITCH_MAX 12 /* semitones, up or down */
#define VOICE_RATE_MIN 0.5
#define VOICE_RATE_MAX 2.0

/* The ids of derived voices: far above those of the table, and below those that are made from a
 * hash. */
#define VOICE_DERIVED_FIRST 100000
#define VOICE_DERIVED_LAST 999999

struct voice {
	int64_t id;
	char name[VOICE_NAME_MAX]; /* cut to fit */
	char handle[VOICE_HANDLE_MAX]; /* its name in letters, digits and '-'; unique */
	char language[8];
	enum voice_sex sex;
	enum voice_quality quality;
	enum voice_status status;
	char engine[VOICE_ENGINE_MAX]; /* "": it has no speaker */
	char engine_voice[VOICE_NAME_MAX]; /* the engine's own name for it */
	unsigned features; /* enum voice_feature */
	unsigned sample_rate; /* 0: not known before it speaks */
	char licence[VOICE_LICENCE_MAX]; /* of the data that it is made from; "": not known */

	/* Of a derived voice; 0 and "" in others. */
	int64_t base_id;
	int64_t project_id;
	bool is_public; /* other projects may use it */
	float pitch; /* semitones */
	float rate; /* a factor of the base's pace; 0 means 1 */
	char variant[VOICE_VARIANT_MAX];
};

/* Takes a reference.  Without one, a voice of the catalogue must not be used after the current callback
 * of the loop, because the catalogue may change. */
const struct voice *voice_keep(const struct voice *voice);
/* Releases a reference.  Returns NULL. */
const struct voice *voice_drop(const struct voice *voice);

/* A speaker of a row of the table. */
struct voice_speaker {
	const char *engine, *engine_voice;
	enum voice_quality quality;
};

#define VOICE_SPEAKERS_MAX 3

/* A row of the built-in table.  The voice is spoken by the first of its speakers that an engine
 * offers; if none is offered, the voice does not exist. */
struct voice_row {
	int64_t id;
	const char *name;
	const char *language;
	enum voice_sex sex;
	struct voice_speaker speakers[VOICE_SPEAKERS_MAX]; /* the best first, then NULLs */
};

extern const struct voice_row voice_table[];
extern const size_t voice_table_len;

/* Names of enum voice_quality; NULL at the end. */
extern const char *const voice_qualities[];

struct voices;

/* If not `fallback`, a speaker that cannot speak at present is not replaced by another one. */
int voices_alloc(struct voices **voicesp, bool fallback);

/* An engine offers this voice.  Rows of the table that name it become voices, or get a better speaker;
 * if no row names it, it becomes a voice of its own.  An offer that is made twice changes nothing. */
int voices_add(struct voices *voices, const struct voice *offered);

struct voices_change {
	size_t added, removed; /* voices that the engine offers */
};

/* An engine offers these voices and no others.  ENOMEM: nothing has changed. */
int voices_replace(struct voices *voices, const char *engine, const struct voice *offered,
		   size_t count, struct voices_change *change);

/* An engine is expected to offer these voices once it has loaded.  They are in the catalogue as if it
 * offered them now, so that no other speaker takes their place in the meantime.  The next
 * voices_replace or voices_set_missing for the engine ends that.  ENOMEM: nothing has changed. */
int voices_expect(struct voices *voices, const struct voice *expected, size_t count);

/* Whether the engine offers this voice, or is expected to. */
bool voices_has_speaker(const struct voices *voices, const char *engine, const char *engine_voice);

/* An engine cannot speak at present (`missing`), or can again.  Voices that no other engine can speak
 * stay in the catalogue as unavailable. */
int voices_set_missing(struct voices *voices, const char *engine, bool missing);

/* Whether every engine has said what it offers.  Until then, a voice that is not in the catalogue may
 * still be added. */
bool voices_are_complete(const struct voices *voices);
void voices_set_complete(struct voices *voices, bool complete);

/* Replaces all derived voices.  Of each one only the id, the name, the language (if it is not "") and
 * the fields of derived voices are used; the rest is taken from its base.  Voices with ids outside the
 * range above are left out.  ENOMEM: nothing has changed. */
int voices_set_derived(struct voices *voices, const struct voice *derived, size_t count);

/* The voice with this id, or NULL.  The caller gets no reference: see voice_keep. */
const struct voice *voices_find(const struct voices *voices, int64_t id);

/* The same for a project, which cannot use other projects' voices unless they are public. */
const struct voice *voices_find_for(const struct voices *voices, int64_t project_id, int64_t id);
bool voice_is_for(const struct voice *voice, int64_t project_id);

/* The voice with this id in digits, this handle or this name; upper and lower case do not matter.  Of
 * several voices with the same name it is the project's own, else one that is not derived, else
 * another project's public one; if these are several, the one with the lowest id. */
const struct voice *voices_find_called(const struct voices *voices, int64_t project_id,
				       const char *name, size_t len);

/* The voice with this id in digits or exactly this handle. */
const struct voice *voices_find_named(const struct voices *voices, int64_t project_id,
				      const char *name, size_t len);

/* Whether the voices of the engine are tones for tests.  Lists have these last, because programs often
 * use the first voice of a list. */
bool voice_engine_is_for_tests(const char *engine);

/* The variants that engines with VOICE_HAS_VARIANTS know. */
bool voice_has_variant(const char *variant);
extern const char *const voice_variants[];
extern const size_t voice_variants_len;

static inline double voice_rate(const struct voice *voice)
{
	return voice->rate > 0 ? (double)voice->rate : 1.0;
}

/* In order of id. */
size_t voices_count(const struct voices *voices);
const struct voice *voices_at(const struct voices *voices, size_t i);

#endif
