/* The pipeline: growing frames, exact counts, inaudible seams. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "audio/g711.h"
#include "audio/pipeline.h"
#include "audio/resample.h"
#include "base/count.h"
#include "base/mem.h"
#include "mem_fail.h"
#include "signal.h"

static const struct audio_format pcm_24000 = {AUDIO_PCM16, 24000, 0};

static const unsigned engine_rates[] = {16000, 22050, 24000, 48000};
static const unsigned client_rates[] = {8000, 16000, 22050, 24000, 32000, 44100, 48000};
static const double speeds[] = {0.8, 0.93, 1.0, 1.1, 1.2};

/* All that a turn has given so far. */
struct heard {
	uint8_t *bytes;
	size_t len;
	size_t samples;
	size_t frames;
	size_t frame_samples[1000];
};

static struct pipeline *test_pipeline_new(const struct audio_format *format, double speed)
{
	struct pipeline *pipeline;

	assert_int_equal(pipeline_alloc(&pipeline, format, speed), 0);
	return pipeline;
}

static void test_pipeline_fetch(struct pipeline *pipeline, struct heard *heard)
{
	struct audio_frame frame;

	while (pipeline_next(pipeline, &frame)) {
		heard->bytes = realloc(heard->bytes, heard->len + frame.len);
		memcpy(heard->bytes + heard->len, frame.bytes, frame.len);
		heard->len += frame.len;
		heard->samples += frame.samples;
		heard->frame_samples[heard->frames++] = frame.samples;
	}
	assert_int_equal(pipeline_samples_out(pipeline), heard->samples);
}

/* One part in writes of at most `step`. */
static void test_pipeline_speak_part(struct pipeline *pipeline, struct heard *heard,
				     const int16_t *in, size_t count, unsigned rate, size_t step)
{
	for (size_t at = 0; at < count; at += step) {
		size_t n = count - at < step ? count - at : step;

		assert_int_equal(pipeline_write(pipeline, in + at, n, rate), 0);
		test_pipeline_fetch(pipeline, heard);
	}
	assert_int_equal(pipeline_end_part(pipeline), 0);
}

static void test_pipeline_end_chunk(struct pipeline *pipeline, struct heard *heard)
{
	assert_int_equal(pipeline_end_chunk(pipeline), 0);
	test_pipeline_fetch(pipeline, heard);
}

/* A chunk of one part. */
static void test_pipeline_speak(struct pipeline *pipeline, struct heard *heard, const int16_t *in,
				size_t count, unsigned rate, size_t step)
{
	test_pipeline_speak_part(pipeline, heard, in, count, rate, step);
	test_pipeline_end_chunk(pipeline, heard);
}

static void test_pipeline_rest(struct pipeline *pipeline, struct heard *heard, size_t samples)
{
	assert_int_equal(pipeline_silence(pipeline, samples), 0);
	test_pipeline_fetch(pipeline, heard);
}

static void test_pipeline_finish(struct pipeline *pipeline, struct heard *heard)
{
	mem_deref(pipeline);
	free(heard->bytes);
}

static void test_pipeline_frames_start_at_20_ms_and_grow_to_200(void **state)
{
	static const unsigned ms[] = {20, 40, 80, 120, 160, 200, 200};

	(void)state;
	for (size_t i = 0; i < COUNT(client_rates); ++i) {
		unsigned rate = client_rates[i];
		const struct audio_format format = {AUDIO_PCM16, rate, 0};
		struct pipeline *pipeline = test_pipeline_new(&format, 1.0);
		int16_t *in = calloc(rate, sizeof(*in));
		struct heard heard = {0};

		test_pipeline_speak(pipeline, &heard, in, rate, rate, rate / 100);
		for (size_t k = 0; k < COUNT(ms); ++k)
			assert_int_equal(heard.frame_samples[k] * 1000, ms[k] * rate);
		assert_int_equal(heard.frames, 8);
		free(in);
		test_pipeline_finish(pipeline, &heard);
	}
}

