/*
 * espeak.c: eSpeak NG as an engine: over a hundred languages, a robot's voice,
 * the first samples within a fraction of a millisecond.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * eSpeak NG is under the GPL, version 3 or later, and so is a program that
 * links it: syrinx-espeak.  The server does not link it; it exchanges messages
 * with it through a socket.
 *
 * The library keeps all its state in globals and must neither be used from two
 * threads nor be initialised twice (the second time it waits for ever).  Voice
 * and parameters stay as the last text left them, so each text sets all of
 * them, and espeak_clear_pauses clears what the library has no parameter for.  Text
 * is never read as SSML, which crashes it, and as phonemes only what
 * espeak_ipa.c wrote.
 */
#include <ctype.h>
#include <errno.h>
#include <espeak-ng/speak_lib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/espeak_ipa.h"
#include "engine/espeak_start.h"
#include "engine/espeak_text.h"
#include "engine/word_times.h"
#include "workers/message.h"

/* The library raises this to the least it can do, 49 ms. */
#define BUFFER_MS 20

/* Every voice of the library is a man's; this variant makes it a woman's. */
#define FEMALE_VARIANT "+f2"

#define NAME_MAX_LEN 64
#define VARIANT_MAX_LEN 32

/* The library's pitch is 50; at 0 it is an octave lower. */
#define PITCH_NORMAL 50
#define PITCH_SEMITONE (50.0f / 12)

/* Below this a sample is silence: the library's own pauses are zeros, the tail
 * of a fade is not. */
#define SILENCE_LEVEL 64

struct voice {
	char name[NAME_MAX_LEN]; /* "en-us", "en-us+f2" */
	char file[NAME_MAX_LEN]; /* "gmw/en-US", "gmw/en-US+f2" */
	char language[4];
	char title[NAME_MAX_LEN + 16];
	enum engine_sex sex;
	struct espeak_ipa ipa;
};

struct espeak {
	uint32_t sample_rate;
	struct voice *voices;
	size_t voice_count;
	struct voice *current; /* as the library has it; NULL: not sure */
	char variant[VARIANT_MAX_LEN]; /* of the current one */
};

/* One text while the library speaks it. */
struct speech {
	const struct espeak_text *text;
	struct sink *sink;
	struct word_times times;
	uint64_t samples; /* handed to the sink */
	int stop;
};

/* The library's primary codes that are called otherwise in ISO 639-1, or, for
 * Klingon, at all. */
static const struct {
	const char *theirs;
	const char *ours;
} language_codes[] = {{"nb", "no"}, {"cmn", "zh"}, {"piqd", "tlh"}};

static void set_language(struct voice *voice, const char *tag)
{
	size_t len = strcspn(tag, "-");

	for (size_t i = 0; i < COUNT(language_codes); ++i) {
		const char *theirs = language_codes[i].theirs;

		if (strlen(theirs) == len && memcmp(theirs, tag, len) == 0) {
			tag = language_codes[i].ours;
			len = strlen(tag);
		}
	}
	snprintf(voice->language, sizeof(voice->language), "%.*s", (int)len, tag);
}

static struct voice *find_voice(const struct espeak *espeak, const char *name)
{
	for (size_t i = 0; i < espeak->voice_count; ++i)
		if (strcmp(espeak->voices[i].name, name) == 0)
			return &espeak->voices[i];
	return NULL;
}

/* The name is the language tag ("en-us"), or the file's when a second file has
 * the same tag ("yue-latn-jyutping"). */
static void set_name(const struct espeak *espeak, struct voice *voice, const espeak_VOICE *theirs)
{
	const char *slash = strrchr(theirs->identifier, '/');
	const char *file = slash ? slash + 1 : theirs->identifier;

	snprintf(voice->name, sizeof(voice->name), "%s", theirs->languages + 1);
	if (find_voice(espeak, voice->name))
		snprintf(voice->name, sizeof(voice->name), "%s", file);
	for (char *c = voice->name; *c; ++c)
		*c = (char)tolower((unsigned char)*c);
}

