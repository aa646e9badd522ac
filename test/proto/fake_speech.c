/*
 * fake_speech.c: a struct speech that runs the tone engine in this process (see fake_speech.h).
 */
#include "fake_speech.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "engine/tone.h"
#include "fake_copy.h"

/* How many samples the tone engine delivers at once: 20 ms. */
#define BLOCK 480u
#define SOUND_MAX (64u * 1024 * 1024)

/* The audio of a chunk. */
struct sound {
	struct sink sink;
	struct buf samples; /* int16_t */
	struct buf words; /* struct speech_word */
};

struct speech_job {
	struct link link;
	struct fake_speech *fake;
	char *text;
	uint64_t budget; /* how many samples it may deliver now */
	const struct speech_listener *listener;
	void *arg;
	struct sound sound;
	uint64_t given; /* how many samples were delivered */
	size_t words_given;
	bool is_held;
	bool is_gone; /* cancelled inside a handler */
	bool in_handler;
};

static struct sound *fake_speech_sound_of(struct sink *sink)
{
	return (struct sound *)(void *)((char *)sink - offsetof(struct sound, sink));
}

static int fake_speech_keep_audio(struct sink *sink, const int16_t *samples, size_t n)
{
	return buf_append(&fake_speech_sound_of(sink)->samples, samples, n * sizeof(*samples));
}

static int fake_speech_keep_word(struct sink *sink, size_t byte_start, size_t byte_end,
				 uint64_t sample_start, uint64_t sample_end)
{
	struct speech_word word = {
		.sample_start = sample_start,
		.sample_end = sample_end,
		.byte_start = (uint32_t)byte_start,
		.byte_end = (uint32_t)byte_end,
	};

	return buf_append(&fake_speech_sound_of(sink)->words, &word, sizeof(word));
}

static void fake_speech_sound_init(struct sound *sound)
{
	sound->sink = (struct sink){.audio = fake_speech_keep_audio, .word = fake_speech_keep_word};
	buf_init(&sound->samples, SOUND_MAX);
	buf_init(&sound->words, SOUND_MAX);
}

static struct speech_job *fake_speech_job_at(struct link *link)
{
	return LIST_OBJECT(link, struct speech_job, link);
}

static void fake_speech_job_free(struct speech_job *job)
{
	list_remove(&job->fake->running, &job->link);
	free(job->text);
	buf_reset(&job->sound.samples);
	buf_reset(&job->sound.words);
	free(job);
}

static void fake_speech_forget_asked(struct fake_asked *asked)
{
	free(asked->text);
	free(asked->text_before);
	*asked = (struct fake_asked){0};
}

static void fake_speech_note_request(struct fake_asked *asked, const struct speech_request *request)
{
	fake_speech_forget_asked(asked);
	asked->text = fake_copy(request->text, request->text_len);
	asked->text_before = fake_copy(request->text_before, request->text_before_len);
	if (request->phonemes_len > 0)
		snprintf(asked->ipa, sizeof(asked->ipa), "%s", request->phonemes[0].ipa);
	snprintf(asked->language, sizeof(asked->language), "%s", request->language);
	asked->voice_id = request->voice->id;
	asked->speed = request->speed;
	asked->temperature = request->temperature;
	asked->seed = request->seed;
	asked->first = request->first;
}

static int fake_speech_make_sound(struct fake_speech *fake, struct speech_job *job,
				  const struct speech_request *request)
{
	struct engine_text text = {
		.voice = request->voice->engine_voice,
		.language = request->language,
		.text = fake->asked.text,
		.text_len = request->text_len,
		.text_before = fake->asked.text_before,
		.turn = request->turn,
		.speed = 1,
		.want_words = true,
	};

	return tone_engine.speak(fake->engine, &text, &job->sound.sink);
}

/* Every turn that starts a job must be ended once. */
static void fake_speech_note_turn(struct fake_speech *fake, uint64_t turn)
{
	for (size_t i = 0; i < fake->turns_count; ++i) {
		if (fake->turns[i] == turn)
			return;
	}
	if (fake->turns_count == FAKE_SPEECH_TURNS_MAX)
		abort();
	fake->turns[fake->turns_count++] = turn;
}

static int fake_speech_start(struct speech_job **jobp, struct speech *speech,
			     const struct speech_request *request,
			     const struct speech_listener *listener, void *arg)
{
	struct fake_speech *fake = (struct fake_speech *)(void *)speech;
	struct speech_job *job;

	fake_speech_note_turn(fake, request->turn);
	if (fake->ending == FAKE_REFUSES)
		return EAGAIN;
	if (fake->running.count == fake->running_max)
		abort(); /* a turn must not have two jobs at a time */
	job = calloc(1, sizeof(*job));
	if (!job)
		abort();
	job->fake = fake;
	job->listener = listener;
	job->arg = arg;
	fake_speech_sound_init(&job->sound);
	job->text = fake_copy(request->text, request->text_len);
	fake_speech_note_request(&fake->asked, request);
	if (fake_speech_make_sound(fake, job, request) != 0)
		abort();
	++fake->jobs;
	fake->yielded += request->yields;
	list_append(&fake->running, &job->link);
	*jobp = job;
	return 0;
}

static void fake_speech_hold(struct speech_job *job, bool held)
{
	++job->fake->holds;
	job->is_held = held;
}

static void fake_speech_yield(struct speech_job *job)
{
	++job->fake->yielded;
}

static void fake_speech_cancel(struct speech_job *job)
{
	++job->fake->cancelled;
	if (job->in_handler)
		job->is_gone = true;
	else
		fake_speech_job_free(job);
}

