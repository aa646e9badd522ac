/*
 * pool_private.h: the objects of pool.h, shared by these files:
 *
 *   pool.c         all engines, and what is known of all of them together
 *   scheduler.c    which job gets credit next
 *   slice.c        how much credit it gets
 *   seating.c      which job gets which seat
 *   synthesizer.c  one engine: its fleet of workers and their messages
 *   greeting.c     what workers say about the engine before they are ready
 *   expect.c       the voices that an engine will have once it has loaded
 *   turn_state.c   turns that have state on a worker
 *   job.c          one chunk: its samples put together, also after a retry
 *   retry.c        which workers make the jobs of a dead worker again
 *
 * A job is on the list or queue that belongs to its state, and job_move is the only
 * function that changes these:
 *
 *   state    has                           is on
 *   queued   no seat                       group->queued if it has a group, else
 *                                          synthesizer->bound if its turn has state on
 *                                          a worker, else synthesizer->queued
 *   running  a seat and credit             synthesizer->running
 *   parked   a seat, and waits for credit  synthesizer->parked
 *   held     no credit, because its        synthesizer->held if it has a seat,
 *            listener is full              else synthesizer->aside
 *
 * A job is urgent if its listener runs out of audio soon (SCHEDULER_CALM_US).  If an
 * urgent job finds no seat, a parked or held job whose listener has enough audio gives
 * up its own (seating.c).
 *
 * Queues are heaps by rank: the job whose listener runs out of audio first is on top.
 */
#ifndef SPEECH_POOL_PRIVATE_H
#define SPEECH_POOL_PRIVATE_H

#include "base/heap.h"
#include "speech/pool.h"
#include "workers/affinity.h"
#include "workers/fleet.h"
#include "workers/message.h"
#include "workers/notes.h"
#include "workers/seat.h"

/* The cross-fade after a retry on an engine whose samples differ from try to try. */
#define CROSS_FADE_MS 5
#define CROSS_FADE_MAX (48000 * CROSS_FADE_MS / 1000)

/* The sample rates that an engine may use, in Hz: those that the audio pipeline accepts. */
#define SPEECH_RATE_MIN 8000
#define SPEECH_RATE_MAX 48000

static inline bool speech_is_rate(uint32_t sample_rate)
{
	return sample_rate >= SPEECH_RATE_MIN && sample_rate <= SPEECH_RATE_MAX;
}

enum job_state { JOB_NEW, JOB_QUEUED, JOB_RUNNING, JOB_PARKED, JOB_HELD };

/* Jobs in the order of their rank, and also on a list, to go through all of them. */
struct job_queue {
	struct heap by_rank;
	struct list jobs;
};

struct speech_job {
	struct pool *pool;
	struct synthesizer *synthesizer;
	enum job_state state;
	struct list *list; /* the list that the job is on; NULL: none */
	struct heap *heap; /* the heap of the same queue; NULL: that list is not a queue's */
	struct link link;
	struct heap_node node;
	uint64_t rank; /* in the heap: the job with the lowest rank is first */
	uint64_t place; /* decides among jobs of equal rank: counts up as jobs are queued */
	uint64_t state_since_us; /* when the job got its state */
	bool is_stuck; /* running, and silent for so long that its slot is given to others */

	const struct speech_listener *listener;
	void *arg;
	bool held; /* the listener asked for a pause */
	bool first; /* it is the first chunk of its turn */
	bool yields; /* it is never urgent */
	bool was_granted; /* it has been given credit at least once */
	unsigned preempted; /* how often it gave up its seat for an urgent job */
	uint64_t asked_us; /* when the job was created */
	uint64_t arrival; /* the number of the job, in the order of creation */
	struct timer start_timer; /* the job is refused if it has no worker by then */

