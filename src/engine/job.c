/*
 * job.c: a text on its way from SPEAK to DONE (see job.h).
 */
#include "engine/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/mem.h"

/* The samples go out as they lie in memory, which is little-endian where this
 * runs. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "samples are sent as they are");

static void job_destroy(void *object)
{
	struct job *job = object;

	for (size_t i = 0; i < COUNT(job->strings); ++i)
		free(job->strings[i]);
	free(job->phonemes);
	free(job->ipa);
}

/* Control characters have no sound, and a NUL would end the text: engines get
 * spaces, which keep every byte at its place. */
static void clean(char *copy, const struct message_str *str)
{
	for (uint32_t i = 0; i < str->len; ++i)
		copy[i] = (unsigned char)str->bytes[i] < ' ' || str->bytes[i] == 0x7f
				  ? ' '
				  : str->bytes[i];
	copy[str->len] = '\0';
}

static char *copy_text(const struct message_str *str)
{
	char *copy = malloc((size_t)str->len + 1);

	if (copy)
		clean(copy, str);
	return copy;
}

/* What travels of each is longer than its string with a NUL. */
static int copy_phonemes(struct job *job, struct message_spans spans)
{
	struct message_phonemes phonemes;
	size_t count = 0;
	char *at;

	if (spans.count == 0)
		return 0;
	job->phonemes = calloc(spans.count, sizeof(job->phonemes[0]));
	job->ipa = at = malloc(spans.len);
	if (!job->phonemes || !job->ipa)
		return ENOMEM;
	while (message_phonemes_take(&phonemes, &spans)) {
		clean(at, &phonemes.ipa);
		job->phonemes[count++] =
			(struct engine_phonemes){phonemes.byte_start, phonemes.byte_end, at};
		at += phonemes.ipa.len + 1;
	}
	job->text.phonemes = job->phonemes;
	job->text.phonemes_count = count;
	return 0;
}

/* Without an own speed the server stretches, and a speed here would count
 * twice. */
static float speed_for(const struct engine *engine, float speed)
{
	if (!(engine->capabilities & MESSAGE_OWN_SPEED))
		return 1;
	return speed < 0.25f ? 0.25f : speed > 4 ? 4 : speed;
}

static float pitch_for(const struct engine *engine, float pitch)
{
	if (!(engine->capabilities & MESSAGE_OWN_PITCH))
		return 0;
	return pitch < -12 ? -12 : pitch > 12 ? 12 : pitch;
}

int job_alloc(struct job **jobp, uint32_t id, const struct message_speak *speak,
	      const struct engine *engine)
{
	const struct message_str *const strings[] = {&speak->voice, &speak->language, &speak->text,
						     &speak->text_before, &speak->variant};
	struct job *job = mem_zalloc(sizeof(*job), job_destroy);

	if (!job)
		return ENOMEM;
	for (size_t i = 0; i < COUNT(strings); ++i) {
		job->strings[i] = copy_text(strings[i]);
		if (!job->strings[i]) {
			mem_deref(job);
			return ENOMEM;
		}
	}
	job->id = id;
	job->credit = speak->credit_samples;
	job->skip = speak->skip_samples;
	job->due_us = clock_monotonic_us() + (uint64_t)speak->deadline_ms * 1000;
	job->text = (struct engine_text){
		.voice = job->strings[0],
		.language = job->strings[1],
		.text = job->strings[2],
		.text_len = speak->text.len,
		.text_before = job->strings[3],
		.turn = speak->turn,
		.speed = speed_for(engine, speak->speed),
		.temperature = speak->temperature,
		.seed = speak->seed,
		.want_words = speak->want_words,
		.pitch = pitch_for(engine, speak->pitch),
		.variant = engine->capabilities & MESSAGE_VARIANTS ? job->strings[4] : "",
	};
	if (engine->capabilities & MESSAGE_PHONEMES && copy_phonemes(job, speak->phonemes) != 0) {
		mem_deref(job);
		return ENOMEM;
	}
	*jobp = job;
	return 0;
}

size_t job_skip(struct job *job, size_t n)
{
	size_t skipped = n < job->skip ? n : (size_t)job->skip;

	job->skip -= skipped;
	job->samples += skipped;
	return skipped;
}

static uint32_t clip_u32(uint64_t value)
{
	return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

int job_put_audio(struct job *job, struct buf *out, size_t *sent, const int16_t *samples, size_t n)
{
	unsigned char head[MESSAGE_AUDIO_HEAD_LEN];
	struct message_audio audio = {
		.busy_us = clip_u32(job->busy_us),
		.sample_rate = job->sample_rate,
		.count = n < JOB_AUDIO_MAX ? n : JOB_AUDIO_MAX,
	};
	int err;

	if (audio.count > job->credit)
		audio.count = (size_t)job->credit;
	*sent = audio.count;
	if (audio.count == 0)
		return 0;
	message_encode_audio_head(head, job->id, &audio);
	job->credit -= audio.count;
	job->samples += audio.count;
	err = buf_append(out, head, sizeof(head));
	return err ? err : buf_append(out, samples, audio.count * sizeof(*samples));
}

int job_put_made(const struct job *job, struct buf *out, size_t n)
{
	const struct message message = {
		.type = MESSAGE_MADE,
		.job = job->id,
		.made_samples = clip_u32(n - job->credit),
	};

	return n > job->credit ? message_encode(out, &message) : 0;
}

int job_put_word(const struct job *job, struct buf *out, const struct message_word *word)
{
	const struct message message = {.type = MESSAGE_WORD, .job = job->id, .word = *word};

	return message_encode(out, &message);
}

int job_put_done(const struct job *job, struct buf *out, enum message_done status,
		 const char *detail)
{
	const struct message message = {
		.type = MESSAGE_DONE,
		.job = job->id,
		.done =
			{
				.status = status,
				.busy_us = clip_u32(job->busy_us),
				.samples = job->samples,
				.detail = message_str_of(detail),
			},
	};

	return message_encode(out, &message);
}

int job_put_end(const struct job *job, struct buf *out, int failure)
{
	if (job->cancelled)
		return job_put_done(job, out, MESSAGE_DONE_CANCELLED, "");
	if (failure)
		return job_put_done(job, out, MESSAGE_DONE_FAILED, strerror(failure));
	return job_put_done(job, out, MESSAGE_DONE_OK, "");
}
