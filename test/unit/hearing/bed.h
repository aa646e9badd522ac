/*
 * bed.h: a pool with real worker processes that listen, and the streams that a test starts on it.
 *
 * Shared by the tests of hearing.  The engine is levels_worker.c, under a name that the pool looks for,
 * in a temporary directory of its own.
 */
#ifndef TEST_HEARING_BED_H
#define TEST_HEARING_BED_H

#include "hearing/hearing_pool.h"
#include "hearing/segmenter.h"

#define BED_RESULTS_MAX 512
#define BED_TEXT_MAX 4096

struct bed {
	char dir[64];
	struct loop *loop;
	struct hearing_pool *pool;
	struct timer limit;
	bool timed_out;
	bool ready;
	unsigned results; /* of all streams, which counts their order */
};

/* A session: it sends words as levels, and has them recognized by a segmenter. */
struct talk {
	struct bed *bed;
	struct hearing_stream *stream;
	struct segmenter segmenter;
	bool is_manual; /* the segmenter decides nothing */
	uint64_t sent; /* samples */
	uint64_t heard; /* samples whose activity is known */
	uint32_t numbers;
	unsigned finals_asked;
	char finals[BED_TEXT_MAX]; /* their texts, in the order of the stream, joined by blanks */
	char texts[BED_RESULTS_MAX][256]; /* by number */
	uint64_t froms[BED_RESULTS_MAX];
	bool is_final[BED_RESULTS_MAX];
	unsigned order[BED_RESULTS_MAX]; /* bed->results when the result arrived; 0: it has not */
	unsigned partials, results, rooms, activities;
	struct hearing_word last_word;
	size_t last_word_count;
	bool is_lost; /* a piece could not be asked for, because there was no memory */
	bool ended;
	enum hearing_end how;
	char detail[200];
	bool finish_when_heard; /* finishes when all that was sent has been heard */
	void (*on_result)(struct talk *talk, const struct hearing_result *result);
	void (*on_activity)(struct talk *talk);
};

/* Opens a pool whose only engine is `program` under the name syrinx-NAME.  Options that are 0 get
 * values for tests. */
void bed_open(struct bed *bed, const char *name, const char *program,
	      struct hearing_pool_options options);
/* The same, but the n-th allocation of the pool fails.  bed->pool is NULL if it could not be opened
 * because of that. */
void bed_open_failing(struct bed *bed, const char *name, const char *program, size_t n);
/* Runs until the pool is ready. */
void bed_run_ready(struct bed *bed);
void bed_open_ready(struct bed *bed, const char *name, const char *program,
		    struct hearing_pool_options options);
/* Checks that no object and no process is left. */
void bed_close(struct bed *bed);

/* Runs until the function returns true.  Fails after two minutes. */
void bed_run_until(struct bed *bed, bool (*is_done)(void *arg), void *arg);
void bed_run_until_ended(struct talk *talk);
/* Runs for this long. */
void bed_pass(struct bed *bed, unsigned ms);
struct hearing_pool_stats bed_stats(const struct bed *bed);
/* How many workers the engine has, when none of them is starting. */
void bed_run_until_workers(struct bed *bed, unsigned workers);

/* The prompt is for the hooks of levels_worker.c. */
int talk_try(struct bed *bed, struct talk *talk, const char *prompt);
void talk_start(struct bed *bed, struct talk *talk, const char *prompt);
/* Sends this much audio of a level; it must have room. */
void talk_send(struct talk *talk, int level, unsigned ms);
/* Says words of 300 ms each, with 100 ms between them and a second of silence after them. */
void talk_say(struct talk *talk, int first, int last);
/* The texts of the finals of these words. */
const char *talk_words(char *text, int first, int last);
/* Asks for a piece. */
int talk_ask(struct talk *talk, uint64_t from, uint64_t to, bool is_final, uint64_t due_us);
/* Runs until all whole frames that were sent have been heard. */
void talk_run_heard(struct talk *talk);
/* Ends the stream when all that was sent has been heard and recognized. */
void talk_finish(struct talk *talk);
void talk_cancel(struct talk *talk);

#endif