static void test_pipeline_a_frame_is_there_as_soon_as_its_samples_are(void **state)
{
	struct pipeline *pipeline = test_pipeline_new(&pcm_24000, 1.0);
	struct heard heard = {0};
	int16_t in[480] = {0};

	(void)state;
	assert_int_equal(pipeline_write(pipeline, in, 479, 24000), 0);
	test_pipeline_fetch(pipeline, &heard);
	assert_int_equal(heard.frames, 0);
	assert_int_equal(pipeline_write(pipeline, in, 1, 24000), 0);
	test_pipeline_fetch(pipeline, &heard);
	assert_int_equal(heard.frames, 1);
	assert_int_equal(heard.frame_samples[0], 480);
	test_pipeline_finish(pipeline, &heard);
}

/* A chunk of so many samples, all there when it ends, at 24000: its frames. */
static void test_pipeline_check_frames(size_t chunk, size_t count, const size_t *wanted)
{
	struct pipeline *pipeline = test_pipeline_new(&pcm_24000, 1.0);
	int16_t *in = calloc(chunk + 1, sizeof(*in));
	struct heard heard = {0};

	assert_int_equal(pipeline_write(pipeline, in, chunk, 24000), 0);
	assert_int_equal(pipeline_end_chunk(pipeline), 0);
	test_pipeline_fetch(pipeline, &heard);
	assert_int_equal(heard.frames, count);
	for (size_t i = 0; i < count; ++i)
		assert_int_equal(heard.frame_samples[i], wanted[i]);
	free(in);
	test_pipeline_finish(pipeline, &heard);
}

static void test_pipeline_a_rest_under_20_ms_joins_the_frame_before_it(void **state)
{
	(void)state;
	test_pipeline_check_frames(0, 0, NULL);
	test_pipeline_check_frames(7, 1, (const size_t[]){7});
	test_pipeline_check_frames(480, 1, (const size_t[]){480});
	test_pipeline_check_frames(480 + 479, 1, (const size_t[]){959});
	test_pipeline_check_frames(480 + 480, 2, (const size_t[]){480, 480});
	test_pipeline_check_frames(480 + 960 + 1, 2, (const size_t[]){480, 961});
	/* 620 ms and a sample: past the longest frame, so that gives 20 ms up. */
	test_pipeline_check_frames(14880, 6, (const size_t[]){480, 960, 1920, 2880, 3840, 4800});
	test_pipeline_check_frames(14881, 7,
				   (const size_t[]){480, 960, 1920, 2880, 3840, 4320, 481});
}

static void test_pipeline_the_rest_of_a_chunk_never_waits_for_the_next(void **state)
{
	struct pipeline *pipeline = test_pipeline_new(&pcm_24000, 1.0);
	struct heard heard = {0};
	int16_t in[500] = {0};

	(void)state;
	test_pipeline_speak(pipeline, &heard, in, 500, 24000, 480); /* the first frame has left */
	assert_int_equal(heard.frames, 2);
	assert_int_equal(heard.frame_samples[1], 20);
	test_pipeline_speak(pipeline, &heard, in, 100, 24000, 100);
	assert_int_equal(heard.samples, 600);
	test_pipeline_finish(pipeline, &heard);
}

static void test_pipeline_g711_comes_in_packets_of_20_ms(void **state)
{
	const struct audio_format format = {AUDIO_MULAW, 8000, 0};
	struct pipeline *pipeline = test_pipeline_new(&format, 1.0);
	int16_t *in = calloc(22050, sizeof(*in));
	struct heard heard = {0};

	(void)state;
	test_pipeline_speak(pipeline, &heard, in, 22050, 22050, 441);
	for (size_t i = 0; i + 1 < heard.frames; ++i)
		assert_int_equal(heard.frame_samples[i] % 160, 0);
	assert_int_equal(heard.len, 8000);
	for (size_t i = 0; i < heard.len; ++i)
		assert_int_equal(heard.bytes[i], 0xff);
	free(in);
	test_pipeline_finish(pipeline, &heard);
}

typedef void(encode_h)(uint8_t *out, const int16_t *samples, size_t count);

