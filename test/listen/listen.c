/*
 * listen.c: says what is spoken in WAV files, and how loud it is.
 *
 *	listen RUNTIME FOLDER < paths
 *
 * RUNTIME is libonnxruntime.so, FOLDER holds Moonshine's model.
 * For every line of the input, the path of a WAV file, a line is written:
 *
 *	PATH ⇥ SECONDS ⇥ LEAD_MS ⇥ TAIL_MS ⇥ ACTIVE_DB ⇥ PEAK_DB ⇥ TEXT
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audio/resample.h"
#include "base/buf.h"
#include "base/mem.h"
#include "engine/hear/recognizer.h"
#include "file.h"
#include "level.h"

/* The recognizer was trained on cuts with some air around the speech. */
#define AIR_MS 200
#define AIR (RECOGNIZER_RATE * AIR_MS / 1000)

/* As the recognizer wants it: malloc'ed. */
static int convert(float **samplesp, size_t *countp, const struct recording *recording)
{
	struct resample *resample;
	size_t room;
	size_t count = 0;
	int16_t *converted = NULL;
	float *samples = NULL;
	int err = resample_alloc(&resample, recording->rate, RECOGNIZER_RATE);

	if (err)
		return err;
	room = resample_room(resample, recording->count);
	converted = malloc(room * sizeof(*converted));
	samples = calloc(room + 2 * AIR, sizeof(*samples));
	if (converted && samples) {
		count = resample_write(resample, converted, recording->samples, recording->count);
		count += resample_end_chunk(resample, converted + count);
		for (size_t i = 0; i < count; ++i)
			samples[AIR + i] = (float)converted[i] / 32768.0F;
		*samplesp = samples;
		*countp = count + 2 * AIR;
	} else {
		free(samples);
		err = ENOMEM;
	}
	free(converted);
	mem_deref(resample);
	return err;
}

static int transcribe(const struct recognizer *recognizer, struct recognizer_result *result,
		      const struct recording *recording, char why[RUNTIME_WHY_SIZE])
{
	struct recognizer_piece piece = {.language = "", .prompt = ""};
	float *samples;
	int err = convert(&samples, &piece.count, recording);

	if (err) {
		snprintf(why, RUNTIME_WHY_SIZE, "%s", strerror(err));
		return err;
	}
	piece.samples = samples;
	err = recognizer_run(recognizer, result, &piece, why);
	free(samples);
	return err;
}

/* The answer is one line, whatever was understood. */
static void flatten(struct buf *text)
{
	for (size_t i = 0; i < text->len; ++i) {
		if ((unsigned char)text->bytes[i] < ' ')
			text->bytes[i] = ' ';
	}
}

static int listen_to(const struct recognizer *recognizer, const char *path,
		     char why[RUNTIME_WHY_SIZE])
{
	struct recording recording;
	struct level level;
	struct recognizer_result result;
	struct buf *text = &result.text;
	int err = file_read_wav(&recording, path);

	if (err) {
		snprintf(why, RUNTIME_WHY_SIZE, "%s",
			 err == EINVAL ? "no WAV file that can be read" : strerror(err));
		return err;
	}
	recognizer_result_init(&result);
	level_measure(&level, recording.samples, recording.count, recording.rate);
	err = transcribe(recognizer, &result, &recording, why);
	flatten(text);
	if (!err)
		printf("%s\t%.3f\t%.0f\t%.0f\t%.2f\t%.2f\t%.*s\n", path, level.seconds,
		       level.lead_ms, level.tail_ms, level.active_db, level.peak_db, (int)text->len,
		       text->len > 0 ? text->bytes : "");
	recognizer_result_reset(&result);
	free(recording.samples);
	return err;
}

static int listen_to_all(const struct recognizer *recognizer)
{
	char path[4096];
	char why[RUNTIME_WHY_SIZE] = "";
	int status = EXIT_SUCCESS;

	while (fgets(path, sizeof(path), stdin)) {
		path[strcspn(path, "\n")] = '\0';
		if (listen_to(recognizer, path, why) != 0) {
			fprintf(stderr, "listen: %s: %s\n", path, why);
			status = EXIT_FAILURE;
		}
		fflush(stdout);
	}
	return status;
}

int main(int argc, char **argv)
{
	char why[RUNTIME_WHY_SIZE] = "";
	struct runtime *runtime = NULL;
	struct recognizer *recognizer = NULL;
	int status = EXIT_FAILURE;

	if (argc != 3) {
		fprintf(stderr, "usage: listen RUNTIME FOLDER < paths\n");
		return 2;
	}
	if (runtime_open(&runtime, argv[1], why) != 0)
		fprintf(stderr, "listen: %s: %s\n", argv[1], why);
	else if (recognizer_moonshine.open(&recognizer, runtime, argv[2], why) != 0)
		fprintf(stderr, "listen: %s: %s\n", argv[2], why);
	else
		status = listen_to_all(recognizer);
	mem_deref(recognizer);
	mem_deref(runtime);
	resample_forget();
	return status;
}
