/*
 * job.c: one chunk, from its request until all its samples have been received.
 *
 * A job receives the messages about its seat, joins the samples of all tries
 * without a gap or a repetition, and passes them to its listener.  On an engine
 * that makes the same samples each time, a retry continues where the last try
 * ended.  On others the last 5 ms are kept back, made again, and cross-faded:
 *
 *   try 1   ....aaaaaaaaaaaa|tail|
 *   try 2                   |fade|bbbbbbbb....
 */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "speech/pool_private.h"

/* A first chunk is served after a job whose listener would otherwise run out of audio while an
 * expensive engine makes a window (slice.c) for the first chunk: a beginning that is a little late is
 * noticed less than a gap in the middle of a word.  So the rank of a first chunk is later by twice the
 * cost of a second of audio, at most by this; with cheap engines the difference is negligible. */
#define JOB_FIRST_GRACE_MAX_US 200000

/* A chunk in the middle of a turn waits at least this long for a worker before the turn fails: longer
 * than any engine takes to restart. */
#define JOB_WAIT_IN_TURN_MS 30000

/* A job that yields is due no earlier than this after it began to wait, however late it is.  So jobs
 * whose listeners are present are served first until they are this far ahead, and a job that yields
 * still ends on a machine that is never idle. */
#define JOB_YIELD_US 5000000

/* Assumed for a voice whose rate is not known: close to the rate of most engines. */
#define JOB_RATE_GUESSED 24000

static void job_destroy(void *object)
{
	struct speech_job *job = object;

	timer_clear(&job->pool->loop->timers, &job->start_timer);
	job_move(job, JOB_NEW);
	retry_leave(job);
	buf_reset(&job->phonemes);
	mem_deref(job->turn_state);
}

static const char *job_keep(char **at, const char *bytes, size_t len)
{
	char *copy = *at;

	if (len > 0)
		memcpy(copy, bytes, len);
	copy[len] = '\0';
	*at += len + 1;
	return copy;
}

/* Spans that are not valid in a message are left out: the engine reads the text there. */
static int job_keep_phonemes(struct speech_job *job, const struct speech_request *request)
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

static struct message_str job_str(const char *bytes, size_t len)
{
	return (struct message_str){.bytes = bytes, .len = (uint32_t)len};
}

/* How many samples of the chunk a worker need not send again. */
static uint64_t job_skip(const struct speech_job *job)
{
	return job->received - job->tail_len;
}

void job_make_speak(const struct speech_job *job, struct message *speak, uint32_t credit)
{
	uint32_t capabilities = job->synthesizer->capabilities;
	uint64_t now_us = loop_now_us(job->pool->loop);
	uint64_t due_us = job_due_us(job);

	*speak = (struct message){.type = MESSAGE_SPEAK};
	speak->speak = (struct message_speak){
		.voice = job_str(job->voice, strlen(job->voice)),
		.language = job_str(job->language, strlen(job->language)),
		.text = job_str(job->text, job->text_len),
		.text_before = job_str(job->before, job->before_len),
		.turn = job->turn,
		.skip_samples = job_skip(job),
		.credit_samples = credit,
		.deadline_ms = due_us > now_us ? (uint32_t)((due_us - now_us) / 1000u) : 0,
		.speed = job->speed,
		.temperature = job->temperature,
		.want_words = true,
		.variant = job_str("", 0),
		.seed = job->seed,
	};
	if (capabilities & MESSAGE_PHONEMES)
		speak->speak.phonemes = (struct message_spans){
			.bytes = (const unsigned char *)job->phonemes.bytes,
			.len = (uint32_t)job->phonemes.len,
			.count = job->phonemes_count,
		};
	if (capabilities & MESSAGE_OWN_PITCH)
		speak->speak.pitch = job->pitch;
	if (capabilities & MESSAGE_VARIANTS)
		speak->speak.variant = job_str(job->variant, strlen(job->variant));
}

int job_alloc(struct speech_job **jobp, struct pool *pool, struct synthesizer *synthesizer,
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
	job->synthesizer = synthesizer;
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
	job->voice_rate =
		request->voice->sample_rate ? request->voice->sample_rate : JOB_RATE_GUESSED;
	job->voice = job_keep(&at, voice, strlen(voice));
	job->language = job_keep(&at, request->language, language_len);
	job->text = job_keep(&at, request->text, request->text_len);
	job->text_len = request->text_len;
	job->before = job_keep(&at, request->text_before, request->text_before_len);
	job->before_len = request->text_before_len;
	mem_set_destructor(job, job_destroy);
	turn_state_find(job);
	err = job_keep_phonemes(job, request);
	if (err)
		mem_deref(job);
	else
		*jobp = job;
	return err;
}