static void test_pipeline_check_encoding(enum audio_encoding encoding, encode_h *encode)
{
	const struct audio_format linear = {AUDIO_PCM16, 8000, 0};
	const struct audio_format coded = {encoding, 8000, 0};
	struct pipeline *pcm = test_pipeline_new(&linear, 1.0);
	struct pipeline *law = test_pipeline_new(&coded, 1.0);
	struct heard samples = {0}, codes = {0};
	int16_t *in = malloc(22050 * sizeof(*in));
	uint8_t *wanted = malloc(8000);

	signal_speech(in, 22050, 22050);
	test_pipeline_speak(pcm, &samples, in, 22050, 22050, 1000);
	test_pipeline_speak(law, &codes, in, 22050, 22050, 1000);
	assert_int_equal(codes.len, 8000);
	encode(wanted, (const int16_t *)(void *)samples.bytes, 8000);
	assert_memory_equal(codes.bytes, wanted, 8000);
	free(in);
	free(wanted);
	test_pipeline_finish(pcm, &samples);
	test_pipeline_finish(law, &codes);
}

static void test_pipeline_both_laws_encode_what_pcm_would_have_carried(void **state)
{
	(void)state;
	test_pipeline_check_encoding(AUDIO_MULAW, g711_encode_mulaw);
	test_pipeline_check_encoding(AUDIO_ALAW, g711_encode_alaw);
}

static uint64_t test_pipeline_due(uint64_t count, unsigned in_rate, unsigned out_rate, double speed)
{
	uint64_t stretched = count * 10000 / (uint64_t)lround(speed * 10000);

	return stretched * out_rate / in_rate;
}

static void test_pipeline_check_counts(unsigned engine_rate, unsigned rate, double speed)
{
	const struct audio_format format = {AUDIO_PCM16, rate, 0};
	struct pipeline *pipeline = test_pipeline_new(&format, speed);
	int16_t *in = calloc(engine_rate, sizeof(*in));
	uint32_t seed = engine_rate + rate;
	struct heard heard = {0};
	uint64_t in_count = 0;

	for (int chunk = 0; chunk < 12; ++chunk) {
		size_t count = signal_random(&seed, chunk % 3 ? engine_rate / 2 : 4);

		test_pipeline_speak(pipeline, &heard, in, count, engine_rate,
				    1 + signal_random(&seed, 3000));
		in_count += count;
		assert_int_equal(heard.samples,
				 test_pipeline_due(in_count, engine_rate, rate, speed));
	}
	free(in);
	test_pipeline_finish(pipeline, &heard);
}

static void test_pipeline_after_every_chunk_the_count_is_the_exact_floor(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(engine_rates); ++i)
		for (size_t k = 0; k < COUNT(client_rates); ++k)
			for (size_t s = 0; s < COUNT(speeds); ++s)
				test_pipeline_check_counts(engine_rates[i], client_rates[k],
							   speeds[s]);
}

static void test_pipeline_how_the_input_is_cut_into_writes_changes_no_byte(void **state)
{
	static const size_t steps[] = {3, 160, 441, 5000};
	int16_t *in = malloc(22050 * sizeof(*in));

	(void)state;
	signal_speech(in, 22050, 22050);
	for (size_t s = 0; s < COUNT(speeds); ++s) {
		struct pipeline *pipeline = test_pipeline_new(&pcm_24000, speeds[s]);
		struct heard whole = {0};

		test_pipeline_speak(pipeline, &whole, in, 22050, 22050, 22050);
		for (size_t i = 0; i < COUNT(steps); ++i) {
			struct pipeline *other = test_pipeline_new(&pcm_24000, speeds[s]);
			struct heard cut = {0};

			test_pipeline_speak(other, &cut, in, 22050, 22050, steps[i]);
			assert_int_equal(cut.len, whole.len);
			assert_memory_equal(cut.bytes, whole.bytes, whole.len);
			test_pipeline_finish(other, &cut);
		}
		test_pipeline_finish(pipeline, &whole);
	}
	free(in);
}

