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

/* The library raises this to its minimum, 49 ms. */
#define BUFFER_MS 20

/* Every voice of the library is male; this variant makes it female. */
#define FEMALE_VARIANT "+f2"

#define NAME_MAX_LEN 64
#define VARIANT_MAX_LEN 32

/* The library's default pitch is 50; 0 is an octave lower. */
#define PITCH_NORMAL 50
#define PITCH_SEMITONE (50.0f / 12)

/* A sample below this level is silence: the library's own pauses are zeros, but the tail of a
 * fade is not. */
#define SILENCE_LEVEL 64

struct espeak_voice {
	char name[NAME_MAX_LEN]; /* "en-us", "en-us+f2" */
	char file[NAME_MAX_LEN]; /* "gmw/en-US", "gmw/en-US+f2" */
	char language[4];
	char title[NAME_MAX_LEN + 16];
	enum engine_sex sex;
	struct espeak_ipa ipa;
};

struct espeak {
	uint32_t sample_rate;
	struct espeak_voice *voices;
	size_t voice_count;
	struct espeak_voice *current; /* the library's current voice; NULL: not known */
	char variant[VARIANT_MAX_LEN]; /* of the current voice */
};

/* The state of one text while the library speaks it. */
struct espeak_speech {
	const struct espeak_text *text;
	struct sink *sink;
	struct word_times times;
	uint64_t samples; /* sent to the sink */
	int stop;
};

/* The library's primary language codes that differ in ISO 639-1 or, for Klingon, do not exist
 * there. */
static const struct {
	const char *theirs;
	const char *ours;
} espeak_language_codes[] = {{"nb", "no"}, {"cmn", "zh"}, {"piqd", "tlh"}};

static void espeak_set_language(struct espeak_voice *voice, const char *tag)
{
	size_t len = strcspn(tag, "-");

	for (size_t i = 0; i < COUNT(espeak_language_codes); ++i) {
		const char *theirs = espeak_language_codes[i].theirs;

		if (strlen(theirs) == len && memcmp(theirs, tag, len) == 0) {
			tag = espeak_language_codes[i].ours;
			len = strlen(tag);
		}
	}
	snprintf(voice->language, sizeof(voice->language), "%.*s", (int)len, tag);
}

static struct espeak_voice *espeak_find_voice(const struct espeak *espeak, const char *name)
{
	for (size_t i = 0; i < espeak->voice_count; ++i)
		if (strcmp(espeak->voices[i].name, name) == 0)
			return &espeak->voices[i];
	return NULL;
}

/* The name is the language tag ("en-us"), or the file's name when a second file has the same
 * tag ("yue-latn-jyutping"). */
static void espeak_set_name(const struct espeak *espeak, struct espeak_voice *voice,
			    const espeak_VOICE *theirs)
{
	const char *slash = strrchr(theirs->identifier, '/');
	const char *file = slash ? slash + 1 : theirs->identifier;

	snprintf(voice->name, sizeof(voice->name), "%s", theirs->languages + 1);
	if (espeak_find_voice(espeak, voice->name))
		snprintf(voice->name, sizeof(voice->name), "%s", file);
	for (char *c = voice->name; *c; ++c)
		*c = (char)tolower((unsigned char)*c);
}

static void espeak_add_voice(struct espeak *espeak, const espeak_VOICE *theirs)
{
	struct espeak_voice man = {.sex = ENGINE_MALE};
	struct espeak_voice woman;
	int title_len = (int)strlen(theirs->name);

	while (title_len > 0 && theirs->name[title_len - 1] == ' ')
		--title_len;
	snprintf(man.file, sizeof(man.file), "%.50s", theirs->identifier);
	snprintf(man.title, sizeof(man.title), "%.*s", title_len, theirs->name);
	espeak_set_language(&man, theirs->languages + 1);
	espeak_set_name(espeak, &man, theirs);

	woman = man;
	woman.sex = ENGINE_FEMALE;
	snprintf(woman.name, sizeof(woman.name), "%.50s" FEMALE_VARIANT, man.name);
	snprintf(woman.file, sizeof(woman.file), "%.50s" FEMALE_VARIANT, man.file);
	snprintf(woman.title, sizeof(woman.title), "%.60s, female", man.title);

	espeak->voices[espeak->voice_count++] = man;
	espeak->voices[espeak->voice_count++] = woman;
}

static int espeak_list_voices(struct espeak *espeak)
{
	const espeak_VOICE **theirs = espeak_ListVoices(NULL);
	size_t count = 0;

	while (theirs && theirs[count])
		++count;
	if (count == 0)
		return ENOENT; /* the library is installed, but its data is not */
	espeak->voices = calloc(2 * count, sizeof(espeak->voices[0]));
	if (!espeak->voices)
		return ENOMEM;
	for (size_t i = 0; i < count; ++i)
		espeak_add_voice(espeak, theirs[i]);
	return 0;
}

