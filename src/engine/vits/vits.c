/*
 * vits.c: neural voices as an engine: Piper's VITS models, and Kokoro's, from the voices
 * directory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Phonemes come from eSpeak NG, which is under the GPL, version 3 or later, and so is a
 * program that links it: syrinx-vits. The server does not link it; it exchanges messages
 * with it through a socket.
 *
 * Many texts are spoken at once, each on its own thread, with shared weights. A text is
 * computed one window at a time, and before each window the thread waits until its listener
 * needs more (sink_wait): that is how the server's deadlines decide which window is computed
 * next.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/log.h"
#include "base/mem.h"
#include "engine/engine.h"
#include "engine/vits/edges.h"
#include "engine/vits/model_dir.h"
#include "engine/vits/script.h"
#include "engine/word_times.h"
#include "workers/message.h"

/* Texts at once: as many as eight cores speak in real time. */
#define JOBS_MAX 32

/* Frames of the first window: a third of a second, enough to compute the second with all cores
 * busy and a few other callers beginning. Each window has twice as many as the previous one,
 * because every window has a fixed cost, up to the limit that the first sound of another
 * caller may have to wait for: about 90 ms of a core. */
#define WINDOW_FIRST 32
#define WINDOW_LAST 128

/* Longer than the silence at the end of a model's output, which must be distinguished from the
 * zeros that replace skipped samples: a second and a half. */
#define END_FRAMES 128

/* The state of one text while it is spoken. */
struct vits_speech {
	const struct engine_text *text;
	struct sink *sink;
	const struct loaded_model *model;
	const struct model_speaker *speaker;
	struct script *script;
	struct take_settings settings;
	float gain;
	struct edges edges;
	struct word_times times;
	bool follows_sentence; /* the next utterance follows the end of a sentence */
	int16_t *samples; /* of one window */
	size_t samples_size;
};

/* Ends a text early without an error: the sink was cancelled. */
#define CANCELLED (-1)

/* NaN becomes silence, because rounding it is undefined. */
static int16_t vits_to_sample(float value)
{
	if (!(fabsf(value) <= INT16_MAX))
		return value > 0 ? INT16_MAX : value < 0 ? -INT16_MAX : 0;
	return (int16_t)lrintf(value);
}

/* Converts the window's samples at the voice's level. */
static int vits_convert(struct vits_speech *speech, const float *samples, size_t n)
{
	if (n > speech->samples_size) {
		int16_t *larger = realloc(speech->samples, n * sizeof(*larger));

		if (!larger)
			return ENOMEM;
		speech->samples = larger;
		speech->samples_size = n;
	}
	for (size_t i = 0; i < n; ++i)
		speech->samples[i] = samples ? vits_to_sample(samples[i] * speech->gain) : 0;
	return 0;
}

/* Symbols that are not sounds: a word ends before them. */
static bool vits_is_pause(const struct model_file *file, int64_t id)
{
	static const uint32_t pauses[] = {' ', ',', '.', ';', ':', '!',    '?',
					  '^', '$', '"', '(', ')', 0x2014, 0x2026};

	for (size_t i = 0; i < COUNT(pauses); ++i) {
		if (model_file_id(file, pauses[i]) == id)
			return true;
	}
	return false;
}

/* Where a word of the utterance begins and ends, in frames. */
struct span {
	uint32_t word;
	float from, to;
};

static uint64_t vits_sample_at(const struct vits_speech *speech, const struct take *take,
			       float frame)
{
	float sample = frame * (float)take_frame_len(take) - (float)speech->edges.dropped;

	return speech->edges.given + (uint64_t)(sample > 0 ? sample : 0);
}

static int vits_send_word(struct vits_speech *speech, const struct span *span,
			  const struct take *take)
{
	const struct script_word *word = &speech->script->words[span->word];
	int stop = word_times_begin(&speech->times, word->byte_start,
				    vits_sample_at(speech, take, span->from));

	word_times_hear(&speech->times, vits_sample_at(speech, take, span->to));
	return stop;
}

/* Where the i-th id ends. Durations reported by a model are limited to the length of the
 * utterance. */
static float vits_end_of(const struct take *take, size_t i, size_t count, float at)
{
	const float *durations = take_durations(take);
	float frames = (float)take_frames(take);
	float lasts = durations ? durations[i] : frames / (float)count;

	return fminf(at + fmaxf(lasts, 0), frames);
}

/* Durations are known before any samples, so the words of an utterance are sent as soon as it
 * is known how much of its beginning is dropped. A pad belongs to the symbol before it. */
