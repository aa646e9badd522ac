/*
 * engine_job.c: one text in an engine's process, from SPEAK to DONE (see engine_job.h).
 */
#include "engine/engine_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/mem.h"

/* AUDIO carries little-endian samples, which are sent as they are in memory. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "samples are sent as they are");

static void engine_job_destroy(void *object)
{
	struct engine_job *job = object;
	struct engine_job *earlier;

	for (size_t i = 0; i < COUNT(job->strings); ++i)
		free(job->strings[i]);
	free(job->phonemes);
	free(job->ipa);
	while ((earlier = turn_next_replay(job)))
		mem_deref(earlier);
	if (job->turn)
		--job->turn->jobs;
}

/* Control characters have no sound, and a NUL would end the text. The engine gets spaces
 * instead, which keep every byte at its offset. */
static void engine_job_copy_clean(char *copy, const struct message_str *str)
{
	for (uint32_t i = 0; i < str->len; ++i)
		copy[i] = (unsigned char)str->bytes[i] < ' ' || str->bytes[i] == 0x7f
				  ? ' '
				  : str->bytes[i];
	copy[str->len] = '\0';
}

/* In the message each span takes more bytes than its IPA with a NUL, so spans.len bytes are
 * enough for all of them. */
static int engine_job_copy_phonemes(struct engine_job *job, struct message_spans spans)
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
		engine_job_copy_clean(at, &phonemes.ipa);
		job->phonemes[count++] =
			(struct engine_phonemes){phonemes.byte_start, phonemes.byte_end, at};
		at += phonemes.ipa.len + 1;
	}
	job->text.phonemes = job->phonemes;
	job->text.phonemes_count = count;
	return 0;
}

static float engine_job_clamp(float value, float least, float most)
{
	return value < least ? least : value > most ? most : value;
}

int engine_job_alloc(struct engine_job **jobp, uint32_t id, const struct message_speak *speak,
		     const struct engine *engine)
{
	const struct message_str *const strings[] = {&speak->voice, &speak->language, &speak->text,
						     &speak->text_before, &speak->variant};
	const uint32_t has = engine->capabilities;
	struct engine_job *job = mem_zalloc(sizeof(*job), engine_job_destroy);

	if (!job)
		return ENOMEM;
	list_init(&job->replay);
	for (size_t i = 0; i < COUNT(strings); ++i) {
		job->strings[i] = malloc((size_t)strings[i]->len + 1);
		if (!job->strings[i]) {
			mem_deref(job);
			return ENOMEM;
		}
		engine_job_copy_clean(job->strings[i], strings[i]);
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
		/* For an engine that cannot change its speed the server stretches the audio. A
		 * speed given to such an engine too would count twice. */
		.speed = has & MESSAGE_OWN_SPEED ? engine_job_clamp(speak->speed, 0.25f, 4) : 1,
		.temperature = speak->temperature,
		.seed = speak->seed,
		.want_words = speak->want_words,
		.pitch = has & MESSAGE_OWN_PITCH ? engine_job_clamp(speak->pitch, -12, 12) : 0,
		.variant = has & MESSAGE_VARIANTS ? job->strings[4] : "",
	};
	if (has & MESSAGE_PHONEMES && engine_job_copy_phonemes(job, speak->phonemes) != 0) {
		mem_deref(job);
		return ENOMEM;
	}
	*jobp = job;
	return 0;
}

size_t engine_job_skip(struct engine_job *job, size_t n)
{
	size_t skipped = n < job->skip ? n : (size_t)job->skip;

	job->skip -= skipped;
	job->samples += skipped;
	return skipped;
}

static uint32_t engine_job_clip_u32(uint64_t value)
{
	return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

int engine_job_put_audio(struct engine_job *job, struct buf *out, size_t *sent,
			 const int16_t *samples, size_t n)
{
	unsigned char head[MESSAGE_AUDIO_HEAD_LEN];
	struct message_audio audio = {
		.busy_us = engine_job_clip_u32(job->busy_us),
		.sample_rate = job->sample_rate,
		.count = n < ENGINE_JOB_AUDIO_MAX ? n : ENGINE_JOB_AUDIO_MAX,
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

int engine_job_put_made(const struct engine_job *job, struct buf *out, size_t n)
{
	const struct message message = {
		.type = MESSAGE_MADE,
		.job = job->id,
		.made_samples = engine_job_clip_u32(n - job->credit),
	};

	return n > job->credit ? message_encode(out, &message) : 0;
}

int engine_job_put_word(const struct engine_job *job, struct buf *out,
			const struct message_word *word)
{
	const struct message message = {.type = MESSAGE_WORD, .job = job->id, .word = *word};

	return message_encode(out, &message);
}

int engine_job_put_done(const struct engine_job *job, struct buf *out, enum message_done status,
			const char *detail)
{
	const struct message message = {
		.type = MESSAGE_DONE,
		.job = job->id,
		.done =
			{
				.status = status,
				.busy_us = engine_job_clip_u32(job->busy_us),
				.samples = job->samples,
				.detail = message_str_of(detail),
			},
	};

	return message_encode(out, &message);
}

int engine_job_put_end(const struct engine_job *job, struct buf *out, int failure)
{
	if (job->cancelled)
		return engine_job_put_done(job, out, MESSAGE_DONE_CANCELLED, "");
	if (failure)
		return engine_job_put_done(job, out, MESSAGE_DONE_FAILED, strerror(failure));
	return engine_job_put_done(job, out, MESSAGE_DONE_OK, "");
}
