/*
 * encode.c: the cost of encoders, compared with the engine that made the audio.
 *
 * flite runs without a server (bare-flite, built next to the server) and measures its CPU time.
 * Its audio is encoded at the rate of the format, in frames of 200 ms as in turns. Both
 * alternate, so that the state of the machine affects both. Resampling is not counted, because
 * PCM needs it too.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "audio/encoder.h"
#include "audio/pipeline.h"
#include "audio/resample.h"
#include "base/count.h"
#include "base/mem.h"
#include "bench/bench.h"
#include "bench/stats.h"

#define ROUNDS 9
#define BARE_SECONDS 1
#define AUDIO_MAX_S 120u
#define OUT_MAX (8u << 20)
#define VOICE "slt"
#define TEXTS                                                                                      \
	"'The train to the coast leaves at noon from platform nine.' "                             \
	"'It stops in five small towns, and the view from the left side is the better one.' "      \
	"'If you miss it, the next one goes two hours later, but it takes the longer way "         \
	"through the hills.'"

struct course {
	const char *name;
	struct audio_format format;
	double target; /* 0 if there is none */
	struct buf samples; /* int16_t at the format's rate */
	struct stats cost_ms; /* CPU time per second of audio */
	struct stats ratio;
};

static struct course courses[] = {
	{.name = "MP3 44100 Hz, 128 kbit/s", .format = {AUDIO_MP3, 44100, 128}, .target = 0.2},
	{.name = "Opus 48000 Hz, 32 kbit/s", .format = {AUDIO_OPUS, 48000, 32}, .target = 0.65},
	{.name = "Opus 48000 Hz, 64 kbit/s", .format = {AUDIO_OPUS, 48000, 64}, .target = 0.65},
	{.name = "FLAC 24000 Hz", .format = {AUDIO_FLAC, 24000, 0}},
	{.name = "AAC 24000 Hz, 64 kbit/s", .format = {AUDIO_AAC, 24000, 64}},
};

static double encode_cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Runs bare-flite, which prints two numbers; with `file`, its audio is written there. */
static int encode_run_bare(const char *dir, const char *file, double *first, double *second)
{
	char command[4800];
	FILE *pipe;
	int n;

	snprintf(command, sizeof(command), "%s%s %s/bare-flite %d " VOICE " " TEXTS,
		 file ? "BARE_SAMPLES=" : "", file ? file : "", dir, BARE_SECONDS);
	pipe = popen(command, "re");
	if (!pipe)
		return errno;
	n = fscanf(pipe, "%lf %lf", first, second);
	return pclose(pipe) == 0 && n == 2 ? 0 : ENOENT;
}

static int encode_read_file(struct buf *out, const char *path)
{
	char block[16384];
	FILE *file = fopen(path, "rbe");
	size_t n;
	int err = 0;

	if (!file)
		return errno;
	while (!err && (n = fread(block, 1, sizeof(block), file)) > 0)
		err = buf_append(out, block, n);
	fclose(file);
	return err;
}

/* Gets flite's audio, at its own rate. */
static int encode_record(struct buf *samples, unsigned *rate, const char *dir)
{
	char path[] = "/tmp/syrinx-bench-XXXXXX";
	double audio_s, sample_rate = 0;
	int fd = mkstemp(path);
	int err;

	if (fd < 0)
		return errno;
	close(fd);
	err = encode_run_bare(dir, path, &audio_s, &sample_rate);
	if (!err)
		err = encode_read_file(samples, path);
	unlink(path);
	if (!err)
		*rate = (unsigned)sample_rate;
	return err;
}

static int encode_take_frames(struct course *course, struct pipeline *pipeline)
{
	struct audio_frame frame;
	int err = 0;

	while (!err && pipeline_next(pipeline, &frame))
		err = buf_append(&course->samples, frame.bytes, frame.len);
	return err;
}