/* A click is a step that the sound itself does not have. */
static void test_pipeline_no_seam_between_chunks_of_speech_clicks(void **state)
{
	int16_t *in = malloc(22050 * sizeof(*in));

	(void)state;
	signal_speech(in, 22050, 22050);
	for (size_t s = 0; s < COUNT(speeds); ++s) {
		struct pipeline *pipeline = test_pipeline_new(&pcm_24000, speeds[s]);
		struct heard heard = {0};
		const int16_t *samples;
		size_t seam = 0;

		for (int chunk = 0; chunk < 4; ++chunk)
			test_pipeline_speak(pipeline, &heard, in, 22050, 22050, 441);
		samples = (const int16_t *)(void *)heard.bytes;
		assert_true(signal_step_max(samples, heard.samples) <=
			    signal_step_max(in, 22050) + 2);
		for (int chunk = 1; chunk < 4; ++chunk) {
			seam = (size_t)test_pipeline_due(22050u * (unsigned)chunk, 22050, 24000,
							 speeds[s]);
			assert_true(signal_step_max(samples + seam - 200, 400) <= 1);
		}
		test_pipeline_finish(pipeline, &heard);
	}
	free(in);
}

static void test_pipeline_an_engines_rate_may_change_between_parts_only(void **state)
{
	struct pipeline *pipeline = test_pipeline_new(&pcm_24000, 1.0);
	struct heard heard = {0};
	int16_t in[1000] = {0};

	(void)state;
	assert_int_equal(pipeline_write(pipeline, in, 999, 22050), 0);
	assert_int_equal(pipeline_write(pipeline, in, 999, 16000), EINVAL);
	test_pipeline_speak(pipeline, &heard, in, 0, 22050, 1);
	assert_int_equal(heard.samples, 999 * 160 / 147);
	test_pipeline_speak(pipeline, &heard, in, 1000, 16000, 100);
	assert_int_equal(heard.samples, 999 * 160 / 147 + 1500);
	test_pipeline_finish(pipeline, &heard);
}

static void test_pipeline_a_chunk_without_samples_gives_no_frame(void **state)
{
	struct pipeline *pipeline = test_pipeline_new(&pcm_24000, 0.9);
	struct heard heard = {0};

	(void)state;
	assert_int_equal(pipeline_end_chunk(pipeline), 0);
	test_pipeline_fetch(pipeline, &heard);
	assert_int_equal(pipeline_write(pipeline, NULL, 0, 22050), 0);
	assert_int_equal(pipeline_end_chunk(pipeline), 0);
	test_pipeline_fetch(pipeline, &heard);
	assert_int_equal(heard.frames, 0);
	test_pipeline_finish(pipeline, &heard);
}

static void test_pipeline_more_than_half_a_minute_unfetched_is_refused_whole(void **state)
{
	struct pipeline *pipeline = test_pipeline_new(&pcm_24000, 1.0);
	size_t count = 24000 * AUDIO_PENDING_MAX_S;
	int16_t *in = calloc(count + 1, sizeof(*in));
	struct heard heard = {0};

	(void)state;
	assert_int_equal(pipeline_write(pipeline, in, count + 1, 24000), ENOBUFS);
	test_pipeline_fetch(pipeline, &heard);
	assert_int_equal(heard.frames, 0);
	test_pipeline_speak(pipeline, &heard, in, count, 24000, count);
	assert_int_equal(heard.samples, count);
	free(in);
	test_pipeline_finish(pipeline, &heard);
}

