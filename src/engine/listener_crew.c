/*
 * listener_crew.c: the threads that recognize pieces of audio (see listener_crew.h).
 */
#include "engine/listener_crew.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

/* The stack of a thread: recognizers keep the tokens of a piece on it, and networks need some. */
#define STACK_SIZE (2u << 20)

struct listener_crew {
	pthread_mutex_t *lock;
	listener_crew_answer_h *answer;
	void *arg;
	pthread_cond_t changed; /* pieces wait, or a processor is free, or all is over */
	pthread_cond_t all_idle; /* all threads have started */
	struct list waiting; /* pieces */
	struct list begun; /* running or paused */
	unsigned processors;
	unsigned running;
	unsigned partials; /* of those that were begun */
	size_t started, idle;
	bool is_over;
	pthread_t threads[];
};

static void listener_piece_destroy(void *object)
{
	struct listener_piece *piece = object;

	free(piece->language);
	free(piece->prompt);
	free(piece->samples);
}

int listener_piece_alloc(struct listener_piece **piecep, size_t samples, const char *language,
			 const char *prompt)
{
	struct listener_piece *piece = mem_zalloc(sizeof(*piece), listener_piece_destroy);

	if (!piece)
		return ENOMEM;
	piece->language = strdup(language);
	piece->prompt = strdup(prompt);
	piece->samples = calloc(samples, sizeof(*piece->samples));
	if (!piece->language || !piece->prompt || !piece->samples) {
		mem_deref(piece);
		return ENOMEM;
	}
	*piecep = piece;
	return 0;
}

static struct listener_piece *listener_crew_next(const struct list *list, const struct link *link)
{
	struct link *next = link ? list_next(list, link) : list_first(list);

	return next ? LIST_OBJECT(next, struct listener_piece, link) : NULL;
}

static bool listener_crew_precedes(const struct listener_piece *piece,
				   const struct listener_piece *other)
{
	if (piece->is_final != other->is_final)
		return piece->is_final;
	return piece->due_us < other->due_us;
}

static size_t listener_crew_count_finals(const struct listener_crew *crew)
{
	struct listener_piece *piece = NULL;
	size_t count = 0;

	while ((piece = listener_crew_next(&crew->waiting, piece ? &piece->link : NULL)))
		count += piece->is_final;
	return count;
}

/* The piece that a thread may begin now. Partial ones leave a thread for each processor to final
 * ones, because one that is paused keeps its thread. */
static struct listener_piece *listener_crew_choose(const struct listener_crew *crew)
{
	struct listener_piece *best = NULL;
	struct listener_piece *piece = NULL;

	while ((piece = listener_crew_next(&crew->waiting, piece ? &piece->link : NULL))) {
		if (piece->is_useless)
			return piece; /* it costs nothing */
		if (crew->running >= crew->processors ||
		    (!piece->is_final && crew->partials >= crew->processors))
			continue;
		if (!best || listener_crew_precedes(piece, best))
			best = piece;
	}
	return best;
}

/* Lets a final piece have the processor, if more of them wait than have one. */
static void listener_crew_yield(struct listener_crew *crew, const struct listener_piece *piece)
{
	if (piece->is_final || crew->running + listener_crew_count_finals(crew) <= crew->processors)
		return;
	--crew->running;
	pthread_cond_broadcast(&crew->changed);
	while (!piece->is_dropped && !piece->is_useless && !crew->is_over &&
	       crew->running + listener_crew_count_finals(crew) >= crew->processors)
		pthread_cond_wait(&crew->changed, crew->lock);
	++crew->running;
}

/* Between two steps of the decoder. */
static bool listener_crew_is_cancelled(void *arg)
{
	struct listener_piece *piece = arg;
	struct listener_crew *crew = piece->crew;
	bool is_cancelled;

	pthread_mutex_lock(crew->lock);
	listener_crew_yield(crew, piece);
	is_cancelled = piece->is_dropped || piece->is_useless;
	pthread_mutex_unlock(crew->lock);
	return is_cancelled;
}

/* Without the lock. */
static int listener_crew_recognize(struct listener_piece *piece, struct recognizer_result *result,
				   char why[RUNTIME_WHY_SIZE])
{
	size_t count = (size_t)(piece->to - piece->from);
	float *samples = calloc(count, sizeof(*samples));
	const struct recognizer_piece request = {
		.samples = samples,
		.count = count,
		.language = piece->language,
		.prompt = piece->prompt,
		.want_times = piece->want_times,
		.is_cancelled = listener_crew_is_cancelled,
		.arg = piece,
	};
	int err = ENOMEM;

	snprintf(why, RUNTIME_WHY_SIZE, "%s", strerror(ENOMEM));
	if (samples) {
		for (size_t i = 0; i < count; ++i)
			samples[i] = (float)piece->samples[i] / 32768.0F;
		err = recognizer_run(piece->recognizer, result, &request, why);
	}
	free(samples);
	return err;
}