static int vits_send_words(struct vits_speech *speech, const struct script_utterance *utterance,
			   const struct take *take)
{
	const struct model_file *file = speech->model->file;
	struct span span = {.word = SCRIPT_NO_WORD};
	int64_t pad = model_file_id(file, '_');
	bool in_pause = true;
	float at = 0;
	int err = 0;

	for (size_t i = 0; i < utterance->count && !err; ++i) {
		float end = vits_end_of(take, i, utterance->count, at);
		uint32_t word = utterance->words[i];

		if (utterance->ids[i] != pad)
			in_pause = vits_is_pause(file, utterance->ids[i]);
		if (word != SCRIPT_NO_WORD && !in_pause) {
			if (word != span.word) {
				if (span.word != SCRIPT_NO_WORD)
					err = vits_send_word(speech, &span, take);
				span = (struct span){word, at, end};
			}
			span.to = end;
		}
		at = end;
	}
	if (err || span.word == SCRIPT_NO_WORD)
		return err;
	err = vits_send_word(speech, &span, take);
	if (err)
		return err;
	/* The last word ends here even if it continues in the next utterance: a word in two
	 * utterances is reported with the first. */
	return word_times_end(&speech->times, speech->script->words[span.word].byte_end,
			      vits_sample_at(speech, take, span.to));
}

/* Sends a window without the silence around the utterance. */
static int vits_send_window(struct vits_speech *speech, const struct script_utterance *utterance,
			    const struct take *take, size_t n)
{
	size_t start = 0;
	int err = 0;

	if (!speech->edges.begun) {
		if (!edges_begin(&speech->edges, speech->samples, n, &start))
			return 0;
		err = edges_lead(&speech->edges, speech->samples[start], speech->follows_sentence,
				 speech->sink);
		if (!err)
			err = vits_send_words(speech, utterance, take);
	}
	if (err)
		return CANCELLED;
	err = edges_push(&speech->edges, speech->samples + start, n - start, speech->sink);
	return err == ENOMEM || err == ENOBUFS ? ENOMEM : err ? CANCELLED : 0;
}

/* Waits until a window is wanted, computes it and sends it. */
static int vits_speak_window(struct vits_speech *speech, const struct script_utterance *utterance,
			     struct take *take, size_t from, size_t to)
{
	size_t n = (to - from) * take_frame_len(take);
	/* A window at an edge must be computed even if it was heard before the last worker died:
	 * the beginning of the utterance determines where the sound begins, and its last frames
	 * where it ends. */
	bool is_at_edge = !speech->edges.begun || take_frames(take) - to < END_FRAMES;
	const float *samples = NULL;
	char why[RUNTIME_WHY_SIZE];
	uint64_t skip;
	int err;

	if (sink_wait(speech->sink, &skip) != 0)
		return CANCELLED;
	if (is_at_edge || skip < edges_held(&speech->edges) + n) {
		err = take_decode(take, from, to, &samples, why);
		if (err) {
			log_error("vits", "%s: %s", speech->model->file->name, why);
			return err;
		}
	}
	err = vits_convert(speech, samples, n);
	return err ? err : vits_send_window(speech, utterance, take, n);
}

/* Checks the last symbol that is not a blank. */
static bool vits_ends_sentence(const struct model_file *file,
			       const struct script_utterance *utterance)
{
	static const uint32_t stops[] = {'.', '!', '?'};
	int64_t pad = model_file_id(file, '_');
	int64_t end = model_file_id(file, '$');
	size_t n = utterance->count;

	while (n > 0 && (utterance->ids[n - 1] == pad || utterance->ids[n - 1] == end))
		--n;
	for (size_t i = 0; n > 0 && i < COUNT(stops); ++i) {
		if (utterance->ids[n - 1] == model_file_id(file, stops[i]))
			return true;
	}
	return false;
}

/* Whether the previous chunk ended a sentence. */
static bool vits_was_sentence(const char *text)
{
	static const char *const stops[] = {".", "!", "?", "…", "。", "！", "？"};
	size_t len = strlen(text);

	while (len > 0 && strchr(" \t\"')]", text[len - 1]))
		--len;
	for (size_t i = 0; i < COUNT(stops); ++i) {
		size_t stop_len = strlen(stops[i]);

		if (len >= stop_len && memcmp(text + len - stop_len, stops[i], stop_len) == 0)
			return true;
	}
	return false;
}

