/*
 * flite.c: CMU Flite as an engine: English with four voices, word times known
 * before the first sample.
 *
 * The library makes all of a text before its first sample, which takes longer
 * the longer the text is, so a long text is given to it in pieces.  Its noise
 * comes from rand(); seeded with the text, the same chunk has the same samples
 * whatever was spoken before it, in this process or another.
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

/* 300 characters are ready to sound after 70 ms, and longer sentences are
 * rare. */
#define PIECE_MAX 300u

/* The library begins with a fifth of a second of silence, which a listener
 * counts as delay; this much of it is kept. */
#define LEAD_IN_S 0.03f

/* Two of the voices are 6 dB louder and 7 dB softer than all others of ours. */
#define GAIN_ONE 256
#define GAIN_SLT 128
#define GAIN_KAL16 573

static const struct voice {
	struct engine_voice row;
	cst_voice *(*load)(const char *directory);
	int gain; /* in parts of GAIN_ONE */
} voices[] = {
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

#define VOICE_COUNT COUNT(voices)

struct flite {
	cst_voice *loaded[VOICE_COUNT];
	cst_audio_streaming_info *streaming[VOICE_COUNT]; /* owned by the voice */
};

/* One text while the library speaks it. */
struct speech {
	const struct latin *latin;
	struct sink *sink;
	int gain;
	uint64_t samples; /* handed to the sink */
	uint64_t piece_samples; /* where the piece began */
	uint64_t lead; /* samples of its silence that are left out … */
	uint64_t to_drop; /* … and of these still to come */
	struct word_times times;
	size_t word_at; /* in latin: where the next word is looked for */
	size_t piece_end; /* in latin */
	bool words_sent; /* of this piece */
	int stop;
};

static uint64_t samples_of(const struct speech *speech, float seconds)
{
	uint64_t at = (uint64_t)(seconds * (float)SAMPLE_RATE + 0.5f);

	return speech->piece_samples + (at > speech->lead ? at - speech->lead : 0);
}

static void measure_lead(struct speech *speech, const cst_utterance *utterance)
{
	const cst_item *first = relation_head(utt_relation(utterance, "Segment"));
	float seconds;

	if (speech->samples > 0 || !first || strcmp(item_feat_string(first, "name"), "pau") != 0)
		return; /* inside a text it is the pause between two sentences */
	seconds = item_feat_float(first, "end") - LEAD_IN_S;
	if (seconds > 0)
		speech->lead = speech->to_drop = (uint64_t)(seconds * (float)SAMPLE_RATE);
}

/* A token of the text is spoken as one or more words ("$5": five dollars);
 * those that have no sound have no times. */
static bool token_times(const cst_item *token, float *start, float *end)
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

/* Tokens are pieces of the text in its order, so each is found behind the last. */
static void send_word(struct speech *speech, const cst_item *token)
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
	if (!token_times(token, &start, &end) || end < start)
		return;
	speech->stop =
		word_times_begin(&speech->times, latin->origin[first], samples_of(speech, start));
	word_times_hear(&speech->times, samples_of(speech, end));
}

static void send_words(struct speech *speech, const cst_utterance *utterance)
{
	const cst_item *token = relation_head(utt_relation(utterance, "Token"));

	for (; token && !speech->stop; token = item_next(token))
		send_word(speech, token);
	if (!speech->stop)
		speech->stop =
			word_times_end(&speech->times, speech->latin->origin[speech->piece_end],
				       speech->times.quiet_from);
}

static int16_t amplify(int16_t sample, int gain)
{
	int value = sample * gain / GAIN_ONE;

	if (value > INT16_MAX)
		return INT16_MAX;
	return value < INT16_MIN ? INT16_MIN : (int16_t)value;
}

/* The library's samples at the voice's level. */
static int give(struct speech *speech, const int16_t *samples, size_t n)
{
	int16_t levelled[SAMPLES_MIN];

	if (speech->gain == GAIN_ONE)
		return sink_audio(speech->sink, samples, n);
	while (n > 0) {
		size_t len = n < SAMPLES_MIN ? n : SAMPLES_MIN;

		for (size_t i = 0; i < len; ++i)
			levelled[i] = amplify(samples[i], speech->gain);
		if (sink_audio(speech->sink, levelled, len) != 0)
			return 1;
		samples += len;
		n -= len;
	}
	return 0;
}

static int take_samples(const cst_wave *wave, int start, int size, int last,
			cst_audio_streaming_info *streaming)
{
	struct speech *speech = streaming->userdata;

	(void)last;
	if (!speech->words_sent && streaming->utt) {
		speech->words_sent = true;
		measure_lead(speech, streaming->utt);
		send_words(speech, streaming->utt);
	}
	if (speech->to_drop > 0 && size > 0) {
		int drop = (uint64_t)size < speech->to_drop ? size : (int)speech->to_drop;

		speech->to_drop -= (uint64_t)drop;
		start += drop;
		size -= drop;
	}
	if (!speech->stop && size > 0) {
		speech->stop = give(speech, wave->samples + start, (size_t)size);
		speech->samples += (uint64_t)size;
	}
	return speech->stop ? CST_AUDIO_STREAM_STOP : CST_AUDIO_STREAM_CONT;
}

/* FNV-1a. */
static unsigned seed_of(const char *text, size_t len)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < len; ++i)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return hash;
}

