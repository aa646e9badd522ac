/*
 * bench_resample.c: CPU time of what runs on the event loop for every sample,
 * each beside the library that would do it instead, in the same run.
 *
 * Prints one line per figure: name, ours, theirs, unit.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <openssl/evp.h>
#include <speex/speex_resampler.h>

#include "audio/resample.h"
#include "base/base64.h"
#include "base/count.h"
#include "base/mem.h"

#define SECONDS 20u
#define ROUNDS 5
#define RATE_MAX 48000u
#define BASE64_BYTES 9600u /* 200 ms at 24 kHz: the frame that is sent most */
#define BASE64_TIMES 20000

static double cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double min(double a, double b)
{
	return a < b ? a : b;
}

/* Writes of 20 ms, as engines give them. */
static double our_ms(const int16_t *in, int16_t *out, unsigned in_rate, unsigned out_rate)
{
	struct resample *resample;
	unsigned step = in_rate / 50;
	double start;
	double took;

	if (resample_alloc(&resample, in_rate, out_rate))
		abort();
	start = cpu_ms();
	for (unsigned i = 0; i + step <= in_rate * SECONDS; i += step)
		resample_write(resample, out, in + i, step);
	took = cpu_ms() - start;
	mem_deref(resample);
	return took / SECONDS;
}

static double speex_ms(const int16_t *in, int16_t *out, unsigned in_rate, unsigned out_rate)
{
	SpeexResamplerState *state = speex_resampler_init(1, in_rate, out_rate, 5, NULL);
	unsigned step = in_rate / 50;
	double start = cpu_ms();
	double took;

	for (unsigned i = 0; i + step <= in_rate * SECONDS; i += step) {
		spx_uint32_t in_len = step;
		spx_uint32_t out_len = out_rate / 25;

		speex_resampler_process_int(state, 0, in + i, &in_len, out, &out_len);
	}
	took = cpu_ms() - start;
	speex_resampler_destroy(state);
	return took / SECONDS;
}

static double table_ms(unsigned in_rate, unsigned out_rate)
{
	struct resample *resample;
	double start;
	double took;

	resample_forget();
	start = cpu_ms();
	if (resample_alloc(&resample, in_rate, out_rate))
		abort();
	took = cpu_ms() - start;
	mem_deref(resample);
	return took;
}

static void bench_pair(const int16_t *in, int16_t *out, unsigned in_rate, unsigned out_rate)
{
	double ours = INFINITY;
	double theirs = INFINITY;
	double table = INFINITY;

	for (int i = 0; i < ROUNDS; ++i) {
		table = min(table, table_ms(in_rate, out_rate));
		ours = min(ours, our_ms(in, out, in_rate, out_rate));
		theirs = min(theirs, speex_ms(in, out, in_rate, out_rate));
	}
	printf("resample %u to %u: %.3f, speexdsp q5 %.3f ms per second; table %.3f ms\n", in_rate,
	       out_rate, ours, theirs, table);
}

static double gigabytes_per_s(double ms)
{
	return (double)BASE64_BYTES * BASE64_TIMES / ms / 1e6;
}

static void bench_base64(const void *bytes)
{
	unsigned char *out = malloc(base64_encoded_len(BASE64_BYTES) + 1);
	double start = cpu_ms();
	double ours, portable, theirs;

	for (int i = 0; i < BASE64_TIMES; ++i)
		base64_encode((char *)out, bytes, BASE64_BYTES);
	ours = cpu_ms() - start;
	start = cpu_ms();
	for (int i = 0; i < BASE64_TIMES; ++i)
		base64_encode_portable((char *)out, bytes, BASE64_BYTES);
	portable = cpu_ms() - start;
	start = cpu_ms();
	for (int i = 0; i < BASE64_TIMES / 10; ++i)
		EVP_EncodeBlock(out, bytes, (int)BASE64_BYTES);
	theirs = (cpu_ms() - start) * 10;
	printf("base64: %.2f, portable %.2f, EVP_EncodeBlock %.2f GB/s\n", gigabytes_per_s(ours),
	       gigabytes_per_s(portable), gigabytes_per_s(theirs));
	free(out);
}

int main(void)
{
	static const unsigned pairs[][2] = {
		{22050, 24000}, {16000, 24000}, {24000, 8000},
		{22050, 8000},  {16000, 44100}, {22051, 24000},
	};
	int16_t *in = malloc(RATE_MAX * SECONDS * sizeof(*in));
	int16_t *out = malloc(RATE_MAX * sizeof(*out));

	for (size_t i = 0; i < RATE_MAX * SECONDS; ++i)
		in[i] = (int16_t)lrint(20000 * sin((double)i * 0.05) * sin((double)i * 0.0003));
	for (size_t i = 0; i < COUNT(pairs); ++i)
		bench_pair(in, out, pairs[i][0], pairs[i][1]);
	bench_base64(in);
	resample_forget();
	free(in);
	free(out);
	return 0;
}