uint64_t job_due_us(const struct speech_job *job)
{
	uint64_t due_us = job->due_us;

	if (job->sample_rate)
		due_us += job->received * 1000000u / job->sample_rate;
	if (job->yields && due_us < job->state_since_us + JOB_YIELD_US)
		due_us = job->state_since_us + JOB_YIELD_US;
	return due_us;
}

uint64_t job_redo_us(const struct speech_job *job)
{
	if (job->received == 0)
		return 0;
	return (job->received + job->stock) * job->synthesizer->busy_us_per_second /
	       job->sample_rate;
}

static uint64_t job_rank(const struct speech_job *job)
{
	uint64_t grace_us = 2 * (uint64_t)job->synthesizer->busy_us_per_second;
	uint64_t redo_us = job->seat ? 0 : job_redo_us(job);
	uint64_t due_us = job_due_us(job);

	if (job->pool->options.order == POOL_BY_ARRIVAL)
		return job->arrival;
	if (!job->first || job->received > 0)
		return due_us > redo_us ? due_us - redo_us : 0;
	return due_us + (grace_us < JOB_FIRST_GRACE_MAX_US ? grace_us : JOB_FIRST_GRACE_MAX_US);
}

static bool job_is_before(const struct heap_node *a, const struct heap_node *b)
{
	const struct speech_job *one = HEAP_CONST_OBJECT(a, struct speech_job, node);
	const struct speech_job *other = HEAP_CONST_OBJECT(b, struct speech_job, node);

	return one->rank != other->rank ? one->rank < other->rank : one->place < other->place;
}

struct speech_job *job_earlier(struct speech_job *one, struct speech_job *other)
{
	if (!one || !other)
		return one ? one : other;
	return other->rank < one->rank ? other : one;
}

void job_queue_init(struct job_queue *queue)
{
	heap_init(&queue->by_rank, job_is_before);
	list_init(&queue->jobs);
}

struct speech_job *job_queue_first(const struct job_queue *queue)
{
	struct heap_node *node = heap_first(&queue->by_rank);

	return node ? HEAP_OBJECT(node, struct speech_job, node) : NULL;
}

static void job_leave(struct speech_job *job)
{
	if (job->heap)
		heap_remove(job->heap, &job->node);
	if (job->list)
		list_remove(job->list, &job->link);
	if (job->is_stuck)
		--job->synthesizer->stuck;
	job->is_stuck = false;
	job->heap = NULL;
	job->list = NULL;
}

void job_move(struct speech_job *job, enum job_state state)
{
	struct synthesizer *synthesizer = job->synthesizer;
	struct job_queue *queue = NULL;

	job_leave(job);
	job->state = state;
	job->state_since_us = loop_now_us(job->pool->loop);
	switch (state) {
	case JOB_NEW:
		return;
	case JOB_QUEUED:
		queue = job->group               ? &job->group->queued
			: turn_state_worker(job) ? &synthesizer->bound
						 : &synthesizer->queued;
		break;
	case JOB_PARKED:
		queue = &synthesizer->parked;
		break;
	case JOB_RUNNING:
		job->list = &synthesizer->running;
		break;
	case JOB_HELD:
		job->list = job->seat ? &synthesizer->held : &synthesizer->aside;
		break;
	}
	if (queue) {
		job->rank = job_rank(job);
		job->place = ++job->pool->places;
		job->list = &queue->jobs;
		job->heap = &queue->by_rank;
		heap_add(job->heap, &job->node);
	}
	list_append(job->list, &job->link);
}

/* The job has a seat.  If samples of the last try were kept back, the first ones of this try will be
 * cross-faded with them. */
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
static void job_tell(struct speech_job *job, const int16_t *samples, size_t count)
{
	if (count > 0 && job->listener)
		job->listener->audio(job->arg, samples, count, job->sample_rate);
}

/* Cross-fades from the kept samples, which are in job->tail until that is done, to the new ones, which
 * are overwritten with the result. */
static void job_fade(struct speech_job *job, int16_t *samples, size_t count)
{
	for (size_t i = 0; i < count && job->fade_done < job->fade_len; ++i, ++job->fade_done) {
		int new_part = (int)(2 * job->fade_done + 1);
		int whole = (int)(2 * job->fade_len);
		int old = job->tail[job->fade_done];

		samples[i] = (int16_t)((old * (whole - new_part) + samples[i] * new_part) / whole);
	}
}

