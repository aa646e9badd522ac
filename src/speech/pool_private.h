/*
 * pool_private.h: the objects behind pool.h, shared by its files.
 *
 *   pool.c      who gets credit next
 *   slice.c     how much
 *   fleet.c     the processes of one engine: started, replaced, kept in number
 *   worker.c    one process: its link, its seats, what it says
 *   launch.c    how that process is started
 *   greeting.c  what it says of its engine
 *   record.c    what it said when the server last ran
 *   expect.c    the voices it will have once it has loaded
 *   job.c       one chunk: its samples put together, also after a retry
 *
 * A job is on exactly one list, and the list is its state; job_move is the
 * only function that changes it:
 *
 *   queued   no worker                     (fleet->queued, by deadline; those
 *            that were on a dying worker in fleet->again)
 *   running  a worker, and credit          (pool->running)
 *   parked   a worker, no credit, wants it (pool->parked, by deadline)
 *   held     no credit, its listener is full (pool->held); with a
 *            worker at first, without one when others needed it
 */
#ifndef SPEECH_POOL_PRIVATE_H
#define SPEECH_POOL_PRIVATE_H

#include "loop/child.h"
#include "speech/pool.h"
#include "workers/endpoint.h"
#include "workers/message.h"

/* Jobs on one worker at once, whatever its engine says. */
#define SEATS_MAX 64

/* The join after a retry on an engine whose samples differ from try to try. */
#define CROSS_FADE_MS 5
#define CROSS_FADE_MAX (48000 * CROSS_FADE_MS / 1000)

enum job_state { JOB_NEW, JOB_QUEUED, JOB_RUNNING, JOB_PARKED, JOB_HELD };

struct speech_job {
	struct pool *pool;
	struct fleet *fleet;
	struct link link; /* on the list of its state */
	enum job_state state;
	uint64_t state_since_us;

	const struct speech_listener *listener;
	void *arg;
	bool held; /* the listener asked for a pause */
	bool first; /* of its turn */
	bool yields; /* it is never urgent */
	bool was_granted; /* credit, once */
	uint64_t asked_us;
	uint64_t arrival; /* counts jobs as they came */
	bool retried; /* a worker died with it once: now it sits alone on a newer one */
	uint64_t newer_than; /* the serial of the last worker at that moment */
	struct timer start_timer;

	struct worker *worker; /* NULL: queued */
	struct seat *seat; /* on it */
	uint64_t due_us;
	unsigned sample_rate; /* 0 until the first samples */
	unsigned voice_rate; /* before they tell */
	uint64_t received; /* samples of the chunk so far, over all tries */
	uint32_t busy_us; /* of this try */
	uint32_t busy_before_us;
	uint32_t stock; /* samples that its worker has made beyond its credit */
	unsigned words; /* told so far */
	unsigned words_again; /* of the current try: the first `words` were told before */

	/* The last samples received, kept back until more follow, so that a
	 * retry has something to fade from (engines that are not deterministic). */
	int16_t tail[CROSS_FADE_MAX];
	unsigned tail_len;
	unsigned fade_done, fade_len; /* the join under way */

	/* The request, kept for a retry; the strings follow the struct. */
	uint64_t turn;
	float speed, temperature, pitch;
	uint64_t seed; /* every try has the same */
	const char *voice; /* the engine's name for it: the catalogue's may change */
	char variant[VOICE_VARIANT_MAX];
	const char *language;
	const char *text;
	size_t text_len;
	const char *before;
	size_t before_len;
	struct buf phonemes; /* as they travel */
	uint16_t phonemes_count;
	char strings[];
};

struct seat {
	uint32_t id; /* 0: free */
	struct speech_job *job; /* NULL: called off, DONE is still to come */
	uint32_t credit; /* samples granted and not yet received */
	uint64_t heard_us; /* when it last sent samples, or began to owe any (watchdog.c) */
	uint64_t excused_us; /* time since then that does not count as silence */
};

struct note {
	char about[POOL_NOTE_ABOUT_MAX];
	char text[POOL_NOTE_TEXT_MAX];
};

/* What a worker says of its engine before READY. */
struct greeting {
	struct voice *voices; /* without ids */
	size_t voice_count;
	struct note *notes;
	size_t note_count;
};

enum worker_state { WORKER_STARTING, WORKER_READY, WORKER_LOST };

struct worker {
	struct link link; /* on fleet->workers, the most recently freed first */
	struct fleet *fleet;
	enum worker_state state;
	uint64_t serial; /* counts workers as they are started */
	struct child *child;
	struct endpoint *endpoint;
	struct seat seats[SEATS_MAX];
	unsigned seat_count; /* 0: not ready, nobody knows */
	unsigned seats_taken;
	bool reserved; /* for jobs that must sit alone, one at a time */
	bool stands_in; /* it was reserved, and is staff until one that starts is ready */
	bool leaving; /* gets no more jobs, and goes after those it has */
	uint64_t started_us;
	uint64_t waited_for_us; /* since when it has been expected to say READY (watchdog.c) */
	uint64_t excused_us; /* time since then that does not count */
	struct child_processors processors; /* as of the watchdog's last check */
	unsigned jobs_done;
	struct greeting greeting; /* until it is ready */
};

struct fleet {
	struct link link; /* on pool->fleets */
	struct pool *pool;
	char name[VOICE_ENGINE_MAX];
	char *program;
	struct list workers;
	struct list queued;
	struct list again; /* queued, and particular about their worker */
	unsigned starting;
	unsigned failures; /* starts that came to nothing since a job was done */
	struct timer restart_timer;
	bool answered; /* READY once, or given up: counts for pool readiness */
	bool worked_before; /* when the server last ran */
	bool given_up; /* it does not start: others speak its voices if they can */
	bool renewing; /* a worker started after `renew_after` brings a new greeting */
	uint64_t renew_after; /* serial */
	struct greeting greeting; /* the one that counts, its voices left out … */
	size_t voice_count; /* … because they are in the catalogue */
	unsigned seats; /* of each worker */
	struct buf record; /* its greeting as record.c keeps it, until it is saved */
	bool knows_capabilities;
	uint32_t capabilities;
	uint32_t busy_us_per_second; /* of audio, measured */
};