/* Called with the lock held, which is released while the piece is recognized. */
static void listener_crew_run(struct listener_crew *crew, struct listener_piece *piece)
{
	struct recognizer_result result;
	char why[RUNTIME_WHY_SIZE];
	uint64_t began_us;
	bool is_useless = piece->is_useless;
	int err = ECANCELED;

	list_remove(&crew->waiting, &piece->link);
	list_append(&crew->begun, &piece->link);
	++crew->running;
	crew->partials += !piece->is_final;
	recognizer_result_init(&result);
	pthread_mutex_unlock(crew->lock);
	began_us = clock_thread_cpu_us();
	if (!is_useless)
		err = listener_crew_recognize(piece, &result, why);
	piece->busy_us = clock_thread_cpu_us() - began_us;
	pthread_mutex_lock(crew->lock);
	--crew->running;
	crew->partials -= !piece->is_final;
	if (err == ECANCELED) {
		recognizer_result_reset(&result);
		err = 0;
	}
	pthread_cond_broadcast(&crew->changed);
	crew->answer(piece, &result, err, why, crew->arg);
	list_remove(&crew->begun, &piece->link);
	recognizer_result_reset(&result);
	mem_deref(piece);
}

static size_t listener_crew_threads(const struct listener_crew *crew)
{
	return 2 * (size_t)crew->processors;
}

static void *listener_crew_thread(void *arg)
{
	struct listener_crew *crew = arg;

	pthread_mutex_lock(crew->lock);
	if (++crew->idle == listener_crew_threads(crew))
		pthread_cond_signal(&crew->all_idle);
	while (!crew->is_over) {
		struct listener_piece *piece = listener_crew_choose(crew);

		if (piece)
			listener_crew_run(crew, piece);
		else
			pthread_cond_wait(&crew->changed, crew->lock);
	}
	pthread_mutex_unlock(crew->lock);
	return NULL;
}

static void listener_crew_drop_waiting(struct listener_crew *crew, uint32_t job, bool all)
{
	struct listener_piece *piece = listener_crew_next(&crew->waiting, NULL);

	while (piece) {
		struct listener_piece *next = listener_crew_next(&crew->waiting, &piece->link);

		if (all || piece->job == job) {
			list_remove(&crew->waiting, &piece->link);
			mem_deref(piece);
		}
		piece = next;
	}
}

static void listener_crew_destroy(void *object)
{
	struct listener_crew *crew = object;

	pthread_mutex_lock(crew->lock);
	crew->is_over = true;
	listener_crew_drop_waiting(crew, 0, true);
	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(crew->lock);
	for (size_t i = 0; i < crew->started; ++i)
		pthread_join(crew->threads[i], NULL);
	assert(crew->begun.count == 0);
	pthread_cond_destroy(&crew->changed);
	pthread_cond_destroy(&crew->all_idle);
}

/* Starting a thread takes system calls that the engine filter refuses, so this waits for them. */
static int listener_crew_start(struct listener_crew *crew)
{
	size_t size = listener_crew_threads(crew);
	pthread_attr_t attr;
	int err = pthread_attr_init(&attr);

	if (err)
		return err;
	err = pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_mutex_lock(crew->lock);
	while (!err && crew->started < size) {
		err = pthread_create(&crew->threads[crew->started], &attr, listener_crew_thread,
				     crew);
		crew->started += !err;
	}
	while (!err && crew->idle < size)
		pthread_cond_wait(&crew->all_idle, crew->lock);
	pthread_mutex_unlock(crew->lock);
	pthread_attr_destroy(&attr);
	return err;
}

int listener_crew_alloc(struct listener_crew **crewp, pthread_mutex_t *lock, unsigned processors,
			listener_crew_answer_h *answer, void *arg)
{
	struct listener_crew *crew =
		mem_zalloc(sizeof(*crew) + 2 * (size_t)processors * sizeof(crew->threads[0]), NULL);
	int err;

	if (!crew)
		return ENOMEM;
	crew->lock = lock;
	crew->processors = processors;
	crew->answer = answer;
	crew->arg = arg;
	list_init(&crew->waiting);
	list_init(&crew->begun);
	pthread_cond_init(&crew->changed, NULL);
	pthread_cond_init(&crew->all_idle, NULL);
	mem_set_destructor(crew, listener_crew_destroy);
	err = listener_crew_start(crew);
	if (err)
		mem_deref(crew);
	else
		*crewp = crew;
	return err;
}

static void listener_crew_supersede(const struct list *list, uint32_t job)
{
	struct listener_piece *piece = NULL;

	while ((piece = listener_crew_next(list, piece ? &piece->link : NULL)))
		if (piece->job == job && !piece->is_final)
			piece->is_useless = true;
}

void listener_crew_put(struct listener_crew *crew, struct listener_piece *piece)
{
	if (piece->is_final) {
		listener_crew_supersede(&crew->waiting, piece->job);
		listener_crew_supersede(&crew->begun, piece->job);
	}
	piece->crew = crew;
	list_append(&crew->waiting, &piece->link);
	pthread_cond_broadcast(&crew->changed);
}

void listener_crew_drop(struct listener_crew *crew, uint32_t job)
{
	struct listener_piece *piece = NULL;

	listener_crew_drop_waiting(crew, job, false);
	while ((piece = listener_crew_next(&crew->begun, piece ? &piece->link : NULL)))
		if (piece->job == job)
			piece->is_dropped = true;
	pthread_cond_broadcast(&crew->changed);
}

size_t listener_crew_busy(const struct listener_crew *crew)
{
	return crew->waiting.count + crew->begun.count;
}

unsigned listener_crew_processors(const struct listener_crew *crew)
{
	return crew->processors;
}
