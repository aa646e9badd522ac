/*
 * speeches.c: what callers say in calls (see speeches.h).
 */
#include "bench/speeches.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audio/resample.h"
#include "base/base64.h"
#include "base/mem.h"

#define FOLDER "/usr/share/asterisk/sounds/en_US_f_Allison"
#define NARROW_RATE 8000u
#define WAV_HEAD 44 /* bytes, in every file of the package */
#define QUIET 400 /* samples below this amplitude are silence */

/* Shorter ones are single words, and longer ones have pauses of their own. */
#define PROMPT_MIN (SPEECH_RATE * 3u / 2u)
#define PROMPT_MAX (SPEECH_RATE * 7u / 2u)
#define RECORDING_MAX (10u * NARROW_RATE)
#define JOINED_MAX 64u /* prompts of one speech */
#define SHORT_PAUSE_MS 150u

int speeches_find(const int16_t *samples, size_t count, size_t *begin, size_t *end)
{
	size_t from = 0, to = count;

	while (from < count && abs(samples[from]) < QUIET)
		++from;
	while (to > from && abs(samples[to - 1]) < QUIET)
		--to;
	if (from == to)
		return ENOENT;
	*begin = from;
	*end = to;
	return 0;
}

/* Reads a file and adds what is spoken in it, if that has the right length. */
static int speeches_add_prompt(struct prompts *prompts, const char *name)
{
	static int16_t narrow[RECORDING_MAX], wide[RECORDING_MAX * 2 + 2000];
	struct prompt *prompt = &prompts->all[prompts->count];
	struct resample *resample = NULL;
	char path[sizeof(FOLDER) + 256 + 1];
	size_t count = 0, made, begin, end;
	FILE *file;
	int err;

	snprintf(path, sizeof(path), FOLDER "/%s", name);
	file = fopen(path, "rbe");
	if (!file)
		return errno;
	if (fseek(file, WAV_HEAD, SEEK_SET) == 0)
		count = fread(narrow, sizeof(narrow[0]), RECORDING_MAX, file);
	fclose(file);
	err = resample_alloc(&resample, NARROW_RATE, SPEECH_RATE);
	if (err)
		return err;
	made = resample_write(resample, wide, narrow, count);
	made += resample_end_chunk(resample, wide + made);
	mem_deref(resample);
	if (speeches_find(wide, made, &begin, &end) != 0 || end - begin < PROMPT_MIN ||
	    end - begin > PROMPT_MAX)
		return 0;
	prompt->samples = calloc(end - begin, sizeof(*wide));
	if (!prompt->samples)
		return ENOMEM;
	memcpy(prompt->samples, wide + begin, (end - begin) * sizeof(*wide));
	prompt->count = end - begin;
	snprintf(prompt->name, sizeof(prompt->name), "%.63s", name);
	++prompts->count;
	return 0;
}

static int speeches_is_prompt(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > 4 && strcmp(entry->d_name + len - 4, ".wav") == 0;
}

int prompts_read(struct prompts *prompts)
{
	struct dirent **entries = NULL;
	int count, err = 0;

	*prompts = (struct prompts){.count = 0};
	count = scandir(FOLDER, &entries, speeches_is_prompt, alphasort);
	for (int i = 0; i < count; ++i) {
		if (!err && prompts->count < SPEECH_PROMPTS_MAX)
			err = speeches_add_prompt(prompts, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	resample_forget();
	return !err && prompts->count == 0 ? ENOENT : err;
}

void prompts_reset(struct prompts *prompts)
{
	for (size_t i = 0; i < prompts->count; ++i)
		free(prompts->all[i].samples);
	*prompts = (struct prompts){.count = 0};
}

char *speeches_write_message(const int16_t *samples, size_t count)
{
	static const char head[] = "{\"user_audio_chunk\":\"";
	static const char tail[] = "\"}";
	size_t bytes = count * sizeof(*samples);
	char *message = calloc(1, sizeof(head) + base64_encoded_len(bytes) + sizeof(tail));
	char *at = message;

	if (!message)
		return NULL;
	at = stpcpy(at, head);
	at += base64_encode(at, samples, bytes);
	memcpy(at, tail, sizeof(tail));
	return message;
}

static int speeches_write_messages(struct speech *speech)
{
	speech->chunks = speech->count / SPEECH_CHUNK;
	speech->messages = calloc(speech->chunks, sizeof(*speech->messages));
	if (!speech->messages)
		return ENOMEM;
	for (size_t i = 0; i < speech->chunks; ++i) {
		speech->messages[i] =
			speeches_write_message(speech->samples + i * SPEECH_CHUNK, SPEECH_CHUNK);
		if (!speech->messages[i])
			return ENOMEM;
	}
	return 0;
}

int speech_join(struct speech *speech, const struct prompts *prompts, size_t first, size_t count,
		unsigned pause_ms)
{
	size_t pause = (size_t)pause_ms * SPEECH_RATE / 1000, at = 0;
	int err;

	*speech = (struct speech){0};
	if (prompts->count == 0 || count == 0)
		return EINVAL;
	for (size_t i = 0; i < count; ++i)
		speech->end += prompts->all[(first + i) % prompts->count].count + (i ? pause : 0);
	speech->count = (speech->end + SPEECH_CHUNK - 1) / SPEECH_CHUNK * SPEECH_CHUNK;
	speech->samples = calloc(speech->count, sizeof(*speech->samples));
	if (!speech->samples)
		return ENOMEM;
	for (size_t i = 0; i < count; ++i) {
		const struct prompt *prompt = &prompts->all[(first + i) % prompts->count];

		at += i ? pause : 0;
		memcpy(speech->samples + at, prompt->samples, prompt->count * sizeof(int16_t));
		at += prompt->count;
	}
	err = speeches_write_messages(speech);
	if (err)
		speech_reset(speech);
	return err;
}

int speech_fill(struct speech *speech, const struct prompts *prompts, size_t first,
		unsigned length_ms)
{
	size_t length = (size_t)length_ms * SPEECH_RATE / 1000, count = 0, samples = 0;

	if (prompts->count == 0)
		return EINVAL;
	do {
		samples += prompts->all[(first + count++) % prompts->count].count;
		samples += (size_t)SHORT_PAUSE_MS * SPEECH_RATE / 1000;
	} while (samples + PROMPT_MIN < length && count < JOINED_MAX);
	return speech_join(speech, prompts, first, count, SHORT_PAUSE_MS);
}

void speech_reset(struct speech *speech)
{
	for (size_t i = 0; speech->messages && i < speech->chunks; ++i)
		free(speech->messages[i]);
	free(speech->messages);
	free(speech->samples);
	*speech = (struct speech){0};
}