	/* See retry.c. */
	unsigned deaths; /* how many workers died with this job on them */
	struct retry_group *group; /* NULL: it is not suspected of having caused a death */
	struct link member; /* on group->members */
	bool had_credit; /* it had credit at the last death */
	uint64_t made_at_death; /* samples of the chunk that had been made at the last death */

	struct seat *seat; /* NULL: it has none */
	struct turn_state *turn_state; /* NULL: its turn has none */
	uint64_t due_us; /* when the listener would need the first sample of the chunk */
	unsigned sample_rate; /* 0 until the first samples */
	unsigned voice_rate; /* the voice's rate, used until sample_rate is known */
	uint64_t received; /* samples of the chunk so far, over all tries */
	uint32_t busy_us; /* the engine's time in this try */
	uint32_t busy_before_us; /* the engine's time in earlier tries */
	uint32_t stock; /* samples that its worker has made beyond its credit */
	unsigned words; /* how many words its listener has been given */
	unsigned words_again; /* words of the current try; the first `words` were given before */

	/* The last samples received, kept back until more follow, so that a
	 * retry has something to fade from (engines that are not deterministic). */
	int16_t tail[CROSS_FADE_MAX];
	unsigned tail_len;
	unsigned fade_done, fade_len; /* samples of the cross-fade in progress */

	/* The request, kept for a retry; the strings follow the struct. */
	uint64_t turn;
	float speed, temperature, pitch;
	uint64_t seed; /* the same for every try */
	const char *voice; /* the engine's name for the voice, because the catalogue may change */
	char variant[VOICE_VARIANT_MAX];
	const char *language;
	const char *text;
	size_t text_len;
	const char *before;
	size_t before_len;
	struct buf phonemes; /* as they are encoded in messages */
	uint16_t phonemes_count;
	char strings[];
};

/* What a worker says about its engine before READY. */
struct greeting {
	struct voice *voices; /* without ids */
	size_t voice_count;
	struct notes notes;
	uint32_t capabilities;
};

/* Jobs that were on one worker when it died, and are made again on a worker that has no other
 * work. */
struct retry_group {
	struct link link; /* on synthesizer->groups */
	struct synthesizer *synthesizer;
	struct list members; /* until they are split, jobs that had credit come first */
	struct job_queue queued; /* members that wait for a seat */
	uint64_t died; /* the serial of the dead worker until its jobs are split, then 0 */
	unsigned deaths; /* how many workers died with each member on them */
	bool is_alone; /* it has a single member, which is at fault if the next worker dies, too */
	uint64_t newer_than; /* the serial of the last worker at the time of the death */
	uint64_t worker; /* the serial of the worker that the group has claimed; 0: none */
};

/* An engine: its fleet of workers, and the jobs of its voices. */
struct synthesizer {
	struct link link; /* on pool->synthesizers */
	struct pool *pool;
	char name[VOICE_ENGINE_MAX];
	struct fleet *fleet;
	struct job_queue queued;
	struct job_queue bound; /* queued jobs that need the worker that has their turn's state */
	struct list turns; /* turn_state objects, until their turns end */
	struct job_queue parked;
	struct list groups; /* retry_group objects */
	struct list running;
	unsigned stuck; /* running jobs that are stuck (job->is_stuck) */
	struct list held; /* held jobs that have a seat, the longest held one first */
	struct list aside; /* held jobs that have no seat */
	unsigned slots; /* slots of its own; 0: it shares those of the machine */
	bool worked_before; /* it had voices when the server last ran */
	struct notes notes;
	size_t voice_count;
	bool knows_capabilities;
	uint32_t capabilities;
	uint32_t busy_us_per_second; /* the engine's time for a second of audio, measured */
};

