/*
 * turn_taking_sounds.c: see turn_taking.h.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audio/intonation.h"
#include "audio/resample.h"
#include "base/count.h"
#include "base/mem.h"
#include "engine/engine.h"
#include "turn_taking.h"

/* What a person would call unfinished, besides the texts that end with dots. */
static const char *const fragments[] = {
	"conf-enteringno",     "conf-thereare",   "followme/call-from", "priv-callpending",
	"queue-holdtime",      "queue-less-than", "queue-thereare",     "vm-from-extension",
	"vm-from-phonenumber", "vm-num-i-have",   "vm-onefor",          "vm-savedto",
	"vm-theperson",        "vm-youhave",      "queue-callswaiting", "to-call-this-number",
	"vm-unknown-caller",   "agent-alreadyon",
};

static uint32_t seed = 20;

void sounds_seed(uint32_t number)
{
	seed = number;
}

size_t sounds_random(size_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (size_t)((uint64_t)(seed >> 8) * n >> 24);
}

static int sounds_resample(struct sound *sound, const int16_t *samples, size_t count, unsigned rate)
{
	struct resample *resample;
	int err = resample_alloc(&resample, rate, RATE);

	if (err)
		return err;
	sound->samples = calloc(resample_room(resample, count) + 1, sizeof(*samples));
	if (sound->samples) {
		sound->count = resample_write(resample, sound->samples, samples, count);
		sound->count += resample_end_chunk(resample, sound->samples + sound->count);
	}
	mem_deref(resample);
	return sound->samples ? 0 : ENOMEM;
}

/* Removes what is more than 35 dB below the loudest 10 ms at both ends, so that it is known when the
 * person speaks. */
static void sounds_trim(struct sound *sound)
{
	size_t block = RATE / 100, first = 0, last = sound->count / block;
	float loudest = INTONATION_SILENCE_DB;

	for (size_t i = 0; i < last; ++i) {
		float level = intonation_of_frame(sound->samples + i * block, block).level_db;

		loudest = level > loudest ? level : loudest;
	}
	while (first < last &&
	       intonation_of_frame(sound->samples + first * block, block).level_db < loudest - 35)
		++first;
	while (last > first &&
	       intonation_of_frame(sound->samples + (last - 1) * block, block).level_db <
		       loudest - 35)
		--last;
	sound->count = (last - first) * block;
	memmove(sound->samples, sound->samples + first * block,
		sound->count * sizeof(*sound->samples));
}

/* PCM of one channel, 16 bits and 8 kHz. */
static int sounds_read_wav(struct sound *sound, const char *path)
{
	static uint8_t bytes[1 << 20];
	FILE *file = fopen(path, "rbe");
	size_t len, at = 12;
	int err;

	if (!file)
		return errno;
	len = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	for (;;) {
		uint32_t size;

		if (at + 8 > len)
			return EINVAL;
		memcpy(&size, bytes + at + 4, sizeof(size));
		if (memcmp(bytes + at, "data", 4) == 0) {
			size = size > len - at - 8 ? (uint32_t)(len - at - 8) : size;
			err = sounds_resample(sound,
					      (const int16_t *)(const void *)(bytes + at + 8),
					      size / 2, 8000);
			if (!err)
				sounds_trim(sound);
			return err;
		}
		at += 8 + size + (size & 1);
	}
}

static enum prompt_kind sounds_kind(const struct prompt *prompt)
{
	size_t len = strlen(prompt->text), words = 1;

	for (const char *c = prompt->text; *c; ++c)
		words += *c == ' ';
	if (strcmp(prompt->name, "vm-and") == 0)
		return PROMPT_AND;
	if (strncmp(prompt->name, "digits/", 7) == 0)
		return strlen(prompt->name) == 8 && prompt->name[7] >= '0' && prompt->name[7] <= '9'
			       ? PROMPT_DIGIT
			       : PROMPT_OTHER;
	for (size_t i = 0; i < COUNT(fragments); ++i)
		if (strcmp(prompt->name, fragments[i]) == 0)
			return PROMPT_FRAGMENT;
	if (words >= 2 && len > 3 && strcmp(prompt->text + len - 3, "...") == 0 &&
	    prompt->text[0] != '.')
		return PROMPT_FRAGMENT;
	if (words >= 3 && prompt->text[0] != '.' && prompt->text[len - 1] == '.' &&
	    prompt->sound.count < 6u * RATE)
		return PROMPT_SENTENCE;
	return PROMPT_OTHER;
}

int sounds_read_prompts(struct prompts *prompts, const char *dir, FILE *texts)
{
	unsigned halves[PROMPT_OTHER + 1] = {0};
	char line[1024], path[512];

	while (fgets(line, sizeof(line), texts) && prompts->count < PROMPTS_MAX) {
		struct prompt *prompt = &prompts->prompts[prompts->count];

		if (sscanf(line, "%63[^;: \t]: %255[^\n]", prompt->name, prompt->text) != 2 ||
		    strpbrk(prompt->text, "[]()<>*#"))
			continue;
		for (size_t n = strlen(prompt->text); n > 0 && strchr(" \r", prompt->text[n - 1]);
		     --n)
			prompt->text[n - 1] = '\0';
		snprintf(path, sizeof(path), "%s/%s.wav", dir, prompt->name);
		if (sounds_read_wav(&prompt->sound, path) != 0 || prompt->sound.count < RATE / 10)
			continue;
		prompt->kind = sounds_kind(prompt);
		prompt->half = halves[prompt->kind]++ % 2;
		++prompts->count;
	}
	return prompts->count > 100 ? 0 : ENOENT;
}

