/*
 * turn_state.c: turns whose engine keeps state between their chunks.
 *
 * A turn_state exists for a turn from its first chunk on a worker that keeps state until
 * the turn ends.  It knows which worker has the state (workers/affinity.h), and it has the
 * chunks that have been spoken, as the messages with which another worker can rebuild the
 * state.
 *
 * A chunk is added when it has been spoken to its end.  If a chunk is called off before its
 * end, the state on the worker includes a part of a chunk and cannot be used: the worker is
 * asked to free it, and the next chunk begins with a replay, even on the same worker.
 *
 * Jobs whose turn has its state on a worker wait in a queue of their own (`bound`), because
 * they cannot use other workers and must not block jobs that can.
 *
 * Runs on the loop's thread.  A turn's state belongs to its synthesizer; its job
 * has a reference.
 */
#include <errno.h>

#include "base/mem.h"
#include "speech/pool_private.h"

struct turn_state {
	struct link link; /* on synthesizer->turns */
	struct synthesizer *synthesizer; /* NULL: the turn has ended */
	struct affinity affinity;
	struct buf history; /* REPLAY messages of the last chunks */
	unsigned history_count;
	bool has_forgotten; /* a chunk is missing from the history */
	uint64_t audio_us; /* the duration of all its chunks */
};

static void turn_state_destroy(void *object)
{
	struct turn_state *turn = object;

	affinity_end(&turn->affinity);
	buf_reset(&turn->history);
}

void turn_state_find(struct speech_job *job)
{
	const struct list *turns = &job->synthesizer->turns;

	for (struct link *l = list_first(turns); l; l = list_next(turns, l)) {
		struct turn_state *turn = LIST_OBJECT(l, struct turn_state, link);

		if (turn->affinity.turn == job->turn) {
			job->turn_state = mem_ref(turn);
			return;
		}
	}
}

static int turn_state_alloc(struct speech_job *job)
{
	struct turn_state *turn = mem_zalloc(sizeof(*turn), NULL);

	if (!turn)
		return ENOMEM;
	turn->synthesizer = job->synthesizer;
	turn->affinity.turn = job->turn;
	buf_init(&turn->history, 2 * (size_t)MESSAGE_PAYLOAD_MAX);
	mem_set_destructor(turn, turn_state_destroy);
	list_append(&job->synthesizer->turns, &turn->link);
	job->turn_state = mem_ref(turn);
	return 0;
}

static void turn_state_close(struct turn_state *turn)
{
	list_remove(&turn->synthesizer->turns, &turn->link);
	turn->synthesizer = NULL;
	affinity_end(&turn->affinity);
	mem_deref(turn);
}

void turn_state_end(struct pool *pool, uint64_t id)
{
	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s)) {
		struct link *next;

		for (struct link *l = list_first(&s->turns); l; l = next) {
			struct turn_state *turn = LIST_OBJECT(l, struct turn_state, link);

			next = list_next(&s->turns, l);
			if (turn->affinity.turn == id)
				turn_state_close(turn);
		}
	}
}

void turn_state_end_all(struct synthesizer *synthesizer)
{
	struct link *link;

	while ((link = list_first(&synthesizer->turns)))
		turn_state_close(LIST_OBJECT(link, struct turn_state, link));
}

/* Decodes the message at `from`.  Returns its length in bytes; 0: it cannot be decoded. */
static size_t turn_state_take(const struct buf *history, size_t from, struct message *message)
{
	size_t used = 0;

	if (message_decode(message, &used, history->bytes + from, history->len - from) != 0)
		return 0;
	return used;
}

static void turn_state_send_history(const struct turn_state *turn)
{
	struct message message;
	size_t used;

	for (size_t at = 0; at < turn->history.len; at += used) {
		used = turn_state_take(&turn->history, at, &message);
		if (used == 0)
			return;
		affinity_send(&turn->affinity, &message);
	}
}