static void test_pipeline_what_is_none_of_ours_is_refused(void **state)
{
	struct pipeline *pipeline;
	int16_t in[1] = {0};

	(void)state;
	assert_int_equal(
		pipeline_alloc(&pipeline, &(struct audio_format){AUDIO_PCM16, 11025, 0}, 1.0),
		EINVAL);
	assert_int_equal(pipeline_alloc(&pipeline, &(struct audio_format){AUDIO_PCM16, 0, 0}, 1.0),
			 EINVAL);
	assert_int_equal(pipeline_alloc(&pipeline, &pcm_24000, 0.24), EINVAL);
	assert_int_equal(pipeline_alloc(&pipeline, &pcm_24000, 4.01), EINVAL);
	assert_int_equal(pipeline_alloc(&pipeline, &pcm_24000, -1.0), EINVAL);
	assert_int_equal(pipeline_alloc(&pipeline, &pcm_24000, (double)NAN), EINVAL);
	pipeline = test_pipeline_new(&pcm_24000, 1.0);
	assert_int_equal(pipeline_write(pipeline, in, 1, 7999), EINVAL);
	assert_int_equal(pipeline_write(pipeline, in, 1, 48001), EINVAL);
	assert_int_equal(pipeline_write(pipeline, in, 1, 0), EINVAL);
	mem_deref(pipeline);
}

static const int16_t *test_pipeline_samples(const struct heard *heard)
{
	return (const int16_t *)(void *)heard->bytes;
}

static bool test_pipeline_is_silent(const struct heard *heard, size_t from, size_t count)
{
	const int16_t *samples = test_pipeline_samples(heard) + from;

	for (size_t i = 0; i < count; ++i)
		if (samples[i] != 0)
			return false;
	return true;
}

/* Silence at the start, in the middle and at the end of a chunk. */
static void test_pipeline_check_silence(unsigned rate, unsigned ms, double speed)
{
	const struct audio_format format = {AUDIO_PCM16, rate, 0};
	struct pipeline *pipeline = test_pipeline_new(&format, speed);
	size_t pause = (size_t)ms * rate / 1000;
	size_t one = (size_t)test_pipeline_due(11025, 22050, rate, speed);
	size_t both = (size_t)test_pipeline_due(22050, 22050, rate, speed);
	int16_t *in = malloc(22050 * sizeof(*in));
	struct heard heard = {0};

	signal_speech(in, 22050, 22050);
	test_pipeline_rest(pipeline, &heard, pause);
	test_pipeline_speak_part(pipeline, &heard, in, 11025, 22050, 441);
	test_pipeline_rest(pipeline, &heard, pause);
	test_pipeline_speak_part(pipeline, &heard, in + 11025, 11025, 22050, 441);
	test_pipeline_rest(pipeline, &heard, pause);
	test_pipeline_end_chunk(pipeline, &heard);
	assert_int_equal(heard.samples, both + 3 * pause);
	assert_true(test_pipeline_is_silent(&heard, 0, pause));
	assert_true(test_pipeline_is_silent(&heard, pause + one, pause));
	assert_true(test_pipeline_is_silent(&heard, 2 * pause + both, pause));
	assert_true(signal_rms(test_pipeline_samples(&heard) + pause, one) > 1000);
	free(in);
	test_pipeline_finish(pipeline, &heard);
}

static void test_pipeline_a_silence_has_its_samples_and_takes_none_from_its_neighbours(void **state)
{
	static const unsigned ms[] = {1, 200, 333, 400, 500};

	(void)state;
	for (size_t i = 0; i < COUNT(client_rates); ++i)
		for (size_t k = 0; k < COUNT(ms); ++k)
			for (size_t s = 0; s < COUNT(speeds); ++s)
				test_pipeline_check_silence(client_rates[i], ms[k], speeds[s]);
}

/* Equal to what is heard without it, but for the silence itself. */
static void test_pipeline_a_silence_changes_nothing_around_it(void **state)
{
	struct pipeline *with = test_pipeline_new(&pcm_24000, 1.0);
	struct pipeline *without = test_pipeline_new(&pcm_24000, 1.0);
	int16_t *in = malloc(22050 * sizeof(*in));
	struct heard a = {0}, b = {0};

	(void)state;
	signal_speech(in, 22050, 22050);
	for (int part = 0; part < 3; ++part) {
		test_pipeline_speak_part(with, &a, in, 22050, 22050, 441);
		test_pipeline_rest(with, &a, 4800);
		test_pipeline_speak_part(without, &b, in, 22050, 22050, 441);
	}
	test_pipeline_end_chunk(with, &a);
	test_pipeline_end_chunk(without, &b);
	assert_int_equal(b.samples, 72000);
	for (size_t part = 0; part < 3; ++part)
		assert_memory_equal(test_pipeline_samples(&a) + part * 28800,
				    test_pipeline_samples(&b) + part * 24000, 48000);
	free(in);
	test_pipeline_finish(with, &a);
	test_pipeline_finish(without, &b);
}

