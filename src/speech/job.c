/*
 * job.c: one chunk on its way through the workers.
 *
 * A job hears the messages of its seat, puts the samples of all tries together
 * without a gap or an echo, and tells its listener.  On an engine that gives
 * the same samples each time a retry simply goes on where the last try ended.
 * On others the last 5 ms are kept back, made again, and faded over:
 *
 *   try 1   ....aaaaaaaaaaaa|tail|
 *   try 2                   |fade|bbbbbbbb....
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "speech/pool_private.h"

/* Who hears nothing yet is served after one who would run dry before the next
 * window of a dear engine is made: a beginning that is a little late is noticed
 * less than a word with a hole.  Twice what a second of audio costs, and no more
 * than this; with engines that cost little it is next to nothing. */
#define FIRST_GRACE_MAX_US 200000

/* A chunk in the middle of a turn waits this long for a worker before the turn
 * fails, or as long as one that begins a turn may: longer than any restart of an
 * engine takes. */
#define WAIT_IN_TURN_MS 30000

/* A job that yields is due no earlier than this after it began to wait, however late it is.  So
 * those whose listeners are there are served first until they are so far ahead, and it still comes
 * to its end on a machine that is never idle. */
#define YIELD_US 5000000

/* Of a voice that did not tell: the rate of most engines, or near it. */
#define RATE_GUESSED 24000

static void job_destroy(void *object)
{
	struct speech_job *job = object;

	timer_clear(&job->pool->loop->timers, &job->start_timer);
	job_move(job, JOB_NEW);
	buf_reset(&job->phonemes);
}

static const char *keep(char **at, const char *bytes, size_t len)
{
	char *copy = *at;

	if (len > 0)
		memcpy(copy, bytes, len);
	copy[len] = '\0';
	*at += len + 1;
	return copy;
}

/* Spans that the protocol has no place for are read as text. */
static int keep_phonemes(struct speech_job *job, const struct speech_request *request)
{
	const struct message_str text = {job->text, (uint32_t)job->text_len};
	uint32_t from = 0;
	int err = 0;

	buf_init(&job->phonemes, MESSAGE_PAYLOAD_MAX);
	for (size_t i = 0; i < request->phonemes_len && !err; ++i) {
		const struct spoken_phonemes *span = &request->phonemes[i];
		const struct message_phonemes phonemes = {span->begin, span->end,
							  message_str_of(span->ipa)};

		if (job->phonemes_count == MESSAGE_PHONEMES_MAX)
			break;
		if (!message_phonemes_fit(&phonemes, &text, from))
			continue;
		err = message_phonemes_put(&job->phonemes, &phonemes);
		job->phonemes_count = (uint16_t)(job->phonemes_count + !err);
		from = phonemes.byte_end;
	}
	return err;
}

struct message_spans job_phonemes(const struct speech_job *job)
{
	return (struct message_spans){
		.bytes = (const unsigned char *)job->phonemes.bytes,
		.len = (uint32_t)job->phonemes.len,
		.count = job->phonemes_count,
	};
}

int job_alloc(struct speech_job **jobp, struct pool *pool, struct fleet *fleet,
	      const struct speech_request *request)
{
	const char *voice = request->voice->engine_voice;
	size_t language_len = strlen(request->language);
	size_t strings_len =
		strlen(voice) + language_len + request->text_len + request->text_before_len + 4;
	struct speech_job *job = mem_zalloc(sizeof(*job) + strings_len, NULL);
	char *at;
	int err;

	if (!job)
		return ENOMEM;
	at = job->strings;
	job->pool = pool;
	job->fleet = fleet;
	job->turn = request->turn;
	job->speed = request->speed;
	job->temperature = request->temperature;
	job->seed = request->seed;
	job->pitch = request->voice->pitch;
	memcpy(job->variant, request->voice->variant, sizeof(job->variant));
	job->first = request->first;
	job->yields = request->yields;
	job->asked_us = loop_now_us(pool->loop);
	job->due_us = request->due_us;
	job->arrival = ++pool->arrivals;
	job->voice_rate = request->voice->sample_rate ? request->voice->sample_rate : RATE_GUESSED;
	job->voice = keep(&at, voice, strlen(voice));
	job->language = keep(&at, request->language, language_len);
	job->text = keep(&at, request->text, request->text_len);
	job->text_len = request->text_len;
	job->before = keep(&at, request->text_before, request->text_before_len);
	job->before_len = request->text_before_len;
	mem_set_destructor(job, job_destroy);
	err = keep_phonemes(job, request);
	if (err)
		mem_deref(job);
	else
		*jobp = job;
	return err;
}