static void add_voice(struct espeak *espeak, const espeak_VOICE *theirs)
{
	struct voice man = {.sex = ENGINE_MALE};
	struct voice woman;
	int title_len = (int)strlen(theirs->name);

	while (title_len > 0 && theirs->name[title_len - 1] == ' ')
		--title_len;
	snprintf(man.file, sizeof(man.file), "%.50s", theirs->identifier);
	snprintf(man.title, sizeof(man.title), "%.*s", title_len, theirs->name);
	set_language(&man, theirs->languages + 1);
	set_name(espeak, &man, theirs);

	woman = man;
	woman.sex = ENGINE_FEMALE;
	snprintf(woman.name, sizeof(woman.name), "%.50s" FEMALE_VARIANT, man.name);
	snprintf(woman.file, sizeof(woman.file), "%.50s" FEMALE_VARIANT, man.file);
	snprintf(woman.title, sizeof(woman.title), "%.60s, female", man.title);

	espeak->voices[espeak->voice_count++] = man;
	espeak->voices[espeak->voice_count++] = woman;
}

static int list_voices(struct espeak *espeak)
{
	const espeak_VOICE **theirs = espeak_ListVoices(NULL);
	size_t count = 0;

	while (theirs && theirs[count])
		++count;
	if (count == 0)
		return ENOENT; /* the library is there and its data is not */
	espeak->voices = calloc(2 * count, sizeof(espeak->voices[0]));
	if (!espeak->voices)
		return ENOMEM;
	for (size_t i = 0; i < count; ++i)
		add_voice(espeak, theirs[i]);
	return 0;
}

/* The length in bytes of the sign at the text's end when that is punctuation,
 * else 0. */
static size_t stop_len(const char *text, size_t len)
{
	static const char *const stops[] = {"…", "。", "！", "？", "，", "、", "؟", "।"};

	if (len > 0 && ispunct((unsigned char)text[len - 1]))
		return 1;
	for (size_t i = 0; i < COUNT(stops); ++i) {
		size_t n = strlen(stops[i]);

		if (len >= n && memcmp(text + len - n, stops[i], n) == 0)
			return n;
	}
	return 0;
}

static void stop_if(struct speech *speech, int stop)
{
	if (stop)
		speech->stop = stop;
}

/* Positions count from 1; an event without a length is of a pause. */
static void begin_word(struct speech *speech, const espeak_EVENT *event, uint64_t at)
{
	if (event->text_position > 0 && event->length > 0) {
		size_t index = (size_t)event->text_position - 1;

		stop_if(speech, word_times_begin(&speech->times,
						 espeak_text_origin(speech->text, index), at));
	}
}

/* The position is of the character after the clause. */
static void end_clause(struct speech *speech, const espeak_EVENT *event, uint64_t at)
{
	size_t index = event->text_position > 0 ? (size_t)event->text_position : 0;

	stop_if(speech,
		word_times_end(&speech->times, espeak_text_origin(speech->text, index), at));
}

/* Notes where the last sound is, up to a sample counted from the text's start. */
static void listen(struct speech *speech, const short *samples, uint64_t from, uint64_t to)
{
	for (uint64_t i = to; i > from; --i) {
		if (abs(samples[i - 1 - speech->samples]) > SILENCE_LEVEL) {
			word_times_hear(&speech->times, i);
			return;
		}
	}
}

static void take_events(struct speech *speech, const short *samples, uint64_t n,
			const espeak_EVENT *event)
{
	uint64_t heard = speech->samples;
	uint64_t end = speech->samples + n;

	for (; event->type != espeakEVENT_LIST_TERMINATED; ++event) {
		uint64_t at = event->sample > 0 ? (uint64_t)event->sample : 0;

		if (at > heard && at <= end) {
			listen(speech, samples, heard, at);
			heard = at;
		}
		if (event->type == espeakEVENT_WORD)
			begin_word(speech, event, at);
		else if (event->type == espeakEVENT_END)
			end_clause(speech, event, at);
	}
	listen(speech, samples, heard, end);
}