static int vits_speak_utterance(struct vits_speech *speech, size_t i)
{
	const struct script_utterance *utterance = &speech->script->utterances[i];
	size_t window = WINDOW_FIRST;
	char why[RUNTIME_WHY_SIZE];
	struct take *take;
	uint64_t skip;
	int err;

	if (sink_wait(speech->sink, &skip) != 0)
		return CANCELLED;
	noise_key_add(&speech->settings.key, &i, sizeof(i));
	err = take_begin(&take, speech->model->model, utterance->ids, utterance->count,
			 &speech->settings, why);
	if (err) {
		log_error("vits", "%s: %s", speech->model->file->name, why);
		return err;
	}
	for (size_t from = 0, to; from < take_frames(take) && !err; from = to) {
		to = from + window;
		if (to + window / 2 >= take_frames(take)) /* the rest is too small for a window */
			to = take_frames(take);
		err = vits_speak_window(speech, utterance, take, from, to);
		window = window < WINDOW_LAST / 2 ? 2 * window : WINDOW_LAST;
	}
	mem_deref(take);
	if (err)
		return err;
	speech->follows_sentence = vits_ends_sentence(speech->model->file, utterance);
	return edges_end(&speech->edges, speech->follows_sentence, speech->sink) ? CANCELLED : 0;
}

/* The same text and seed give the same samples; another voice has different noise. The speed
 * is not part of the key: different noise would change the durations by more than the speed
 * does. */
static void vits_set_up(struct vits_speech *speech)
{
	const struct engine_text *text = speech->text;
	const struct model_file *file = speech->model->file;
	struct take_settings *settings = &speech->settings;

	*settings = (struct take_settings){
		.speaker = speech->speaker,
		.noise_scale = noise_scale_at(file->noise_scale, text->temperature),
		.length_scale = file->length_scale * pace_scale(&speech->model->pace, text->speed),
		.noise_w = file->noise_w,
	};
	speech->follows_sentence = vits_was_sentence(text->text_before);
	speech->gain = powf(10, speech->speaker->gain_db / 20) * INT16_MAX;
	noise_key_init(&settings->key);
	noise_key_add(&settings->key, text->text, text->text_len);
	noise_key_add(&settings->key, text->voice, strlen(text->voice));
	noise_key_add(&settings->key, &text->temperature, sizeof(text->temperature));
	if (text->seed)
		noise_key_add(&settings->key, &text->seed, sizeof(text->seed));
}

static int vits_speak(void *state, const struct engine_text *text, struct sink *sink)
{
	struct vits_speech speech = {.text = text, .sink = sink};
	int err = model_dir_find(state, text->voice, &speech.model, &speech.speaker);

	if (!err)
		err = script_write_text(&speech.script, speech.model->file, speech.speaker, text);
	if (err)
		return err;
	vits_set_up(&speech);
	word_times_init(&speech.times, text, sink);
	edges_init(&speech.edges, speech.model->file->sample_rate);
	for (size_t i = 0; i < speech.script->utterance_count && !err; ++i)
		err = vits_speak_utterance(&speech, i);
	if (!err)
		word_times_end(&speech.times, text->text_len, speech.edges.given);
	edges_reset(&speech.edges);
	free(speech.samples);
	mem_deref(speech.script);
	return err == CANCELLED ? 0 : err;
}

static int vits_open(void **statep, const struct engine_options *options)
{
	struct model_dir *dir;
	int err = script_open();

	if (!err)
		err = model_dir_read(&dir, options->voices_dir);
	if (err)
		return err;
	*statep = dir;
	return 0;
}

static int vits_voices(void *state, engine_voice_h *each, void *arg)
{
	const struct model_dir *dir = state;
	int err = 0;

	for (size_t i = 0; i < dir->model_count; ++i) {
		const struct model_file *file = dir->models[i].file;

		for (size_t k = 0; k < file->speaker_count_listed && !err; ++k) {
			const struct model_speaker *speaker = &file->speakers[k];
			const struct engine_voice voice = {
				.name = speaker->name,
				.language =
					speaker->language[0] ? speaker->language : file->language,
				.title = speaker->title,
				.sample_rate = file->sample_rate,
				.sex = speaker->sex,
				.quality = file->quality,
				.licence = file->licence,
			};

			err = each(&voice, arg);
		}
	}
	return err;
}

static int vits_notes(void *state, engine_note_h *each, void *arg)
{
	const struct model_dir *dir = state;
	int err = 0;

	for (size_t i = 0; i < dir->note_count && !err; ++i) {
		const struct engine_note note = {dir->notes[i].about, dir->notes[i].text};

		err = each(&note, arg);
	}
	return err;
}

static void vits_close(void *state)
{
	mem_deref(state);
}

static const struct engine vits_engine = {
	.name = "vits",
	.capabilities = MESSAGE_DETERMINISTIC | MESSAGE_WORD_TIMES | MESSAGE_OWN_SPEED |
			MESSAGE_TEMPERATURE | MESSAGE_PHONEMES,
	.jobs_max = JOBS_MAX,
	.open = vits_open,
	.voices = vits_voices,
	.notes = vits_notes,
	.speak = vits_speak,
	.close = vits_close,
};

const struct engine *const engine_main = &vits_engine;
