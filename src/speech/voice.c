/*
 * voice.c: the catalogue of voices (see voice.h).
 *
 * There is a list of the offers of engines, and the catalogue, which is rebuilt
 * from the table, the offers and the derived voices whenever these change.  It has
 * a few hundred rows, and mostly changes when an engine starts.  The objects of
 * voices that have not changed are reused.
 */
#include "speech/voice.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

/* The first id of voices that the table does not name, far from the ids of the table, and the number
 * of values of the hash from which these ids are made. */
#define FOREIGN_ID_FIRST 1000000
#define FOREIGN_IDS 1000000

enum offer_state {
	OFFER_HERE,
	OFFER_LOADING, /* expected: its engine has not answered yet */
	OFFER_MISSING, /* its engine cannot speak it at present */
};

struct offer {
	struct voice voice; /* without an id */
	enum offer_state state;
};

struct offers {
	struct offer *list;
	size_t count;
};

struct voices {
	struct offers offers;
	struct voice *derived; /* as they were given to voices_set_derived */
	size_t derived_count;
	struct voice **sorted; /* by id */
	size_t count;
	bool fallback;
	bool is_incomplete;
};

/* A voice is constant, but its reference count is not. */
static void *voice_object_of(const struct voice *voice)
{
	return (void *)(uintptr_t)voice;
}

const struct voice *voice_keep(const struct voice *voice)
{
	mem_ref(voice_object_of(voice));
	return voice;
}

const struct voice *voice_drop(const struct voice *voice)
{
	mem_deref(voice_object_of(voice));
	return NULL;
}

static void voice_drop_all(struct voice **sorted, size_t count)
{
	for (size_t i = 0; i < count; ++i)
		mem_deref(sorted[i]);
	free(sorted);
}

static void voices_destroy(void *object)
{
	struct voices *voices = object;

	voice_drop_all(voices->sorted, voices->count);
	free(voices->offers.list);
	free(voices->derived);
}

int voices_alloc(struct voices **voicesp, bool fallback)
{
	struct voices *voices = mem_zalloc(sizeof(*voices), voices_destroy);

	if (!voices)
		return ENOMEM;
	voices->fallback = fallback;
	*voicesp = voices;
	return 0;
}

/* The index of the first voice whose id is this one or higher. */
static size_t voice_lower_bound(struct voice *const *sorted, size_t count, int64_t id)
{
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sorted[middle]->id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct voice *voices_find(const struct voices *voices, int64_t id)
{
	size_t i = voice_lower_bound(voices->sorted, voices->count, id);

	return i < voices->count && voices->sorted[i]->id == id ? voices->sorted[i] : NULL;
}

bool voice_is_for(const struct voice *voice, int64_t project_id)
{
	return !voice->base_id || voice->is_public || voice->project_id == project_id;
}

const struct voice *voices_find_for(const struct voices *voices, int64_t project_id, int64_t id)
{
	const struct voice *voice = voices_find(voices, id);

	return voice && voice_is_for(voice, project_id) ? voice : NULL;
}

/* The value of a string of digits; 0: it has other characters, or does not fit into an int64_t. */
static int64_t voice_to_id(const char *text, size_t len)
{
	int64_t id = 0;

	for (size_t i = 0; i < len; ++i) {
		if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(id, 10, &id) ||
		    __builtin_add_overflow(id, text[i] - '0', &id))
			return 0;
	}
	return id;
}

const struct voice *voices_find_named(const struct voices *voices, int64_t project_id,
				      const char *name, size_t len)
{
	int64_t id = voice_to_id(name, len);

	if (id)
		return voices_find_for(voices, project_id, id);
	for (size_t i = 0; i < voices->count; ++i) {
		const struct voice *voice = voices->sorted[i];

		if (strlen(voice->handle) == len && memcmp(voice->handle, name, len) == 0)
			return voice_is_for(voice, project_id) ? voice : NULL;
	}
	return NULL;
}

bool voice_engine_is_for_tests(const char *engine)
{
	return strcmp(engine, "tone") == 0;
}