/* Non-zero ends the synthesis. */
static int take_samples(short *samples, int n, espeak_EVENT *events)
{
	struct speech *speech = events->user_data;

	if (!speech)
		return 0; /* a question of espeak_ipa.c */
	if (!samples || speech->stop)
		return speech->stop;
	take_events(speech, samples, (uint64_t)n, events);
	speech->samples += (uint64_t)n;
	if (!speech->stop && n > 0)
		speech->stop = sink_audio(speech->sink, samples, (size_t)n);
	return speech->stop;
}

/* A chunk that ends in a stop is followed by the pause of that stop; one that
 * was cut between two words goes on at once. */
static bool ends_with_stop(const struct engine_text *text)
{
	size_t len = text->text_len;

	while (len > 0 && text->text[len - 1] == ' ')
		--len;
	return stop_len(text->text, len) > 0;
}

/* A voice keeps what was set for the one before it.  Two parameters are left
 * out, how punctuation and capitals are announced: the library refuses to set
 * them, and only SSML changes them. */
static int set_parameters(float speed, float pitch)
{
	const struct {
		espeak_PARAMETER parameter;
		int value;
	} rows[] = {
		{espeakRATE, (int)(espeakRATE_NORMAL * speed + 0.5f)},
		{espeakVOLUME, 100},
		{espeakPITCH, (int)(PITCH_NORMAL + PITCH_SEMITONE * pitch + 0.5f)},
		{espeakRANGE, 50},
		{espeakWORDGAP, 0},
	};

	for (size_t i = 0; i < COUNT(rows); ++i)
		if (espeak_SetParameter(rows[i].parameter, rows[i].value, 0) != EE_OK)
			return EIO;
	return 0;
}

