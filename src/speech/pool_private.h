/*
 * pool_private.h: the objects behind pool.h, shared by its files.
 *
 *   pool.c         the engines, and what is known of all of them together
 *   scheduler.c    which job gets credit next
 *   slice.c        how much
 *   synthesizer.c  one engine: its fleet of workers, what they say
 *   greeting.c     what they say of the engine before they are ready
 *   expect.c       the voices it will have once it has loaded
 *   job.c          one chunk: its samples put together, also after a retry
 *
 * A job's state says where it is, and job_move is the only function that changes
 * it:
 *
 *   queued   no seat                         (queued of its synthesizer, or again
 *            if it was on a worker that died)
 *   running  a seat, and credit              (running)
 *   parked   a seat, no credit, wants it     (parked)
 *   held     no credit, its listener is full (held with a seat; aside without one,
 *            when others needed it)
 *
 * Queues are heaps by rank: the job whose listener runs dry first is on top.
 */
#ifndef SPEECH_POOL_PRIVATE_H
#define SPEECH_POOL_PRIVATE_H

#include "base/heap.h"
#include "speech/pool.h"
#include "workers/fleet.h"
#include "workers/message.h"
#include "workers/seat.h"

/* The join after a retry on an engine whose samples differ from try to try. */
#define CROSS_FADE_MS 5
#define CROSS_FADE_MAX (48000 * CROSS_FADE_MS / 1000)

/* Of an engine, in Hz: what the audio pipeline takes. */
#define SPEECH_RATE_MIN 8000
#define SPEECH_RATE_MAX 48000

static inline bool speech_is_rate(uint32_t sample_rate)
{
	return sample_rate >= SPEECH_RATE_MIN && sample_rate <= SPEECH_RATE_MAX;
}

enum job_state { JOB_NEW, JOB_QUEUED, JOB_RUNNING, JOB_PARKED, JOB_HELD };

/* Jobs in the order of their rank.  They are also on a list, for those who want all of them. */
struct job_queue {
	struct heap by_rank;
	struct list jobs;
};

struct speech_job {
	struct pool *pool;
	struct synthesizer *synthesizer;
	enum job_state state;
	struct list *list; /* that the job is on; NULL: none */
	struct heap *heap; /* of the same queue; NULL: that list is not a queue */
	struct link link;
	struct heap_node node;
	uint64_t rank; /* in the heap: the lowest goes first */
	uint64_t place; /* among those of equal rank, by when they came there */
	uint64_t state_since_us;
	bool is_stuck; /* running, and silent for so long that its slot is given to others */

	const struct speech_listener *listener;
	void *arg;
	bool held; /* the listener asked for a pause */
	bool first; /* of its turn */
	bool yields; /* it is never urgent */
	bool was_granted; /* credit, once */
	uint64_t asked_us;
	uint64_t arrival; /* counts jobs as they came */
	bool retried; /* a worker died with it once: now it needs a newer one to itself */
	uint64_t newer_than; /* the serial of the last worker at that moment */
	struct timer start_timer;

	struct seat *seat; /* NULL: it has none */
	uint64_t due_us;
	unsigned sample_rate; /* 0 until the first samples */
	unsigned voice_rate; /* until then */
	uint64_t received; /* samples of the chunk so far, over all tries */
	uint32_t busy_us; /* of this try */
	uint32_t busy_before_us;
	uint32_t stock; /* samples that its worker has made beyond its credit */
	unsigned words; /* that its listener has been given */
	unsigned words_again; /* of the current try: the first `words` were given before */

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
	uint32_t capabilities;
};

/* An engine as its voices' jobs see it. */
struct synthesizer {
	struct link link; /* on pool->synthesizers */
	struct pool *pool;
	char name[VOICE_ENGINE_MAX];
	struct fleet *fleet;
	struct job_queue queued;
	struct job_queue again; /* queued, and in need of a worker to themselves */
	struct job_queue parked;
	struct list running;
	unsigned stuck; /* of those running */
	struct list held; /* with a seat, the longest held first */
	struct list aside; /* held, without a seat */
	unsigned slots; /* of its own; 0: it shares those of the machine */
	bool worked_before; /* when the server last ran */
	struct greeting greeting; /* without its voices, which are in the catalogue */
	size_t voice_count;
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
	struct list synthesizers;
	uint64_t arrivals; /* jobs so far */
	uint64_t places; /* see job->place */
	struct deferred schedule;
	struct timer tick; /* for decisions that depend on time alone */
	bool all_answered; /* every engine once: from then on they have spare workers */
	bool ready_told;
	void (*ready_handler)(void *arg);
	void *ready_arg;
	uint64_t retries, taken_back;
};

/* pool.c */
void pool_check_ready(struct pool *pool);
struct synthesizer *pool_find(const struct pool *pool, const char *engine);
struct synthesizer *pool_first(const struct pool *pool);
struct synthesizer *pool_next(const struct pool *pool, const struct synthesizer *synthesizer);

/* scheduler.c */
extern const struct speech_ops scheduler_speech_ops;
void scheduler_start(struct pool *pool);
void scheduler_stop(struct pool *pool);
void scheduler_run_soon(struct pool *pool);
/* Its credit is used up. */
void scheduler_spent(struct speech_job *job);
/* Counts a running job's slot as taken or not, by when its worker was last heard. */
void scheduler_check_stuck(struct speech_job *job);

/* slice.c */
/* The credit for about so much work of its engine. */
uint32_t slice_samples(const struct speech_job *job, unsigned work_us);
/* How much of its stock it should be given credit for at once; that much less is
 * left of it. */
uint32_t slice_stock(struct speech_job *job);

/* synthesizer.c */
int synthesizer_alloc(struct synthesizer **synthesizerp, struct pool *pool, const char *name,
		      const char *program);

/* greeting.c */
/* Reads what a worker said until READY.  What is not a voice is logged and left out.  ENOMEM;
 * EPROTO: READY is missing, or the bytes are not messages. */
int greeting_read(struct greeting *greeting, const char *engine, const struct buf *said);
/* A voice of the built-in table, of which only the engine can say the rest.  ENOMEM. */
int greeting_expect_voice(struct greeting *greeting, const char *engine,
			  const struct voice_speaker *speaker, const char *language);
bool greeting_has_note(const struct greeting *greeting, const struct note *note);
void greeting_reset(struct greeting *greeting);

/* expect.c */
void expect_voices(struct synthesizer *synthesizer);

/* job.c */
int job_alloc(struct speech_job **jobp, struct pool *pool, struct synthesizer *synthesizer,
	      const struct speech_request *request);
void job_queue_init(struct job_queue *queue);
struct speech_job *job_queue_first(const struct job_queue *queue);
void job_move(struct speech_job *job, enum job_state state);
uint64_t job_due_us(const struct speech_job *job);
void job_make_speak(const struct speech_job *job, struct message *speak, uint32_t credit);
void job_begin_try(struct speech_job *job);
void job_audio(struct speech_job *job, const struct message_audio *audio);
void job_word(struct speech_job *job, const struct message_word *word);
void job_done(struct speech_job *job, const struct message_done_report *done);
void job_worker_died(struct speech_job *job);
void job_requeue(struct speech_job *job);
/* Its time to find a worker begins again. */
void job_wait_anew(struct speech_job *job);

#endif