static bool voice_is_text(const char *text, const char *name, size_t len)
{
	return strlen(text) == len && strncasecmp(text, name, len) == 0;
}

/* Of several voices with the same name, the one with the lowest rank is meant. */
static int voice_name_rank(const struct voice *voice, int64_t project_id)
{
	if (!voice->base_id)
		return 1;
	return voice->project_id == project_id ? 0 : 2;
}

/* Handles have priority over names, because a handle is unique. */
const struct voice *voices_find_called(const struct voices *voices, int64_t project_id,
				       const char *name, size_t len)
{
	const struct voice *called = voices_find_named(voices, project_id, name, len);
	const struct voice *by_name = NULL;

	for (size_t i = 0; i < voices->count && !called; ++i) {
		const struct voice *voice = voices->sorted[i];

		if (!voice_is_for(voice, project_id))
			continue;
		if (voice_is_text(voice->handle, name, len))
			called = voice;
		else if (voice_is_text(voice->name, name, len) &&
			 (!by_name || voice_name_rank(voice, project_id) <
					      voice_name_rank(by_name, project_id)))
			by_name = voice;
	}
	return called ? called : by_name;
}

static bool voice_speaks(const struct voice *voice, const char *engine, const char *engine_voice)
{
	return engine && strcmp(voice->engine, engine) == 0 &&
	       strcmp(voice->engine_voice, engine_voice) == 0;
}

static bool voice_is_same_derived(const struct voice *a, const struct voice *b)
{
	return a->base_id == b->base_id && a->project_id == b->project_id &&
	       a->is_public == b->is_public && !(a->pitch < b->pitch || a->pitch > b->pitch) &&
	       !(a->rate < b->rate || a->rate > b->rate) && strcmp(a->variant, b->variant) == 0;
}

static bool voice_is_same(const struct voice *a, const struct voice *b)
{
	return a->id == b->id && a->sex == b->sex && a->quality == b->quality &&
	       a->status == b->status && a->sample_rate == b->sample_rate &&
	       voice_speaks(a, b->engine, b->engine_voice) && strcmp(a->name, b->name) == 0 &&
	       strcmp(a->language, b->language) == 0 && strcmp(a->licence, b->licence) == 0 &&
	       strcmp(a->handle, b->handle) == 0 && a->features == b->features &&
	       voice_is_same_derived(a, b);
}

static const struct offer *voice_find_offer(const struct offers *offers, const char *engine,
					    const char *engine_voice)
{
	for (size_t i = 0; i < offers->count; ++i) {
		if (voice_speaks(&offers->list[i].voice, engine, engine_voice))
			return &offers->list[i];
	}
	return NULL;
}

/* A catalogue that is being built.  `sorted` has room for all voices that it can have. */
struct making {
	const struct voices *before;
	const struct offers *offers;
	struct voice **sorted;
	size_t count;
};

static bool voice_has_handle(const struct making *making, const char *handle)
{
	for (size_t i = 0; i < making->count; ++i) {
		if (strcmp(making->sorted[i]->handle, handle) == 0)
			return true;
	}
	return false;
}

/* "German, female" becomes german-female.  The id is appended if that is taken or not valid.  It is
 * always appended for derived voices, because their names may change at any time. */
static void voice_set_handle(struct voice *voice, const struct making *making)
{
	size_t len = 0;

	memset(voice->handle, 0, sizeof(voice->handle));
	for (const char *c = voice->name; *c; ++c) {
		if (isascii((unsigned char)*c) && isalnum((unsigned char)*c))
			voice->handle[len++] = (char)tolower((unsigned char)*c);
		else if (len > 0 && voice->handle[len - 1] != '-')
			voice->handle[len++] = '-';
	}
	if (len > 0 && voice->handle[len - 1] == '-')
		voice->handle[--len] = '\0';
	/* A handle that consists of digits would be taken for an id. */
	if (voice->base_id || voice_to_id(voice->handle, len) || len == 0 ||
	    voice_has_handle(making, voice->handle))
		snprintf(voice->handle + len, sizeof(voice->handle) - len, "%s%lld",
			 len > 0 ? "-" : "voice-", (long long)voice->id);
}