/* Records where the last sound is, up to a sample counted from the start of the text. */
static void espeak_listen(struct espeak_speech *speech, const short *samples, uint64_t from,
			  uint64_t to)
{
	for (uint64_t i = to; i > from; --i) {
		if (abs(samples[i - 1 - speech->samples]) > SILENCE_LEVEL) {
			word_times_hear(&speech->times, i);
			return;
		}
	}
}

static void espeak_take_events(struct espeak_speech *speech, const short *samples, uint64_t n,
			       const espeak_EVENT *event)
{
	uint64_t heard = speech->samples;
	uint64_t end = speech->samples + n;

	for (; event->type != espeakEVENT_LIST_TERMINATED; ++event) {
		uint64_t at = event->sample > 0 ? (uint64_t)event->sample : 0;
		size_t index = event->text_position > 0 ? (size_t)event->text_position : 0;
		int stop = 0;

		if (at > heard && at <= end) {
			espeak_listen(speech, samples, heard, at);
			heard = at;
		}
		/* The position of a word counts from 1; a word without a length is a pause. The
		 * position of an end counts from 0 and is that of the character after the
		 * clause. */
		if (event->type == espeakEVENT_WORD && index > 0 && event->length > 0)
			stop = word_times_begin(&speech->times,
						espeak_text_origin(speech->text, index - 1), at);
		else if (event->type == espeakEVENT_END)
			stop = word_times_end(&speech->times,
					      espeak_text_origin(speech->text, index), at);
		if (stop)
			speech->stop = stop;
	}
	espeak_listen(speech, samples, heard, end);
}

/* A nonzero return value ends the synthesis. */
static int espeak_take_samples(short *samples, int n, espeak_EVENT *events)
{
	struct espeak_speech *speech = events->user_data;

	if (!speech)
		return 0; /* called for a query of espeak_ipa.c */
	if (!samples || speech->stop)
		return speech->stop;
	espeak_take_events(speech, samples, (uint64_t)n, events);
	speech->samples += (uint64_t)n;
	if (!speech->stop && n > 0)
		speech->stop = sink_audio(speech->sink, samples, (size_t)n);
	return speech->stop;
}

/* A chunk that ends in a stop is followed by the pause of that stop; one that was cut between
 * two words continues at once. */
static bool espeak_ends_with_stop(const struct engine_text *text)
{
	static const char *const stops[] = {"…", "。", "！", "？", "，", "、", "؟", "।"};
	size_t len = text->text_len;

	while (len > 0 && text->text[len - 1] == ' ')
		--len;
	if (len > 0 && ispunct((unsigned char)text->text[len - 1]))
		return true;
	for (size_t i = 0; i < COUNT(stops); ++i) {
		size_t n = strlen(stops[i]);

		if (len >= n && memcmp(text->text + len - n, stops[i], n) == 0)
			return true;
	}
	return false;
}

/* A voice keeps the parameters of the previous one. Two parameters are not set, the
 * announcement of punctuation and of capitals: the library refuses to set them, and only SSML
 * changes them. */
static int espeak_set_parameters(float speed, float pitch)
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