struct pool {
	struct speech speech; /* first, because pool_speech returns it */
	struct loop *loop;
	struct pool_options options;
	char **launcher;
	char **environment;
	struct voices *voices;
	struct list synthesizers;
	uint64_t arrivals; /* the number of jobs so far */
	uint64_t places; /* the last value of job->place */
	struct deferred schedule;
	struct timer tick; /* for decisions that depend on time alone */
	bool all_answered; /* every engine has answered once; from then on they have spare workers */
	bool ready_told; /* ready_handler was called */
	void (*ready_handler)(void *arg);
	void *ready_arg;
	uint64_t retries, taken_back, replays;
};

/* pool.c */
void pool_check_ready(struct pool *pool);
struct synthesizer *pool_find(const struct pool *pool, const char *engine);
struct synthesizer *pool_first(const struct pool *pool);
struct synthesizer *pool_next(const struct pool *pool, const struct synthesizer *synthesizer);

/* scheduler.c */
/* A job whose listener has this much audio left is not urgent.  It does not interrupt a running job,
 * because a switch to another process costs that job its caches. */
#define SCHEDULER_CALM_US 500000

extern const struct speech_ops scheduler_speech_ops;
void scheduler_start(struct pool *pool);
void scheduler_stop(struct pool *pool);
void scheduler_run_soon(struct pool *pool);
/* The job's credit is used up. */
void scheduler_spent(struct speech_job *job);
/* Counts a running job's slot as taken or not, by when its worker was last heard. */
void scheduler_check_stuck(struct speech_job *job);

/* seating.c */
/* Before jobs are served: gives workers to groups and lets jobs give up seats that others need at
 * once. */
void seating_prepare(struct synthesizer *synthesizer);
/* Of the jobs that have no seat, the first for which there is one. */
struct speech_job *seating_first(const struct synthesizer *synthesizer);
/* The worker on which such a job gets its seat. */
struct worker *seating_worker(const struct speech_job *job);
/* There is an urgent job that has no seat and finds none. */
bool seating_lacks_seat(const struct synthesizer *synthesizer);
/* After jobs were served: starts workers for those that still wait, and takes back seats of jobs
 * whose listeners are full. */
void seating_finish(struct synthesizer *synthesizer);

/* slice.c */
/* The credit for about this much of the engine's time. */
uint32_t slice_samples(const struct speech_job *job, unsigned work_us);
/* Takes a part from the job's stock and returns it: the credit with which these samples are
 * fetched. */
uint32_t slice_stock(struct speech_job *job);

/* synthesizer.c */
int synthesizer_alloc(struct synthesizer **synthesizerp, struct pool *pool, const char *name,
		      const char *program);

/* greeting.c */
/* Reads what a worker said until READY.  Invalid voices are logged and left out.  ENOMEM; EPROTO:
 * READY is missing, or the bytes are not messages. */
int greeting_read(struct greeting *greeting, const char *engine, const struct buf *said);
/* Adds a voice of the built-in table; only its engine knows the rest of its properties.  ENOMEM. */
int greeting_expect_voice(struct greeting *greeting, const char *engine,
			  const struct voice_speaker *speaker, const char *language);
void greeting_reset(struct greeting *greeting);

/* expect.c */
void expect_voices(struct synthesizer *synthesizer);

/* turn_state.c */
/* Sets job->turn_state if the job's turn has one. */
void turn_state_find(struct speech_job *job);
/* Must be called before the job takes a seat.  If the worker keeps state and does not have that of
 * the job's turn, it is sent what it needs to rebuild it.  *replayed_us is how much audio that is.
 * ENOMEM. */
int turn_state_enter(struct speech_job *job, struct worker *worker, uint64_t *replayed_us);
/* The job's worker has sent DONE. */
void turn_state_done(struct speech_job *job, bool was_spoken);
/* The job's seat was called off in the middle of the chunk. */
void turn_state_called_off(struct speech_job *job);
/* The only worker that may do the job, because it has the state of its turn; NULL: any worker may. */
struct worker *turn_state_worker(const struct speech_job *job);
/* The history of the job's turn is not complete, so that samples after a replay may differ. */
bool turn_state_has_forgotten(const struct speech_job *job);
/* Queues bound jobs for any worker if the worker that had the state of their turn cannot be used. */
void turn_state_unbind(struct synthesizer *synthesizer);
/* Of the bound jobs whose worker has a free seat, the one with the lowest rank. */
struct speech_job *turn_state_first(const struct synthesizer *synthesizer);
/* A bound job of this rank or a lower one waits, and its worker neither has a free seat nor is about
 * to free one.  Only for jobs bound to the worker of `seat`, unless that is NULL. */
