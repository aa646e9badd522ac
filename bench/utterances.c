/*
 * utterances.c: what callers say (see utterances.h).
 */
#include "bench/utterances.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audio/resample.h"
#include "base/base64.h"
#include "base/count.h"
#include "base/mem.h"

/* A prompt is used if its speech is nearly as long as an utterance; the rest is silence. */
#define SPEECH_MIN (UTTERANCE_SPEECH * 85u / 100u)
#define PROMPTS_MAX 6
#define PROMPTS_FOLDER "/usr/share/asterisk/sounds/en_US_f_Allison"
#define PROMPTS_RATE 8000u

/* Samples below this amplitude are silence. */
#define QUIET 400

#define RECORDING_MAX (8u * UTTERANCE_RATE)

/* Three seconds each by the voice, or slightly less. */
static const struct {
	const char *voice;
	const char *text;
} spoken[] = {
	{"slt", "I would like to change the address of my order before Friday."},
	{"rms", "The train to the coast leaves at noon from platform nine."},
	{"slt", "Please tell me how much the second ticket would cost me."},
	{"awb", "My name is Peter, and I have called you before."},
	{"rms", "Can you read the last three numbers to me again, please?"},
	{"slt", "We found a small restaurant behind the old railway station."},
};

/* The part of a recording that is an utterance; false if it is too long or too short. */
static bool utterances_trim(struct utterance *utterance, const int16_t *samples, size_t count)
{
	size_t begin = 0, end = count;

	while (begin < count && abs(samples[begin]) < QUIET)
		++begin;
	while (end > begin && abs(samples[end - 1]) < QUIET)
		--end;
	if (end - begin > UTTERANCE_SPEECH || end - begin < SPEECH_MIN)
		return false;
	memset(utterance->samples, 0, sizeof(utterance->samples));
	memcpy(utterance->samples + UTTERANCE_LEAD, samples + begin,
	       (end - begin) * sizeof(*samples));
	return true;
}

static int utterances_write_file(const struct utterance *utterance)
{
	FILE *file = fopen(utterance->path, "wbe");
	size_t n;

	if (!file)
		return errno;
	n = fwrite(utterance->samples, sizeof(utterance->samples[0]), UTTERANCE_SAMPLES, file);
	return fclose(file) == 0 && n == UTTERANCE_SAMPLES ? 0 : EIO;
}

/* A chunk as a client sends it; NULL if there is no memory. */
static char *utterances_write_message(const struct utterance *utterance, size_t chunk,
				      const char *tail)
{
	static const char head[] =
		"{\"message_type\":\"input_audio_chunk\",\"sample_rate\":16000,\"audio_base_64\":"
		"\"";
	size_t bytes = UTTERANCE_CHUNK * sizeof(int16_t);
	char *message = calloc(1, sizeof(head) + base64_encoded_len(bytes) + strlen(tail));
	char *at = message;

	if (!message)
		return NULL;
	at = stpcpy(at, head);
	at += base64_encode(at, utterance->samples + chunk * UTTERANCE_CHUNK, bytes);
	memcpy(at, tail, strlen(tail));
	return message;
}

static int utterances_write_messages(struct utterance *utterance)
{
	bool is_complete;

	utterance->last_message = utterances_write_message(utterance, UTTERANCE_END_CHUNKS - 1,
							   "\",\"commit\":true}");
	is_complete = utterance->last_message;
	for (size_t i = 0; i < UTTERANCE_CHUNKS; ++i) {
		utterance->messages[i] = utterances_write_message(utterance, i, "\"}");
		is_complete = is_complete && utterance->messages[i];
	}
	return is_complete ? 0 : ENOMEM;
}

/* Adds a recording, if it has the right length. */
static int utterances_add(struct utterances *utterances, const char *name, const int16_t *samples,
			  size_t count)
{
	struct utterance *utterance = &utterances->all[utterances->count];
	int err;

	if (utterances->count == UTTERANCES_MAX || !utterances_trim(utterance, samples, count))
		return 0;
	snprintf(utterance->name, sizeof(utterance->name), "%.63s", name);
	snprintf(utterance->path, sizeof(utterance->path), "%s/%zu.raw", utterances->folder,
		 utterances->count);
	++utterances->count;
	err = utterances_write_file(utterance);
	return err ? err : utterances_write_messages(utterance);
}

