/*
 * flite.c: CMU Flite as an engine: English with four voices; word times are known before the
 * first sample.
 *
 * The library computes all of a text before its first sample, so a long text is given to it
 * in pieces. Its noise comes from rand(), which is seeded with the text: the same chunk
 * always has the same samples, whatever was spoken before it in this process or another.
 */
#include <errno.h>
#include <flite/flite.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "engine/engine.h"
#include "engine/latin.h"
#include "engine/word_times.h"
#include "workers/message.h"

cst_voice *register_cmu_us_slt(const char *directory);
cst_voice *register_cmu_us_rms(const char *directory);
cst_voice *register_cmu_us_awb(const char *directory);
cst_voice *register_cmu_us_kal16(const char *directory);

#define SAMPLE_RATE 16000u

/* 16 ms; the voices round it up to whole frames, 20 ms. */
#define SAMPLES_MIN 256

/* A piece of 300 characters takes 70 ms until its first sample; longer sentences are rare. */
#define PIECE_MAX 300u

/* The library begins with a fifth of a second of silence, which listeners experience as delay;
 * this much of it is kept. */
#define LEAD_IN_S 0.03f

/* One voice is 6 dB louder and one is 7 dB softer than the other voices. */
#define GAIN_ONE 256
#define GAIN_SLT 128
#define GAIN_KAL16 573

static const struct flite_voice {
	struct engine_voice row;
	cst_voice *(*load)(const char *directory);
	int gain; /* in parts of GAIN_ONE */
} flite_voices[] = {
	{{"slt", "en", "Slt, American English", SAMPLE_RATE, ENGINE_FEMALE, ENGINE_MID, NULL},
	 register_cmu_us_slt,
	 GAIN_SLT},
	{{"rms", "en", "Rms, American English", SAMPLE_RATE, ENGINE_MALE, ENGINE_MID, NULL},
	 register_cmu_us_rms,
	 GAIN_ONE},
	{{"awb", "en", "Awb, Scottish English", SAMPLE_RATE, ENGINE_MALE, ENGINE_MID, NULL},
	 register_cmu_us_awb,
	 GAIN_ONE},
	{{"kal16", "en", "Kal, American English", SAMPLE_RATE, ENGINE_MALE, ENGINE_LOW, NULL},
	 register_cmu_us_kal16,
	 GAIN_KAL16},
};

#define VOICE_COUNT COUNT(flite_voices)

struct flite {
	cst_voice *loaded[VOICE_COUNT];
	cst_audio_streaming_info *streaming[VOICE_COUNT]; /* owned by the voice */
};

/* The state of one text while the library speaks it. */
struct flite_speech {
	const struct latin *latin;
	struct sink *sink;
	int gain;
	uint64_t samples; /* sent to the sink */
	uint64_t piece_samples; /* sample at which the piece began */
	uint64_t lead; /* samples of leading silence that are dropped */
	uint64_t to_drop; /* how many of `lead` remain to be dropped */
	struct word_times times;
	size_t word_at; /* where the search for the next word begins, in latin */
	size_t piece_end; /* the end of the piece, in latin */
	bool words_sent; /* the words of this piece were sent */
	int stop;
};

static uint64_t flite_samples_of(const struct flite_speech *speech, float seconds)
{
	uint64_t at = (uint64_t)(seconds * (float)SAMPLE_RATE + 0.5f);

	return speech->piece_samples + (at > speech->lead ? at - speech->lead : 0);
}

static void flite_measure_lead(struct flite_speech *speech, const cst_utterance *utterance)
{
	const cst_item *first = relation_head(utt_relation(utterance, "Segment"));
	float seconds;

	if (speech->samples > 0 || !first || strcmp(item_feat_string(first, "name"), "pau") != 0)
		return; /* inside a text it is the pause between two sentences */
	seconds = item_feat_float(first, "end") - LEAD_IN_S;
	if (seconds > 0)
		speech->lead = speech->to_drop = (uint64_t)(seconds * (float)SAMPLE_RATE);
}

/* A token of the text is spoken as one or more words ("$5": five dollars); a token without a
 * sound has no times. */
static bool flite_token_times(const cst_item *token, float *start, float *end)
{
	static const char from[] = "R:SylStructure.daughter1.daughter1.R:Segment.p.end";
	static const char to[] = "R:SylStructure.daughtern.daughtern.R:Segment.end";
	bool any = false;

	for (const cst_item *word = item_daughter(token); word; word = item_next(word)) {
		float word_end = flite_ffeature_float(word, to);

		if (word_end <= 0)
			continue;
		if (!any)
			*start = flite_ffeature_float(word, from);
		*end = word_end;
		any = true;
	}
	return any;
}