struct pool {
	struct speech speech; /* first: what we hand out */
	struct loop *loop;
	struct pool_options options;
	char **launcher;
	char **environment;
	struct voices *voices;
	struct list fleets;
	struct list running;
	struct list parked;
	struct list held;
	uint32_t next_seat_id;
	uint64_t worker_serial; /* of the last one started */
	uint64_t arrivals; /* jobs so far */
	struct deferred schedule;
	struct timer watchdog;
	uint64_t watched_us; /* when the watchdog last checked */
	bool all_answered; /* every engine once: now they are staffed */
	bool ready_told;
	bool keeps_records;
	void (*ready_handler)(void *arg);
	void *ready_arg;
	uint64_t worker_deaths, retries, taken_back;
};

/* pool.c */
void pool_schedule_soon(struct pool *pool);
void pool_check_ready(struct pool *pool);

/* slice.c */
/* The credit for about so much work of its engine. */
uint32_t slice_samples(const struct speech_job *job, unsigned work_us);
/* What of its stock it should be given credit for at once; that much less is
 * left of it. */
uint32_t slice_stock(struct speech_job *job);

/* fleet.c */
int fleet_alloc(struct fleet **fleetp, struct pool *pool, const char *name, const char *program);
void fleet_keep_staffed(struct fleet *fleet);
void fleet_keep_retries_staffed(struct fleet *fleet);
void fleet_renew(struct fleet *fleet);
void fleet_keep_record(struct fleet *fleet);
bool fleet_is_full(const struct fleet *fleet);
bool fleet_sits_alone(const struct fleet *fleet);
struct worker *fleet_worker_for(struct fleet *fleet, const struct speech_job *job);
size_t fleet_queue_len(const struct fleet *fleet);
/* A worker has said all that it has to say of itself.  ENOMEM: nothing has
 * changed, it should be replaced. */
int fleet_worker_ready(struct fleet *fleet, struct worker *worker,
		       const struct message_ready *ready);
void fleet_worker_failed(struct fleet *fleet, bool was_of_use);
/* A seat is free again: the worker may have gone when it returns. */
void fleet_worker_freed(struct fleet *fleet, struct worker *worker);

/* greeting.c: ENOMEM; what is no voice is logged and left out. */
int greeting_add_voice(struct greeting *greeting, const char *engine,
		       const struct message_voice *offered);
int greeting_add_note(struct greeting *greeting, const struct message_note *told);
/* A voice of the built-in table, of which only the engine can say the rest. */
int greeting_expect_voice(struct greeting *greeting, const char *engine,
			  const struct voice_speaker *speaker, const char *language);
void greeting_set_features(struct greeting *greeting, uint32_t capabilities); /* of all voices */
bool greeting_has_note(const struct greeting *greeting, const struct note *note);
void greeting_reset(struct greeting *greeting);

/* record.c */
/* The strings of ready are empty.  ENOENT: there is none; other errors: it cannot be read. */
int record_load(struct greeting *greeting, struct message_ready *ready, const char *dir,
		const char *engine);
int record_encode(struct buf *record, const struct greeting *greeting,
		  const struct message_ready *ready);
int record_save(const char *dir, const char *engine, const struct buf *record);
void record_remove(const char *dir, const char *engine);

/* expect.c */
void expect_voices(struct fleet *fleet);

/* launch.c */
int launch_worker(struct child **childp, int *fdp, struct fleet *fleet, child_exit_h *handler,
		  void *arg);

/* worker.c */
int worker_spawn(struct fleet *fleet, bool reserved);
void worker_retire(struct worker *worker);
bool worker_is_worn(const struct worker *worker);
bool worker_is_rate(uint32_t sample_rate);
void worker_kill_stalled(struct worker *worker);
unsigned worker_seats_coming(const struct worker *worker);
struct speech_job *worker_longest_held(const struct worker *worker);
int worker_seat_job(struct worker *worker, struct speech_job *job, uint32_t credit);
void worker_credit(struct worker *worker, struct speech_job *job, uint32_t credit);
void worker_call_off(struct worker *worker, struct speech_job *job);

/* watchdog.c */
void watchdog_start(struct pool *pool);
void watchdog_stop(struct pool *pool);
/* Moves a time by by_us, but not beyond now_us. */
uint64_t watchdog_later(uint64_t heard_us, uint64_t by_us, uint64_t now_us);

/* job.c */
int job_alloc(struct speech_job **jobp, struct pool *pool, struct fleet *fleet,
	      const struct speech_request *request);
void job_move(struct speech_job *job, enum job_state state);
uint64_t job_due_us(const struct speech_job *job);
uint64_t job_rank(const struct speech_job *job); /* the lowest goes first */
uint64_t job_skip(const struct speech_job *job);
struct message_spans job_phonemes(const struct speech_job *job);
void job_begin_try(struct speech_job *job);
void job_audio(struct speech_job *job, const struct message_audio *audio);
void job_word(struct speech_job *job, const struct message_word *word);
void job_done(struct speech_job *job, const struct message_done_report *done);
void job_worker_died(struct speech_job *job);
void job_requeue(struct speech_job *job);
/* Its time to find a worker begins again. */
void job_wait_anew(struct speech_job *job);
void job_end(struct speech_job *job, enum speech_end how);

#endif
