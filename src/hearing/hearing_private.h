/*
 * hearing_private.h: the objects of hearing_pool.h, shared by these files:
 *
 *   hearing_pool.c    all engines, and what is known of all of them together
 *   recognizer.c      one engine: its fleet of workers and their messages
 *   hearing_stream.c  one stream: what its session may ask, and on which worker it is
 *   feed.c            the audio that its worker has been sent
 *   piece.c           which piece is recognized next
 *   suspect.c         which stream ends workers
 *
 * A stream is on the list that belongs to its state, and hearing_stream_move is the only function that
 * changes these:
 *
 *   state    has                                        is on
 *   queued   no seat                                    recognizer->queued
 *   alone    no seat, and waits for a worker that has   recognizer->alone
 *            no other work
 *   seated   a seat                                     recognizer->seated
 *   over     only its end to be told                    no list
 *
 * The positions of a stream, all in samples from its beginning:
 *
 *   tape.start   base                acked      sent        tape.end
 *       ├─────────┴────────────────────┴──────────┴────────────┤
 *       │ kept     what its worker      what it    what it     │
 *       │          has answered         has        lacks       │
 *
 * `base` is where the worker's audio begins; the tape may have been released beyond it.  `heard` is
 * how far the session knows the activity.  After a retry it is ahead of `acked`, and what the new
 * worker repeats is dropped.
 */
#ifndef HEARING_HEARING_PRIVATE_H
#define HEARING_HEARING_PRIVATE_H

#include "hearing/hearing_pool.h"
#include "hearing/tape.h"
#include "workers/fleet.h"
#include "workers/message.h"
#include "workers/notes.h"
#include "workers/seat.h"

_Static_assert(HEARING_RATE == MESSAGE_HEARING_RATE, "streams are sent as they are");
_Static_assert(HEARING_FRAME == MESSAGE_FRAME_SAMPLES, "activity is passed on as it is");
_Static_assert(HEARING_KEPT_MAX <= MESSAGE_KEPT_MAX, "a worker can keep what the server keeps");
_Static_assert(HEARING_ENGINE_MAX <= FLEET_NAME_MAX, "an engine's name is its fleet's");

/* What is known here of a worker.  It exists while streams are on the worker. */
struct load {
	struct link link; /* on recognizer->loads */
	uint64_t serial;
	unsigned streams;
	unsigned pieces; /* pieces that it is recognizing */
	bool is_taken_alone; /* one of them must not share the worker with another one */
	struct list blocked; /* streams that have audio to send, and wait until it has read more */
};

enum piece_state { PIECE_WAITING, PIECE_SENT };

struct piece {
	struct link link; /* on stream->pieces, in the order in which they were asked for */
	struct link waiting; /* on recognizer->waiting while it is not at a worker */
	struct hearing_stream *stream;
	struct hearing_piece asked;
	enum piece_state state;
	uint32_t number; /* in messages to its worker */
	bool is_suspect; /* a worker died that was recognizing it */
	uint64_t asked_us;
};

enum stream_state { STREAM_NEW, STREAM_QUEUED, STREAM_ALONE, STREAM_SEATED, STREAM_OVER };

struct hearing_stream {
	struct hearing_pool *pool;
	struct recognizer *recognizer;
	enum stream_state state;
	struct list *list; /* the list that it is on; NULL: none */
	struct link link;
	const struct hearing_listener *listener; /* NULL: it was cancelled, or has ended */
	void *arg;
	struct timer start_timer; /* it ends if it has no worker by then */
	struct deferred end; /* tells the session that it has ended */
	enum hearing_end how;
	bool was_seated;

	struct tape tape;
	uint64_t released; /* the session will not ask for what is before this */
	uint64_t needed; /* nothing before this is needed by the session or by a piece */
	uint64_t heard; /* up to where the session knows the activity */
	bool wants_room; /* it is told when there is room again */
	struct deferred room;
	bool is_finished; /* no samples and no pieces follow */

	struct seat *seat; /* NULL: it has none, and neither load nor the following positions */
	struct load *load;
	struct link blocked; /* on load->blocked */
	uint64_t base, acked, sent;
	uint64_t released_there; /* what its worker has been told of `needed` */
	uint64_t worker_room; /* samples that may be sent to it */
	bool owes_room; /* it is expected to say that there is more */
	bool finish_sent;

	struct list pieces; /* those whose words are not known */
	uint32_t numbers; /* the last number that a piece was given in messages */
	unsigned pieces_sent; /* pieces at its worker */
	bool has_partial_there; /* one of them is not final */

	/* See suspect.c. */
	unsigned deaths; /* workers that died while it was suspected */
	uint64_t
		cleared_at; /* it is not suspected any more when its activity is known up to here */
	uint64_t newer_than; /* the serial of the last worker at the time of the death */
	uint64_t claimed; /* the serial of the worker that it has for itself; 0: none */

	/* The request, kept for retries; the strings follow the struct. */
	uint32_t piece_max;
	bool want_times;
	const char *model;
	const char *language;
	const char *prompt;
	char strings[];
};