static void test_pipeline_what_follows_a_silence_does_not_ring_with_what_was_before(void **state)
{
	struct pipeline *pipeline = test_pipeline_new(&pcm_24000, 1.0);
	int16_t *in = malloc(22050 * sizeof(*in));
	struct heard heard = {0};

	(void)state;
	signal_sine(in, 22050, 20000, 1000, 22050);
	/* The tone is cut off in full sound. */
	test_pipeline_speak_part(pipeline, &heard, in, 22040, 22050, 441);
	test_pipeline_rest(pipeline, &heard, 4800);
	memset(in, 0, 22050 * sizeof(*in));
	test_pipeline_speak_part(pipeline, &heard, in, 22050, 22050, 441);
	test_pipeline_end_chunk(pipeline, &heard);
	assert_true(test_pipeline_is_silent(&heard, 23989, heard.samples - 23989));
	free(in);
	test_pipeline_finish(pipeline, &heard);
}

static void test_pipeline_a_silence_is_encoded_like_other_audio(void **state)
{
	const struct audio_format format = {AUDIO_ALAW, 8000, 0};
	struct pipeline *pipeline = test_pipeline_new(&format, 1.0);
	struct heard heard = {0};

	(void)state;
	test_pipeline_rest(pipeline, &heard, 1600);
	test_pipeline_end_chunk(pipeline, &heard);
	assert_int_equal(heard.len, 1600);
	for (size_t i = 0; i < heard.len; ++i)
		assert_int_equal(heard.bytes[i], 0xd5);
	for (size_t i = 0; i < heard.frames; ++i)
		assert_int_equal(heard.frame_samples[i] % 160, 0);
	test_pipeline_finish(pipeline, &heard);
}

/* Parts at these speeds, in writes of at most `step`. */
static void test_pipeline_speak_at_speeds(struct pipeline *pipeline, struct heard *heard,
					  const int16_t *in, size_t count, size_t step)
{
	for (size_t s = 0; s < COUNT(speeds); ++s) {
		assert_int_equal(pipeline_set_speed(pipeline, speeds[s]), 0);
		test_pipeline_speak_part(pipeline, heard, in, count, 22050, step);
	}
	test_pipeline_end_chunk(pipeline, heard);
}

static void test_pipeline_check_speed_counts(unsigned rate, size_t count)
{
	const struct audio_format format = {AUDIO_PCM16, rate, 0};
	struct pipeline *pipeline = test_pipeline_new(&format, 1.0);
	int16_t *in = malloc((count + 1) * sizeof(*in));
	struct heard heard = {0};
	uint64_t stretched = 0;

	signal_speech(in, count, 22050);
	for (size_t s = 0; s < COUNT(speeds); ++s)
		stretched += count * 10000 / (uint64_t)lround(speeds[s] * 10000);
	for (unsigned chunk = 1; chunk <= 3; ++chunk) {
		test_pipeline_speak_at_speeds(pipeline, &heard, in, count, 441);
		assert_int_equal(heard.samples, chunk * stretched * rate / 22050);
	}
	free(in);
	test_pipeline_finish(pipeline, &heard);
}

static void test_pipeline_when_the_speed_changes_not_one_sample_is_lost(void **state)
{
	static const size_t counts[] = {0, 1, 7, 1000, 11025, 22049};

	(void)state;
	for (size_t i = 0; i < COUNT(client_rates); ++i)
		for (size_t k = 0; k < COUNT(counts); ++k)
			test_pipeline_check_speed_counts(client_rates[i], counts[k]);
}