bool turn_state_lacks_seat(const struct synthesizer *synthesizer, const struct seat *seat,
			   uint64_t rank_max);
/* How much audio another worker would have to replay to have the state of the job's turn. */
uint64_t turn_state_audio_us(const struct speech_job *job);
/* The turn has ended: its state is freed on all engines. */
void turn_state_end(struct pool *pool, uint64_t id);
void turn_state_end_all(struct synthesizer *synthesizer);

/* job.c */
int job_alloc(struct speech_job **jobp, struct pool *pool, struct synthesizer *synthesizer,
	      const struct speech_request *request);
void job_queue_init(struct job_queue *queue);
struct speech_job *job_queue_first(const struct job_queue *queue);
/* Returns the job with the lower rank; either may be NULL. */
struct speech_job *job_earlier(struct speech_job *one, struct speech_job *other);
void job_move(struct speech_job *job, enum job_state state);
uint64_t job_due_us(const struct speech_job *job);
/* The engine's time for what must be made again if the job continues on another seat. */
uint64_t job_redo_us(const struct speech_job *job);
void job_make_speak(const struct speech_job *job, struct message *speak, uint32_t credit);
void job_begin_try(struct speech_job *job);
void job_audio(struct speech_job *job, const struct message_audio *audio);
void job_word(struct speech_job *job, const struct message_word *word);
void job_done(struct speech_job *job, const struct message_done_report *done);
/* Calls `end` of the listener and releases the job. */
void job_end(struct speech_job *job, enum speech_end how);
void job_requeue(struct speech_job *job);
/* Restarts the timer after which a job that has no worker is refused. */
void job_wait_anew(struct speech_job *job);

/* retry.c */
/* Into how many groups the jobs of a worker that died are divided.  `deaths` is the number of deaths
 * that each job has been through, including this one, and `idle` the number of idle workers. */
unsigned retry_group_count(unsigned jobs, unsigned deaths, unsigned idle);
/* How many of the jobs are in the group with this index.  The first `running` jobs had credit; if
 * they do not fill the first group, that group has no other jobs. */
unsigned retry_group_size(unsigned index, unsigned groups, unsigned jobs, unsigned running);
/* The worker with this serial died with the job on it: the job waits for another one, or fails. */
void retry_worker_died(struct speech_job *job, uint64_t serial);
/* Removes the job from its group if more has been received of it than had been made when the worker
 * died. */
void retry_check_progress(struct speech_job *job);
/* Removes the job from its group, if it has one.  The job must not be queued there. */
void retry_leave(struct speech_job *job);
/* Divides the jobs of workers that have died into groups, and claims workers for the groups that
 * wait for one.  Must be called before jobs are served. */
void retry_assign_workers(struct synthesizer *synthesizer);
/* Of the jobs in groups for which there is a seat, the one with the lowest rank. */
struct speech_job *retry_first(const struct synthesizer *synthesizer);
/* The worker that the job's group has claimed.  Only for a job that has a group. */
struct worker *retry_worker(const struct speech_job *job);
/* The number of groups that wait for a worker.  *newer_than is the serial that the worker of the
 * first group must exceed if the group is a single job. */
size_t retry_waiting(const struct synthesizer *synthesizer, uint64_t *newer_than);
/* The number of jobs in groups that wait for a seat. */
size_t retry_queued(const struct synthesizer *synthesizer);

#endif