static int speak_piece(struct speech *speech, cst_voice *voice, size_t start)
{
	size_t len = speech->piece_end - start;
	char piece[PIECE_MAX + 1];
	cst_utterance *utterance;

	memcpy(piece, speech->latin->text + start, len);
	piece[len] = '\0';
	if (strspn(piece, " ") == len)
		return 0; /* the library would make silence of it */
	speech->words_sent = false;
	speech->word_at = start;
	speech->piece_samples = speech->samples;
	speech->lead = speech->to_drop = 0;
	srand(seed_of(piece, len));
	utterance = flite_synth_text(piece, voice);
	if (!utterance)
		return EIO;
	delete_utterance(utterance);
	return 0;
}

/* Behind the last of the characters that has a blank behind it; 0 if none. */
static size_t last_break(const char *text, size_t len, const char *characters)
{
	for (size_t i = len; i > 1; --i)
		if (text[i - 1] == ' ' && strchr(characters, text[i - 2]))
			return i;
	return 0;
}

/* Sentence, clause, word, or what fits. */
static size_t piece_len(const char *text, size_t len)
{
	static const char *const breaks[] = {".!?", ",;:"};
	size_t cut;

	if (len <= PIECE_MAX)
		return len;
	for (size_t i = 0; i < COUNT(breaks); ++i) {
		cut = last_break(text, PIECE_MAX, breaks[i]);
		if (cut > PIECE_MAX / 4)
			return cut;
	}
	for (cut = PIECE_MAX; cut > PIECE_MAX / 4; --cut)
		if (text[cut - 1] == ' ')
			return cut;
	return PIECE_MAX;
}

static int speak_all(struct speech *speech, cst_voice *voice)
{
	int err = 0;

	for (size_t start = 0; start < speech->latin->len && !err && !speech->stop;) {
		speech->piece_end =
			start + piece_len(speech->latin->text + start, speech->latin->len - start);
		err = speak_piece(speech, voice, start);
		start = speech->piece_end;
	}
	return err;
}

static int engine_speak(void *state, const struct engine_text *text, struct sink *sink)
{
	struct flite *flite = state;
	struct speech speech = {.sink = sink};
	struct latin *latin = NULL;
	size_t i = 0;
	int err;

	while (i < VOICE_COUNT && strcmp(voices[i].row.name, text->voice) != 0)
		++i;
	if (i == VOICE_COUNT)
		return ENOENT;
	err = latin_alloc(&latin, text->text, text->text_len);
	if (err)
		return err;
	speech.latin = latin;
	speech.gain = voices[i].gain;
	flite->streaming[i]->userdata = &speech;
	flite_feat_set_float(flite->loaded[i]->features, "duration_stretch", 1 / text->speed);
	flite_feat_set_float(flite->loaded[i]->features, "f0_shift", exp2f(text->pitch / 12));
	word_times_init(&speech.times, text, sink);
	err = speak_all(&speech, flite->loaded[i]);
	if (!err && !speech.stop)
		word_times_end(&speech.times, text->text_len, speech.samples);
	mem_deref(latin);
	return err;
}

static int load_voice(struct flite *flite, size_t i)
{
	cst_voice *voice = voices[i].load(NULL);
	cst_audio_streaming_info *streaming = new_audio_streaming_info();

	if (!voice || !streaming)
		return ENOMEM;
	streaming->asc = take_samples;
	streaming->min_buffsize = SAMPLES_MIN;
	feat_set(voice->features, "streaming_info", audio_streaming_info_val(streaming));
	flite->loaded[i] = voice;
	flite->streaming[i] = streaming;
	return 0;
}

/* A voice is megabytes of constants that lie in files until touched.  The one
 * that most will use is touched before anyone waits for it; all of them would
 * keep the server from being ready for a twentieth of a second. */
static int warm_up(struct flite *flite)
{
	const struct engine_text text = {
		.voice = voices[0].row.name, .text = "Hello.", .text_len = 6, .speed = 1};
	struct sink sink;

	sink_init_null(&sink);
	return engine_speak(flite, &text, &sink);
}

static int load_voices(struct flite *flite)
{
	int err = 0;

	for (size_t i = 0; i < VOICE_COUNT && !err; ++i)
		err = load_voice(flite, i);
	return err;
}

static int engine_open(void **statep, const struct engine_options *options)
{
	struct flite *flite = mem_zalloc(sizeof(*flite), NULL);
	int err;

	(void)options;
	if (!flite)
		return ENOMEM;
	flite_init();
	err = load_voices(flite);
	if (!err)
		err = warm_up(flite);
	if (err) {
		mem_deref(flite);
		return err;
	}
	*statep = flite;
	return 0;
}

/* The voices are the library's and end with the process. */
static void engine_close(void *state)
{
	mem_deref(state);
}

static int engine_voices(void *state, engine_voice_h *each, void *arg)
{
	int err = 0;

	(void)state;
	for (size_t i = 0; i < VOICE_COUNT && !err; ++i)
		err = each(&voices[i].row, arg);
	return err;
}

static const struct engine engine = {
	.name = "flite",
	.capabilities =
		MESSAGE_DETERMINISTIC | MESSAGE_WORD_TIMES | MESSAGE_OWN_SPEED | MESSAGE_OWN_PITCH,
	.open = engine_open,
	.voices = engine_voices,
	.speak = engine_speak,
	.close = engine_close,
};

const struct engine *const engine_main = &engine;