static void test_pipeline_when_the_speed_changes_nothing_clicks(void **state)
{
	struct pipeline *pipeline = test_pipeline_new(&pcm_24000, 1.0);
	struct pipeline *other = test_pipeline_new(&pcm_24000, 1.0);
	int16_t *in = malloc(22050 * sizeof(*in));
	struct heard heard = {0}, cut = {0};

	(void)state;
	signal_speech(in, 22050, 22050);
	test_pipeline_speak_at_speeds(pipeline, &heard, in, 22050, 22050);
	assert_true(signal_step_max(test_pipeline_samples(&heard), heard.samples) <=
		    signal_step_max(in, 22050) + 2);
	test_pipeline_speak_at_speeds(other, &cut, in, 22050, 17);
	assert_int_equal(cut.len, heard.len);
	assert_memory_equal(cut.bytes, heard.bytes, cut.len);
	free(in);
	test_pipeline_finish(pipeline, &heard);
	test_pipeline_finish(other, &cut);
}

static void test_pipeline_inside_a_part_there_is_no_silence_and_no_other_speed(void **state)
{
	struct pipeline *pipeline = test_pipeline_new(&pcm_24000, 1.0);
	int16_t in[100] = {0};

	(void)state;
	assert_int_equal(pipeline_write(pipeline, in, 100, 24000), 0);
	assert_int_equal(pipeline_silence(pipeline, 100), EINVAL);
	assert_int_equal(pipeline_set_speed(pipeline, 1.1), EINVAL);
	assert_int_equal(pipeline_end_part(pipeline), 0);
	assert_int_equal(pipeline_set_speed(pipeline, 4.01), EINVAL);
	assert_int_equal(pipeline_set_speed(pipeline, (double)NAN), EINVAL);
	assert_int_equal(pipeline_set_speed(pipeline, 1.1), 0);
	assert_int_equal(pipeline_silence(pipeline, 24000 * (AUDIO_PENDING_MAX_S + 1)), ENOBUFS);
	assert_int_equal(pipeline_silence(pipeline, 100), 0);
	mem_deref(pipeline);
}

static void test_pipeline_a_parts_rest_under_20_ms_waits_for_the_next_part(void **state)
{
	struct pipeline *pipeline = test_pipeline_new(&pcm_24000, 1.0);
	int16_t in[2000] = {0};
	struct heard heard = {0};

	(void)state;
	test_pipeline_speak_part(pipeline, &heard, in, 480 + 500, 24000, 480);
	test_pipeline_fetch(pipeline, &heard);
	assert_int_equal(heard.frames, 2); /* the second one wanted 40 ms */
	assert_int_equal(heard.frame_samples[1], 480);
	test_pipeline_speak_part(pipeline, &heard, in, 1900, 24000, 1900);
	test_pipeline_fetch(pipeline, &heard);
	assert_int_equal(heard.frame_samples[2], 1920);
	test_pipeline_end_chunk(pipeline, &heard);
	assert_int_equal(heard.frames, 3);
	test_pipeline_finish(pipeline, &heard);
}

static void test_pipeline_a_word_is_placed_where_it_is_heard(void **state)
{
	struct pipeline *pipeline = test_pipeline_new(&pcm_24000, 1.0);
	int16_t *in = calloc(44100, sizeof(*in));
	struct heard heard = {0};

	(void)state;
	test_pipeline_speak_part(pipeline, &heard, in, 44100, 22050, 441);
	assert_int_equal(pipeline_place(pipeline, 0, 22050), 0);
	assert_int_equal(pipeline_place(pipeline, 22050, 22050), 24000);
	assert_int_equal(pipeline_place(pipeline, 22049, 22050), 23998);
	test_pipeline_rest(pipeline, &heard, 4800);
	assert_int_equal(pipeline_set_speed(pipeline, 1.25), 0);
	test_pipeline_speak_part(pipeline, &heard, in, 44100, 22050, 441);
	assert_int_equal(pipeline_place(pipeline, 0, 22050), 52800);
	assert_int_equal(pipeline_place(pipeline, 22050, 22050), 52800 + 19200 - 96);
	test_pipeline_end_chunk(pipeline, &heard);
	free(in);
	test_pipeline_finish(pipeline, &heard);
}