/* Tokens are in the order of the text, so each is found after the last. */
static void flite_send_word(struct flite_speech *speech, const cst_item *token)
{
	const struct latin *latin = speech->latin;
	const char *name = item_feat_string(token, "name");
	const char *found = strstr(latin->text + speech->word_at, name);
	size_t first;
	size_t last;
	float start = 0;
	float end = 0;

	if (!found || !*name)
		return;
	first = (size_t)(found - latin->text);
	last = first + strlen(name);
	if (last > speech->piece_end)
		return;
	speech->word_at = last;
	if (!flite_token_times(token, &start, &end) || end < start)
		return;
	speech->stop = word_times_begin(&speech->times, latin->origin[first],
					flite_samples_of(speech, start));
	word_times_hear(&speech->times, flite_samples_of(speech, end));
}

static void flite_send_words(struct flite_speech *speech, const cst_utterance *utterance)
{
	const cst_item *token = relation_head(utt_relation(utterance, "Token"));

	for (; token && !speech->stop; token = item_next(token))
		flite_send_word(speech, token);
	if (!speech->stop)
		speech->stop =
			word_times_end(&speech->times, speech->latin->origin[speech->piece_end],
				       speech->times.quiet_from);
}

/* Sends the library's samples at the voice's level. */
static int flite_send(struct flite_speech *speech, const int16_t *samples, size_t n)
{
	int16_t levelled[SAMPLES_MIN];

	if (speech->gain == GAIN_ONE)
		return sink_audio(speech->sink, samples, n);
	while (n > 0) {
		size_t len = n < SAMPLES_MIN ? n : SAMPLES_MIN;

		for (size_t i = 0; i < len; ++i) {
			int value = samples[i] * speech->gain / GAIN_ONE;

			levelled[i] = (int16_t)(value > INT16_MAX   ? INT16_MAX
						: value < INT16_MIN ? INT16_MIN
								    : value);
		}
		if (sink_audio(speech->sink, levelled, len) != 0)
			return 1;
		samples += len;
		n -= len;
	}
	return 0;
}

static int flite_take_samples(const cst_wave *wave, int start, int size, int last,
			      cst_audio_streaming_info *streaming)
{
	struct flite_speech *speech = streaming->userdata;

	(void)last;
	if (!speech->words_sent && streaming->utt) {
		speech->words_sent = true;
		flite_measure_lead(speech, streaming->utt);
		flite_send_words(speech, streaming->utt);
	}
	if (speech->to_drop > 0 && size > 0) {
		int drop = (uint64_t)size < speech->to_drop ? size : (int)speech->to_drop;

		speech->to_drop -= (uint64_t)drop;
		start += drop;
		size -= drop;
	}
	if (!speech->stop && size > 0) {
		speech->stop = flite_send(speech, wave->samples + start, (size_t)size);
		speech->samples += (uint64_t)size;
	}
	return speech->stop ? CST_AUDIO_STREAM_STOP : CST_AUDIO_STREAM_CONT;
}

/* FNV-1a. */
static unsigned flite_seed_of(const char *text, size_t len)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < len; ++i)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return hash;
}

static int flite_speak_piece(struct flite_speech *speech, cst_voice *voice, size_t start)
{
	size_t len = speech->piece_end - start;
	char piece[PIECE_MAX + 1];
	cst_utterance *utterance;

	memcpy(piece, speech->latin->text + start, len);
	piece[len] = '\0';
	if (strspn(piece, " ") == len)
		return 0; /* the library would produce silence for it */
	speech->words_sent = false;
	speech->word_at = start;
	speech->piece_samples = speech->samples;
	speech->lead = speech->to_drop = 0;
	srand(flite_seed_of(piece, len));
	utterance = flite_synth_text(piece, voice);
	if (!utterance)
		return EIO;
	delete_utterance(utterance);
	return 0;
}

/* The position after the last of the characters that is followed by a blank; 0 if there is
 * none. */
static size_t flite_last_break(const char *text, size_t len, const char *characters)
{
	for (size_t i = len; i > 1; --i)
		if (text[i - 1] == ' ' && strchr(characters, text[i - 2]))
			return i;
	return 0;
}

