/*
 * bare_engine.c: an engine in this process with nothing around it.
 *
 * Speaks a text over and over for some seconds into a sink that only counts,
 * and prints "AUDIO_SECONDS CPU_SECONDS": the most that a server around this
 * engine could reach.  argv: SECONDS VOICE TEXT...
 *
 * With BARE_SAMPLES in the environment it speaks each text once instead, into
 * the file of that name, and prints "AUDIO_SECONDS SAMPLE_RATE".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/engine.h"

struct counter {
	struct sink sink;
	uint64_t samples;
	FILE *file;
};

struct choice {
	const char *name;
	char voice[64];
	uint32_t sample_rate;
};

static int count_audio(struct sink *sink, const int16_t *samples, size_t n)
{
	(void)samples;
	((struct counter *)(void *)sink)->samples += n;
	return 0;
}

static int write_audio(struct sink *sink, const int16_t *samples, size_t n)
{
	struct counter *counter = (struct counter *)(void *)sink;

	counter->samples += n;
	return fwrite(samples, sizeof(*samples), n, counter->file) == n ? 0 : 1;
}

static int choose(const struct engine_voice *voice, void *arg)
{
	struct choice *choice = arg;

	if (strcmp(choice->name, voice->name) != 0)
		return 0;
	snprintf(choice->voice, sizeof(choice->voice), "%s", voice->name);
	choice->sample_rate = voice->sample_rate;
	return 1;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Each text once, into a file. */
static int record(void *state, struct counter *counter, struct engine_text *text, char **texts)
{
	int err = 0;

	counter->sink.audio = write_audio;
	for (; !err && *texts; ++texts) {
		text->text = *texts;
		text->text_len = strlen(*texts);
		err = engine_main->speak(state, text, &counter->sink);
	}
	return fclose(counter->file) != 0 || err;
}

int main(int argc, char **argv)
{
	struct engine_options options = {0};
	struct counter counter = {0};
	struct choice choice = {0};
	struct engine_text text = {.language = "", .text_before = "", .variant = "", .speed = 1};
	const char *file = getenv("BARE_SAMPLES");
	void *state;
	double begin;

	if (argc < 4 || engine_main->open(&state, &options) != 0)
		return 1;
	choice.name = argv[2];
	sink_init_null(&counter.sink);
	counter.sink.audio = count_audio;
	engine_main->voices(state, choose, &choice);
	text.voice = choice.voice;
	if (file) {
		counter.file = fopen(file, "wbe");
		if (!counter.file || record(state, &counter, &text, argv + 3) != 0)
			return 1;
		printf("%f %u\n", (double)counter.samples / choice.sample_rate, choice.sample_rate);
		engine_main->close(state);
		return 0;
	}
	begin = cpu_seconds();
	for (int i = 3; cpu_seconds() - begin < atoi(argv[1]); i = i + 1 < argc ? i + 1 : 3) {
		text.text = argv[i];
		text.text_len = strlen(argv[i]);
		if (engine_main->speak(state, &text, &counter.sink) != 0)
			return 1;
	}
	printf("%f %f\n", (double)counter.samples / choice.sample_rate, cpu_seconds() - begin);
	engine_main->close(state);
	return 0;
}