/* Passes on all but the last few samples, which are kept for a cross-fade. */
static void job_tell_keeping_tail(struct speech_job *job, const int16_t *samples, size_t count)
{
	size_t keep_len = job->sample_rate * CROSS_FADE_MS / 1000;
	size_t from_tail;

	if (keep_len > CROSS_FADE_MAX)
		keep_len = CROSS_FADE_MAX;
	if (count >= keep_len) {
		job_tell(job, job->tail, job->tail_len);
		job_tell(job, samples, count - keep_len);
		memcpy(job->tail, samples + count - keep_len, keep_len * sizeof(*samples));
		job->tail_len = (unsigned)keep_len;
		return;
	}
	from_tail = job->tail_len + count > keep_len ? job->tail_len + count - keep_len : 0;
	job_tell(job, job->tail, from_tail);
	memmove(job->tail, job->tail + from_tail, (job->tail_len - from_tail) * sizeof(*samples));
	memcpy(job->tail + job->tail_len - from_tail, samples, count * sizeof(*samples));
	job->tail_len += (unsigned)(count - from_tail);
}

static void job_take_samples(struct speech_job *job, int16_t *samples, size_t count)
{
	size_t joined = 0;

	if (job->fade_done < job->fade_len) {
		joined = job->fade_len - job->fade_done;
		if (joined > count)
			joined = count;
		job_fade(job, samples, joined);
		job_tell(job, samples, joined);
	}
	if (job->synthesizer->capabilities & MESSAGE_DETERMINISTIC &&
	    !turn_state_has_forgotten(job))
		job_tell(job, samples + joined, count - joined);
	else if (joined < count)
		job_tell_keeping_tail(job, samples + joined, count - joined);
}

void job_audio(struct speech_job *job, const struct message_audio *audio)
{
	/* A copy, because the samples of a message may not be aligned, and job_fade changes them. */
	static _Thread_local int16_t samples[4096];
	const unsigned char *from = audio->samples;
	size_t left = audio->count;

	job->sample_rate = audio->sample_rate;
	job->busy_us = audio->busy_us;
	job->received += audio->count;
	retry_check_progress(job);
	mem_ref(job); /* the listener may cancel it */
	while (left > 0 && job->listener) {
		size_t n = left < 4096 ? left : 4096;

		memcpy(samples, from, n * sizeof(samples[0]));
		job_take_samples(job, samples, n);
		from += n * sizeof(samples[0]);
		left -= n;
	}
	mem_deref(job);
}

void job_word(struct speech_job *job, const struct message_word *word)
{
	struct speech_word heard = {
		.sample_start = word->sample_start,
		.sample_end = word->sample_end,
		.byte_start = word->byte_start,
		.byte_end = word->byte_end,
	};

	if (job->words_again++ < job->words)
		return; /* the listener was given it in an earlier try */
	++job->words;
	if (word->byte_start < word->byte_end && word->byte_end <= job->text_len)
		job->listener->word(job->arg, &heard);
}

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
		job_tell(job, job->tail, job->fade_done < job->fade_len ? 0 : job->tail_len);
		if (job->listener)
			job_end(job, SPEECH_DONE);
		mem_deref(job);
	} else if (done->status == MESSAGE_DONE_UNKNOWN_VOICE) {
		job_end(job, SPEECH_UNAVAILABLE); /* the voice was removed after the request */
	} else {
		job_end(job, SPEECH_FAILED);
	}
}

static void job_on_no_worker(void *arg)
{
	struct speech_job *job = arg;

	job_end(job, SPEECH_UNAVAILABLE);
}

void job_wait_anew(struct speech_job *job)
{
	bool has_begun = !job->first || job->received > 0 || job->deaths > 0;
	unsigned wait_ms = job->pool->options.start_timeout_ms;

	if (!fleet_has_answered(job->synthesizer->fleet) &&
	    wait_ms < job->pool->options.load_timeout_ms)
		wait_ms = job->pool->options.load_timeout_ms;
	if (has_begun && wait_ms < JOB_WAIT_IN_TURN_MS)
		wait_ms = JOB_WAIT_IN_TURN_MS;
	timer_set(&job->pool->loop->timers, &job->start_timer, wait_ms * UINT64_C(1000),
		  job_on_no_worker, job);
}

/* Queues the job, for the first time or because it has lost its seat.  If its listener is full, it is
 * put aside instead. */
void job_requeue(struct speech_job *job)
{
	job->seat = NULL;
	if (job->held) {
		job_move(job, JOB_HELD);
		return;
	}
	job_move(job, JOB_QUEUED);
	job_wait_anew(job);
	scheduler_run_soon(job->pool);
}