static int voice_put(struct making *making, struct voice *voice)
{
	const struct voice *before = voices_find(making->before, voice->id);
	size_t i = voice_lower_bound(making->sorted, making->count, voice->id);
	struct voice *object;

	voice_set_handle(voice, making);
	if (before && voice_is_same(before, voice)) {
		object = mem_ref(voice_object_of(before));
	} else {
		object = mem_zalloc(sizeof(*object), NULL);
		if (!object)
			return ENOMEM;
		*object = *voice;
	}
	memmove(making->sorted + i + 1, making->sorted + i,
		(making->count - i) * sizeof(struct voice *));
	making->sorted[i] = object;
	++making->count;
	return 0;
}

/* The best speaker of a row among those that are offered.  With fallback, one that cannot speak at
 * present is chosen only if there is no other. */
static const struct voice_speaker *voice_choose(const struct making *making,
						const struct voice_row *row)
{
	const struct voice_speaker *missing = NULL;

	for (size_t i = 0; i < VOICE_SPEAKERS_MAX; ++i) {
		const struct voice_speaker *speaker = &row->speakers[i];
		const struct offer *offer =
			voice_find_offer(making->offers, speaker->engine, speaker->engine_voice);

		if (offer && (offer->state != OFFER_MISSING || !making->before->fallback))
			return speaker;
		if (offer && !missing)
			missing = speaker;
	}
	return missing;
}

static enum voice_status voice_status_of(const struct offer *offer)
{
	static const enum voice_status statuses[] = {
		[OFFER_HERE] = VOICE_READY,
		[OFFER_LOADING] = VOICE_LOADING,
		[OFFER_MISSING] = VOICE_UNAVAILABLE,
	};

	return statuses[offer->state];
}

static int voice_put_row(struct making *making, const struct voice_row *row)
{
	const struct voice_speaker *speaker = voice_choose(making, row);
	const struct offer *offer;
	struct voice voice;

	if (!speaker)
		return 0;
	offer = voice_find_offer(making->offers, speaker->engine, speaker->engine_voice);
	voice = offer->voice;
	voice.status = voice_status_of(offer);
	if (voice.status == VOICE_READY && speaker != &row->speakers[0])
		voice.status = VOICE_STANDS_IN;
	voice.id = row->id;
	voice.sex = row->sex;
	voice.quality = speaker->quality;
	memset(voice.name, 0, sizeof(voice.name));
	strncpy(voice.name, row->name, sizeof(voice.name) - 1);
	memset(voice.language, 0, sizeof(voice.language));
	strncpy(voice.language, row->language, sizeof(voice.language) - 1);
	return voice_put(making, &voice);
}

static bool voice_is_in_table(const struct voice *offered)
{
	for (size_t i = 0; i < voice_table_len; ++i) {
		for (size_t n = 0; n < VOICE_SPEAKERS_MAX; ++n) {
			const struct voice_speaker *speaker = &voice_table[i].speakers[n];

			if (voice_speaks(offered, speaker->engine, speaker->engine_voice))
				return true;
		}
	}
	return false;
}

static uint32_t voice_hash(uint32_t h, const char *str)
{
	for (; *str; ++str)
		h = (h ^ (uint8_t)*str) * 16777619u; /* FNV-1a */
	return h;
}

static const struct voice *voice_made(const struct making *making, int64_t id)
{
	size_t i = voice_lower_bound(making->sorted, making->count, id);

	return i < making->count && making->sorted[i]->id == id ? making->sorted[i] : NULL;
}

/* The id that the offered voice had before, else one from a hash of its names, or the next free one if
 * that is taken. */