/* The variant becomes part of a file name. */
static bool espeak_is_variant(const char *variant)
{
	size_t len = strlen(variant);

	return len < VARIANT_MAX_LEN &&
	       strspn(variant, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") ==
		       len;
}

/* Setting a voice reads its file, which costs a tenth of a sentence, so it is done only when
 * the voice changes. The library itself changes the voice for a word in another script and
 * restores it afterwards; after a cancelled text the voice is therefore set again. */
static int espeak_set_voice(struct espeak *espeak, struct espeak_voice *voice, const char *variant)
{
	char file[NAME_MAX_LEN + VARIANT_MAX_LEN + 1];

	if (!voice || !espeak_is_variant(variant))
		return ENOENT;
	if (variant[0]) /* replaces the variant of the voice */
		snprintf(file, sizeof(file), "%.*s+%s", (int)strcspn(voice->file, "+"), voice->file,
			 variant);
	else
		snprintf(file, sizeof(file), "%s", voice->file);
	if ((espeak->current != voice || strcmp(espeak->variant, variant) != 0) &&
	    espeak_SetVoiceByName(file) != EE_OK)
		return ENOENT;
	snprintf(espeak->variant, sizeof(espeak->variant), "%s", variant);
	espeak->current = NULL; /* until the text has been spoken completely */
	return 0;
}

static int espeak_write_phonemes(struct buf *out, const struct given_ipa *ipa, void *arg)
{
	struct espeak_voice *voice = arg;

	return espeak_ipa_write(out, ipa, &voice->ipa);
}

static int espeak_synthesize(const struct engine_text *text, const struct espeak_text *prepared,
			     struct espeak_speech *speech)
{
	unsigned flags = espeakCHARS_UTF8 | (espeak_ends_with_stop(text) ? espeakENDPAUSE : 0) |
			 (prepared->has_phonemes ? espeakPHONEMES : 0);

	word_times_init(&speech->times, text, speech->sink);
	if (espeak_Synth(prepared->text.bytes, prepared->text.len, 0, POS_CHARACTER, 0, flags, NULL,
			 speech) != EE_OK)
		return EIO;
	if (!speech->stop)
		speech->stop = word_times_end(&speech->times, text->text_len, speech->samples);
	return 0;
}

/* The library (1.51) has one list of phonemes for the current clause. The two pauses at its
 * end do not set the length of the silence before them, so they inherit it from a phoneme that
 * an earlier, longer clause had at the same index: 39 ms of a [k], for example, in every later
 * text of that length. A translation without speech overwrites the entries that a text has
 * used, without such silences. It costs 3 % of speaking the text, after its last samples. A
 * text has at most as many clauses as bytes. */
static void espeak_clear_pauses(const struct espeak_text *prepared)
{
	const void *at = prepared->text.bytes;

	for (size_t i = 0; at && i < prepared->text.len; ++i)
		(void)espeak_TextToPhonemes(&at, espeakCHARS_UTF8, 0);
}

static int espeak_speak(void *state, const struct engine_text *text, struct sink *sink)
{
	struct espeak *espeak = state;
	struct espeak_voice *voice = espeak_find_voice(espeak, text->voice);
	struct espeak_speech speech = {.sink = sink};
	struct espeak_text *prepared = NULL;
	int err;

	if (strspn(text->text, " ") == text->text_len)
		return 0; /* the library would produce some silence for it */
	err = espeak_set_voice(espeak, voice, text->variant);
	if (!err)
		err = espeak_text_alloc(&prepared, text, voice->language, espeak_write_phonemes,
					voice);
	if (!err)
		err = espeak_set_parameters(text->speed, text->pitch);
	if (!err) {
		speech.text = prepared;
		err = espeak_synthesize(text, prepared, &speech);
		espeak_clear_pauses(prepared);
	}
	if (!err && !speech.stop)
		espeak->current = voice;
	mem_deref(prepared);
	return err;
}

/* The first text takes 5 ms longer than the next: tables are built and pages are touched. */
static int espeak_warm_up(struct espeak *espeak)
{
	struct sink sink;
	const struct engine_text text = {
		.voice = "en-us", .text = "Hello.", .text_len = 6, .speed = 1, .variant = ""};

	sink_init_null(&sink);
	return espeak_find_voice(espeak, text.voice) ? espeak_speak(espeak, &text, &sink) : 0;
}

static void espeak_destroy(void *object)
{
	struct espeak *espeak = object;

	free(espeak->voices);
}

static int espeak_open(void **statep, const struct engine_options *options)
{
	struct espeak *espeak = mem_zalloc(sizeof(*espeak), espeak_destroy);
	int err;

	(void)options;
	if (!espeak)
		return ENOMEM;
	err = espeak_start(&espeak->sample_rate, BUFFER_MS);
	if (!err) {
		espeak_SetSynthCallback(espeak_take_samples);
		err = espeak_list_voices(espeak);
	}
	if (!err)
		err = espeak_warm_up(espeak);
	if (err) {
		mem_deref(espeak);
		return err;
	}
	*statep = espeak;
	return 0;
}

/* espeak_Terminate is not called: it can block for ever, and the process ends anyway. */
static void espeak_close(void *state)
{
	mem_deref(state);
}

static int espeak_voices(void *state, engine_voice_h *each, void *arg)
{
	const struct espeak *espeak = state;
	int err = 0;

	for (size_t i = 0; i < espeak->voice_count && !err; ++i) {
		const struct espeak_voice *voice = &espeak->voices[i];
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

/* Not deterministic: noise and pitch continue from the state after the last text. */
static const struct engine espeak_engine = {
	.name = "espeak",
	.capabilities = MESSAGE_WORD_TIMES | MESSAGE_OWN_SPEED | MESSAGE_PHONEMES |
			MESSAGE_OWN_PITCH | MESSAGE_VARIANTS,
	.open = espeak_open,
	.voices = espeak_voices,
	.speak = espeak_speak,
	.close = espeak_close,
};

const struct engine *const engine_main = &espeak_engine;