int turn_state_enter(struct speech_job *job, struct worker *worker, uint64_t *replayed_us)
{
	bool is_new;

	*replayed_us = 0;
	if (!affinity_is_kept_by(worker) || job->turn == 0)
		return 0;
	if (!job->turn_state) {
		int err = turn_state_alloc(job);

		if (err)
			return err;
	}
	is_new = job->turn_state->affinity.worker != worker;
	affinity_begin(&job->turn_state->affinity, worker);
	if (!is_new)
		return 0;
	scheduler_run_soon(job->pool); /* a turn whose state made room is not bound any more */
	if (job->turn_state->history_count == 0)
		return 0;
	turn_state_send_history(job->turn_state);
	*replayed_us = job->turn_state->audio_us;
	++job->pool->replays;
	return 0;
}

/* If there is no memory the turn continues, and replays will lack this chunk. */
static void turn_state_remember(struct turn_state *turn, const struct speech_job *job)
{
	const size_t bytes_max = MESSAGE_REPLAY_BYTES_MAX;
	struct message message;

	job_make_speak(job, &message, 0);
	message.type = MESSAGE_REPLAY;
	message.speak.skip_samples = 0;
	message.speak.deadline_ms = 0;
	message.speak.want_words = false;
	if (message_encode(&turn->history, &message) != 0) {
		turn->has_forgotten = true;
		return;
	}
	++turn->history_count;
	while (turn->history_count > MESSAGE_REPLAY_MAX ||
	       turn->history.len - turn->history_count * MESSAGE_HEADER_LEN > bytes_max) {
		buf_consume(&turn->history, turn_state_take(&turn->history, 0, &message));
		--turn->history_count;
		turn->has_forgotten = true;
	}
}

void turn_state_done(struct speech_job *job, bool was_spoken)
{
	struct turn_state *turn = job->turn_state;

	if (!turn || !turn->affinity.worker)
		return;
	if (!was_spoken) {
		affinity_end(&turn->affinity);
		return;
	}
	turn_state_remember(turn, job);
	if (job->sample_rate > 0)
		turn->audio_us += job->received * 1000000u / job->sample_rate;
	affinity_rest(&turn->affinity);
}

void turn_state_called_off(struct speech_job *job)
{
	if (job->turn_state)
		affinity_end(&job->turn_state->affinity);
}

struct worker *turn_state_worker(const struct speech_job *job)
{
	return job->turn_state ? affinity_worker(&job->turn_state->affinity) : NULL;
}

bool turn_state_has_forgotten(const struct speech_job *job)
{
	return job->turn_state && job->turn_state->has_forgotten;
}

void turn_state_unbind(struct synthesizer *synthesizer)
{
	const struct list *bound = &synthesizer->bound.jobs;
	struct link *next;

	for (struct link *l = list_first(bound); l; l = next) {
		struct speech_job *job = LIST_OBJECT(l, struct speech_job, link);

		next = list_next(bound, l);
		if (!turn_state_worker(job))
			job_move(job, JOB_QUEUED);
	}
}

struct speech_job *turn_state_first(const struct synthesizer *synthesizer)
{
	const struct list *bound = &synthesizer->bound.jobs;
	struct speech_job *first = NULL;

	for (struct link *l = list_first(bound); l; l = list_next(bound, l)) {
		struct speech_job *job = LIST_OBJECT(l, struct speech_job, link);

		if (turn_state_worker(job) && affinity_has_seat(&job->turn_state->affinity) &&
		    (!first || job->rank < first->rank))
			first = job;
	}
	return first;
}

bool turn_state_lacks_seat(const struct synthesizer *synthesizer, const struct seat *seat,
			   uint64_t rank_max)
{
	const struct list *bound = &synthesizer->bound.jobs;

	for (struct link *l = list_first(bound); l; l = list_next(bound, l)) {
		const struct speech_job *job = LIST_OBJECT(l, struct speech_job, link);
		const struct affinity *affinity = &job->turn_state->affinity;

		if (job->rank <= rank_max && turn_state_worker(job) &&
		    (!seat || affinity_is_at(affinity, seat)) && !affinity_has_seat(affinity) &&
		    !affinity_has_seat_coming(affinity))
			return true;
	}
	return false;
}

uint64_t turn_state_audio_us(const struct speech_job *job)
{
	return job->turn_state ? job->turn_state->audio_us : 0;
}