static int64_t voice_foreign_id(const struct making *making, const struct voice *offered)
{
	const struct voices *before = making->before;
	int64_t id = FOREIGN_ID_FIRST +
		     voice_hash(voice_hash(voice_hash(2166136261u, offered->engine), "/"),
				offered->engine_voice) %
			     FOREIGN_IDS;

	for (size_t i = voice_lower_bound(before->sorted, before->count, FOREIGN_ID_FIRST);
	     i < before->count; ++i) {
		if (voice_speaks(before->sorted[i], offered->engine, offered->engine_voice))
			return before->sorted[i]->id;
	}
	while (voice_made(making, id) || voices_find(before, id))
		++id;
	return id;
}

static int voice_put_foreign(struct making *making, const struct offer *offer)
{
	struct voice voice = offer->voice;

	voice.status = voice_status_of(offer);
	voice.id = voice_foreign_id(making, &offer->voice);
	return voice_made(making, voice.id) ? 0 : voice_put(making, &voice);
}

/* Combines the derived voice with its base.  If the base is missing, the voice has no speaker. */
static int voice_put_derived(struct making *making, const struct voice *derived)
{
	const struct voice *base = voice_made(making, derived->base_id);
	struct voice voice = *derived;

	if (derived->id < VOICE_DERIVED_FIRST || derived->id > VOICE_DERIVED_LAST ||
	    voice_made(making, derived->id))
		return 0;
	voice.status = base ? base->status : VOICE_UNAVAILABLE;
	if (base) {
		voice.sex = base->sex;
		voice.quality = base->quality;
		voice.sample_rate = base->sample_rate;
		voice.features = base->features;
		if (voice.language[0] == '\0')
			memcpy(voice.language, base->language, sizeof(voice.language));
		memcpy(voice.engine, base->engine, sizeof(voice.engine));
		memcpy(voice.engine_voice, base->engine_voice, sizeof(voice.engine_voice));
		memcpy(voice.licence, base->licence, sizeof(voice.licence));
	}
	return voice_put(making, &voice);
}

/* Rebuilds the catalogue from these offers, which belong to `voices` afterwards.  After an error
 * nothing has changed. */
static int voice_rebuild(struct voices *voices, const struct offers *offers)
{
	struct making making = {.before = voices, .offers = offers};
	int err = 0;

	making.sorted = calloc(voice_table_len + offers->count + voices->derived_count,
			       sizeof(struct voice *));
	if (!making.sorted)
		return ENOMEM;
	for (size_t i = 0; i < voice_table_len && !err; ++i)
		err = voice_put_row(&making, &voice_table[i]);
	for (size_t i = 0; i < offers->count && !err; ++i) {
		if (!voice_is_in_table(&offers->list[i].voice))
			err = voice_put_foreign(&making, &offers->list[i]);
	}
	for (size_t i = 0; i < voices->derived_count && !err; ++i)
		err = voice_put_derived(&making, &voices->derived[i]);
	if (err) {
		voice_drop_all(making.sorted, making.count);
		return err;
	}
	voice_drop_all(voices->sorted, voices->count);
	voices->sorted = making.sorted;
	voices->count = making.count;
	if (voices->offers.list != offers->list)
		free(voices->offers.list);
	voices->offers = *offers;
	return 0;
}

/* Allocates an empty list with room for all current offers and `more` new ones. */
static int voice_alloc_offers(struct offers *offers, const struct voices *voices, size_t more)
{
	offers->list = calloc(voices->offers.count + more + 1, sizeof(*offers->list));
	if (!offers->list)
		return ENOMEM;
	offers->count = 0;
	return 0;
}

static void voice_add_offer(struct offers *offers, const struct voice *voice,
			    enum offer_state state)
{
	if (voice_find_offer(offers, voice->engine, voice->engine_voice))
		return;
	offers->list[offers->count++] = (struct offer){.voice = *voice, .state = state};
}

static int voice_take_over(struct voices *voices, struct offers *offers)
{
	int err = voice_rebuild(voices, offers);

	if (err)
		free(offers->list);
	return err;
}

/* Adds these to the current offers. */
static int voice_append_offers(struct voices *voices, const struct voice *offered, size_t count,
			       enum offer_state state)
{
	struct offers offers;
	int err = voice_alloc_offers(&offers, voices, count);