/* It becomes part of a file's name. */
static bool is_variant(const char *variant)
{
	size_t len = strlen(variant);

	return len < VARIANT_MAX_LEN &&
	       strspn(variant, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") ==
		       len;
}

/* Setting a voice reads its file, a tenth of what a sentence costs, so it is
 * done when the voice changes.  The library changes it on its own for a word in
 * another script and sets it back after the word: after a text that was broken
 * off it is set anew. */
static int set_voice(struct espeak *espeak, struct voice *voice, const char *variant)
{
	char file[NAME_MAX_LEN + VARIANT_MAX_LEN + 1];

	if (!voice || !is_variant(variant))
		return ENOENT;
	if (variant[0]) /* in place of the one that the voice has */
		snprintf(file, sizeof(file), "%.*s+%s", (int)strcspn(voice->file, "+"), voice->file,
			 variant);
	else
		snprintf(file, sizeof(file), "%s", voice->file);
	if ((espeak->current != voice || strcmp(espeak->variant, variant) != 0) &&
	    espeak_SetVoiceByName(file) != EE_OK)
		return ENOENT;
	snprintf(espeak->variant, sizeof(espeak->variant), "%s", variant);
	espeak->current = NULL; /* until the text has been spoken whole */
	return 0;
}

static int write_phonemes(struct buf *out, const struct ipa *ipa, void *arg)
{
	struct voice *voice = arg;

	return espeak_ipa_write(out, ipa, &voice->ipa);
}

static int synthesize(const struct engine_text *text, const struct espeak_text *prepared,
		      struct speech *speech)
{
	unsigned flags = espeakCHARS_UTF8 | (ends_with_stop(text) ? espeakENDPAUSE : 0) |
			 (prepared->has_phonemes ? espeakPHONEMES : 0);

	word_times_init(&speech->times, text, speech->sink);
	if (espeak_Synth(prepared->text.bytes, prepared->text.len, 0, POS_CHARACTER, 0, flags, NULL,
			 speech) != EE_OK)
		return EIO;
	if (!speech->stop)
		stop_if(speech, word_times_end(&speech->times, text->text_len, speech->samples));
	return 0;
}

/* The library (1.51) keeps one list of phonemes for the clause that it speaks.
 * The two pauses at the end of the list do not set how long to be silent before
 * them, so they inherit that from a phoneme that an earlier, longer clause had at
 * the same place: 39 ms of a [k], for example, in every later text of that
 * length.  A translation without speech rewrites the places that a text has used,
 * without such silences.  It costs 3 % of speaking the text, after its last
 * samples.  A text has no more clauses than bytes. */
static void espeak_clear_pauses(const struct espeak_text *prepared)
{
	const void *at = prepared->text.bytes;

	for (size_t i = 0; at && i < prepared->text.len; ++i)
		(void)espeak_TextToPhonemes(&at, espeakCHARS_UTF8, 0);
}

static int engine_speak(void *state, const struct engine_text *text, struct sink *sink)
{
	struct espeak *espeak = state;
	struct voice *voice = find_voice(espeak, text->voice);
	struct speech speech = {.sink = sink};
	struct espeak_text *prepared = NULL;
	int err;

	if (strspn(text->text, " ") == text->text_len)
		return 0; /* the library would make some silence of it */
	err = set_voice(espeak, voice, text->variant);
	if (!err)
		err = espeak_text_alloc(&prepared, text, voice->language, write_phonemes, voice);
	if (!err)
		err = set_parameters(text->speed, text->pitch);
	if (!err) {
		speech.text = prepared;
		err = synthesize(text, prepared, &speech);
		espeak_clear_pauses(prepared);
	}
	if (!err && !speech.stop)
		espeak->current = voice;
	mem_deref(prepared);
	return err;
}

/* The first text costs 5 ms more than the next: tables are made and pages
 * touched. */
static int warm_up(struct espeak *espeak)
{
	struct sink sink;
	const struct engine_text text = {
		.voice = "en-us", .text = "Hello.", .text_len = 6, .speed = 1, .variant = ""};

	sink_init_null(&sink);
	return find_voice(espeak, text.voice) ? engine_speak(espeak, &text, &sink) : 0;
}

static void espeak_destroy(void *object)
{
	struct espeak *espeak = object;

	free(espeak->voices);
}

static int engine_open(void **statep, const struct engine_options *options)
{
	struct espeak *espeak = mem_zalloc(sizeof(*espeak), espeak_destroy);
	int err;

	(void)options;
	if (!espeak)
		return ENOMEM;
	err = espeak_start(&espeak->sample_rate, BUFFER_MS);
	if (!err) {
		espeak_SetSynthCallback(take_samples);
		err = list_voices(espeak);
	}
	if (!err)
		err = warm_up(espeak);
	if (err) {
		mem_deref(espeak);
		return err;
	}
	*statep = espeak;
	return 0;
}

/* espeak_Terminate is left out: it can wait for ever, and the process ends. */
static void engine_close(void *state)
{
	mem_deref(state);
}

static int engine_voices(void *state, engine_voice_h *each, void *arg)
{
	const struct espeak *espeak = state;
	int err = 0;

	for (size_t i = 0; i < espeak->voice_count && !err; ++i) {
		const struct voice *voice = &espeak->voices[i];
		const struct engine_voice row = {
			.name = voice->name,
			.language = voice->language,
			.title = voice->title,
			.sample_rate = espeak->sample_rate,
			.sex = voice->sex,
			.quality = ENGINE_LOW,
		};

		err = each(&row, arg);
	}
	return err;
}

/* Not deterministic: noise and pitch go on from where the last text left them. */
static const struct engine engine = {
	.name = "espeak",
	.capabilities = MESSAGE_WORD_TIMES | MESSAGE_OWN_SPEED | MESSAGE_PHONEMES |
			MESSAGE_OWN_PITCH | MESSAGE_VARIANTS,
	.open = engine_open,
	.voices = engine_voices,
	.speak = engine_speak,
	.close = engine_close,
};

const struct engine *const engine_main = &engine;