static int encode_convert(struct course *course, const struct buf *from, unsigned rate)
{
	const struct audio_format pcm = {AUDIO_PCM16, course->format.sample_rate, 0};
	const int16_t *samples = (const int16_t *)(const void *)from->bytes;
	struct pipeline *pipeline;
	int err = pipeline_alloc(&pipeline, &pcm, 1.0);

	if (err)
		return err;
	buf_init(&course->samples, (size_t)AUDIO_MAX_S * pcm.sample_rate * sizeof(int16_t));
	err = pipeline_write(pipeline, samples, from->len / sizeof(int16_t), rate);
	if (!err)
		err = pipeline_end_chunk(pipeline);
	if (!err)
		err = encode_take_frames(course, pipeline);
	mem_deref(pipeline);
	return err;
}

static int encode_all(struct course *course, struct buf *out)
{
	const int16_t *samples = (const int16_t *)(const void *)course->samples.bytes;
	size_t count = course->samples.len / sizeof(int16_t);
	size_t frame = course->format.sample_rate * AUDIO_FRAME_MAX_MS / 1000;
	struct encoder *encoder;
	int err = encoder_alloc(&encoder, &course->format);

	if (err)
		return err;
	for (size_t at = 0; !err && at < count; at += frame)
		err = encoder_write(encoder, samples + at, count - at < frame ? count - at : frame,
				    out);
	if (!err)
		err = encoder_end(encoder, out);
	mem_deref(encoder);
	return err;
}

static int encode_measure(struct course *course, double flite_ms)
{
	double seconds = (double)course->samples.len / sizeof(int16_t) / course->format.sample_rate;
	double begin = encode_cpu_ms();
	struct buf out;
	int err;

	buf_init(&out, OUT_MAX);
	err = encode_all(course, &out);
	if (!err) {
		stats_add(&course->cost_ms, (encode_cpu_ms() - begin) / seconds);
		stats_add(&course->ratio, (encode_cpu_ms() - begin) / seconds / flite_ms);
	}
	buf_reset(&out);
	return err;
}

static int encode_run_round(const char *dir, struct stats *flite_ms)
{
	double audio_s = 0, cpu_s = 0, cost_ms;
	int err = encode_run_bare(dir, NULL, &audio_s, &cpu_s);

	if (err)
		return err;
	cost_ms = 1000 * cpu_s / audio_s;
	stats_add(flite_ms, cost_ms);
	for (size_t i = 0; !err && i < COUNT(courses); ++i)
		err = encode_measure(&courses[i], cost_ms);
	return err;
}

static void encode_print(struct stats *flite_ms)
{
	printf("encoders: CPU time per second of audio\n");
	printf("  %-30s %7.2f ms\n", "synthesis (flite, " VOICE ")", stats_quantile(flite_ms, 0.5));
	for (size_t i = 0; i < COUNT(courses); ++i) {
		struct course *course = &courses[i];

		printf("  %-30s %7.2f ms   ratio %.3f [%.3f to %.3f]", course->name,
		       stats_quantile(&course->cost_ms, 0.5), stats_quantile(&course->ratio, 0.5),
		       stats_quantile(&course->ratio, 0), stats_quantile(&course->ratio, 1));
		if (course->target > 0)
			printf("   (target %.2f)", course->target);
		printf("\n");
	}
}

static void encode_reset(struct stats *flite_ms)
{
	for (size_t i = 0; i < COUNT(courses); ++i) {
		buf_reset(&courses[i].samples);
		stats_reset(&courses[i].cost_ms);
		stats_reset(&courses[i].ratio);
	}
	stats_reset(flite_ms);
	resample_forget();
}

int bench_encode(const struct bench_options *options)
{
	int64_t rounds = options->rounds ? options->rounds : ROUNDS;
	struct stats flite_ms = {0};
	struct buf samples;
	unsigned rate = 0;
	int err;

	buf_init(&samples, (size_t)AUDIO_MAX_S * 48000 * sizeof(int16_t));
	err = encode_record(&samples, &rate, options->engines_dir);
	for (size_t i = 0; !err && i < COUNT(courses); ++i)
		err = encode_convert(&courses[i], &samples, rate);
	for (int64_t i = 0; !err && i < rounds; ++i)
		err = encode_run_round(options->engines_dir, &flite_ms);
	if (!err)
		encode_print(&flite_ms);
	encode_reset(&flite_ms);
	buf_reset(&samples);
	return err;
}