	if (err)
		return err;
	for (size_t i = 0; i < voices->offers.count; ++i)
		voice_add_offer(&offers, &voices->offers.list[i].voice,
				voices->offers.list[i].state);
	for (size_t i = 0; i < count; ++i)
		voice_add_offer(&offers, &offered[i], state);
	return voice_take_over(voices, &offers);
}

int voices_add(struct voices *voices, const struct voice *offered)
{
	return voice_append_offers(voices, offered, 1, OFFER_HERE);
}

int voices_expect(struct voices *voices, const struct voice *expected, size_t count)
{
	return voice_append_offers(voices, expected, count, OFFER_LOADING);
}

bool voices_has_speaker(const struct voices *voices, const char *engine, const char *engine_voice)
{
	const struct offer *offer = voice_find_offer(&voices->offers, engine, engine_voice);

	return offer && offer->state != OFFER_MISSING;
}

/* Whether a row of the table must keep this speaker when its engine does not offer it any more. */
static bool voice_is_kept(const struct voices *voices, const struct voice *voice)
{
	return !voices->fallback && voice_is_in_table(voice);
}

/* A voice that was only expected counts as new when its engine offers it. */
static bool voice_is_known(const struct offers *offers, const char *engine,
			   const char *engine_voice)
{
	const struct offer *offer = voice_find_offer(offers, engine, engine_voice);

	return offer && offer->state != OFFER_LOADING;
}

int voices_replace(struct voices *voices, const char *engine, const struct voice *offered,
		   size_t count, struct voices_change *change)
{
	struct offers offers;
	int err = voice_alloc_offers(&offers, voices, count);

	if (err)
		return err;
	*change = (struct voices_change){0};
	for (size_t i = 0; i < count; ++i) {
		change->added +=
			!voice_is_known(&voices->offers, engine, offered[i].engine_voice) &&
			!voice_find_offer(&offers, engine, offered[i].engine_voice);
		voice_add_offer(&offers, &offered[i], OFFER_HERE);
	}
	for (size_t i = 0; i < voices->offers.count; ++i) {
		const struct offer *old = &voices->offers.list[i];
		bool own = strcmp(old->voice.engine, engine) == 0;

		if (!own || voice_is_kept(voices, &old->voice))
			voice_add_offer(&offers, &old->voice, own ? OFFER_MISSING : old->state);
		else if (old->state != OFFER_LOADING &&
			 !voice_find_offer(&offers, engine, old->voice.engine_voice))
			++change->removed;
	}
	return voice_take_over(voices, &offers);
}

int voices_set_missing(struct voices *voices, const char *engine, bool missing)
{
	for (size_t i = 0; i < voices->offers.count; ++i) {
		struct offer *offer = &voices->offers.list[i];

		if (strcmp(offer->voice.engine, engine) == 0)
			offer->state = missing ? OFFER_MISSING : OFFER_HERE;
	}
	return voice_rebuild(voices, &voices->offers);
}

bool voices_are_complete(const struct voices *voices)
{
	return !voices->is_incomplete;
}

void voices_set_complete(struct voices *voices, bool complete)
{
	voices->is_incomplete = !complete;
}

int voices_set_derived(struct voices *voices, const struct voice *derived, size_t count)
{
	struct voice *before = voices->derived;
	size_t before_count = voices->derived_count;
	struct voice *copy = calloc(count + 1, sizeof(*copy));
	int err;

	if (!copy)
		return ENOMEM;
	if (count > 0)
		memcpy(copy, derived, count * sizeof(*copy));
	voices->derived = copy;
	voices->derived_count = count;
	err = voice_rebuild(voices, &voices->offers);
	if (err) {
		voices->derived = before;
		voices->derived_count = before_count;
		free(copy);
	} else {
		free(before);
	}
	return err;
}

size_t voices_count(const struct voices *voices)
{
	return voices->count;
}

const struct voice *voices_at(const struct voices *voices, size_t i)
{
	return voices->sorted[i];
}