static void fake_speech_end_turn(struct speech *speech, uint64_t turn)
{
	struct fake_speech *fake = (struct fake_speech *)(void *)speech;

	for (size_t i = 0; i < fake->turns_count; ++i) {
		if (fake->turns[i] == turn) {
			fake->turns[i] = fake->turns[--fake->turns_count];
			return;
		}
	}
	abort(); /* the turn was ended twice, or has never started a job */
}

static bool fake_speech_has_own_speed(struct speech *speech, const struct voice *voice)
{
	(void)voice;
	return ((struct fake_speech *)(void *)speech)->has_own_speed;
}

static bool fake_speech_reads_phonemes(struct speech *speech, const struct voice *voice)
{
	(void)voice;
	return ((struct fake_speech *)(void *)speech)->reads_phonemes;
}

static const struct speech_ops speech_ops = {
	.start = fake_speech_start,
	.hold = fake_speech_hold,
	.yield = fake_speech_yield,
	.cancel = fake_speech_cancel,
	.end_turn = fake_speech_end_turn,
	.has_own_speed = fake_speech_has_own_speed,
	.reads_phonemes = fake_speech_reads_phonemes,
};

int fake_speech_open(struct fake_speech *fake)
{
	struct engine_options options = {0};

	*fake = (struct fake_speech){.speech = {&speech_ops}, .running_max = 1};
	list_init(&fake->running);
	return tone_engine.open(&fake->engine, &options);
}

void fake_speech_close(struct fake_speech *fake)
{
	struct link *next;

	for (struct link *l = list_first(&fake->running); l; l = next) {
		next = list_next(&fake->running, l);
		fake_speech_job_free(fake_speech_job_at(l));
	}
	if (fake->turns_count > 0)
		abort(); /* a turn that was not ended */
	fake_speech_forget_asked(&fake->asked);
	if (fake->engine)
		tone_engine.close(fake->engine);
}

size_t fake_speech_held(const struct fake_speech *fake)
{
	size_t held = 0;

	for (struct link *l = list_first(&fake->running); l; l = list_next(&fake->running, l))
		held += fake_speech_job_at(l)->is_held;
	return held;
}

static uint64_t fake_speech_last_sample(const struct speech_job *job)
{
	uint64_t all = job->sound.samples.len / sizeof(int16_t);

	if (job->fake->ending == FAKE_UNAVAILABLE)
		return 0;
	if (job->fake->ending == FAKE_FAILS && job->fake->ending_after < all)
		return job->fake->ending_after;
	return all;
}

static void fake_speech_give_words(struct speech_job *job, uint64_t until)
{
	const struct speech_word *words =
		(const struct speech_word *)(const void *)job->sound.words.bytes;
	size_t count = job->sound.words.len / sizeof(*words);

	while (job->words_given < count && words[job->words_given].sample_start < until)
		job->listener->word(job->arg, &words[job->words_given++]);
}

static void fake_speech_give_audio(struct speech_job *job, uint64_t n)
{
	const int16_t *samples = (const int16_t *)(const void *)job->sound.samples.bytes;
	uint64_t from = job->given;

	job->given += n;
	job->in_handler = true;
	fake_speech_give_words(job, job->given);
	job->listener->audio(job->arg, samples + from, (size_t)n, TONE_RATE);
	job->in_handler = false;
	if (job->is_gone)
		fake_speech_job_free(job);
}

static void fake_speech_give_end(struct speech_job *job)
{
	static const enum speech_end ends[] = {
		[FAKE_WORKS] = SPEECH_DONE,
		[FAKE_FAILS] = SPEECH_FAILED,
		[FAKE_UNAVAILABLE] = SPEECH_UNAVAILABLE,
		[FAKE_REFUSES] = SPEECH_DONE, /* for jobs that were started before */
	};
	const struct speech_listener *listener = job->listener;
	enum speech_end end = ends[job->fake->ending];
	void *arg = job->arg;

	fake_speech_job_free(job); /* first, because the handler may start the next job */
	listener->end(arg, end, FAKE_SPEECH_BUSY_US);
}

/* The next job that may deliver something. */
static struct speech_job *fake_speech_next_in_turn(struct fake_speech *fake)
{
	for (struct link *l = list_first(&fake->running); l; l = list_next(&fake->running, l)) {
		struct speech_job *job = fake_speech_job_at(l);

		if (job->budget > 0 && !job->is_held) {
			list_remove(&fake->running, l);
			list_append(&fake->running, l);
			return job;
		}
	}
	return NULL;
}

static void fake_speech_give_block(struct speech_job *job)
{
	uint64_t last = fake_speech_last_sample(job); /* may already have been passed */
	uint64_t left = last > job->given ? last - job->given : 0;
	uint64_t n = left < BLOCK ? left : BLOCK;

	if (left == 0) {
		fake_speech_give_end(job);
		return;
	}
	if (job->budget < n)
		n = job->budget;
	job->budget -= n;
	fake_speech_give_audio(job, n);
}

bool fake_speech_give(struct fake_speech *fake, uint64_t samples, const char *text)
{
	struct speech_job *job;
	bool happened = false;

	for (struct link *l = list_first(&fake->running); l; l = list_next(&fake->running, l)) {
		job = fake_speech_job_at(l);
		job->budget = !text || strcmp(job->text, text) == 0 ? samples : 0;
	}
	while ((job = fake_speech_next_in_turn(fake))) {
		fake_speech_give_block(job);
		happened = true;
	}
	return happened;
}
