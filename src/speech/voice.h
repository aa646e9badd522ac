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
 *
 * A derived voice is another one, its base, with another pitch, pace or variant.
 * It belongs to a project.  While its base is not there it stays in the
 * catalogue, as a voice that nobody speaks.
 */
#ifndef SPEECH_VOICE_H
#define SPEECH_VOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum voice_sex { VOICE_SEX_UNKNOWN, VOICE_FEMALE, VOICE_MALE };
enum voice_quality { VOICE_LOW, VOICE_MID, VOICE_HIGH };

/* Whether a voice can be heard now, and from whom. */
enum voice_status {
	VOICE_READY,
	VOICE_LOADING, /* its engine is installed and has not said yet that it is ready */
	VOICE_STANDS_IN, /* spoken by another engine than the best that its row names */
	VOICE_UNAVAILABLE, /* its engine has failed, and nobody else speaks it */
};

#define VOICE_ENGINE_MAX 32
#define VOICE_NAME_MAX 48
#define VOICE_LICENCE_MAX 128
#define VOICE_HANDLE_MAX 64
#define VOICE_VARIANT_MAX 16

/* What the engine of a voice can change about it. */
enum voice_feature { VOICE_HAS_PITCH = 1 << 0, VOICE_HAS_VARIANTS = 1 << 1 };

/* Of derived voices. */
#define VOICE_PITCH_MAX 12 /* semitones, up or down */
#define VOICE_RATE_MIN 0.5
#define VOICE_RATE_MAX 2.0

/* Ids of derived voices begin here, far above the table's and far below those of
 * voices that the table does not name. */
#define VOICE_DERIVED_FIRST 100000
#define VOICE_DERIVED_LAST 999999

struct voice {
	int64_t id;
	char name[VOICE_NAME_MAX]; /* cut to fit */
	char handle[VOICE_HANDLE_MAX]; /* its name in letters, digits and '-'; one voice's alone */
	char language[8];
	enum voice_sex sex;
	enum voice_quality quality;
	enum voice_status status;
	char engine[VOICE_ENGINE_MAX]; /* "": nobody speaks it */
	char engine_voice[VOICE_NAME_MAX];
	unsigned features; /* enum voice_feature */
	unsigned sample_rate; /* 0: not known before it speaks */
	char licence[VOICE_LICENCE_MAX]; /* of what it is made from; "": nobody said */

	/* Of a derived one; 0 and "" in others. */
	int64_t base_id;
	int64_t project_id;
	bool is_public; /* other projects may use it */
	float pitch; /* semitones */
	float rate; /* times the base's pace; 0 is 1 */
	char variant[VOICE_VARIANT_MAX];
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

/* Names of enum voice_quality; NULL at the end. */
extern const char *const voice_qualities[];

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

/* An engine is expected to offer these once it has loaded: they are in the catalogue as if they
 * were there already, so that an id is never spoken by somebody else in the meantime.  The next
 * voices_replace or voices_set_missing for the engine settles them.  ENOMEM: nothing has
 * changed. */
int voices_expect(struct voices *voices, const struct voice *expected, size_t count);

/* Whether the engine has this voice, or is expected to have it. */
bool voices_has_speaker(const struct voices *voices, const char *engine, const char *engine_voice);

/* An engine cannot speak for the time being, or can again.  What nobody else
 * speaks stays in the catalogue. */
int voices_set_missing(struct voices *voices, const char *engine, bool missing);

/* Whether every engine has said what it has: until then a voice that is not here may yet come. */
bool voices_are_complete(const struct voices *voices);
void voices_set_complete(struct voices *voices, bool complete);

/* What is derived from others: these, and no more.  Of each the id, the name, a language
 * and what only a derived voice has count; the rest is its base's.  Ids outside the
 * range above are left out.  ENOMEM: nothing has changed. */
int voices_set_derived(struct voices *voices, const struct voice *derived, size_t count);

/* The voice of an id, or NULL.  Lent: see voice_keep. */
const struct voice *voices_find(const struct voices *voices, int64_t id);

/* The same for a project: voices of others that are not public are not there. */
const struct voice *voices_find_for(const struct voices *voices, int64_t project_id, int64_t id);
bool voice_is_for(const struct voice *voice, int64_t project_id);

/* By an id in digits, a handle or a name, in large or small letters.  Of several with one name
 * it is the project's own, else that of the catalogue, else another project's public one; of
 * several of these the one with the lowest id. */
const struct voice *voices_find_called(const struct voices *voices, int64_t project_id,
				       const char *name, size_t len);

/* By an id in digits, or a handle. */
const struct voice *voices_find_named(const struct voices *voices, int64_t project_id,
				      const char *name, size_t len);

/* Whether voices of the engine are tones for tests.  Programs take the first voice of a list, so
 * lists have these last. */
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