/* Lists by rank: new jobs mostly have a high one, so look from behind. */
static void insert_by_rank(struct list *list, struct speech_job *job)
{
	uint64_t rank = job_rank(job);
	struct link *at = list->head.prev;

	while (at != &list->head && job_rank(LIST_OBJECT(at, struct speech_job, link)) > rank)
		at = at->prev;
	list_insert_before(list, at->next, &job->link);
}

/* A new job is on none. */
static struct list *list_of(struct speech_job *job)
{
	switch (job->state) {
	case JOB_QUEUED:
		return job->retried ? &job->fleet->again : &job->fleet->queued;
	case JOB_PARKED:
		return &job->pool->parked;
	case JOB_HELD:
		return &job->pool->held;
	case JOB_NEW:
	case JOB_RUNNING:
		break;
	}
	return &job->pool->running;
}

void job_move(struct speech_job *job, enum job_state state)
{
	if (job->state != JOB_NEW)
		list_remove(list_of(job), &job->link);
	job->state = state;
	job->state_since_us = loop_now_us(job->pool->loop);
	if (state == JOB_QUEUED || state == JOB_PARKED)
		insert_by_rank(list_of(job), job);
	else if (state != JOB_NEW)
		list_append(list_of(job), &job->link);
}

/* Does not change while the job is on a list: those are in this order. */
uint64_t job_due_us(const struct speech_job *job)
{
	uint64_t due_us = job->due_us;

	if (job->sample_rate)
		due_us += job->received * 1000000u / job->sample_rate;
	if (job->yields && due_us < job->state_since_us + YIELD_US)
		due_us = job->state_since_us + YIELD_US;
	return due_us;
}

uint64_t job_rank(const struct speech_job *job)
{
	uint64_t grace_us = 2 * (uint64_t)job->fleet->busy_us_per_second;

	if (job->pool->options.order == POOL_BY_ARRIVAL)
		return job->arrival;
	if (!job->first || job->received > 0)
		return job_due_us(job);
	return job_due_us(job) + (grace_us < FIRST_GRACE_MAX_US ? grace_us : FIRST_GRACE_MAX_US);
}

uint64_t job_skip(const struct speech_job *job)
{
	return job->received - job->tail_len;
}

/* A worker has taken it: what of the last try overlaps is faded over. */
void job_begin_try(struct speech_job *job)
{
	timer_clear(&job->pool->loop->timers, &job->start_timer);
	job->received = job_skip(job);
	job->fade_len = job->tail_len;
	job->fade_done = 0;
	job->tail_len = 0;
	job->words_again = 0;
	job->busy_before_us += job->busy_us;
	job->busy_us = 0;
	job->stock = 0;
}

/* The listener may cancel the job in any of these calls. */
static void tell(struct speech_job *job, const int16_t *samples, size_t count)
{
	if (count > 0 && job->listener)
		job->listener->audio(job->arg, samples, count, job->sample_rate);
}

/* The old tail is still in job->tail while the join goes on; what it becomes
 * is written over the new samples. */
static void fade(struct speech_job *job, int16_t *samples, size_t count)
{
	for (size_t i = 0; i < count && job->fade_done < job->fade_len; ++i, ++job->fade_done) {
		int new_part = (int)(2 * job->fade_done + 1);
		int whole = (int)(2 * job->fade_len);
		int old = job->tail[job->fade_done];

		samples[i] = (int16_t)((old * (whole - new_part) + samples[i] * new_part) / whole);
	}
}

/* Tells all but the last few samples, which are kept for a join. */
static void tell_keeping_tail(struct speech_job *job, const int16_t *samples, size_t count)
{
	size_t keep_len = job->sample_rate * CROSS_FADE_MS / 1000;
	size_t from_tail;

	if (keep_len > CROSS_FADE_MAX)
		keep_len = CROSS_FADE_MAX;
	if (count >= keep_len) {
		tell(job, job->tail, job->tail_len);
		tell(job, samples, count - keep_len);
		memcpy(job->tail, samples + count - keep_len, keep_len * sizeof(*samples));
		job->tail_len = (unsigned)keep_len;
		return;
	}
	from_tail = job->tail_len + count > keep_len ? job->tail_len + count - keep_len : 0;
	tell(job, job->tail, from_tail);
	memmove(job->tail, job->tail + from_tail, (job->tail_len - from_tail) * sizeof(*samples));
	memcpy(job->tail + job->tail_len - from_tail, samples, count * sizeof(*samples));
	job->tail_len += (unsigned)(count - from_tail);
}