static void test_pipeline_no_word_is_placed_beyond_its_part(void **state)
{
	struct pipeline *pipeline = test_pipeline_new(&pcm_24000, 0.9);
	int16_t in[2205] = {0};
	struct heard heard = {0};

	(void)state;
	test_pipeline_speak_part(pipeline, &heard, in, 2205, 22050, 441);
	assert_int_equal(pipeline_place(pipeline, UINT64_C(3600) * 22050, 22050), 2666);
	test_pipeline_rest(pipeline, &heard, 4800);
	assert_int_equal(pipeline_end_part(pipeline), 0); /* a part without samples */
	assert_int_equal(pipeline_place(pipeline, 5, 22050), 2666 + 4800);
	test_pipeline_end_chunk(pipeline, &heard);
	test_pipeline_finish(pipeline, &heard);
}

static void test_pipeline_when_memory_is_out_nothing_is_left_behind(void **state)
{
	int16_t in[100] = {0};

	(void)state;
	for (size_t n = 1; n <= 5; ++n) {
		struct pipeline *pipeline = NULL;
		int err;

		resample_forget();
		mem_fail_after(n);
		err = pipeline_alloc(&pipeline, &pcm_24000, 1.1);
		if (!err)
			err = pipeline_write(pipeline, in, 100, 22050);
		assert_int_equal(err, n <= 4 ? ENOMEM : 0);
		mem_fail_after(0);
		if (pipeline) /* what failed for want of memory may be tried again */
			assert_int_equal(pipeline_write(pipeline, in, 100, 22050), 0);
		mem_deref(pipeline);
		resample_forget();
		assert_int_equal(mem_live(), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pipeline_frames_start_at_20_ms_and_grow_to_200),
		cmocka_unit_test(test_pipeline_a_frame_is_there_as_soon_as_its_samples_are),
		cmocka_unit_test(test_pipeline_a_rest_under_20_ms_joins_the_frame_before_it),
		cmocka_unit_test(test_pipeline_the_rest_of_a_chunk_never_waits_for_the_next),
		cmocka_unit_test(test_pipeline_g711_comes_in_packets_of_20_ms),
		cmocka_unit_test(test_pipeline_both_laws_encode_what_pcm_would_have_carried),
		cmocka_unit_test(test_pipeline_after_every_chunk_the_count_is_the_exact_floor),
		cmocka_unit_test(test_pipeline_how_the_input_is_cut_into_writes_changes_no_byte),
		cmocka_unit_test(test_pipeline_no_seam_between_chunks_of_speech_clicks),
		cmocka_unit_test(test_pipeline_an_engines_rate_may_change_between_parts_only),
		cmocka_unit_test(test_pipeline_a_chunk_without_samples_gives_no_frame),
		cmocka_unit_test(test_pipeline_more_than_half_a_minute_unfetched_is_refused_whole),
		cmocka_unit_test(test_pipeline_what_is_none_of_ours_is_refused),
		cmocka_unit_test(
			test_pipeline_a_silence_has_its_samples_and_takes_none_from_its_neighbours),
		cmocka_unit_test(test_pipeline_a_silence_changes_nothing_around_it),
		cmocka_unit_test(
			test_pipeline_what_follows_a_silence_does_not_ring_with_what_was_before),
		cmocka_unit_test(test_pipeline_a_silence_is_encoded_like_other_audio),
		cmocka_unit_test(test_pipeline_when_the_speed_changes_not_one_sample_is_lost),
		cmocka_unit_test(test_pipeline_when_the_speed_changes_nothing_clicks),
		cmocka_unit_test(
			test_pipeline_inside_a_part_there_is_no_silence_and_no_other_speed),
		cmocka_unit_test(test_pipeline_a_parts_rest_under_20_ms_waits_for_the_next_part),
		cmocka_unit_test(test_pipeline_a_word_is_placed_where_it_is_heard),
		cmocka_unit_test(test_pipeline_no_word_is_placed_beyond_its_part),
		cmocka_unit_test(test_pipeline_when_memory_is_out_nothing_is_left_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