const struct prompt *sounds_pick(const struct prompts *prompts, enum prompt_kind kind,
				 unsigned half)
{
	for (;;) {
		const struct prompt *prompt = &prompts->prompts[sounds_random(prompts->count)];
		bool is_shared = kind == PROMPT_DIGIT || kind == PROMPT_AND;

		if (prompt->kind == kind && (is_shared || prompt->half == half))
			return prompt;
	}
}

void sounds_mix(struct sound *into, size_t at, const struct sound *sound, float gain_db)
{
	float gain = powf(10, gain_db / 20);

	for (size_t i = 0; i < sound->count && at + i < into->count; ++i) {
		float sum = (float)into->samples[at + i] + gain * (float)sound->samples[i];

		into->samples[at + i] = (int16_t)fmaxf(-32768, fminf(32767, sum));
	}
}

void sounds_hiss(struct sound *into, size_t at, size_t count, float level_db)
{
	float size = 32768 * powf(10, level_db / 20) * sqrtf(3);

	for (size_t i = at; i < at + count && i < into->count; ++i) {
		float part = (float)sounds_random(20001) / 10000 - 1;

		into->samples[i] =
			(int16_t)fmaxf(-32768, fminf(32767, (float)into->samples[i] + size * part));
	}
}

struct sounds_sink {
	struct sink sink; /* first: what the engine is given */
	int16_t samples[8 * 24000];
	size_t count;
};

static int sounds_keep(struct sink *sink, const int16_t *samples, size_t n)
{
	struct sounds_sink *kept = (struct sounds_sink *)(void *)sink;

	if (n > COUNT(kept->samples) - kept->count)
		return ENOSPC;
	memcpy(kept->samples + kept->count, samples, n * sizeof(*samples));
	kept->count += n;
	return 0;
}

struct sounds_voices {
	char names[VOICED_MAX][64];
	uint32_t rates[VOICED_MAX];
	size_t count, seen;
};

static int sounds_take_voice(const struct engine_voice *voice, void *arg)
{
	struct sounds_voices *voices = arg;

	if (voices->seen++ % 3 == 0 && voices->count < VOICED_MAX) {
		snprintf(voices->names[voices->count], sizeof(voices->names[0]), "%s", voice->name);
		voices->rates[voices->count++] = voice->sample_rate;
	}
	return 0;
}

size_t sounds_say(struct sound *sounds, size_t max, const char *voices_dir,
		  const char *const *texts, size_t text_count)
{
	static struct sounds_sink kept;
	static struct sounds_voices voices;
	const struct engine_options options = {.voices_dir = voices_dir};
	void *state;
	size_t made = 0;

	voices.count = voices.seen = 0;
	if (engine_main->open(&state, &options) != 0)
		return 0;
	engine_main->voices(state, sounds_take_voice, &voices);
	for (size_t i = 0; i < max && voices.count > 0; ++i) {
		size_t voice = i % voices.count;
		const char *said = texts[i % text_count];
		struct engine_text text = {.voice = voices.names[voice],
					   .language = "",
					   .text = said,
					   .text_len = strlen(said),
					   .text_before = "",
					   .variant = "",
					   .speed = 1,
					   .seed = i};

		sink_init_null(&kept.sink);
		kept.sink.audio = sounds_keep;
		kept.count = 0;
		if (engine_main->speak(state, &text, &kept.sink) != 0 ||
		    sounds_resample(&sounds[made], kept.samples, kept.count, voices.rates[voice]) !=
			    0)
			break;
		sounds_trim(&sounds[made]);
		if (sounds[made].count > 0)
			++made;
	}
	engine_main->close(state);
	return made;
}

int sounds_hum(struct sound *sound, unsigned ms, double hz)
{
	double phase = 0;

	sound->count = (size_t)ms * RATE / 1000;
	sound->samples = calloc(sound->count, sizeof(*sound->samples));
	if (!sound->samples)
		return ENOMEM;
	for (size_t i = 0; i < sound->count; ++i) {
		double part = (double)i / (double)sound->count;
		/* two syllables with a breath between them, the second one higher */
		double swell = sin(M_PI * fmod(part * 2, 1));
		double pitch = hz * (part < 0.5 ? 1 : 1.25);
		double sum = 0;

		for (unsigned n = 1; n < 12; ++n) /* 18 dB an octave above 250 Hz: closed lips */
			sum += sin(phase * n) / (1 + pow(n * pitch / 250, 3));
		phase += 2 * M_PI * pitch / RATE;
		sound->samples[i] = (int16_t)lrint(6000 * pow(swell, 0.5) * sum);
	}
	return 0;
}

float sounds_level(const struct sound *sound)
{
	size_t frames = 0;
	float sum = 0, mean = intonation_of_frame(sound->samples, sound->count).level_db;

	for (size_t at = 0; at + 512 <= sound->count; at += 512) {
		float level = intonation_of_frame(sound->samples + at, 512).level_db;

		if (level >= mean) {
			sum += level;
			++frames;
		}
	}
	return frames ? sum / (float)frames : mean;
}