static size_t utterances_read_file(int16_t *samples, size_t max, const char *path, long skip)
{
	FILE *file = fopen(path, "rbe");
	size_t n = 0;

	if (!file)
		return 0;
	if (fseek(file, skip, SEEK_SET) == 0)
		n = fread(samples, sizeof(*samples), max, file);
	fclose(file);
	return n;
}

/* bare-flite writes a text as samples.  A voice that is not at this rate is left out. */
static int utterances_speak(struct utterances *utterances, const char *engines_dir,
			    int16_t *samples)
{
	char command[4800];
	char path[80];
	int err = 0;

	snprintf(path, sizeof(path), "%s/speech", utterances->folder);
	for (size_t i = 0; i < COUNT(spoken) && !err; ++i) {
		double seconds = 0;
		unsigned rate = 0;
		FILE *pipe;
		int n;

		snprintf(command, sizeof(command),
			 "BARE_SAMPLES='%s' '%s/bare-flite' 1 %s \"%s\" 2>/dev/null", path,
			 engines_dir, spoken[i].voice, spoken[i].text);
		pipe = popen(command, "re");
		if (!pipe)
			return errno;
		n = fscanf(pipe, "%lf %u", &seconds, &rate);
		if (pclose(pipe) == 0 && n == 2 && rate == UTTERANCE_RATE)
			err = utterances_add(utterances, spoken[i].text, samples,
					     utterances_read_file(samples, RECORDING_MAX, path, 0));
	}
	return err;
}

/* Files of the package are WAV with a header of 44 bytes. */
static int utterances_add_prompt(struct utterances *utterances, const char *name, int16_t *samples)
{
	static int16_t narrow[RECORDING_MAX / 2];
	struct resample *resample = NULL;
	char path[sizeof(PROMPTS_FOLDER) + 256 + 1];
	size_t count, made;
	int err = resample_alloc(&resample, PROMPTS_RATE, UTTERANCE_RATE);

	if (err)
		return err;
	snprintf(path, sizeof(path), PROMPTS_FOLDER "/%s", name);
	count = utterances_read_file(narrow, COUNT(narrow) - 1000, path, 44);
	made = resample_write(resample, samples, narrow, count);
	made += resample_end_chunk(resample, samples + made);
	mem_deref(resample);
	return utterances_add(utterances, name, samples, made);
}

static int utterances_is_prompt(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > 4 && strcmp(entry->d_name + len - 4, ".wav") == 0;
}

static int utterances_read_prompts(struct utterances *utterances, int16_t *samples)
{
	struct dirent **entries = NULL;
	int count = scandir(PROMPTS_FOLDER, &entries, utterances_is_prompt, alphasort);
	size_t most = utterances->count + PROMPTS_MAX;
	int err = 0;

	for (int i = 0; i < count; ++i) {
		if (!err && utterances->count < most)
			err = utterances_add_prompt(utterances, entries[i]->d_name, samples);
		free(entries[i]);
	}
	free(entries);
	return err;
}

int utterances_make(struct utterances *utterances, const char *engines_dir)
{
	static int16_t samples[RECORDING_MAX];
	int err;

	*utterances = (struct utterances){.folder = "/tmp/syrinx-bench-XXXXXX"};
	if (!mkdtemp(utterances->folder)) {
		utterances->folder[0] = '\0';
		return errno;
	}
	utterances->all = calloc(UTTERANCES_MAX, sizeof(*utterances->all));
	if (!utterances->all)
		return ENOMEM;
	err = utterances_speak(utterances, engines_dir, samples);
	if (!err)
		err = utterances_read_prompts(utterances, samples);
	resample_forget();
	return !err && utterances->count == 0 ? ENOENT : err;
}

void utterances_reset(struct utterances *utterances)
{
	char path[80];

	for (size_t i = 0; i < utterances->count; ++i) {
		unlink(utterances->all[i].path);
		for (size_t k = 0; k < UTTERANCE_CHUNKS; ++k)
			free(utterances->all[i].messages[k]);
		free(utterances->all[i].last_message);
	}
	free(utterances->all);
	if (utterances->folder[0]) {
		snprintf(path, sizeof(path), "%s/speech", utterances->folder);
		unlink(path);
		rmdir(utterances->folder);
	}
	*utterances = (struct utterances){0};
}