/* An engine: its fleet of workers, and the streams of its models. */
struct recognizer {
	struct link link; /* on pool->recognizers */
	struct hearing_pool *pool;
	char name[HEARING_ENGINE_MAX];
	struct fleet *fleet;
	struct list queued, alone, seated; /* streams */
	struct list waiting; /* pieces that no worker has */
	struct list loads;
	unsigned pieces_sent, finals_sent; /* pieces that workers have */
	unsigned slots; /* slots of its own; 0: it shares those of the machine */
	size_t model_count;
	bool worked_before; /* it had models when the server last ran */
	struct notes notes; /* those that have been logged */
};

struct hearing_pool {
	struct hearing hearing; /* first, because hearing_pool_hearing returns it */
	struct loop *loop;
	struct hearing_pool_options options;
	char **launcher;
	char **environment;
	struct hearing_models *models;
	struct list recognizers;
	unsigned streams;
	struct deferred run;
	struct timer tick; /* for decisions that depend on time, or on what others do */
	bool all_answered;
	bool ready_told;
	void (*ready_handler)(void *arg);
	void *ready_arg;
	uint64_t retries, left_out;
	struct hearing_word words[MESSAGE_WORDS_MAX]; /* of the result that is being delivered */
};

/* hearing_pool.c */
struct recognizer *hearing_pool_first(const struct hearing_pool *pool);
struct recognizer *hearing_pool_next(const struct hearing_pool *pool,
				     const struct recognizer *recognizer);
struct recognizer *hearing_pool_find(const struct hearing_pool *pool, const char *engine);
void hearing_pool_check_ready(struct hearing_pool *pool);
enum hearing_state hearing_pool_state(const struct hearing *hearing);
/* Something has changed: seats are given to streams and pieces to workers when the callback ends. */
void hearing_pool_run_soon(struct hearing_pool *pool);

/* recognizer.c */
int recognizer_alloc(struct recognizer **recognizerp, struct hearing_pool *pool, const char *name,
		     const char *program);
/* Puts the models into the catalogue that the engine had when the server last ran and that are still
 * installed. */
void recognizer_expect(struct recognizer *recognizer);

/* hearing_stream.c */
extern const struct hearing_ops hearing_stream_ops;
void hearing_stream_move(struct hearing_stream *stream, enum stream_state state);
/* Gives seats to streams that wait, and other seats to streams whose worker is leaving. */
void hearing_stream_seat_all(struct recognizer *recognizer);
/* The stream has no seat any more, and continues on another worker. */
void hearing_stream_requeue(struct hearing_stream *stream);
/* Restarts the timer after which a stream that has no worker ends. */
void hearing_stream_wait_anew(struct hearing_stream *stream);
/* Calls `end` of the listener and releases the stream.  Only inside a callback of the loop. */
void hearing_stream_end(struct hearing_stream *stream, enum hearing_end how, const char *detail);
/* Releases audio that neither the session nor a piece needs. */
void hearing_stream_trim(struct hearing_stream *stream);
/* The stream was finished and owes its session nothing more. */
bool hearing_stream_is_complete(const struct hearing_stream *stream);

/* feed.c */
/* Takes a seat for the stream.  False: the worker is lost, or there is no memory. */
bool feed_begin(struct hearing_stream *stream, struct worker *worker);
/* The seat is gone, with everything that was sent. */
void feed_end(struct hearing_stream *stream);
/* Sends what the worker has room for, and what has been released. */
void feed_push(struct hearing_stream *stream);
/* The worker has read something: sends the audio of streams that waited for that. */
void feed_unblock(struct load *load);
/* Messages of the worker; they return what is wrong with the message, or NULL. */
const char *feed_take_activity(struct hearing_stream *stream,
			       const struct message_activity *activity);
void feed_take_room(struct hearing_stream *stream, uint32_t samples);

/* piece.c */
int piece_ask(struct hearing_stream *stream, const struct hearing_piece *asked);
/* Gives pieces to workers as long as there are slots: those of `only` or, if that is NULL, those that
 * all engines without slots of their own share. */
void piece_dispatch(struct hearing_pool *pool, const struct recognizer *only, unsigned slots);
const char *piece_take_words(struct hearing_stream *stream, const struct message_words *words);
/* The stream leaves its worker: pieces that are there wait for another one. */
void piece_take_back(struct hearing_stream *stream);
/* The pieces that are at the stream's worker may have killed it. */
void piece_suspect_sent(struct hearing_stream *stream);
/* Whether there are such pieces, and their words are still not known. */
bool piece_has_suspect(const struct hearing_stream *stream);
/* The beginning of the audio that unanswered pieces need; UINT64_MAX: there are none. */
uint64_t piece_needs_from(const struct hearing_stream *stream);
/* The end of the audio that they need; 0: there are none. */
uint64_t piece_needs_to(const struct hearing_stream *stream);
void piece_drop_all(struct hearing_stream *stream);

/* suspect.c */
/* The stream's worker has died: the stream waits for another one, or fails. */
void suspect_worker_died(struct hearing_stream *stream);
/* The stream's worker has answered: perhaps what it was suspected of has passed. */
void suspect_check_progress(struct hearing_stream *stream);
/* Gives up the worker that the stream has for itself, if it has one. */
void suspect_leave(struct hearing_stream *stream);
/* Claims workers for streams that are to be alone. */
void suspect_claim(struct recognizer *recognizer);
/* The number of streams that wait for such a worker.  *newer_than is the serial that the worker of the
 * first one must exceed. */
size_t suspect_waiting(const struct recognizer *recognizer, uint64_t *newer_than);

#endif