static void take_samples(struct speech_job *job, int16_t *samples, size_t count)
{
	size_t joined = 0;

	if (job->fade_done < job->fade_len) {
		joined = job->fade_len - job->fade_done;
		if (joined > count)
			joined = count;
		fade(job, samples, joined);
		tell(job, samples, joined);
	}
	if (job->fleet->capabilities & MESSAGE_DETERMINISTIC)
		tell(job, samples + joined, count - joined);
	else if (joined < count)
		tell_keeping_tail(job, samples + joined, count - joined);
}

void job_audio(struct speech_job *job, const struct message_audio *audio)
{
	/* Alignment is not promised by the wire, and the join writes. */
	static _Thread_local int16_t samples[4096];
	const unsigned char *from = audio->samples;
	size_t left = audio->count;

	job->sample_rate = audio->sample_rate;
	job->busy_us = audio->busy_us;
	job->received += audio->count;
	mem_ref(job); /* the listener may cancel it */
	while (left > 0 && job->listener) {
		size_t n = left < 4096 ? left : 4096;

		memcpy(samples, from, n * sizeof(samples[0]));
		take_samples(job, samples, n);
		from += n * sizeof(samples[0]);
		left -= n;
	}
	mem_deref(job);
}

void job_word(struct speech_job *job, const struct message_word *word)
{
	struct speech_word told = {
		.sample_start = word->sample_start,
		.sample_end = word->sample_end,
		.byte_start = word->byte_start,
		.byte_end = word->byte_end,
	};

	if (job->words_again++ < job->words)
		return; /* heard on an earlier try */
	++job->words;
	if (word->byte_start < word->byte_end && word->byte_end <= job->text_len)
		job->listener->word(job->arg, &told);
}

/* The job is gone for its owner from here. */
void job_end(struct speech_job *job, enum speech_end how)
{
	const struct speech_listener *listener = job->listener;

	job->listener = NULL;
	listener->end(job->arg, how, job->busy_before_us + job->busy_us);
	mem_deref(job);
}

void job_done(struct speech_job *job, const struct message_done_report *done)
{
	job->busy_us = done->busy_us;
	if (done->status == MESSAGE_DONE_OK) {
		mem_ref(job);
		tell(job, job->tail, job->fade_done < job->fade_len ? 0 : job->tail_len);
		if (job->listener)
			job_end(job, SPEECH_DONE);
		mem_deref(job);
	} else if (done->status == MESSAGE_DONE_UNKNOWN_VOICE) {
		job_end(job, SPEECH_UNAVAILABLE); /* it was removed since it was asked for */
	} else {
		job_end(job, SPEECH_FAILED);
	}
}

static void on_no_worker(void *arg)
{
	struct speech_job *job = arg;

	job_end(job, SPEECH_UNAVAILABLE);
}

void job_wait_anew(struct speech_job *job)
{
	bool has_begun = !job->first || job->received > 0 || job->retried;
	unsigned wait_ms = job->pool->options.start_timeout_ms;

	if (!job->fleet->answered && wait_ms < job->pool->options.load_timeout_ms)
		wait_ms = job->pool->options.load_timeout_ms;
	if (has_begun && wait_ms < WAIT_IN_TURN_MS)
		wait_ms = WAIT_IN_TURN_MS;
	timer_set(&job->pool->loop->timers, &job->start_timer, wait_ms * UINT64_C(1000),
		  on_no_worker, job);
}

/* (Back) into the queue of its engine, or aside while its listener is full. */
void job_requeue(struct speech_job *job)
{
	job->worker = NULL;
	job->seat = NULL;
	if (job->held) {
		job_move(job, JOB_HELD);
		return;
	}
	job_move(job, JOB_QUEUED);
	job_wait_anew(job);
	pool_schedule_soon(job->pool);
}

/* The first death may have been a neighbour's fault or an operator's; a second
 * one, alone on a fresh worker, is the chunk's own. */
void job_worker_died(struct speech_job *job)
{
	if (job->retried) {
		job_end(job, SPEECH_FAILED);
		return;
	}
	job->retried = true;
	job->newer_than = job->pool->worker_serial;
	++job->pool->retries;
	job_requeue(job);
}