/* Ends the piece after a sentence, a clause or a word, or at the maximum. */
static size_t flite_piece_len(const char *text, size_t len)
{
	static const char *const breaks[] = {".!?", ",;:"};
	size_t cut;

	if (len <= PIECE_MAX)
		return len;
	for (size_t i = 0; i < COUNT(breaks); ++i) {
		cut = flite_last_break(text, PIECE_MAX, breaks[i]);
		if (cut > PIECE_MAX / 4)
			return cut;
	}
	for (cut = PIECE_MAX; cut > PIECE_MAX / 4; --cut)
		if (text[cut - 1] == ' ')
			return cut;
	return PIECE_MAX;
}

static int flite_speak_all(struct flite_speech *speech, cst_voice *voice)
{
	int err = 0;

	for (size_t start = 0; start < speech->latin->len && !err && !speech->stop;) {
		speech->piece_end = start + flite_piece_len(speech->latin->text + start,
							    speech->latin->len - start);
		err = flite_speak_piece(speech, voice, start);
		start = speech->piece_end;
	}
	return err;
}

static int flite_speak(void *state, const struct engine_text *text, struct sink *sink)
{
	struct flite *flite = state;
	struct flite_speech speech = {.sink = sink};
	struct latin *latin = NULL;
	size_t i = 0;
	int err;

	while (i < VOICE_COUNT && strcmp(flite_voices[i].row.name, text->voice) != 0)
		++i;
	if (i == VOICE_COUNT)
		return ENOENT;
	err = latin_alloc(&latin, text->text, text->text_len);
	if (err)
		return err;
	speech.latin = latin;
	speech.gain = flite_voices[i].gain;
	flite->streaming[i]->userdata = &speech;
	flite_feat_set_float(flite->loaded[i]->features, "duration_stretch", 1 / text->speed);
	flite_feat_set_float(flite->loaded[i]->features, "f0_shift", exp2f(text->pitch / 12));
	word_times_init(&speech.times, text, sink);
	err = flite_speak_all(&speech, flite->loaded[i]);
	if (!err && !speech.stop)
		word_times_end(&speech.times, text->text_len, speech.samples);
	mem_deref(latin);
	return err;
}

static int flite_load_voice(struct flite *flite, size_t i)
{
	cst_voice *voice = flite_voices[i].load(NULL);
	cst_audio_streaming_info *streaming = new_audio_streaming_info();

	if (!voice || !streaming)
		return ENOMEM;
	streaming->asc = flite_take_samples;
	streaming->min_buffsize = SAMPLES_MIN;
	feat_set(voice->features, "streaming_info", audio_streaming_info_val(streaming));
	flite->loaded[i] = voice;
	flite->streaming[i] = streaming;
	return 0;
}

/* A voice is megabytes of constants in files that are not loaded until touched. The most used
 * voice is loaded before a listener waits for it; loading all of them would delay readiness by
 * a twentieth of a second. */
static int flite_warm_up(struct flite *flite)
{
	const struct engine_text text = {
		.voice = flite_voices[0].row.name, .text = "Hello.", .text_len = 6, .speed = 1};
	struct sink sink;

	sink_init_null(&sink);
	return flite_speak(flite, &text, &sink);
}

static int flite_load_voices(struct flite *flite)
{
	int err = 0;

	for (size_t i = 0; i < VOICE_COUNT && !err; ++i)
		err = flite_load_voice(flite, i);
	return err;
}

static int flite_open(void **statep, const struct engine_options *options)
{
	struct flite *flite = mem_zalloc(sizeof(*flite), NULL);
	int err;

	(void)options;
	if (!flite)
		return ENOMEM;
	flite_init();
	err = flite_load_voices(flite);
	if (!err)
		err = flite_warm_up(flite);
	if (err) {
		mem_deref(flite);
		return err;
	}
	*statep = flite;
	return 0;
}

/* The voices belong to the library and are never freed. */
static void flite_close(void *state)
{
	mem_deref(state);
}

static int flite_list_voices(void *state, engine_voice_h *each, void *arg)
{
	int err = 0;

	(void)state;
	for (size_t i = 0; i < VOICE_COUNT && !err; ++i)
		err = each(&flite_voices[i].row, arg);
	return err;
}

static const struct engine flite_engine = {
	.name = "flite",
	.capabilities =
		MESSAGE_DETERMINISTIC | MESSAGE_WORD_TIMES | MESSAGE_OWN_SPEED | MESSAGE_OWN_PITCH,
	.open = flite_open,
	.voices = flite_list_voices,
	.speak = flite_speak,
	.close = flite_close,
};

const struct engine *const engine_main = &flite_engine;
